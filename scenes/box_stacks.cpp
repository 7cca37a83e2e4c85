// SPDX-License-Identifier: MIT
#include "scenes/box_stacks.h"

#include <algorithm>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn::scenes {

namespace {

constexpr double kDensity = 1000, kGravity = 9.81, kFriction = 0.5, kPitch = 1.1;

ProblemBody make_cube() {
  ProblemBody body;
  body.inverse_mass = 1.0 / kDensity;
  body.inverse_inertia = SymMat3::diagonal(6 / kDensity, 6 / kDensity, 6 / kDensity);  // I = m / 6
  body.acceleration.linear = {0, 0, -kGravity};
  return body;
}

/// A cube by its index, with its centre in the plane y = 0.
struct Cube {
  std::int32_t body;
  Vec3 centre;
};

/// Four contacts at the corners of the rectangle where the top of `lower` carries `upper`. `lower` is the ground when
/// its index is that of the last body.
void add_face(ContactProblem& problem, const Cube& lower, const Cube& upper, bool on_ground) {
  const double left = on_ground ? upper.centre.x - 0.5 : std::max(lower.centre.x, upper.centre.x) - 0.5;
  const double right = on_ground ? upper.centre.x + 0.5 : std::min(lower.centre.x, upper.centre.x) + 0.5;
  for (const double x : {left, right}) {
    for (const double y : {-0.5, 0.5}) {
      const Vec3 point{x, y, upper.centre.z - 0.5};
      ContactBlock c;
      c.body_a = lower.body;
      c.body_b = upper.body;
      c.arm_a = point - lower.centre;
      c.arm_b = point - upper.centre;
      c.friction1 = c.friction2 = kFriction;
      problem.contacts.push_back(c);
    }
  }
}

}  // namespace

ContactProblem box_stack(int n) {
  require(n >= 1 && n <= 100000, "a box stack needs 1 to 100000 boxes");
  ContactProblem problem;
  problem.bodies.assign(to_index(n), make_cube());
  problem.bodies.emplace_back();
  for (int i = 0; i < n; ++i) add_face(problem, {i == 0 ? n : i - 1, {0, 0, i - 0.5}}, {i, {0, 0, i + 0.5}}, i == 0);
  return problem;
}

ContactProblem pyramid(int n) {
  require(n >= 1 && n <= 1000, "a pyramid needs a base of 1 to 1000 boxes");
  ContactProblem problem;
  problem.bodies.assign(to_index(n) * to_index(n + 1) / 2, make_cube());
  problem.bodies.emplace_back();
  const auto ground = static_cast<std::int32_t>(problem.bodies.size() - 1);
  const auto centre = [](int row, int column) { return Vec3{kPitch * (column + 0.5 * row), 0, row + 0.5}; };
  std::int32_t first = 0, first_below = 0;
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n - row; ++column) {
      const std::int32_t body = first + column;
      if (row == 0) {
        add_face(problem, {ground, {}}, {body, centre(0, column)}, true);
        continue;
      }
      for (const int below : {column, column + 1})
        add_face(problem, {first_below + below, centre(row - 1, below)}, {body, centre(row, column)}, false);
    }
    first_below = first;
    first += n - row;
  }
  return problem;
}

}  // namespace cairn::scenes
