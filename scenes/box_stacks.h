// SPDX-License-Identifier: MIT
// Unit cubes resting on one another, as frozen contact problems: four points per face, so the matrix is rank deficient.
#pragma once

#include "cairn/problem/contact_problem.h"

namespace cairn::scenes {

/// n unit cubes exactly on one another on the ground, from rest under gravity. Friction 0.5.
ContactProblem box_stack(int n);

/// Rows of n, n-1, ..., 1 unit cubes at pitch 1.1 m; each upper cube rests on two lower ones.
ContactProblem pyramid(int n);

}  // namespace cairn::scenes
