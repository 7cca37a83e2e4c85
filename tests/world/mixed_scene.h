// SPDX-License-Identifier: MIT
// A world with something of everything, and edits on the way: what tests of whole states run.
#pragma once

#include "cairn/core/random.h"
#include "cairn/geometry/hull_builder.h"
#include "cairn/world/world.h"

namespace cairn {

inline ConvexHull random_hull(Random& random, double size) {
  std::vector<Vec3> points;
  for (int k = 0; k < 24; ++k)
    points.push_back({random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)});
  return make_hull(points);
}

/// A patch of 8 x 8 cells with small bumps around the origin, its lowest point at z = 0.
inline TriangleMesh bumpy_mesh(Random& random) {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::int32_t, 3>> triangles;
  for (int y = 0; y <= 8; ++y)
    for (int x = 0; x <= 8; ++x) vertices.push_back({0.5 * x - 2, 0.5 * y - 2, random.uniform(0.0, 0.05)});
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) {
      const std::int32_t v = 9 * y + x;
      triangles.push_back({v, v + 1, v + 10});
      triangles.push_back({v, v + 10, v + 9});
    }
  triangles.push_back({3, 3, 4});  // dropped and counted
  return make_mesh(vertices, triangles);
}

inline WorldSettings mixed_settings(int threads) {
  WorldSettings settings;
  settings.threads = threads;
  settings.iterations = 12;
  settings.sleep.enabled = true;
  settings.sleep.time = 0.2;
  return settings;
}

/// What stays where it is, or goes its own way.
inline void add_surroundings(World& world, Random& random) {
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  world.add_body({.kind = BodyKind::fixed, .pose = {{0, 0, 0.1}}}, {{.shape = bumpy_mesh(random)}});
  world.add_body({.kind = BodyKind::fixed, .pose = {{3, -2, 0.05}}},
                 {{.shape = make_height_field(4, 4, 0.5, std::vector<double>(16, 0.1))}});
  world.add_body({.kind = BodyKind::kinematic, .pose = {{-4, 0, 0.3}}, .velocity = {{0.6, 0, 0}, {0, 0, 0.5}}},
                 {{.shape = make_box({0.2, 1.5, 0.25})}});
}

/// About 80 bodies of every kind in a heap; hulls and compounds share their data.
inline void add_heap(World& world, Random& random) {
  const ConvexHull hull = random_hull(random, 0.2);
  const Compound compound = make_compound({{make_box({0.25, 0.06, 0.06}), {{0, 0, 0}}},
                                           {make_sphere(0.1), {{0.25, 0, 0}}},
                                           {hull, {{-0.25, 0, 0}, normalised(Quat{1, 0.3, 0, 0})}}});
  const Shape shapes[] = {make_sphere(0.15),
                          make_box({0.15, 0.12, 0.1}),
                          make_capsule(0.1, 0.15),
                          hull,
                          make_cylinder(0.12, 0.1),
                          make_cone(0.15, 0.2),
                          compound};
  Material grained{.friction_across = 0.2, .grain = {0, 1, 0}};
  Material rolling{.static_friction = 0.7, .spin_radius = 0.02, .rolling_radius = 0.01, .restitution = 0.3};
  for (int k = 0; k < 84; ++k) {
    BodyDef body;
    body.pose = {{0.33 * (k % 5) - 0.8, 0.33 * (k / 5 % 5) - 0.8, 0.4 + 0.35 * (k / 25)},
                 normalised(Quat{1, random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)})};
    body.angular_damping = k % 4 == 0 ? 0.1 : 0;
    body.locked_axes = k % 17 == 5 ? kLockX | kLockTurnZ : kLockNone;
    body.user = static_cast<std::uint64_t>(k);
    world.add_body(body, {{.shape = shapes[k % 7],
                           .material = k % 3 == 0   ? grained
                                       : k % 3 == 1 ? rolling
                                                    : Material{}}});
  }
}

/// Neighbours in the heap held together in every way there is.
inline void add_joints(World& world) {
  const std::vector<BodyId> bodies = world.bodies();
  JointAxis axis{.motion = AxisMotion::limited, .lower = -0.4, .upper = 0.4, .friction = 0.1};
  axis.drive = {DriveKind::velocity, 1, 0, 0, 0, 2};
  const JointKind kinds[] = {BallJoint{0.5, axis, 0.1},
                             HingeJoint{axis},
                             PrismaticJoint{axis},
                             CylindricalJoint{{}, axis},
                             FixedJoint{},
                             DistanceJoint{0.33},
                             RopeJoint{0.4, 0, 0},
                             SpringJoint{0.3, 50, 1},
                             UniversalJoint{axis, {}},
                             PlanarJoint{axis, {}, {}},
                             SixDofJoint{{axis}, {}}};
  std::size_t k = 12;
  for (const JointKind& kind : kinds) {
    const Vec3 middle = 0.5 * (world.view(bodies[k]).pose.position + world.view(bodies[k + 1]).pose.position);
    JointDef def = world.joint_at(bodies[k], bodies[k + 1], frame_along(middle, {1, 0.5, 0}), kind);
    def.break_force = k % 3 == 0 ? 60 : kUnlimited;
    world.add_joint(def);
    k += 3;
  }
}

inline void build_mixed(World& world) {
  Random random(7);
  add_surroundings(world, random);
  add_heap(world, random);
  add_joints(world);
  world.add_body({.pose = {{-5, 0.1, 0.8}}, .velocity = {{40, 0, 0}}, .continuous = true},
                 {{.shape = make_sphere(0.1)}});
  // Two shapes on one body, and a mass of its own.
  world.add_body({.pose = {{0, 0, 2.5}}, .mass = MassProperties{4, {0.1, 0, 0}, SymMat3::diagonal(0.2, 0.3, 0.4)}},
                 {{.shape = make_sphere(0.2)}, {.shape = make_box({0.1, 0.1, 0.3}), .pose = {{0.3, 0, 0}}}});
}

/// What happens between steps: depends on the number of steps and the state alone.
inline void edit_mixed(World& world) {
  const std::vector<BodyId> bodies = world.bodies();
  switch (world.step_count()) {
    case 5: world.set_collision(bodies[10], bodies[11], false); break;
    case 20:
      for (const std::size_t k : {8u, 30u, 31u, 50u}) world.remove_body(bodies[k]);
      break;
    case 26:
      world.add_body({.pose = {{0.2, 0.1, 2}}, .velocity = {{0, 0, -2}}}, {{.shape = make_sphere(0.25)}});
      world.add_shape(bodies[12], {.shape = make_sphere(0.08), .pose = {{0.2, 0, 0}}});
      world.remove_body(bodies[40]);
      break;
    case 60: world.add_force(bodies[15], {0, 0, 400}); break;
    case 90:
      world.set_kind(bodies[20], BodyKind::fixed);
      world.set_material(world.shapes_of(bodies[21])[0], {.friction = 0.9});
      world.set_velocity(bodies[3], {});
      break;
    case 140: world.add_impulse_at(bodies[25], {0, 2, 3}, {0, 0, 0.4}); break;
    default: break;
  }
}

}  // namespace cairn
