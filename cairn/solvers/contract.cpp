// SPDX-License-Identifier: MIT
#include "cairn/solvers/contract.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/core/errors.h"
#include "cairn/core/timer.h"

namespace cairn {

namespace {

constexpr int kMostIterations = 1000;  // of the stronger solver

/// What is not a number is as bad as can be.
double ordered(double residual) { return std::isnan(residual) ? std::numeric_limits<double>::infinity() : residual; }

}  // namespace

ContractSolver::ContractSolver(const ContractSettings& settings, std::unique_ptr<Solver> quick,
                               std::unique_ptr<Solver> stronger)
    : settings_(settings), quick_(std::move(quick)), stronger_(std::move(stronger)) {
  require(settings.max_residual > 0, "a contract needs max_residual: the residual that every island is to reach");
  require(settings.max_ms >= 0, "max_ms must not be negative; 0 means no limit");
}

/// Contacts and joints by island, in the order of the problem.
void ContractSolver::find_islands(const ContactProblem& problem, ThreadPool* pool) {
  const auto edge = [&](const auto& block) {
    const auto vertex = [&](std::int32_t body) {
      return problem.bodies[static_cast<std::size_t>(body)].is_dynamic() ? body : kNoVertex;
    };
    return Edge{vertex(block.body_a), vertex(block.body_b)};
  };
  edges_.clear();
  for (const ContactBlock& c : problem.contacts) edges_.push_back(edge(c));
  for (const JointBlock& j : problem.joints) edges_.push_back(edge(j));
  finder_.find(edges_, static_cast<std::int32_t>(problem.bodies.size()), pool, islands_);
  first_.assign(static_cast<std::size_t>(islands_.count) + 1, 0);
  for (const std::int32_t island : islands_.of_edge)
    if (island >= 0) ++first_[static_cast<std::size_t>(island) + 1];
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  members_.resize(static_cast<std::size_t>(first_.back()));
  for (std::size_t k = 0; k < islands_.of_edge.size(); ++k)
    if (const std::int32_t island = islands_.of_edge[k]; island >= 0)
      members_[static_cast<std::size_t>(first_[static_cast<std::size_t>(island)]++)] = static_cast<std::int32_t>(k);
  for (std::size_t i = first_.size() - 1; i > 0; --i) first_[i] = first_[i - 1];  // filling moved them on by one
  first_[0] = 0;
}

void ContractSolver::add_rows(const ContactProblem& problem, const ContactSolution& solution, const JointBlock& joint) {
  part_.problem.joints.back().first_row = static_cast<std::int32_t>(part_.problem.joint_rows.size());
  for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
    part_.problem.joint_rows.push_back(problem.joint_rows[static_cast<std::size_t>(k)]);
    part_.solution.joint_impulse.push_back(solution.joint_impulse[static_cast<std::size_t>(k)]);
  }
}

/// part_: the island as a problem of its own, with the impulses of the solution. Bodies that cannot move come along.
void ContractSolver::extract(const ContactProblem& problem, const ContactSolution& solution,
                             const SolveContext& context, std::int32_t island) {
  for (const std::int32_t body : part_.bodies) local_[static_cast<std::size_t>(body)] = -1;
  part_.problem.dt = problem.dt, part_.problem.stabilisation = problem.stabilisation;
  part_.problem.bodies.clear(), part_.problem.contacts.clear();
  part_.problem.joints.clear(), part_.problem.joint_rows.clear();
  part_.solution.contact_impulse.clear(), part_.solution.joint_impulse.clear();
  part_.bodies.clear(), part_.contacts.clear(), part_.joints.clear(), part_.colours.clear();
  const auto renumber = [&](std::int32_t& body) {
    std::int32_t& number = local_[static_cast<std::size_t>(body)];
    if (number < 0) {
      number = static_cast<std::int32_t>(part_.bodies.size());
      part_.bodies.push_back(body);
      part_.problem.bodies.push_back(problem.bodies[static_cast<std::size_t>(body)]);
    }
    body = number;
  };
  for (std::int32_t m = first_[static_cast<std::size_t>(island)]; m < first_[static_cast<std::size_t>(island) + 1];
       ++m) {
    const auto k = static_cast<std::size_t>(members_[static_cast<std::size_t>(m)]);
    if (k < problem.contacts.size()) {
      part_.contacts.push_back(static_cast<std::int32_t>(k));
      part_.problem.contacts.push_back(problem.contacts[k]);
      part_.solution.contact_impulse.push_back(solution.contact_impulse[k]);
      if (!context.contact_colour.empty()) part_.colours.push_back(context.contact_colour[k]);
      renumber(part_.problem.contacts.back().body_a), renumber(part_.problem.contacts.back().body_b);
    } else {
      const std::size_t j = k - problem.contacts.size();
      part_.joints.push_back(problem.joints[j].first_row);
      part_.problem.joints.push_back(problem.joints[j]);
      add_rows(problem, solution, problem.joints[j]);
      renumber(part_.problem.joints.back().body_a), renumber(part_.problem.joints.back().body_b);
    }
  }
}

