// SPDX-License-Identifier: MIT
#include "cairn/narrow/collide_faces.h"

#include <algorithm>

#include "cairn/narrow/contact_feature.h"

namespace cairn {

namespace {

/// Marks in features: a reference face of b; no feature.
constexpr std::uint32_t kReferenceIsB = 0x8000u, kNoFeature = 0xffffffffu;
/// Lines whose angle has a smaller sine lie along each other.
constexpr double kParallel = 1e-3;

/// One of the two shapes; positions are from the origin of a's pose, so that far bodies lose no digits.
struct Side {
  const Shape& shape;
  Pose pose;

  /// The farthest extent along n.
  double reach(const Vec3& n) const {
    return dot(n, transform(pose, support(shape, rotate_back(pose.orientation, n))));
  }
  ContactFeature feature(const Vec3& n) const { return feature_along(shape, pose, n); }
};

struct Meeting {
  Side a, b;
  Vec3 origin;  ///< of the positions, in the world
  double margin = 0;
};

double gap_along(const Meeting& m, const Vec3& n) { return -m.b.reach(-n) - m.a.reach(n); }

/// What the other shape has across the reference face, cut to the prism over it.
Manifold clip_to_face(const Meeting& m, const ContactFeature& face, bool reference_is_b) {
  const Vec3 up = face.normal;
  const ContactFeature incident = (reference_is_b ? m.a : m.b).feature(-up);
  ManifoldBuilder builder(reference_is_b ? -up : up);
  if (incident.count < 2) return builder.build();
  const double offset = face.offset() + incident.radius;
  cut_to_prism(face, incident, [&](const Vec3& point, std::uint32_t name) {
    const double height = dot(up, point) - offset;
    if (!(height <= m.margin)) return;
    const Vec3 on_incident = m.origin + (point - incident.radius * up), on_reference = on_incident - height * up;
    if (reference_is_b) {
      builder.add({on_incident, on_reference, height, name | kReferenceIsB});
    } else {
      builder.add({on_reference, on_incident, height, name});
    }
  });
  return builder.build();
}

/// Between the axes of two round sides that lie along each other the normal is known better than the walk knows it.
Vec3 normal_between_lines(const Meeting& m, const ContactFeature& a, const ContactFeature& b, const Vec3& walked) {
  const bool round_a = a.radius > 0 || dot(a.inward, a.inward) > 0,
             round_b = b.radius > 0 || dot(b.inward, b.inward) > 0;
  if (!round_a || !round_b) return walked;
  const Vec3 along = normalised(a.corner[1] - a.corner[0]), d = (b.corner[0] + b.inward) - (a.corner[0] + a.inward);
  const Vec3 across = d - dot(d, along) * along;
  const double length = norm(across);
  if (!(length > 1e-9 * norm(a.corner[1] - a.corner[0]))) return walked;
  const Vec3 n = (1.0 / length) * across;
  return gap_along(m, n) >= gap_along(m, walked) ? n : walked;
}

/// The ends of the common stretch of two segments along each other.
Manifold along_each_other(const Meeting& m, const Vec3& walked) {
  ContactFeature a = m.a.feature(walked), b = m.b.feature(-walked);
  const Vec3 u = normalised(a.corner[1] - a.corner[0]), v = normalised(b.corner[1] - b.corner[0]);
  if (!(norm(cross(u, v)) < kParallel)) return {};
  const Vec3 n = normal_between_lines(m, a, b, walked);
  a = m.a.feature(n);
  b = m.b.feature(-n);
  if (a.count != 2 || b.count != 2) return {};
  const double end_a = dot(a.corner[1] - a.corner[0], u);
  const double b0 = dot(b.corner[0] - a.corner[0], u), b1 = dot(b.corner[1] - a.corner[0], u);
  const double low = std::max(0.0, std::min(b0, b1)), high = std::min(end_a, std::max(b0, b1));
  ManifoldBuilder builder(n);
  if (!(high - low > 1e-6 * end_a)) return {};
  for (const double t : {low, high}) {
    const Vec3 p = a.corner[0] + (t / end_a) * (a.corner[1] - a.corner[0]);
    const Vec3 q = b.corner[0] + ((t - b0) / (b1 - b0)) * (b.corner[1] - b.corner[0]);
    const double separation = dot(n, q - p) - a.radius - b.radius;
    if (!(separation <= m.margin)) continue;
    const Vec3 on_a = m.origin + p + a.radius * n;
    // Lines that are not quite parallel are not quite opposite: the point on b is where the normal leads.
    builder.add({on_a, on_a + separation * n, separation, t == low ? 0u : 1u});
  }
  return builder.build();
}

/// The face that separates better, where it does so almost as well as the walk's axis; none: count 0.
Manifold face_contact(const Meeting& m, const Vec3& normal, double separation, double slop) {
  const ContactFeature on_a = m.a.feature(normal), on_b = m.b.feature(-normal);
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const double gap_a = on_a.is_polygon() ? gap_along(m, on_a.normal) : kNever;
  const double gap_b = on_b.is_polygon() ? gap_along(m, -on_b.normal) : kNever;
  // The first unless the second is clearly better.
  const bool reference_is_b = gap_b > gap_a + 0.1 * slop;
  if (std::max(gap_a, gap_b) >= separation - slop) return clip_to_face(m, reference_is_b ? on_b : on_a, reference_is_b);
  if (on_a.count == 2 && on_b.count == 2) return along_each_other(m, normal);
  return {};
}

}  // namespace

double least_width(const Shape& shape) {
  const Aabb box = local_bounds(shape);
  const Vec3 width = box.upper - box.lower;
  return std::min({width.x, width.y, width.z});
}

Manifold collide_faces(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin,
                       WalkAxis& axis) {
  Manifold single = collide_convex(a, pose_a, b, pose_b, margin, axis);
  if (single.count == 0) return single;
  single.point[0].feature = kNoFeature;
  const double separation = single.point[0].separation;
  const double slop = kAnyFacePreference * std::min(least_width(a), least_width(b));
  const Meeting meeting{{a, {{}, pose_a.orientation}},
                        {b, {pose_b.position - pose_a.position, pose_b.orientation}},
                        pose_a.position,
                        margin};
  const Manifold result = face_contact(meeting, single.normal, separation, slop);
  // Past a corner the features have nothing in common; and no penetration may be lost to a preferred one.
  return result.count > 0 && deepest(result, 0) <= separation + slop ? result : single;
}

Manifold collide_faces(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin) {
  WalkAxis none{};
  return collide_faces(a, pose_a, b, pose_b, margin, none);
}

}  // namespace cairn
