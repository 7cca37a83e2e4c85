// SPDX-License-Identifier: MIT
#include "cairn/qp/bounded_qp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/refusal.h"

namespace cairn {
namespace {

/// H = diag(1, 4), so that the solution is c / H clamped to the bounds.
struct DiagonalQp {
  DenseMatrix h{2, {1, 0, 0, 4}};
  BoundedQp qp{&h, {3, 4}, {0, 0}, {2, 5}};
};

TEST(BoundedQp, ResidualIsZeroAtTheSolutionAndByHandElsewhere) {
  const DiagonalQp d;
  const double at[] = {2, 1};  // the first at its upper bound, with lambda = 3 - 2 = 1
  EXPECT_EQ(kkt_residual(d.qp, at), 0);
  // At (1, 1): lambda = (2, 0), the step goes to clamp(3, 0, 2) = 2. r = |1| / (|(3, 2)| + |(1, 2)|).
  const double off[] = {1, 1}, multiplier[] = {2, 0};
  const double wanted = 1 / (std::sqrt(13.0) + std::sqrt(5.0));
  EXPECT_NEAR(kkt_residual(d.qp, off), wanted, 1e-15);
  EXPECT_NEAR(kkt_residual(d.qp, off, multiplier), wanted, 1e-15);
}

TEST(BoundedQp, WhatCannotBeSolvedIsRefused) {
  DiagonalQp d;
  EXPECT_EQ(refusal([&] { validate(d.qp); }), "");
  d.qp.lower[1] = 6;
  EXPECT_NE(refusal([&] { validate(d.qp); }), "") << "bounds cross";
  d.qp.lower[1] = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal([&] { validate(d.qp); }), "") << "no bound";
  d.qp.c[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal([&] { validate(d.qp); }), "");
  d.qp.c = {1};
  EXPECT_NE(refusal([&] { validate(d.qp); }), "") << "sizes";
  const DenseMatrix flat(2, {1, 0, 0, 0});
  EXPECT_NE(refusal([&] { validate({&flat, {1, 1}, {0, 0}, {1, 1}}); }), "") << "the diagonal";
}

TEST(BoundedQp, EveryEndHasAName) {
  for (int end = 0; end <= static_cast<int>(QpEnd::interrupted); ++end)
    EXPECT_GT(std::string(to_string(static_cast<QpEnd>(end))).size(), 3u) << "end " << end;
}

}  // namespace
}  // namespace cairn
