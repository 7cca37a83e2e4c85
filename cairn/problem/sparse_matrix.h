// SPDX-License-Identifier: MIT
// SparseMatrix: a rectangular sparse matrix of doubles as files hold them, in one canonical form.
//
// Only problems that come from outside (finite elements, published files) need it; our own contacts use BlockSparse.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/math/block_sparse.h"

namespace cairn {

/// Columns compressed; rows ascend within a column and occur once. Stored zeros are kept: they are part of the pattern.
struct SparseMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<std::int64_t> col_start{0};  ///< length cols + 1
  std::vector<std::int32_t> row;           ///< per entry
  std::vector<double> value;               ///< per entry

  std::int64_t entry_count() const { return static_cast<std::int64_t>(row.size()); }
  friend bool operator==(const SparseMatrix&, const SparseMatrix&) = default;
};

/// Entries (i[k], j[k], x[k]) in any order; duplicates are summed in the order given. The indices must lie inside.
SparseMatrix from_triplets(std::int64_t rows, std::int64_t cols, std::span<const std::int64_t> i,
                           std::span<const std::int64_t> j, std::span<const double> x);

/// Throws InputError, naming the matrix, unless it is canonical, of the given size and finite.
void validate(const SparseMatrix& matrix, const char* name, std::int64_t rows, std::int64_t cols);

/// True where one strict triangle has entries and the other has none: some finite-element codes write only half of a
/// symmetric matrix. A diagonal matrix is complete.
bool stores_one_triangle(const SparseMatrix& matrix);

/// A + A^T - diag(A): the symmetric matrix of which A is one triangle.
SparseMatrix complete_triangle(const SparseMatrix& matrix);

/// A square matrix as dim x dim blocks. A block is kept if any of its entries is stored, and so is the diagonal.
BlockSparse to_blocks(const SparseMatrix& matrix, int dim);

/// Throws InputError unless the arrays of `matrix` fit together: lengths, ascending columns inside, diagonal present.
void validate_pattern(const BlockSparse& matrix);

/// max |A - A^T| / max |A|; 0 for an empty matrix.
double asymmetry(const BlockSparse& matrix);

}  // namespace cairn
