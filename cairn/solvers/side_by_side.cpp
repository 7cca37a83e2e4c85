// SPDX-License-Identifier: MIT
#include "cairn/solvers/side_by_side.h"

#include <algorithm>

namespace cairn {

void add_island(const ExactIslandReport& island, SolveReport& report) {
  report.reason = worse_of(report.reason, island.reason);
  report.iterations = std::max(report.iterations, island.newton_steps + island.sweeps + island.turns);
  report.factorisations += island.factorisations;
  add_island(island, report.exact);
}

ExactIslandReport solve_apart(Solver& solver, IslandPart& part, const StopSettings& stop, const SolveContext& context) {
  SolveContext mine = context;
  mine.history = mine.details = false, mine.progress = nullptr, mine.measure_end = true;
  mine.stop = stop;
  mine.contact_colour = part.colours;
  const SolveReport report = solver.solve(part.problem, part.solution, mine);
  ExactIslandReport island;
  island.contacts = static_cast<std::int64_t>(part.problem.contacts.size());
  island.joint_rows = static_cast<std::int64_t>(part.problem.joint_rows.size());
  island.stage = ExactStage::iterative;
  island.reason = report.reason, island.residual = report.residual, island.sweeps = report.iterations;
  return island;
}

}  // namespace cairn
