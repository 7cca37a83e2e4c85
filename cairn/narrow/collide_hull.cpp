// SPDX-License-Identifier: MIT
#include "cairn/narrow/collide_hull.h"

#include <algorithm>
#include <limits>

#include "cairn/narrow/gjk.h"

namespace cairn {

namespace {

/// Relative to the length of the side: points this near to it are on it.
constexpr double kOnSide = 1e-9;
/// Faces that look more sideways than this are not cut against each other.
constexpr double kSideways = 1e-2;
/// Marks in features: a corner of the reference face; a reference face of b. Half-edges need 15 bits at most.
constexpr std::uint32_t kReferenceCorner = 0x80000000u, kReferenceIsB = 0x8000u, kNoFace = 0xffffffffu;

/// A face of a hull, in the hull's frame.
struct FaceView {
  const HullData* data = nullptr;
  std::int32_t index = -1;

  const HullFace& face() const { return data->faces[static_cast<std::size_t>(index)]; }
  std::int32_t count() const { return face().edge_count; }
  std::uint32_t half_edge(std::int32_t k) const { return static_cast<std::uint32_t>(face().first_edge + k); }
  /// Where half-edge k begins; k may be the count.
  const Vec3& corner(std::int32_t k) const {
    const std::size_t edge = half_edge(k < count() ? k : 0);
    return data->vertices[static_cast<std::size_t>(data->edges[edge].vertex)];
  }
  /// How far p is outside of side k, times the side's length: the side's plane is spanned by it and the normal.
  double over(std::int32_t k, const Vec3& p) const {
    return dot(cross(corner(k + 1) - corner(k), face().normal), p - corner(k));
  }
  /// Of `over`: in the same unit.
  double tolerance(std::int32_t k) const {
    const Vec3 side = corner(k + 1) - corner(k);
    return kOnSide * dot(side, side);
  }
};

/// The face whose normal is most along `direction`, the lowest index among equals.
FaceView face_along(const ConvexHull& hull, const Vec3& direction) {
  FaceView best{hull.data.get(), 0};
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < hull.data->faces.size(); ++k) {
    const double along = dot(hull.data->faces[k].normal, direction);
    if (!(along > highest)) continue;
    highest = along;
    best.index = static_cast<std::int32_t>(k);
  }
  return best;
}

/// The two faces that meet, and the pose of the incident hull in the frame of the reference hull.
struct FacePair {
  FaceView reference, incident;
  Pose relative;
};

/// Points of the incident face's border over the reference face, in the reference frame: `emit(point, height,
/// feature)`. Each side of the incident face is a segment cut by the planes over the reference face's sides.
template <class Emit>
void cut_incident_sides(const FacePair& pair, Emit&& emit) {
  const FaceView& reference = pair.reference;
  for (std::int32_t k = 0; k < pair.incident.count(); ++k) {
    const Vec3 p = transform(pair.relative, pair.incident.corner(k));
    const Vec3 q = transform(pair.relative, pair.incident.corner(k + 1));
    double enter = 0, leave = 1;
    std::uint32_t enter_side = 0, leave_side = 0;  // 0: the corner itself, else half-edge + 1
    for (std::int32_t j = 0; j < reference.count() && enter <= leave; ++j) {
      const double at_p = reference.over(j, p), at_q = reference.over(j, q), tolerance = reference.tolerance(j);
      const bool p_outside = at_p > tolerance, q_outside = at_q > tolerance;
      if (p_outside && q_outside) leave = -1;
      if (p_outside == q_outside) continue;
      const double t = std::clamp(at_p / (at_p - at_q), 0.0, 1.0);
      if (p_outside && t > enter) {
        enter = t;
        enter_side = reference.half_edge(j) + 1;
      } else if (q_outside && t < leave) {
        leave = t;
        leave_side = reference.half_edge(j) + 1;
      }
    }
    if (enter > leave) continue;
    const std::uint32_t side = pair.incident.half_edge(k) << 16;
    emit(p + enter * (q - p), side | enter_side);
    // Where the whole rest is inside, its end is the beginning of the next side.
    if (leave < 1) emit(p + leave * (q - p), side | leave_side);
  }
}

/// Corners of the reference face that lie inside the incident face, moved along the reference normal onto it.
template <class Emit>
void drop_reference_corners(const FacePair& pair, Emit&& emit) {
  const FaceView& incident = pair.incident;
  const Vec3 up = pair.reference.face().normal, up_there = rotate_back(pair.relative.orientation, up);
  const double slope = dot(incident.face().normal, up_there);
  if (!(slope < -kSideways)) return;
  for (std::int32_t k = 0; k < pair.reference.count(); ++k) {
    const Vec3 corner = pair.reference.corner(k), there = transform_back(pair.relative, corner);
    const double height = (incident.face().offset - dot(incident.face().normal, there)) / slope;
    const Vec3 dropped = there + height * up_there;
    bool inside = true;
    for (std::int32_t j = 0; j < incident.count() && inside; ++j)
      inside = incident.over(j, dropped) < -incident.tolerance(j);
    if (inside) emit(corner + height * up, kReferenceCorner | (pair.reference.half_edge(k) + 1));
  }
}

/// The common part of two faces as a manifold in the world.
Manifold clip_faces(const FacePair& pair, const Pose& pose_reference, bool reference_is_b, double margin) {
  const HullFace& face = pair.reference.face();
  const Vec3 up = rotate(pose_reference.orientation, face.normal);
  ManifoldBuilder builder(reference_is_b ? -up : up);
  const auto emit = [&](const Vec3& point, std::uint32_t feature) {
    const double height = dot(face.normal, point) - face.offset;
    if (!(height <= margin)) return;
    const Vec3 on_incident = transform(pose_reference, point), on_reference = on_incident - height * up;
    if (reference_is_b) {
      builder.add({on_incident, on_reference, height, feature | kReferenceIsB});
    } else {
      builder.add({on_reference, on_incident, height, feature});
    }
  };
  cut_incident_sides(pair, emit);
  drop_reference_corners(pair, emit);
  return builder.build();
}

/// Gap over a face: how high the other hull's lowest point is above it.
double gap_over(const FaceView& face, const ConvexHull& other, const Pose& relative) {
  const Vec3 down = rotate_back(relative.orientation, -face.face().normal);
  return dot(face.face().normal, transform(relative, support(other, down))) - face.face().offset;
}

double least_width(const ConvexHull& hull) {
  const Aabb box = bounds(hull, Pose{});
  const Vec3 width = box.upper - box.lower;
  return std::min({width.x, width.y, width.z});
}

}  // namespace

