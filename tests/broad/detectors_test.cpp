// SPDX-License-Identifier: MIT
// Agreement of the detectors with looking at every pair, on scenes of many kinds, over steps and threads.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <string>

#include "cairn/broad/broad_phase.h"
#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "tests/broad/random_boxes.h"

namespace cairn {
namespace {

using Pairs = std::vector<BroadPair>;
using testing_boxes::Kind;
using testing_boxes::Scene;

using Balls = std::span<const BoundingBall>;

Pairs oracle(const Scene& scene, Balls balls) {
  Pairs pairs;
  make_broad_phase("exhaustive")->find_pairs(scene.bounds, scene.filter, balls, nullptr, pairs);
  return pairs;
}

TEST(Exhaustive, IsTheTwoLoops) {
  Random random(5);
  const Scene scene = testing_boxes::random_scene(Kind::uniform, 300, random);
  Pairs boxes, both;
  for (std::size_t a = 0; a < 300; ++a) {
    for (std::size_t b = a + 1; b < 300; ++b) {
      if (!overlap(scene.bounds[a], scene.bounds[b]) || !accepts(scene.filter[a], scene.filter[b])) continue;
      boxes.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)});
      if (overlap(scene.balls[a], scene.balls[b])) both.push_back(boxes.back());
    }
  }
  EXPECT_FALSE(both.empty());
  EXPECT_LT(both.size(), boxes.size());
  EXPECT_EQ(oracle(scene, {}), boxes);
  EXPECT_EQ(oracle(scene, scene.balls), both);
}

RC_GTEST_PROP(Detectors, AgreeOnEveryKindOfScene, ()) {
  const auto kind = static_cast<Kind>(*rc::gen::inRange(0, static_cast<int>(Kind::count)));
  const int count = *rc::gen::inRange(0, 600);
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Scene scene = testing_boxes::random_scene(kind, count, random);
  const Balls balls = *rc::gen::arbitrary<bool>() ? Balls(scene.balls) : Balls();
  const Pairs expected = oracle(scene, balls);
  for (const std::string& name : broad_phase_names()) {
    Pairs pairs;
    make_broad_phase(name)->find_pairs(scene.bounds, scene.filter, balls, nullptr, pairs);
    if (pairs != expected) RC_FAIL(name + " differs on kind " + std::to_string(static_cast<int>(kind)));
  }
}

/// Fifty steps with jumps, removals, returns and changing counts, most of them with balls; the detectors keep their
/// state throughout.
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
      scene.resize(count);
      scene.bounds.insert(scene.bounds.end(), more.bounds.begin(), more.bounds.end());
      scene.filter.insert(scene.filter.end(), more.filter.begin(), more.filter.end());
      scene.balls.insert(scene.balls.end(), more.balls.begin(), more.balls.end());
    }
    const Balls balls = k % 9 < 6 ? Balls(scene.balls) : Balls();
    const Pairs expected = oracle(scene, balls);
    for (std::size_t d = 0; d < detectors.size(); ++d) {
      detectors[d]->find_pairs(scene.bounds, scene.filter, balls, nullptr, pairs);
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
    const auto count = to_index(k <= 150 ? k : 300 - k);
    Scene scene = all;
    scene.resize(count);
    const Pairs expected = oracle(scene, scene.balls);
    for (std::size_t d = 0; d < detectors.size(); ++d) {
      detectors[d]->find_pairs(scene.bounds, scene.filter, scene.balls, nullptr, pairs);
      ASSERT_EQ(pairs, expected) << broad_phase_names()[d] << ", " << count << " proxies";
    }
  }
}

