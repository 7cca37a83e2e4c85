// SPDX-License-Identifier: MIT
// Built-in contact problems by name: ball_grid_24, ball_pile_40, box_stack_10, ...
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cairn/core/errors.h"
#include "cairn/problem/contact_problem.h"

namespace cairn::scenes {

struct ProblemFamily {
  std::string pattern;  ///< "ball_grid_N"
  std::string summary;
};
std::vector<ProblemFamily> problem_families();

/// The problem of that name, or an Error that lists the names.
Expected<ContactProblem> make_problem(std::string_view name);

}  // namespace cairn::scenes
