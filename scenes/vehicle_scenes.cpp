// SPDX-License-Identifier: MIT
// Vehicles that drive over gentle hills: one on wheels whose chassis carries twenty joints, one on tracks.
#include <array>
#include <cmath>

#include "cairn/core/index.h"
#include "scenes/scene_family.h"
#include "scenes/scene_parts.h"

namespace cairn::scenes {

namespace {

constexpr double kHalfSide = 40;  // m, of the ground
constexpr double kStart = -32;    // m, where vehicles stand
constexpr double kFoot = -28;     // m, where the hills begin

/// Level up to kFoot, then waves along x that are lower away from the middle.
void add_hills(World& world, double height, const Material& material) {
  const auto hill = [=](double x, double y) {
    const double wave = x > kFoot ? std::sin(0.25 * (x - kFoot)) : 0.0;
    return height * wave * wave * (0.75 + 0.25 * std::cos(0.35 * y));
  };
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_hills(64, kHalfSide, hill), .material = material}});
}

JointAxis driven(double speed, double torque) {
  JointAxis axis;
  axis.drive = {DriveKind::velocity, speed, 0, 0, 0, torque};
  return axis;
}

/// A wheel beside the chassis, its axle along y.
BodyId add_wheel(World& world, BodyId chassis, const Vec3& at, double radius, double half_width, const JointAxis& axis,
                 const Material& material) {
  const BodyId wheel = world.add_body({.pose = {at, turn({1, 0, 0}, 0.5 * kPi)}},
                                      {{.shape = make_cylinder(radius, half_width), .material = material}});
  world.add_joint(world.joint_at(chassis, wheel, frame_along(at, {0, 1, 0}), HingeJoint{axis}));
  return wheel;
}

/// Eight wheels on hinges and twelve pistons on cylindrical joints, all on the chassis: 88 rows that hold (Mizerski
/// 2020).
void build_wheeled_vehicle(World& world, const SceneValues& values) {
  constexpr Vec3 kHalf{2, 0.6, 0.2};
  constexpr double kWheel = 0.4, kPiston = 0.3;
  const Material material = rubbing(values.get("friction"));
  add_hills(world, values.get("height"), material);
  const Vec3 centre{kStart, 0, kWheel + 0.01};
  const BodyId chassis = add_box(world, {centre, {}}, kHalf, material);
  const JointAxis drive = driven(values.get("speed") / kWheel, 400);
  for (int k = 0; k < 4; ++k)
    for (const double side : {-1.0, 1.0})
      add_wheel(world, chassis, centre + Vec3{k - 1.5, side * 0.85, 0}, kWheel, 0.15, drive, material);
  JointAxis slide, turn_axis;
  slide.motion = AxisMotion::limited, slide.lower = -0.1, slide.upper = 0.3;
  slide.drive = {DriveKind::position, 0, 0, 5000, 200, kUnlimited};
  turn_axis.friction = 1;
  for (int k = 0; k < 6; ++k)
    for (const double side : {-1.0, 1.0}) {
      const Vec3 at = centre + Vec3{0.6 * (k - 2.5), side * 0.3, kHalf.z + 0.15 + kPiston};
      const BodyId piston =
          world.add_body({.pose = {at, {}}}, {{.shape = make_cylinder(0.1, kPiston), .material = material}});
      world.add_joint(world.joint_at(chassis, piston, frame_along(at, {0, 0, 1}), CylindricalJoint{slide, turn_axis}));
    }
}

/// A point of the loop of a track at arc length s, counted from the rear end of its lower run: two straight runs and
/// two half circles in the plane y = 0 about (-half, 0) and (half, 0).
Vec3 track_point(double s, double half, double radius) {
  const double run = 2 * half, arc = kPi * radius;
  if (s < run) return {-half + s, 0, -radius};
  if (s < run + arc) {
    const double angle = (s - run) / radius;
    return {half + radius * std::sin(angle), 0, -radius * std::cos(angle)};
  }
  if (s < 2 * run + arc) return {half - (s - run - arc), 0, radius};
  const double angle = (s - 2 * run - arc) / radius;
  return {-half - radius * std::sin(angle), 0, radius * std::cos(angle)};
}

/// A closed ring of links around the wheels, hinge to hinge.
void add_track(World& world, const Vec3& centre, double half, double radius, const Material& material) {
  constexpr int kLinks = 40;
  constexpr double kHalfWidth = 0.2, kHalfThick = 0.03;
  const double length = 2 * (2 * half + kPi * radius);
  const auto hinge_point = [&](int k) { return centre + track_point(length * (k % kLinks) / kLinks, half, radius); };
  std::array<BodyId, kLinks> links;
  for (int k = 0; k < kLinks; ++k) {
    const Vec3 from = hinge_point(k), way = hinge_point(k + 1) - from;
    links[to_index(k)] = add_box(world, {from + 0.5 * way, turn({0, 1, 0}, -std::atan2(way.z, way.x))},
                                 {0.48 * norm(way), kHalfWidth, kHalfThick}, material);
  }
  for (int k = 0; k < kLinks; ++k)
    world.add_joint(world.joint_at(links[to_index(k)], links[to_index((k + 1) % kLinks)],
                                   frame_along(hinge_point(k + 1), {0, 1, 0}), HingeJoint{}));
}

/// Five wheels and a track of 40 hinges on each side; every wheel drives.
void build_tracked_vehicle(World& world, const SceneValues& values) {
  constexpr Vec3 kHalf{1.3, 0.5, 0.25};
  constexpr double kWheel = 0.3, kPitch = 0.66, kSide = 0.85;
  constexpr double kLoop = kWheel + 0.05;  // of the hinges: half a link, and room for the corners of the ring
  const Material material = rubbing(values.get("friction"));
  add_hills(world, values.get("height"), material);
  const Vec3 centre{kStart, 0, kLoop + 0.04};
  const BodyId chassis = add_box(world, {centre + Vec3{0, 0, 0.1}, {}}, kHalf, material);
  const JointAxis drive = driven(values.get("speed") / kWheel, 300);
  for (const double side : {-kSide, kSide}) {
    for (int k = -2; k <= 2; ++k)
      add_wheel(world, chassis, centre + Vec3{kPitch * k, side, 0}, kWheel, 0.18, drive, material);
    add_track(world, centre + Vec3{0, side, 0}, 2 * kPitch, kLoop, material);
  }
}

}  // namespace

std::vector<SceneFamily> vehicle_scenes() {
  const std::vector<ParameterSpec> parameters = {friction_parameter(0.9),
                                                 {"speed", 2, -10, 10, "m/s of the wheels' rims"},
                                                 {"height", 0.6, 0, 3, "m of the hills"}};
  const auto half_width = [](const SceneValues&) { return kHalfSide; };
  return {
      {.name = "wheeled_vehicle",
       .summary = "eight wheels and twelve pistons on one chassis drive over hills",
       .parameters = parameters,
       .build = build_wheeled_vehicle,
       .half_width = half_width,
       .steps = 1200,
       .measure_from = 0,
       .measure_to = 1200},
      {.name = "tracked_vehicle",
       .summary = "two tracks of 40 hinges around ten wheels drive over hills",
       .parameters = parameters,
       .build = build_tracked_vehicle,
       .half_width = half_width,
       .steps = 1200,
       .measure_from = 0,
       .measure_to = 1200},
  };
}

}  // namespace cairn::scenes
