// SPDX-License-Identifier: MIT
// The tree of queries against looking at every box.
#include "cairn/broad/query_tree.h"

#include <gtest/gtest.h>

#include <set>

#include "cairn/core/index.h"
#include "tests/broad/random_boxes.h"

namespace cairn {
namespace {

using testing_boxes::Kind;
using Proxies = std::set<std::size_t>;

/// Cuts t to the times at which a moving interval meets a resting one along one axis.
using Interval = std::array<double, 2>;
bool cut(const Interval& own, double speed, const Interval& other, Interval& t) {
  if (speed == 0) return own[0] <= other[1] && other[0] <= own[1];
  const double a = (other[0] - own[1]) / speed, b = (other[1] - own[0]) / speed;
  t = {std::max(t[0], std::min(a, b)), std::min(t[1], std::max(a, b))};
  return t[0] <= t[1];
}

/// When a box that moves first meets another; beyond `reach`: never.
double first_touch(const Aabb& box, const Vec3& way, double reach, const Aabb& other) {
  Interval t{0, reach};
  const bool meets = other.lower.x <= other.upper.x &&
                     cut({box.lower.x, box.upper.x}, way.x, {other.lower.x, other.upper.x}, t) &&
                     cut({box.lower.y, box.upper.y}, way.y, {other.lower.y, other.upper.y}, t) &&
                     cut({box.lower.z, box.upper.z}, way.z, {other.lower.z, other.upper.z}, t);
  return meets ? t[0] : 2 * reach + 1;
}

class EveryKindOfBoxes : public testing::TestWithParam<int> {
 protected:
  Kind kind() const { return static_cast<Kind>(GetParam()); }

  /// Some stay, some move, some go.
  void change(Random& random) {
    boxes_.resize(to_index(300 + random.below(400)));
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (random.below(3) == 0) continue;
      boxes_[i] = random.below(10) == 0 ? Aabb{} : testing_boxes::random_box(kind(), static_cast<int>(i), random);
    }
    tree_.resize(boxes_.size());
    for (std::size_t i = 0; i < boxes_.size(); ++i) tree_.set(i, boxes_[i]);
    tree_.update(nullptr);
  }
  void move_some(Random& random) {
    for (std::size_t i = 0; i < boxes_.size(); i += 1 + to_index(random.below(40))) {
      boxes_[i] = testing_boxes::random_box(kind(), static_cast<int>(i), random);
      tree_.set(i, boxes_[i]);
    }
    tree_.update(nullptr);
  }

  std::vector<Aabb> boxes_;
  QueryTree tree_;
};

TEST_P(EveryKindOfBoxes, MissesNothingOnTheWay) {
  Random random(31);
  for (int round = 0; round < 40; ++round) {
    round % 4 == 0 ? change(random) : move_some(random);
    for (int i = 0; i < 20; ++i) {
      const Aabb near = testing_boxes::random_box(kind(), i, random);
      Vec3 way = testing_boxes::random_vector(random, 1);
      if (i % 5 == 1) way = {0, i % 2 == 0 ? 1.0 : -1.0, 0};
      if (i % 5 == 2) way = {way.x, 0, way.z};
      const Vec3 at = centre(near) - 15 * way;
      const Aabb moving = i % 2 == 0 ? Aabb{at, at} : testing_boxes::box_at(at, {0.3, 0.7, 0.1});
      const double reach = random.uniform(0, 40);
      Proxies found;
      tree_.visit_along(moving, way, reach, [&](std::size_t proxy) {
        EXPECT_TRUE(found.insert(proxy).second) << "twice";
        return reach;
      });
      double first = 2 * reach + 1, nearest = first;
      for (std::size_t k = 0; k < boxes_.size(); ++k) {
        const double touch = first_touch(moving, way, reach, boxes_[k]);
        if (touch > reach) continue;
        EXPECT_EQ(found.count(k), 1u) << k;
        first = std::min(first, touch);
      }
      double ahead = reach;
      tree_.visit_along(moving, way, reach, [&](std::size_t proxy) {
        const double touch = first_touch(moving, way, reach, boxes_[proxy]);
        if (touch <= reach) nearest = std::min(nearest, touch), ahead = std::min(ahead, nearest);
        return ahead;
      });
      EXPECT_EQ(nearest, first);
    }
  }
}

TEST_P(EveryKindOfBoxes, OverlapsAreExact) {
  Random random(32);
  for (int round = 0; round < 40; ++round) {
    round % 4 == 0 ? change(random) : move_some(random);
    const Aabb box = testing_boxes::random_box(kind(), round, random);
    Proxies found, expected;
    tree_.visit_overlaps(box, [&](std::size_t proxy) { EXPECT_TRUE(found.insert(proxy).second); });
    for (std::size_t k = 0; k < boxes_.size(); ++k)
      if (overlap(boxes_[k], box)) expected.insert(k);
    EXPECT_EQ(found, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(QueryTree, EveryKindOfBoxes, testing::Range(0, static_cast<int>(Kind::count)));

TEST(QueryTree, NearOnesComeFirstAndTheRestIsNotVisited) {
  QueryTree tree;
  tree.resize(4096);
  for (std::size_t i = 0; i < 4096; ++i)
    tree.set(
        i, testing_boxes::box_at({static_cast<double>(i % 64) * 2, static_cast<double>(i / 64) * 2, 0}, {0.5, 0.5, 1}));
  tree.update(nullptr);
  std::vector<std::size_t> all;
  tree.visit_along({{-5, 20, 0}, {-5, 20, 0}}, {1, 0, 0}, 1000, [&](std::size_t proxy) {
    all.push_back(proxy);
    return 1000.0;
  });
  ASSERT_EQ(all.size(), 64u);
  int visits = 0;
  tree.visit_along({{-5, 20, 0}, {-5, 20, 0}}, {1, 0, 0}, 1000, [&](std::size_t proxy) {
    EXPECT_EQ(proxy, 640u);
    ++visits;
    return 4.5;
  });
  EXPECT_EQ(visits, 1);
}

TEST(QueryTree, WithoutBoxesFindsNothing) {
  QueryTree tree;
  tree.update(nullptr);
  const auto never = [](std::size_t) -> double { return ADD_FAILURE(), 0.0; };
  tree.visit_along({{}, {}}, {1, 0, 0}, 10, never);
  tree.resize(3);
  tree.update(nullptr);
  tree.visit_along({{}, {}}, {1, 0, 0}, 10, never);
  tree.visit_overlaps({{-1, -1, -1}, {1, 1, 1}}, never);
}

}  // namespace
}  // namespace cairn