/// misses_: the islands that the quick solver left above R.
void ContractSolver::judge(const ContactProblem& problem, const ContactSolution& solution, const SolveContext& context,
                           ContractReport& report) {
  local_.assign(problem.bodies.size(), -1);
  part_.bodies.clear();
  misses_.clear();
  for (std::int32_t island = 0; island < islands_.count; ++island) {
    if (first_[static_cast<std::size_t>(island)] == first_[static_cast<std::size_t>(island) + 1]) continue;
    extract(problem, solution, context, island);
    part_ruler_.reset(part_.problem, context.pool);
    const double residual = ordered(part_ruler_.natural_map(part_.solution, context.pool));
    ++report.islands;
    if (residual > settings_.max_residual)
      misses_.push_back({residual, island});
    else
      report.worst = std::max(report.worst, residual);
  }
  report.missed = static_cast<std::int64_t>(misses_.size());
  std::sort(misses_.begin(), misses_.end(), [](const Miss& a, const Miss& b) {
    return a.residual != b.residual ? a.residual > b.residual : a.island < b.island;
  });
}

/// Whether the stronger solver's answer for part_ is better than what was there.
bool ContractSolver::solve_again(const Miss& miss, double seconds_left, const SolveContext& context) {
  SolveContext again;
  again.pool = context.pool;
  again.stop = {settings_.max_residual, kMostIterations, seconds_left};
  again.details = false, again.measure_end = true;
  again.contact_colour = part_.colours;
  again.interrupt = context.interrupt;
  part_residual_ = ordered(stronger_->solve(part_.problem, part_.solution, again).residual);
  return part_residual_ >= 0 && part_residual_ < miss.residual;
}

void ContractSolver::write_back(ContactSolution& solution) const {
  for (std::size_t i = 0; i < part_.bodies.size(); ++i) {
    if (!part_.problem.bodies[i].is_dynamic()) continue;
    solution.velocity[static_cast<std::size_t>(part_.bodies[i])] = part_.solution.velocity[i];
    solution.displacement[static_cast<std::size_t>(part_.bodies[i])] = part_.solution.displacement[i];
  }
  for (std::size_t i = 0; i < part_.contacts.size(); ++i) {
    const auto k = static_cast<std::size_t>(part_.contacts[i]);
    solution.contact_impulse[k] = part_.solution.contact_impulse[i];
    if (!solution.contact_carry.empty()) solution.contact_carry[k] = part_.solution.contact_impulse[i];
  }
  for (std::size_t i = 0; i < part_.joints.size(); ++i) {
    const JointBlock& joint = part_.problem.joints[i];
    for (std::int32_t k = 0; k < joint.row_count; ++k)
      solution.joint_impulse[static_cast<std::size_t>(part_.joints[i] + k)] =
          part_.solution.joint_impulse[static_cast<std::size_t>(joint.first_row + k)];
  }
}

SolveReport ContractSolver::solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) {
  const Timer timer;
  SolveContext quick_context = context;
  quick_context.measure_end = false;
  SolveReport report = quick_->solve(problem, solution, quick_context);
  const double limit = 1e-3 * settings_.max_ms;
  ContractReport& contract = report.contract;
  contract.timed = settings_.max_ms > 0;
  find_islands(problem, context.pool);
  judge(problem, solution, context, contract);
  contract.still_missed = contract.missed;
  for (const Miss& miss : misses_) {
    const double left = contract.timed ? limit - timer.seconds() : 0;
    contract.timed_out = contract.timed && left <= 0;
    double residual = miss.residual;
    if (!contract.timed_out) {
      extract(problem, solution, context, miss.island);
      ++contract.solved_again;
      if (solve_again(miss, left, context)) write_back(solution), residual = part_residual_;
      if (residual <= settings_.max_residual) --contract.still_missed;
    }
    contract.worst = std::max(contract.worst, residual);
  }
  if (contract.still_missed == 0)
    report.reason = StopReason::converged;
  else if (contract.timed_out || (contract.timed && timer.seconds() >= limit))
    contract.timed_out = true, report.reason = StopReason::time_limit;
  contract.seconds = timer.seconds();
  report.seconds = contract.seconds - report.setup_seconds;
  if (context.measure_end) {
    const Timer measuring;
    ruler_.reset(problem, context.pool);
    report.residual = ruler_.natural_map(solution, context.pool);
    report.measure_seconds = measuring.seconds();
  }
  if (contract.timed && context.details)
    report.notes.emplace_back("max_ms is set: the result depends on how fast the machine was");
  return report;
}

SolveReport ContractSolver::solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) {
  return quick_->solve(problem, solution, context);
}

}  // namespace cairn