/// A caller that names what changed gets the same pairs: few or many changes, leaps out of the fat boxes, removals,
/// returns, other filters, proxies named without need or twice, another count, balls that come and go.
TEST(Detectors, AgreeWhenTheyAreToldWhatChanged) {
  Random random(77);
  Scene scene = testing_boxes::random_scene(Kind::uniform, 500, random);
  std::vector<std::unique_ptr<BroadPhase>> detectors;
  for (const std::string& name : broad_phase_names()) detectors.push_back(make_broad_phase(name));
  Pairs pairs;
  std::size_t few = 0;
  for (int k = 0; k < 400; ++k) {
    std::vector<std::int32_t> changed;
    const int count = k % 10 == 9 ? 300 : static_cast<int>(random.below(6));
    for (int c = 0; c < count; ++c) {
      const auto i = to_index(random.below(scene.bounds.size()));
      changed.push_back(static_cast<std::int32_t>(i));
      const double way = std::vector{0.0, 0.001, 0.02, 2.0}[random.below(4)];
      const Vec3 shift = way * Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
      const Vec3 middle = random.below(8) == 0 ? Vec3{} : scene.balls[i].centre + shift;
      scene.bounds[i] = random.below(10) == 0 ? Aabb{} : testing_boxes::box_at(middle, {0.3, 0.3, 0.3});
      scene.balls[i] = {middle, 0.4};
      if (random.below(10) == 0) scene.filter[i].mask ^= 1;
    }
    if (count > 0) changed.push_back(changed.front());
    if (k % 50 == 49) scene.resize(scene.bounds.size() - 7);
    std::erase_if(changed, [&](std::int32_t i) { return to_index(i) >= scene.bounds.size(); });
    if (8 * changed.size() < scene.bounds.size()) ++few;
    const Balls balls = k % 80 < 70 ? Balls(scene.balls) : Balls();
    const Pairs expected = oracle(scene, balls);
    for (std::size_t d = 0; d < detectors.size(); ++d) {
      detectors[d]->find_pairs({scene.bounds, scene.filter, balls, &changed}, nullptr, pairs);
      ASSERT_EQ(pairs, expected) << broad_phase_names()[d] << ", step " << k;
    }
  }
  EXPECT_GT(few, 300u);
}

/// The fat balls of the tree last while a body rolls to and fro within its margin, and its partners come and go.
TEST(Detectors, AgreeWhileBallsTurnAboutEachOther) {
  const auto tree = make_broad_phase("tree");
  Pairs pairs;
  std::size_t met = 0, apart = 0;
  for (int k = 0; k < 400; ++k) {
    const double t = 0.01 * k, reach = 1 + 0.05 * std::sin(37 * t);
    Scene scene;
    for (const Vec3& at :
         {Vec3{}, reach * Vec3{std::cos(t), std::sin(t), 0}, reach * Vec3{0, std::cos(t), std::sin(t)}}) {
      scene.bounds.push_back(testing_boxes::box_at(at, {0.5, 0.5, 0.5}));
      scene.balls.push_back({at, 0.5});
    }
    scene.filter.resize(3);
    tree->find_pairs(scene.bounds, scene.filter, scene.balls, nullptr, pairs);
    ASSERT_EQ(pairs, oracle(scene, scene.balls)) << "step " << k;
    ++(pairs.empty() ? apart : met);
  }
  EXPECT_GT(met, 50u);
  EXPECT_GT(apart, 50u);
}

/// Boxes from the smallest numbers to the largest accepted coordinates, beyond what a float holds.
TEST(Detectors, AgreeOnNumbersOfEverySize) {
  Random random(29);
  Scene scene;
  for (int i = 0; i < 300; ++i) {
    const double size = std::pow(10.0, random.uniform(-300, 99));
    const Vec3 at = testing_boxes::random_vector(random, size), half{size / 2, size / 3, size / 4};
    scene.bounds.push_back(testing_boxes::box_at(at, half));
    scene.balls.push_back({at, size / 2});
  }
  scene.bounds.push_back({});
  scene.balls.push_back({});
  scene.bounds.push_back({{-1e100, -1e100, -1e100}, {1e100, 1e100, 1e100}});
  scene.balls.push_back({{1e100, 1e100, 1e100}, 1e300});
  scene.filter.resize(scene.bounds.size());
  const Pairs boxes = oracle(scene, {}), both = oracle(scene, scene.balls);
  EXPECT_GT(both.size(), 300u);
  EXPECT_GT(boxes.size(), both.size());
  for (const std::string& name : broad_phase_names()) {
    Pairs pairs;
    const auto detector = make_broad_phase(name);
    for (int k = 0; k < 2; ++k) {  // the second time from kept pairs
      detector->find_pairs(scene.bounds, scene.filter, scene.balls, nullptr, pairs);
      EXPECT_EQ(pairs, both) << name;
    }
    detector->find_pairs(scene.bounds, scene.filter, nullptr, pairs);
    EXPECT_EQ(pairs, boxes) << name;
    std::vector<std::int32_t> inside, sought;
    detector->find_overlaps({}, inside);
    EXPECT_TRUE(inside.empty()) << name;
    detector->find_overlaps(scene.bounds[7], inside);
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(scene.bounds.size()); ++i)
      if (overlap(scene.bounds[to_index(i)], scene.bounds[7])) sought.push_back(i);
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
          detector->find_pairs(scene.bounds, scene.filter, k < 4 ? Balls(scene.balls) : Balls(), pool.get(), pairs);
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
