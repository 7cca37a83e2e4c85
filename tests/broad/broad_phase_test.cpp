// SPDX-License-Identifier: MIT
// Small cases with known answers, for every detector of the table.
#include "cairn/broad/broad_phase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "tests/broad/random_boxes.h"

namespace cairn {
namespace {

using Pairs = std::vector<BroadPair>;
using Proxies = std::vector<std::int32_t>;
using testing_boxes::box_at;

class EveryBroadPhase : public testing::TestWithParam<std::string> {
 protected:
  Pairs find(const std::vector<Aabb>& bounds) { return find(bounds, std::vector<ProxyFilter>(bounds.size())); }
  Pairs find(const std::vector<Aabb>& bounds, const std::vector<ProxyFilter>& filter) {
    Pairs pairs;
    detector_->find_pairs(bounds, filter, nullptr, pairs);
    return pairs;
  }
  Pairs find_with(const std::vector<BoundingBall>& balls, const std::vector<Aabb>& bounds) {
    Pairs pairs;
    detector_->find_pairs(bounds, std::vector<ProxyFilter>(bounds.size()), balls, nullptr, pairs);
    return pairs;
  }
  std::unique_ptr<BroadPhase> detector_ = make_broad_phase(GetParam());
};

Aabb cube(double x, double y, double z, double half = 0.5) { return box_at({x, y, z}, {half, half, half}); }

TEST_P(EveryBroadPhase, NoneAndOneHaveNoPairs) {
  EXPECT_EQ(find({}), Pairs{});
  EXPECT_EQ(find({cube(1, 2, 3)}), Pairs{});
  EXPECT_EQ(find({}), Pairs{});
}

TEST_P(EveryBroadPhase, TouchingCountsAndTheNextNumberDoesNot) {
  EXPECT_EQ(find({cube(0, 0, 0), cube(1, 0, 0)}), (Pairs{{0, 1}}));  // a face
  EXPECT_EQ(find({cube(0, 0, 0), cube(1, 1, 1)}), (Pairs{{0, 1}}));  // a corner
  Aabb apart = cube(1, 0, 0);
  apart.lower.x = std::nextafter(0.5, 1.0);
  EXPECT_EQ(find({cube(0, 0, 0), apart}), Pairs{});
  EXPECT_EQ(find({cube(0, 0, 0), cube(1, 0, 0)}), (Pairs{{0, 1}}));
}

TEST_P(EveryBroadPhase, NestedBoxesAllMeet) {
  EXPECT_EQ(find({cube(0, 0, 0, 100), cube(1, 1, 1, 1), cube(1, 1, 1, 0.01), cube(50, 50, 50, 1)}),
            (Pairs{{0, 1}, {0, 2}, {0, 3}, {1, 2}}));
}

TEST_P(EveryBroadPhase, ManyIdenticalBoxesAllMeet) {
  constexpr std::int32_t n = 2000;
  const Pairs pairs = find(std::vector<Aabb>(n, cube(3, 4, 5)));
  ASSERT_EQ(pairs.size(), to_index(n) * (n - 1) / 2);
  std::size_t k = 0;
  for (std::int32_t a = 0; a < n; ++a)
    for (std::int32_t b = a + 1; b < n; ++b) ASSERT_EQ(pairs[k++], (BroadPair{a, b}));
}

TEST_P(EveryBroadPhase, OneHugeBoxMeetsAllSmallOnes) {
  std::vector<Aabb> bounds;
  Pairs expected;
  for (std::int32_t i = 0; i < 1000; ++i) bounds.push_back(cube(i % 10 * 3, i / 10 % 10 * 3, i / 100 * 3));
  bounds.push_back(cube(0, 0, 0, 1000));
  for (std::int32_t i = 0; i < 1000; ++i) expected.push_back({i, 1000});
  EXPECT_EQ(find(bounds), expected);
}

TEST_P(EveryBroadPhase, BallLatticeHasTwentySixNeighbours) {
  constexpr std::int32_t n = 12;
  std::vector<Aabb> bounds;
  for (int i = 0; i < n * n * n; ++i) bounds.push_back(cube(i % n, i / n % n, i / n / n, 0.52));
  // Ordered pairs along one axis that are equal or adjacent: 3 n - 2; both orders and self removed at the end.
  constexpr std::size_t near = 3 * n - 2;
  EXPECT_EQ(find(bounds).size(), (near * near * near - n * n * n) / 2);
}

TEST_P(EveryBroadPhase, BallsLeaveThreeNeighboursOfTheLattice) {
  constexpr std::int32_t n = 12;
  std::vector<Aabb> bounds;
  std::vector<BoundingBall> balls;
  for (int i = 0; i < n * n * n; ++i) {
    bounds.push_back(cube(i % n, i / n % n, i / n / n, 0.52));
    balls.push_back({centre(bounds.back()), 0.52});
  }
  EXPECT_EQ(find_with(balls, bounds).size(), 3u * n * n * (n - 1));
  EXPECT_EQ(find(bounds).size(), (34u * 34 * 34 - n * n * n) / 2) << "without balls the boxes alone count again";
  EXPECT_EQ(find_with(balls, bounds).size(), 3u * n * n * (n - 1));
}

TEST_P(EveryBroadPhase, TouchingBallsCountAndInfiniteOnesSayNothing) {
  const std::vector<Aabb> bounds{cube(0, 0, 0), cube(0.75, 1, 0)};  // 3-4-5: 1.25 apart
  EXPECT_EQ(find_with({{{0, 0, 0}, 0.5}, {{0.75, 1, 0}, 0.75}}, bounds), (Pairs{{0, 1}}));
  EXPECT_EQ(find_with({{{0, 0, 0}, 0.5}, {{0.75, 1, 0}, 0.75 - 0x1p-52}}, bounds), Pairs{});
  EXPECT_EQ(find_with({{{0, 0, 0}, 0.0}, {}}, bounds), (Pairs{{0, 1}}));
  EXPECT_EQ(find_with({{{0, 0, 0}, 0.5}, {{0.75, 1, 0}, 0.75 - 0x1p-52}}, bounds), Pairs{});
  EXPECT_EQ(find_with({{}, {}}, {cube(0, 0, 0), cube(2, 0, 0)}), Pairs{}) << "boxes count too";
}

TEST_P(EveryBroadPhase, FiltersAreHonouredAndMayChange) {
  const std::vector<Aabb> bounds(4, cube(0, 0, 0));
  std::vector<ProxyFilter> filter(4);
  filter[0].moves = filter[1].moves = false;
  filter[2].layer = 2;
  filter[3].mask = 1;  // does not meet layer 2
  EXPECT_EQ(find(bounds, filter), (Pairs{{0, 2}, {0, 3}, {1, 2}, {1, 3}}));
  filter[3].mask = 3;
  filter[1].moves = true;
  EXPECT_EQ(find(bounds, filter), (Pairs{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}));
}

TEST_P(EveryBroadPhase, ExcludedPairsAreLeftOut) {
  const std::vector<Aabb> bounds(4, cube(0, 0, 0));
  detector_->set_excluded(Pairs{{2, 1}, {0, 3}, {1, 2}, {7, 9}});
  EXPECT_EQ(find(bounds), (Pairs{{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
  detector_->set_excluded({});
  EXPECT_EQ(find(bounds).size(), 6u);
}

TEST_P(EveryBroadPhase, AbsentProxiesComeAndGo) {
  EXPECT_EQ(find({cube(0, 0, 0), Aabb{}, cube(0.5, 0, 0)}), (Pairs{{0, 2}}));
  EXPECT_EQ(find({cube(0, 0, 0), cube(0, 0, 0), Aabb{}}), (Pairs{{0, 1}}));
  EXPECT_EQ(find({Aabb{}, Aabb{}, Aabb{}}), Pairs{});
}

TEST_P(EveryBroadPhase, RefusesBoxesItCannotUseAndNamesTheProxy) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::vector<Aabb> good(6000, cube(0, 0, 0, 0));
  for (const Aabb& bad : {Aabb{{0, nan, 0}, {1, 1, 1}}, Aabb{{0, 0, 0}, {1, 1, nan}}, Aabb{{-inf, 0, 0}, {1, 1, 1}},
                          Aabb{{0, 0, 0}, {1, inf, 1}}, Aabb{{0, 2, 0}, {1, 1, 1}}, Aabb{{0, 0, 0}, {1, 1, 1e200}}}) {
    std::vector<Aabb> bounds = {cube(0, 0, 0), cube(0, 0, 0)};
    bounds.resize(5000);
    bounds[4321] = bad;
    try {
      find(bounds);
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("proxy 4321 "), std::string::npos) << error.what();
    }
    bounds[4321] = {};
    EXPECT_EQ(find(bounds), (Pairs{{0, 1}}));
  }
  Pairs pairs;
  EXPECT_THROW(detector_->find_pairs(good, std::vector<ProxyFilter>(5), nullptr, pairs), InputError);
}

TEST_P(EveryBroadPhase, RefusesBallsItCannotUseAndNamesTheProxy) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::vector<Aabb> bounds(5000, cube(0, 0, 0, 0));
  for (const BoundingBall& bad : {BoundingBall{{0, nan, 0}, 1}, BoundingBall{{inf, 0, 0}, inf},
                                  BoundingBall{{0, 0, -1e200}, 1}, BoundingBall{{}, nan}, BoundingBall{{}, -1}}) {
    std::vector<BoundingBall> balls(bounds.size());
    balls[4321] = bad;
    try {
      find_with(balls, bounds);
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("ball of proxy 4321 "), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(find_with(std::vector<BoundingBall>(5), bounds), InputError);
}

TEST_P(EveryBroadPhase, QueriesGiveTheBoxesOfTheLastCall) {
  std::vector<Aabb> bounds;
  for (int i = 0; i < 200; ++i) bounds.push_back(cube(2 * i, i % 3, 0));
  find(bounds);
  Proxies found{99};
  detector_->find_overlaps(cube(100, 1, 0, 2.5), found);  // x from 97.5 to 102.5
  EXPECT_EQ(found, (Proxies{49, 50, 51}));
}

TEST_P(EveryBroadPhase, QueriesAgreeWithLookingAtEveryBox) {
  using testing_boxes::Kind;
  Random random(11);
  Proxies found;
  for (const Kind kind : {Kind::uniform, Kind::clustered, Kind::sizes, Kind::far_away}) {
    auto scene = testing_boxes::random_scene(kind, 700, random);
    for (int round = 0; round < 20; ++round) {
      testing_boxes::move(scene, kind, 0.1, random);
      find(scene.bounds, scene.filter);
      const Aabb box = testing_boxes::random_box(kind, round, random);
      Proxies overlaps;
      for (std::int32_t i = 0; i < 700; ++i)
        if (overlap(scene.bounds[to_index(i)], box)) overlaps.push_back(i);
      detector_->find_overlaps(box, found);
      EXPECT_EQ(found, overlaps);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Broad, EveryBroadPhase, testing::ValuesIn(broad_phase_names()),
                         [](const auto& tested) { return tested.param; });

TEST(BroadPhaseTable, SaysWhatWasMeant) {
  try {
    make_broad_phase("gird");
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'grid'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace cairn
