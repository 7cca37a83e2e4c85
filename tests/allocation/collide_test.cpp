// SPDX-License-Identifier: MIT
// A warm call of collide allocates nothing, whatever the pair. Part of the program that replaces operator new.
#include <gtest/gtest.h>

#include "cairn/narrow/cast.h"
#include "cairn/narrow/collide.h"
#include "tests/allocation/counter.h"
#include "tests/narrow/surfaces.h"

namespace cairn {
namespace {

/// One of each kind of shape, so that every two of them meet near the origin.
std::vector<Shape> all_kinds() {
  const auto bumps = [](double x, double y) { return 0.1 * (x - 0.5 * y) * (y - 1); };
  std::vector<Shape> shapes{make_half_space({0, 0, 1}, 0), grid_mesh(8, 0.3, bumps), grid_field(8, 0.3, bumps)};
  for (const auto& [name, slider] : sliders()) shapes.push_back(slider.first);
  shapes.push_back(make_compound({{shapes[4], at(0.3, 0, 0)}, {shapes[3], at(-0.3, 0, 0)}, {shapes[1], at(0, 0, 0)}}));
  return shapes;
}

TEST(WarmCall, CollideAndCastAllocateNothing) {
  const std::vector<Shape> shapes = all_kinds();
  const Quat turned = normalised(Quat{0.9, 0.1, 0.2, 0.3});
  PartManifolds out;
  const auto meet_all = [&] {
    std::size_t found = 0;
    for (const Shape& a : shapes) {
      for (const Shape& b : shapes) {
        for (const double height : {0.05, 0.2, 0.3, 2.0}) {
          out.clear();
          CollideMemory memory;
          collide(a, at(0.1, 0.2, 0), b, {{0.8, 0.9, height}, turned}, 0.02, memory, out);
          collide(a, {{0.8, 0.9, height}, turned}, b, at(0.1, 0.2, 0), 0.02, memory, out);
          found += out.size();
          if (has_support(a)) found += cast(a, at(0.8, 0.9, 2), {0, 0.1, -2}, b, {}).has_value() ? 1 : 0;
        }
      }
    }
    return found;
  };
  const std::size_t first = meet_all();
  const long before = allocation_count();
  EXPECT_EQ(meet_all(), first);
  EXPECT_EQ(allocation_count() - before, 0);
  EXPECT_GT(first, 500u);
  EXPECT_GT(before, 0);
}

}  // namespace
}  // namespace cairn
