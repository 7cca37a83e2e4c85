// SPDX-License-Identifier: MIT
// Machines: a crane that swings a load on a chain, and an excavator whose bucket closes on a heap of rocks.
#include <array>
#include <cmath>

#include "scenes/scene_family.h"
#include "scenes/scene_parts.h"

namespace cairn::scenes {

namespace {

JointAxis turning(double speed, double torque) {
  JointAxis axis;
  axis.drive = {DriveKind::velocity, speed, 0, 0, 0, torque};
  return axis;
}

JointAxis held(double stiffness, double damping) {
  JointAxis axis;
  axis.drive = {DriveKind::position, 0, 0, stiffness, damping, kUnlimited};
  return axis;
}

/// A cab that turns on a fixed tower, a boom that a strut holds up, a chain of light links and a load.
void build_crane(World& world, const SceneValues& values) {
  constexpr double kTower = 12, kReach = 10, kLink = 0.4;
  constexpr int kLinks = 20;
  const Material material = rubbing(values.get("friction"));
  add_ground(world, material);
  add_fixed_box(world, {0, 0, 0.5 * kTower}, {0.5, 0.5, 0.5 * kTower}, material);
  const BodyId cab = add_box(world, {{0, 0, kTower + 0.55}, {}}, {0.8, 0.8, 0.5}, material);
  world.add_joint(
      world.joint_at({}, cab, frame_along({0, 0, kTower}, {0, 0, 1}), HingeJoint{turning(values.get("speed"), 5e5)}));
  const double boom_z = kTower + 0.8;
  const BodyId boom = world.add_body({.pose = {{0.9 + 0.5 * kReach, 0, boom_z}, {}}},
                                     {{.shape = make_box({0.5 * kReach, 0.15, 0.2}), .density = 300}});
  world.add_joint(world.joint_at(cab, boom, frame_along({0.85, 0, boom_z}, {0, 1, 0}), HingeJoint{}));
  // From the top of the cab to the middle of the boom.
  const Vec3 top{0, 0, kTower + 4}, middle{0.9 + 0.6 * kReach, 0, boom_z};
  JointDef strut = world.joint_at(cab, boom, {top, {}}, DistanceJoint{norm(middle - top)});
  strut.frame_b = world.joint_at({}, boom, {middle, {}}, FixedJoint{}).frame_b;
  world.add_joint(strut);
  BodyId last = boom;
  Vec3 end{0.9 + kReach - 0.2, 0, boom_z - 0.2};
  for (int k = 0; k < kLinks; ++k) {
    const BodyId link = world.add_body({.pose = {end - Vec3{0, 0, 0.5 * kLink}, {}}},
                                       {{.shape = make_box({0.03, 0.03, 0.48 * kLink}), .material = material}});
    world.add_joint(world.joint_at(last, link, {end, {}}, BallJoint{}));
    last = link;
    end.z -= kLink;
  }
  const double half = 0.5;
  const double density = values.get("load") / (8 * half * half * half);
  const BodyId load =
      world.add_body({.pose = {end - Vec3{0, 0, half + 0.1}, {}}},
                     {{.shape = make_box({half, half, half}), .material = material, .density = density}});
  world.add_joint(world.joint_at(last, load, {end, {}}, BallJoint{}));
}

/// Floor, back and two sides, open to -x and upwards, around an axle along y at the top of the back.
BodyId add_bucket(World& world, const Vec3& axle, const Material& material) {
  constexpr double kHalfWidth = 0.6, kDepth = 0.7, kPlate = 0.03;
  const auto plate = [&](const Vec3& at, const Vec3& half) {
    return ShapeDef{.shape = make_box(half), .pose = {at, {}}, .material = material, .density = 4000};
  };
  const std::array<ShapeDef, 4> plates = {
      plate({-0.5 * kDepth, 0, -kDepth}, {0.5 * kDepth, kHalfWidth, kPlate}),
      plate({0, 0, -0.5 * kDepth}, {kPlate, kHalfWidth, 0.5 * kDepth}),
      plate({-0.5 * kDepth, -kHalfWidth, -0.6 * kDepth}, {0.5 * kDepth, kPlate, 0.4 * kDepth}),
      plate({-0.5 * kDepth, kHalfWidth, -0.6 * kDepth}, {0.5 * kDepth, kPlate, 0.4 * kDepth})};
  return world.add_body({.pose = {axle, {}}}, plates);
}

/// The arm is held by springs as stiff as hydraulics; the stick pulls in and the bucket curls.
void build_excavator(World& world, const SceneValues& values) {
  constexpr double kRock = 0.09, kSpacing = 0.21;
  constexpr int kRow = 10;
  const Material material = rubbing(values.get("friction"));
  add_ground(world, material);
  const Vec3 foot{-4, 0, 1}, elbow{-1, 0, 4.6}, wrist{1.6, 0, 2.2};
  const auto arm = [&](const Vec3& from, const Vec3& to) {
    const Vec3 way = to - from;
    return world.add_body({.pose = {0.5 * (from + to), turn({0, 1, 0}, -std::atan2(way.z, way.x))}},
                          {{.shape = make_box({0.45 * norm(way), 0.15, 0.15}), .material = material, .density = 2000}});
  };
  const auto hinge = [&](BodyId a, BodyId b, const Vec3& at, const JointAxis& axis) {
    world.add_joint(world.joint_at(a, b, frame_along(at, {0, 1, 0}), HingeJoint{axis}));
  };
  const BodyId boom = arm(foot, elbow), stick = arm(elbow, wrist);
  const BodyId bucket = add_bucket(world, wrist, material);
  hinge({}, boom, foot, held(2e6, 2e5));
  hinge(boom, stick, elbow, turning(values.get("pull"), 5e4));
  hinge(stick, bucket, wrist, turning(values.get("curl"), 2e4));
  Random random(values.seed());
  for (int i = 0; i < values.whole("count"); ++i) {
    const int x = i % kRow, y = i / kRow % kRow, z = i / (kRow * kRow);
    const Vec3 half{kRock * random.uniform(0.5, 0.7), kRock * random.uniform(0.5, 0.7),
                    kRock * random.uniform(0.5, 0.7)};
    const Vec3 at{-1.6 + kSpacing * x, kSpacing * (y - 0.5 * (kRow - 1)), 0.12 + kSpacing * z};
    add_box(world, {at, random_orientation(random)}, half, material);
  }
}

}  // namespace

std::vector<SceneFamily> machine_scenes() {
  return {
      {.name = "crane",
       .summary = "a crane turns with a load on a chain of light links",
       .parameters = {friction_parameter(), {"speed", 0.2, -2, 2, "rad/s of the cab"}, {"load", 2000, 1, 1e6, "kg"}},
       .build = build_crane,
       .steps = 1200,
       .measure_from = 0,
       .measure_to = 1200},
      {.name = "excavator",
       .summary = "a bucket closes on a heap of 500 rocks",
       .parameters = {friction_parameter(0.6),
                      {"count", 500, 0, 5000, "rocks", true},
                      {"pull", 0.15, -2, 2, "rad/s of the stick"},
                      {"curl", 0.15, -2, 2, "rad/s of the bucket"},
                      seed_parameter()},
       .build = build_excavator},
  };
}

}  // namespace cairn::scenes
