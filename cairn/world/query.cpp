// SPDX-License-Identifier: MIT
// Queries: rays, casts and overlaps. The broad phase names candidates; shapes that were edited or have moved since its
// last call are looked at one by one, so that a query always sees the world as it is.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cairn/narrow/cast.h"
#include "cairn/world/world_state.h"

namespace cairn {

namespace {

struct Query {
  const WorldState& world;
  const QueryFilter& filter;

  Query(const WorldState& of, const QueryFilter& by) : world(of), filter(by) {
    if (!(filter.ignore == BodyId{})) world.slot(filter.ignore, "query filter");
  }

  bool sees(std::size_t s) const {
    if (world.shapes.body[s] < 0 || (world.shapes.def[s].layer & filter.mask) == 0) return false;
    const auto body = static_cast<std::size_t>(world.shapes.body[s]);
    if (filter.ignore.index == body) return false;
    return !filter.accept || filter.accept(world.shape_ids.at(s));
  }

  /// Poses of shapes are those of the last detection; bodies have moved on since.
  Pose pose_of(std::size_t s) const {
    return world.bodies.pose[static_cast<std::size_t>(world.shapes.body[s])] * world.shapes.local[s];
  }

  /// Shapes that are not where the broad phase last saw them.
  bool is_elsewhere(std::size_t s) const {
    const std::int32_t body = world.shapes.body[s];
    if (body < 0) return false;
    return world.broad_is_fresh || world.shapes.strayed[s] != 0 ||
           (world.bodies.status[static_cast<std::size_t>(body)] & kTouched) != 0;
  }

  /// Visits every shape that may reach into `box`, in order of slots; `find` asks the broad phase for candidates.
  template <class Find, class Visit>
  void for_each_near(const Aabb& box, Find&& find, Visit&& visit) const {
    std::vector<std::int32_t> candidates;
    if (!world.broad_is_fresh) find(candidates);
    std::erase_if(candidates, [&](std::int32_t s) { return is_elsewhere(static_cast<std::size_t>(s)); });
    for (std::size_t s = 0; s < world.shapes.size(); ++s)
      if (is_elsewhere(s)) candidates.push_back(static_cast<std::int32_t>(s));
    std::sort(candidates.begin(), candidates.end());
    for (const std::int32_t candidate : candidates) {
      const auto s = static_cast<std::size_t>(candidate);
      if (world.shapes.body[s] >= 0 && overlap(bounds(world.shapes.shape[s], pose_of(s)), box) && sees(s)) visit(s);
    }
  }
  template <class Visit>
  void for_each_near(const Aabb& box, Visit&& visit) const {
    for_each_near(
        box, [&](std::vector<std::int32_t>& candidates) { world.broad->find_overlaps(box, candidates); }, visit);
  }

