// SPDX-License-Identifier: MIT
#include "cairn/solvers/exact/exact_island.h"

#include <algorithm>

#include "cairn/core/index.h"
#include "cairn/solvers/island_parts.h"
#include "cairn/solvers/ldl/ldl_pgs.h"
#include "cairn/solvers/prox/prox.h"
#include "cairn/solvers/reference/reference.h"

namespace cairn {

namespace {

constexpr int kReferenceSteps = 3000;  // sweeps and Newton steps of `reference`

std::unique_ptr<Solver> make_sweeper(bool has_joints) {
  if (!has_joints) {
    ProxSettings settings;
    settings.acceleration = Acceleration::anderson;
    return std::make_unique<ProxSolver>(settings);
  }
  LdlPgsSettings settings;
  settings.acceleration = Acceleration::anderson;
  return std::make_unique<LdlPgsSolver>(settings);
}

}  // namespace

ExactIsland::~ExactIsland() = default;

ExactIslandReport ExactIsland::run(const ContactProblem& island, ContactSolution& solution,
                                   const IslandLimits& limits) {
  island_ = &island;
  space_.load(island);
  x_.resize(space_.law().rows());
  space_.from_impulses(solution, x_);
  ExactIslandReport report = stages_.run(space_, *this, limits, x_);
  report.contacts = static_cast<std::int64_t>(island.contacts.size());
  report.joint_rows = static_cast<std::int64_t>(island.joint_rows.size());
  space_.to_impulses(x_, solution);
  complete_island(island, solution);
  return report;
}

SolveContext ExactIsland::context_of(const IslandLimits& limits, double tolerance, int iterations) const {
  SolveContext context;
  context.stop = {tolerance, iterations, limits.time_left()};
  context.details = false, context.interrupt = limits.interrupt;
  return context;
}

ExactIslandReport ExactIsland::stagger(const IslandLimits& limits, std::span<double> x) {
  const auto has_spin = [](const ContactBlock& c) { return c.spin_radius > 0 && (c.friction1 > 0 || c.friction2 > 0); };
  const std::size_t size = island_->contacts.size() + island_->joint_rows.size();
  if (size > to_index(settings_.staggered_contacts) ||
      std::any_of(island_->contacts.begin(), island_->contacts.end(), has_spin))
    return {};
  if (!staggered_) staggered_ = std::make_unique<StaggeredIsland>(StaggeredSettings{});
  scratch_.contact_impulse.resize(island_->contacts.size());
  scratch_.joint_impulse.resize(island_->joint_rows.size());
  space_.to_impulses(x, scratch_);
  const ExactIslandReport report = staggered_->run(*island_, scratch_, limits);
  space_.from_impulses(scratch_, x);
  return report;
}

int ExactIsland::sweep(int sweeps, const IslandLimits& limits, std::span<double> x) {
  const bool has_joints = !island_->joints.empty();
  std::unique_ptr<Solver>& sweeper = has_joints ? joint_sweeper_ : sweeper_;
  if (!sweeper) sweeper = make_sweeper(has_joints);
  scratch_.contact_impulse.resize(island_->contacts.size());
  scratch_.joint_impulse.resize(island_->joint_rows.size());
  space_.to_impulses(x, scratch_);
  SolveContext context = context_of(limits, 0, sweeps);
  const SolveReport report = sweeper->solve(*island_, scratch_, context);
  space_.from_impulses(scratch_, x);
  return report.iterations;
}

bool ExactIsland::refer(const IslandLimits& limits, std::span<double> x) {
  if (!island_->joints.empty() || island_->contacts.size() > to_index(settings_.reference_contacts)) return false;
  space_.to_impulses(x, scratch_);
  SolveContext context = context_of(limits, limits.stop.tolerance, kReferenceSteps);
  ReferenceSolver().solve(*island_, scratch_, context);
  space_.from_impulses(scratch_, x);
  return true;
}

}  // namespace cairn
