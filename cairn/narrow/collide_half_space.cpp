// SPDX-License-Identifier: MIT
#include "cairn/narrow/collide_half_space.h"

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
  Manifold build() { return builder_.build(); }

 private:
  Vec3 up_;
  double offset_, margin_;
  ManifoldBuilder builder_;
};

}  // namespace

Manifold collide_sphere_half_space(const Sphere& a, const Pose& pose_a, const HalfSpace& b, const Pose& pose_b,
                                   double margin) {
  PlaneContact contact(b, pose_b, margin);
  contact.add(pose_a.position, a.radius, 0);
  return contact.build();
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

Manifold collide_hull_half_space(const ConvexHull& a, const Pose& pose_a, const HalfSpace& b, const Pose& pose_b,
                                 double margin) {
  PlaneContact contact(b, pose_b, margin);
  std::uint32_t feature = 0;
  for (const Vec3& vertex : a.data->vertices) contact.add(transform(pose_a, vertex), 0, feature++);
  return contact.build();
}

}  // namespace cairn
