// SPDX-License-Identifier: MIT
// Edits: adding, removing and changing bodies and shapes. Every function checks all it is given before it changes
// anything; whatever is edited wakes up and is placed anew by the next detection.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/math/angle.h"
#include "cairn/world/limits.h"
#include "cairn/world/world_state.h"

namespace cairn {

namespace {

constexpr std::size_t kMostBodies = std::size_t{1} << 30;

std::uint8_t status_of(BodyKind kind) {
  constexpr std::uint8_t kNew = kLive | kTouched;
  return kind == BodyKind::dynamic ? kNew | kDynamic : kind == BodyKind::kinematic ? kNew | kKinematic : kNew;
}

/// Mass of several shapes together: sum of masses, common centre, inertias shifted to it (parallel axes).
MassProperties mass_of(std::span<const ShapeDef* const> shapes) {
  std::vector<MassProperties> parts;
  MassProperties sum;
  for (const ShapeDef* def : shapes) {
    const MassProperties& part =
        parts.emplace_back(def->density == 0 ? MassProperties{} : mass_properties(def->shape, def->density));
    sum.mass += part.mass;
    sum.centre += part.mass * transform(def->pose, part.centre);
  }
  if (!(sum.mass > 0)) return sum;
  sum.centre = (1.0 / sum.mass) * sum.centre;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (shapes[k]->density == 0) continue;
    const Pose& pose = shapes[k]->pose;
    const SymMat3 turned = rotate(to_matrix(pose.orientation), parts[k].inertia);
    const SymMat3 moved = shifted_inertia(turned, parts[k].mass, transform(pose, parts[k].centre) - sum.centre);
    SymMat3& s = sum.inertia;
    s = {s.xx + moved.xx, s.yy + moved.yy, s.zz + moved.zz, s.xy + moved.xy, s.xz + moved.xz, s.yz + moved.yz};
  }
  return sum;
}

/// A dynamic body needs a mass; the shapes of one that has none given must make one.
void check_has_mass(BodyKind kind, const std::optional<MassProperties>& given,
                    std::span<const ShapeDef* const> shapes) {
  if (kind != BodyKind::dynamic || given) return;
  const MassProperties mass = mass_of(shapes);
  if (!(mass.mass >= kSmallestMass && mass.mass <= kLargestMass))
    fail_input(
        fmt::format("a dynamic body needs a mass in [{:g}, {:g}] kg and its shapes make {:g}: give BodyDef::mass, add "
                    "shapes with volume and density, or make it fixed",
                    kSmallestMass, kLargestMass, mass.mass));
  if (!is_usable(mass))
    fail_input(
        fmt::format("a dynamic body needs principal moments of inertia in [{:g}, {:g}] kg m^2 and its shapes are "
                    "too thin or too long for that: give BodyDef::mass, or make it fixed",
                    kSmallestInertia, kLargestInertia));
}

/// Those that stay: without the ones that wait for the end of the events to be removed.
std::vector<std::uint32_t> remaining_shapes(const WorldState& world, std::size_t body) {
  std::vector<std::uint32_t> rest = world.bodies.record[body].shapes;
  if (world.delivering)
    for (const ShapeId waiting : world.shapes_to_remove) std::erase(rest, waiting.index);
  return rest;
}

std::vector<const ShapeDef*> defs_of(const WorldState& world, std::span<const std::uint32_t> shapes) {
  std::vector<const ShapeDef*> result;
  for (const std::uint32_t s : shapes) result.push_back(&world.shapes.def[s]);
  return result;
}

void touch(WorldState& world, std::size_t body) {
  world.bodies.status[body] |= kTouched;
  world.queries.mark(body);
  wake_body(world, body);
}

}  // namespace

MassProperties mass_of_body(const WorldState& world, std::size_t body) {
  const BodyRecord& record = world.bodies.record[body];
  return record.mass ? *record.mass : mass_of(defs_of(world, record.shapes));
}

MassState mass_state(const MassProperties& mass) {
  return {mass.mass, 1.0 / mass.mass, mass.inertia, inverse(mass.inertia)};
}

void refresh_mass(WorldState& world, std::size_t body) {
  Bodies& bodies = world.bodies;
  BodyRecord& record = bodies.record[body];
  const Pose frame = frame_of(bodies, body);
  bodies.mass[body] = {};
  if (bodies.is_dynamic(body)) {
    const MassProperties mass = mass_of_body(world, body);
    bodies.mass[body] = mass_state(mass);
    record.centre = mass.centre;
  }
  bodies.pose[body] = {transform(frame, record.centre), frame.orientation};
}

