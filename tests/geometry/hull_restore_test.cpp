// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <functional>

#include "cairn/core/errors.h"
#include "cairn/core/random.h"
#include "cairn/geometry/hull_builder.h"
#include "tests/geometry/samples.h"

namespace cairn {
namespace {

TEST(RestoreHull, TakesOverWhatMakeHullBuilt) {
  Random random(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<Vec3> points;
    const std::size_t count = 4 + random.below(60);
    // Some on a lattice: coplanar faces become polygons.
    for (std::size_t k = 0; k < count; ++k) {
      const Vec3 p = 3 * random_point(random);
      points.push_back(round % 2 == 0 ? p : Vec3{std::floor(p.x), std::floor(p.y), std::floor(p.z)});
    }
    std::optional<ConvexHull> hull;
    try {
      hull = make_hull(points);
    } catch (const InputError&) {
      continue;  // flat
    }
    HullData parts = *hull->data;
    parts.unit = {};
    const ConvexHull back = restore_hull(parts);
    EXPECT_EQ(back.data->vertices, hull->data->vertices);
    EXPECT_EQ(back.data->unit.mass, hull->data->unit.mass);
    EXPECT_EQ(back.data->unit.inertia, hull->data->unit.inertia);
  }
}

TEST(RestoreHull, RefusesPartsThatDoNotBelongTogether) {
  const HullData good = *make_hull(box_corners({1, 2, 3})).data;
  ASSERT_NO_THROW(restore_hull(good));
  const std::function<void(HullData&)> changes[] = {
      [](HullData& d) { d.edges[3].vertex = 8; },
      [](HullData& d) { d.edges[3].vertex = -1; },
      [](HullData& d) { d.edges[3].twin = 24; },
      [](HullData& d) { d.edges[3].twin = 3; },
      [](HullData& d) { std::swap(d.edges[3].twin, d.edges[4].twin); },
      [](HullData& d) { d.edges[3].next = 1000; },
      [](HullData& d) { d.edges[3].face = 5; },
      [](HullData& d) { d.faces[2].edge_count = 1 << 30; },
      [](HullData& d) { d.faces[2].edge_count = -4; },
      [](HullData& d) { d.faces[2].first_edge = 0; },
      [](HullData& d) { d.faces.pop_back(); },
      [](HullData& d) { d.vertices.push_back({}); },
      [](HullData& d) {
        d.vertices[0] = {9, 9, 9};
      },
      [](HullData& d) { d.vertices[0].x = std::nan(""); },
      [](HullData& d) { d.faces[1].normal = -d.faces[1].normal; },
      [](HullData& d) { d.faces[1].offset = -100; },
      [](HullData& d) { d.tolerance = -1; },
      [](HullData& d) { d.vertices.clear(), d.edges.clear(), d.faces.clear(); },
  };
  for (std::size_t k = 0; k < std::size(changes); ++k) {
    HullData bad = good;
    changes[k](bad);
    EXPECT_THROW(restore_hull(bad), InputError) << "change " << k;
  }
}

}  // namespace
}  // namespace cairn
