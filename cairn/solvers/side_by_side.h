// SPDX-License-Identifier: MIT
// SideBySide: the islands of a problem, each by a worker of its own, side by side on the pool. What no worker takes
// goes to another solver, island by island, which may use the pool itself. Same bits for any pool; keeps its memory.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/problem/natural_map.h"
#include "cairn/solvers/island_limits.h"
#include "cairn/solvers/island_parts.h"
#include "cairn/solvers/solver.h"

namespace cairn {

/// One island more in the report of the whole.
void add_island(const ExactIslandReport& island, SolveReport& report);

/// An island by a solver that knows nothing of islands.
ExactIslandReport solve_apart(Solver& solver, IslandPart& part, const StopSettings& stop, const SolveContext& context);

/// A Worker is made of Settings and has `ExactIslandReport run(const ContactProblem&, ContactSolution&, const
/// IslandLimits&)`, which completes the solution and depends on nothing but its arguments.
template <class Worker, class Settings>
class SideBySide {
 public:
  /// What the islands are solved by, and until when.
  struct Plan {
    const Settings& settings;
    IslandLimits limits;
  };

  /// `takes(problem)`: whether an island is for a worker; `other()`: the Solver of those that are not.
  template <class Takes, class Other>
  void solve(const ContactProblem& problem, ContactSolution& solution, const SolveContext& context, const Plan& plan,
             SolveReport& report, const Takes& takes, const Other& other) {
    extract(problem, solution, context, plan.settings, report);
    parallel_for(context.pool, static_cast<std::int64_t>(count_), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        Slot& slot = *slots_[to_index(i)];
        if (takes(slot.part.problem)) slot.report = slot.worker.run(slot.part.problem, slot.part.solution, plan.limits);
      }
    });
    for (std::size_t i = 0; i < count_; ++i) {
      Slot& slot = *slots_[i];
      if (!takes(slot.part.problem)) {
        StopSettings stop = plan.limits.stop;
        stop.time_limit = plan.limits.time_left();
        slot.report = solve_apart(other(), slot.part, stop, context);
      }
      slot.part.write_back(solution);
      add_island(slot.report, report);
      if (context.details) report.exact.parts.push_back(slot.report);
    }
  }

 private:
  struct Slot {
    explicit Slot(const Settings& settings) : worker(settings) {}
    IslandPart part;
    Worker worker;
    ExactIslandReport report;
  };

  /// Slots for all islands that something acts in.
  void extract(const ContactProblem& problem, ContactSolution& solution, const SolveContext& context,
               const Settings& settings, SolveReport& report) {
    ScopedTimer timing(report.setup_seconds);
    begin_islands(problem, solution);
    parts_.find(problem, context.pool);
    count_ = 0;
    for (std::int32_t island = 0; island < parts_.count(); ++island) {
      if (parts_.is_empty(island)) continue;
      if (count_ == slots_.size()) slots_.push_back(std::make_unique<Slot>(settings));
      parts_.extract(problem, solution, context.contact_colour, island, slots_[count_++]->part);
    }
  }

  IslandParts parts_;
  std::vector<std::unique_ptr<Slot>> slots_;  ///< one per island at a time; the first `count_` are in use
  std::size_t count_ = 0;
};

}  // namespace cairn
