// SPDX-License-Identifier: MIT
#include "cairn/solvers/local_contact.h"

#include <gtest/gtest.h>

#include <vector>

#include "cairn/core/index.h"
#include "cairn/core/random.h"

namespace cairn {
namespace {

/// Natural map with step 1/scale, relative to the size of the solution: zero exactly at solutions.
template <int D>
double defect(const double* a, const double* b, double mu, const double* r) {
  double scale = 0, slip2 = 0, length2 = 0, sum = 0, size = 0;
  std::array<double, D> y, z;
  for (int i = 0; i < D; ++i) scale = std::max(scale, a[i * D + i]);
  for (int i = 0; i < D; ++i) {
    y[i] = b[i];
    for (int j = 0; j < D; ++j) y[i] += a[i * D + j] * r[j];
  }
  for (int i = 1; i < D; ++i) slip2 += y[i] * y[i];
  y[0] += mu * std::sqrt(slip2);
  for (int i = 0; i < D; ++i) z[i] = r[i] - y[i] / scale;
  for (int i = 1; i < D; ++i) length2 += z[i] * z[i];
  const double length = std::sqrt(length2);
  if (mu * length <= -z[0]) {
    z.fill(0);
  } else if (length > mu * z[0]) {
    z[0] = (z[0] + mu * length) / (1 + mu * mu);
    for (int i = 1; i < D; ++i) z[i] *= mu * z[0] / length;
  }
  for (int i = 0; i < D; ++i) {
    sum += (r[i] - z[i]) * (r[i] - z[i]);
    size += r[i] * r[i] + b[i] * b[i] / (scale * scale);
  }
  return std::sqrt(sum / size);
}

/// Random A = G G^T of the given rank with entries of either sign, and a relative asymmetry.
template <int D>
std::vector<double> random_block(Random& random, int rank, double asymmetry) {
  std::vector<double> g(to_index(D * rank)), a(D * D, 0.0);
  for (double& value : g) value = random.uniform(-1, 1);
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) {
      for (int k = 0; k < rank; ++k) a[i * D + j] += g[i * rank + k] * g[j * rank + k];
      a[i * D + j] += asymmetry * random.uniform(-1, 1);
    }
  return a;
}

template <int D>
void expect_exact_on_random_blocks(int rank, double asymmetry, double tolerance, int least_solved) {
  Random random(static_cast<std::uint64_t>(100 * D + rank));
  int solved = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const std::vector<double> a = random_block<D>(random, rank, asymmetry);
    double b[D], r[D] = {};
    for (double& value : b) value = random.uniform(-1, 1);
    b[0] = -std::fabs(b[0]);
    const double mu = random.uniform(0, 1.5);
    if (!solve_local_contact<D>(a.data(), b, mu, r)) continue;
    ++solved;
    ASSERT_LT(defect<D>(a.data(), b, mu, r), tolerance) << "trial " << trial;
  }
  EXPECT_GE(solved, least_solved);
}

TEST(LocalContact, TakeOffStickAndSlideInClosedForm) {
  // A point mass m = 2: A = 1/2, so stick is r = -2 b and slide r_n = -2 b_n, |r_t| = mu r_n against b_t.
  const double a[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5};
  double r[3] = {7, 7, 7};
  const double leaving[3] = {0.1, 3, 0}, held[3] = {-1, 0.3, 0.4}, sliding[3] = {-1, 3, -4};
  ASSERT_TRUE(solve_local_contact<3>(a, leaving, 0.5, r));
  for (const double value : r) EXPECT_EQ(value, 0);
  ASSERT_TRUE(solve_local_contact<3>(a, held, 0.5, r));
  EXPECT_NEAR(r[0], 2, 1e-15);
  EXPECT_NEAR(r[1], -0.6, 1e-15);
  EXPECT_NEAR(r[2], -0.8, 1e-15);
  ASSERT_TRUE(solve_local_contact<3>(a, sliding, 0.5, r));
  EXPECT_NEAR(r[0], 2, 1e-15);
  EXPECT_NEAR(r[1], -0.6, 1e-15);
  EXPECT_NEAR(r[2], 0.8, 1e-15);
  ASSERT_TRUE(solve_local_contact<3>(a, sliding, 0, r));
  EXPECT_NEAR(r[0], 2, 1e-15);
  EXPECT_EQ(r[1], 0);
}

