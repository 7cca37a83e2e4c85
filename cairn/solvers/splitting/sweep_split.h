// SPDX-License-Identifier: MIT
// The sweeps of SplittingSolver: like the factorised one they keep w = M^-1 J^T lambda per body, but take contacts and
// sums in an order that depends on the contacts themselves (pair_order.h).
#pragma once

#include <memory>

#include "cairn/solvers/prox/sweep.h"
#include "cairn/solvers/splitting/splitting_settings.h"

namespace cairn {

class OrderFreeSweep : public Sweep {
 public:
  /// Reads the problem and the impulses that the solve begins from, which need not outlive the call. Keeps its memory.
  virtual void load(const ContactProblem& problem, const ContactSolution& start, const SplittingSettings& settings,
                    ThreadPool* pool) = 0;
};

/// Mass splitting by rows or blocks. `dim`: 3 or 4 rows per contact.
std::unique_ptr<OrderFreeSweep> make_split_sweep(int dim);

/// Projected Jacobi with an exact line search, normals and friction staggered.
std::unique_ptr<OrderFreeSweep> make_line_search_sweep(int dim);

}  // namespace cairn
