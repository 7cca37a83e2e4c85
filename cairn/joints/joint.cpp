// SPDX-License-Identifier: MIT
#include "cairn/joints/joint.h"

#include <fmt/core.h>

#include <iterator>

namespace cairn {

const char* kind_name(const JointKind& kind) {
  constexpr const char* kNames[] = {"ball", "hinge",  "prismatic", "cylindrical", "fixed", "distance",
                                    "rope", "spring", "universal", "planar",      "gear",  "six_dof"};
  static_assert(std::size(kNames) == std::variant_size_v<JointKind>);
  return kNames[kind.index()];
}

bool holds_frames(const JointKind& kind) {
  return !std::holds_alternative<DistanceJoint>(kind) && !std::holds_alternative<RopeJoint>(kind) &&
         !std::holds_alternative<SpringJoint>(kind) && !std::holds_alternative<GearJoint>(kind);
}

Pose frame_along(const Vec3& point, const Vec3& axis) {
  check_vector(point, kLargestPosition, "frame_along: point");
  check_vector(axis, kLargestPosition, "frame_along: axis");
  const double length = norm(axis);
  if (!(length > 1e-12)) fail_input("frame_along: the axis has no direction; give one that is not zero");
  const Vec3 n = (1 / length) * axis;
  // The shortest turn from x to n: (1 + x.n, x x n), half a turn about z where they are opposed.
  if (n.x < -1 + 1e-12) return {point, {0, 0, 0, 1}};
  return {point, normalised(Quat{1 + n.x, 0, -n.z, n.y})};
}

namespace {

void check_softness(const JointSoftness& soft, const char* name) {
  check_joint_number(soft.compliance, 0, kMostCompliance, fmt::format("{}.compliance", name).c_str());
  check_joint_number(soft.damping, 0, kLargestForce, fmt::format("{}.damping", name).c_str());
}

}  // namespace

void check_joint_def(const JointDef& def) {
  checked_pose(def.frame_a, "joint: frame_a");
  checked_pose(def.frame_b, "joint: frame_b");
  check_softness(def.linear, "linear");
  check_softness(def.angular, "angular");
  check_joint_number(def.break_force, 0, kUnlimited, "break_force");
  check_joint_number(def.break_torque, 0, kUnlimited, "break_torque");
  std::visit([](const auto& joint) { check_joint(joint); }, def.kind);
}

void write_rows(const JointDef& def, const JointPlace& at, JointRows& out) {
  out.count = out.holding = 0;
  out.slide = {}, out.turn = {};
  out.separation2 = out.misalignment2 = 0;
  out.linear = def.linear, out.angular = def.angular;
  std::visit([&](const auto& joint) { write_rows(joint, at, out); }, def.kind);
  if (!def.enabled) out.count = out.holding = 0, out.separation2 = out.misalignment2 = 0;
}

}  // namespace cairn