TEST(LocalContact, TiltedRodSlidesInClosedForm) {
  // Slide in the plane: r_n (A_nn - mu A_nt) = -b_n when the point moves along +t.
  const double a[4] = {4, 1.2, 1.2, 1};
  const double b[2] = {-1, 2};
  const double mu = 0.8;
  double r[2] = {0, 0};
  ASSERT_TRUE(solve_local_contact<2>(a, b, mu, r));
  EXPECT_NEAR(r[0], 1 / (4 - 0.8 * 1.2), 1e-15);
  EXPECT_NEAR(r[1], -mu * r[0], 1e-15);
}

TEST(LocalContact, ExactOnRandomBlocks) {
  expect_exact_on_random_blocks<2>(2, 0, 1e-9, 2000);
  expect_exact_on_random_blocks<3>(3, 0, 1e-9, 2000);
  expect_exact_on_random_blocks<4>(4, 0, 1e-9, 2000);
  expect_exact_on_random_blocks<3>(5, 0, 1e-12, 2000);
  expect_exact_on_random_blocks<3>(6, 1e-2, 1e-11, 1950);
}

TEST(LocalContact, SingularBlocksGiveASolutionOrAreRefused) {
  // Rank-deficient blocks have a solution for some b only; what is returned must be one.
  expect_exact_on_random_blocks<2>(1, 0, 1e-7, 900);
  expect_exact_on_random_blocks<3>(2, 0, 1e-7, 1200);
  expect_exact_on_random_blocks<3>(1, 0, 1e-7, 600);
  const double zero[9] = {}, b[3] = {-1, 0, 0};
  double r[3] = {1, 2, 3};
  EXPECT_FALSE(solve_local_contact<3>(zero, b, 0.5, r));
  EXPECT_EQ(r[2], 3);
  project_fixed_point<3>(zero, b, 0.5, r);
  EXPECT_EQ(r[2], 3);
}

TEST(LocalContact, ConsistentSingularBlockSticks) {
  // Two equations the same: A = g g^T with b in its range. The answer is the least one, r = -b_n / |g|^2 g.
  const double a[9] = {1, 0, 0.5, 0, 0, 0, 0.5, 0, 0.25};
  const double b[3] = {-1, 0, -0.5};
  double r[3] = {};
  ASSERT_TRUE(solve_local_contact<3>(a, b, 0.7, r));
  EXPECT_LT(defect<3>(a, b, 0.7, r), 1e-12);
}

TEST(LocalContact, AgreesWithTheFixedPointIteration) {
  Random random(9);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> a = random_block<3>(random, 6, 0);
    for (int i = 0; i < 3; ++i) a[to_index(4 * i)] += 0.5;  // well conditioned: the iteration converges
    double b[3] = {-random.uniform(), random.uniform(-1, 1), random.uniform(-1, 1)};
    double exact[3] = {}, iterated[3] = {};
    ASSERT_TRUE(solve_local_contact<3>(a.data(), b, 0.4, exact));
    project_fixed_point<3>(a.data(), b, 0.4, iterated, 20000);
    for (int i = 0; i < 3; ++i) ASSERT_NEAR(exact[i], iterated[i], 1e-10);
  }
}

TEST(LocalContact, TheGuessDoesNotChangeTheAnswer) {
  Random random(10);
  for (int trial = 0; trial < 500; ++trial) {
    const std::vector<double> a = random_block<3>(random, 6, 1e-3);
    const double b[3] = {-random.uniform(), random.uniform(-2, 2), random.uniform(-2, 2)};
    double cold[3] = {}, warm[3] = {random.uniform(), random.uniform(-1, 1), random.uniform(-1, 1)};
    ASSERT_TRUE(solve_local_contact<3>(a.data(), b, 0.3, cold));
    ASSERT_TRUE(solve_local_contact<3>(a.data(), b, 0.3, warm));
    for (int i = 0; i < 3; ++i) ASSERT_NEAR(cold[i], warm[i], 1e-10 * (1 + std::fabs(cold[0])));
  }
}

}  // namespace
}  // namespace cairn
