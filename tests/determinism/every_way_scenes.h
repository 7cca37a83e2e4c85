// SPDX-License-Identifier: MIT
// Small scenes that have, between them, everything that a step can meet; for tests that run each in many ways.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "cairn/core/random.h"
#include "tests/analytic/bench.h"
#include "tests/world/mixed_scene.h"

namespace cairn {

struct WayScene {
  const char* name;
  bool joint_rows;  ///< joints, locked translations or rolling resistance: not every solver takes them
  void (*add)(World&);
  void (*settle)(WorldSettings&);  ///< what is special about its settings; null: nothing
};
inline void PrintTo(const WayScene& scene, std::ostream* out) { *out << scene.name; }

namespace way_scenes {

inline void add_floor(World& world, const Material& material = {}) {
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0), .material = material}});
}

inline void add_stack(World& world) {
  add_floor(world);
  for (int k = 0; k < 5; ++k)
    world.add_body({.pose = {{0.03 * (k % 2), 0, 0.251 + 0.5 * k}}}, {{.shape = make_box({0.25, 0.25, 0.25})}});
}

/// One of each solid shape on a mesh, and a wall that pushes them.
inline void add_pile(World& world) {
  Random random(11);
  world.add_body({.kind = BodyKind::fixed}, {{.shape = bumpy_mesh(random)}});
  const Shape shapes[] = {
      make_sphere(0.15),        make_box({0.15, 0.12, 0.1}), make_capsule(0.1, 0.15),   random_hull(random, 0.2),
      make_cylinder(0.12, 0.1), make_cone(0.15, 0.2),        make_box({0.2, 0.1, 0.1}), make_sphere(0.1)};
  int k = 0;
  for (const Shape& shape : shapes) {
    world.add_body({.pose = {{0.22 * (k % 3) - 0.2, 0.22 * (k / 3) - 0.2, 0.25 + 0.05 * k},
                             bench::turn_about({1, 0.3 * k, 0.5}, 0.4 * k)}},
                   {{.shape = shape}});
    ++k;
  }
  world.add_body({.kind = BodyKind::kinematic, .pose = {{-0.8, 0, 0.3}}, .velocity = {{1, 0, 0}, {0, 0, 0.2}}},
                 {{.shape = make_box({0.1, 0.8, 0.25})}});
}

/// Links with cones, limits and drives that swing against a wall.
inline void add_chain(World& world) {
  add_floor(world);
  const JointAxis limited{.motion = AxisMotion::limited, .lower = -0.3, .upper = 0.3, .friction = 0.02};
  JointAxis driven = limited;
  driven.drive = {DriveKind::velocity, 2, 0, 0, 0, 5};
  const JointKind kinds[] = {BallJoint{0.6, limited, 0.01}, HingeJoint{limited}, HingeJoint{driven},
                             UniversalJoint{limited, {}}, BallJoint{}};
  BodyId last{};
  int k = 0;
  for (const JointKind& kind : kinds) {
    const BodyId link = world.add_body({.pose = {{0.3 * k + 0.15, 0, 0.5}}, .velocity = {{0, 0.5, 0}}},
                                       {{.shape = make_box({0.13, 0.04, 0.04})}});
    world.add_joint(world.joint_at(last, link, frame_along({0.3 * k, 0, 0.5}, {0, 1, 0.1}), kind));
    last = link, ++k;
  }
  const BodyId weight = world.add_body({.pose = {{1.7, 0, 0.5}}}, {{.shape = make_sphere(0.15)}});
  world.add_joint(world.joint_at(last, weight, frame_along({1.55, 0, 0.5}, {0, 1, 0}), RopeJoint{0.2, 0, 0}));
}

/// A net of balls that falls on a box, and limbs with cones, twists and friction: soft_step sweeps both. Some joints
/// of the net break.
inline void add_net(World& world) {
  constexpr int kSize = 3;
  add_floor(world);
  world.add_body({.kind = BodyKind::fixed, .pose = {{0.4, 0.4, 0.2}}}, {{.shape = make_box({0.2, 0.1, 0.2})}});
  std::vector<BodyId> balls;
  for (int k = 0; k < kSize * kSize; ++k) {
    const Vec3 at{0.25 * (k / kSize), 0.25 * (k % kSize), 0.5};
    balls.push_back(
        world.add_body({.pose = {at}, .velocity = {{0.1 * (k % 3), 0, -1}}}, {{.shape = make_sphere(0.1)}}));
    const auto join = [&](int other, const Vec3& way) {
      JointDef def = world.joint_at(balls[to_index(k - other)], balls.back(), {at - 0.125 * way, {}},
                                    BallJoint{kUnlimited, {}, 0.01});
      if (k == 2 * kSize + 1) def.break_force = 120;
      world.add_joint(def);
    };
    if (k % kSize > 0) join(1, {0, 1, 0});
    if (k / kSize > 0) join(kSize, {1, 0, 0});
  }
  const JointAxis twist{.motion = AxisMotion::limited, .lower = -0.3, .upper = 0.3};
  BodyId last{};
  for (int k = 0; k < 4; ++k) {
    const BodyId limb = world.add_body({.pose = {{2, 0.3 * k + 0.15, 0.4}}, .velocity = {{0.5, 0, 0}, {0, 0, 2}}},
                                       {{.shape = make_box({0.05, 0.12, 0.05})}});
    if (k > 0)
      world.add_joint(
          world.joint_at(last, limb, frame_along({2, 0.3 * k, 0.4}, {0, 1, 0}), BallJoint{0.5, twist, 0.05}));
    last = limb;
  }
}

