// SPDX-License-Identifier: MIT
// One solve and everything that is told about it: on the screen, in JSON, in CSV.
#pragma once

#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/commands/problem_source.h"
#include "cairn/problem/residual.h"
#include "cairn/solvers/solver.h"
#include "cairn/solvers/solver_table.h"

namespace cairn::cli {

inline constexpr int kReferenceIterations = 100000;

/// A solver as the user named it: "gauss_seidel:acceleration=nesterov".
struct SolverSpec {
  std::string label, name;
  NamedSettings settings;
};

/// "name=value" in two.
std::pair<std::string, std::string> split_setting(const std::string& text);

/// Takes "NAME[:setting=value,...]" plus settings common to all apart; throws InputError where it is not written so.
SolverSpec split_solver(const std::string& text, const std::vector<std::string>& common);

/// The same, and refuses names and values that no solver has.
SolverSpec parse_solver(const std::string& text, const std::vector<std::string>& common);

/// What "all" stands for: the solver table.
std::vector<std::string> all_solvers();

struct SolveOutcome {
  std::string problem, solver;
  std::int64_t bodies = 0, moving_bodies = 0, contacts = 0;
  int threads = 1;
  SolveReport report;
  Measures measures;
  BlockCounts blocks;
  std::vector<std::int64_t> colour_sizes;
  std::string state_hash;
  std::vector<double> impulse;  ///< of assembled problems
};

/// Solves, then measures with the ruler. `reference_velocity` gives C8 (empty: none).
struct ReferenceAnswer {
  std::vector<Velocity> velocity;  ///< of matrix-free problems
  std::vector<double> impulse;     ///< of assembled problems
  bool known = false;
};
SolveOutcome solve_and_measure(const LoadedProblem& loaded, const SolverSpec& spec, SolveContext& context,
                               const ReferenceAnswer& reference);
ReferenceAnswer find_reference(const LoadedProblem& loaded, SolveContext context);

nlohmann::json to_json(const SolveOutcome& outcome);
/// c8: whether there is a reference to measure against.
void print_outcome_head(std::FILE* out, bool c8 = false);
void print_outcome(std::FILE* out, const SolveOutcome& outcome);

}  // namespace cairn::cli
