// SPDX-License-Identifier: MIT
// Queries: rays, casts and overlaps. A tree over the shapes as they are now (query_index.h) names candidates, near ones
// first; the layers of the filter are compared before any geometry. The first hit is sought with a reach that ends at
// the nearest so far, so that most of what stands behind it is never looked at.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/narrow/cast.h"
#include "cairn/world/world_state.h"

namespace cairn {

namespace {

/// By distance, then shape.
bool is_before(const WorldHit& a, const WorldHit& b) {
  return a.distance != b.distance ? a.distance < b.distance : a.shape < b.shape;
}

struct Query {
  const WorldState& world;
  const QueryFilter& filter;
  const QueryTree& tree;

  Query(WorldState& of, const QueryFilter& by)
      : world(of), filter(by), tree(of.queries.tree(of.bodies, of.shapes, of.pool.get())) {
    if (!(filter.ignore == BodyId{})) world.slot(filter.ignore, "query filter");
  }

  bool sees(std::size_t s) const {
    if ((world.shapes.filter[s].layer & filter.mask) == 0) return false;
    if (filter.ignore.index == static_cast<std::uint32_t>(world.shapes.body[s])) return false;
    return !filter.accept || filter.accept(world.shape_ids.at(s));
  }

  /// Poses of shapes are those of the last detection; bodies have moved on since.
  Pose pose_of(std::size_t s) const {
    const Pose& pose = world.bodies.pose[to_index(world.shapes.body[s])];
    return world.shapes.centred[s] != 0 ? pose : pose * world.shapes.local[s];
  }

  WorldHit hit(std::size_t s, double distance, const Vec3& point, const Vec3& normal) const {
    return {world.body_ids.at(to_index(world.shapes.body[s])), world.shape_ids.at(s), distance, point, normal};
  }
};

/// A ray that was checked.
struct Beam {
  Vec3 origin, along;  ///< unit
  double length;

  Aabb start() const { return {origin, origin}; }
  const Vec3& direction() const { return along; }
  double reach() const { return length; }
  /// Up to where what comes may be as near as a hit at this distance.
  double reach_at(double distance) const { return distance; }

  std::optional<WorldHit> meet(const Query& query, std::size_t s) const {
    const Pose pose = query.pose_of(s);
    const Vec3 from = transform_back(pose, origin), local = rotate_back(pose.orientation, along);
    // Turning rounds; shapes want a unit direction.
    const auto found = ray(query.world.shapes.shape[s], from, normalised(local), length);
    if (!found) return std::nullopt;
    return query.hit(s, found->distance, origin + found->distance * along, rotate(pose.orientation, found->normal));
  }
};

/// A shape on its way, checked; its reach is the fraction of the translation.
struct Throw {
  const Shape& shape;
  Pose pose;
  Vec3 translation;
  double length = norm(translation);

  /// What is within the tolerance of the cast counts as touched.
  Aabb start() const {
    const Aabb box = bounds(shape, pose);
    return grown(box, 2 * kCastTolerance * norm(box.upper - box.lower));
  }
  const Vec3& direction() const { return translation; }
  double reach() const { return 1; }
  double reach_at(double distance) const { return length > 0 ? distance / length : 0.0; }