  WorldHit hit(std::size_t s, double distance, const Vec3& point, const Vec3& normal) const {
    return {world.body_ids.at(static_cast<std::size_t>(world.shapes.body[s])), world.shape_ids.at(s), distance, point,
            normal};
  }
};

void sort_by_distance(std::vector<WorldHit>& hits) {
  std::sort(hits.begin(), hits.end(), [](const WorldHit& a, const WorldHit& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.shape < b.shape;
  });
}

void check_length(double length, const char* function) {
  if (!(length >= 0 && length <= kLargestPosition))
    fail_input(fmt::format("{}: length is {}, it must lie in [0, {:g}] m", function, length, kLargestPosition));
}

std::vector<WorldHit> ray_hits(const Query& query, const Vec3& origin, const Vec3& direction, double length) {
  check_vector(origin, kLargestPosition, "cast_ray: origin");
  check_vector(direction, kLargestPosition, "cast_ray: direction");
  check_length(length, "cast_ray");
  require(norm(direction) > 0, "cast_ray: the direction is zero; pass where to look");
  const Vec3 along = normalised(direction);
  Aabb box{origin, origin};
  box = unite(box, origin + length * along);
  std::vector<WorldHit> hits;
  const auto on_ray = [&](std::vector<std::int32_t>& candidates) {
    query.world.broad->find_on_ray({origin, along, length}, candidates);
  };
  query.for_each_near(box, on_ray, [&](std::size_t s) {
    const Pose pose = query.pose_of(s);
    const Vec3 from = transform_back(pose, origin), local = rotate_back(pose.orientation, along);
    // Turning rounds; shapes want a unit direction.
    const auto found = ray(query.world.shapes.shape[s], from, normalised(local), length);
    if (found)
      hits.push_back(
          query.hit(s, found->distance, origin + found->distance * along, rotate(pose.orientation, found->normal)));
  });
  sort_by_distance(hits);
  return hits;
}

/// Shapes that can be moved through the world: bounded and solid.
void check_solid(const Shape& shape, const char* function) {
  check_shape(shape);
  const bool surface = std::holds_alternative<HalfSpace>(shape) || std::holds_alternative<TriangleMesh>(shape) ||
                       std::holds_alternative<HeightField>(shape);
  if (surface)
    fail_input(
        fmt::format("{}: half-spaces, meshes and height fields cannot be used here; pass a solid shape", function));
}

std::vector<WorldHit> cast_hits(const Query& query, const Shape& shape, const Pose& given, const Vec3& translation) {
  const Pose pose = checked_pose(given, "cast_shape: pose");
  check_vector(translation, kLargestPosition, "cast_shape: translation");
  check_solid(shape, "cast_shape");
  const Aabb here = bounds(shape, pose);
  std::vector<WorldHit> hits;
  query.for_each_near(unite(here, {here.lower + translation, here.upper + translation}), [&](std::size_t s) {
    const auto found = cast(shape, pose, translation, query.world.shapes.shape[s], query.pose_of(s));
    if (found) hits.push_back(query.hit(s, found->fraction * norm(translation), found->point, -found->normal));
  });
  sort_by_distance(hits);
  return hits;
}

std::optional<WorldHit> first_of(const std::vector<WorldHit>& hits) {
  return hits.empty() ? std::nullopt : std::optional<WorldHit>(hits.front());
}

}  // namespace

std::optional<WorldHit> World::cast_ray(const Vec3& origin, const Vec3& direction, double length,
                                        const QueryFilter& filter) const {
  return first_of(ray_hits({*state_, filter}, origin, direction, length));
}

std::vector<WorldHit> World::cast_ray_all(const Vec3& origin, const Vec3& direction, double length,
                                          const QueryFilter& filter) const {
  return ray_hits({*state_, filter}, origin, direction, length);
}

std::optional<WorldHit> World::cast_shape(const Shape& shape, const Pose& pose, const Vec3& translation,
                                          const QueryFilter& filter) const {
  return first_of(cast_hits({*state_, filter}, shape, pose, translation));
}

std::vector<WorldHit> World::cast_shape_all(const Shape& shape, const Pose& pose, const Vec3& translation,
                                            const QueryFilter& filter) const {
  return cast_hits({*state_, filter}, shape, pose, translation);
}

std::vector<ShapeId> World::overlap_shape(const Shape& shape, const Pose& given, const QueryFilter& filter) const {
  const Pose pose = checked_pose(given, "overlap_shape: pose");
  check_solid(shape, "overlap_shape");
  const Query query{*state_, filter};
  std::vector<ShapeId> result;
  query.for_each_near(bounds(shape, pose), [&](std::size_t s) {
    if (overlaps(shape, pose, state_->shapes.shape[s], query.pose_of(s))) result.push_back(state_->shape_ids.at(s));
  });
  return result;
}

std::vector<ShapeId> World::overlap_box(const Aabb& box, const QueryFilter& filter) const {
  check_vector(box.lower, kLargestPosition, "overlap_box: lower corner");
  check_vector(box.upper, kLargestPosition, "overlap_box: upper corner");
  require(box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && box.lower.z <= box.upper.z,
          "overlap_box: the lower corner is above the upper one; exchange them");
  std::vector<ShapeId> result;
  const Query query{*state_, filter};
  query.for_each_near(box, [&](std::size_t s) { result.push_back(state_->shape_ids.at(s)); });
  return result;
}

}  // namespace cairn
