// SPDX-License-Identifier: MIT
#include "scenes/problems.h"

#include <fmt/core.h>

#include <charconv>
#include <functional>

#include "scenes/ball_lattices.h"
#include "scenes/box_stacks.h"
#include "scenes/mechanism_problems.h"

namespace cairn::scenes {

namespace {

struct Family {
  std::string prefix, summary;
  std::function<ContactProblem(int)> make;
};

const std::vector<Family>& families() {
  static const std::vector<Family> kFamilies{
      {"ball_grid_", "N^3 touching spheres on the ground (Poulsen 2010: 8, 24, 40)",
       [](int n) { return ball_grid(n); }},
      {"ball_pile_", "N^3 spheres, about 10 % of neighbours collide (Poulsen 2010: 40, 80)",
       [](int n) { return ball_pile(n); }},
      {"box_stack_", "N cubes on one another, four points per face", [](int n) { return box_stack(n); }},
      {"pyramid_", "rows of N, N-1, ..., 1 cubes", [](int n) { return pyramid(n); }},
      {"track_", "N links in a ring of hinges (Mizerski 2020: 40)", [](int n) { return track_ring(n); }},
      {"heavy_chain_", "20 links of 1 kg on ball joints with a load of N kg",
       [](int n) {
         require(n >= 1, "the load must be 1 kg or more");
         return hanging_chain(20, n);
       }},
      {"bridge_", "N hinged planks between two posts, balls of 10 kg on every third",
       [](int n) { return bridge(n, 10); }},
      {"ragdolls_", "N dolls of 16 bodies, 11 ball joints and 4 hinges", [](int n) { return ragdolls(n, 0.05); }},
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
