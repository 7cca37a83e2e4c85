// SPDX-License-Identifier: MIT
// What every manifold must satisfy, for the tests of the narrow phase.
#pragma once

#include <gtest/gtest.h>

#include "cairn/core/index.h"
#include "cairn/narrow/manifold.h"
#include "tests/geometry/samples.h"

namespace cairn {

/// Half of this angle's sine and cosine make 90 degrees about an axis.
inline constexpr double kHalfRoot = 0.70710678118654752440;

inline Pose at(double x, double y, double z) { return {{x, y, z}, {}}; }

/// Unit normal, finite points, separations that say what the points say and honour the margin.
inline void expect_sound(const Manifold& m, double margin) {
  EXPECT_NEAR(norm(m.normal), 1, 1e-9);
  ASSERT_GE(m.count, 0);
  ASSERT_LE(m.count, 4);
  for (int k = 0; k < m.count; ++k) {
    const ManifoldPoint& p = m.point[to_index(k)];
    ASSERT_TRUE(is_finite(p.on_a) && is_finite(p.on_b) && std::isfinite(p.separation));
    EXPECT_LE(p.separation, margin);
    EXPECT_NEAR(dot(m.normal, p.on_b - p.on_a), p.separation, 1e-9);
  }
}

/// One is the other seen from the other shape; for contacts of one point.
inline void expect_mirrored(const Manifold& m, const Manifold& other, double tolerance) {
  ASSERT_EQ(m.count, 1);
  ASSERT_EQ(other.count, 1);
  expect_near(m.normal, -other.normal, tolerance);
  expect_near(m.point[0].on_a, other.point[0].on_b, tolerance);
  expect_near(m.point[0].on_b, other.point[0].on_a, tolerance);
  EXPECT_NEAR(m.point[0].separation, other.point[0].separation, tolerance);
}

}  // namespace cairn
