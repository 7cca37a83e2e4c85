// SPDX-License-Identifier: MIT
#include "cairn/qp/band_cholesky.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "cairn/qp/qp_matrix.h"
#include "cairn/simd/simd.h"

namespace cairn {
namespace {

/// A band with 1 / (1 + |i - j|) and noise, heavy on the diagonal.
std::vector<double> band(int size, int bandwidth, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values(to_index(size) * to_index(bandwidth + 1));
  for (double& value : values) value = random.uniform(-1, 1);
  for (int j = 0; j < size; ++j) values[to_index(j) * to_index(bandwidth + 1)] = 2.0 * bandwidth + 1;
  return values;
}

std::vector<std::int32_t> every(int size) {
  std::vector<std::int32_t> all(to_index(size));
  for (int i = 0; i < size; ++i) all[to_index(i)] = i;
  return all;
}

std::vector<double> some(std::size_t count) {
  Random random(7);
  std::vector<double> x(count);
  for (double& value : x) value = random.uniform(-1, 1);
  return x;
}

/// H = 4 on the diagonal and 2 beside it: x of H x = (8, 14, 16) is (1, 2, 3) by hand.
TEST(BandCholesky, SolvesByHand) {
  const BandedMatrix h(3, 1, {4, 2, 4, 2, 4, 0});
  std::vector<double> x{8, 16, 16};
  auto factor = h.make_factor();
  ASSERT_TRUE(factor->factor(every(3), nullptr));
  factor->solve(x, 1, nullptr);
  EXPECT_NEAR(x[0], 1, 1e-15);
  EXPECT_NEAR(x[1], 2, 1e-15);
  EXPECT_NEAR(x[2], 3, 1e-15);
}

TEST(BandCholesky, ComesBackFromAProduct) {
  for (const auto& [size, bandwidth] : std::vector<std::pair<int, int>>{
           {1, 0}, {5, 4}, {24, 3}, {25, 24}, {96, 95}, {97, 20}, {300, 96}, {301, 97}, {500, 499}, {700, 137}}) {
    SCOPED_TRACE(std::to_string(size) + " " + std::to_string(bandwidth));
    const BandedMatrix h(size, bandwidth, band(size, bandwidth, 3));
    const auto n = to_index(size);
    constexpr int kCount = 11;
    const std::vector<double> wanted = some(n * kCount);
    std::vector<double> x(n * kCount);
    for (std::size_t k = 0; k < kCount; ++k) h.multiply({wanted.data() + k * n, n}, {x.data() + k * n, n}, nullptr);
    auto factor = h.make_factor();
    ASSERT_TRUE(factor->factor(every(size), nullptr));
    factor->solve(x, kCount, nullptr);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], wanted[i], 1e-13);
  }
}

/// Substitution with a Cholesky factor in long double, row by row: the slow oracle.
std::vector<double> solve_slowly(const BandedMatrix& h, int size, int bandwidth, const std::vector<double>& b) {
  const auto n = to_index(size);
  std::vector<long double> l(n * n, 0.0L), x(b.begin(), b.end());
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < std::min(n, j + to_index(bandwidth) + 1); ++i) {
      long double sum = h.column(static_cast<int>(j))[i - j];
      for (std::size_t k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k];
      l[i * n + j] = i == j ? std::sqrt(sum) : sum / l[j * n + j];
    }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= l[i * n + k] * x[k];
    x[i] /= l[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= l[k * n + i] * x[k];
    x[i] /= l[i * n + i];
  }
  return {x.begin(), x.end()};
}

TEST(BandCholesky, AgreesWithLongDoubleWithEverySet) {
  for (const auto& [size, bandwidth] : std::vector<std::pair<int, int>>{{7, 6}, {50, 11}, {97, 96}, {210, 130}}) {
    const BandedMatrix h(size, bandwidth, band(size, bandwidth, 9));
    const std::vector<double> b = some(to_index(size)), wanted = solve_slowly(h, size, bandwidth, b);
    for (const std::string& set : simd_names()) {
      SCOPED_TRACE(set + " " + std::to_string(size) + " " + std::to_string(bandwidth));
      force_simd(set);
      std::vector<double> x = b;
      auto factor = h.make_factor();
      ASSERT_TRUE(factor->factor(every(size), nullptr));
      factor->solve(x, 1, nullptr);
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], wanted[i], 4e-16);
    }
  }
  force_simd("auto");
}