void refresh_shapes(WorldState& world, std::size_t body) {
  for (const std::uint32_t i : world.bodies.record[body].shapes) {
    prepare_shape(world.bodies, world.shapes, i);
    world.shapes.material[i] = world.materials.add(world.shapes.def[i].material);
    place_shape(world.bodies, world.shapes, i, world.settings.margin, 0);
  }
  world.bodies.status[body] |= kTouched;
  world.queries.mark(body);
  // Contacts of balls are updated in place: what lanes remember of their shapes must be looked at again.
  for (LaneSources::OfSlab& slab : world.assembly.lane_sources.slabs) slab.stays = false;
}

void refresh_exclusions(WorldState& world) {
  std::vector<BroadPair> proxies;
  const auto exclude = [&](std::int32_t body_a, std::int32_t body_b) {
    for (const std::uint32_t a : world.bodies.record[to_index(body_a)].shapes)
      for (const std::uint32_t b : world.bodies.record[to_index(body_b)].shapes)
        proxies.push_back({static_cast<std::int32_t>(std::min(a, b)), static_cast<std::int32_t>(std::max(a, b))});
  };
  for (const BroadPair& pair : world.uncollided) exclude(pair.a, pair.b);
  for (std::size_t j = 0; j < world.joints.size(); ++j) {
    const JointState& joint = world.joints.state[j];
    if (joint.live && joint.body_a >= 0 && !world.joints.def[j].collide_connected) exclude(joint.body_a, joint.body_b);
  }
  world.broad->set_excluded(proxies);
  world.exclusions_changed = false;
}

BodyId World::add_body(const BodyDef& def, std::initializer_list<ShapeDef> shapes) {
  return add_body(def, std::span<const ShapeDef>(shapes.begin(), shapes.size()));
}

BodyId World::add_body(const BodyDef& def, std::span<const ShapeDef> shapes) {
  state_->check_edit("add_body");
  WorldState& world = *state_;
  check_body_def(def);
  for (const ShapeDef& shape : shapes) check_shape_def(shape);
  std::optional<MassProperties> mass = def.mass;
  if (mass && def.repair_inertia) {
    mass->inertia = repaired_inertia(mass->inertia);
    check_mass(*mass);
  }
  std::vector<const ShapeDef*> defs;
  for (const ShapeDef& shape : shapes) defs.push_back(&shape);
  check_has_mass(def.kind, mass, defs);
  if (world.bodies.size() >= kMostBodies) fail_input("too many bodies", ErrorKind::limit);

  const BodyId id = world.body_ids.create();
  const std::size_t i = id.index;
  if (i >= world.bodies.size()) world.bodies.resize(i + 1);
  world.bodies.status[i] = status_of(def.kind);
  world.bodies.pose[i] = checked_pose(def.pose, "body pose");
  world.bodies.velocity[i] = def.kind == BodyKind::fixed ? Velocity{} : def.velocity;
  world.bodies.mass[i] = {};
  BodyRecord& record = world.bodies.record[i] = {};
  record.mass = mass;
  record.linear_damping = def.linear_damping, record.angular_damping = def.angular_damping;
  record.gravity_scale = def.gravity_scale, record.locked_axes = def.locked_axes;
  record.may_sleep = def.may_sleep, record.continuous = def.continuous, record.user = def.user;
  for (const ShapeDef& shape : shapes) {
    const std::size_t s = world.shape_ids.create().index;
    if (s >= world.shapes.size()) world.shapes.resize(s + 1);
    world.shapes.def[s] = shape;
    world.shapes.def[s].pose = checked_pose(shape.pose, "shape pose");
    world.shapes.body[s] = static_cast<std::int32_t>(i);
    record.shapes.push_back(static_cast<std::uint32_t>(s));
  }
  std::sort(record.shapes.begin(), record.shapes.end());
  refresh_mass(world, i);
  refresh_shapes(world, i);
  return id;
}

ShapeId World::add_shape(BodyId body, const ShapeDef& def) {
  state_->check_edit("add_shape");
  forget_lanes(*state_);
  WorldState& world = *state_;
  const std::size_t i = world.slot(body, "add_shape");
  check_shape_def(def);
  std::vector<const ShapeDef*> all = defs_of(world, remaining_shapes(world, i));
  all.push_back(&def);
  check_has_mass(kind_of(world.bodies, i), world.bodies.record[i].mass, all);
  const ShapeId id = world.shape_ids.create();
  const std::size_t s = id.index;
  if (s >= world.shapes.size()) world.shapes.resize(s + 1);
  world.shapes.def[s] = def;
  world.shapes.def[s].pose = checked_pose(def.pose, "shape pose");
  world.shapes.body[s] = static_cast<std::int32_t>(i);
  std::vector<std::uint32_t>& list = world.bodies.record[i].shapes;
  list.insert(std::upper_bound(list.begin(), list.end(), id.index), id.index);
  refresh_mass(world, i);
  refresh_shapes(world, i);
  world.exclusions_changed = true;
  touch(world, i);
  return id;
}

