// SPDX-License-Identifier: MIT
#include "cairn/record/joint_reading.h"

#include <limits>

namespace cairn {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// A body's part of a joint: where the joint is, and how the body moves there. The world stands still.
struct JointSide {
  Pose frame;
  Velocity velocity;  ///< of the joint's point
};

JointSide side_of(const World& world, BodyId body, const Pose& frame) {
  if (body == BodyId{}) return {frame, {}};
  const BodyView view = world.view(body);
  const Pose there = view.pose * frame;
  return {there,
          {view.velocity.linear + cross(view.velocity.angular, there.position - view.centre), view.velocity.angular}};
}

}  // namespace

JointCoordinate coordinate_of(const JointKind& kind) {
  if (std::holds_alternative<HingeJoint>(kind)) return JointCoordinate::turn;
  return std::holds_alternative<PrismaticJoint>(kind) ? JointCoordinate::slide : JointCoordinate::none;
}

JointAxis* axis_of(JointKind& kind) {
  if (auto* hinge = std::get_if<HingeJoint>(&kind)) return &hinge->turn;
  auto* prismatic = std::get_if<PrismaticJoint>(&kind);
  return prismatic != nullptr ? &prismatic->slide : nullptr;
}

const JointAxis* axis_of(const JointKind& kind) { return axis_of(const_cast<JointKind&>(kind)); }

JointReading no_reading() { return {kNone, kNone, kNone, kNone, kNone}; }

JointReading read_joint(const World& world, JointId joint) {
  const JointDef& def = world.joint_def(joint);
  const JointView view = world.view(joint);
  JointReading r{kNone, kNone, kNone, norm(view.force), norm(view.torque)};
  const JointCoordinate coordinate = coordinate_of(def.kind);
  if (coordinate == JointCoordinate::none) return r;
  const JointSide a = side_of(world, def.body_a, def.frame_a), b = side_of(world, def.body_b, def.frame_b);
  const Vec3 axis = rotate(a.frame.orientation, {1, 0, 0});
  if (coordinate == JointCoordinate::turn) {
    r.position = view.turn.x;
    r.velocity = dot(b.velocity.angular - a.velocity.angular, axis);
    r.effort = dot(view.torque, axis);
  } else {
    // The axis turns with a: what b's point does relative to the same point of a, which is not a's joint point.
    const Vec3 of_a = a.velocity.linear + cross(a.velocity.angular, b.frame.position - a.frame.position);
    r.position = view.slide.x;
    r.velocity = dot(b.velocity.linear - of_a, axis);
    r.effort = dot(view.force, axis);
  }
  return r;
}

}  // namespace cairn
