// SPDX-License-Identifier: MIT
// Structures at the edge of standing: each stands a little on one side of its closed-form limit and falls on the other.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cairn/geometry/hull_builder.h"
#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

/// Friction of a pair is the smaller of the two: the floor's against the floor, the bodies' among themselves.
Material least(double friction) { return {.friction = friction, .friction_rule = CombineRule::minimum}; }

WorldSettings structure_settings() {
  WorldSettings settings = exact_settings();
  settings.iterations = 400;
  settings.tolerance = 1e-8;
  return settings;
}

/// The top has sunk by no more than 1 mm of a metre-sized structure, or by more than it could without falling.
void expect_stands(const char* what, double sunk) {
  testing::Test::RecordProperty(std::string(what) + " stands", fmt::format("{:.2g}", sunk));
  EXPECT_LT(sunk, 1e-3) << what;
}
void expect_falls(const char* what, double sunk, double enough) {
  testing::Test::RecordProperty(std::string(what) + " falls", fmt::format("{:.2g}", sunk));
  EXPECT_GT(sunk, enough) << what;
}

/// How far a body has sunk when the world has run for `seconds`.
double sunk(World& world, BodyId body, double seconds, double dt) {
  const double before = world.view(body).centre.z;
  run(world, static_cast<int>(seconds / dt), dt);
  return before - world.view(body).centre.z;
}

/// A semicircular arch of mean radius 1 m of straight-sided voussoirs between radial joints, on a floor at the height
/// of its springings; how far its crown sinks.
double crown_sinks(int count, double thickness) {
  World world(structure_settings());
  add_ramp(world, 0, rough(20));
  std::vector<BodyId> stones;
  for (int i = 0; i < count; ++i) {
    std::vector<Vec3> corners;
    for (const double radius : {1 - 0.5 * thickness, 1 + 0.5 * thickness})
      for (const int end : {0, 1})
        for (const double y : {-0.1, 0.1}) {
          const double angle = kPi * (i + end) / count;
          corners.push_back({radius * std::cos(angle), y, radius * std::sin(angle)});
        }
    stones.push_back(world.add_body({}, {{.shape = make_hull(corners), .material = rough(20)}}));
  }
  return sunk(world, stones[stones.size() / 2], 2, 1.0 / 200);
}

TEST(MasonryArch, StandsAndFallsAroundTheLimitOfMilankovitch) {
  // Limit analysis of 16 straight-sided voussoirs: t/R = 0.107076.
  const double limit = 0.107076;
  expect_stands("arch", crown_sinks(16, 1.05 * limit));
  expect_falls("arch", crown_sinks(16, 0.95 * limit), 0.05);
}

/// `count` blocks of length 1 on a table, the k-th from the top overhanging the one below by factor / (2 k).
double top_sinks(int count, double factor) {
  World world(structure_settings());
  const Vec3 half{0.5, 0.25, 0.1};
  world.add_body({.kind = BodyKind::fixed, .pose = {{-1, 0, -0.5}, {}}}, {{.shape = make_box({1, 1, 0.5})}});
  BodyId top;
  double edge = 0;
  for (int k = count; k >= 1; --k) {  // from the table up
    edge += factor / (2.0 * k);
    top =
        world.add_body({.pose = {{edge - half.x, 0, (2 * (count - k) + 1) * half.z}, {}}}, {{.shape = make_box(half)}});
  }
  return sunk(world, top, 2, 1.0 / 100);
}

TEST(HarmonicOverhang, StandsAtNinetyNinePercentAndFallsAtHundredAndOne) {
  for (const int count : {1, 2, 4}) {
    const std::string name = std::to_string(count) + " blocks";
    expect_stands(name.c_str(), top_sinks(count, 0.99));
    expect_falls(name.c_str(), top_sinks(count, 1.01), 0.05);
  }
}

