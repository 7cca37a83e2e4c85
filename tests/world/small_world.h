// SPDX-License-Identifier: MIT
// The parts of a world that detection and assembly work on, for tests that look between them.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "cairn/world/assembly/assemble.h"
#include "tests/geometry/samples.h"

namespace cairn {

struct SmallWorld {
  Bodies bodies;
  Shapes shapes;
  MaterialTable materials;
  ContactCache cache;
  ContactGraph graph;
  WorldSettings settings;
  Movers movers;
  Assembly assembly;
  double dt = 1.0 / 60;

  /// A body of one shape, 2 kg, with the inertia of a ball if it is one.
  void add(const Shape& shape, const Pose& pose, const Material& material, std::uint8_t status = kLive | kDynamic) {
    const std::size_t i = bodies.size();
    bodies.resize(i + 1), shapes.resize(i + 1);
    bodies.status[i] = status;
    bodies.pose[i] = bodies.reference[i] = pose;
    if ((status & kDynamic) != 0) {
      const bool is_ball = std::holds_alternative<Sphere>(shape);
      const SymMat3 inertia = is_ball ? SymMat3::diagonal(0.2, 0.2, 0.2) : SymMat3::diagonal(0.2, 0.3, 0.4);
      bodies.mass[i] = {2, 0.5, inertia, inverse(inertia)};
    }
    shapes.def[i].shape = shape;
    shapes.def[i].material = material;
    shapes.body[i] = static_cast<std::int32_t>(i);
    shapes.material[i] = materials.add(material);
    prepare_shape(bodies, shapes, i);
  }

  /// Moves a body, and says so if it leaves the place where its contacts were made.
  void move(std::size_t i, const Vec3& by) {
    bodies.pose[i].position += by;
    if (norm(bodies.pose[i].position - bodies.reference[i].position) <= settings.recycle_shift) return;
    bodies.reference[i] = bodies.pose[i];
    ++bodies.version[i];
  }

  /// Contacts, colours and islands of the bodies as they are.
  void detect() {
    for (std::size_t i = 0; i < shapes.size(); ++i) place_shape(bodies, shapes, i, settings.margin, dt);
    std::vector<BroadPair>& pairs = cache.next_pairs();
    pairs.clear();
    for (std::size_t a = 0; a < shapes.size(); ++a)
      for (std::size_t b = a + 1; b < shapes.size(); ++b)
        if ((bodies.is_dynamic(a) || bodies.is_dynamic(b)) && overlap(shapes.bounds[a], shapes.bounds[b]))
          pairs.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)});
    cache.match(nullptr);
    cache.update(bodies, shapes, {.margin = settings.margin, .dt = dt}, nullptr);
    graph.rebuild(bodies, shapes, cache, {}, nullptr);
  }

  ContactSource source(double impulse_scale = 0) const {
    return {shapes, materials, cache, graph, settings, false, impulse_scale};
  }

  /// The problem without contacts.
  void assemble() {
    movers.bodies.clear();
    movers.is_listed.assign(bodies.size(), 1);
    for (std::size_t i = 0; i < bodies.size(); ++i) movers.bodies.push_back(static_cast<std::int32_t>(i));
    assemble_bodies({bodies, movers, settings}, dt, nullptr, assembly);
  }
};

/// Materials that need every field of a contact: plain, bouncing, with a grain, drilling, sticking, and slippery.
inline std::vector<Material> every_material() {
  std::vector<Material> all(6);
  all[1].restitution = 0.6;
  all[2].friction_across = 0.1, all[2].grain = {0, 1, 0};
  all[3].spin_radius = 0.02;
  all[4].static_friction = 0.9;
  all[5].friction = 0;
  return all;
}

/// Balls, boxes and hulls in a box of side 3 over a floor, beside a kinematic plate and a wall, of any material or all
/// of a plain one. All move, and every contact has impulses. Floor and plate are the first bodies, the wall is the
/// last. Nothing pulls: a bounce that gravity takes back within the step needs no extra fields, which the cache gives
/// it all the same (assemble_lanes.h).
inline SmallWorld random_heap(std::uint64_t seed, bool is_plain = false) {
  Random random(seed);
  SmallWorld world;
  world.settings.gravity = {};
  const std::vector<Material> materials = every_material();
  const auto any_material = [&] {
    const std::uint64_t number = random.below(random.below(2) == 0 ? 1 : materials.size());
    return materials[is_plain ? 0 : number];
  };
  world.add(make_half_space({0, 0, 1}, 0), {}, materials[0], kLive);
  world.add(make_box({0.1, 2, 2}), {{-0.2, 1.5, 1.5}, {}}, any_material(), kLive | kKinematic);
  world.bodies.velocity[1] = {{0.3, 0, 0}, {0, 0, 0.1}};
  for (int i = 0; i < 60; ++i) {
    const Vec3 p{random.uniform(0, 3), random.uniform(0, 3), random.uniform(0.2, 3)};
    const std::uint64_t kind = random.below(4);
    Shape shape = make_sphere(0.4);
    if (kind == 1) shape = make_box({0.3, 0.4, 0.35});
    if (kind == 2) shape = make_hull(random_points(random, 8, 0.5));
    world.add(shape, {p, kind == 3 ? Quat{} : random_pose(random).orientation}, any_material());
    world.bodies.velocity.back() = {random_point(random), random_point(random)};
  }
  world.add(make_box({2, 0.1, 2}), {{1.5, 3.2, 1.5}, {}}, any_material(), kLive);
  world.detect();
  for (Slab& slab : world.cache.slabs())
    for (ContactPoint& p : slab.points) {
      p.normal_impulse = static_cast<float>(random.uniform(0, 2));
      for (float& t : p.tangent_impulse) t = static_cast<float>(random.uniform(-0.5, 0.5));
    }
  world.assemble();
  return world;
}

}  // namespace cairn
