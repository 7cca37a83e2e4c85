// SPDX-License-Identifier: MIT
// Where problems come from: a built-in name, a file, a folder of files, or the published set ("fclib").
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cairn/core/errors.h"
#include "cairn/problem/contact_problem.h"
#include "cairn/problem/delassus.h"

namespace cairn::cli {

/// A problem ready to be solved: matrix-free where there are bodies, assembled otherwise (global files are eliminated).
struct LoadedProblem {
  std::string name;
  std::variant<ContactProblem, DelassusProblem> problem;
  std::int64_t degrees_of_freedom = 0;  ///< of a global file; 0 otherwise
  std::vector<std::string> notes;
  ContactSolution start{};                     ///< impulses that a matrix-free problem is begun from; empty: zero
  std::vector<double> guess{};                 ///< the same of an assembled one
  std::vector<std::int32_t> contact_colour{};  ///< SolveContext::contact_colour; empty: the solver's own

  bool has_warm_start() const { return !start.contact_impulse.empty() || !guess.empty(); }
  void drop_warm_start() { start = {}, guess.clear(), contact_colour.clear(); }
  std::int64_t bodies() const;         ///< with those that do not move
  std::int64_t moving_bodies() const;  ///< what a run, a capture and a comparison count too
  std::int64_t contacts() const;
};

/// Bodies that a solver can move.
std::int64_t moving_bodies(const ContactProblem& problem);

/// The names that an argument stands for: itself, the problem files of a folder in order of their names, or those of
/// the published set.
Expected<std::vector<std::string>> expand(const std::string& argument, const std::string& fclib);

Expected<LoadedProblem> load(const std::string& name);

}  // namespace cairn::cli
