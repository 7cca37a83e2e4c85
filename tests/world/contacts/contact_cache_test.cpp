// SPDX-License-Identifier: MIT
#include "cairn/world/contacts/contact_cache.h"

#include <gtest/gtest.h>

#include <cstring>

#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "tests/geometry/samples.h"

namespace cairn {
namespace {

/// Bodies with one shape each, and a cache that sees those pairs whose bounds overlap.
struct Bench {
  Bodies bodies;
  Shapes shapes;
  ContactCache cache;
  DetectSettings settings{.margin = 0.02, .dt = 0.01, .recycling = true};

  void add(const Shape& shape, const Vec3& position) {
    const std::size_t i = bodies.size();
    bodies.resize(i + 1), shapes.resize(i + 1);
    bodies.status[i] = kLive | kDynamic;
    bodies.pose[i].position = bodies.reference[i].position = position;
    shapes.def[i].shape = shape;
    shapes.body[i] = static_cast<std::int32_t>(i);
    prepare_shape(bodies, shapes, i);
  }

  /// Says that a body left the place where its contacts were made.
  void leave(std::size_t i) { bodies.reference[i] = bodies.pose[i], ++bodies.version[i]; }

  void detect(ThreadPool* pool = nullptr) {
    for (std::size_t i = 0; i < shapes.size(); ++i) place_shape(bodies, shapes, i, settings.margin, settings.dt);
    std::vector<BroadPair>& pairs = cache.next_pairs();
    pairs.clear();
    for (std::size_t a = 0; a < shapes.size(); ++a)
      for (std::size_t b = a + 1; b < shapes.size(); ++b)
        if (overlap(shapes.bounds[a], shapes.bounds[b]))
          pairs.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)});
    cache.match(pool);
    cache.update(bodies, shapes, settings, pool);
  }

  ContactPoint& point(std::size_t k) { return cache.slabs()[0].points[k]; }
};

/// A cube of side 1 on another, 1 mm deep.
Bench two_cubes() {
  Bench bench;
  bench.add(make_box({0.5, 0.5, 0.5}), {0, 0, 0});
  bench.add(make_box({0.5, 0.5, 0.5}), {0.1, 0, 0.999});
  bench.detect();
  return bench;
}

TEST(ContactCache, ACubeOnACubeHasFourPoints) {
  Bench bench = two_cubes();
  ASSERT_EQ(bench.cache.manifold_count(), 1);
  ASSERT_EQ(bench.cache.point_count(), 4);
  expect_near(bench.cache.slabs()[0].manifolds[0].normal, {0, 0, 1}, 1e-12);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(bench.point(k).separation, -1e-3, 1e-9);
    EXPECT_NEAR(bench.point(k).position.z, 0.4995, 1e-9);
    EXPECT_EQ(bench.point(k).normal_impulse, 0);
  }
}

/// Whether the manifold is followed or made anew, impulses stay with their features.
TEST(ContactCache, ImpulsesAreCarriedOver) {
  for (const bool leaves : {false, true}) {
    SCOPED_TRACE(leaves ? "made anew" : "followed");
    Bench bench = two_cubes();
    std::array<std::uint32_t, 4> feature{};
    for (std::size_t k = 0; k < 4; ++k) {
      bench.point(k).normal_impulse = static_cast<float>(k + 1);
      feature[k] = bench.point(k).feature;
    }
    bench.bodies.pose[1].position.x += 1e-5;
    if (leaves) bench.leave(1);
    bench.detect();
    EXPECT_EQ(bench.cache.recycled_count(), leaves ? 0 : 1);
    ASSERT_EQ(bench.cache.point_count(), 4);
    for (std::size_t k = 0; k < 4; ++k) {
      const auto old = std::find(feature.begin(), feature.end(), bench.point(k).feature);
      ASSERT_NE(old, feature.end());
      EXPECT_EQ(bench.point(k).normal_impulse, static_cast<float>(old - feature.begin() + 1));
    }
  }
}

TEST(ContactCache, AManifoldThatIsFollowedMovesWithItsBodies) {
  Bench bench = two_cubes();
  bench.bodies.pose[1].position.z += 4e-4;
  bench.detect();
  EXPECT_EQ(bench.cache.recycled_count(), 1);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(bench.point(k).separation, -6e-4, 1e-9);
  bench.settings.recycling = false;
  bench.detect();
  EXPECT_EQ(bench.cache.recycled_count(), 0);
}

