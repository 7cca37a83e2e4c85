// SPDX-License-Identifier: MIT
// A sparse L D L^T of the free rows of a matrix, by Eigen, in the order of approximate minimum degree: the rival of the
// band where rows are not a thin sheet. Internal to qp_matrix.h. One thread; same bits on every machine, since it is
// compiled without wide or fused operations.
#pragma once

#include <memory>

#include "cairn/qp/qp_matrix.h"

namespace cairn {

/// The matrix must outlive it.
std::unique_ptr<QpFactor> make_sparse_ldl(const SparseQpMatrix& matrix);

}  // namespace cairn
