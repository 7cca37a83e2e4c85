// SPDX-License-Identifier: MIT
#include "cairn/world/material_table.h"

#include <gtest/gtest.h>

#include <vector>

namespace cairn {
namespace {

bool same(const ContactMaterial& x, const ContactMaterial& y) {
  return x.friction1 == y.friction1 && x.friction2 == y.friction2 && x.static_friction1 == y.static_friction1 &&
         x.static_friction2 == y.static_friction2 && x.spin_radius == y.spin_radius &&
         x.rolling_radius == y.rolling_radius && x.restitution == y.restitution && x.grain_of == y.grain_of;
}

TEST(MaterialTable, AnswersLikeCombineForListedAndOthers) {
  MaterialTable table;
  std::vector<Material> materials(MaterialTable::kMost + 3);
  std::vector<std::uint8_t> numbers;
  for (std::size_t i = 0; i < materials.size(); ++i) {
    materials[i].friction = 0.01 * static_cast<double>(i);
    if (i % 3 == 1) materials[i].friction_across = 0.5;
    if (i % 5 == 2) materials[i].restitution = 0.25;
    numbers.push_back(table.add(materials[i]));
  }
  EXPECT_EQ(numbers[MaterialTable::kMost - 1], MaterialTable::kMost - 1);
  EXPECT_EQ(numbers[MaterialTable::kMost], MaterialTable::kNotListed);
  EXPECT_EQ(table.add(materials[7]), 7) << "the same material has one number";
  for (std::size_t a = 0; a < materials.size(); ++a)
    for (std::size_t b = 0; b < materials.size(); ++b) {
      const ContactMaterial wanted = combine(materials[a], materials[b]);
      ASSERT_TRUE(same(table.combined(numbers[a], numbers[b], materials[a], materials[b]), wanted)) << a << ", " << b;
      const ContactMaterial* listed = table.listed(numbers[a], numbers[b]);
      ASSERT_EQ(listed != nullptr, a < MaterialTable::kMost && b < MaterialTable::kMost) << a << ", " << b;
    }
}

TEST(MaterialTable, KnowsWhatItsMaterialsNeed) {
  MaterialTable table;
  table.add({});
  EXPECT_FALSE(table.any_rolling() || table.any_grain() || table.any_bounce());
  table.add({.rolling_radius = 0.01});
  EXPECT_TRUE(table.any_rolling() && !table.any_grain() && !table.any_bounce());
  table.add({.restitution = 0.1});
  EXPECT_TRUE(table.any_bounce() && !table.any_grain());
  table.remember(false, true);
  EXPECT_TRUE(table.any_grain());
}

}  // namespace
}  // namespace cairn