TEST(ContactCache, APairThatPartsWhileItTouchesIsListed) {
  Bench bench = two_cubes();
  bench.cache.records()[0].touching = 1;
  bench.bodies.pose[1].position.z += 5;
  bench.leave(1);
  bench.detect();
  EXPECT_EQ(bench.cache.pairs().size(), 0u);
  EXPECT_EQ(bench.cache.point_count(), 0);
  ASSERT_EQ(bench.cache.before().pairs.size(), 1u);
  std::size_t ended = 0;
  for (const Slab& slab : bench.cache.slabs()) ended += slab.ended.size();
  EXPECT_EQ(ended, 1u);
}

TEST(ContactCache, AForgottenPairBeginsAnew) {
  Bench bench = two_cubes();
  for (std::size_t k = 0; k < 4; ++k) bench.point(k).normal_impulse = 1;
  bench.cache.records()[0].touching = 1;
  int told = 0;
  const std::vector<std::uint8_t> removed{0, 1};
  bench.cache.forget(removed, [&](const BroadPair& pair, bool was_touching) {
    EXPECT_EQ(pair.b, 1);
    told += was_touching ? 1 : 0;
  });
  EXPECT_EQ(told, 1);
  bench.detect();
  ASSERT_EQ(bench.cache.point_count(), 4);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(bench.point(k).normal_impulse, 0);
  EXPECT_EQ(bench.cache.records()[0].touching, 0);
}

/// A heap of balls in a box of side 5; `boxes`: two of three are boxes.
Bench heap(std::uint64_t seed, bool boxes) {
  Random random(seed);
  Bench bench;
  for (int i = 0; i < 150; ++i) {
    const Vec3 p{random.uniform(0, 5), random.uniform(0, 5), random.uniform(0, 5)};
    bench.add(i % 3 == 0 || !boxes ? Shape(make_sphere(0.5)) : Shape(make_box({0.4, 0.5, 0.6})), p);
  }
  return bench;
}

/// Some bodies move far, some a little, some not at all; points that touch have impulses.
void stir(Bench& bench, std::uint64_t seed) {
  Random random(seed);
  for (Slab& slab : bench.cache.slabs())
    for (ContactPoint& p : slab.points) p.normal_impulse = static_cast<float>(random.uniform(0, 1));
  for (std::size_t i = 0; i < bench.bodies.size(); ++i) {
    const double kind = random.uniform(0, 1), size = kind < 0.3 ? 0 : kind < 0.7 ? 1e-5 : 0.2;
    bench.bodies.pose[i].position.x += size * random.uniform(-1, 1);
    bench.bodies.pose[i].position.z += size * random.uniform(-1, 1);
    if (size > 1e-3) bench.leave(i);
  }
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

void expect_same(const ContactCache& a, const ContactCache& b) {
  ASSERT_EQ(a.slabs().size(), b.slabs().size());
  for (std::size_t s = 0; s < a.slabs().size(); ++s) {
    EXPECT_TRUE(same_bits(a.slabs()[s].points, b.slabs()[s].points)) << "slab " << s;
    ASSERT_EQ(a.slabs()[s].manifolds.size(), b.slabs()[s].manifolds.size()) << "slab " << s;
  }
}

TEST(ContactCache, IsTheSameForAnyNumberOfThreadsAndAfterItWasRestored) {
  Bench alone = heap(1, true), side_by_side = heap(1, true), restored = heap(1, true);
  ThreadPool pool(3);
  for (std::uint64_t round = 0; round < 12; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    alone.detect(), side_by_side.detect(&pool), restored.detect();
    ASSERT_GT(alone.cache.pairs().size(), to_index(ContactCache::kPairBlock)) << "several blocks";
    expect_same(alone.cache, side_by_side.cache);
    expect_same(alone.cache, restored.cache);
    for (Bench* bench : {&alone, &side_by_side, &restored}) stir(*bench, round);
    ContactGeneration saved = restored.cache.generation();
    restored.cache = {};
    restored.cache.restore(std::move(saved));
  }
}

/// Balls have no axis to remember: their points are those of a cache that knows nothing, whatever was there before.
TEST(ContactCache, PointsOfBallsDoNotDependOnThePast) {
  Bench kept = heap(2, false);
  for (std::uint64_t round = 0; round < 8; ++round) {
    kept.detect();
    Bench cold = kept;
    cold.cache = {};
    cold.detect();
    ASSERT_EQ(kept.cache.point_count(), cold.cache.point_count()) << "round " << round;
    for (std::size_t s = 0; s < kept.cache.slabs().size(); ++s)
      for (std::size_t k = 0; k < kept.cache.slabs()[s].points.size(); ++k) {
        const ContactPoint &a = kept.cache.slabs()[s].points[k], &b = cold.cache.slabs()[s].points[k];
        EXPECT_EQ(a.feature, b.feature);
        EXPECT_NEAR(a.separation, b.separation, 1e-9);
      }
    stir(kept, 100 + round);
  }
}

}  // namespace
}  // namespace cairn
