// SPDX-License-Identifier: MIT
// Ragdolls: eleven capsules and boxes each, held by ball joints with cones and by hinges with stops.
#include <cmath>

#include "scenes/scene_family.h"
#include "scenes/scene_parts.h"

namespace cairn::scenes {

namespace {

JointAxis stops(double lower, double upper) {
  JointAxis axis;
  axis.motion = AxisMotion::limited, axis.lower = lower, axis.upper = upper;
  return axis;
}

/// A capsule between two points whose caps end at them; parts that meet at a joint do not collide.
BodyId add_limb(World& world, const Vec3& from, const Vec3& to, double radius, const Material& material) {
  const Vec3 way = to - from;
  const double length = norm(way);
  const Vec3 u = (1 / length) * way;
  const Quat q = u.z < -1 + 1e-9 ? Quat{0, 1, 0, 0} : normalised(Quat{1 + u.z, -u.y, u.x, 0});  // z to u
  return world.add_body({.pose = {0.5 * (from + to), q}},
                        {{.shape = make_capsule(radius, 0.5 * length - radius), .material = material}});
}

/// Upright, facing x, feet at z = 0 of `at`.
void add_ragdoll(World& world, const Vec3& at, const Material& material) {
  const auto p = [&](double y, double z) { return at + Vec3{0, y, z}; };
  const auto ball = [&](BodyId a, BodyId b, const Vec3& where, const Vec3& axis, double cone, double twist) {
    world.add_joint(world.joint_at(a, b, frame_along(where, axis), BallJoint{cone, stops(-twist, twist), 0.5}));
  };
  // About y: forward is a negative turn for a leg that hangs down.
  const auto hinge = [&](BodyId a, BodyId b, const Vec3& where, double lower, double upper) {
    world.add_joint(world.joint_at(a, b, frame_along(where, {0, 1, 0}), HingeJoint{stops(lower, upper)}));
  };
  const BodyId pelvis = add_box(world, {p(0, 0.96), {}}, {0.09, 0.15, 0.08}, material);
  const BodyId chest = add_box(world, {p(0, 1.26), {}}, {0.1, 0.17, 0.2}, material);
  const BodyId head = world.add_body({.pose = {p(0, 1.65), {}}}, {{.shape = make_sphere(0.12), .material = material}});
  ball(pelvis, chest, p(0, 1.05), {0, 0, 1}, 0.5, 0.4);
  ball(chest, head, p(0, 1.5), {0, 0, 1}, 0.6, 0.8);
  for (const double side : {-1.0, 1.0}) {
    const BodyId upper_arm = add_limb(world, p(side * 0.2, 1.4), p(side * 0.5, 1.4), 0.05, material);
    const BodyId lower_arm = add_limb(world, p(side * 0.52, 1.4), p(side * 0.8, 1.4), 0.045, material);
    ball(chest, upper_arm, p(side * 0.18, 1.4), {0, side, 0}, 1.3, 0.6);
    world.add_joint(world.joint_at(upper_arm, lower_arm, frame_along(p(side * 0.51, 1.4), {0, 0, side}),
                                   HingeJoint{stops(-2.3, 0)}));
    const BodyId thigh = add_limb(world, p(side * 0.1, 0.86), p(side * 0.1, 0.48), 0.07, material);
    const BodyId shin = add_limb(world, p(side * 0.1, 0.46), p(side * 0.1, 0.02), 0.06, material);
    ball(pelvis, thigh, p(side * 0.1, 0.87), {0, 0, -1}, 1.1, 0.4);
    hinge(thigh, shin, p(side * 0.1, 0.47), 0, 2.3);
  }
}

void build_ragdolls(World& world, const SceneValues& values) {
  const Material material = rubbing(values.get("friction"));
  add_ground(world, material);
  const int count = values.size(), side = static_cast<int>(std::ceil(std::sqrt(count)));
  for (int i = 0; i < count; ++i)
    add_ragdoll(world, {0.9 * (i / side), 1.8 * (i % side), 0.5 + 0.02 * (i % 7)}, material);
}

}  // namespace

std::vector<SceneFamily> ragdoll_scenes() {
  return {{.name = "ragdolls_",
           .size = {1, 10000, 100},
           .summary = "N ragdolls of 11 parts and 10 joints fall over",
           .parameters = {friction_parameter()},
           .build = build_ragdolls}};
}

}  // namespace cairn::scenes
