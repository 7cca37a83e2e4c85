// SPDX-License-Identifier: MIT
#include "cairn/geometry/box.h"

#include <array>

#include "cairn/core/index.h"

namespace cairn {

namespace {

/// Outward normals in the order of the features.
constexpr std::array<Vec3, 6> kFaceNormal{{{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}};

/// From inside: out through the nearest face; the lowest face where several are equally near.
ClosestPoint closest_from_inside(const Box& shape, const Vec3& p) {
  const std::array<double, 6> depth{shape.half.x + p.x, shape.half.x - p.x, shape.half.y + p.y,
                                    shape.half.y - p.y, shape.half.z + p.z, shape.half.z - p.z};
  const auto face = to_index(std::min_element(depth.begin(), depth.end()) - depth.begin());
  return {p + depth[face] * kFaceNormal[face], kFaceNormal[face], -depth[face]};
}

}  // namespace

Box make_box(const Vec3& half) {
  checked_size(half.x, "box half-extent x");
  checked_size(half.y, "box half-extent y");
  checked_size(half.z, "box half-extent z");
  return {half};
}

Aabb bounds(const Box& shape, const Pose& pose) {
  const Mat3 r = to_matrix(pose.orientation);
  const auto reach = [&](const Vec3& row) {
    return std::fabs(row.x) * shape.half.x + std::fabs(row.y) * shape.half.y + std::fabs(row.z) * shape.half.z;
  };
  const Vec3 half{reach(r.row0), reach(r.row1), reach(r.row2)};
  return {pose.position - half, pose.position + half};
}

Vec3 support(const Box& shape, const Vec3& direction) {
  return {direction.x < 0 ? -shape.half.x : shape.half.x, direction.y < 0 ? -shape.half.y : shape.half.y,
          direction.z < 0 ? -shape.half.z : shape.half.z};
}

MassProperties mass_properties(const Box& shape, double density) {
  check_density(density);
  const Vec3 h = shape.half;
  const double mass = density * 8 * h.x * h.y * h.z, third = mass / 3;
  return {mass,
          {},
          SymMat3::diagonal(third * (h.y * h.y + h.z * h.z), third * (h.z * h.z + h.x * h.x),
                            third * (h.x * h.x + h.y * h.y))};
}

std::optional<RayHit> ray(const Box& shape, const Vec3& origin, const Vec3& direction, double max_distance) {
  double enter = 0, leave = max_distance;
  int face = -1;
  // The box is the intersection of three slabs; the ray is in it between the last entry and the first exit.
  const auto clip = [&](double from, double along, double half, int axis) {
    if (along == 0) return std::fabs(from) <= half;
    const double side = along > 0 ? -half : half;  // the plane met first
    const double in = (side - from) / along, out = (-side - from) / along;
    if (in > enter) {
      enter = in;
      face = 2 * axis + (along > 0 ? 0 : 1);
    }
    leave = std::min(leave, out);
    return enter <= leave;
  };
  if (!clip(origin.x, direction.x, shape.half.x, 0) || !clip(origin.y, direction.y, shape.half.y, 1) ||
      !clip(origin.z, direction.z, shape.half.z, 2)) {
    return std::nullopt;
  }
  if (face < 0) return RayHit{0, -direction, 0};
  return RayHit{enter, kFaceNormal[to_index(face)], face};
}

ClosestPoint closest_point(const Box& shape, const Vec3& point) {
  const Vec3 on_box = max(-shape.half, min(shape.half, point));
  const Vec3 off = point - on_box;
  const double distance = norm(off);
  if (!(distance > 0)) return closest_from_inside(shape, point);
  return {on_box, (1.0 / distance) * off, distance};
}

}  // namespace cairn
