// SPDX-License-Identifier: MIT
// LaneJointGroups: the rows of joints, eight joints side by side, in the coordinates of lane records.
//
// The joints of a group have equally many rows, one colour and so no body in common, so that all eight can read and
// push their bodies at once; groups go by colour. Impulses and residuals stand in slots (ldl_joints.h): where those of
// eight joints lie side by side, as in mechanisms that are factored together, these make a group. Which joints stand
// together depends on joints and slots alone. With u = still + L u' (lane_problem.h) a row is
//
//   y = J still - target + (J L) u' + bias(e) + G l,   bias = clamp(rate e, -cap, cap)
//   u' <- u' + (J L)^T dl
//
// All in double: with J L in float, as u' is, nothing was faster, and ragdolls that land sank twice as far into the
// ground.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/graph/colouring.h"
#include "cairn/problem/lanes/lane_problem.h"
#include "cairn/simd/vectors.h"
#include "cairn/solvers/joint_problem.h"

namespace cairn {

class LaneJointGroups {
 public:
  /// Rows of the joints of `part`, which lasts one sub-step; errors are those of the beginning of the step. `slots`:
  /// per joint row, no two the same.
  void load(const JointProblem& part, std::span<const std::int32_t> slots, const LaneProblem& lanes);

  /// Which errors the rows take back: all, or none of those that hold rigidly (their speed is taken back).
  enum class Pass { biased, rigid };
  /// Errors at the displacements so far, e + J d, are found in the biased pass and kept for the rigid one. Not of rows
  /// with bounds: drives and friction have none, and stops ahead have a speed at which they are just reached at the end
  /// of the step. What is found is -y. All per slot; those of no row are 0 and stay so.
  void find_residuals(Pass pass, const LaneProblem& lanes, std::span<const double> impulse, std::span<double> minus_y);
  void push(std::span<const double> change, LaneProblem& lanes) const;

  /// Rows with bounds, one after the other where `is_swept` (per joint row) is not 0: l <- clamp(l - y / K).
  void visit_held_rows(Pass pass, const JointProblem& part, std::span<const std::uint8_t> is_swept,
                       std::span<double> impulse, LaneProblem& lanes);

 private:
  static constexpr int kLanes = 8;
  static constexpr int kMostRows = 6;
  using Lanes = Double8;
  struct alignas(64) Row {
    Lanes a[6], b[6];          ///< J L
    Lanes fixed;               ///< J still - target
    Lanes first_error, error;  ///< at the beginning of the step, and now
  };
  /// What is the same for all rows that hold rigidly.
  struct alignas(64) Law {
    Lanes rate, cap, softness;
    Lanes follows;  ///< 1 where the error goes with the displacement
    Lanes stays;    ///< 1 where there is a bias in the rigid pass too
  };
  struct Group {
    std::int32_t rows = 0, count = 0;
    std::int32_t colour = 0;
    std::int32_t first = 0;        ///< of its rows_
    bool is_side_by_side = false;  ///< slots of each row, those of empty lanes included, which belong to no row
    bool is_rigid = true;          ///< all rows are, and have no bounds; laws_ are not used
    std::int32_t joint[kLanes] = {};
    std::int32_t record_a[kLanes], record_b[kLanes];  ///< of bodies; of empty lanes, of nobody
    std::int32_t slot[kMostRows][kLanes];
  };
  struct Held {
    std::int32_t group = 0, lane = 0, row = 0, joint_row = 0;
  };

  bool is_known(const JointProblem& part, std::span<const std::int32_t> slots, const LaneProblem& lanes) const;
  void form_groups(const JointProblem& part, std::span<const std::int32_t> slots, const LaneProblem& lanes);
  void colour_joints(const LaneProblem& lanes);
  void form_side_by_side();
  int count_side_by_side(std::size_t first) const;
  std::size_t find_group(std::size_t joint) const;
  Group& add_group(std::size_t joint);
  void place(std::int32_t joint, Group& group) const;
  void fill(const JointProblem& part, const LaneProblem& lanes, std::size_t group, int lane);
  void fill_laws(const JointProblem& part, std::size_t group);
  template <Pass pass>
  void find_group_residuals(const Group& group, const LaneProblem& lanes, std::span<const double> impulse,
                            std::span<double> minus_y);
  static void find_bias(const Law& law, const Lanes& error, Pass pass, Lanes& bias);
  static void get_slots(const Group& group, std::int32_t row, std::span<const double> from, Lanes& to);
  static void put_slots(const Group& group, std::int32_t row, const Lanes& from, std::span<double> to);

  // What the groups were formed for.
  std::vector<JointBlock> joints_;
  std::vector<std::int32_t> slots_;
  std::vector<std::uint8_t> moves_;  ///< per joint, of their bodies: 2 if a can move, plus 1 if b can

  std::vector<Group> groups_;
  std::vector<Row> rows_;
  std::vector<Law> laws_;                ///< per row of rows_
  Law rigid_;                            ///< of rows that hold rigidly
  std::vector<Held> bounded_;            ///< rows with bounds
  std::vector<std::int32_t> by_slot_;    ///< scratch: joints by the slot of their first row
  std::vector<std::uint8_t> is_used_;    ///< scratch: per slot
  std::vector<std::uint8_t> is_placed_;  ///< scratch: per joint
  std::vector<Edge> edges_;              ///< scratch: per joint, its bodies that can move
  ColouringScratch sets_;
  Colouring colouring_;  ///< of the joints
};

}  // namespace cairn
