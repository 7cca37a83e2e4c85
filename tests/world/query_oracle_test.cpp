// SPDX-License-Identifier: MIT
// Queries of worlds that are stepped and edited, against asking every shape by itself: rays, casts and overlaps, single
// and in batches, on one and several threads.
#include <gtest/gtest.h>

#include <algorithm>

#include "cairn/core/random.h"
#include "cairn/narrow/cast.h"
#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

constexpr double kDt = 1.0 / 60;

/// Bodies of all kinds, a ground without end, some that sleep; and the changes that are made to them.
class Town {
 public:
  Town(std::uint64_t seed, int threads) : random_(seed) {
    WorldSettings settings;
    settings.threads = threads;
    settings.sleep.enabled = true, settings.sleep.time = 0.05;
    world = World(settings);
    world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, -6)}});
    for (int i = 0; i < 200; ++i) add();
  }

  Vec3 vector(double size) {
    return {random_.uniform(-size, size), random_.uniform(-size, size), random_.uniform(-size, size)};
  }
  Pose pose() { return {vector(6), turn_about(vector(1), random_.uniform(0, 6))}; }
  Shape shape() {
    const auto size = [&] { return random_.uniform(0.1, 0.6); };
    switch (random_.below(5)) {
      case 0: return make_sphere(size());
      case 1: return make_box({size(), size(), size()});
      case 2: return make_capsule(size(), size());
      case 3: return make_cylinder(size(), size());
      default: return make_cone(size(), size());
    }
  }

  void add() {
    constexpr BodyKind kKinds[] = {BodyKind::dynamic, BodyKind::dynamic, BodyKind::kinematic, BodyKind::fixed};
    const BodyKind kind = kKinds[random_.below(4)];
    std::vector<ShapeDef> shapes;
    for (std::uint64_t k = 0; k <= random_.below(2); ++k)
      shapes.push_back({.shape = shape(), .pose = {vector(0.4)}, .layer = 1u << random_.below(3)});
    BodyDef def{.kind = kind, .pose = pose()};
    if (kind == BodyKind::kinematic && random_.below(2) == 0) def.velocity = {vector(20), vector(5)};
    if (kind == BodyKind::dynamic && random_.below(3) == 0) def.velocity = {vector(50), vector(20)};
    bodies_.push_back(world.add_body(def, shapes));
  }

  void edit() {
    const std::size_t i = random_.below(bodies_.size());
    const BodyId body = bodies_[i];
    switch (random_.below(7)) {
      case 0: world.set_pose(body, pose()); break;
      case 1: world.remove_body(body), bodies_.erase(bodies_.begin() + static_cast<std::ptrdiff_t>(i)); break;
      case 2: add(); break;
      case 3: world.add_shape(body, {.shape = shape(), .pose = {vector(0.5)}}); break;
      case 4:
        if (world.shapes_of(body).size() > 1) world.remove_shape(world.shapes_of(body).back());
        break;
      case 5: world.set_filter(world.shapes_of(body).front(), 1u << random_.below(3), 0xffffffff); break;
      default: world.set_kind(body, BodyKind::kinematic); break;
    }
  }

  World world;

 private:
  Random random_;
  std::vector<BodyId> bodies_;
};

template <class Ask>
std::vector<WorldHit> ask_every_shape(const World& world, const QueryFilter& filter, Ask&& ask) {
  std::vector<WorldHit> hits;
  for (const BodyId body : world.bodies())
    for (const ShapeId shape : world.shapes_of(body)) {
      const ShapeDef& def = world.shape_def(shape);
      if ((def.layer & filter.mask) == 0 || body == filter.ignore) continue;
      if (const auto distance = ask(def.shape, world.view(body).pose * def.pose))
        hits.push_back({body, shape, *distance, {}, {}});
    }
  return hits;
}

std::vector<WorldHit> every_ray(const World& world, const RayCast& cast, const QueryFilter& filter) {
  const Vec3 along = normalised(cast.direction);
  return ask_every_shape(world, filter, [&](const Shape& shape, const Pose& pose) -> std::optional<double> {
    const auto hit =
        ray(shape, transform_back(pose, cast.origin), normalised(rotate_back(pose.orientation, along)), cast.length);
    return hit ? std::optional<double>(hit->distance) : std::nullopt;
  });
}

std::vector<WorldHit> every_cast(const World& world, const ShapeCast& given, const QueryFilter& filter) {
  return ask_every_shape(world, filter, [&](const Shape& shape, const Pose& pose) -> std::optional<double> {
    const auto hit = cast(given.shape, given.pose, given.translation, shape, pose);
    return hit ? std::optional<double>(hit->fraction * norm(given.translation)) : std::nullopt;
  });
}

/// The same shapes, at the same distances up to the rounding of their poses; `found` in order.
void expect_same(std::span<const WorldHit> found, std::vector<WorldHit> expected, double tolerance) {
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end(), [](const WorldHit& a, const WorldHit& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.shape < b.shape;
  }));
  std::vector<WorldHit> sorted(found.begin(), found.end());
  const auto by_shape = [](const WorldHit& a, const WorldHit& b) { return a.shape < b.shape; };
  std::sort(sorted.begin(), sorted.end(), by_shape), std::sort(expected.begin(), expected.end(), by_shape);
  ASSERT_EQ(sorted.size(), expected.size());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    EXPECT_EQ(sorted[k].shape, expected[k].shape);
    EXPECT_EQ(sorted[k].body, expected[k].body);
    EXPECT_NEAR(sorted[k].distance, expected[k].distance, tolerance);
  }
}

bool same_bits(const WorldHit& a, const WorldHit& b) {
  return a.body == b.body && a.shape == b.shape && a.distance == b.distance && a.point == b.point &&
         a.normal == b.normal;
}