namespace {

/// Takes a shape out of the arrays; its contacts are forgotten by the next step.
void drop_shape(WorldState& world, std::size_t s) {
  forget_lanes(world);
  const ShapeId id = world.shape_ids.at(s);
  world.removed_shape.resize(world.shapes.size(), 0);
  world.removed_shape_id.resize(world.shapes.size()), world.removed_body_id.resize(world.shapes.size());
  if (world.removed_shape[s] == 0) {  // the first owner since the last step is the one whose contacts are known
    world.removed_shape_id[s] = id;
    world.removed_body_id[s] = world.body_ids.at(to_index(world.shapes.body[s]));
  }
  world.removed_shape[s] = 1;
  world.any_removed = true;
  world.shapes.body[s] = -1;
  world.shapes.bounds[s] = Aabb{};
  world.shapes.changed.push_back(static_cast<std::int32_t>(s));
  world.shapes.def[s] = ShapeDef{};
  world.shapes.shape[s] = Sphere{};
  world.queries.mark_removed(s);
  world.exclusions_changed = true;
  world.shape_ids.destroy(id);
}

}  // namespace

void World::remove_shape(ShapeId shape) {
  state_->check_edit("remove_shape");
  WorldState& world = *state_;
  const std::size_t s = world.slot(shape, "remove_shape");
  const auto body = to_index(world.shapes.body[s]);
  std::vector<std::uint32_t> rest = remaining_shapes(world, body);
  std::erase(rest, static_cast<std::uint32_t>(s));
  if (world.bodies.is_dynamic(body) && !world.bodies.record[body].mass && !is_usable(mass_of(defs_of(world, rest))))
    fail_input(
        "remove_shape: it is the last shape that gives this dynamic body its mass; set_mass first, or remove the body");
  if (world.delivering) return world.shapes_to_remove.push_back(shape);
  drop_shape(world, s);
  world.bodies.record[body].shapes = std::move(rest);
  refresh_mass(world, body);
  refresh_shapes(world, body);
  touch(world, body);
}

void World::remove_body(BodyId body) {
  state_->check_edit("remove_body");
  WorldState& world = *state_;
  const std::size_t i = world.slot(body, "remove_body");
  if (world.delivering) return world.bodies_to_remove.push_back(body);
  drop_joints_of(world, i);
  for (const std::uint32_t s : world.bodies.record[i].shapes) drop_shape(world, s);
  world.bodies.status[i] = 0;
  world.partial_sums.clear();
  world.bodies.velocity[i] = {};
  world.bodies.mass[i] = {};
  world.bodies.record[i] = {};
  world.bodies.version[i] = edited_version(world.bodies.version[i]);
  const auto slot = static_cast<std::int32_t>(i);
  std::erase_if(world.uncollided, [&](const BroadPair& pair) { return pair.a == slot || pair.b == slot; });
  world.body_ids.destroy(body);
}

void World::set_pose(BodyId body, const Pose& pose) {
  state_->check_edit("set_pose");
  forget_lanes(*state_);
  const std::size_t i = state_->slot(body, "set_pose");
  const Pose frame = checked_pose(pose, "set_pose: pose");
  state_->bodies.pose[i] = {transform(frame, state_->bodies.record[i].centre), frame.orientation};
  touch(*state_, i);
}

void World::set_velocity(BodyId body, const Velocity& velocity) {
  state_->check_edit("set_velocity");
  const std::size_t i = state_->slot(body, "set_velocity");
  check_vector(velocity.linear, kLargestSpeed, "set_velocity: velocity");
  check_vector(velocity.angular, kLargestSpeed, "set_velocity: angular velocity");
  require((state_->bodies.status[i] & (kDynamic | kKinematic)) != 0,
          "set_velocity: a fixed body has none; set_kind first");
  state_->bodies.velocity[i] = velocity;
  touch(*state_, i);
}

void World::move_to(BodyId body, const Pose& target, double dt) {
  state_->check_edit("move_to");
  const std::size_t i = state_->slot(body, "move_to");
  const Pose frame = checked_pose(target, "move_to: target");
  require(is_step(dt), "move_to: dt must be the length of a step, in [1e-7, 1] seconds");
  require((state_->bodies.status[i] & kKinematic) != 0,
          "move_to: only kinematic bodies go where they are told; set_kind first, or set_pose");
  const Pose& now = state_->bodies.pose[i];
  const Vec3 centre = transform(frame, state_->bodies.record[i].centre);
  const Vec3 turn = rotation_vector(frame.orientation * conjugate(now.orientation));
  set_velocity(body, {(1 / dt) * (centre - now.position), (1 / dt) * turn});
}

