// SPDX-License-Identifier: MIT
#include "tests/narrow/box_oracle.h"

#include <algorithm>
#include <limits>

#include "cairn/core/index.h"
#include "cairn/narrow/gjk.h"

namespace cairn {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Edges whose angle has a smaller squared sine are parallel: their cross product is rounding, and face axes decide.
constexpr double kParallel = 1e-9;
/// Relative to the half-extents: how far outside the reference face a corner may be without being cut.
constexpr double kOnSide = 1e-9;

/// The feature of points that no pair of faces or edges made.
constexpr std::uint32_t kPastCorner = 0xff0000;

/// A box in the world.
struct WorldBox {
  Vec3 centre;
  std::array<Vec3, 3> axis;
  std::array<double, 3> half;

  /// Half of the box's width along a unit direction.
  double reach(const Vec3& n) const {
    return half[0] * std::fabs(dot(axis[0], n)) + half[1] * std::fabs(dot(axis[1], n)) +
           half[2] * std::fabs(dot(axis[2], n));
  }
};

WorldBox in_world(const Box& box, const Pose& pose) {
  const Mat3 r = to_matrix(pose.orientation);
  return {pose.position,
          {{{r.row0.x, r.row1.x, r.row2.x}, {r.row0.y, r.row1.y, r.row2.y}, {r.row0.z, r.row1.z, r.row2.z}}},
          {box.half.x, box.half.y, box.half.z}};
}

struct AxisTest {
  std::int32_t index = -1;
  double separation = -kInfinity;  ///< gap between the projections, negative where they overlap
  Vec3 normal;                     ///< unit, from a to b
};

/// separation = |dot(d, n)| - reach_a(n) - reach_b(n) with d from centre to centre.
AxisTest test_axis(const WorldBox& a, const WorldBox& b, std::int32_t index) {
  const auto k = to_index(index);
  Vec3 n;
  if (index < 6) {
    n = index < 3 ? a.axis[k] : b.axis[k - 3];
  } else {
    n = cross(a.axis[(k - 6) / 3], b.axis[(k - 6) % 3]);
    const double sine2 = dot(n, n);
    if (!(sine2 > kParallel)) return {};
    n = (1.0 / std::sqrt(sine2)) * n;
  }
  const double along = dot(b.centre - a.centre, n);
  return {index, std::fabs(along) - a.reach(n) - b.reach(n), along < 0 ? -n : n};
}

/// What the fifteen axes say. `face` is always there; `edge` where one is better than the face by the preference.
struct Decision {
  AxisTest face, edge;
  bool apart = false;  ///< `face` or `edge` holds an axis along which the boxes are farther apart than the margin
};

/// The boxes seen from each other: what all fifteen axes are computed from (Gottschalk, Lin, Manocha 1996, table 1).
struct BoxPair {
  double c[3][3], size[3][3];   ///< c_ij = dot(a_i, b_j) and |c_ij|
  double from_a[3], from_b[3];  ///< the way from centre to centre along the axes of a and of b

