// SPDX-License-Identifier: MIT
// SweptJoints: joints that are swept like contacts inside the sub-steps of soft_step, eight side by side, in double.
//
// A visit solves one joint by itself: its rows with bounds one after the other, then those that hold as one block. A
// row with bounds is solved as if those that hold did so already: with C = K_bh K_hh^-1 it has J~ = J_b - C J_h in
// place of J_b, and each of its impulses l comes with -C^T l along the rows that hold. A stop at the end of a rod would
// else need twenty visits.
//
//   bounded row:  l <- clamp(l - (y + G l) / (K~ + G))                      y = J~ u + bias(e)
//   block:        l <- l - c_m K^-1 (J u + c_r e) - c_l l                   soft pass, rigid rows
//                 l <- l - K^-1 J u                                         rigid pass: takes back the speed of c_r e
//                 l <- l - (K + G)^-1 (J u + bias + G l)                    where a row is compliant
//
// c_r, c_m and c_l are those of a damped spring (soft_step.h). Rows are those of the beginning of the step; errors go
// with the displacement, e + J d. Impulses start from those of the last step, and those that cancel each other in a
// loop are lost at the rate c_l. Joints of one colour have no body in common and may be solved side by side; colours
// depend on the joints of a mechanism alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/graph/colouring.h"
#include "cairn/problem/lanes/lane_problem.h"
#include "cairn/simd/vectors.h"
#include "cairn/solvers/joint_problem.h"
#include "cairn/solvers/soft_step/joint_lanes.h"

namespace cairn {

class JointChoice;

/// Of one batch, in which every sub-step lasts h.
struct SweptLaw {
  int batch = 0, sub_steps = 1;
  double h = 0;                                        ///< s
  double rate = 0, mass_scale = 1, impulse_scale = 0;  ///< c_r in 1/s, c_m, c_l
  double push = 0;                                     ///< m/s, fastest that an error is taken back
};

class SweptJoints {
 public:
  /// The joints of the batch that are to be swept. `impulse`: of the whole step per joint row, or empty.
  void load(const ContactProblem& problem, const JointChoice& choice, std::span<const double> impulse,
            const SweptLaw& law, LaneProblem& lanes, ThreadPool* pool);
  void clear() { groups_.clear(), units_.clear(), generation_ = 0; }
  bool empty() const { return groups_.empty(); }

  /// Adds the velocities that the impulses make.
  void warm_start(LaneProblem& lanes, ThreadPool* pool);
  /// One visit of every joint. `last`: of the sub-step.
  void sweep(bool biased, bool last, LaneProblem& lanes, ThreadPool* pool);
  /// Over the sub-steps, to the joint rows of the batch.
  void read_total(std::span<double> impulse) const;

 private:
  using Lanes = Double8;
  static constexpr int kMostHeld = 6;
  /// Blocks of joint rows between two bodies that follow each other: the rows that hold, then those with bounds.
  struct Unit {
    std::int32_t first_block = 0, block_count = 0;
    std::int32_t body_a = 0, body_b = 0;

    friend bool operator==(const Unit&, const Unit&) = default;
  };
  struct alignas(64) Row {
    Lanes a[6], b[6];          ///< J L, of bounded rows J~ L
    Lanes fixed;               ///< J still - target
    Lanes first_error, error;  ///< at the beginning of the step, and now
    Lanes impulse, total;      ///< of this sub-step, and of all before
  };
  /// Of rows that are bounded or in a block with one that is compliant.
  struct alignas(64) Law {
    Lanes rate, cap, softness;
    Lanes follows;              ///< 1 where the error goes with the displacement
    Lanes stays;                ///< 1 where there is a bias in the rigid pass too
    Lanes mass, lower, upper;   ///< of bounded rows: 1 / (K~ + G), and bounds of a sub-step
    Lanes coupling[kMostHeld];  ///< of bounded rows: C
  };
  struct alignas(64) Group {
    std::int32_t held = 0, bounded = 0, count = 0;
    std::int32_t first = 0;           ///< of its rows: those that hold, then those with bounds
    bool is_rigid = true;             ///< none of the rows that hold is compliant
    Lanes mass_scale, impulse_scale;  ///< c_m and c_l of its joints; 1 and 0 of one with a compliant row
    std::int32_t unit[kJointLanes] = {};
    std::int32_t record_a[kJointLanes], record_b[kJointLanes];
    Lanes inverse[kMostHeld * (kMostHeld + 1) / 2];  ///< K^-1, its lower triangle by rows
  };

  bool pick_units(const ContactProblem& problem, const JointChoice& choice, int batch, const LaneProblem& lanes);
  void colour_units(const LaneProblem& lanes);
  void form_groups(const ContactProblem& problem);
  Group& group_for(const ContactProblem& problem, std::size_t unit, std::size_t first_group);
  void place(const ContactProblem& problem, std::size_t unit, Group& group);
  struct Filling;
  template <class Work>
  void for_groups(ThreadPool* pool, Work&& work);
  struct Visit;
  template <bool kBiased>
  void visit_any(const Group& group, bool last, LaneProblem& lanes);

  SweptLaw law_;
  std::uint64_t generation_ = 0;  ///< of the choice for which units and groups were formed
  std::vector<Unit> units_, picked_;
  std::vector<Group> groups_;
  std::vector<std::int32_t> first_of_colour_;  ///< groups, and the end
  std::vector<Row> rows_;
  std::vector<Law> laws_;                                      ///< per row
  std::vector<std::array<std::int32_t, kJointLanes>> source_;  ///< per row: the joint row of each lane; -1: none
  std::vector<Edge> edges_;                                    ///< scratch: per unit, its bodies that can move
  ColouringScratch sets_;
  Colouring colouring_;
};

}  // namespace cairn
