// SPDX-License-Identifier: MIT
// BestIterate: watches a solve made of several stages. Measures every iterate with the ruler, keeps the best one ever
// seen, the start included, and says when to stop. Internal to `exact`.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "cairn/solvers/exact/newton_space.h"
#include "cairn/solvers/island_limits.h"

namespace cairn {

class BestIterate {
 public:
  /// Measures the start, which is no step.
  void start(NewtonSpace& space, const IslandLimits& limits, std::span<const double> x) {
    space_ = &space, limits_ = limits;
    steps_ = sweeps_ = factorisations_ = 0;
    x_.assign(x.begin(), x.end());
    value_ = space.measure(x);
    if (!(value_ <= 1)) {  // worse than no impulses, or not a number
      std::fill(x_.begin(), x_.end(), 0.0);
      value_ = space.measure(x_);
      if (std::isnan(value_)) value_ = std::numeric_limits<double>::infinity();
    }
    judge();
  }

  /// One Newton step more: measures x. True when the solve must stop.
  bool record(std::span<const double> x) {
    ++steps_;
    return record(x, 0);
  }
  /// The same for an iterate of `sweeps` sweeps, which count as iterations but not as steps.
  bool record(std::span<const double> x, int sweeps) {
    sweeps_ += sweeps;
    const double value = space_->measure(x);
    if (value < value_) {  // false for what is not a number
      value_ = value;
      x_.assign(x.begin(), x.end());
    }
    return judge();
  }
  void count_factorisation() { ++factorisations_; }

  bool done() const { return done_; }
  bool is_enough() const { return value_ <= limits_.enough; }
  StopReason reason() const { return reason_; }  ///< where it is done
  double value() const { return value_; }        ///< residual of the best
  std::span<const double> x() const { return x_; }
  int steps() const { return steps_; }  ///< of Newton
  int factorisations() const { return factorisations_; }
  const IslandLimits& limits() const { return limits_; }

 private:
  bool judge() {
    const StopSettings& stop = limits_.stop;
    done_ = true;
    if (value_ <= stop.tolerance)
      reason_ = StopReason::converged;
    else if (limits_.is_interrupted())
      reason_ = StopReason::interrupted;
    else if (limits_.is_late())
      reason_ = StopReason::time_limit;
    else if (steps_ + sweeps_ >= stop.max_iterations)
      reason_ = StopReason::max_iterations;
    else
      done_ = false;
    return done_;
  }

  NewtonSpace* space_ = nullptr;
  IslandLimits limits_;
  std::vector<double> x_;
  double value_ = 0;
  int steps_ = 0, sweeps_ = 0, factorisations_ = 0;
  bool done_ = false;
  StopReason reason_ = StopReason::stalled;
};

}  // namespace cairn