TEST(BandCholesky, SameBitsForAnyThreadsAndInstructions) {
  const int size = 611, bandwidth = 233;
  const BandedMatrix h(size, bandwidth, band(size, bandwidth, 4));
  std::vector<double> first;
  for (const std::string& set : simd_names())
    for (const int threads : {1, 2, 3}) {
      force_simd(set);
      const auto pool = make_pool(threads);
      std::vector<double> x = some(to_index(size) * 9), y(to_index(size));
      auto factor = h.make_factor();
      EXPECT_TRUE(factor->factor(every(size), pool.get()));
      factor->solve(x, 9, pool.get());
      h.multiply({x.data(), y.size()}, y, pool.get());
      x.insert(x.end(), y.begin(), y.end());
      if (first.empty()) first = x;
      EXPECT_EQ(x, first) << set << ", threads " << threads;
    }
  force_simd("auto");
}

TEST(BandCholesky, SaysWhereAMatrixIsNotPositiveDefinite) {
  for (const int at : {0, 95, 96, 299}) {
    std::vector<double> values = band(300, 50, 5);
    values[to_index(at) * 51] = -1e-3;
    const BandedMatrix h(300, 50, values);
    EXPECT_FALSE(h.make_factor()->factor(every(300), nullptr)) << at;
  }
  // Two equal rows: rank deficient.
  const DenseMatrix twins(2, {1, 1, 1, 1});
  EXPECT_FALSE(twins.make_factor()->factor(every(2), nullptr));
}

/// Dense, banded and sparse forms of one matrix agree on every list of free rows.
TEST(QpMatrix, FormsAgree) {
  const int size = 130, bandwidth = 17;
  const BandedMatrix banded(size, bandwidth, band(size, bandwidth, 6));
  std::vector<double> all(to_index(size * size), 0.0);
  std::vector<MatrixEntry> entries;
  for (int j = 0; j < size; ++j)
    for (int i = j; i < std::min(size, j + bandwidth + 1); ++i) {
      const double value = banded.column(j)[i - j];
      all[to_index(i * size + j)] = all[to_index(j * size + i)] = value;
      entries.push_back({i, j, value});
      if (i != j) entries.push_back({j, i, value});
    }
  const DenseMatrix dense(size, all);
  const SparseQpMatrix sparse(size, entries);
  std::vector<std::int32_t> free;
  for (int i = 0; i < size; ++i)
    if (i % 3 != 1) free.push_back(i);
  const std::vector<double> x = some(to_index(size)), b = some(free.size());
  std::vector<double> y(x.size()), z(x.size()), wanted = b;
  dense.multiply(x, y, nullptr);
  auto factor = dense.make_factor();
  ASSERT_TRUE(factor->factor(free, nullptr));
  factor->solve(wanted, 1, nullptr);
  for (const QpMatrix* form : {static_cast<const QpMatrix*>(&banded), static_cast<const QpMatrix*>(&sparse)}) {
    form->multiply(x, z, nullptr);
    for (std::size_t i = 0; i < z.size(); ++i) {
      ASSERT_NEAR(z[i], y[i], 1e-12);
      ASSERT_NEAR(form->row_dot(static_cast<int>(i), x), y[i], 1e-12);
    }
    std::vector<double> row(x.size(), 1.0);
    form->add_row(40, 2.0, row);
    for (int j = 0; j < size; ++j) ASSERT_EQ(row[to_index(j)], 1 + 2 * dense.at(40, j));
    std::vector<double> solved = b;
    auto other = form->make_factor();
    ASSERT_TRUE(other->factor(free, nullptr));
    other->solve(solved, 1, nullptr);
    for (std::size_t i = 0; i < solved.size(); ++i) ASSERT_NEAR(solved[i], wanted[i], 1e-14);
  }
}

/// A path whose vertices are numbered at random becomes a band of one beside the diagonal.
TEST(QpMatrix, CuthillMcKeeFindsThePath) {
  constexpr int kSize = 50;
  std::vector<std::int32_t> name = every(kSize);
  Random random(9);
  for (std::size_t i = kSize; i-- > 1;) std::swap(name[i], name[random.below(i + 1)]);
  std::vector<MatrixEntry> entries;
  for (std::size_t i = 0; i < kSize; ++i) {
    entries.push_back({name[i], name[i], 3});
    if (i > 0) entries.push_back({name[i], name[i - 1], 1}), entries.push_back({name[i - 1], name[i], 1});
  }
  const SparseQpMatrix path(kSize, entries);
  const std::vector<std::int32_t> order = reverse_cuthill_mckee(path, every(kSize));
  ASSERT_EQ(order.size(), to_index(kSize));
  for (std::size_t i = 1; i < order.size(); ++i) {
    const auto around = path.columns(order[i]);
    EXPECT_TRUE(std::binary_search(around.begin(), around.end(), order[i - 1])) << i;
  }
}

}  // namespace
}  // namespace cairn