  std::optional<WorldHit> meet(const Query& query, std::size_t s) const {
    const auto found = cast(shape, pose, translation, query.world.shapes.shape[s], query.pose_of(s));
    if (!found) return std::nullopt;
    return query.hit(s, found->fraction * length, found->point, -found->normal);
  }
};

template <class Way>
std::optional<WorldHit> first_hit(const Query& query, const Way& way) {
  std::optional<WorldHit> first;
  double reach = way.reach();
  query.tree.visit_along(way.start(), way.direction(), reach, [&](std::size_t s) {
    if (!query.sees(s)) return reach;
    const std::optional<WorldHit> hit = way.meet(query, s);
    if (hit && (!first || is_before(*hit, *first))) first = hit, reach = way.reach_at(hit->distance);
    return reach;
  });
  return first;
}

/// Adds all hits of one ray or cast to a list, in their order.
template <class Way>
void add_hits(const Query& query, const Way& way, std::vector<WorldHit>& hits) {
  const auto begin = static_cast<std::ptrdiff_t>(hits.size());
  query.tree.visit_along(way.start(), way.direction(), way.reach(), [&](std::size_t s) {
    if (query.sees(s))
      if (const std::optional<WorldHit> hit = way.meet(query, s)) hits.push_back(*hit);
    return way.reach();
  });
  std::sort(hits.begin() + begin, hits.end(), is_before);
}

void check_length(double length, const char* function) {
  if (!(length >= 0 && length <= kLargestPosition))
    fail_input(fmt::format("{}: length is {}, it must lie in [0, {:g}] m", function, length, kLargestPosition));
}

Beam checked(const RayCast& given) {
  check_vector(given.origin, kLargestPosition, "cast_ray: origin");
  check_vector(given.direction, kLargestPosition, "cast_ray: direction");
  check_length(given.length, "cast_ray");
  require(norm(given.direction) > 0, "cast_ray: the direction is zero; pass where to look");
  return {given.origin, normalised(given.direction), given.length};
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

Throw checked(const Shape& shape, const Pose& given, const Vec3& translation) {
  const Pose pose = checked_pose(given, "cast_shape: pose");
  check_vector(translation, kLargestPosition, "cast_shape: translation");
  check_solid(shape, "cast_shape");
  return {shape, pose, translation};
}
Throw checked(const ShapeCast& given) { return checked(given.shape, given.pose, given.translation); }

/// Before anything is asked: a batch is refused whole.
template <class Cast>
void check_all(std::span<const Cast> casts) {
  for (std::size_t i = 0; i < casts.size(); ++i) {
    try {
      checked(casts[i]);
    } catch (const InputError& error) {
      fail_input(fmt::format("number {} of the batch: {}", i, error.what()), error.kind());
    }
  }
}

constexpr std::int64_t kBatchGrain = 32;

template <class Cast>
void fill_first(WorldState& world, std::span<const Cast> casts, std::span<std::optional<WorldHit>> hits,
                const QueryFilter& filter) {
  require(casts.size() == hits.size(), "a batch needs one place for a hit per ray or cast");
  check_all(casts);
  const Query query{world, filter};
  for_each_index(world.pool.get(), casts.size(), kBatchGrain,
                 [&](std::size_t i) { hits[i] = first_hit(query, checked(casts[i])); });
}

}  // namespace

std::optional<WorldHit> World::cast_ray(const Vec3& origin, const Vec3& direction, double length,
                                        const QueryFilter& filter) const {
  const Beam beam = checked({origin, direction, length});
  return first_hit(Query{*state_, filter}, beam);
}

std::vector<WorldHit> World::cast_ray_all(const Vec3& origin, const Vec3& direction, double length,
                                          const QueryFilter& filter) const {
  const Beam beam = checked({origin, direction, length});
  std::vector<WorldHit> hits;
  add_hits(Query{*state_, filter}, beam, hits);
  return hits;
}

std::optional<WorldHit> World::cast_shape(const Shape& shape, const Pose& pose, const Vec3& translation,
                                          const QueryFilter& filter) const {
  const Throw thrown = checked(shape, pose, translation);
  return first_hit(Query{*state_, filter}, thrown);
}

std::vector<WorldHit> World::cast_shape_all(const Shape& shape, const Pose& pose, const Vec3& translation,
                                            const QueryFilter& filter) const {
  const Throw thrown = checked(shape, pose, translation);
  std::vector<WorldHit> hits;
  add_hits(Query{*state_, filter}, thrown, hits);
  return hits;
}

void World::cast_rays(std::span<const RayCast> rays, std::span<std::optional<WorldHit>> hits,
                      const QueryFilter& filter) const {
  fill_first(*state_, rays, hits, filter);
}

void World::cast_shapes(std::span<const ShapeCast> casts, std::span<std::optional<WorldHit>> hits,
                        const QueryFilter& filter) const {
  fill_first(*state_, casts, hits, filter);
}

template <class Cast>
void World::fill_lists(std::span<const Cast> casts, HitLists& hits, const QueryFilter& filter) const {
  check_all(casts);
  const Query query{*state_, filter};
  constexpr std::size_t kBlock = HitLists::kBlock;
  hits.first_.resize(casts.size());
  if (hits.blocks_.size() * kBlock < casts.size()) hits.blocks_.resize((casts.size() + kBlock - 1) / kBlock);
  parallel_for(state_->pool.get(), static_cast<std::int64_t>(casts.size()), kBlock,
               [&](std::int64_t begin, std::int64_t end) {
                 std::vector<WorldHit>& block = hits.blocks_[to_index(begin) / kBlock];
                 block.clear();
                 for (auto i = to_index(begin); i < to_index(end); ++i) {
                   hits.first_[i] = block.size();
                   add_hits(query, checked(casts[i]), block);
                 }
               });
}

void World::cast_rays_all(std::span<const RayCast> rays, HitLists& hits, const QueryFilter& filter) const {
  fill_lists(rays, hits, filter);
}

void World::cast_shapes_all(std::span<const ShapeCast> casts, HitLists& hits, const QueryFilter& filter) const {
  fill_lists(casts, hits, filter);
}

std::vector<ShapeId> World::overlap_shape(const Shape& shape, const Pose& given, const QueryFilter& filter) const {
  const Pose pose = checked_pose(given, "overlap_shape: pose");
  check_solid(shape, "overlap_shape");
  const Query query{*state_, filter};
  std::vector<ShapeId> result;
  query.tree.visit_overlaps(bounds(shape, pose), [&](std::size_t s) {
    if (query.sees(s) && overlaps(shape, pose, state_->shapes.shape[s], query.pose_of(s)))
      result.push_back(state_->shape_ids.at(s));
  });
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<ShapeId> World::overlap_box(const Aabb& box, const QueryFilter& filter) const {
  check_vector(box.lower, kLargestPosition, "overlap_box: lower corner");
  check_vector(box.upper, kLargestPosition, "overlap_box: upper corner");
  require(box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && box.lower.z <= box.upper.z,
          "overlap_box: the lower corner is above the upper one; exchange them");
  std::vector<ShapeId> result;
  const Query query{*state_, filter};
  query.tree.visit_overlaps(box, [&](std::size_t s) {
    if (query.sees(s)) result.push_back(state_->shape_ids.at(s));
  });
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace cairn
