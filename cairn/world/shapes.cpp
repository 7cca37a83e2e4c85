// SPDX-License-Identifier: MIT
#include "cairn/world/shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// How far ahead bounds look: the way of the next step, at most a part of the size. Without that limit everything fast
/// would be paired with everything around it; bodies that must not pass through others have BodyDef::continuous.
Vec3 speculative_way(const Vec3& way, double radius) {
  const double most = kSpeculativeReach * radius, length2 = dot(way, way);
  return length2 > most * most ? (most / std::sqrt(length2)) * way : way;
}

}  // namespace

Aabb clamped(const Aabb& box) {
  const Vec3 far{kLargestCoordinate, kLargestCoordinate, kLargestCoordinate};
  return {max(box.lower, -far), min(box.upper, far)};
}

double speculative_turn(const Vec3& angular_velocity, double radius, double dt) {
  if (std::isinf(radius)) return 0;
  return std::min(dt * norm(angular_velocity), kSpeculativeReach) * radius;
}

void Shapes::resize(std::size_t count) {
  def.resize(count, ShapeDef{});
  shape.resize(count), body.resize(count, -1), local.resize(count);
  ball_centre.resize(count), ball_radius.resize(count, 0), sphere_radius.resize(count, -1), filter.resize(count);
  centred.resize(count), material.resize(count);
  pose.resize(count), bounds.resize(count), ball.resize(count);
}

void prepare_shape(const Bodies& bodies, Shapes& shapes, std::size_t i) {
  const ShapeDef& def = shapes.def[i];
  const auto body = to_index(shapes.body[i]);
  shapes.shape[i] = def.shape;
  shapes.local[i] = {def.pose.position - bodies.record[body].centre, def.pose.orientation};
  const Sphere* sphere = std::get_if<Sphere>(&def.shape);
  shapes.sphere_radius[i] = sphere != nullptr ? sphere->radius : -1;
  const Aabb box = bounds(def.shape, Pose{});
  const bool finite = is_finite(box.lower) && is_finite(box.upper);
  const Vec3 middle = finite ? centre(box) : Vec3{};
  shapes.ball_centre[i] = transform(shapes.local[i], middle);
  shapes.ball_radius[i] = sphere != nullptr ? sphere->radius : finite ? norm(box.upper - middle) : kInfinity;
  shapes.centred[i] = shapes.local[i] == Pose{} && shapes.ball_centre[i] == Vec3{} ? 1 : 0;
  shapes.filter[i] = {def.layer, def.mask, (bodies.status[body] & (kDynamic | kKinematic)) != 0};
  shapes.changed.push_back(static_cast<std::int32_t>(i));
}

void place_shape(const Bodies& bodies, Shapes& shapes, std::size_t i, double margin, double dt) {
  const auto body = to_index(shapes.body[i]);
  const Pose& pose = bodies.pose[body];
  const Vec3 way = speculative_way(dt * bodies.velocity[body].linear, shapes.ball_radius[i]);
  const bool round = shapes.sphere_radius[i] >= 0;
  const Vec3& spin = bodies.velocity[body].angular;
  const double grow =
      0.5 * margin + (round || spin == Vec3{} ? 0.0 : speculative_turn(spin, shapes.ball_radius[i], dt));
  const bool centred = shapes.centred[i] != 0;
  const Vec3 middle = centred ? pose.position : transform(pose, shapes.ball_centre[i]);
  shapes.pose[i] = centred ? pose : pose * shapes.local[i];
  shapes.ball[i] = {middle + 0.5 * way, shapes.ball_radius[i] + grow + 0.5 * norm(way)};
  const Aabb box = round ? grown({middle, middle}, shapes.sphere_radius[i] + grow)
                         : grown(bounds(shapes.shape[i], shapes.pose[i]), grow);
  const Aabb swept{min(box.lower, box.lower + way), max(box.upper, box.upper + way)};
  shapes.bounds[i] = round ? swept : clamped(swept);
}

}  // namespace cairn
