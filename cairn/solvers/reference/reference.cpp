// SPDX-License-Identifier: MIT
#include "cairn/solvers/reference/reference.h"

#include <fmt/core.h>

#include <algorithm>

#include "cairn/core/errors.h"
#include "cairn/core/timer.h"

namespace cairn {

namespace {

constexpr std::int64_t kLargeRows = 10000;  // above: a note that this will take long

/// x = D^-1 r, the warm start in scaled variables; zero where there is none.
std::vector<double> scaled_start(const UnitConeProblem& cone, std::span<const double> impulse) {
  std::vector<double> x(cone.row_count(), 0.0);
  for (std::size_t i = 0; i < impulse.size() && i < x.size(); ++i)
    if (cone.scale[i] > 0 && std::isfinite(impulse[i])) x[i] = impulse[i] / cone.scale[i];
  return x;
}

void take_best(const UnitConeProblem& cone, const SolveMonitor& monitor, std::span<double> x) {
  const std::vector<double> best = scaled_start(cone, monitor.best_impulse());
  std::copy(best.begin(), best.end(), x.begin());
}

}  // namespace

SolveReport ReferenceSolver::solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) {
  Timer timer;
  const DelassusProblem assembled = to_delassus(problem, context.pool);
  DelassusSolution unknown;
  if (!solution.contact_impulse.empty()) {
    require(solution.contact_impulse.size() == problem.contacts.size(), "warm start: one impulse per contact");
    gather_impulses(problem, solution, assembled.dim(), unknown);
  }
  const double assembly_seconds = timer.seconds();
  SolveReport report = solve(assembled, unknown, context);
  report.setup_seconds += assembly_seconds;
  scatter_impulses(problem, unknown, solution);
  return report;
}

SolveReport ReferenceSolver::solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) {
  validate(problem);
  require(solution.impulse.empty() || solution.impulse.size() == problem.q.size(),
          "warm start: dim impulses per contact");
  SolveReport report;
  Timer timer;
  const UnitConeProblem cone = to_unit_cone(problem);
  report.setup_seconds = timer.seconds();
  report.sweep.matrix_blocks = problem.w.block_count();

  SolveContext limited = context;
  limited.stop = override_stop(context.stop, settings_.iterations, settings_.tolerance);
  SolveMonitor monitor(problem, cone, limited, report);
  std::vector<double> x = scaled_start(cone, solution.impulse);
  if (!monitor.start(x)) run_phases(cone, x, monitor, report);

  solution.impulse.assign(monitor.best_impulse().begin(), monitor.best_impulse().end());
  solution.velocity.resize(problem.q.size());
  multiply_add(problem.w, solution.impulse, problem.q, solution.velocity);
  report.residual = monitor.best_residual();
  report.seconds = monitor.seconds();
  if (!context.details) report.notes.clear();
  return report;
}

void ReferenceSolver::run_phases(const UnitConeProblem& cone, std::span<double> x, SolveMonitor& monitor,
                                 SolveReport& report) const {
  const auto rows = static_cast<std::int64_t>(cone.row_count());
  if (rows > settings_.max_rows) {
    report.notes.push_back(fmt::format("{} rows are too many to factorise: Gauss-Seidel only", rows));
    if (!sweep_phase(cone, settings_.max_rounds * settings_.round_sweeps, x, monitor))
      report.reason = StopReason::stalled;
    return;
  }
  if (rows > kLargeRows) report.notes.push_back(fmt::format("{} rows: a factorisation may take minutes", rows));

  ContactNewton newton(cone);
  NewtonSettings cold = settings_.newton;
  cold.first_alpha = settings_.cold_alpha;
  if (sweep_phase(cone, settings_.sweeps, x, monitor) || newton.run(cold, x, monitor)) return;
  if (path_phase(cone, newton, monitor, report)) return;
  for (int round = 0; round < settings_.max_rounds; ++round) {
    const double before = monitor.best_residual();
    take_best(cone, monitor, x);
    if (sweep_phase(cone, settings_.round_sweeps, x, monitor) || newton.run(settings_.newton, x, monitor)) return;
    if (!(monitor.best_residual() < 0.9 * before)) break;
  }
  report.reason = StopReason::stalled;
}

bool ReferenceSolver::sweep_phase(const UnitConeProblem& cone, int sweeps, std::span<double> x,
                                  SolveMonitor& monitor) const {
  for (int k = 0; k < sweeps; ++k) {
    sweep(cone, x);
    if (monitor.record(x)) return true;
  }
  return false;
}

bool ReferenceSolver::path_phase(const UnitConeProblem& cone, ContactNewton& newton, SolveMonitor& monitor,
                                 SolveReport& report) const {
  double next_try = settings_.first_try_m;
  std::vector<double> x(cone.row_count());
  // Follows to the end of the path; every time m has fallen enough, Newton is tried from there.
  const auto follow = [&](auto& path) {
    while (path.step(monitor)) {
      if (path.relative_m() > next_try) continue;
      next_try = settings_.try_factor * path.relative_m();
      std::copy(path.x().begin(), path.x().end(), x.begin());
      if (newton.run(settings_.newton, x, monitor)) break;
    }
    report.notes.push_back(
        fmt::format("smoothing path followed to {:.1e}, {} turning points", path.relative_m(), path.folds()));
  };
  InteriorPath interior(cone, settings_.path);
  if (!interior.start(monitor)) return monitor.done();
  follow(interior);
  if (monitor.done()) return true;
  ContactPath last(cone, settings_.path);
  if (last.resume(interior.difference(), interior.m(), monitor)) follow(last);
  return monitor.done();
}

}  // namespace cairn
