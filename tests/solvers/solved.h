// SPDX-License-Identifier: MIT
// One solve from a cold start, as the tests of solvers want it.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/solvers/solver.h"

namespace cairn {

struct Solved {
  ContactSolution solution;
  SolveReport report;
};

/// What a test gives besides the problem; see SolveContext.
struct SolveWish {
  StopSettings stop = {};
  ThreadPool* pool = nullptr;
  std::vector<std::int32_t> colour = {};
  bool measure_end = false;
};

inline Solved solved_by(Solver&& solver, const ContactProblem& problem, const SolveWish& wish) {
  Solved result;
  SolveContext context;
  context.pool = wish.pool;
  context.stop = wish.stop;
  context.contact_colour = wish.colour;
  context.measure_end = wish.measure_end;
  result.report = solver.solve(problem, result.solution, context);
  return result;
}

}  // namespace cairn