double cylinder_pyramid_sinks(double among, double on_floor) {
  World world(structure_settings());
  const double radius = 0.1;
  add_ramp(world, 0, least(on_floor));
  const Quat lying = turn_about({1, 0, 0}, 90 * kDegree);
  const auto add = [&](double x, double z) {
    return world.add_body({.pose = {{x, 0, z}, lying}},
                          {{.shape = make_cylinder(radius, 0.2), .material = least(among)}});
  };
  add(-radius, radius), add(radius, radius);
  return sunk(world, add(0, radius * (1 + std::sqrt(3.0))), 2, 1.0 / 200);
}

TEST(ThreeCylinders, StandFromTheOnsetOfFriction) {
  const double among = 2 - std::sqrt(3.0), on_floor = 0.08932;
  expect_stands("among", cylinder_pyramid_sinks(1.05 * among, 1));
  expect_falls("among", cylinder_pyramid_sinks(0.95 * among, 1), 0.02);
  expect_stands("on the floor", cylinder_pyramid_sinks(1, 1.05 * on_floor));
  expect_falls("on the floor", cylinder_pyramid_sinks(1, 0.95 * on_floor), 0.02);
}

double sphere_pyramid_sinks(double among, double on_floor) {
  World world(structure_settings());
  const double radius = 0.1;
  add_ramp(world, 0, least(on_floor));
  const auto add = [&](const Vec3& p) {
    return world.add_body({.pose = {p, {}}}, {{.shape = make_sphere(radius), .material = least(among)}});
  };
  for (int i = 0; i < 3; ++i) {
    const double angle = i * 120 * kDegree, out = 2 * radius / std::sqrt(3.0);
    add({out * std::cos(angle), out * std::sin(angle), radius});
  }
  return sunk(world, add({0, 0, radius * (1 + 2 * std::sqrt(2.0 / 3))}), 2, 1.0 / 200);
}

TEST(FourSpheres, StandFromTheOnsetOfFriction) {
  const double among = std::sqrt(3.0) - std::sqrt(2.0), on_floor = 0.07946;
  expect_stands("among", sphere_pyramid_sinks(1.05 * among, 1));
  expect_falls("among", sphere_pyramid_sinks(0.95 * among, 1), 0.02);
  expect_stands("on the floor", sphere_pyramid_sinks(1, 1.05 * on_floor));
  expect_falls("on the floor", sphere_pyramid_sinks(1, 0.95 * on_floor), 0.02);
}

constexpr double kThin = 1e-3;  ///< radius of a card or a ladder of length 1
constexpr std::uint32_t kPlane = kLockY | kLockTurnX | kLockTurnZ;

/// A thin rod at `angle` to the floor whose upper end is centred at x = 0 and whose foot is at the side of -x (or +x).
BodyId add_leaning(World& world, double angle, double side, double x) {
  const double z = kThin + 0.5 * std::sin(angle);
  return world.add_body(
      {.pose = {{x - side * 0.5 * std::cos(angle), 0, z}, turn_about({0, side, 0}, 0.5 * kPi - angle)},
       .locked_axes = kPlane},
      {{.shape = make_capsule(kThin, 0.5), .material = least(1)}});
}

double ladder_sinks(double angle, double friction) {
  World world(structure_settings());
  add_ramp(world, 0, least(friction));
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({-1, 0, 0}, -kThin), .material = least(0)}});
  return sunk(world, add_leaning(world, angle, 1, 0), 2, 1.0 / 200);
}

double tent_sinks(double angle, double friction) {
  World world(structure_settings());
  add_ramp(world, 0, least(friction));
  add_leaning(world, angle, 1, -kThin);
  return sunk(world, add_leaning(world, angle, -1, kThin), 2, 1.0 / 200);
}

TEST(LadderAndTent, StandExactlyWhenSteepEnough) {
  // mu >= 1 / (2 tan theta); mu = 0.3: 59.036 degrees.
  const double steep = (59.036 + 1) * kDegree, shallow = (59.036 - 1) * kDegree;
  expect_stands("ladder", ladder_sinks(steep, 0.3));
  expect_falls("ladder", ladder_sinks(shallow, 0.3), 0.05);
  expect_stands("tent", tent_sinks(steep, 0.3));
  expect_falls("tent", tent_sinks(shallow, 0.3), 0.05);
}

}  // namespace
}  // namespace cairn
