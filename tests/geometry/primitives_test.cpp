// SPDX-License-Identifier: MIT
// Closed-form answers of the simple shapes: box, sphere, capsule, cylinder, cone, half-space, compound.
#include <limits>
#include <numbers>

#include "tests/geometry/samples.h"

namespace cairn {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;
const double kHalfTurn = std::sqrt(0.5);  // sine and cosine of 45 degrees, half of a quarter turn

const Pose kQuarterAboutX{{1, 2, 3}, from_axis({1, 0, 0}, kHalfTurn, kHalfTurn)};  // z becomes -y

void expect_hit(const std::optional<RayHit>& hit, double distance, const Vec3& normal, std::int32_t feature) {
  ASSERT_TRUE(hit.has_value());
  EXPECT_NEAR(hit->distance, distance, 1e-12);
  expect_near(hit->normal, normal, 1e-12);
  EXPECT_EQ(hit->feature, feature);
}

void expect_closest(const ClosestPoint& c, const Vec3& point, const Vec3& normal, double distance) {
  expect_near(c.point, point, 1e-12);
  expect_near(c.normal, normal, 1e-12);
  EXPECT_NEAR(c.distance, distance, 1e-12);
}

TEST(Sphere, ClosedForms) {
  const Sphere s = make_sphere(2);
  expect_near(mass_properties(s, 3), {32 * pi, {}, SymMat3::diagonal(51.2 * pi, 51.2 * pi, 51.2 * pi)}, 1e-14);
  EXPECT_EQ(bounds(s, kQuarterAboutX), (Aabb{{-1, 0, 1}, {3, 4, 5}}));
  expect_near(support(s, {0, 3, 4}), {0, 1.2, 1.6}, 1e-15);
  expect_hit(ray(s, {-10, 0, 0}, {1, 0, 0}, kInf), 8, {-1, 0, 0}, 0);
  expect_hit(ray(s, {1, 0, 0}, {1, 0, 0}, kInf), 0, {-1, 0, 0}, 0);  // from inside
  EXPECT_FALSE(ray(s, {-10, 0, 0}, {1, 0, 0}, 7.9));
  EXPECT_FALSE(ray(s, {-10, 0, 0}, {-1, 0, 0}, kInf));
  EXPECT_FALSE(ray(s, {-10, 2.001, 0}, {1, 0, 0}, kInf));
  expect_closest(closest_point(s, {0, 5, 0}), {0, 2, 0}, {0, 1, 0}, 3);
  expect_closest(closest_point(s, {0, 0, 0}), {0, 0, 2}, {0, 0, 1}, -2);
}

TEST(Box, ClosedForms) {
  const Box b = make_box({1, 2, 3});
  expect_near(mass_properties(b, 0.5), {24, {}, SymMat3::diagonal(8 * 13.0, 8 * 10.0, 8 * 5.0)}, 1e-15);
  const Aabb turned = bounds(b, kQuarterAboutX);
  expect_near(turned.lower, {0, -1, 1}, 1e-14);
  expect_near(turned.upper, {2, 5, 5}, 1e-14);
  EXPECT_EQ(support(b, {-1, 0.1, -5}), (Vec3{-1, 2, -3}));
  expect_hit(ray(b, {0, 0, 10}, {0, 0, -1}, kInf), 7, {0, 0, 1}, 5);
  expect_hit(ray(b, {-4, 1, 1}, {1, 0, 0}, kInf), 3, {-1, 0, 0}, 0);
  expect_hit(ray(b, {-3, 4, 0}, {kHalfTurn, -kHalfTurn, 0}, kInf), 2 / kHalfTurn, {-1, 0, 0}, 0);  // at an edge
  EXPECT_FALSE(ray(b, {-4, 2.5, 1}, {1, 0, 0}, kInf));
  EXPECT_FALSE(ray(b, {-4, 1, 1}, {1, 0, 0}, 2.9));
  expect_closest(closest_point(b, {0.5, 0.5, 7}), {0.5, 0.5, 3}, {0, 0, 1}, 4);               // face
  expect_closest(closest_point(b, {4, 6, 1}), {1, 2, 1}, {0.6, 0.8, 0}, 5);                   // edge
  expect_closest(closest_point(b, {2, 4, -5}), {1, 2, -3}, {1 / 3.0, 2 / 3.0, -2 / 3.0}, 3);  // vertex
  expect_closest(closest_point(b, {0.75, 0, 0}), {1, 0, 0}, {1, 0, 0}, -0.25);                // inside
  expect_closest(closest_point(b, {0, 0, 0}), {-1, 0, 0}, {-1, 0, 0}, -1);                    // tie: lowest face
}

TEST(Capsule, ClosedForms) {
  const Capsule c = make_capsule(1, 2);
  EXPECT_NEAR(mass_properties(c, 1).mass, 4 * pi + 4 * pi / 3, 1e-13);
  EXPECT_NEAR(mass_properties(c, 1).inertia.zz, 2 * pi + 1.6 * pi / 3, 1e-13);
  // Nothing but the two ends remains when the tube is short: the inertia of the ball.
  EXPECT_NEAR(mass_properties(make_capsule(1, 1e-6), 1).inertia.xx, 1.6 * pi / 3, 1e-4);
  const Aabb turned = bounds(c, kQuarterAboutX);
  expect_near(turned.lower, {0, -1, 2}, 1e-14);
  expect_near(turned.upper, {2, 5, 4}, 1e-14);
  expect_near(support(c, {0, 0, -7}), {0, 0, -3}, 1e-15);
  expect_hit(ray(c, {-5, 0, 1}, {1, 0, 0}, kInf), 4, {-1, 0, 0}, 0);
  expect_hit(ray(c, {0, 0, 9}, {0, 0, -1}, kInf), 6, {0, 0, 1}, 2);
  expect_hit(ray(c, {0.6, 0, -9}, {0, 0, 1}, kInf), 6.2, {0.6, 0, -0.8}, 1);
  EXPECT_FALSE(ray(c, {-5, 1.01, 1}, {1, 0, 0}, kInf));
  expect_closest(closest_point(c, {3, 0, 1}), {1, 0, 1}, {1, 0, 0}, 2);
  expect_closest(closest_point(c, {3, 0, 6}), {0.6, 0, 2.8}, {0.6, 0, 0.8}, 4);
  expect_closest(closest_point(c, {0, 0.5, 0}), {0, 1, 0}, {0, 1, 0}, -0.5);
}

TEST(Shapes, RaysFromTheSurfaceStopThereOrLeave) {
  // Origins on the surface are inside or outside by rounding; inward rays must not run on to the far side.
  Random random(51);
  for (int round = 0; round < 2000; ++round) {
    for (const auto& [name, shape] : convex_shapes(random)) {
      SCOPED_TRACE(name);
      const ClosestPoint c = closest_point(shape, random_point(random, 2));
      if (c.distance > 0) continue;  // from inside the nearest point is never on an edge, where "inward" is ambiguous
      const Vec3 direction = random_direction(random);
      const double inward = -dot(c.normal, direction);
      const auto hit = ray(shape, c.point, direction, kInf);
      if (inward > 1e-3) {
        ASSERT_TRUE(hit);
        EXPECT_LE(hit->distance, 1e-10);
      } else if (inward < -1e-3) {
        EXPECT_LE(hit ? hit->distance : 0, 1e-10);
      }
    }
  }
}

TEST(Cylinder, ClosedForms) {
  const Cylinder c = make_cylinder(1, 2);
  expect_near(mass_properties(c, 3), {12 * pi, {}, SymMat3::diagonal(19 * pi, 19 * pi, 6 * pi)}, 1e-14);
  const Aabb turned = bounds(c, kQuarterAboutX);
  expect_near(turned.lower, {0, 0, 2}, 1e-7);
  expect_near(turned.upper, {2, 4, 4}, 1e-7);
  expect_near(support(c, {3, 4, -1}), {0.6, 0.8, -2}, 1e-15);
  expect_hit(ray(c, {-5, 0, 1}, {1, 0, 0}, kInf), 4, {-1, 0, 0}, 0);
  expect_hit(ray(c, {0.9, 0, -9}, {0, 0, 1}, kInf), 7, {0, 0, -1}, 1);
  expect_hit(ray(c, {0.9, 0, 9}, {0, 0, -1}, kInf), 7, {0, 0, 1}, 2);
  EXPECT_FALSE(ray(c, {0.9, 0.9, 9}, {0, 0, -1}, kInf));
  EXPECT_FALSE(ray(c, {-5, 0, 2.01}, {1, 0, 0}, kInf));
  expect_closest(closest_point(c, {4, 0, 1}), {1, 0, 1}, {1, 0, 0}, 3);
  expect_closest(closest_point(c, {0.5, 0, 5}), {0.5, 0, 2}, {0, 0, 1}, 3);
  expect_closest(closest_point(c, {4, 0, -6}), {1, 0, -2}, {0.6, 0, -0.8}, 5);  // rim
  expect_closest(closest_point(c, {0.75, 0, 0}), {1, 0, 0}, {1, 0, 0}, -0.25);
  expect_closest(closest_point(c, {0.25, 0, 1.5}), {0.25, 0, 2}, {0, 0, 1}, -0.5);
}

TEST(Cone, ClosedForms) {
  const Cone c = make_cone(3, 4);  // base at z = -1, apex at z = 3; the side is 5 long
  expect_near(mass_properties(c, 2), {24 * pi, {}, SymMat3::diagonal(46.8 * pi, 46.8 * pi, 64.8 * pi)}, 1e-14);
  const Aabb upright = bounds(c, {});
  expect_near(upright.lower, {-3, -3, -1}, 1e-14);
  expect_near(upright.upper, {3, 3, 3}, 1e-14);
  EXPECT_EQ(support(c, {0, 0.5, 1}), (Vec3{0, 0, 3}));
  EXPECT_EQ(support(c, {0, 2, 1}), (Vec3{0, 3, -1}));
  EXPECT_EQ(support(c, {0, 0, -1}), (Vec3{0, 0, -1}));
  expect_hit(ray(c, {-9, 0, 1}, {1, 0, 0}, kInf), 7.5, {-0.8, 0, 0.6}, 0);
  expect_hit(ray(c, {2, 1, -9}, {0, 0, 1}, kInf), 8, {0, 0, -1}, 1);
  expect_hit(ray(c, {1.5, 0, 9}, {0, 0, -1}, kInf), 8, {0.8, 0, 0.6}, 0);
  EXPECT_FALSE(ray(c, {-9, 0, 3.5}, {1, 0, 0}, kInf));  // would meet the mirrored cone above the apex
  EXPECT_FALSE(ray(c, {-9, 0, -1.5}, {1, 0, 0}, kInf));
  expect_closest(closest_point(c, {0, 0, 5}), {0, 0, 3}, {0, 0, 1}, 2);
  expect_closest(closest_point(c, {1, 0, -4}), {1, 0, -1}, {0, 0, -1}, 3);
  expect_closest(closest_point(c, {1.5 + 1.6, 0, 1 + 1.2}), {1.5, 0, 1}, {0.8, 0, 0.6}, 2);  // side
  expect_closest(closest_point(c, {6, 0, -5}), {3, 0, -1}, {0.6, 0, -0.8}, 5);               // rim
  expect_closest(closest_point(c, {0, 0, -0.5}), {0, 0, -1}, {0, 0, -1}, -0.5);
  expect_closest(closest_point(c, {1.5 - 0.16, 0, 1 - 0.12}), {1.5, 0, 1}, {0.8, 0, 0.6}, -0.2);
}

TEST(Cone, RaysMeetExtremeProportions) {
  for (const auto& [radius, height] : {std::pair(1e4, 1e-4), std::pair(1e-4, 1e4)}) {
    const Cone cone = make_cone(radius, height);
    const Vec3 middle{0.25 * radius, 0, base_z(cone) + 0.75 * height};  // on the side
    const Vec3 above = middle + Vec3{0, 0, height}, beside = middle + Vec3{radius, 0, 0};
    const auto down = ray(cone, above, {0, 0, -1}, kInf), in = ray(cone, beside, {-1, 0, 0}, kInf);
    ASSERT_TRUE(down && in);
    EXPECT_NEAR(down->distance, height, 1e-9 * height);
    EXPECT_NEAR(in->distance, radius, 1e-9 * radius);
  }
}

TEST(HalfSpace, ClosedForms) {
  const HalfSpace h = make_half_space({0, 0, 5}, 1);
  EXPECT_EQ(h.normal, (Vec3{0, 0, 1}));
  EXPECT_EQ(bounds(h, {{0, 0, 2}, {}}), (Aabb{{-kInf, -kInf, -kInf}, {kInf, kInf, 3}}));
  EXPECT_EQ(bounds(h, {{}, normalised(Quat{1, 0.3, 0.2, 0.1})}).upper.z, kInf);
  expect_hit(ray(h, {0, 0, 4}, {0, 0.6, -0.8}, kInf), 3.75, {0, 0, 1}, 0);
  EXPECT_FALSE(ray(h, {0, 0, 4}, {0, 1, 0}, kInf));
  EXPECT_FALSE(ray(h, {0, 0, 4}, {0, 0, -1}, 2.9));
  expect_closest(closest_point(h, {7, 8, 4}), {7, 8, 1}, {0, 0, 1}, 3);
  expect_closest(closest_point(h, {7, 8, 0}), {7, 8, 1}, {0, 0, 1}, -1);
  EXPECT_TRUE(has_words(refusal([&] { mass_properties(Shape(h), 1); }), "no finite mass"));
}

TEST(Compound, TwoHalvesAreABox) {
  const Shape half = make_box({1, 1, 1});
  const Compound both = make_compound({{half, {{-1, 0, 0}, {}}}, {half, {{1, 0, 0}, {}}}});
  const Shape whole = make_box({2, 1, 1});
  expect_near(mass_properties(both, 2), mass_properties(whole, 2), 1e-14);
  EXPECT_EQ(bounds(both, {}), bounds(whole, {}));
  expect_hit(ray(both, {9, 0, 0}, {-1, 0, 0}, kInf), 7, {1, 0, 0}, 1);
  expect_closest(closest_point(both, {-3, 0, 0}), {-2, 0, 0}, {-1, 0, 0}, 1);
}

TEST(Compound, TurnedChildrenKeepTheirInertia) {
  Random random(3);
  const Pose pose = random_pose(random);
  const MassProperties alone = mass_properties(make_cylinder(0.3, 1), 7);
  const MassProperties turned = mass_properties(make_compound({{make_cylinder(0.3, 1), pose}}), 7);
  expect_near(turned, {alone.mass, pose.position, rotate(to_matrix(pose.orientation), alone.inertia)}, 1e-13);
}

TEST(Shapes, BadSizesAreRefusedByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, -1.0, nan, kInf, 1e-9, 1e9}) {
    EXPECT_TRUE(has_words(refusal([&] { make_sphere(bad); }), "sphere radius"));
    EXPECT_TRUE(has_words(refusal([&] { make_box({1, bad, 1}); }), "box half-extent y"));
    EXPECT_TRUE(has_words(refusal([&] { make_capsule(1, bad); }), "capsule half-length"));
    EXPECT_TRUE(has_words(refusal([&] { make_cylinder(bad, 1); }), "cylinder radius"));
    EXPECT_TRUE(has_words(refusal([&] { make_cone(1, bad); }), "cone height"));
  }
  EXPECT_TRUE(has_words(refusal([] { make_sphere(1e9); }), "give a length from 1e-06 m to 1000000 m"));
  EXPECT_TRUE(has_words(refusal([] { make_half_space({}, 0); }), "normal is zero"));
  EXPECT_TRUE(has_words(refusal([&] { make_half_space({0, 0, 1}, nan); }), "offset"));
  EXPECT_TRUE(has_words(refusal([] { make_compound({}); }), "no children"));
  const Compound inner = make_compound({{make_sphere(1), {}}});
  EXPECT_TRUE(has_words(refusal([&] { make_compound({{inner, {}}}); }), "child 0 is a compound"));
  EXPECT_TRUE(has_words(refusal([&] { make_compound({{make_sphere(1), {{nan, 0, 0}, {}}}}); }), "pose of child 0"));
  EXPECT_TRUE(has_words(refusal([&] { make_compound({{make_sphere(1), {{}, {0, 0, 0, 0}}}}); }), "unit quaternion"));
  for (const double bad : {0.0, -1.0, nan, kInf})
    EXPECT_TRUE(has_words(refusal([&] { mass_properties(make_sphere(1), bad); }), "density"));
}

}  // namespace
}  // namespace cairn
