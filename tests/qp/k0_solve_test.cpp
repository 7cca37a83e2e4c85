// SPDX-License-Identifier: MIT
// The linear algebra of Litven 2013, chapters 5 and 6: banded products, null space, C0_solve, F0_solve, block
// substitution, and the order of Cuthill and McKee beside Boost's where that is found.
#include "cairn/qp/k0_solve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#if __has_include(<boost/graph/cuthill_mckee_ordering.hpp>)
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/cuthill_mckee_ordering.hpp>
#define CAIRN_HAS_BOOST_GRAPH 1
#endif

#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "cairn/qp/constraint_rows.h"
#include "cairn/qp/pdasm.h"
#include "tests/refusal.h"

namespace cairn {
namespace {

using Vector = std::vector<double>;

/// Cells of a sheet of width x height, ordered by (x, y), each with four corner nodes of three unknowns; `per_cell`
/// rows each.
struct Patch {
  ConstraintRows rows;
  Vector inverse_mass;
  int reach = 0;  ///< (5.23): most cells between two that share a node
};

Patch make_patch(int width, int height, int per_cell, std::uint64_t seed) {
  Random random(seed);
  Patch patch;
  const int nodes = (width + 1) * (height + 1);
  patch.inverse_mass.resize(to_index(3 * nodes));
  for (double& m : patch.inverse_mass) m = random.uniform(0.5, 2);
  for (int x = 0; x < width; ++x)
    for (int y = 0; y < height; ++y)
      for (int row = 0; row < per_cell; ++row) {
        std::vector<std::int32_t> unknowns;
        Vector values;
        for (const int node : {x * (height + 1) + y, x * (height + 1) + y + 1, (x + 1) * (height + 1) + y,
                               (x + 1) * (height + 1) + y + 1})
          for (int axis = 0; axis < 3; ++axis)
            unknowns.push_back(3 * node + axis), values.push_back(random.uniform(-1, 1));
        patch.rows.add(unknowns, values);
      }
  for (int a = 0; a < width * height; ++a)
    for (int b = 0; b < a; ++b)
      if (std::abs(a / height - b / height) <= 1 && std::abs(a % height - b % height) <= 1)
        patch.reach = std::max(patch.reach, a - b);
  return patch;
}

Vector dense_product(const Patch& patch) {
  const auto n = to_index(patch.rows.count()), k = patch.inverse_mass.size();
  Vector j(n * k, 0.0), h(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (auto e = to_index(patch.rows.start[i]); e < to_index(patch.rows.start[i + 1]); ++e)
      j[i * k + to_index(patch.rows.unknown[e])] = patch.rows.value[e];
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t i = 0; i < k; ++i) h[a * n + b] += j[a * k + i] * j[b * k + i] * patch.inverse_mass[i];
  return h;
}

/// Gaussian elimination with row exchanges.
Vector solve_dense(Vector a, Vector b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::fabs(a[i * n + k]) > std::fabs(a[best * n + k])) best = i;
    for (std::size_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[best * n + j]);
    std::swap(b[k], b[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double f = a[i * n + k] / a[k * n + k];
      for (std::size_t j = k; j < n; ++j) a[i * n + j] -= f * a[k * n + j];
      b[i] -= f * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k * n + j] * b[j];
    b[k] /= a[k * n + k];
  }
  return b;
}

/// [ H A' ; A 0 ] with the rows of A dense.
Vector saddle_matrix(const Vector& h, const std::vector<Vector>& a, std::size_t n) {
  const std::size_t all = n + a.size();
  Vector k(all * all, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) k[i * all + j] = h[i * n + j];
  for (std::size_t r = 0; r < a.size(); ++r)
    for (std::size_t j = 0; j < n; ++j) k[(n + r) * all + j] = k[j * all + n + r] = a[r][j];
  return k;
}

/// Three right-hand sides against the dense system.
void expect_solves(K0Solver& k0, const Vector& dense, const char* form) {
  const auto n = to_index(k0.unknowns()), p = to_index(k0.active());
  constexpr std::size_t kCount = 3;
  Random random(3);
  Vector x(kCount * n), multiplier(kCount * p);
  for (double& v : x) v = random.uniform(-1, 1);
  for (double& v : multiplier) v = random.uniform(-1, 1);
  const Vector c = x, b = multiplier;
  k0.solve(x, multiplier, kCount, nullptr);
  for (std::size_t r = 0; r < kCount; ++r) {
    Vector rhs(c.begin() + static_cast<std::ptrdiff_t>(r * n), c.begin() + static_cast<std::ptrdiff_t>((r + 1) * n));
    rhs.insert(rhs.end(), b.begin() + static_cast<std::ptrdiff_t>(r * p),
               b.begin() + static_cast<std::ptrdiff_t>((r + 1) * p));
    const Vector exact = solve_dense(dense, rhs);
    for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(x[r * n + i], exact[i], 1e-10) << form;
    for (std::size_t i = 0; i < p; ++i) ASSERT_NEAR(multiplier[r * p + i], exact[n + i], 1e-10) << form;
  }
}

SparseQpMatrix sparse_of(const SparseQpMatrix& h, SparseMethod method) {
  std::vector<MatrixEntry> entries;
  for (std::int32_t i = 0; i < h.size(); ++i)
    for (std::size_t k = 0; k < h.columns(i).size(); ++k) entries.push_back({i, h.columns(i)[k], h.values(i)[k]});
  return {h.size(), std::move(entries), method};
}

/// H^C and H^F against dense products, and their place in memory: b[i - j + j ldb] (table A.1).
TEST(ConstraintRows, BandedProductsAgreeWithDenseOnes) {
  for (const int per_cell : {1, 2}) {
    const Patch patch = make_patch(5, 3, per_cell, 1);
    const Vector dense = dense_product(patch);
    const auto pool = make_pool(2);
    const BandedMatrix band = coupling_band(patch.rows, patch.inverse_mass),
                       same = coupling_band(patch.rows, patch.inverse_mass, pool.get());
    const SparseQpMatrix sparse = coupling_sparse(patch.rows, patch.inverse_mass);
    const int n = band.size(), ldb = band.bandwidth() + 1;
    const double* b = band.column(0);
    Vector unit(to_index(n), 0.0);
    for (int j = 0; j < n; ++j)
      for (int i = j; i < n; ++i) {
        const double exact = dense[to_index(i * n + j)];
        if (i - j < ldb) {
          EXPECT_NEAR(b[i - j + j * ldb], exact, 1e-14);
          EXPECT_EQ(b[i - j + j * ldb], same.column(0)[i - j + j * ldb]);
        } else {
          EXPECT_EQ(exact, 0);
        }
        unit[to_index(j)] = 1;
        EXPECT_NEAR(sparse.row_dot(i, unit), exact, 1e-14);
        unit[to_index(j)] = 0;
      }
  }
}

/// Propositions 5.1, 5.2 and lemmas 5.1, 5.2. The bound 2 rho of H^F counts pairs: the second tangent of a cell and the
/// first of one that is rho away are 2 rho + 1 rows apart. With that G^F has the bandwidth that the thesis says.
TEST(ConstraintRows, BandwidthsAreThoseOfTheThesis) {
  Random random(5);
  for (const auto& [width, height] : {std::pair{1, 1}, {6, 1}, {4, 4}, {9, 3}, {2, 8}}) {
    const Patch contact = make_patch(width, height, 1, 2), friction = make_patch(width, height, 2, 2);
    const int rho = contact.reach;
    const BandedMatrix hc = coupling_band(contact.rows, contact.inverse_mass),
                       hf = coupling_band(friction.rows, friction.inverse_mass);
    EXPECT_EQ(hc.bandwidth(), rho);
    EXPECT_EQ(hf.bandwidth(), 2 * rho + 1);
    for (int round = 0; round < 20; ++round) {
      std::vector<ActiveFacet> active;
      std::vector<std::int32_t> free;
      for (std::int32_t c = 0; c < hc.size(); ++c) {
        const auto count = random.below(3);
        const auto first = static_cast<std::int32_t>(random.below(2)),
                   second = 2 + static_cast<std::int32_t>(random.below(2));
        if (count > 0) active.push_back({c, count == 1 && random.below(2) == 1 ? second : first});
        if (count > 1) active.push_back({c, second});
        if (random.below(2) == 1) free.push_back(c);
      }
      const std::vector<NullColumn> z = null_space(hc.size(), active);
      EXPECT_EQ(z.size(), to_index(2 * hc.size()) - active.size());
      EXPECT_LE(z.empty() ? 0 : reduce(hf, z).bandwidth(), 2 * rho + 1);
      // G^C: what is bound between two free rows brings them nearer.
      int widest = 0;
      for (std::size_t i = 0; i < free.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          if (free[i] - free[j] <= hc.bandwidth()) widest = std::max(widest, static_cast<int>(i - j));
      EXPECT_LE(widest, rho);
    }
  }
}

/// C = B A for many columns at once (symbgmm, 6.1): the same bits as column by column, for any threads.
TEST(ConstraintRows, ProductsOfManyColumnsAreThoseOfEach) {
  const Patch patch = make_patch(40, 5, 1, 4);
  const BandedMatrix band = coupling_band(patch.rows, patch.inverse_mass);
  const SparseQpMatrix sparse = coupling_sparse(patch.rows, patch.inverse_mass);
  const auto n = to_index(band.size());
  constexpr int kCount = 11;
  Random random(4);
  Vector a(n * kCount), one(n);
  for (double& v : a) v = random.uniform(-1, 1);
  for (const int threads : {1, 3}) {
    const auto pool = make_pool(threads);
    Vector all(n * kCount), other(n * kCount);
    band.multiply_all(a, kCount, all, pool.get());
    sparse.multiply_all(a, kCount, other, pool.get());
    for (std::size_t k = 0; k < kCount; ++k) {
      band.multiply(std::span(a).subspan(k * n, n), one, nullptr);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(all[k * n + i], one[i]);
        ASSERT_NEAR(other[k * n + i], one[i], 1e-13);
      }
    }
  }
}

/// T5.5 with its contact sibling, for a band, a sparse band and a sparse L D L'.
TEST(K0Solve, ContactAgreesWithADenseSaddlePoint) {
  const Patch patch = make_patch(6, 4, 1, 7);
  const Vector dense = dense_product(patch);
  const BandedMatrix band = coupling_band(patch.rows, patch.inverse_mass);
  const SparseQpMatrix sparse = coupling_sparse(patch.rows, patch.inverse_mass),
                       ldl = sparse_of(sparse, SparseMethod::ldl);
  const auto n = to_index(band.size());
  Random random(2);
  for (const int share : {0, 1, 2, 4}) {  // of four: bound
    std::vector<std::int32_t> bound;
    for (std::int32_t i = 0; i < band.size(); ++i)
      if (static_cast<int>(random.below(4)) < share) bound.push_back(i);
    std::vector<Vector> rows;
    for (const std::int32_t i : bound) rows.emplace_back(n, 0.0), rows.back()[to_index(i)] = -1;
    const Vector matrix = saddle_matrix(dense, rows, n);
    for (const auto& [h, name] :
         {std::pair<const QpMatrix*, const char*>{&band, "band"}, {&sparse, "sparse"}, {&ldl, "ldl"}}) {
      const auto k0 = make_contact_k0(*h, bound, nullptr);
      expect_solves(*k0, matrix, name);
    }
  }
}

TEST(K0Solve, FrictionAgreesWithADenseSaddlePoint) {
  const Patch patch = make_patch(5, 3, 2, 7);
  const Vector dense = dense_product(patch);
  const BandedMatrix band = coupling_band(patch.rows, patch.inverse_mass);
  const SparseQpMatrix sparse = coupling_sparse(patch.rows, patch.inverse_mass),
                       ldl = sparse_of(sparse, SparseMethod::ldl);
  const auto n = to_index(band.size());
  constexpr double kE[4][2] = {{1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
  for (int kind = 0; kind < 4; ++kind) {  // none, one, two active facets of every contact; all of these in turn
    std::vector<ActiveFacet> active;
    for (std::int32_t c = 0; c < band.size() / 2; ++c) {
      const int count = kind < 3 ? kind : c % 3;
      if (count > 0) active.push_back({c, count == 1 ? c % 4 : c % 2});
      if (count > 1) active.push_back({c, 2 + c / 2 % 2});
    }
    std::vector<Vector> rows;
    for (const ActiveFacet& a : active) {
      rows.emplace_back(n, 0.0);
      for (const std::size_t axis : {0, 1}) rows.back()[2 * to_index(a.contact) + axis] = kE[a.facet][axis];
    }
    const Vector matrix = saddle_matrix(dense, rows, n);
    expect_solves(*make_friction_k0(band, active, nullptr), matrix, "band");
    expect_solves(*make_friction_k0(sparse, active, nullptr), matrix, "sparse");
    expect_solves(*make_friction_k0(ldl, active, nullptr), matrix, "ldl");
  }
}

TEST(K0Solve, BadInputIsRefusedWithTheReason) {
  EXPECT_NE(refusal([] {
              null_space(2, std::vector<ActiveFacet>{{0, 0}, {0, 1}});
            }).find("opposite"),
            std::string::npos);
  EXPECT_NE(refusal([] { null_space(2, std::vector<ActiveFacet>{{0, 4}}); }).find("0 to 3"), std::string::npos);
  EXPECT_NE(refusal([] { null_space(2, std::vector<ActiveFacet>{{1, 0}, {0, 0}}); }).find("ascend"), std::string::npos);
  ConstraintRows rows;
  rows.add(std::vector<std::int32_t>{1, 0}, Vector{1, 1});
  EXPECT_NE(refusal([&] { coupling_bandwidth(rows, 2); }).find("ascend"), std::string::npos);
  const SparseQpMatrix indefinite(2, {{0, 0, 1}, {0, 1, 2}, {1, 0, 2}, {1, 1, 1}}, SparseMethod::ldl);
  EXPECT_NE(refusal([&] { make_contact_k0(indefinite, {}, nullptr); }).find("not positive definite"),
            std::string::npos);
}

/// The same QP by SCHURPA with K0 as a band and as a sparse L D L': the same answer by the same active sets.
TEST(K0Solve, SchurpaAgreesWhateverItsFactorIs) {
  const Patch patch = make_patch(12, 5, 1, 9);
  const BandedMatrix band = coupling_band(patch.rows, patch.inverse_mass);
  const SparseQpMatrix sparse = coupling_sparse(patch.rows, patch.inverse_mass),
                       ldl = sparse_of(sparse, SparseMethod::ldl);
  const auto n = to_index(band.size());
  Random random(6);
  BoundedQp qp{&band, Vector(n), Vector(n, 0.0), Vector(n, INFINITY)};
  for (double& c : qp.c) c = random.uniform(-1, 1);
  QpSolution first;
  const QpReport report = solve_pdasm(qp, first, {});
  EXPECT_EQ(report.end, QpEnd::converged);
  for (const QpMatrix* h : {static_cast<const QpMatrix*>(&sparse), static_cast<const QpMatrix*>(&ldl)}) {
    qp.h = h;
    QpSolution other;
    EXPECT_EQ(solve_pdasm(qp, other, {}).iterations, report.iterations);
    EXPECT_EQ(other.state, first.state);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(other.x[i], first.x[i], 1e-11);
  }
}

/// Algorithm 5.3 with its transposes, as it is written: blocks of s >= rho, inverses D_i^-1, 4p - 2 products. Against
/// the tiles of BandCholesky.
TEST(K0Solve, BlockSubstitutionOfTheThesisAgreesWithTiles) {
  constexpr std::size_t kBlock = 7, kBlocks = 5, kSize = kBlock * kBlocks;
  const int rho = 6;
  Random random(8);
  Vector band(kSize * (rho + 1));
  for (double& v : band) v = random.uniform(-1, 1);
  for (std::size_t j = 0; j < kSize; ++j) band[j * (rho + 1)] = 8;
  const BandedMatrix h(static_cast<int>(kSize), rho, band);
  const auto at = [&](std::size_t i, std::size_t j) {
    return i >= j && i - j <= to_index(rho) ? h.column(static_cast<int>(j))[i - j] : 0.0;
  };
  Vector l(kSize * kSize, 0.0);
  for (std::size_t j = 0; j < kSize; ++j)
    for (std::size_t i = j; i < kSize; ++i) {
      double sum = at(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= l[i * kSize + k] * l[j * kSize + k];
      l[i * kSize + j] = i == j ? std::sqrt(sum) : sum / l[j * kSize + j];
    }
  using Block = Vector;  // by rows
  const auto block = [&](std::size_t i, std::size_t j) {
    Block b(kBlock * kBlock);
    for (std::size_t r = 0; r < kBlock; ++r)
      for (std::size_t c = 0; c < kBlock; ++c) b[r * kBlock + c] = l[(i * kBlock + r) * kSize + j * kBlock + c];
    return b;
  };
  std::vector<Block> inverse(kBlocks);
  for (std::size_t i = 0; i < kBlocks; ++i) {
    inverse[i].resize(kBlock * kBlock);
    for (std::size_t c = 0; c < kBlock; ++c) {
      Vector unit(kBlock, 0.0);
      unit[c] = 1;
      const Vector column = solve_dense(block(i, i), unit);
      for (std::size_t r = 0; r < kBlock; ++r) inverse[i][r * kBlock + c] = column[r];
    }
  }
  int products = 0;
  const auto times = [&](const Block& m, const double* x, bool transposed) {
    ++products;
    Vector y(kBlock, 0.0);
    for (std::size_t r = 0; r < kBlock; ++r)
      for (std::size_t c = 0; c < kBlock; ++c) y[r] += (transposed ? m[c * kBlock + r] : m[r * kBlock + c]) * x[c];
    return y;
  };
  Vector b(kSize), x(kSize);
  for (double& v : b) v = random.uniform(-1, 1);
  Vector work = b;
  for (std::size_t i = 0; i < kBlocks; ++i) {
    if (i > 0) {
      const Vector carried = times(block(i, i - 1), &work[(i - 1) * kBlock], false);
      for (std::size_t r = 0; r < kBlock; ++r) work[i * kBlock + r] -= carried[r];
    }
    const Vector y = times(inverse[i], &work[i * kBlock], false);
    std::copy(y.begin(), y.end(), work.begin() + static_cast<std::ptrdiff_t>(i * kBlock));
  }
  for (std::size_t i = kBlocks; i-- > 0;) {
    if (i + 1 < kBlocks) {
      const Vector carried = times(block(i + 1, i), &x[(i + 1) * kBlock], true);
      for (std::size_t r = 0; r < kBlock; ++r) work[i * kBlock + r] -= carried[r];
    }
    const Vector y = times(inverse[i], &work[i * kBlock], true);
    std::copy(y.begin(), y.end(), x.begin() + static_cast<std::ptrdiff_t>(i * kBlock));
  }
  EXPECT_EQ(products, static_cast<int>(4 * kBlocks - 2));
  const auto factor = h.make_factor();
  std::vector<std::int32_t> all(kSize);
  std::iota(all.begin(), all.end(), 0);
  ASSERT_TRUE(factor->factor(all, nullptr));
  factor->solve(b, 1, nullptr);
  for (std::size_t i = 0; i < kSize; ++i) EXPECT_NEAR(b[i], x[i], 1e-13);
}

int bandwidth_in(const SparseQpMatrix& matrix, const std::vector<std::int32_t>& order) {
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[to_index(order[i])] = static_cast<int>(i);
  int widest = 0;
  for (const std::int32_t i : order)
    for (const std::int32_t j : matrix.columns(i))
      widest = std::max(widest, std::abs(place[to_index(i)] - place[to_index(j)]));
  return widest;
}

/// Sheets of cells in a random order, in one piece and in two.
TEST(K0Solve, CuthillMcKeeIsNoWiderThanBoosts) {
#ifdef CAIRN_HAS_BOOST_GRAPH
  Random random(12);
  for (const auto& [width, height, pieces] : {std::tuple{9, 3, 1}, {14, 5, 1}, {8, 4, 2}}) {
    const Patch patch = make_patch(width, height, 1, 3);
    const SparseQpMatrix sheet = coupling_sparse(patch.rows, patch.inverse_mass);
    const int n = pieces * sheet.size();
    std::vector<std::int32_t> name(to_index(n));
    std::iota(name.begin(), name.end(), 0);
    for (std::size_t i = name.size(); i > 1; --i) std::swap(name[i - 1], name[random.below(i)]);
    std::vector<MatrixEntry> entries;
    for (int piece = 0; piece < pieces; ++piece)
      for (std::int32_t i = 0; i < sheet.size(); ++i)
        for (std::size_t k = 0; k < sheet.columns(i).size(); ++k)
          entries.push_back({name[to_index(piece * sheet.size() + i)],
                             name[to_index(piece * sheet.size() + sheet.columns(i)[k])], sheet.values(i)[k]});
    const SparseQpMatrix matrix(n, entries);
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS,
                                        boost::property<boost::vertex_color_t, boost::default_color_type,
                                                        boost::property<boost::vertex_degree_t, int>>>;
    Graph graph(to_index(n));
    for (const MatrixEntry& e : entries)
      if (e.row < e.column) boost::add_edge(to_index(e.row), to_index(e.column), graph);
    std::vector<Graph::vertex_descriptor> theirs(to_index(n));
    boost::cuthill_mckee_ordering(graph, theirs.rbegin(), boost::get(boost::vertex_color, graph),
                                  boost::make_degree_map(graph));
    std::vector<std::int32_t> all(to_index(n));
    std::iota(all.begin(), all.end(), 0);
    const std::vector<std::int32_t> mine = reverse_cuthill_mckee(matrix, all);
    EXPECT_TRUE(std::is_permutation(mine.begin(), mine.end(), all.begin(), all.end()));
    EXPECT_LE(bandwidth_in(matrix, mine), bandwidth_in(matrix, {theirs.begin(), theirs.end()})) << width;
    EXPECT_LE(bandwidth_in(matrix, mine), 2 * patch.reach);
  }
#else
  GTEST_SKIP() << "Boost.Graph is not here: apt install libboost-dev";
#endif
}

}  // namespace
}  // namespace cairn
