// SPDX-License-Identifier: MIT
#include "cairn/scenefile/robot_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/core/names.h"
#include "cairn/geometry/tessellate.h"

namespace cairn {

namespace {

constexpr double kGive = 0.02;           // rad or m; error of a drive at which its motor reaches its largest force
constexpr double kSettle = 0.08;         // s, damping over stiffness
constexpr double kStiffnessAlone = 500;  // N m/rad or N/m, for a joint whose motor has no limit

JointAxis* axis_of(SceneJoint& joint) {
  if (auto* hinge = std::get_if<HingeJoint>(&joint.def.kind)) return &hinge->turn;
  auto* prismatic = std::get_if<PrismaticJoint>(&joint.def.kind);
  return prismatic != nullptr ? &prismatic->slide : nullptr;
}

SceneJoint& joint_named(SceneFile& scene, const std::string& name) {
  std::vector<std::string> known;
  for (SceneJoint& joint : scene.joints) {
    if (axis_of(joint) == nullptr) continue;
    if (joint.name == name) return joint;
    known.push_back(joint.name);
  }
  fail_input(fmt::format("there is no hinge or prismatic joint \"{}\"{}; there are {}", name,
                         did_you_mean(name, known, '"'),
                         known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
}

/// The motion of a joint from 0 to q, in its own frame. The x axis of the frame is the axis of the joint.
Pose motion_of(const SceneJoint& joint, double q) {
  if (std::holds_alternative<PrismaticJoint>(joint.def.kind)) return {{q, 0, 0}};
  return {{}, from_axis({1, 0, 0}, std::sin(0.5 * q), std::cos(0.5 * q))};  // set-up only
}

class Poser {
 public:
  explicit Poser(SceneFile& scene) : scene_(scene) {}

  /// Moves the joint to q, together with everything that hangs from it.
  void set(SceneJoint& joint, double q) {
    require(joint.at_point, "joints with frames of their own cannot be posed: give them \"point\" and \"axis\"");
    const JointAxis& axis = *axis_of(joint);
    if (axis.motion == AxisMotion::limited && !(q >= axis.lower && q <= axis.upper))
      fail_input(fmt::format("joint \"{}\" goes from {} to {}, not to {}", joint.name, axis.lower, axis.upper, q));
    const Pose zero = frame_along(joint.point, joint.axis), there = zero * motion_of(joint, q);
    const Pose a = pose_of(joint.body_a);
    std::vector<bool> moved(scene_.bodies.size(), false);
    move(joint.body_b, there * inverse(zero), moved);
    joint.at_point = false;
    joint.def.frame_a = inverse(a) * zero;
    joint.def.frame_b = inverse(pose_of(joint.body_b)) * there;
    for (Pose* frame : {&joint.def.frame_a, &joint.def.frame_b}) frame->orientation = normalised(frame->orientation);
  }

 private:
  Pose pose_of(const std::string& body) const {
    for (const SceneBody& b : scene_.bodies)
      if (b.name == body) return b.def.pose;
    return {};
  }

  void move(const std::string& name, const Pose& by, std::vector<bool>& moved) {
    for (std::size_t k = 0; k < scene_.bodies.size(); ++k) {
      SceneBody& body = scene_.bodies[k];
      if (body.name != name || moved[k]) continue;
      moved[k] = true;
      body.def.pose = by * body.def.pose;
      body.def.pose.orientation = normalised(body.def.pose.orientation);
    }
    for (SceneJoint& joint : scene_.joints) {
      if (joint.body_a != name) continue;
      if (joint.at_point) joint.point = transform(by, joint.point), joint.axis = rotate(by.orientation, joint.axis);
      move(joint.body_b, by, moved);
    }
  }

  SceneFile& scene_;
};

/// Gives a joint a spring and damper as its drive. The spring is off by kGive when the motor is at its limit. The
/// damper is strong enough that the joint comes to rest without swinging.
void drive_to(SceneJoint& joint, double position, const RobotSetup& setup) {
  AxisDrive& drive = axis_of(joint)->drive;
  const bool bounded = std::isfinite(drive.max_force) && drive.max_force > 0;
  drive.kind = DriveKind::position;
  drive.position = position;
  drive.stiffness = setup.stiffness > 0 ? setup.stiffness : bounded ? drive.max_force / kGive : kStiffnessAlone;
  drive.damping += setup.damping > 0 ? setup.damping : kSettle * drive.stiffness;
}

double position_of(const std::vector<std::pair<std::string, double>>& pose, const std::string& name) {
  for (const auto& [joint, q] : pose)
    if (joint == name) return q;
  return 0;
}

/// Adds the values of joints that mimic others. A joint that is named itself keeps its own value.
std::vector<std::pair<std::string, double>> with_mimics(const SceneFile& scene,
                                                        std::vector<std::pair<std::string, double>> values) {
  const auto value_of = [&](const std::string& joint) {
    return std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.first == joint; });
  };
  for (const SceneMimic& mimic : scene.mimics) {
    const auto followed = value_of(mimic.of);
    if (followed == values.end() || value_of(mimic.joint) != values.end()) continue;
    const double value = mimic.factor * followed->second + mimic.offset;
    values.emplace_back(mimic.joint, value);
  }
  return values;
}

/// The height z of the lowest vertex of all bodies.
double lowest_point(const SceneFile& scene) {
  const LoadedScene loaded = build_scene(scene).value_or_throw();
  double lowest = std::numeric_limits<double>::infinity();
  for (const BodyId body : loaded.world.bodies())
    for (const ShapeId shape : loaded.world.shapes_of(body)) {
      const ShapeDef& def = loaded.world.shape_def(shape);
      const Pose pose = loaded.world.view(body).pose * def.pose;
      for (const Vec3& v : tessellate(def.shape).vertices) lowest = std::min(lowest, transform(pose, v).z);
    }
  return lowest;
}

void add_ground(SceneFile& scene) {
  const double lowest = lowest_point(scene);
  require(std::isfinite(lowest), "--ground: the robot has no shapes that could stand on it");
  for (SceneBody& body : scene.bodies) body.def.pose.position.z -= lowest;
  for (SceneJoint& joint : scene.joints) joint.point.z -= lowest;
  SceneBody ground;
  ground.name = "ground", ground.def.kind = BodyKind::fixed;
  SceneShape plane;
  plane.geometry.type = GeometryType::half_space;
  ground.shapes.push_back(plane);
  scene.bodies.insert(scene.bodies.begin(), std::move(ground));
  for (const SceneBody& body : scene.bodies)
    if (body.def.kind == BodyKind::fixed && body.name != "ground") scene.no_collision.emplace_back("ground", body.name);
}

void set_up(SceneFile& scene, const RobotSetup& setup) {
  const auto pose = with_mimics(scene, setup.pose), drive = with_mimics(scene, setup.drive);
  Poser poser(scene);
  for (const auto& [name, q] : pose) poser.set(joint_named(scene, name), q);
  for (SceneJoint& joint : scene.joints) {
    const JointAxis* axis = axis_of(joint);
    if (setup.hold && axis != nullptr && std::isfinite(axis->drive.max_force))
      drive_to(joint, position_of(pose, joint.name), setup);
  }
  for (const auto& [name, q] : drive) {
    SceneJoint& joint = joint_named(scene, name);
    if (axis_of(joint)->drive.kind == DriveKind::position && axis_of(joint)->drive.stiffness > 0)
      axis_of(joint)->drive.position = q;
    else
      drive_to(joint, q, setup);
  }
  if (setup.ground) add_ground(scene);
}

}  // namespace

std::optional<Error> set_up_robot(SceneFile& scene, const RobotSetup& setup) {
  try {
    if (!setup.empty()) set_up(scene, setup);
    return std::nullopt;
  } catch (const InputError& error) {
    return Error{error.kind(), error.what()};
  }
}

}  // namespace cairn
