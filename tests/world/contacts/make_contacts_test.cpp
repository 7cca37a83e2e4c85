// SPDX-License-Identifier: MIT
#include "cairn/world/contacts/make_contacts.h"

#include <gtest/gtest.h>

#include <array>

#include "cairn/core/index.h"
#include "cairn/math/mat3.h"
#include "tests/geometry/samples.h"

namespace cairn {
namespace {

/// Points on a square of side 2 that is seen along `normal`, 0.01 deep, with features 10, 11, ...
Manifold square(const Vec3& normal, int count) {
  const Frame frame = make_frame(normal);
  Manifold m;
  m.normal = normal;
  m.count = count;
  constexpr std::array<std::array<double, 2>, 4> kCorner{{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}};
  for (std::size_t k = 0; k < to_index(count); ++k) {
    const Vec3 p = kCorner[k][0] * frame.tangent1 + kCorner[k][1] * frame.tangent2;
    m.point[k] = {p + 0.005 * normal, p - 0.005 * normal, -0.01, static_cast<std::uint32_t>(10 + k)};
  }
  return m;
}

struct Made {
  std::array<ContactPoint, 4> points;
  std::array<ContactAnchor, 4> anchors;
};

Made make(const Manifold& m, std::span<const ContactPoint> old, const Vec3& old_normal) {
  Made made{};
  make_contacts({m, {}, {}, old, old_normal}, made.points.data(), made.anchors.data());
  return made;
}

/// Impulses that tell the points apart: 1, 2, .. and tangents of a tenth and a hundredth of it.
void push(std::span<ContactPoint> points) {
  float size = 0;
  for (ContactPoint& p : points) {
    size += 1;
    p.normal_impulse = size, p.spin_impulse = -size;
    p.tangent_impulse[0] = size / 8, p.tangent_impulse[1] = -size / 64;
  }
}

TEST(MakeContacts, PointsLieMidwayAndAnchorsOnTheBodies) {
  Random random(3);
  for (int count = 1; count <= 4; ++count) {
    const Manifold m = square(normalised(Vec3{0.1 * count, 0.2, 1}), count);
    const Pose a = random_pose(random), b = random_pose(random);
    std::array<ContactPoint, 4> points{};
    std::array<ContactAnchor, 4> anchors{};
    make_contacts({m, a, b, {}, {}}, points.data(), anchors.data());
    for (std::size_t k = 0; k < 4; ++k) {
      const bool written = k < to_index(count);
      EXPECT_EQ(points[k].feature, written ? 10 + k : 0);
      EXPECT_EQ(points[k].normal_impulse, 0);
      if (!written) continue;
      expect_near(points[k].position, m.point[k].on_a - 0.005 * m.normal, 1e-15);
      EXPECT_EQ(points[k].separation, -0.01f);
      const auto placed = [](const Pose& pose, const float* p) {
        return transform(pose, {double{p[0]}, double{p[1]}, double{p[2]}});
      };
      const Vec3 on_a = placed(a, anchors[k].on_a), on_b = placed(b, anchors[k].on_b);
      expect_near(on_a, m.point[k].on_a, 1e-6);
      expect_near(on_b, m.point[k].on_b, 1e-6);
      // What rounding the anchors took is in the offset.
      EXPECT_NEAR(dot(m.normal, on_b - on_a) + double{anchors[k].offset}, -0.01, 1e-12);
    }
  }
}

TEST(MakeContacts, ImpulsesFollowTheFeature) {
  const Manifold m = square({0, 0, 1}, 4);
  std::array<ContactPoint, 4> old = make(m, {}, {}).points;
  push(old);
  // In the same order, in another one, and with one gone.
  const Made same = make(m, old, m.normal);
  std::swap(old[0], old[2]);
  const Made swapped = make(m, old, m.normal);
  const Made fewer = make(m, std::span(old).first(2), m.normal);
  for (std::size_t k = 0; k < 4; ++k) {
    const auto size = static_cast<float>(k + 1);
    for (const Made* made : {&same, &swapped}) {
      EXPECT_EQ(made->points[k].normal_impulse, size);
      EXPECT_EQ(made->points[k].tangent_impulse[0], size / 8);
      EXPECT_EQ(made->points[k].tangent_impulse[1], -size / 64);
      EXPECT_EQ(made->points[k].spin_impulse, -size);
    }
    EXPECT_EQ(fewer.points[k].normal_impulse, k == 1 || k == 2 ? size : 0);
  }
}

TEST(MakeContacts, WithoutTheFeatureTheNearestWithinReachGives) {
  const Manifold m = square({0, 0, 1}, 4);
  std::array<ContactPoint, 4> old = make(m, {}, {}).points;
  push(old);
  for (ContactPoint& p : old) p.feature += 100;
  old[1].position.x += 0.019, old[3].position.y += 0.021;
  const Made made = make(m, old, m.normal);
  EXPECT_EQ(made.points[0].normal_impulse, 1);
  EXPECT_EQ(made.points[1].normal_impulse, 2);
  EXPECT_EQ(made.points[2].normal_impulse, 3);
  EXPECT_EQ(made.points[3].normal_impulse, 0);
}

TEST(MakeContacts, TangentsAreTurnedIntoTheNewFrame) {
  // The same force in the world, as far as it lies in the new plane.
  const Vec3 before = normalised(Vec3{0.3, -0.2, 0.9}), now = normalised(Vec3{0.32, -0.15, 0.88});
  const Manifold m = square(now, 4);
  std::array<ContactPoint, 4> old = make(square(before, 4), {}, {}).points;
  push(old);
  const Made made = make(m, old, before);
  const Frame from = make_frame(before), to = make_frame(now);
  for (std::size_t k = 0; k < 4; ++k) {
    const Vec3 force =
        double{old[k].tangent_impulse[0]} * from.tangent1 + double{old[k].tangent_impulse[1]} * from.tangent2;
    EXPECT_NEAR(made.points[k].tangent_impulse[0], dot(to.tangent1, force), 1e-7);
    EXPECT_NEAR(made.points[k].tangent_impulse[1], dot(to.tangent2, force), 1e-7);
    EXPECT_EQ(made.points[k].normal_impulse, old[k].normal_impulse);
  }
}

}  // namespace
}  // namespace cairn
