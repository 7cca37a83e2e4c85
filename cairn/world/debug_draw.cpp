// SPDX-License-Identifier: MIT
#include "cairn/world/debug_draw.h"

#include <algorithm>
#include <array>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/geometry/tessellate.h"

namespace cairn {

namespace {

constexpr std::uint32_t colour_of(std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
  return red | green << 8 | blue << 16 | 255u << 24;
}
constexpr std::uint32_t kFixed = colour_of(130, 130, 130), kKinematic = colour_of(90, 180, 90);
constexpr std::uint32_t kAwake = colour_of(80, 140, 230), kAsleep = colour_of(120, 130, 160);
constexpr std::uint32_t kFrozen = colour_of(230, 60, 60), kBounds = colour_of(200, 200, 90);
constexpr std::uint32_t kContact = colour_of(240, 170, 40), kCentre = colour_of(255, 255, 255);
constexpr std::array<std::uint32_t, 3> kAxes{colour_of(230, 60, 60), colour_of(60, 200, 60), colour_of(60, 90, 240)};

std::uint32_t colour_of(const BodyView& body) {
  if (body.quarantined) return kFrozen;
  if (body.kind == BodyKind::fixed) return kFixed;
  if (body.kind == BodyKind::kinematic) return kKinematic;
  return body.asleep ? kAsleep : kAwake;
}

/// A side of a triangle, its lower vertex first.
struct Side {
  std::int32_t a = 0, b = 0, triangle = 0;
  bool is_side_of(const Side& other) const { return a == other.a && b == other.b; }
};

Vec3 normal_of(const Tessellation& surface, std::int32_t triangle) {
  const auto& t = surface.triangles[to_index(triangle)];
  const auto corner = [&](std::size_t k) { return surface.vertices[to_index(t[k])]; };
  return cross(corner(1) - corner(0), corner(2) - corner(0));
}

/// Whether two triangles of one side lie in one plane: sin^2 of the angle between their normals is nearly 0.
bool is_flat(const Tessellation& surface, std::int32_t s, std::int32_t t) {
  const Vec3 n = normal_of(surface, s), m = normal_of(surface, t), c = cross(n, m);
  constexpr double kFlat = 1e-12;
  return dot(c, c) <= kFlat * dot(n, n) * dot(m, m);
}

std::vector<Side> sides_of(const Tessellation& surface) {
  std::vector<Side> sides;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t a = surface.triangles[t][k], b = surface.triangles[t][(k + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), static_cast<std::int32_t>(t)});
    }
  std::sort(sides.begin(), sides.end(), [](const Side& x, const Side& y) {
    return std::array{x.a, x.b, x.triangle} < std::array{y.a, y.b, y.triangle};
  });
  return sides;
}

/// Every side once, but for those between two triangles of one plane.
void draw_edges(const Tessellation& surface, std::uint32_t colour, DebugDraw& out) {
  const std::vector<Side> sides = sides_of(surface);
  for (std::size_t i = 0; i < sides.size();) {
    std::size_t end = i + 1;
    while (end < sides.size() && sides[end].is_side_of(sides[i])) ++end;
    const bool is_inside = end - i == 2 && is_flat(surface, sides[i].triangle, sides[i + 1].triangle);
    if (!is_inside) out.line(surface.vertices[to_index(sides[i].a)], surface.vertices[to_index(sides[i].b)], colour);
    i = end;
  }
}

void draw_shape(const ShapeDef& shape, const BodyView& body, DebugDraw& out, const DebugDrawSettings& settings) {
  Tessellation placed;
  append(placed, tessellate(shape.shape, {settings.segments, settings.half_space}), body.pose * shape.pose);
  draw_edges(placed, colour_of(body), out);
}

void draw_bounds(const Aabb& box, DebugDraw& out) {
  const auto corner = [&](int k) {
    return Vec3{(k & 1) != 0 ? box.upper.x : box.lower.x, (k & 2) != 0 ? box.upper.y : box.lower.y,
                (k & 4) != 0 ? box.upper.z : box.lower.z};
  };
  if (!is_finite(box.lower) || !is_finite(box.upper)) return;  // of a half-space
  for (int k = 0; k < 8; ++k)
    for (const int axis : {1, 2, 4})
      if ((k & axis) == 0) out.line(corner(k), corner(k | axis), kBounds);
}

void draw_frame(const Pose& frame, double length, DebugDraw& out) {
  const std::array<Vec3, 3> axes{Vec3{length, 0, 0}, Vec3{0, length, 0}, Vec3{0, 0, length}};
  for (std::size_t k = 0; k < 3; ++k) out.line(frame.position, transform(frame, axes[k]), kAxes[k]);
}

void draw_joint(const World& world, const JointDef& joint, double length, DebugDraw& out) {
  const Pose a = world.contains(joint.body_a) ? world.view(joint.body_a).pose : Pose{};
  draw_frame(a * joint.frame_a, length, out);
  draw_frame(world.view(joint.body_b).pose * joint.frame_b, length, out);
}

}  // namespace

void draw(const World& world, DebugDraw& out, const DebugDrawSettings& settings) {
  for (const BodyId id : world.bodies()) {
    const BodyView body = world.view(id);
    for (const ShapeId shape : world.shapes_of(id)) {
      const ShapeDef& def = world.shape_def(shape);
      if (settings.shapes) draw_shape(def, body, out, settings);
      if (settings.bounds) draw_bounds(bounds(def.shape, body.pose * def.pose), out);
    }
    if (settings.centres) out.point(body.centre, kCentre);
  }
  if (settings.contacts)
    for (const ContactView& contact : world.contacts()) {
      out.point(contact.point, kContact);
      out.line(contact.point, contact.point + settings.impulse_length * contact.impulse, kContact);
    }
  if (settings.joints)
    for (const JointId joint : world.joints()) draw_joint(world, world.joint_def(joint), settings.axis_length, out);
}

}  // namespace cairn
