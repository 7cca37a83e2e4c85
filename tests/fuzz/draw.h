// SPDX-License-Identifier: MIT
// Draw: what random sequences of calls are made of: numbers, shapes, materials, bodies and joints, and how each is
// written for a reader. Most of them are ordinary; some are as extreme as the world accepts.
#pragma once

#include <initializer_list>
#include <string>

#include "cairn/core/random.h"
#include "cairn/joints/joint.h"

namespace cairn::fuzz {

/// Random numbers with the questions that a sequence asks.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  bool chance(double probability) { return random_.uniform() < probability; }
  int below(int count) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(count))); }
  double between(double low, double high) { return random_.uniform(low, high); }
  /// Spread evenly over powers of ten.
  double decades(double low, double high);
  Vec3 vector(double size);
  Quat turn();
  std::uint64_t seed() { return random_.next(); }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<int>(values.size()))];
  }

 private:
  Random random_;
};

/// With volume: spheres, boxes, capsules, cylinders, cones, hulls and compounds of them.
Shape draw_solid(Draw& draw);
/// Without: half-spaces, meshes, height fields.
Shape draw_surface(Draw& draw);
Material draw_material(Draw& draw);
/// A solid at a small offset, or for bodies that cannot move now and then a surface.
ShapeDef draw_shape(Draw& draw, bool may_be_surface);
Pose draw_pose(Draw& draw);
Velocity draw_velocity(Draw& draw);
MassProperties draw_mass(Draw& draw);
BodyDef draw_body(Draw& draw);
/// Any kind but a gear, with limits, drives, friction and softness.
JointKind draw_joint_kind(Draw& draw);
/// Softness, breaking forces and whether the bodies collide.
void draw_joint_extras(Draw& draw, JointDef& def);
double draw_dt(Draw& draw);

std::string text_of(const Vec3& v);
std::string text_of(const Shape& shape);
std::string text_of(const Material& material);
std::string text_of(const JointDef& def);
std::string text_of(const BodyDef& def);

}  // namespace cairn::fuzz
