// SPDX-License-Identifier: MIT
// Bodies of every kind that lanes know, for their tests.
#pragma once

#include <cstddef>
#include <vector>

#include "cairn/problem/contact_problem.h"

namespace cairn {

/// 0 cannot move, 1 is moved by itself, 2 is a ball, 3 and 4 have any inertia.
inline std::vector<ProblemBody> five_bodies() {
  std::vector<ProblemBody> bodies(5);
  bodies[1].velocity = {{1, 2, 3}, {0, 0, 4}};
  for (const std::size_t i : {2, 3, 4}) {
    bodies[i].inverse_mass = 0.5 * static_cast<double>(i);
    bodies[i].velocity = {{0.1, -0.2, static_cast<double>(i)}, {1, 0.5, -2}};
    bodies[i].acceleration = {{0, 0, -9.81}, {0, 0.25, 0}};
    bodies[i].inverse_inertia = {4, 3, 2, 0.5, -0.25, 0.75};
  }
  bodies[2].inverse_inertia = {2.5, 2.5, 2.5, 0, 0, 0};
  return bodies;
}

}  // namespace cairn
