// SPDX-License-Identifier: MIT
// Snapshots: a world as bytes and back. Everything that decides the future is written; what follows from it is made
// anew. Reading builds another world beside this one, checks it, and only then takes its place.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>

#include "cairn/core/index.h"
#include "cairn/world/snapshot/snapshot_archive.h"
#include "cairn/world/snapshot/snapshot_file.h"
#include "cairn/world/snapshot/snapshot_parts.h"

namespace cairn {

namespace {

struct Part {
  const char* name;
  void (*save)(const WorldState&, ByteWriter&);
  void (*load)(ByteReader&, WorldState&);
};

constexpr Part kParts[] = {
    {"settings", save_settings, load_settings}, {"bodies", save_bodies, load_bodies},
    {"shapes", save_shapes, load_shapes},       {"course", save_course, load_course},
    {"contacts", save_contacts, load_contacts}, {"colours", save_colours, load_colours},
    {"joints", save_joints, load_joints},
};
constexpr std::size_t kPartCount = std::size(kParts);

/// A shape that was removed since the last step, and whose it was.
struct Removed {
  ShapeId shape;
  BodyId body;
};

std::vector<Removed> removed_shapes(const WorldState& world) {
  std::vector<Removed> list;
  if (!world.any_removed) return list;
  for (std::size_t i = 0; i < world.removed_shape.size(); ++i)
    if (world.removed_shape[i] != 0) list.push_back({world.removed_shape_id[i], world.removed_body_id[i]});
  return list;
}

template <class A, class W, class List>
void archive_course(A& a, W& world, List& removed) {
  archive_all(a, world.time, world.steps, world.last_dt);
  a.size(world.uncollided, 8);
  for (auto& pair : world.uncollided) archive(a, pair);
  a.size(removed, 16);
  for (auto& r : removed) archive_all(a, r.shape.index, r.shape.generation, r.body.index, r.body.generation);
}

void check_uncollided(const WorldState& world) {
  const auto is_live = [&](std::int32_t body) { return body >= 0 && !(world.body_ids.at(to_index(body)) == BodyId{}); };
  for (std::size_t k = 0; k < world.uncollided.size(); ++k) {
    const BroadPair& pair = world.uncollided[k];
    require(k == 0 || world.uncollided[k - 1] < pair, "the pairs that never collide are out of order");
    require(pair.a < pair.b && is_live(pair.a) && is_live(pair.b), "a pair that never collides names no body");
  }
}

void mark_removed(WorldState& world, std::span<const Removed> removed) {
  const std::size_t count = world.shapes.size();
  world.any_removed = !removed.empty();
  world.removed_shape.assign(count, 0), world.removed_shape_id.assign(count, {}),
      world.removed_body_id.assign(count, {});
  std::size_t next = 0;
  for (const Removed& r : removed) {
    const std::size_t i = r.shape.index;
    require(i >= next && i < count, "the list of removed shapes is out of order, or names none");
    require(!world.shape_ids.is_valid(r.shape) && r.body.index < world.bodies.size(), "a removed shape is still there");
    world.removed_shape[i] = 1, world.removed_shape_id[i] = r.shape, world.removed_body_id[i] = r.body;
    next = i + 1;
  }
}

void load_part(const Part& part, std::string_view bytes, WorldState& world) {
  try {
    ByteReader in(bytes);
    part.load(in, world);
    require(in.finished(), "there is more in it than it says");
  } catch (const InputError& error) {
    fail_input(fmt::format("section {}: {}", part.name, error.what()), error.kind());
  }
}

std::unique_ptr<WorldState> load_world(std::string_view file) {
  std::array<const char*, kPartCount> names;
  std::transform(std::begin(kParts), std::end(kParts), names.begin(), [](const Part& part) { return part.name; });
  const std::vector<std::string_view> contents = unpack_sections(file, names);
  auto world = std::make_unique<WorldState>();
  for (std::size_t k = 0; k < kPartCount; ++k) load_part(kParts[k], contents[k], *world);
  return world;
}

}  // namespace

void save_course(const WorldState& world, ByteWriter& out) {
  const std::vector<Removed> removed = removed_shapes(world);
  archive_course(out, world, removed);
}

void load_course(ByteReader& in, WorldState& world) {
  std::vector<Removed> removed;
  archive_course(in, world, removed);
  require(world.time >= 0 && std::isfinite(world.time) && world.steps >= 0, "the time or the number of steps is none");
  require(world.last_dt == 0 || is_sub_step(world.last_dt), "the last dt is out of range");
  check_uncollided(world);
  mark_removed(world, removed);
}

std::string World::save() const {
  state_->check_outside_step("save");
  std::vector<SnapshotSection> sections;
  for (const Part& part : kParts) {
    ByteWriter out;
    part.save(*state_, out);
    sections.push_back({part.name, out.take()});
  }
  return pack_sections(sections);
}

Hash128 World::definition_hash() const {
  state_->check_outside_step("definition_hash");
  ByteWriter out;
  save_bodies(*state_, out);
  save_shape_definitions(*state_, out);
  save_joints(*state_, out);
  save_course(*state_, out);
  return hash_bytes(out.bytes());
}

std::optional<Error> World::restore(const std::string& snapshot) {
  try {
    state_->check_outside_step("restore");
  } catch (const InputError& error) {
    return Error{error.kind(), error.what()};
  }
  std::unique_ptr<WorldState> fresh;
  try {
    fresh = load_world(snapshot);
  } catch (const InputError& error) {
    return Error{error.kind(), fmt::format("snapshot: {}", error.what())};
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::limit, "snapshot: there is not enough memory for it"};
  }
  // Threads belong to the machine, the listener and what is kept for him to the program: those of this world stay.
  fresh->settings.threads = state_->settings.threads;
  fresh->pool = std::move(state_->pool);
  fresh->listener = std::move(state_->listener);
  fresh->filter = std::move(state_->filter);
  fresh->keeps_warm_start = state_->keeps_warm_start;
  fresh->measures_cpu_times = state_->measures_cpu_times;
  fresh->report.step = fresh->steps, fresh->report.time = fresh->time;
  state_ = std::move(fresh);
  return std::nullopt;
}

}  // namespace cairn
