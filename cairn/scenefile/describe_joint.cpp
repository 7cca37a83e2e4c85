// SPDX-License-Identifier: MIT
// Joints as scene files have them: every kind with its axes, stops, drives and friction.
#include <type_traits>

#include "cairn/core/index.h"
#include "cairn/scenefile/scene_file.h"

namespace cairn {

namespace {

/// In the order of the variant JointKind; a test compares them with kind_name.
constexpr const char* kJointNames[] = {"ball", "hinge",  "prismatic", "cylindrical", "fixed", "distance",
                                       "rope", "spring", "universal", "planar",      "gear",  "six_dof"};
static_assert(std::size(kJointNames) == std::variant_size_v<JointKind>);
constexpr const char* kMotionNames[] = {"free", "limited", "locked"};
constexpr const char* kDriveNames[] = {"none", "velocity", "position"};
constexpr Range kCoordinate{-kLargestPosition, kLargestPosition};
constexpr Range kForce{0, kLargestForce};
constexpr Range kCompliance{0, kMostCompliance};
constexpr Range kLength{0, kLargestPosition};

void describe_drive(Fields& f, AxisDrive& d) {
  f.type("drive");
  f.named("kind", d.kind, kDriveNames, "keeps a speed, or pulls to a position like a spring and damper");
  f.number("speed", d.speed, {-kLargestSpeed, kLargestSpeed}, "m/s or rad/s");
  f.number("position", d.position, kCoordinate, "m or rad");
  f.number("stiffness", d.stiffness, kForce, "N/m or N m/rad");
  f.number("damping", d.damping, kForce, "N s/m or N m s/rad");
  f.number("max_force", d.max_force, {0, kUnlimited}, "N or N m; without: unlimited");
}

void describe_axis(Fields& f, const char* key, JointAxis& axis, const char* help) {
  f.object(
      key,
      [&](Fields& a) {
        a.type("axis");
        a.named("motion", axis.motion, kMotionNames, "free, within lower and upper, or held at 0");
        a.number("lower", axis.lower, kCoordinate, "m or rad");
        a.number("upper", axis.upper, kCoordinate, "m or rad");
        a.number("limit_compliance", axis.limit_compliance, kCompliance, "m/N or rad/(N m) of the stops; 0: rigid");
        a.number("limit_damping", axis.limit_damping, kForce, "N s/m or N m s/rad of soft stops");
        a.number("friction", axis.friction, kForce, "N or N m, largest force that resists the motion");
        a.object(
            "drive", [&](Fields& d) { describe_drive(d, axis.drive); }, "a motor");
        if (axis.motion == AxisMotion::limited && axis.lower > axis.upper)
          a.refuse("lower", "must not be above \"upper\": exchange them");
        if (axis.motion != AxisMotion::limited && (a.given("lower") || a.given("upper")))
          a.refuse(a.given("lower") ? "lower" : "upper", "needs \"motion\": \"limited\" beside it");
      },
      help);
}

void describe_kind(Fields& f, BallJoint& j) {
  f.number("cone", j.cone, {0, kUnlimited}, "rad, largest swing of the x axis; without: unlimited");
  describe_axis(f, "twist", j.twist, "about x, the swing aside");
  f.number("friction", j.friction, kForce, "N m about each axis");
}
void describe_kind(Fields& f, HingeJoint& j) { describe_axis(f, "turn", j.turn, "about x"); }
void describe_kind(Fields& f, PrismaticJoint& j) { describe_axis(f, "slide", j.slide, "along x"); }
void describe_kind(Fields& f, CylindricalJoint& j) {
  describe_axis(f, "slide", j.slide, "along x");
  describe_axis(f, "turn", j.turn, "about x");
}
void describe_kind(Fields&, FixedJoint&) {}
void describe_kind(Fields& f, DistanceJoint& j) { f.number("length", j.length, kLength, "m", Need::required); }
void describe_kind(Fields& f, RopeJoint& j) {
  f.number("length", j.length, kLength, "m", Need::required);
  f.number("compliance", j.compliance, kCompliance, "m/N; 0: does not stretch");
  f.number("damping", j.damping, kForce, "N s/m of one that stretches");
}
void describe_kind(Fields& f, SpringJoint& j) {
  f.number("length", j.length, kLength, "m, without force", Need::required);
  f.number("stiffness", j.stiffness, kForce, "N/m");
  f.number("damping", j.damping, kForce, "N s/m");
  f.number("max_force", j.max_force, {0, kUnlimited}, "N; without: unlimited");
}
void describe_kind(Fields& f, UniversalJoint& j) {
  describe_axis(f, "turn_x", j.turn_x, "about x of a");
  describe_axis(f, "turn_y", j.turn_y, "about y of b");
}
void describe_kind(Fields& f, PlanarJoint& j) {
  describe_axis(f, "slide_y", j.slide_y, "along y of a");
  describe_axis(f, "slide_z", j.slide_z, "along z of a");
  describe_axis(f, "turn", j.turn, "about x");
}
void describe_kind(Fields&, GearJoint&) {}
void describe_kind(Fields& f, SixDofJoint& j) {
  constexpr const char* kSlides[] = {"slide_x", "slide_y", "slide_z"};
  constexpr const char* kTurns[] = {"turn_x", "turn_y", "turn_z"};
  for (std::size_t k = 0; k < 3; ++k) describe_axis(f, kSlides[k], j.slide[k], "along an axis of a");
  for (std::size_t k = 0; k < 3; ++k) describe_axis(f, kTurns[k], j.turn[k], "about an axis of a");
}

void describe_frame(Fields& f, const char* key, Pose& pose, const char* help) {
  f.object(
      key,
      [&](Fields& x) {
        x.type("frame");
        describe_pose(x, pose);
      },
      help);
}

/// Makes `kind` the k-th of its alternatives, unless it is that already.
template <std::size_t... I>
void set_kind(JointKind& kind, std::size_t k, std::index_sequence<I...>) {
  if (kind.index() != k) (void)((I == k && (kind.emplace<I>(), true)) || ...);
}

}  // namespace

void describe_softness(Fields& f, const char* key, JointSoftness& s, const char* help) {
  f.object(
      key,
      [&](Fields& x) {
        x.type("softness");
        x.number("compliance", s.compliance, kCompliance, "m/N or rad/(N m); 0: rigid");
        x.number("damping", s.damping, kForce, "N s/m or N m s/rad");
      },
      help);
}

void describe(Fields& f, SceneJoint& j) {
  f.type("joint");
  f.place(j.place);
  JointDef& def = j.def;
  f.text("name", j.name, "what it is called");
  int index = static_cast<int>(def.kind.index());
  f.variant(
      "type", index, kJointNames,
      [&](int k) {
        set_kind(def.kind, to_index(k), std::make_index_sequence<std::variant_size_v<JointKind>>());
        std::visit([&](auto& kind) { describe_kind(f, kind); }, def.kind);
        if (std::holds_alternative<GearJoint>(def.kind)) {
          f.vector("pitch_point", j.pitch_point, kLargestPosition, "m, world: where the teeth meet", Need::required);
          f.text("carrier", j.carrier, "body that bears both wheels; without: the world");
        }
      },
      "which motions it leaves");
  f.text("a", j.body_a, "first body; without: the world");
  f.text("b", j.body_b, "second body, whose motion relative to the first is measured", Need::required);
  const bool gear = std::holds_alternative<GearJoint>(def.kind);
  j.at_point = j.at_point || f.given("point") || f.given("axis");
  f.vector("point", j.point, kLargestPosition, "m, world: where the joint is as the bodies are placed",
           j.at_point && !gear ? Need::required : Need::optional);
  f.vector("axis", j.axis, 1e6, "world: direction of the joint's x axis; of a gear: of both axles, through the bodies",
           j.at_point && gear ? Need::required : Need::optional);
  if (gear && f.given("point")) f.refuse("point", "a gear has its \"pitch_point\" and the axles of its bodies instead");
  describe_frame(f, "frame_a", def.frame_a, "instead of point: in the frame of a");
  describe_frame(f, "frame_b", def.frame_b, "instead of point: in the frame of b");
  f.flag("enabled", def.enabled, "whether it holds");
  f.flag("collide_connected", def.collide_connected, "whether the two bodies collide with each other");
  describe_softness(f, "linear", def.linear, "what gives way where the joint holds places together");
  describe_softness(f, "angular", def.angular, "what gives way where the joint holds directions together");
  f.number("break_force", def.break_force, {0, kUnlimited}, "N at which it breaks; without: never");
  f.number("break_torque", def.break_torque, {0, kUnlimited}, "N m at which it breaks; without: never");
  if (j.at_point && (f.given("frame_a") || f.given("frame_b")))
    f.refuse(f.given("frame_a") ? "frame_a" : "frame_b", "leave this or \"point\" and \"axis\" out");
}

}  // namespace cairn
