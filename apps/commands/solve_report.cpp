// SPDX-License-Identifier: MIT
#include "apps/commands/solve_report.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "cairn/core/hash.h"
#include "cairn/core/index.h"
#include "cairn/graph/colouring.h"
#include "cairn/solvers/reference/reference.h"

namespace cairn::cli {

namespace {

/// Colours of the problem itself, when the solver used none.
std::vector<std::int64_t> greedy_colours(const LoadedProblem& loaded) {
  if (const auto* problem = std::get_if<ContactProblem>(&loaded.problem)) {
    std::vector<Edge> edges;
    const auto vertex = [&](std::int32_t body) {
      return problem->bodies[to_index(body)].is_dynamic() ? body : kNoVertex;
    };
    for (const ContactBlock& c : problem->contacts) edges.push_back({vertex(c.body_a), vertex(c.body_b)});
    return colour_edges_greedy(edges, static_cast<std::int32_t>(problem->bodies.size())).sizes;
  }
  const BlockSparse& w = std::get<DelassusProblem>(loaded.problem).w;
  return colour_vertices_greedy({w.row_start, w.column}).sizes;
}

std::string hash_of(const ContactSolution& solution) {
  StateHasher hasher;
  for (const Velocity& v : solution.velocity)
    for (const double x : {v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z}) hasher.add(x);
  for (const auto& impulse : solution.contact_impulse) hasher.add(std::span<const double>(impulse));
  hasher.add(std::span<const double>(solution.joint_impulse));
  return hasher.finish().to_string();
}

std::string hash_of(const DelassusSolution& solution) {
  StateHasher hasher;
  hasher.add(std::span<const double>(solution.impulse));
  return hasher.finish().to_string();
}

}  // namespace

std::pair<std::string, std::string> split_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    fail_input(fmt::format("'{}': settings are written name=value", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

SolverSpec split_solver(const std::string& text, const std::vector<std::string>& common) {
  const std::size_t colon = text.find(':');
  SolverSpec spec{text, text.substr(0, colon), {}};
  for (const std::string& setting : common) {
    spec.settings.push_back(split_setting(setting));
    spec.label += (colon == std::string::npos && &setting == &common.front() ? ":" : ",") + setting;
  }
  std::size_t start = colon == std::string::npos ? text.size() : colon + 1;
  while (start < text.size()) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    spec.settings.push_back(split_setting(text.substr(start, comma - start)));
    start = comma + 1;
  }
  return spec;
}

SolverSpec parse_solver(const std::string& text, const std::vector<std::string>& common) {
  SolverSpec spec = split_solver(text, common);
  make_solver(spec.name, spec.settings);  // refuses bad names and values before any work is done
  return spec;
}

std::vector<std::string> all_solvers() {
  std::vector<std::string> names;
  for (const SolverInfo& info : solver_table()) names.push_back(info.name);
  return names;
}

SolveOutcome solve_and_measure(const LoadedProblem& loaded, const SolverSpec& spec, SolveContext& context,
                               const ReferenceAnswer& reference) {
  SolveOutcome outcome;
  outcome.problem = loaded.name;
  outcome.solver = spec.label;
  outcome.bodies = loaded.bodies();
  outcome.moving_bodies = loaded.moving_bodies();
  outcome.contacts = loaded.contacts();
  outcome.threads = context.pool != nullptr ? context.pool->thread_count() : 1;
  const std::unique_ptr<Solver> solver = make_solver(spec.name, spec.settings);
  if (const auto* problem = std::get_if<ContactProblem>(&loaded.problem)) {
    ContactSolution solution = loaded.start;
    context.contact_colour = loaded.contact_colour;
    outcome.report = solver->solve(*problem, solution, context);
    outcome.measures = residual(*problem, solution, reference.known ? &reference.velocity : nullptr);
    outcome.blocks = count_blocks(*problem);
    outcome.state_hash = hash_of(solution);
  } else {
    const auto& assembled = std::get<DelassusProblem>(loaded.problem);
    DelassusSolution solution;
    solution.impulse = loaded.guess;
    outcome.report = solver->solve(assembled, solution, context);
    outcome.measures = residual(assembled, solution.impulse, reference.impulse);
    outcome.blocks = {assembled.w.block_count(), assembled.w.block_count()};
    outcome.state_hash = hash_of(solution);
    outcome.impulse = std::move(solution.impulse);
  }
  outcome.report.residual = outcome.measures.residual;
  outcome.colour_sizes =
      outcome.report.sweep.colour_sizes.empty() ? greedy_colours(loaded) : outcome.report.sweep.colour_sizes;
  return outcome;
}

ReferenceAnswer find_reference(const LoadedProblem& loaded, SolveContext context) {
  context.stop = {1e-10, kReferenceIterations, context.stop.time_limit};
  context.history = false;
  ReferenceSolver solver;
  ReferenceAnswer answer;
  if (const auto* problem = std::get_if<ContactProblem>(&loaded.problem)) {
    ContactSolution solution;
    answer.known = solver.solve(*problem, solution, context).residual <= 1e-8;
    answer.velocity = std::move(solution.velocity);
  } else {
    DelassusSolution solution;
    answer.known = solver.solve(std::get<DelassusProblem>(loaded.problem), solution, context).residual <= 1e-8;
    if (answer.known) answer.impulse = std::move(solution.impulse);
  }
  return answer;
}

nlohmann::json to_json(const SolveOutcome& o) {
  const Measures& m = o.measures;
  nlohmann::json json = {
      {"problem", o.problem},
      {"bodies", o.bodies},
      {"dynamic_bodies", o.moving_bodies},
      {"contacts", o.contacts},
      {"solver", o.solver},
      {"threads", o.threads},
      {"iterations", o.report.iterations},
      {"seconds", o.report.seconds},
      {"setup_seconds", o.report.setup_seconds},
      {"measure_seconds", o.report.measure_seconds},
      {"residual", m.residual},
      {"natural_map", m.natural_map},
      {"residual_unit_free", m.unit_free},
      {"status", to_string(o.report.reason)},
      {"state_hash", o.state_hash},
      {"t_blocks", o.blocks.static_aware},
      {"t_blocks_ground_as_body", o.blocks.ground_as_body},
      {"colour_sizes", o.colour_sizes},
      {"unsafe_contacts", o.report.sweep.unsafe_contacts},
      {"rollbacks", o.report.sweep.rollbacks},
      {"restarts", o.report.sweep.restarts},
      {"factorisations", o.report.factorisations},
      {"bytes_per_contact", o.report.bytes_per_contact},
      {"c1_rms", m.c1_rms},
      {"c1_max", m.c1_max},
      {"c2_violation", m.c2_violation},
      {"c3_joint_velocity", m.c3_joint_velocity},
      {"c4_overlap_max", m.c4_overlap_max},
      {"c4_overlap_mean", m.c4_overlap_mean},
      {"c4_joint_error_max", m.c4_joint_error_max},
      {"c5_complementarity", m.c5_complementarity},
      {"c6_cone_excess", m.c6_cone_excess},
      {"c6_dissipation_gap", m.c6_dissipation_gap},
      {"c7_consistency", m.c7_consistency},
      {"c8_kinetic_error", nullptr},
      {"v_ref", m.v_ref},
      {"notes", o.report.notes},
  };
  if (m.c8_kinetic_error >= 0) json["c8_kinetic_error"] = m.c8_kinetic_error;
  return json;
}

void print_outcome_head(std::FILE* out, bool c8) {
  fmt::print(out, "{:<44} {:>9} {:<14} {:>9} {:>9} {:>9} {:>9} {:>9}{}\n", "solver", "sweeps", "status", "residual",
             "unit-free", "C1 rms", "seconds", "set-up", c8 ? "        C8" : "");
}

void print_outcome(std::FILE* out, const SolveOutcome& o) {
  fmt::print(out, "{:<44} {:>9} {:<14} {:>9.2e} {:>9.2e} {:>9.2e} {:>9.4f} {:>9.4f}{}\n", o.solver, o.report.iterations,
             to_string(o.report.reason), o.measures.residual, o.measures.unit_free, o.measures.c1_rms, o.report.seconds,
             o.report.setup_seconds,
             o.measures.c8_kinetic_error >= 0 ? fmt::format(" {:>9.2e}", o.measures.c8_kinetic_error) : "");
  for (const std::string& note : o.report.notes) fmt::print(out, "  note: {}\n", note);
}

}  // namespace cairn::cli
