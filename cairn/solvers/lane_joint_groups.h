// SPDX-License-Identifier: MIT
// LaneJointGroups: the rows of joints, eight joints side by side, in the coordinates of lane records.
//
// The joints of a group have equally many rows and no body in common, so that all eight can read and push their bodies
// at once. Which joints stand together depends on the joints alone. With u = still + L u' (lane_problem.h) a row is
//
//   y = J still - target + (J L) u' + bias(e) + G l,   bias = clamp(rate e, -cap, cap)
//   u' <- u' + (J L)^T dl
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/problem/lane_problem.h"

namespace cairn {

class LaneJointGroups {
 public:
  /// Rows of the joints of `part`, which lasts one sub-step; errors are those of the beginning of the step.
  void load(const ContactProblem& part, const LaneProblem& lanes);

  /// Which errors the rows take back: all, or none of those that hold rigidly (their speed is taken back).
  enum class Pass { biased, rigid };
  /// Errors at the displacements so far, e + J d, are found in the biased pass and kept for the rigid one. Not of rows
  /// with bounds: drives and friction have none, and stops ahead have a speed at which they are just reached at the end
  /// of the step.
  void find_residuals(Pass pass, const LaneProblem& lanes, std::span<const double> impulse, std::span<double> y);
  void push(std::span<const double> change, LaneProblem& lanes) const;

  /// Rows with bounds, one after the other where `taken` is 0: l <- clamp(l - y / K).
  void visit_held_rows(Pass pass, const ContactProblem& part, std::span<const std::uint8_t> taken,
                       std::span<double> impulse, LaneProblem& lanes);

 private:
  static constexpr int kLanes = 8;
  using Lanes = double __attribute__((vector_size(8 * kLanes)));
  struct alignas(64) Row {
    Lanes a[6], b[6];  ///< J L
    Lanes fixed;       ///< J still - target
    Lanes rate, cap, first_error, error, softness;
    Lanes follows;  ///< 1 where the error goes with the displacement
    Lanes stays;    ///< 1 where there is a bias in the rigid pass too
  };
  struct Group {
    std::int32_t rows = 0, count = 0;
    std::int32_t first = 0;  ///< of its rows_
    std::int32_t joint[kLanes] = {};
    std::int32_t record_a[kLanes], record_b[kLanes];  ///< of bodies; of empty lanes, of nobody
    std::int32_t first_row[kLanes];                   ///< of the problem; of empty lanes, one past the last
  };
  struct Held {
    std::int32_t group = 0, lane = 0, row = 0;
  };

  void form_groups(const ContactProblem& part, const LaneProblem& lanes);
  std::size_t find_group(const JointBlock& joint, const LaneProblem& lanes) const;
  void fill(const ContactProblem& part, const LaneProblem& lanes, std::size_t group, int lane);
  static void find_bias(const Row& row, Pass pass, Lanes& bias);

  std::vector<JointBlock> joints_;   ///< that the groups were formed for
  std::vector<std::uint8_t> moves_;  ///< per joint, of their bodies: 2 if a can move, plus 1 if b can
  std::vector<Group> groups_;
  std::vector<Row> rows_;
  std::vector<Held> bounded_;  ///< rows with bounds
};

}  // namespace cairn
