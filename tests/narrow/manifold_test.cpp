// SPDX-License-Identifier: MIT
#include "cairn/narrow/manifold.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/narrow/samples.h"

namespace cairn {
namespace {

/// A point on a floor, `depth` below its surface.
ManifoldPoint below(double x, double y, double depth, std::uint32_t feature) {
  return {{x, y, 0}, {x, y, -depth}, -depth, feature};
}

TEST(ManifoldBuilder, KeepsFewPointsAsTheyAre) {
  ManifoldBuilder builder({0, 0, 1});
  for (std::uint32_t k = 0; k < 3; ++k) builder.add(below(k, 0, 0.1 * k, k));
  const Manifold m = builder.build();
  ASSERT_EQ(m.count, 3);
  expect_sound(m, 0);
  EXPECT_NEAR(deepest(m, 1), -0.2, 1e-15);
}

TEST(ManifoldBuilder, KeepsTheDeepestAndTheCornersOfAPatch) {
  // A disc of many points, one of them deep: that one stays, with points that span most of the disc.
  Random random(121);
  for (int round = 0; round < 50; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    ManifoldBuilder builder({0, 0, 1});
    const std::uint64_t count = 5 + random.below(200), deep = random.below(count);
    for (std::uint64_t k = 0; k < count; ++k) {
      const double angle = 2 * kPi * static_cast<double>(k) / static_cast<double>(count);
      builder.add(below(std::cos(angle), std::sin(angle), k == deep ? 0.5 : 0.1, static_cast<std::uint32_t>(k)));
    }
    const Manifold m = builder.build();
    ASSERT_EQ(m.count, 4);
    EXPECT_EQ(m.point[0].feature, deep) << "the deepest comes first";
    double area = 0;  // of the quadrangle, whatever the order of its corners: its largest triangle at least
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = i + 1; j < 4; ++j)
        for (std::size_t k = j + 1; k < 4; ++k)
          area = std::max(
              area, 0.5 * std::fabs(cross(m.point[j].on_a - m.point[i].on_a, m.point[k].on_a - m.point[i].on_a).z));
    EXPECT_GT(area, 0.9) << "an inscribed square has triangles of area 1";
  }
}

TEST(Manifold, FlippedIsTheSameContactFromTheOtherSide) {
  ManifoldBuilder builder({0, 0, 1});
  builder.add(below(1, 2, 0.1, 7));
  const Manifold m = builder.build(), other = flipped(m);
  expect_mirrored(m, other, 0);
  EXPECT_EQ(deepest(other, 1), deepest(m, 1));
  EXPECT_EQ(deepest(Manifold(), 0.25), 0.25) << "an empty one";
}

}  // namespace
}  // namespace cairn
