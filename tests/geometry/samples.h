// SPDX-License-Identifier: MIT
// Random poses, directions and shapes for the tests of the geometry.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cairn/core/random.h"
#include "cairn/geometry/hull_builder.h"
#include "cairn/geometry/shape.h"
#include "tests/refusal.h"

namespace cairn {

inline Vec3 random_point(Random& random, double reach = 1) {
  const double x = random.uniform(-reach, reach), y = random.uniform(-reach, reach);
  return {x, y, random.uniform(-reach, reach)};
}

inline Vec3 random_direction(Random& random) {
  for (;;) {
    const Vec3 p = random_point(random);
    if (const double r2 = dot(p, p); r2 > 0.01 && r2 <= 1) return normalised(p);
  }
}

inline Pose random_pose(Random& random) {
  const Vec3 p = random_point(random, 3);
  const Quat q{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
  return {p, normalised(q)};
}

inline std::vector<Vec3> random_points(Random& random, int count, double reach = 1) {
  std::vector<Vec3> points;
  for (int k = 0; k < count; ++k) points.push_back(random_point(random, reach));
  return points;
}

inline std::vector<Vec3> box_corners(const Vec3& half) {
  std::vector<Vec3> corners;
  for (const double z : {-half.z, half.z})
    for (const double y : {-half.y, half.y})
      for (const double x : {-half.x, half.x}) corners.push_back({x, y, z});
  return corners;
}

using Corners = std::array<std::int32_t, 3>;

/// Twelve outward triangles over box_corners.
inline std::vector<Corners> box_triangles() {
  return {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
          {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
}

/// One of each convex, solid shape, of random size. The hull is built finely: the properties are checked to 1e-11.
inline std::vector<std::pair<std::string, Shape>> convex_shapes(Random& random) {
  const auto size = [&] { return random.uniform(0.2, 1.5); };
  const double a = size(), b = size(), c = size();
  return {{"sphere", make_sphere(a)},      {"box", make_box({a, b, c})},
          {"capsule", make_capsule(a, b)}, {"cylinder", make_cylinder(b, c)},
          {"cone", make_cone(c, a)},       {"hull", make_hull(random_points(random, 20), {.tolerance = 1e-9})}};
}

inline bool has_words(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

inline void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

inline void expect_near(const SymMat3& a, const SymMat3& b, double tolerance) {
  expect_near(Vec3{a.xx, a.yy, a.zz}, {b.xx, b.yy, b.zz}, tolerance);
  expect_near(Vec3{a.xy, a.xz, a.yz}, {b.xy, b.xz, b.yz}, tolerance);
}

inline void expect_near(const MassProperties& a, const MassProperties& b, double relative) {
  EXPECT_NEAR(a.mass, b.mass, relative * b.mass);
  expect_near(a.centre, b.centre, relative);
  expect_near(a.inertia, b.inertia, relative * (b.inertia.xx + b.inertia.yy + b.inertia.zz));
}

}  // namespace cairn