Manifold collide_hull_hull(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b,
                           double margin) {
  Manifold single = collide_convex(a, pose_a, b, pose_b, margin);
  if (single.count == 0) return single;
  single.point[0].feature = kNoFace;
  const Pose b_in_a = inverse(pose_a) * pose_b, a_in_b = inverse(b_in_a);
  const FaceView on_a = face_along(a, rotate_back(pose_a.orientation, single.normal));
  const FaceView on_b = face_along(b, rotate_back(pose_b.orientation, -single.normal));
  // The better separating one of the two faces is the reference; the first unless the second is clearly better.
  const double slop = kHullFacePreference * std::min(least_width(a), least_width(b));
  const double gap_a = gap_over(on_a, b, b_in_a), gap_b = gap_over(on_b, a, a_in_b);
  const bool reference_is_b = gap_b > gap_a + 0.1 * slop;
  if (!((reference_is_b ? gap_b : gap_a) >= single.point[0].separation - slop)) return single;
  FacePair pair{reference_is_b ? on_b : on_a, {}, reference_is_b ? a_in_b : b_in_a};
  pair.incident =
      face_along(reference_is_b ? a : b, rotate_back(pair.relative.orientation, -pair.reference.face().normal));
  const Manifold result = clip_faces(pair, reference_is_b ? pose_b : pose_a, reference_is_b, margin);
  // Past a corner the faces have nothing in common; and no penetration may be lost to a preferred face.
  return result.count > 0 && deepest(result, 0) <= single.point[0].separation + slop ? result : single;
}

}  // namespace cairn
