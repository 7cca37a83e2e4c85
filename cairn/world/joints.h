// SPDX-License-Identifier: MIT
// Joints: all joints of a world, by slot. Slots are those of the handles.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cairn/dynamics/bodies.h"
#include "cairn/joints/joint.h"

namespace cairn {

/// What a joint remembers from step to step. Edits write the first part, steps the second.
struct JointState {
  bool live = false;
  std::int32_t body_a = -1, body_b = -1, carrier = -1;  ///< slots; -1: the world
  std::int32_t rows = 0, holding = 0;                   ///< that its definition makes; 0 if it is not enabled

  Vec3 turn;                                     ///< rad, coordinates of the last step
  Vec3 arm;                                      ///< m, from the centre of mass of b, where the rows were written
  double reach = 0;                              ///< m, JointPlace::reach there; infinite unless all rows hold frames
  std::array<double, kMostJointRows> impulse{};  ///< N s or N m s of the last step, per row
  Vec3 force, torque;                            ///< on b, about the joint, in the last step
  double separation = 0, misalignment = 0;       ///< m and rad, at the beginning of the last step
  double work = 0;                               ///< J, that its drives and springs did in the last step
};

struct Joints {
  std::vector<JointDef> def;
  std::vector<JointState> state;

  // Where the rows of each joint are in the problem; written by assembly. One more entry than joints.
  std::vector<std::int32_t> first_row, first_block;

  std::size_t size() const { return state.size(); }
  void resize(std::size_t count) { def.resize(count), state.resize(count); }
};

/// Poses of the centres of mass of a joint's bodies; not looked at where it has none.
struct JointPoses {
  Pose a, b, carrier;
};

/// Where a joint is now, or would be with its bodies elsewhere. `dt` enters the rows of stops and forces. All of
/// `place` is written.
void place_joint(const Bodies& bodies, const JointDef& def, const JointState& state, double dt, JointPlace& place);
void place_joint(const Bodies& bodies, const JointDef& def, const JointState& state, const JointPoses& poses, double dt,
                 JointPlace& place);

}  // namespace cairn
