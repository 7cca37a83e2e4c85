// SPDX-License-Identifier: MIT
// A warm call of a broad phase allocates nothing. Part of the program that replaces operator new.
#include <gtest/gtest.h>

#include <string>

#include "cairn/broad/broad_phase.h"
#include "tests/allocations.h"

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

TEST(WarmCall, AllocatesNothing) {
  const auto pool = make_pool(2);
  const std::vector<Aabb> here = lattice(0), there = lattice(0.4);
  const std::vector<ProxyFilter> filter(here.size());
  for (const std::string& name : broad_phase_names()) {
    const auto detector = make_broad_phase(name);
    std::vector<BroadPair> pairs;
    for (int k = 0; k < 6; ++k) detector->find_pairs(k % 2 == 0 ? here : there, filter, pool.get(), pairs);
    const long before = allocation_count();
    for (int k = 0; k < 6; ++k) detector->find_pairs(k / 2 % 2 == 0 ? here : there, filter, pool.get(), pairs);
    EXPECT_EQ(allocation_count() - before, 0) << name;
    EXPECT_GT(before, 0);
  }
}

}  // namespace
}  // namespace cairn
