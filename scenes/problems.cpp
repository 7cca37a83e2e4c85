// SPDX-License-Identifier: MIT
#include "scenes/problems.h"

#include <fmt/core.h>

#include <charconv>
#include <functional>

#include "scenes/ball_lattices.h"
#include "scenes/box_stacks.h"

namespace cairn::scenes {

namespace {

struct Family {
  std::string prefix, summary;
  std::function<ContactProblem(int)> make;
};

const std::vector<Family>& families() {
  static const std::vector<Family> kFamilies{
      {"ball_grid_", "N^3 touching spheres on the ground (doc 000: 8, 24, 40)", [](int n) { return ball_grid(n); }},
      {"ball_pile_", "N^3 spheres, about 10 % of neighbours collide (doc 000: 40, 80)",
       [](int n) { return ball_pile(n); }},
      {"box_stack_", "N cubes on one another, four points per face", [](int n) { return box_stack(n); }},
      {"pyramid_", "rows of N, N-1, ..., 1 cubes", [](int n) { return pyramid(n); }},
  };
  return kFamilies;
}

}  // namespace

std::vector<ProblemFamily> problem_families() {
  std::vector<ProblemFamily> result;
  for (const Family& family : families()) result.push_back({family.prefix + "N", family.summary});
  return result;
}

Expected<ContactProblem> make_problem(std::string_view name) {
  std::string known;
  for (const Family& family : families()) {
    known += (known.empty() ? "" : ", ") + family.prefix + "N";
    if (name.substr(0, family.prefix.size()) != family.prefix) continue;
    const std::string_view digits = name.substr(family.prefix.size());
    int n = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
    if (error != std::errc{} || end != digits.data() + digits.size())
      return Error{ErrorKind::bad_input, fmt::format("'{}': give a size, for example {}8", name, family.prefix)};
    try {
      return family.make(n);
    } catch (const InputError& problem) {
      return Error{problem.kind(), fmt::format("'{}': {}", name, problem.what())};
    }
  }
  return Error{ErrorKind::bad_input,
               fmt::format("'{}' is neither a file nor a built-in problem; the built-in ones are {}", name, known)};
}

}  // namespace cairn::scenes
