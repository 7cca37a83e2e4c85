// SPDX-License-Identifier: MIT
#include "cairn/qp/constraint_rows.h"

#include <algorithm>
#include <limits>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::int64_t kColumnGrain = 32;  // columns of a band per task

/// sum_k a_k b_k / M_k over the unknowns of both rows, in ascending order.
double couple(const ConstraintRows& rows, std::size_t i, std::size_t j, std::span<const double> inverse_mass) {
  auto a = to_index(rows.start[i]), b = to_index(rows.start[j]);
  const auto end_a = to_index(rows.start[i + 1]), end_b = to_index(rows.start[j + 1]);
  double sum = 0;
  while (a < end_a && b < end_b) {
    const std::int32_t mine = rows.unknown[a], theirs = rows.unknown[b];
    if (mine == theirs) sum += rows.value[a] * rows.value[b] * inverse_mass[to_index(mine)];
    a += mine <= theirs ? 1 : 0, b += theirs <= mine ? 1 : 0;
  }
  return sum;
}

}  // namespace

void ConstraintRows::add(std::span<const std::int32_t> unknowns, std::span<const double> values) {
  require(unknowns.size() == values.size(), "a constraint row needs one value per unknown");
  unknown.insert(unknown.end(), unknowns.begin(), unknowns.end());
  value.insert(value.end(), values.begin(), values.end());
  start.push_back(static_cast<std::int64_t>(unknown.size()));
}

int coupling_bandwidth(const ConstraintRows& rows, int unknowns) {
  // The first row of every unknown is the farthest from its last.
  std::vector<std::int32_t> first(to_index(unknowns), -1);
  int widest = 0;
  for (int i = 0; i < rows.count(); ++i) {
    const auto begin = to_index(rows.start[to_index(i)]);
    const auto end = to_index(rows.start[to_index(i) + 1]);
    for (std::size_t e = begin; e < end; ++e) {
      const std::int32_t k = rows.unknown[e];
      require(k >= 0 && k < unknowns, "a constraint row names an unknown that does not exist");
      require(e == begin || rows.unknown[e - 1] < k, "the unknowns of a constraint row must ascend");
      std::int32_t& row = first[to_index(k)];
      if (row < 0) row = i;
      widest = std::max(widest, i - row);
    }
  }
  return widest;
}

BandedMatrix coupling_band(const ConstraintRows& rows, std::span<const double> inverse_mass, ThreadPool* pool) {
  const int bandwidth = coupling_bandwidth(rows, static_cast<int>(inverse_mass.size())), size = rows.count();
  const auto stride = to_index(bandwidth) + 1;
  std::vector<double> values(to_index(size) * stride, 0.0);
  for_each_index(pool, size, kColumnGrain, [&](std::size_t j) {
    for (std::size_t i = j; i < std::min(j + stride, to_index(size)); ++i)
      values[i - j + j * stride] = couple(rows, i, j, inverse_mass);
  });
  return {size, bandwidth, std::move(values)};
}

SparseQpMatrix coupling_sparse(const ConstraintRows& rows, std::span<const double> inverse_mass) {
  const int bandwidth = coupling_bandwidth(rows, static_cast<int>(inverse_mass.size()));
  std::vector<MatrixEntry> entries;
  for (std::int32_t j = 0; j < rows.count(); ++j)
    for (std::int32_t i = j; i <= std::min(j + bandwidth, rows.count() - 1); ++i) {
      const double value = couple(rows, to_index(i), to_index(j), inverse_mass);
      if (value == 0) continue;
      entries.push_back({i, j, value});
      if (i != j) entries.push_back({j, i, value});
    }
  return {rows.count(), std::move(entries)};
}

}  // namespace cairn
