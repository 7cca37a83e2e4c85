// SPDX-License-Identifier: MIT
#include "cairn/problem/sparse_matrix.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

using Order = std::vector<std::int64_t>;

std::size_t at(std::int64_t i) { return to_index(i); }

/// `order` sorted by key[order[k]] in [0, bound), stable: one pass of a radix sort.
Order sort_by(const Order& order, std::span<const std::int64_t> key, std::int64_t bound) {
  std::vector<std::int64_t> start(at(bound) + 1, 0);
  for (const std::int64_t k : key) ++start[at(k) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  Order sorted(order.size());
  for (const std::int64_t k : order) sorted[at(start[at(key[at(k)])]++)] = k;
  return sorted;
}

/// Calls use(row, column, value) for every entry, column by column.
template <class Use>
void for_each_entry(const SparseMatrix& m, Use&& use) {
  for (std::int64_t c = 0; c < m.cols; ++c)
    for (std::int64_t e = m.col_start[at(c)]; e < m.col_start[at(c) + 1]; ++e) use(m.row[at(e)], c, m.value[at(e)]);
}

}  // namespace

SparseMatrix from_triplets(std::int64_t rows, std::int64_t cols, std::span<const std::int64_t> i,
                           std::span<const std::int64_t> j, std::span<const double> x) {
  CAIRN_ASSERT(i.size() == x.size() && j.size() == x.size());
  Order order(x.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  order = sort_by(sort_by(order, i, rows), j, cols);

  SparseMatrix m;
  m.rows = rows;
  m.cols = cols;
  m.col_start.assign(at(cols) + 1, 0);
  m.row.reserve(x.size());
  m.value.reserve(x.size());
  std::int64_t last_row = -1, last_col = -1;
  for (const std::int64_t k : order) {
    if (i[at(k)] == last_row && j[at(k)] == last_col) {
      m.value.back() += x[at(k)];
      continue;
    }
    last_row = i[at(k)];
    last_col = j[at(k)];
    m.row.push_back(static_cast<std::int32_t>(last_row));
    m.value.push_back(x[at(k)]);
    ++m.col_start[at(last_col) + 1];
  }
  std::partial_sum(m.col_start.begin(), m.col_start.end(), m.col_start.begin());
  return m;
}

void validate(const SparseMatrix& m, const char* name, std::int64_t rows, std::int64_t cols) {
  if (m.rows != rows || m.cols != cols || rows < 0 || cols < 0)
    fail_input(fmt::format("{} is {} x {}, it must be {} x {}", name, m.rows, m.cols, rows, cols));
  const std::int64_t count = m.entry_count();
  bool canonical = m.col_start.size() == at(cols) + 1 && m.col_start.front() == 0 && m.col_start.back() == count &&
                   m.value.size() == m.row.size() && std::is_sorted(m.col_start.begin(), m.col_start.end());
  for (std::int64_t c = 0; canonical && c < cols; ++c) {
    std::int64_t previous = -1;
    for (std::int64_t e = m.col_start[at(c)]; e < m.col_start[at(c) + 1]; ++e) {
      if (m.row[at(e)] <= previous || m.row[at(e)] >= rows) canonical = false;
      previous = m.row[at(e)];
    }
  }
  if (!canonical)
    fail_input(fmt::format("{} is not canonical: rows must ascend within a column; from_triplets builds it", name));
  for (const double value : m.value)
    if (!std::isfinite(value)) fail_input(fmt::format("{} has an entry {}, every entry must be finite", name, value));
}

bool stores_one_triangle(const SparseMatrix& matrix) {
  bool lower = false, upper = false;
  for_each_entry(matrix, [&](std::int32_t r, std::int64_t c, double x) {
    if (x == 0) return;
    lower = lower || r > c;
    upper = upper || r < c;
  });
  return lower != upper;
}

SparseMatrix complete_triangle(const SparseMatrix& matrix) {
  std::vector<std::int64_t> i, j;
  std::vector<double> x;
  for_each_entry(matrix, [&](std::int32_t r, std::int64_t c, double value) {
    i.push_back(r), j.push_back(c), x.push_back(value);
    if (r != c) i.push_back(c), j.push_back(r), x.push_back(value);
  });
  return from_triplets(matrix.rows, matrix.cols, i, j, x);
}

BlockSparse to_blocks(const SparseMatrix& matrix, int dim) {
  CAIRN_ASSERT(matrix.rows == matrix.cols && matrix.rows % dim == 0);
  const std::int64_t rows = matrix.rows / dim;
  BlockSparse w;
  w.dim = dim;
  w.row_start.assign(at(rows) + 1, 0);

  // Which block rows occur in each block column, the diagonal always: counted first, then filled column by column, so
  // that the columns of each row come out ascending.
  std::vector<std::int64_t> seen(at(rows), -1), place(at(rows), -1);
  const auto for_each_block = [&](std::int64_t block_column, auto&& use) {
    const std::int64_t first = block_column * dim;
    const auto visit = [&](std::int64_t r) {
      if (seen[at(r)] == block_column) return;
      seen[at(r)] = block_column;
      use(r);
    };
    visit(block_column);
    for (std::int64_t e = matrix.col_start[at(first)]; e < matrix.col_start[at(first + dim)]; ++e)
      visit(matrix.row[at(e)] / dim);
  };
  for (std::int64_t c = 0; c < rows; ++c) for_each_block(c, [&](std::int64_t r) { ++w.row_start[at(r) + 1]; });
  std::partial_sum(w.row_start.begin(), w.row_start.end(), w.row_start.begin());
  w.column.resize(at(w.row_start.back()));
  w.values.assign(w.column.size() * at(dim * dim), 0.0);

  std::fill(seen.begin(), seen.end(), -1);
  std::vector<std::int64_t> next(w.row_start.begin(), w.row_start.end() - 1);
  for (std::int64_t c = 0; c < rows; ++c) {
    for_each_block(c, [&](std::int64_t r) {
      place[at(r)] = next[at(r)]++;
      w.column[at(place[at(r)])] = static_cast<std::int32_t>(c);
    });
    for (std::int64_t k = c * dim; k < (c + 1) * dim; ++k)
      for (std::int64_t e = matrix.col_start[at(k)]; e < matrix.col_start[at(k) + 1]; ++e) {
        const std::int64_t r = matrix.row[at(e)];
        w.block(place[at(r / dim)])[r % dim * dim + k % dim] = matrix.value[at(e)];
      }
  }
  find_diagonal(w);
  return w;
}

void validate_pattern(const BlockSparse& m) {
  const auto per_block = at(m.dim) * at(m.dim);
  bool good = m.dim >= 2 && m.dim <= 4 && !m.row_start.empty() && m.row_start.front() == 0 &&
              m.row_start.back() == m.block_count() && std::is_sorted(m.row_start.begin(), m.row_start.end()) &&
              m.values.size() == m.column.size() * per_block;
  for (std::size_t k = 0; good && k < m.column.size(); ++k) good = m.column[k] >= 0 && m.column[k] < m.rows();
  if (good) {
    BlockSparse copy;
    copy.row_start = m.row_start;
    copy.column = m.column;
    good = find_diagonal(copy) && copy.diagonal == m.diagonal;
  }
  require(good, "W is not well formed: ascending columns with the diagonal in every row; find_diagonal completes it");
}

double asymmetry(const BlockSparse& m) {
  double largest = 0, difference = 0;
  for (const double x : m.values) largest = std::max(largest, std::fabs(x));
  for (std::int64_t r = 0; r < m.rows(); ++r)
    for (std::int64_t k = m.row_start[at(r)]; k < m.row_start[at(r) + 1]; ++k) {
      const std::int64_t c = m.column[at(k)];
      const auto begin = m.column.begin() + m.row_start[at(c)], end = m.column.begin() + m.row_start[at(c) + 1];
      const auto found = std::lower_bound(begin, end, static_cast<std::int32_t>(r));
      const bool there = found != end && *found == r;
      const double* mirror = there ? m.block(found - m.column.begin()) : nullptr;
      for (int i = 0; i < m.dim; ++i)
        for (int j = 0; j < m.dim; ++j)
          difference = std::max(difference, std::fabs(m.block(k)[i * m.dim + j] - (there ? mirror[j * m.dim + i] : 0)));
    }
  return largest > 0 ? difference / largest : 0;
}

}  // namespace cairn