void World::set_kind(BodyId body, BodyKind kind) {
  state_->check_edit("set_kind");
  forget_lanes(*state_);
  const std::size_t i = state_->slot(body, "set_kind");
  BodyDef def;
  def.kind = kind;
  check_body_def(def);
  check_has_mass(kind, state_->bodies.record[i].mass, defs_of(*state_, remaining_shapes(*state_, i)));
  state_->bodies.status[i] = status_of(kind);
  if (kind == BodyKind::fixed) state_->bodies.velocity[i] = {};
  refresh_mass(*state_, i);
  refresh_shapes(*state_, i);
  touch(*state_, i);
}

void World::set_mass(BodyId body, const MassProperties& mass) {
  state_->check_edit("set_mass");
  const std::size_t i = state_->slot(body, "set_mass");
  check_mass(mass);
  state_->bodies.record[i].mass = mass;
  refresh_mass(*state_, i);
  refresh_shapes(*state_, i);
  touch(*state_, i);
}

void World::set_damping(BodyId body, double linear, double angular) {
  state_->check_edit("set_damping");
  const std::size_t i = state_->slot(body, "set_damping");
  BodyDef def;
  def.linear_damping = linear, def.angular_damping = angular;
  check_body_def(def);
  state_->bodies.record[i].linear_damping = linear, state_->bodies.record[i].angular_damping = angular;
  touch(*state_, i);
}

void World::set_gravity_scale(BodyId body, double scale) {
  state_->check_edit("set_gravity_scale");
  const std::size_t i = state_->slot(body, "set_gravity_scale");
  BodyDef def;
  def.gravity_scale = scale;
  check_body_def(def);
  state_->bodies.record[i].gravity_scale = scale;
  touch(*state_, i);
}

void World::set_locked_axes(BodyId body, std::uint32_t axes) {
  state_->check_edit("set_locked_axes");
  const std::size_t i = state_->slot(body, "set_locked_axes");
  BodyDef def;
  def.locked_axes = axes;
  check_body_def(def);
  state_->bodies.record[i].locked_axes = axes;
  touch(*state_, i);
}

void World::set_continuous(BodyId body, bool continuous) {
  state_->check_edit("set_continuous");
  state_->bodies.record[state_->slot(body, "set_continuous")].continuous = continuous;
}

void World::set_may_sleep(BodyId body, bool may_sleep) {
  state_->check_edit("set_may_sleep");
  const std::size_t i = state_->slot(body, "set_may_sleep");
  state_->bodies.record[i].may_sleep = may_sleep;
  touch(*state_, i);
}

void World::set_material(ShapeId shape, const Material& material) {
  state_->check_edit("set_material");
  forget_lanes(*state_);
  const std::size_t s = state_->slot(shape, "set_material");
  check_material(material);
  state_->shapes.def[s].material = material;
  state_->shapes.material[s] = state_->materials.add(material);
  touch(*state_, to_index(state_->shapes.body[s]));
}

void World::set_filter(ShapeId shape, std::uint32_t layer, std::uint32_t mask) {
  state_->check_edit("set_filter");
  const std::size_t s = state_->slot(shape, "set_filter");
  state_->shapes.def[s].layer = layer, state_->shapes.def[s].mask = mask;
  const auto body = to_index(state_->shapes.body[s]);
  refresh_shapes(*state_, body);
  touch(*state_, body);
}

void World::set_collision(BodyId a, BodyId b, bool enabled) {
  state_->check_edit("set_collision");
  const auto i = static_cast<std::int32_t>(state_->slot(a, "set_collision"));
  const auto j = static_cast<std::int32_t>(state_->slot(b, "set_collision"));
  require(i != j, "set_collision: a body never collides with itself; pass two bodies");
  const BroadPair pair{std::min(i, j), std::max(i, j)};
  std::vector<BroadPair>& list = state_->uncollided;
  const auto at = std::lower_bound(list.begin(), list.end(), pair);
  const bool listed = at != list.end() && *at == pair;
  if (enabled && listed) list.erase(at);
  if (!enabled && !listed) list.insert(at, pair);
  state_->exclusions_changed = true;
  touch(*state_, to_index(i)), touch(*state_, to_index(j));
}

void World::wake(BodyId body) {
  state_->check_edit("wake");
  wake_body(*state_, state_->slot(body, "wake"));
}

void World::release(BodyId body) {
  state_->check_edit("release");
  const std::size_t i = state_->slot(body, "release");
  state_->bodies.status[i] &= static_cast<std::uint8_t>(~kQuarantined);
  touch(*state_, i);
}

}  // namespace cairn
