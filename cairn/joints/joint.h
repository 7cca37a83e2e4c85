// SPDX-License-Identifier: MIT
// JointDef: what users write to join two bodies, or a body and the world.
//
//   JointDef door = world.joint_at(frame, leaf, frame_along({0, 0, 1}, {0, 0, 1}), HingeJoint{});
//   door.break_force = 5000;
//   const JointId id = world.add_joint(door);
//
// One file per kind of joint, each with the same parts: the struct, check_joint, write_rows. How to add a kind:
// docs/extending.md.
#pragma once

#include <variant>

#include "cairn/core/handle.h"
#include "cairn/dynamics/body_def.h"
#include "cairn/joints/ball_joint.h"
#include "cairn/joints/cylindrical_joint.h"
#include "cairn/joints/distance_joint.h"
#include "cairn/joints/fixed_joint.h"
#include "cairn/joints/gear_joint.h"
#include "cairn/joints/hinge_joint.h"
#include "cairn/joints/planar_joint.h"
#include "cairn/joints/prismatic_joint.h"
#include "cairn/joints/rope_joint.h"
#include "cairn/joints/six_dof_joint.h"
#include "cairn/joints/spring_joint.h"
#include "cairn/joints/universal_joint.h"

namespace cairn {

/// Handle of a joint; one of a joint that was removed or broke is recognised.
using JointId = Handle<struct JointTag>;

/// Order as in snapshots: new kinds go to the end.
using JointKind = std::variant<BallJoint, HingeJoint, PrismaticJoint, CylindricalJoint, FixedJoint, DistanceJoint,
                               RopeJoint, SpringJoint, UniversalJoint, PlanarJoint, GearJoint, SixDofJoint>;

/// A joint as the user writes it. World::joint_at fills bodies and frames from one place in the world.
struct JointDef {
  BodyId body_a{};  ///< null: the world
  BodyId body_b{};  ///< the one whose motion relative to a is measured
  Pose frame_a{};   ///< where the joint is, in the body's frame; in the world if there is no body
  Pose frame_b{};   ///< the frames coincide where all coordinates are 0
  JointKind
      kind{};  ///< HingeJoint{...}, BallJoint{...}, ...: what it holds, with limits and drives of what it lets move
  BodyId carrier{};                  ///< of a gear: the body that bears both wheels; null: the world
  bool enabled = true;               ///< false: it holds nothing, and stays
  bool collide_connected = false;    ///< whether the two bodies collide with each other
  JointSoftness linear{};            ///< m/N and N s/m of what the joint holds; compliance 0: rigid
  JointSoftness angular{};           ///< rad/(N m) and N m s/rad
  double break_force = kUnlimited;   ///< N; the joint is removed after a step in which it carried more
  double break_torque = kUnlimited;  ///< N m, about the joint
  std::uint64_t user = 0;            ///< user data: never looked at
};

/// What a joint does, as of the last step.
struct JointView {
  Vec3 slide;               ///< m, coordinates along x, y, z of frame a; x is the distance of rods, ropes and springs
  Vec3 turn;                ///< rad, coordinates about them; x and y are the wheels of a gear
  double separation = 0;    ///< m, by which what it holds is apart, stops included
  double misalignment = 0;  ///< rad, the same for directions
  Vec3 force, torque;       ///< N and N m on b, about the joint, world axes, mean over the last step
};

/// Lower-case name of the kind: "hinge".
const char* kind_name(const JointKind& kind);

/// Whether what the joint holds are slides, normals and turns of its frames (joint_rows.h) and nothing else. True for
/// every kind that joint.cpp does not exclude: a new kind with other errors must be excluded there.
bool holds_frames(const JointKind& kind);

/// A pose at `point` whose x axis points along `axis`; InputError for an axis without direction.
Pose frame_along(const Vec3& point, const Vec3& axis);

/// InputError that names the field, its value and what is allowed. Bodies are not looked at.
void check_joint_def(const JointDef& def);

/// The rows of a joint where it is now, or none if it is not enabled.
void write_rows(const JointDef& def, const JointPlace& at, JointRows& out);

}  // namespace cairn