  BoxPair(const WorldBox& a, const WorldBox& b) {
    const Vec3 d = b.centre - a.centre;
    for (std::size_t i = 0; i < 3; ++i) {
      from_a[i] = dot(d, a.axis[i]), from_b[i] = dot(d, b.axis[i]);
      for (std::size_t j = 0; j < 3; ++j) c[i][j] = dot(a.axis[i], b.axis[j]), size[i][j] = std::fabs(c[i][j]);
    }
  }
  /// |d.a_i| - h_a,i - sum_j h_b,j |c_ij|, and the same for a face of b.
  double face_a(const WorldBox& a, const WorldBox& b, std::size_t i) const {
    return std::fabs(from_a[i]) - a.half[i] -
           (b.half[0] * size[i][0] + b.half[1] * size[i][1] + b.half[2] * size[i][2]);
  }
  double face_b(const WorldBox& a, const WorldBox& b, std::size_t j) const {
    return std::fabs(from_b[j]) - b.half[j] -
           (a.half[0] * size[0][j] + a.half[1] * size[1][j] + a.half[2] * size[2][j]);
  }
  /// The same along a_i x b_j, times its length, whose square is 1 - c_ij^2.
  double edges(const WorldBox& a, const WorldBox& b, std::size_t i, std::size_t j) const {
    const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    return std::fabs(from_a[i2] * c[i1][j] - from_a[i1] * c[i2][j]) -
           (a.half[i1] * size[i2][j] + a.half[i2] * size[i1][j]) -
           (b.half[j1] * size[i][j2] + b.half[j2] * size[i][j1]);
  }
};

Decision decide(const WorldBox& a, const WorldBox& b, double margin, std::int32_t cached) {
  const AxisTest last = cached >= 0 && cached < 15 ? test_axis(a, b, cached) : AxisTest{};
  if (last.separation > margin) return {last, {}, true};
  const BoxPair pair(a, b);
  std::int32_t face = -1, edge = -1;
  double face_separation = -kInfinity, edge_separation = -kInfinity;
  for (std::int32_t k = 0; k < 6; ++k) {
    const auto i = to_index(k % 3);
    const double separation = k < 3 ? pair.face_a(a, b, i) : pair.face_b(a, b, i);
    if (separation > margin) return {test_axis(a, b, k), {}, true};
    if (separation > face_separation) face_separation = separation, face = k;
  }
  const double slop = kFacePreference * std::min(std::min({a.half[0], a.half[1], a.half[2]}),
                                                 std::min({b.half[0], b.half[1], b.half[2]}));
  // An edge must beat the face, and since the length is at most 1 most are out before it is known.
  const double to_beat = face_separation + slop, at_least = std::min(to_beat, 0.0);
  for (std::int32_t k = 0; k < 9; ++k) {
    const auto i = to_index(k / 3), j = to_index(k % 3);
    const double scaled = pair.edges(a, b, i, j);
    if (!(scaled > at_least)) continue;
    const double sine2 = 1 - pair.c[i][j] * pair.c[i][j];
    if (!(sine2 > kParallel)) continue;
    const double separation = scaled / std::sqrt(sine2);
    if (separation > margin) return {test_axis(a, b, 6 + k), {}, true};
    if (separation > std::max(to_beat, edge_separation)) edge_separation = separation, edge = 6 + k;
  }
  const bool keep = last.index >= 0 && last.index < 6 && last.separation >= face_separation - slop;
  return {keep ? last : test_axis(a, b, face), edge >= 0 ? test_axis(a, b, edge) : AxisTest{}, false};
}

/// A corner of the clipped polygon in the frame of the reference face: x, y along it, height over it. `in` and `out`
/// name the edges that meet here: 0..3 of the incident face, 4..7 the sides of the reference face.
struct ClipPoint {
  double x, y, height;
  std::uint32_t in, out;
};

/// A convex quadrilateral cut by four lines has at most eight corners; each cut may add one before the next.
struct Polygon {
  std::array<ClipPoint, 12> corner;  ///< `size` of them are written
  std::size_t size = 0;

  Polygon() {}  // NOLINT: corners are not cleared

