// SPDX-License-Identifier: MIT
#include "cairn/solvers/prox/acceleration.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cairn {
namespace {

using Numbers = std::vector<double>;

double length(const Numbers& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

/// What follows lambda in these tests: twice the sum of neighbours.
Numbers follow(const Numbers& x) {
  Numbers w(x.size() - 1);
  for (std::size_t i = 0; i + 1 < x.size(); ++i) w[i] = 2 * (x[i] + x[i + 1]);
  return w;
}

/// `sweeps` of x <- max(0, S(x)), accelerated; returns the last swept iterate.
template <class Sweep>
Numbers iterate(Acceleration kind, int sweeps, Numbers x, Sweep&& sweep, double* worst_follower = nullptr) {
  const auto accelerator = make_accelerator(kind, 5);
  accelerator->reset(Numbers(x.size(), 1.0));
  Numbers w = follow(x);
  for (int k = 0; k < sweeps; ++k) {
    const Numbers start = x, start_w = w;
    Numbers swept = sweep(x);
    const Numbers last = swept;
    // The follower changes by what the sweep changed, as in a solver.
    const Numbers before = follow(start), after = follow(swept);
    for (std::size_t i = 0; i < w.size(); ++i) w[i] += after[i] - before[i];
    x = swept;
    if (k + 1 == sweeps) return last;
    accelerator->propose({start, start_w}, {x, w}, nullptr);
    if (worst_follower == nullptr) continue;
    const Numbers exact = follow(x);
    for (std::size_t i = 0; i < w.size(); ++i)
      *worst_follower = std::max(*worst_follower, std::fabs(w[i] - exact[i]) / (1 + length(exact)));
  }
  return x;
}

/// Damped Jacobi on a chain of springs with one end held at 1 and x >= 0: slow, monotone.
Numbers chain_sweep(const Numbers& x) {
  Numbers next(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double left = i == 0 ? 1.0 : x[i - 1], right = i + 1 == x.size() ? 0.0 : x[i + 1];
    next[i] = std::max(0.0, 0.5 * x[i] + 0.25 * (left + right) - 1e-4);
  }
  return next;
}

TEST(Acceleration, MovesWhatFollowsLambdaAlong) {
  for (const Acceleration kind : {Acceleration::nesterov, Acceleration::nncg}) {
    ASSERT_TRUE(make_accelerator(kind, 5)->is_followed());
    double worst = 0;
    iterate(kind, 60, Numbers(40, 0.0), chain_sweep, &worst);
    EXPECT_LT(worst, 1e-13);
  }
}

TEST(Acceleration, NeedsFarFewerSweepsOnASlowChain) {
  const auto error = [](const Numbers& x) {
    const Numbers swept = chain_sweep(x);
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::fabs(swept[i] - x[i]));
    return most;
  };
  Numbers plain(40, 0.0);
  for (int k = 0; k < 200; ++k) plain = chain_sweep(plain);
  for (const Acceleration kind : {Acceleration::nesterov, Acceleration::anderson, Acceleration::nncg})
    EXPECT_LT(error(iterate(kind, 200, Numbers(40, 0.0), chain_sweep)), 0.05 * error(plain));
}

// A sweep that turns as it shrinks, as sliding friction makes it: momentum grows on it, and (y - z').(z' - z) stays
// negative all the while.
TEST(Acceleration, RestartsWhereMomentumGrowsUnseen) {
  constexpr double kTurn = 0.05, kShrink = 0.999;
  const auto turn = [&](const Numbers& x) {
    const double c = std::cos(kTurn), s = std::sin(kTurn);
    return Numbers{kShrink * (c * x[0] - s * x[1]), kShrink * (s * x[0] + c * x[1])};
  };
  EXPECT_LT(length(iterate(Acceleration::nesterov, 400, {1, 0}, turn)), 10.0);
}

}  // namespace
}  // namespace cairn
