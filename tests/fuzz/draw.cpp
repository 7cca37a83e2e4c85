// SPDX-License-Identifier: MIT
#include "tests/fuzz/draw.h"

#include <fmt/core.h>

#include <cmath>

#include "tests/world/mixed_scene.h"

namespace cairn::fuzz {

double Draw::decades(double low, double high) { return std::pow(10.0, between(low, high)); }

Vec3 Draw::vector(double size) {
  const double x = between(-size, size), y = between(-size, size), z = between(-size, size);
  return {x, y, z};
}

Quat Draw::turn() {
  if (chance(0.3)) return {};
  const Vec3 v = vector(1);
  return normalised(Quat{1.1, v.x, v.y, v.z});
}

namespace {

Shape draw_convex(Draw& draw) {
  const double a = draw.between(0.05, 0.5), b = draw.between(0.05, 0.5), c = draw.between(0.05, 0.5);
  switch (draw.below(9)) {
    case 0:
    case 1: return make_sphere(a);
    case 2: return make_capsule(a, b);
    case 3: return make_cylinder(a, b);
    case 4: return make_cone(a, b);
    case 5: {
      Random random(draw.seed());
      return random_hull(random, 0.1 + a);
    }
    default: return make_box({a, b, c});
  }
}

}  // namespace

Shape draw_solid(Draw& draw) {
  if (!draw.chance(0.1)) return draw_convex(draw);
  std::vector<CompoundChild> children;
  const int count = 1 + draw.below(3);
  for (int k = 0; k < count; ++k) children.push_back({draw_convex(draw), {draw.vector(0.4), draw.turn()}});
  return make_compound(std::move(children));
}

Shape draw_surface(Draw& draw) {
  switch (draw.below(3)) {
    case 0: return make_half_space(normalised(draw.vector(0.3) + Vec3{0, 0, 1}), draw.between(-0.5, 0.2));
    case 1: {
      Random random(draw.seed());
      return bumpy_mesh(random);
    }
    default: {
      std::vector<double> heights(20);
      for (double& h : heights) h = draw.between(0, 0.2);
      return make_height_field(4, 5, draw.between(0.3, 1), std::move(heights));
    }
  }
}

Material draw_material(Draw& draw) {
  Material material{.friction = draw.one_of({0.0, 0.1, 0.5, 0.5, 1.0, 3.0})};
  if (draw.chance(0.2)) material.static_friction = material.friction + draw.between(0, 0.5);
  if (draw.chance(0.15)) {
    material.friction_across = draw.between(0, 1);
    material.grain = normalised(draw.vector(1) + Vec3{0, 0, 1.1});
  }
  if (draw.chance(0.15)) material.spin_radius = draw.between(0.001, 0.1);
  if (draw.chance(0.15)) material.rolling_radius = draw.between(0.001, 0.05);
  if (draw.chance(0.3)) material.restitution = draw.one_of({0.2, 0.5, 0.9, 1.0});
  if (draw.chance(0.1)) material.friction_rule = static_cast<CombineRule>(draw.below(5));
  return material;
}

ShapeDef draw_shape(Draw& draw, bool may_be_surface) {
  ShapeDef def;
  def.shape = may_be_surface && draw.chance(0.5) ? draw_surface(draw) : draw_solid(draw);
  if (draw.chance(0.3)) def.pose = {draw.vector(0.3), draw.turn()};
  def.material = draw_material(draw);
  const bool is_solid = !may_be_surface || has_support(def.shape) || std::holds_alternative<Compound>(def.shape);
  def.density = is_solid ? draw.one_of({1000.0, 1000.0, 1000.0, 10.0, 20000.0}) : 0.0;
  if (draw.chance(0.1)) def.layer = 2, def.mask = draw.one_of({0xffffffffu, 1u, 2u});
  return def;
}

Pose draw_pose(Draw& draw) {
  const Vec3 p = draw.vector(1.2);
  const double far = draw.chance(0.01) ? draw.decades(2, 7.9) : 0;
  return {{p.x + far, p.y, 0.8 * (p.z + 1.3)}, draw.turn()};
}

Velocity draw_velocity(Draw& draw) {
  const double size = draw.chance(0.6) ? 1 : draw.chance(0.8) ? 10 : draw.chance(0.8) ? 300 : 5e5;
  const double turning = draw.chance(0.7) ? 1 : draw.chance(0.9) ? 20 : 1e5;
  return {draw.vector(size), draw.vector(turning)};
}

MassProperties draw_mass(Draw& draw) {
  const double mass = draw.chance(0.9) ? draw.decades(-1, 3) : draw.decades(-8.9, 14.9);
  const double k = mass * (draw.chance(0.9) ? draw.between(0.001, 0.3) : draw.decades(-6, 2));
  const double x = draw.between(0.6, 1), y = draw.between(0.6, 1);
  return {mass, draw.chance(0.5) ? Vec3{} : draw.vector(0.2), SymMat3::diagonal(k, k * x, k * y)};
}

BodyDef draw_body(Draw& draw) {
  BodyDef def;
  def.kind = draw.chance(0.8) ? BodyKind::dynamic : draw.chance(0.5) ? BodyKind::fixed : BodyKind::kinematic;
  def.pose = draw_pose(draw);
  if (draw.chance(0.6)) def.velocity = draw_velocity(draw);
  if (draw.chance(0.15)) def.mass = draw_mass(draw);
  if (draw.chance(0.1)) def.linear_damping = draw.between(0, 5), def.angular_damping = draw.between(0, 5);
  if (draw.chance(0.1)) def.gravity_scale = draw.between(-1, 2);
  if (draw.chance(0.15)) def.locked_axes = static_cast<std::uint32_t>(draw.below(64));
  def.may_sleep = draw.chance(0.9);
  def.continuous = draw.chance(0.2);
  return def;
}

namespace {

JointAxis draw_axis(Draw& draw, bool may_lock) {
  JointAxis axis;
  if (draw.chance(0.5)) {
    axis.motion = AxisMotion::limited;
    axis.lower = draw.between(-1, 0), axis.upper = draw.chance(0.1) ? axis.lower : draw.between(0, 1);
    if (draw.chance(0.2)) axis.limit_compliance = draw.decades(-8, -1), axis.limit_damping = draw.between(0, 10);
  } else if (may_lock && draw.chance(0.4)) {
    axis.motion = AxisMotion::locked;
  }
  if (draw.chance(0.3)) axis.friction = draw.decades(-2, 2);
  if (draw.chance(0.2))
    axis.drive = {DriveKind::velocity, draw.between(-5, 5), 0, 0, 0, draw.chance(0.3) ? kUnlimited : 100};
  else if (draw.chance(0.2))
    axis.drive = {DriveKind::position, 0, draw.between(-1, 1), draw.decades(0, 5), draw.decades(-1, 3), kUnlimited};
  return axis;
}

}  // namespace

JointKind draw_joint_kind(Draw& draw) {
  const auto axis = [&] { return draw_axis(draw, false); };
  const auto any_axis = [&] { return draw_axis(draw, true); };
  const auto length = [&] { return draw.between(0, 2); };
  switch (draw.below(11)) {
    case 0:
      return BallJoint{draw.chance(0.5) ? kUnlimited : draw.between(0.1, 2), axis(), draw.chance(0.5) ? 0.0 : 0.5};
    case 1: return HingeJoint{axis()};
    case 2: return PrismaticJoint{axis()};
    case 3: {
      const JointAxis slide = axis();
      return CylindricalJoint{slide, axis()};
    }
    case 4: return FixedJoint{};
    case 5: return DistanceJoint{length() + 0.01};
    case 6: return RopeJoint{length(), draw.chance(0.5) ? 0.0 : draw.decades(-6, -2), 1};
    case 7: return SpringJoint{length(), draw.decades(0, 6), draw.decades(-2, 3)};
    case 8: {
      const JointAxis x = axis();
      return UniversalJoint{x, axis()};
    }
    case 9: {
      const JointAxis y = axis(), z = axis();
      return PlanarJoint{y, z, axis()};
    }
    default: {
      SixDofJoint joint;
      for (JointAxis& a : joint.slide) a = any_axis();
      for (JointAxis& a : joint.turn) a = any_axis();
      return joint;
    }
  }
}

void draw_joint_extras(Draw& draw, JointDef& def) {
  def.collide_connected = draw.chance(0.3);
  if (draw.chance(0.2)) def.break_force = draw.decades(-1, 5);
  if (draw.chance(0.1)) def.break_torque = draw.decades(-1, 4);
  if (draw.chance(0.15)) def.linear = {draw.decades(-9, -2), draw.between(0, 10)};
  if (draw.chance(0.1)) def.angular = {draw.decades(-9, -2), draw.between(0, 10)};
  if (draw.chance(0.2)) def.frame_b.position += draw.vector(draw.chance(0.8) ? 0.02 : 1.0);  // apart at the start
}

double draw_dt(Draw& draw) {
  if (draw.chance(0.85)) return draw.one_of({1.0 / 60, 1.0 / 60, 1.0 / 60, 0.01, 1.0 / 240, 1.0 / 30});
  return draw.one_of({1e-7, 1e-5, 1e-3, 0.1, 1.0, 0.0});
}

std::string text_of(const Vec3& v) { return fmt::format("({:.4g}, {:.4g}, {:.4g})", v.x, v.y, v.z); }

std::string text_of(const Shape& shape) {
  constexpr const char* kNames[] = {"sphere",     "box",  "capsule",      "cylinder", "cone",
                                    "half_space", "hull", "height_field", "mesh",     "compound"};
  static_assert(std::size(kNames) == std::variant_size_v<Shape>);
  std::string size;
  if (const auto* s = std::get_if<Sphere>(&shape)) size = fmt::format(" {:.3g}", s->radius);
  if (const auto* s = std::get_if<Box>(&shape)) size = " " + text_of(s->half);
  if (const auto* s = std::get_if<HalfSpace>(&shape)) size = " " + text_of(s->normal);
  return kNames[shape.index()] + size;
}

std::string text_of(const Material& m) {
  std::string text = fmt::format("friction {:.2g}", m.friction);
  if (m.static_friction >= 0) text += fmt::format(", static {:.2g}", m.static_friction);
  if (m.friction_across >= 0) text += fmt::format(", across {:.2g}", m.friction_across);
  if (m.spin_radius > 0) text += fmt::format(", spin {:.2g}", m.spin_radius);
  if (m.rolling_radius > 0) text += fmt::format(", rolling {:.2g}", m.rolling_radius);
  if (m.restitution > 0) text += fmt::format(", restitution {:.2g}", m.restitution);
  return text;
}

std::string text_of(const BodyDef& def) {
  constexpr const char* kKinds[] = {"dynamic", "fixed", "kinematic"};
  std::string text = fmt::format("{} at {}", kKinds[static_cast<int>(def.kind)], text_of(def.pose.position));
  if (!(def.velocity == Velocity{}))
    text += fmt::format(", velocity {} {}", text_of(def.velocity.linear), text_of(def.velocity.angular));
  if (def.mass) text += fmt::format(", mass {:.3g}", def.mass->mass);
  if (def.linear_damping > 0) text += ", damped";
  if (def.gravity_scale != 1) text += fmt::format(", gravity_scale {:.2g}", def.gravity_scale);
  if (def.locked_axes != 0) text += fmt::format(", locked_axes {}", def.locked_axes);
  if (!def.may_sleep) text += ", never sleeps";
  if (def.continuous) text += ", continuous";
  return text;
}

namespace {

std::string text_of(const char* name, const JointAxis& axis) {
  std::string text;
  if (axis.motion == AxisMotion::locked) text += " locked";
  if (axis.motion == AxisMotion::limited) text += fmt::format(" [{:.2g}, {:.2g}]", axis.lower, axis.upper);
  if (axis.limit_compliance > 0) text += " soft";
  if (axis.friction > 0) text += fmt::format(" friction {:.2g}", axis.friction);
  if (axis.drive.kind == DriveKind::velocity) text += fmt::format(" drive {:.2g}/s", axis.drive.speed);
  if (axis.drive.kind == DriveKind::position) text += fmt::format(" drive to {:.2g}", axis.drive.position);
  return text.empty() ? text : fmt::format(", {}{}", name, text);
}

std::string details(const BallJoint& j) {
  return (j.cone < kUnlimited ? fmt::format(", cone {:.2g}", j.cone) : "") + text_of("twist", j.twist) +
         (j.friction > 0 ? ", friction" : "");
}
std::string details(const HingeJoint& j) { return text_of("turn", j.turn); }
std::string details(const PrismaticJoint& j) { return text_of("slide", j.slide); }
std::string details(const CylindricalJoint& j) { return text_of("slide", j.slide) + text_of("turn", j.turn); }
std::string details(const FixedJoint&) { return {}; }
std::string details(const DistanceJoint& j) { return fmt::format(", length {:.3g}", j.length); }
std::string details(const RopeJoint& j) { return fmt::format(", length {:.3g}", j.length); }
std::string details(const SpringJoint& j) { return fmt::format(", stiffness {:.3g}", j.stiffness); }
std::string details(const UniversalJoint& j) { return text_of("x", j.turn_x) + text_of("y", j.turn_y); }
std::string details(const PlanarJoint& j) {
  return text_of("y", j.slide_y) + text_of("z", j.slide_z) + text_of("turn", j.turn);
}
std::string details(const GearJoint& j) { return fmt::format(", radii {:.2g} {:.2g}", j.radius_a, j.radius_b); }
std::string details(const SixDofJoint& j) {
  constexpr const char* kSlides[] = {"slide x", "slide y", "slide z"};
  constexpr const char* kTurns[] = {"turn x", "turn y", "turn z"};
  std::string text;
  for (std::size_t k = 0; k < 3; ++k) text += text_of(kSlides[k], j.slide[k]);
  for (std::size_t k = 0; k < 3; ++k) text += text_of(kTurns[k], j.turn[k]);
  return text;
}

}  // namespace

std::string text_of(const JointDef& def) {
  std::string text = kind_name(def.kind) + std::visit([](const auto& joint) { return details(joint); }, def.kind);
  if (def.linear.compliance > 0 || def.angular.compliance > 0) text += ", soft";
  if (def.break_force < kUnlimited) text += fmt::format(", breaks at {:.3g} N", def.break_force);
  if (def.break_torque < kUnlimited) text += fmt::format(", breaks at {:.3g} N m", def.break_torque);
  if (def.collide_connected) text += ", bodies collide";
  return text;
}

}  // namespace cairn::fuzz
