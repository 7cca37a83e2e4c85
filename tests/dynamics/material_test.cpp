// SPDX-License-Identifier: MIT
#include "cairn/dynamics/material.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/refusal.h"

namespace cairn {
namespace {

TEST(Material, RulesByHand) {
  EXPECT_DOUBLE_EQ(combine(CombineRule::geometric_mean, 0.2, 0.8), 0.4);
  EXPECT_DOUBLE_EQ(combine(CombineRule::average, 0.2, 0.8), 0.5);
  EXPECT_EQ(combine(CombineRule::minimum, 0.2, 0.8), 0.2);
  EXPECT_DOUBLE_EQ(combine(CombineRule::multiply, 0.2, 0.8), 0.16000000000000003);
  EXPECT_EQ(combine(CombineRule::maximum, 0.2, 0.8), 0.8);
}

TEST(Material, TheLaterRuleWinsWhoeverNamesIt) {
  Material a, b;
  a.friction = 0.2, b.friction = 0.8;
  a.friction_rule = CombineRule::minimum, b.friction_rule = CombineRule::average;
  EXPECT_EQ(combine(a, b).friction1, 0.2);
  EXPECT_EQ(combine(b, a).friction1, 0.2);
  a.restitution = 0.3, b.restitution = 0.5;
  a.restitution_rule = CombineRule::average, b.restitution_rule = CombineRule::multiply;
  EXPECT_DOUBLE_EQ(combine(a, b).restitution, 0.15);
  EXPECT_DOUBLE_EQ(combine(b, a).restitution, 0.15);
}

TEST(Material, GrainIsThatOfTheFirstAndTheOtherCountsWithItsMean) {
  Material a, b;
  a.friction_rule = b.friction_rule = CombineRule::average;
  a.friction = 0.6, a.friction_across = 0.2;
  b.friction = 0.8, b.friction_across = 0.4;
  const ContactMaterial both = combine(a, b);
  EXPECT_EQ(both.grain_of, 1);
  EXPECT_DOUBLE_EQ(both.friction1, 0.6);  // (0.6 + 0.6) / 2
  EXPECT_DOUBLE_EQ(both.friction2, 0.4);  // (0.2 + 0.6) / 2
  b.friction_across = -1;
  const ContactMaterial second = combine(b, a);
  EXPECT_EQ(second.grain_of, 2);
  EXPECT_DOUBLE_EQ(second.friction1, 0.7);  // (0.8 + 0.6) / 2
  EXPECT_DOUBLE_EQ(second.friction2, 0.5);  // (0.8 + 0.2) / 2
  EXPECT_EQ(combine(b, b).grain_of, 0);
}

TEST(Material, StickingScalesBothDirectionsAlike) {
  Material a;
  a.friction = 0.5, a.static_friction = 0.75, a.friction_across = 0.2;
  const ContactMaterial c = combine(a, a);
  EXPECT_DOUBLE_EQ(c.static_friction1 / c.friction1, 1.5);
  EXPECT_DOUBLE_EQ(c.static_friction2 / c.friction2, 1.5);
  a.friction = 0, a.friction_across = -1;
  EXPECT_EQ(combine(a, a).static_friction1, 0.75) << "a surface that only sticks";
}

TEST(Material, WhatCannotBeUsedIsNamed) {
  const auto refused = [](auto&& spoil) {
    Material m;
    spoil(m);
    return refusal([&] { check_material(m); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refused([&](Material& m) { m.friction = nan; }).find("friction is nan"), std::string::npos);
  EXPECT_NE(refused([](Material& m) { m.static_friction = 0.4; }).find("below friction 0.5"), std::string::npos);
  EXPECT_NE(refused([](Material& m) { m.grain = {}; }).find("grain"), std::string::npos);
  EXPECT_NE(refused([](Material& m) { m.restitution = 1.1; }).find("restitution is 1.1"), std::string::npos);
  EXPECT_NE(refused([](Material& m) { m.spin_radius = -1; }).find("spin_radius"), std::string::npos);
  EXPECT_NE(refused([](Material& m) { m.friction_rule = CombineRule{9}; }).find("CombineRule"), std::string::npos);
  EXPECT_EQ(refused([](Material&) {}), "");
}

}  // namespace
}  // namespace cairn
