// SPDX-License-Identifier: MIT
// JointErrors: how far the rows of joints are from what they should be at the end of the step, C(x'). Internal to
// project_joints.h.
//
// Two things are measured against. SHAKE wants the targets C(x) + dt J u', the rates of the solve followed to the end;
// the projection of poses wants 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/world/assembly/projection_work.h"

namespace cairn {

class JointErrors {
 public:
  /// Sums over rows.
  struct Sums {
    double merit = 0, largest = 0;  ///< of what is solved for
    double apart = 0;               ///< m or rad, by which rows that are projected are apart
  };

  /// From the rows of the beginning and how far they can bend over the step. False: only rows at the end can tell.
  static bool surely_hold(const ProjectionStep& step);

  /// Targets without what was foreseen, which rows are held, and room for errors.
  void begin(const ProjectionStep& step);

  /// Errors from the targets at the poses that are tried, of all joints of open mechanisms, by row and by joint.
  void measure_from_targets(const ProjectionStep& step, const ProjectedMechanisms& mechanisms, const TrialPoses& trial);
  /// Errors from 0. Rigid stops that are passed are held too. `rows`: the rows at those poses, per joint row.
  void measure_at(const ProjectionStep& step, const ProjectedMechanisms& mechanisms, const TrialPoses& trial,
                  std::span<JointRow> rows);

  /// Sums by mechanism of what was measured.
  void sum(const ProjectionStep& step, const ProjectedMechanisms& mechanisms);

  bool all_within(double tolerance) const;
  static bool is_within(const Sums& sums, double tolerance);

  const Sums& of_mechanism(std::size_t m) const { return total_[m]; }
  std::span<const double> rows() const { return errors_; }      ///< per joint row
  std::span<const std::uint8_t> held() const { return held_; }  ///< per joint row: takes part

 private:
  void measure(const ProjectionStep& step, const ProjectedMechanisms& mechanisms, const TrialPoses& trial,
               std::span<JointRow> rows);
  void measure_rows(std::size_t joint, std::int32_t first_row, const JointRows& rows, std::span<JointRow> late);

  std::vector<Sums> total_;     ///< per mechanism
  std::vector<Sums> of_joint_;  ///< per joint
  std::vector<std::uint8_t> held_;
  std::vector<double> target_, errors_;  ///< per joint row
};

}  // namespace cairn