  void add(const ClipPoint& p) {
    if (size < corner.size()) corner[size++] = p;
  }
};

/// Keeps what is inside one side (Sutherland, Hodgman 1974). `over(p)` is how far p is outside.
template <class Over>
void clip(const Polygon& polygon, double tolerance, std::uint32_t side, Over&& over, Polygon& result) {
  result.size = 0;
  for (std::size_t k = 0; k < polygon.size; ++k) {
    const ClipPoint& p = polygon.corner[k];
    const ClipPoint& q = polygon.corner[k + 1 < polygon.size ? k + 1 : 0];
    const double at_p = over(p), at_q = over(q);
    const bool p_inside = at_p <= tolerance, q_inside = at_q <= tolerance;
    if (p_inside) result.add(p);
    if (p_inside == q_inside) continue;
    const double t = std::clamp(at_p / (at_p - at_q), 0.0, 1.0);
    const ClipPoint cut{p.x + t * (q.x - p.x), p.y + t * (q.y - p.y), p.height + t * (q.height - p.height), 0, 0};
    // Leaving, the border goes on along the side; entering, it comes from there.
    result.add({cut.x, cut.y, cut.height, p_inside ? p.out : side, p_inside ? side : p.out});
  }
}

/// The face of `incident` that looks most against n.
struct IncidentFace {
  std::size_t axis = 0;
  double sign = 1;
};

IncidentFace incident_face(const WorldBox& incident, const Vec3& n) {
  IncidentFace face;
  double steepest = -1;
  for (std::size_t k = 0; k < 3; ++k) {
    const double along = dot(incident.axis[k], n);
    if (std::fabs(along) <= steepest) continue;
    steepest = std::fabs(along);
    face = {k, along > 0 ? -1.0 : 1.0};
  }
  return face;
}

/// The incident face cut to the prism over the reference face. `n` is the outward normal of the reference face.
ManifoldBuilder clip_faces(const WorldBox& reference, const WorldBox& incident, const AxisTest& axis, double margin) {
  const bool b_is_reference = axis.index >= 3;
  const Vec3 n = b_is_reference ? -axis.normal : axis.normal;
  const auto i = to_index(axis.index % 3), u = (i + 1) % 3, v = (i + 2) % 3;
  const IncidentFace face = incident_face(incident, n);
  const std::size_t p = (face.axis + 1) % 3, q = (face.axis + 2) % 3;
  const Vec3 centre = incident.centre + face.sign * incident.half[face.axis] * incident.axis[face.axis];
  const Vec3 along_p = incident.half[p] * incident.axis[p], along_q = incident.half[q] * incident.axis[q];
  Polygon polygon;
  std::uint32_t edge = 0;
  for (const Vec3& corner : {centre + along_p + along_q, centre - along_p + along_q, centre - along_p - along_q,
                             centre + along_p - along_q}) {
    const Vec3 d = corner - reference.centre;
    polygon.add(
        {dot(d, reference.axis[u]), dot(d, reference.axis[v]), dot(d, n) - reference.half[i], (edge + 3) % 4, edge});
    ++edge;
  }
  const double hu = reference.half[u], hv = reference.half[v];
  Polygon other;
  clip(
      polygon, kOnSide * hu, 4, [&](const ClipPoint& c) { return c.x - hu; }, other);
  clip(
      other, kOnSide * hu, 5, [&](const ClipPoint& c) { return -c.x - hu; }, polygon);
  clip(
      polygon, kOnSide * hv, 6, [&](const ClipPoint& c) { return c.y - hv; }, other);
  clip(
      other, kOnSide * hv, 7, [&](const ClipPoint& c) { return -c.y - hv; }, polygon);
  // Reference face and incident face, each with its side, above the two edges.
  const std::uint32_t faces = static_cast<std::uint32_t>(2 * axis.index + (dot(n, reference.axis[i]) > 0 ? 1 : 0))
                                  << 16 |
                              static_cast<std::uint32_t>(2 * face.axis + (face.sign > 0 ? 1 : 0)) << 8;
  ManifoldBuilder builder(axis.normal);
  for (std::size_t k = 0; k < polygon.size; ++k) {
    const ClipPoint& c = polygon.corner[k];
    if (!(c.height <= margin)) continue;
    const Vec3 on_reference =
        reference.centre + c.x * reference.axis[u] + c.y * reference.axis[v] + reference.half[i] * n;
    const Vec3 on_incident = on_reference + c.height * n;
    const std::uint32_t feature = faces | c.in << 4 | c.out;
    builder.add(
        {b_is_reference ? on_incident : on_reference, b_is_reference ? on_reference : on_incident, c.height, feature});
  }
  return builder;
}

/// The middle of the edge along axis `k` that lies farthest along n; `signs` tells which of the four it is.
Vec3 edge_middle(const WorldBox& box, std::size_t k, const Vec3& n, std::uint32_t& signs) {
  Vec3 p = box.centre;
  for (const std::size_t other : {(k + 1) % 3, (k + 2) % 3}) {
    const bool positive = dot(box.axis[other], n) > 0;
    p += (positive ? box.half[other] : -box.half[other]) * box.axis[other];
    signs = 2 * signs + (positive ? 1 : 0);
  }
  return p;
}

/// Nearest points of the two edges: of pa + s u and pb + t v with w = pb - pa and c = dot(u, v),
/// s = (dot(w, u) - c dot(w, v)) / (1 - c^2), t = c s - dot(w, v).
Manifold cross_edges(const WorldBox& a, const WorldBox& b, const AxisTest& axis) {
  const auto k = to_index(axis.index - 6), i = k / 3, j = k % 3;
  std::uint32_t signs = 0;
  const Vec3 pa = edge_middle(a, i, axis.normal, signs), pb = edge_middle(b, j, -axis.normal, signs);
  const Vec3 w = pb - pa, n = cross(a.axis[i], b.axis[j]);
  const double c = dot(a.axis[i], b.axis[j]), along_a = dot(w, a.axis[i]), along_b = dot(w, b.axis[j]);
  const double s = (along_a - c * along_b) / dot(n, n), t = c * s - along_b;
  // Beyond an end the lines are near each other, not the edges.
  if (!(std::fabs(s) <= a.half[i] && std::fabs(t) <= b.half[j])) return {};
  const Vec3 on_a = pa + s * a.axis[i], on_b = pb + t * b.axis[j];
  Manifold result;
  result.normal = axis.normal;
  result.count = 1;
  result.point[0] = {on_a, on_b, axis.separation, static_cast<std::uint32_t>(2 * axis.index) << 16 | signs};
  return result;
}

}  // namespace

Manifold collide_box_oracle(const Box& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double margin,
                            BoxAxis& cached) {
  const WorldBox box_a = in_world(a, pose_a), box_b = in_world(b, pose_b);
  const Decision decision = decide(box_a, box_b, margin, cached.index);
  const AxisTest& axis = decision.edge.index >= 0 ? decision.edge : decision.face;
  cached.index = axis.index;
  if (decision.apart) return {};
  Manifold result = axis.index >= 6  ? cross_edges(box_a, box_b, axis)
                    : axis.index < 3 ? clip_faces(box_a, box_b, axis, margin).build()
                                     : clip_faces(box_b, box_a, axis, margin).build();
  if (result.count > 0) return result;
  // Near each other past a corner or an edge: no axis is apart by more than the margin, yet no features face each
  // other.
  result = collide_convex(a, pose_a, b, pose_b, margin);
  result.point[0].feature = kPastCorner;
  return result;
}

}  // namespace cairn
