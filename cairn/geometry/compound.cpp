// SPDX-License-Identifier: MIT
#include "cairn/geometry/compound.h"

#include <fmt/format.h>

#include "cairn/core/errors.h"
#include "cairn/geometry/shape.h"

namespace cairn {

Compound make_compound(std::vector<CompoundChild> children) {
  require(!children.empty(), "the compound has no children; give at least one shape");
  if (children.size() > kMostChildren) {
    fail_input(fmt::format("the compound has {} children; give at most {}, or a mesh", children.size(), kMostChildren),
               ErrorKind::limit);
  }
  for (std::size_t k = 0; k < children.size(); ++k) {
    CompoundChild& child = children[k];
    if (std::holds_alternative<Compound>(child.shape))
      fail_input(fmt::format("child {} is a compound; add its children one by one instead", k));
    check_shape(child.shape);
    const double length2 = norm2(child.pose.orientation);
    const Vec3 p = child.pose.position;
    const bool near = std::max({std::fabs(p.x), std::fabs(p.y), std::fabs(p.z)}) <= kLargestSize;
    if (!is_finite(child.pose) || !near || !(std::fabs(length2 - 1) <= 1e-3)) {
      fail_input(
          fmt::format("the pose of child {} cannot be used; give a finite position within {} m and a unit quaternion",
                      k, kLargestSize));
    }
    child.pose.orientation = normalised(child.pose.orientation);
  }
  return {std::make_shared<CompoundData>(CompoundData{std::move(children)})};
}

Aabb bounds(const Compound& shape, const Pose& pose) {
  Aabb box;
  for (const CompoundChild& child : shape.data->children) box = unite(box, bounds(child.shape, pose * child.pose));
  return box;
}

MassProperties mass_properties(const Compound& shape, double density) {
  check_density(density);
  std::vector<MassProperties> parts;
  MassProperties sum;
  for (const CompoundChild& child : shape.data->children) {
    MassProperties part = mass_properties(child.shape, density);
    part.centre = transform(child.pose, part.centre);
    part.inertia = rotate(to_matrix(child.pose.orientation), part.inertia);
    sum.mass += part.mass;
    sum.centre += part.mass * part.centre;
    parts.push_back(part);
  }
  sum.centre = (1.0 / sum.mass) * sum.centre;
  for (const MassProperties& part : parts) {
    const SymMat3 i = shifted_inertia(part.inertia, part.mass, part.centre - sum.centre);
    SymMat3& total = sum.inertia;
    total = {total.xx + i.xx, total.yy + i.yy, total.zz + i.zz, total.xy + i.xy, total.xz + i.xz, total.yz + i.yz};
  }
  return sum;
}

std::optional<RayHit> ray(const Compound& shape, const Vec3& origin, const Vec3& direction, double max_distance) {
  std::optional<RayHit> best;
  for (std::size_t k = 0; k < shape.data->children.size(); ++k) {
    const CompoundChild& child = shape.data->children[k];
    const double reach = best ? best->distance : max_distance;
    const auto hit =
        ray(child.shape, transform_back(child.pose, origin), rotate_back(child.pose.orientation, direction), reach);
    if (!hit || (best && hit->distance >= best->distance)) continue;
    best = RayHit{hit->distance, rotate(child.pose.orientation, hit->normal), static_cast<std::int32_t>(k)};
  }
  return best;
}

ClosestPoint closest_point(const Compound& shape, const Vec3& point) {
  std::optional<ClosestPoint> best;
  for (const CompoundChild& child : shape.data->children) {
    const ClosestPoint local = closest_point(child.shape, transform_back(child.pose, point));
    if (best && local.distance >= best->distance) continue;
    best =
        ClosestPoint{transform(child.pose, local.point), rotate(child.pose.orientation, local.normal), local.distance};
  }
  return *best;
}

}  // namespace cairn
