// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include "cairn/core/index.h"
#include "cairn/world/snapshot/snapshot_archive.h"
#include "cairn/world/snapshot/snapshot_geometry.h"
#include "cairn/world/snapshot/snapshot_parts.h"

namespace cairn {

namespace {

/// What the user gave but the geometry.
template <class A, class S>
void archive_definition(A& a, S& shapes, std::size_t i) {
  auto& def = shapes.def[i];
  archive_all(a, def.pose, def.material, def.density, def.layer, def.mask, def.user, shapes.body[i]);
}

/// Where a shape was placed depends on when its body last moved: it is kept.
template <class A, class S>
void archive_placement(A& a, S& shapes, std::size_t i) {
  archive_all(a, shapes.pose[i], shapes.bounds[i], shapes.ball[i]);
}

/// All geometry, handles and definitions; visit(i) after that of shape i.
template <class Visit>
void save_shapes(const WorldState& world, ByteWriter& out, Visit&& visit) {
  const Shapes& shapes = world.shapes;
  GeometryTable table;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    if (shapes.body[i] >= 0) table.add(shapes.def[i].shape);
  table.save(out);
  const auto ids = world.shape_ids.state();
  archive(out, ids);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (shapes.body[i] < 0) continue;
    table.save_shape(out, shapes.def[i].shape);
    archive_definition(out, shapes, i);
    visit(i);
  }
}

bool is_within(const Vec3& v) {
  const auto fits = [](double x) { return x >= -kLargestCoordinate && x <= kLargestCoordinate; };
  return fits(v.x) && fits(v.y) && fits(v.z);
}

void check_placed(const WorldState& world, std::size_t i) {
  const Shapes& shapes = world.shapes;
  check_shape_def(shapes.def[i]);
  check_reached(shapes.def[i].pose, "pose");
  const std::int32_t body = shapes.body[i];
  require(body >= 0 && !(world.body_ids.at(to_index(body)) == BodyId{}), "its body does not exist");
  check_reached(shapes.pose[i], "placed pose");
  const Aabb& box = shapes.bounds[i];
  require(is_within(box.lower) && is_within(box.upper) && box.lower.x <= box.upper.x && box.lower.y <= box.upper.y &&
              box.lower.z <= box.upper.z,
          "its bounds are no box");
  require(is_within(shapes.ball[i].centre) && shapes.ball[i].radius >= 0, "its ball is none");
}

MassState checked_mass(const WorldState& world, std::size_t body) {
  constexpr double kSlack = 2;  // for the order in which the masses of shapes are added up
  const MassProperties mass = mass_of_body(world, body);
  if (!is_usable(mass, kSlack))
    fail_input(fmt::format("body {} is dynamic and its mass or inertia cannot be used", body));
  return mass_state(mass);
}

/// What follows from bodies and shapes together.
void derive(WorldState& world) {
  Bodies& bodies = world.bodies;
  Shapes& shapes = world.shapes;
  for (std::size_t s = 0; s < shapes.size(); ++s)
    if (shapes.body[s] >= 0) bodies.record[to_index(shapes.body[s])].shapes.push_back(static_cast<std::uint32_t>(s));
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies.is_live(i)) continue;
    if (bodies.is_dynamic(i)) bodies.mass[i] = checked_mass(world, i);
    for (const std::uint32_t s : bodies.record[i].shapes) {
      prepare_shape(bodies, shapes, s);
      shapes.material[s] = world.materials.add(shapes.def[s].material);
    }
  }
}

}  // namespace

void save_shapes(const WorldState& world, ByteWriter& out) {
  save_shapes(world, out, [&](std::size_t i) { archive_placement(out, world.shapes, i); });
  out.number(world.materials.any_rolling());
  out.number(world.materials.any_grain());
}

void save_shape_definitions(const WorldState& world, ByteWriter& out) {
  save_shapes(world, out, [](std::size_t) {});
}

void load_shapes(ByteReader& in, WorldState& world) {
  GeometryTable table;
  table.load(in);
  HandlePool<ShapeTag>::State ids;
  archive(in, ids);
  require(ids.generation.size() < 0x7fffffff, "there are too many shapes");
  Shapes& shapes = world.shapes;
  shapes.resize(ids.generation.size());
  world.shape_ids.restore(std::move(ids));
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (world.shape_ids.at(i) == ShapeId{}) continue;
    try {
      shapes.def[i].shape = table.load_shape(in);
      archive_definition(in, shapes, i), archive_placement(in, shapes, i);
      check_placed(world, i);
    } catch (const InputError& error) {
      fail_input(fmt::format("shape {}: {}", i, error.what()), error.kind());
    }
  }
  const bool any_rolling = in.get<bool>(), any_grain = in.get<bool>();
  world.materials.remember(any_rolling, any_grain);
  derive(world);
}

}  // namespace cairn
