// SPDX-License-Identifier: MIT
// A warm call of a broad phase allocates nothing.
#include <gtest/gtest.h>

#include <string>

#include "cairn/broad/broad_phase.h"
#include "tests/allocation/counter.h"

namespace cairn {
namespace {

/// The boxes of a lattice, all shifted to and fro, so that the tree updates and the counts stay.
std::vector<Aabb> lattice(double shift) {
  std::vector<Aabb> bounds;
  for (int i = 0; i < 8000; ++i) {
    const Vec3 at{i % 20 + shift, i / 20 % 20 + shift, i / 400 + shift};
    bounds.push_back(grown({at, at}, 0.52));
  }
  return bounds;
}

std::vector<BoundingBall> balls_in(const std::vector<Aabb>& bounds) {
  std::vector<BoundingBall> balls;
  for (const Aabb& box : bounds) balls.push_back({centre(box), 0.52});
  return balls;
}

TEST(WarmCall, AllocatesNothing) {
  const auto pool = make_pool(2);
  const std::vector<Aabb> here = lattice(0), there = lattice(0.4);
  const std::vector<BoundingBall> balls_here = balls_in(here), balls_there = balls_in(there);
  const std::vector<ProxyFilter> filter(here.size());
  for (const std::string& name : broad_phase_names()) {
    const auto detector = make_broad_phase(name);
    std::vector<BroadPair> pairs;
    for (int k = 0; k < 16; ++k) detector->find_pairs(k / 2 % 2 == 0 ? here : there, filter, pool.get(), pairs);
    const long before = allocation_count();
    for (int k = 0; k < 8; ++k) detector->find_pairs(k / 2 % 2 == 0 ? here : there, filter, pool.get(), pairs);
    EXPECT_EQ(allocation_count() - before, 0) << name;
    EXPECT_GT(before, 0);
    const auto with_balls = [&](bool first) {
      detector->find_pairs(first ? here : there, filter, first ? balls_here : balls_there, pool.get(), pairs);
    };
    for (int k = 0; k < 16; ++k) with_balls(k / 2 % 2 == 0);
    const long before_balls = allocation_count();
    for (int k = 0; k < 8; ++k) with_balls(k / 2 % 2 == 0);
    EXPECT_EQ(allocation_count() - before_balls, 0) << name << " with balls";
  }
}

}  // namespace
}  // namespace cairn
