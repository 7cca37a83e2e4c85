// SPDX-License-Identifier: MIT
#include "cairn/joints/joint_axis.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/refusal.h"

namespace cairn {
namespace {

/// What an axis is refused with after `spoil`; empty: it is not.
template <class Spoil>
std::string axis_refusal(Spoil&& spoil, bool may_lock = false) {
  JointAxis axis;
  spoil(axis);
  return refusal([&] { check_axis(axis, "turn", may_lock); });
}

bool names(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

TEST(JointAxis, EveryBadNumberIsNamed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(axis_refusal([](JointAxis&) {}), "");
  EXPECT_TRUE(names(axis_refusal([&](JointAxis& a) { a.lower = nan; }), "turn.lower is nan"));
  EXPECT_TRUE(names(axis_refusal([](JointAxis& a) { a.friction = -1; }), "turn.friction is -1"));
  EXPECT_TRUE(names(axis_refusal([](JointAxis& a) { a.limit_compliance = 1e21; }), "turn.limit_compliance"));
  EXPECT_TRUE(names(axis_refusal([](JointAxis& a) { a.limit_damping = -1; }), "turn.limit_damping"));
  EXPECT_TRUE(names(axis_refusal([](JointAxis& a) { a.drive.max_force = -1; }), "turn.drive.max_force"));
  EXPECT_TRUE(names(axis_refusal([](JointAxis& a) { a.drive.speed = 1e7; }), "turn.drive.speed"));
  EXPECT_TRUE(names(axis_refusal([](JointAxis& a) { a.motion = AxisMotion{7}; }), "AxisMotion"));
}

TEST(JointAxis, LimitsMatterOnlyWhereTheyHold) {
  const auto crossed = [](AxisMotion motion) {
    return axis_refusal([&](JointAxis& a) { a.motion = motion, a.lower = 1, a.upper = -1; });
  };
  EXPECT_TRUE(names(crossed(AxisMotion::limited), "exchange them"));
  EXPECT_EQ(crossed(AxisMotion::free), "");
}

TEST(JointAxis, OnlySomeJointsMayLock) {
  const auto lock = [](JointAxis& a) { a.motion = AxisMotion::locked; };
  EXPECT_TRUE(names(axis_refusal(lock), "SixDofJoint"));
  EXPECT_EQ(axis_refusal(lock, true), "");
}

TEST(JointAxis, ASpringNeedsStiffnessOrDamping) {
  const auto drive = [](double stiffness, double damping) {
    return axis_refusal([&](JointAxis& a) {
      a.drive.kind = DriveKind::position, a.drive.stiffness = stiffness, a.drive.damping = damping;
    });
  };
  EXPECT_TRUE(names(drive(0, 0), "give one of them"));
  EXPECT_EQ(drive(1, 0), "");
  EXPECT_EQ(drive(0, 1), "");
  EXPECT_EQ(compliance_of(4), 0.25);
  EXPECT_EQ(compliance_of(0), kMostCompliance);
}

}  // namespace
}  // namespace cairn
