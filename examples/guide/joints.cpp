// SPDX-License-Identifier: MIT
// Guide, chapter 3: a door on a hinge with a motor and a limit, and a lamp on a rod that breaks.
#include <cstdio>

#include "cairn/cairn.h"

int main() {
  using namespace cairn;
  World world;
  const BodyId leaf = world.add_body({.pose = {{0.5, 0, 1}}}, {{.shape = make_box({0.5, 0.03, 1}), .density = 500}});

  // The x axis of a joint's frame is its axis: here a vertical line through the origin. No body_a: the world.
  HingeJoint hinge;
  hinge.turn.motion = AxisMotion::limited;
  hinge.turn.lower = 0, hinge.turn.upper = 1.2;                                      // rad
  hinge.turn.drive = {.kind = DriveKind::velocity, .speed = 1.0, .max_force = 200};  // rad/s, at most 200 N m
  const JointId door = world.add_joint(world.joint_at({}, leaf, frame_along({0, 0, 1}, {0, 0, 1}), hinge));

  const auto run = [&](double seconds) {
    for (int i = 0; i < static_cast<int>(60 * seconds); ++i) world.step(1.0 / 60);
  };
  run(1);
  std::printf("after 1 s the door is open by %.2f rad\n", world.view(door).turn.x);
  run(1);
  std::printf("after 2 s it stands at its limit: %.2f rad, the joints are apart by less than a millimetre: %s\n",
              world.view(door).turn.x, world.view(door).separation < 1e-3 ? "yes" : "no");

  // set_joint changes the numbers of a joint; its kind and its bodies stay. Here the motor becomes a servo: a spring
  // and a damper that pull the door to 0.3 rad.
  JointDef servo = world.joint_def(door);
  std::get<HingeJoint>(servo.kind).turn.drive = {
      .kind = DriveKind::position, .position = 0.3, .stiffness = 400, .damping = 180, .max_force = 200};
  world.set_joint(door, servo);
  run(3);
  std::printf("the servo holds it at %.2f rad\n", world.view(door).turn.x);

  // A lamp of 10 kg hangs on a rod that carries 150 N. It holds, until something pulls as well.
  const BodyId lamp = world.add_body({.pose = {{5, 0, 2}}, .mass = MassProperties{10, {}, {0.1, 0.1, 0.1}}});
  JointDef rod = world.joint_at({}, lamp, {{5, 0, 3}}, DistanceJoint{.length = 1});
  rod.frame_b = {};  // the end of the rod on the lamp is the origin of its frame
  rod.break_force = 150;
  const JointId id = world.add_joint(rod);
  run(1);
  std::printf("the rod carries %.0f N\n", norm(world.view(id).force));
  world.add_force(lamp, {0, 0, -100});
  const StepReport& report = world.step(1.0 / 60);
  std::printf("joints broken by 100 N more: %zu\n", report.broken_joints.size());
}
