// SPDX-License-Identifier: MIT
// Spheres on lattices: the benchmark problems of Poulsen 2010 (tables 3.2 and 3.4). Need no collision detection.
#pragma once

#include <cstdint>

#include "cairn/problem/contact_problem.h"

namespace cairn::scenes {

/// n x n x n spheres of radius 0.5 m at spacing exactly 1 m on a fixed box whose top is z = 0, from rest under gravity.
/// Bodies n^3 + 1 (the last is the box), contacts 3 n^2 (n-1) + n^2: all x, all y, all z, then the ground. Friction
/// 0.5.
ContactProblem ball_grid(int n);

/// n x n x n spheres in planes, random gaps along x and random velocities; neighbours that touch and approach are in
/// contact. Bodies n^3 + 1, contacts about 0.106 n^2 (n-1): largely unstructured, many small islands.
ContactProblem ball_pile(int n, std::uint64_t seed = 1);

}  // namespace cairn::scenes
