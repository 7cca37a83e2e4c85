// SPDX-License-Identifier: MIT
#include "cairn/solvers/ldl/ldl_pgs.h"

#include <fmt/core.h>

#include <memory>

namespace cairn {

namespace {

ProxSettings prox_settings(const LdlPgsSettings& settings) {
  ProxSettings prox;
  prox.iterations = settings.iterations;
  prox.tolerance = settings.tolerance;
  prox.acceleration = settings.acceleration;
  prox.depth = settings.depth;
  return prox;
}

LdlSettings ldl_settings(const LdlPgsSettings& settings) {
  return {{settings.hubs, settings.ordering, settings.hub_rows}, {settings.eps, settings.redundant}, settings.batching};
}

void add_notes(SolveReport& report) {
  const JointReport& joints = report.joints;
  if (joints.redundant_rows > 0)
    report.notes.push_back(
        fmt::format("{} joint rows are implied by others (closed loops): they are left out of the direct solve",
                    joints.redundant_rows));
}

}  // namespace

std::unique_ptr<LdlStage> make_ldl_stage(const LdlPgsSettings& settings) {
  return std::make_unique<LdlStage>(ldl_settings(settings), settings.coupling == LdlCoupling::block);
}

LdlPgsSolver::LdlPgsSolver(const LdlPgsSettings& settings)
    : elimination_(ldl_settings(settings)),
      most_eliminated_(settings.coupling == LdlCoupling::block ? settings.eliminate : 0),
      prox_(prox_settings(settings), make_ldl_stage(settings)) {}

SolveReport LdlPgsSolver::solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) {
  int eliminated = 0;
  if (most_eliminated_ > 0 && !problem.joints.empty() && !problem.contacts.empty()) {
    validate(problem, context.pool);
    eliminated = elimination_.run(problem, most_eliminated_, solution, context.pool);
  }
  SolveReport report = prox_.solve(problem, solution, context);
  report.joints.eliminated = eliminated;
  if (context.details) add_notes(report);
  return report;
}

SolveReport LdlPgsSolver::solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) {
  return prox_.solve(problem, solution, context);
}

}  // namespace cairn
