// SPDX-License-Identifier: MIT
#include "cairn/narrow/collide_sphere.h"

#include <algorithm>

namespace cairn {

namespace {

/// A ball against anything that knows its closest point: separation = signed distance of the centre - radius.
template <class Other>
Manifold ball_against(const Sphere& a, const Pose& pose_a, const Other& b, const Pose& pose_b, double margin) {
  const ClosestPoint c = closest_point(b, transform_back(pose_b, pose_a.position));
  const double separation = c.distance - a.radius;
  Manifold result;
  if (!(separation <= margin)) return result;
  result.normal = -rotate(pose_b.orientation, c.normal);
  result.count = 1;
  result.point[0] = {pose_a.position + a.radius * result.normal, transform(pose_b, c.point), separation, 0};
  return result;
}

/// The segment centre + t direction, |t| <= half_length.
struct Segment {
  Vec3 centre, direction;
  double half_length = 0;

  double clamp(double t) const { return std::clamp(t, -half_length, half_length); }
  Vec3 at(double t) const { return centre + t * direction; }
  /// Parameter of the point nearest to `p`.
  double nearest(const Vec3& p) const { return clamp(dot(p - centre, direction)); }
};

Segment axis_of(const Capsule& capsule, const Pose& pose) {
  return {pose.position, rotate(pose.orientation, Vec3{0, 0, 1}), capsule.half_length};
}

/// Nearest pair of two segments: minimise |a(s) - b(t)|^2. Free minimum over s, clamped; then t for that s, clamped;
/// then s for that t (Ericson 2005, "Real-time collision detection", 5.1.9). Parallel axes start beside
/// the other's centre.
std::array<double, 2> nearest_parameters(const Segment& a, const Segment& b) {
  const Vec3 d = b.centre - a.centre;
  const double c = dot(a.direction, b.direction), sine2 = 1 - c * c;
  const double along_a = dot(d, a.direction), along_b = dot(d, b.direction);
  const double s = sine2 > 1e-14 ? a.clamp((along_a - c * along_b) / sine2) : a.nearest(b.centre);
  const double t = b.nearest(a.at(s));
  return {a.nearest(b.at(t)), t};
}

/// Across both axes where they intersect; across the first where they also are parallel.
Vec3 normal_across(const Segment& a, const Segment& b) {
  const Vec3 n = cross(a.direction, b.direction);
  const double length = norm(n);
  return length > 1e-9 ? (1.0 / length) * n : make_frame(a.direction).tangent1;
}

}  // namespace

Manifold collide_sphere_sphere(const Sphere& a, const Pose& pose_a, const Sphere& b, const Pose& pose_b,
                               double margin) {
  const Vec3 d = pose_b.position - pose_a.position;
  const double distance = norm(d), separation = distance - (a.radius + b.radius);
  Manifold result;
  if (!(separation <= margin)) return result;
  if (distance > 0) result.normal = (1.0 / distance) * d;
  result.count = 1;
  result.point[0] = {pose_a.position + a.radius * result.normal, pose_b.position - b.radius * result.normal, separation,
                     0};
  return result;
}

Manifold collide_sphere_capsule(const Sphere& a, const Pose& pose_a, const Capsule& b, const Pose& pose_b,
                                double margin) {
  return ball_against(a, pose_a, b, pose_b, margin);
}

Manifold collide_sphere_box(const Sphere& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double margin) {
  return ball_against(a, pose_a, b, pose_b, margin);
}

Manifold collide_sphere_cylinder(const Sphere& a, const Pose& pose_a, const Cylinder& b, const Pose& pose_b,
                                 double margin) {
  return ball_against(a, pose_a, b, pose_b, margin);
}

Manifold collide_sphere_cone(const Sphere& a, const Pose& pose_a, const Cone& b, const Pose& pose_b, double margin) {
  return ball_against(a, pose_a, b, pose_b, margin);
}

Manifold collide_sphere_hull(const Sphere& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b,
                             double margin) {
  return ball_against(a, pose_a, b, pose_b, margin);
}

Manifold collide_capsule_capsule(const Capsule& a, const Pose& pose_a, const Capsule& b, const Pose& pose_b,
                                 double margin) {
  const Segment line_a = axis_of(a, pose_a), line_b = axis_of(b, pose_b);
  const auto [s, t] = nearest_parameters(line_a, line_b);
  const Vec3 d = line_b.at(t) - line_a.at(s);
  const double distance = norm(d), radii = a.radius + b.radius;
  if (!(distance - radii <= margin)) return {};
  // Below this the difference of the two points is rounding and has no direction.
  const bool crossing = !(distance > 1e-12 * (radii + a.half_length + b.half_length));
  const Vec3 normal = crossing ? normal_across(line_a, line_b) : (1.0 / distance) * d;
  ManifoldBuilder builder(normal);
  const auto add = [&](double at_a, double at_b, std::uint32_t feature) {
    const Vec3 p = line_a.at(at_a), q = line_b.at(at_b);
    const double separation = dot(normal, q - p) - radii;
    if (separation <= margin) builder.add({p + a.radius * normal, q - b.radius * normal, separation, feature});
  };
  // Common stretch of parallel axes, in the parameter of the first.
  const double cosine = dot(line_a.direction, line_b.direction),
               middle = dot(line_b.centre - line_a.centre, line_a.direction);
  const double low = std::max(-a.half_length, middle - b.half_length);
  const double high = std::min(a.half_length, middle + b.half_length);
  if (1 - cosine * cosine < 1e-6 && high - low > 1e-6 * (a.half_length + b.half_length)) {
    add(low, line_b.nearest(line_a.at(low)), 0);
    add(high, line_b.nearest(line_a.at(high)), 1);
  } else {
    add(s, t, 0);
  }
  return builder.build();
}

}  // namespace cairn
