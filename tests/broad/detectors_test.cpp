// SPDX-License-Identifier: MIT
// Agreement of the detectors with looking at every pair, on scenes of many kinds, over steps and threads.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "cairn/broad/broad_phase.h"
#include "cairn/core/random.h"
#include "tests/broad/random_boxes.h"

namespace cairn {
namespace {

using Pairs = std::vector<BroadPair>;
using testing_boxes::Kind;
using testing_boxes::Scene;

Pairs oracle(const Scene& scene) {
  Pairs pairs;
  make_broad_phase("exhaustive")->find_pairs(scene.bounds, scene.filter, nullptr, pairs);
  return pairs;
}

TEST(Exhaustive, IsTheTwoLoops) {
  Random random(5);
  const Scene scene = testing_boxes::random_scene(Kind::uniform, 300, random);
  Pairs expected;
  for (std::size_t a = 0; a < 300; ++a)
    for (std::size_t b = a + 1; b < 300; ++b)
      if (overlap(scene.bounds[a], scene.bounds[b]) && accepts(scene.filter[a], scene.filter[b]))
        expected.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)});
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(oracle(scene), expected);
}

RC_GTEST_PROP(Detectors, AgreeOnEveryKindOfScene, ()) {
  const auto kind = static_cast<Kind>(*rc::gen::inRange(0, static_cast<int>(Kind::count)));
  const int count = *rc::gen::inRange(0, 600);
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Scene scene = testing_boxes::random_scene(kind, count, random);
  const Pairs expected = oracle(scene);
  for (const std::string& name : broad_phase_names()) {
    Pairs pairs;
    make_broad_phase(name)->find_pairs(scene.bounds, scene.filter, nullptr, pairs);
    if (pairs != expected) RC_FAIL(name + " differs on kind " + std::to_string(static_cast<int>(kind)));
  }
}

/// Fifty steps with jumps, removals, returns and changing counts; the detectors keep their state throughout.
void agree_while_moving(Kind kind, double step, std::uint64_t seed) {
  Random random(seed);
  Scene scene = testing_boxes::random_scene(kind, 400, random);
  std::vector<std::unique_ptr<BroadPhase>> detectors;
  for (const std::string& name : broad_phase_names()) detectors.push_back(make_broad_phase(name));
  Pairs pairs;
  for (int k = 0; k < 50; ++k) {
    testing_boxes::move(scene, kind, step, random);
    if (k % 10 == 9) {  // more or fewer proxies
      const Scene more = testing_boxes::random_scene(kind, 30, random);
      const std::size_t count = scene.bounds.size() - (k % 20 == 9 ? 45 : 0);
      scene.bounds.resize(count);
      scene.filter.resize(count);
      scene.bounds.insert(scene.bounds.end(), more.bounds.begin(), more.bounds.end());
      scene.filter.insert(scene.filter.end(), more.filter.begin(), more.filter.end());
    }
    const Pairs expected = oracle(scene);
    for (std::size_t d = 0; d < detectors.size(); ++d) {
      detectors[d]->find_pairs(scene.bounds, scene.filter, nullptr, pairs);
      ASSERT_EQ(pairs, expected) << broad_phase_names()[d] << ", kind " << static_cast<int>(kind) << ", step " << k;
    }
  }
}

TEST(Detectors, AgreeWhileMovingALittle) {
  for (int kind = 0; kind < static_cast<int>(Kind::count); ++kind) agree_while_moving(static_cast<Kind>(kind), 0.01, 1);
}

TEST(Detectors, AgreeWhileMovingALot) {
  for (int kind = 0; kind < static_cast<int>(Kind::count); ++kind) agree_while_moving(static_cast<Kind>(kind), 1.0, 2);
}

TEST(Detectors, AgreeWhenNothingMoves) {
  for (int kind = 0; kind < static_cast<int>(Kind::count); ++kind) agree_while_moving(static_cast<Kind>(kind), 0, 3);
}

TEST(Detectors, AgreeWhileASceneGrowsAndShrinksByOne) {
  Random random(23);
  const Scene all = testing_boxes::random_scene(Kind::uniform, 150, random);
  std::vector<std::unique_ptr<BroadPhase>> detectors;
  for (const std::string& name : broad_phase_names()) detectors.push_back(make_broad_phase(name));
  Pairs pairs;
  for (int k = 0; k <= 300; ++k) {
    const auto count = static_cast<std::size_t>(k <= 150 ? k : 300 - k);
    Scene scene = all;
    scene.bounds.resize(count);
    scene.filter.resize(count);
    const Pairs expected = oracle(scene);
    for (std::size_t d = 0; d < detectors.size(); ++d) {
      detectors[d]->find_pairs(scene.bounds, scene.filter, nullptr, pairs);
      ASSERT_EQ(pairs, expected) << broad_phase_names()[d] << ", " << count << " proxies";
    }
  }
}

/// Boxes from the smallest numbers to the largest accepted coordinates, beyond what a float holds.
TEST(Detectors, AgreeOnNumbersOfEverySize) {
  Random random(29);
  Scene scene;
  for (int i = 0; i < 300; ++i) {
    const double size = std::pow(10.0, random.uniform(-300, 99));
    const Vec3 at = testing_boxes::random_vector(random, size), half{size / 2, size / 3, size / 4};
    scene.bounds.push_back(testing_boxes::box_at(at, half));
    scene.filter.push_back({});
  }
  scene.bounds.push_back({});
  scene.filter.push_back({});
  scene.bounds.push_back({{-1e100, -1e100, -1e100}, {1e100, 1e100, 1e100}});
  scene.filter.push_back({});
  const Pairs expected = oracle(scene);
  EXPECT_GT(expected.size(), 300u);
  for (const std::string& name : broad_phase_names()) {
    Pairs pairs;
    const auto detector = make_broad_phase(name);
    detector->find_pairs(scene.bounds, scene.filter, nullptr, pairs);
    EXPECT_EQ(pairs, expected) << name;
    std::vector<std::int32_t> inside, sought;
    detector->find_overlaps({}, inside);
    EXPECT_TRUE(inside.empty()) << name;
    detector->find_overlaps(scene.bounds[7], inside);
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(scene.bounds.size()); ++i)
      if (overlap(scene.bounds[static_cast<std::size_t>(i)], scene.bounds[7])) sought.push_back(i);
    EXPECT_EQ(inside, sought) << name;
  }
}

/// Large enough that every parallel stage has several blocks.
TEST(Detectors, GiveTheSamePairsForAnyNumberOfThreads) {
  constexpr std::array<Kind, 3> kinds{Kind::planes, Kind::uniform, Kind::sizes};
  for (const Kind kind : kinds) {
    for (const std::string& name : broad_phase_names()) {
      std::vector<Pairs> reference;
      for (const int threads : {1, 2, 3, 8}) {
        const auto pool = make_pool(threads);
        const auto detector = make_broad_phase(name);
        Random random(17);
        const int count = kind == Kind::planes ? 6000 : kind == Kind::uniform ? 2500 : 700;
        Scene scene = testing_boxes::random_scene(kind, count, random);
        for (std::size_t k = 0; k < 5; ++k) {
          Pairs pairs;
          detector->find_pairs(scene.bounds, scene.filter, pool.get(), pairs);
          if (threads == 1) reference.push_back(pairs);
          ASSERT_EQ(pairs, reference[k]) << name << ", " << threads << " threads, step " << k;
          testing_boxes::move(scene, kind, k < 2 ? 0.001 : 0.3, random);
        }
      }
    }
  }
}

}  // namespace
}  // namespace cairn