struct Questions {
  std::vector<RayCast> rays;
  std::vector<ShapeCast> casts;
  QueryFilter filter;

  Questions(Town& town, Random& random) {
    for (int i = 0; i < 70; ++i) {
      Vec3 direction = town.vector(1);
      if (i % 7 == 0) direction = {0, 0, i % 2 == 0 ? 2.0 : -0.5};
      rays.push_back({town.vector(8), direction, random.uniform(0, 20)});
    }
    for (int i = 0; i < 40; ++i) casts.push_back({town.shape(), town.pose(), i % 9 == 0 ? Vec3{} : town.vector(8)});
    if (random.below(2) == 0) filter.mask = 1u << random.below(3);
    if (random.below(2) == 0) filter.ignore = town.world.bodies().back();
  }
};

/// All ways of asking say what every shape says.
void check(const World& world, const Questions& ask) {
  HitLists rays, casts;
  std::vector<std::optional<WorldHit>> first_ray(ask.rays.size()), first_cast(ask.casts.size());
  world.cast_rays_all(ask.rays, rays, ask.filter), world.cast_shapes_all(ask.casts, casts, ask.filter);
  world.cast_rays(ask.rays, first_ray, ask.filter), world.cast_shapes(ask.casts, first_cast, ask.filter);
  const auto check_one = [](std::span<const WorldHit> listed, const std::optional<WorldHit>& first,
                            std::span<const WorldHit> single, const std::optional<WorldHit>& single_first) {
    EXPECT_TRUE(std::equal(listed.begin(), listed.end(), single.begin(), single.end(), same_bits));
    ASSERT_EQ(first.has_value(), !listed.empty());
    ASSERT_EQ(first.has_value(), single_first.has_value());
    if (first) {
      EXPECT_TRUE(same_bits(*first, listed.front()));
      EXPECT_TRUE(same_bits(*first, *single_first));
    }
  };
  ASSERT_EQ(rays.size(), ask.rays.size());
  for (std::size_t i = 0; i < ask.rays.size(); ++i) {
    const RayCast& r = ask.rays[i];
    expect_same(rays[i], every_ray(world, r, ask.filter), 1e-9);
    check_one(rays[i], first_ray[i], world.cast_ray_all(r.origin, r.direction, r.length, ask.filter),
              world.cast_ray(r.origin, r.direction, r.length, ask.filter));
  }
  for (std::size_t i = 0; i < ask.casts.size(); ++i) {
    const ShapeCast& c = ask.casts[i];
    expect_same(casts[i], every_cast(world, c, ask.filter), 1e-6);
    check_one(casts[i], first_cast[i], world.cast_shape_all(c.shape, c.pose, c.translation, ask.filter),
              world.cast_shape(c.shape, c.pose, c.translation, ask.filter));
    const auto inside =
        ask_every_shape(world, ask.filter, [&](const Shape& shape, const Pose& pose) -> std::optional<double> {
          return overlaps(c.shape, c.pose, shape, pose) ? std::optional<double>(0) : std::nullopt;
        });
    EXPECT_EQ(world.overlap_shape(c.shape, c.pose, ask.filter).size(), inside.size());
  }
}

class QueryOracle : public testing::TestWithParam<std::uint64_t> {};

TEST_P(QueryOracle, AgreesInAWorldThatChanges) {
  Town town(GetParam(), 1);
  Random random(GetParam() + 50);
  check(town.world, Questions(town, random));  // before any step
  for (int i = 0; i < 25; ++i) {
    const std::uint64_t steps = random.below(3), edits = random.below(4);
    for (std::uint64_t k = 0; k < steps; ++k) town.world.step(kDt);
    if (random.below(2) == 0) check(town.world, Questions(town, random));
    for (std::uint64_t k = 0; k < edits; ++k) town.edit();
    check(town.world, Questions(town, random));
    if (random.below(5) == 0) {
      const std::string saved = town.world.save();
      ASSERT_FALSE(town.world.restore(saved));
      check(town.world, Questions(town, random));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Towns, QueryOracle, testing::Range<std::uint64_t>(0, 6));

TEST(QueryBatches, HaveTheSameBitsForAnyNumberOfThreads) {
  Town one(3, 1), three(3, 3);
  Random random(4);
  for (int i = 0; i < 10; ++i) one.world.step(kDt), three.world.step(kDt);
  const Questions ask(one, random);
  HitLists a, b;
  for (int repeat = 0; repeat < 3; ++repeat) {
    one.world.cast_rays_all(ask.rays, a), three.world.cast_rays_all(ask.rays, b);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_TRUE(std::equal(a[i].begin(), a[i].end(), b[i].begin(), b[i].end(), same_bits));
    one.world.cast_shapes_all(ask.casts, a), three.world.cast_shapes_all(ask.casts, b);
    ASSERT_EQ(a.size(), ask.casts.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_TRUE(std::equal(a[i].begin(), a[i].end(), b[i].begin(), b[i].end(), same_bits));
  }
}

TEST(QueryBatches, AreRefusedWholeAndNameTheBadOne) {
  World world;
  std::vector<RayCast> rays(5, {{0, 0, 0}, {1, 0, 0}, 1});
  std::vector<std::optional<WorldHit>> hits(5), too_few(4);
  world.cast_rays(rays, hits);
  EXPECT_THROW(world.cast_rays(rays, too_few), InputError);
  rays[3].direction = {};
  try {
    world.cast_rays(rays, hits);
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("number 3 of the batch"), std::string::npos) << error.what();
  }
  HitLists lists;
  EXPECT_THROW(world.cast_shapes_all(std::vector<ShapeCast>{{make_half_space({0, 0, 1}, 0), {}, {}}}, lists),
               InputError);
}

}  // namespace
}  // namespace cairn