inline void add_locked(World& world) {
  add_floor(world, {.friction = 0.3});
  const std::uint32_t axes[] = {kLockX,   kLockX | kLockTurnZ, kLockTurns, kLockY | kLockTurnX | kLockTurnZ, kLockZ,
                                kLockNone};
  int k = 0;
  for (const std::uint32_t locked : axes) {
    world.add_body({.pose = {{0.22 * k, 0.05 * (k % 2), 0.3 + 0.1 * (k % 3)}, bench::turn_about({1, 1, 0}, 0.2 * k)},
                    .velocity = {{-0.3, 0.5, -0.5}, {0.2, 0.1, 1}},
                    .locked_axes = locked},
                   {{.shape = make_box({0.12, 0.1, 0.1})}});
    ++k;
  }
}

/// Bouncing, spinning and rough-grained, by velocity Verlet.
inline void add_bouncing(World& world) {
  add_floor(world, {.friction = 0.6, .restitution = 0.3});
  const Material materials[] = {{.restitution = 0.8},
                                {.friction = 0.4, .spin_radius = 0.03},
                                {.friction = 0.8, .friction_across = 0.2, .grain = {0, 1, 0}},
                                {.friction = 0.3, .static_friction = 0.6, .spin_radius = 0.01, .restitution = 0.5}};
  int k = 0;
  for (const Material& material : materials)
    for (const Shape& shape : {Shape{make_sphere(0.12)}, Shape{make_box({0.1, 0.12, 0.08})}}) {
      world.add_body({.pose = {{0.28 * (k % 3), 0.28 * (k / 3), 0.16 + 0.03 * k}},
                      .velocity = {{0.2 * k - 0.5, 0.3, -1}, {0, 1, 8}},
                      .continuous = k % 4 == 0},
                     {{.shape = shape, .material = material}});
      ++k;
    }
}

inline void add_rolling(World& world) {
  add_floor(world, {.friction = 0.6, .rolling_radius = 0.01});
  for (int k = 0; k < 5; ++k)
    world.add_body({.pose = {{0.21 * k, 0, 0.1 + 0.002 * k}}, .velocity = {{1.5 - 0.4 * k, 0.2, 0}, {0, 3, 1}}},
                   {{.shape = k % 2 == 0 ? Shape{make_sphere(0.1)} : Shape{make_capsule(0.1, 0.08)},
                     .material = {.friction = 0.5, .spin_radius = 0.02, .rolling_radius = 0.005}}});
}

/// Boxes on pegs and rods that give way one after the other.
inline void add_breaking(World& world) {
  add_floor(world);
  for (int k = 0; k < 5; ++k) {
    const Vec3 at{0.5 * k, 0, 0.6};
    const BodyId box = world.add_body({.pose = {at}}, {{.shape = make_box({0.15, 0.12, 0.1})}});
    const JointKind kind = k % 2 == 0 ? JointKind{FixedJoint{}} : JointKind{HingeJoint{}};
    JointDef def = world.joint_at({}, box, frame_along(at + Vec3{0, 0.12, 0.1}, {1, 0, 0}), kind);
    def.break_force = 60 + 20 * k;  // a box weighs 141 N: some hold for a while, some never do
    world.add_joint(def);
  }
}

inline void add_sleepers(World& world) {
  add_floor(world);
  for (int tower = 0; tower < 3; ++tower)
    for (int k = 0; k < 2; ++k)
      world.add_body({.pose = {{0.8 * tower, 0, 0.2 + 0.4 * k}}}, {{.shape = make_box({0.2, 0.2, 0.2})}});
  world.add_body({.pose = {{0, 0, 2.2}}}, {{.shape = make_sphere(0.2)}});  // wakes the first tower
}

inline void settle_bouncing(WorldSettings& settings) {
  settings.integrator = Integrator::velocity_verlet;
  settings.sub_steps = 2;
}

inline void settle_sleepers(WorldSettings& settings) {
  settings.sleep.enabled = true;
  settings.sleep.time = 0.1;
}

}  // namespace way_scenes

inline const std::vector<WayScene>& every_way_scenes() {
  using namespace way_scenes;
  static const std::vector<WayScene> kScenes{
      {"stack", false, add_stack, nullptr},
      {"pile", false, add_pile, nullptr},
      {"chain", true, add_chain, nullptr},
      {"net", true, add_net, nullptr},
      {"locked", true, add_locked, nullptr},
      {"bouncing", false, add_bouncing, settle_bouncing},
      {"rolling", true, add_rolling, nullptr},
      {"breaking", true, add_breaking, nullptr},
      {"sleepers", false, add_sleepers, settle_sleepers},
  };
  return kScenes;
}

}  // namespace cairn
