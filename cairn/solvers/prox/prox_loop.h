// SPDX-License-Identifier: MIT
// ProxLoop: the outer loop of the prox family: sweeps, rollback, acceleration, measuring, stopping. Knows neither
// operator nor problem. Serves one solve after the other and keeps its memory, so that a warm solve allocates nothing;
// no solve depends on those before it.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "cairn/solvers/prox/acceleration.h"
#include "cairn/solvers/prox/sweep.h"
#include "cairn/solvers/solver.h"

namespace cairn {

/// How good lambda (in the order of the sweep) is: the ruler, seen by the loop.
struct Reading {
  double residual = 0, gamma = 0;
};
class Ruler {
 public:
  virtual ~Ruler() = default;
  virtual Reading read(std::span<const double> lambda) = 0;
};

/// What one run works on.
struct LoopTask {
  Sweep& sweep;
  Ruler& ruler;
  SolveContext& context;
  StopSettings stop;  ///< the limits that hold: those of the context, or of the settings
  SolveReport& report;
};

class ProxLoop {
 public:
  explicit ProxLoop(const ProxSettings& settings);

  /// From lambda, which need not be admissible, to the last sweep's; the sweep's state belongs to it on return.
  void run(const LoopTask& task, std::vector<double>& lambda);

 private:
  void prepare(std::vector<double>& lambda);
  void accelerate(std::vector<double>& lambda);
  void remember_start(const std::vector<double>& lambda);
  void finish_acceleration(const std::vector<double>& lambda);
  bool roll_back(double change, std::vector<double>& lambda);
  void check(double change, const std::vector<double>& lambda);
  void measure(const std::vector<double>& lambda);
  void give_up(std::vector<double>& lambda);
  void stop(StopReason reason);

  /// What is true of one run only.
  struct State {
    double last_change = std::numeric_limits<double>::infinity();
    int circling = 0, next_check = 1;
    bool is_measured = false;  ///< report.residual is that of lambda
    bool is_stopped = false;
  };

  const ProxSettings settings_;
  const std::unique_ptr<Accelerator> accelerator_;
  const bool rollback_;
  const LoopTask* task_ = nullptr;  ///< during a run
  State state_;
  std::vector<double> start_, start_state_, good_, weight_;  ///< before the sweep; last measured and finite
};

}  // namespace cairn
