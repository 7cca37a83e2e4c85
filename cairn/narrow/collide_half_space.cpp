// SPDX-License-Identifier: MIT
#include "cairn/narrow/collide_half_space.h"

#include "cairn/narrow/contact_feature.h"

namespace cairn {

namespace {

/// Offers balls (corners have radius 0) to one plane of the world and keeps those within the margin.
class PlaneContact {
 public:
  PlaneContact(const HalfSpace& plane, const Pose& pose, double margin)
      : up_(rotate(pose.orientation, plane.normal)),
        offset_(dot(up_, pose.position) + plane.offset),
        margin_(margin),
        builder_(-up_) {}

  void add(const Vec3& centre, double radius, std::uint32_t feature) {
    const double height = dot(up_, centre) - offset_, separation = height - radius;
    if (separation <= margin_) builder_.add({centre - radius * up_, centre - height * up_, separation, feature});
  }
  /// What of the shape is farthest down.
  void add_feature(const Shape& shape, const Pose& pose) {
    const ContactFeature feature = feature_along(shape, pose, -up_);
    for (std::size_t k = 0; k < feature.count; ++k)
      if (feature.corner_counts(k)) add(feature.corner[k], feature.radius, feature.name[k]);
  }
  Manifold build() { return builder_.build(); }

 private:
  Vec3 up_;
  double offset_, margin_;
  ManifoldBuilder builder_;
};

}  // namespace

Manifold collide_sphere_half_space(const Sphere& a, const Pose& pose_a, const HalfSpace& b, const Pose& pose_b,
                                   double margin) {
  const Vec3 up = rotate(pose_b.orientation, b.normal);
  const double height = dot(up, pose_a.position - pose_b.position) - b.offset, separation = height - a.radius;
  Manifold result;
  if (!(separation <= margin)) return result;
  result.normal = -up;
  result.count = 1;
  result.point[0] = {pose_a.position - a.radius * up, pose_a.position - height * up, separation, 0};
  return result;
}

Manifold collide_capsule_half_space(const Capsule& a, const Pose& pose_a, const HalfSpace& b, const Pose& pose_b,
                                    double margin) {
  PlaneContact contact(b, pose_b, margin);
  contact.add(transform(pose_a, {0, 0, -a.half_length}), a.radius, 0);
  contact.add(transform(pose_a, {0, 0, a.half_length}), a.radius, 1);
  return contact.build();
}

Manifold collide_box_half_space(const Box& a, const Pose& pose_a, const HalfSpace& b, const Pose& pose_b,
                                double margin) {
  PlaneContact contact(b, pose_b, margin);
  for (std::uint32_t k = 0; k < 8; ++k) {
    const Vec3 corner{k & 1 ? a.half.x : -a.half.x, k & 2 ? a.half.y : -a.half.y, k & 4 ? a.half.z : -a.half.z};
    contact.add(transform(pose_a, corner), 0, k);
  }
  return contact.build();
}

Manifold collide_cylinder_half_space(const Cylinder& a, const Pose& pose_a, const HalfSpace& b, const Pose& pose_b,
                                     double margin) {
  PlaneContact contact(b, pose_b, margin);
  contact.add_feature(a, pose_a);
  return contact.build();
}

Manifold collide_cone_half_space(const Cone& a, const Pose& pose_a, const HalfSpace& b, const Pose& pose_b,
                                 double margin) {
  PlaneContact contact(b, pose_b, margin);
  contact.add_feature(a, pose_a);
  return contact.build();
}

Manifold collide_hull_half_space(const ConvexHull& a, const Pose& pose_a, const HalfSpace& b, const Pose& pose_b,
                                 double margin) {
  PlaneContact contact(b, pose_b, margin);
  std::uint32_t feature = 0;
  for (const Vec3& vertex : a.data->vertices) contact.add(transform(pose_a, vertex), 0, feature++);
  return contact.build();
}

}  // namespace cairn
