// SPDX-License-Identifier: MIT
// JointStage: joint rows solved together instead of one after the other, inside a sweep over bodies.
#pragma once

#include <cstdint>
#include <span>

#include "cairn/core/parallel.h"
#include "cairn/solvers/joint_problem.h"

namespace cairn {

struct SolveReport;

class JointStage {
 public:
  virtual ~JointStage() = default;

  /// Once per solve. What the problem is a view of must outlive the solve. `impulse`: the warm start, per joint row.
  virtual void load(const JointProblem& problem, std::span<const double> impulse, ThreadPool* pool) = 0;

  /// Before the first `solve` of a sweep.
  virtual void begin() = 0;

  /// In every sweep, or once after the last one.
  virtual bool is_in_every_sweep() const = 0;

  /// The change of impulse of each joint row that makes y zero in the rows it takes, all else held; 0 in the others.
  /// True: which rows it takes has changed, apply this change and ask again. Must say false in the end.
  virtual bool solve(std::span<const double> y, std::span<const double> impulse, std::span<double> delta,
                     ThreadPool* pool) = 0;

  /// Per joint row: 1 where the row belongs to the stage; the sweep visits the others.
  virtual std::span<const std::uint8_t> taken() const = 0;

  virtual void describe(SolveReport& report) const = 0;
};

}  // namespace cairn
