// SPDX-License-Identifier: MIT
#include "cairn/solvers/exact/exact_island.h"

#include <algorithm>

#include "cairn/solvers/ldl_pgs.h"
#include "cairn/solvers/prox.h"
#include "cairn/solvers/reference.h"

namespace cairn {

namespace {

constexpr double kHelps = 0.5;  // fall of the residual that a round must bring

void complete(const ContactProblem& island, ContactSolution& solution) {
  solution.velocity.resize(island.bodies.size()), solution.displacement.resize(island.bodies.size());
  for (std::size_t i = 0; i < island.bodies.size(); ++i)
    solution.velocity[i] = free_velocity(island, static_cast<std::int32_t>(i));
  add_contact_impulses(island, solution, solution.velocity);
  add_joint_impulses(island, solution, solution.velocity);
  for (std::size_t i = 0; i < island.bodies.size(); ++i)
    solution.displacement[i] = {island.dt * solution.velocity[i].linear, island.dt * solution.velocity[i].angular};
}

}  // namespace

ExactIslandReport ExactIsland::run(const ContactProblem& island, ContactSolution& solution,
                                   const IslandLimits& limits) {
  space_.load(island);
  x_.resize(space_.law().rows());
  space_.from_impulses(solution, x_);
  sweeps_ = 0;
  best_.start(space_, limits, x_);
  std::copy(best_.x().begin(), best_.x().end(), x_.begin());

  ExactIslandReport report;
  double reached = best_.value();
  const auto tell = [&](ExactStage stage) {
    if (best_.value() < reached) report.stage = stage, reached = best_.value();
    return best_.done();
  };
  const bool ended =
      best_.done() ||
      (newton_.solve_impulses(space_, {settings_.eps, settings_.newton_steps}, x_, best_), tell(ExactStage::impulses)) ||
      (newton_stage(false), tell(ExactStage::velocities)) ||
      (sweep_stage(island, solution), tell(ExactStage::sweeps)) ||
      (reference_stage(island, solution), tell(ExactStage::reference));
  report.contacts = static_cast<std::int64_t>(island.contacts.size());
  report.joint_rows = static_cast<std::int64_t>(island.joint_rows.size());
  report.reason = ended ? best_.reason() : StopReason::stalled;
  report.residual = best_.value();
  report.newton_steps = best_.steps(), report.factorisations = best_.factorisations();
  report.sweeps = sweeps_;
  space_.to_impulses(best_.x(), solution);
  complete(island, solution);
  return report;
}

/// Newton in velocities from the best iterate, then in impulses.
bool ExactIsland::newton_stage(bool is_careful) {
  std::copy(best_.x().begin(), best_.x().end(), x_.begin());
  const VelocityNewtonSettings far{settings_.first_eps, settings_.last_eps, settings_.factor, is_careful};
  if (newton_.solve_velocities(space_, far, x_, best_)) return true;
  return newton_.solve_impulses(space_, {settings_.eps, settings_.newton_steps}, x_, best_);
}

bool ExactIsland::sweep(const ContactProblem& island, ContactSolution& solution, Solver& solver) {
  SolveContext context;
  context.stop = {0, settings_.sweeps, 0};
  context.details = false, context.interrupt = best_.limits().interrupt;
  space_.to_impulses(best_.x(), solution);
  const SolveReport report = solver.solve(island, solution, context);
  sweeps_ += report.iterations;
  space_.from_impulses(solution, x_);
  return best_.record(x_);
}

bool ExactIsland::sweep_stage(const ContactProblem& island, ContactSolution& solution) {
  std::unique_ptr<Solver>& solver = island.joints.empty() ? sweeper_ : joint_sweeper_;
  if (!solver && island.joints.empty()) {
    ProxSettings settings;
    settings.acceleration = Acceleration::anderson;
    solver = std::make_unique<ProxSolver>(settings);
  } else if (!solver) {
    LdlPgsSettings settings;
    settings.acceleration = Acceleration::anderson;
    solver = std::make_unique<LdlPgsSolver>(settings);
  }
  for (int round = 0; round < settings_.rounds; ++round) {
    const double before = best_.value();
    if (sweep(island, solution, *solver) || newton_stage(round > 0)) return true;
    if (round > 0 && !(best_.value() < kHelps * before)) break;
  }
  return false;
}

bool ExactIsland::reference_stage(const ContactProblem& island, ContactSolution& solution) {
  if (!settings_.reference || !island.joints.empty() ||
      static_cast<int>(island.contacts.size()) > settings_.reference_contacts)
    return false;
  ReferenceSolver solver;
  SolveContext context;
  context.stop = {best_.limits().stop.tolerance, 3000, 0};
  context.details = false, context.interrupt = best_.limits().interrupt;
  space_.to_impulses(best_.x(), solution);
  solver.solve(island, solution, context);
  space_.from_impulses(solution, x_);
  return best_.record(x_);
}

}  // namespace cairn
