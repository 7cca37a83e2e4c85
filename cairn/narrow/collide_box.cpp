// SPDX-License-Identifier: MIT
#include "cairn/narrow/collide_box.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "cairn/core/index.h"
#include "cairn/narrow/box_axes.h"
#include "cairn/narrow/gjk.h"
#include "cairn/simd/simd.h"
#include "cairn/simd/vectors.h"

namespace cairn {

namespace {

/// Relative to the half-extents: how far outside the reference face a corner may be without being cut.
constexpr double kOnSide = 1e-9;

/// The feature of points that no pair of faces or edges made.
constexpr std::uint32_t kPastCorner = 0xff0000;

/// Corners of what of the incident face lies over the reference face, in the frame of the latter: lanes 0 and 1 along
/// it, lane 2 the height over it. Names tell the edges that meet there, the one that comes in times 16 and the one that
/// goes out: 0..3 of the incident face, 4..7 the sides of the reference face. A convex quadrilateral cut by four lines
/// has at most eight corners.
struct Polygon {
  static constexpr std::size_t kMost = 12;

  Double4 corner[kMost + 1];  ///< `size` of them are written; one more may be overwritten at any time
  std::uint32_t name[kMost + 1];
  std::size_t size = 0;

  Polygon() {}  // NOLINT: corners are not cleared
};

/// The same while there are four corners, one in each lane. Nearly all faces that rest on each other keep to this.
struct Quad {
  Double4 x, y, height;
  Mask4x64 name;
};

/// A side of the reference face: points are outside where sign * corner[lane] - half > tolerance.
struct Side {
  std::size_t lane;
  double sign, half, tolerance;
  std::uint32_t name;

  double over(const Double4& corner) const { return sign * corner[lane] - half; }
};

/// Keeps what is inside one side (Sutherland, Hodgman 1974). Every corner and every cut is written, and counted where
/// it belongs to the answer: which ones do is hard to foretell, and a branch gone wrong costs more than a cut.
inline void clip(const Polygon& polygon, const Side& side, Polygon& result) {
  std::size_t size = 0;
  double at_p = side.over(polygon.corner[0]);
  for (std::size_t k = 0; k < polygon.size; ++k) {
    const Double4 &p = polygon.corner[k], &q = polygon.corner[k + 1 < polygon.size ? k + 1 : 0];
    const double at_q = side.over(q);
    const bool p_inside = at_p <= side.tolerance, q_inside = at_q <= side.tolerance;
    result.corner[size] = p, result.name[size] = polygon.name[k];
    size = std::min(size + (p_inside ? 1 : 0), Polygon::kMost);
    const double t = std::clamp(at_p / (at_p - at_q), 0.0, 1.0);
    // Leaving, the border goes on along the side; entering, it comes from there.
    const std::uint32_t out = polygon.name[k] & 15;
    result.corner[size] = p + t * (q - p), result.name[size] = p_inside ? out << 4 | side.name : side.name << 4 | out;
    size = std::min(size + (p_inside != q_inside ? 1 : 0), Polygon::kMost);
    at_p = at_q;
  }
  result.size = size;
}

/// Two faces that look at each other, of the reference box and of the incident one.
struct FacePair {
  const WorldBox &reference, &incident;
  std::int32_t index;         ///< of the deciding axis
  Vec3 normal;                ///< from a to b
  Vec3 n;                     ///< outward normal of the reference face
  bool looks_up;              ///< n is the axis, not its opposite
  std::size_t axis, u, v;     ///< of the reference box: of the face, and along it
  std::size_t incident_axis;  ///< of the face that looks most against n, and the side on which it is
  double incident_sign;

  /// `along` is dot(n, axis) of the incident box's axes or minus that, `way` from centre a to centre b along the axis.
  FacePair(const WorldBox& reference_box, const WorldBox& incident_box, std::int32_t deciding, const Double4& along,
           double way)
      : reference(reference_box), incident(incident_box), index(deciding) {
    axis = to_index(index % 3), u = (axis + 1) % 3, v = (axis + 2) % 3;
    normal = way < 0 ? -reference.axis[axis] : reference.axis[axis];
    n = b_is_reference() ? -normal : normal;
    looks_up = (way < 0) == b_is_reference();
    Double4 steep;
    absolute(along, steep);
    incident_axis = steep[1] > steep[0] ? 1 : 0;
    if (steep[2] > steep[incident_axis]) incident_axis = 2;
    const bool looks_along = looks_up ? along[incident_axis] > 0 : along[incident_axis] < 0;
    incident_sign = looks_along ? -1.0 : 1.0;
  }
  bool b_is_reference() const { return index >= 3; }
  /// Both faces with their sides, above the two edges.
  std::uint32_t feature() const {
    return static_cast<std::uint32_t>(2 * index + (looks_up ? 1 : 0)) << 16 |
           static_cast<std::uint32_t>(2 * incident_axis + (incident_sign > 0 ? 1 : 0)) << 8;
  }
};

inline void lay_incident_face(const FacePair& f, Quad& quad) {
  const WorldBox &reference = f.reference, &incident = f.incident;
  const std::size_t p = (f.incident_axis + 1) % 3, q = (f.incident_axis + 2) % 3;
  const Vec3 centre =
      incident.centre + f.incident_sign * incident.half[f.incident_axis] * incident.axis[f.incident_axis];
  const Vec3 along_p = incident.half[p] * incident.axis[p], along_q = incident.half[q] * incident.axis[q];
  const Double4 sign_p{1, -1, -1, 1}, sign_q{1, 1, -1, -1};
  const Double4 dx = centre.x + sign_p * along_p.x + sign_q * along_q.x - reference.centre.x,
                dy = centre.y + sign_p * along_p.y + sign_q * along_q.y - reference.centre.y,
                dz = centre.z + sign_p * along_p.z + sign_q * along_q.z - reference.centre.z;
  const Vec3 &u = reference.axis[f.u], &v = reference.axis[f.v];
  quad.x = dx * u.x + dy * u.y + dz * u.z;
  quad.y = dx * v.x + dy * v.y + dz * v.z;
  quad.height = dx * f.n.x + dy * f.n.y + dz * f.n.z - reference.half[f.axis];
  quad.name = Mask4x64{3 << 4 | 0, 0 << 4 | 1, 1 << 4 | 2, 2 << 4 | 3};
}

inline void to_polygon(const Quad& quad, Polygon& polygon) {
  Double4 corner[4] = {quad.x, quad.y, quad.height, Double4{}};
  transpose(corner);
  polygon.size = 4;
  for (std::size_t k = 0; k < 4; ++k)
    polygon.corner[k] = corner[k], polygon.name[k] = static_cast<std::uint32_t>(quad.name[k]);
}

/// Keeps what is inside one side where two neighbouring corners are outside, by `over` and the bits of `outside`: each
/// of them moves to where its edge to a corner inside is cut. The same arithmetic as clip, and the same order.
inline void cut_quad(const Double4& over, std::uint32_t outside, std::int64_t side, Quad& quad) {
  const Mask4x64 bit{1, 2, 4, 8}, next_bit{2, 4, 8, 1}, out = (outside & bit) != 0, enters = (outside & next_bit) == 0;
  Double4 over_next;
  shuffle<1, 2, 3, 0>(over, over_next);
  Double4 t = over / (over - over_next);
  t = t < 0 ? Double4{} : t;
  t = t > 1 ? Double4{} + 1 : t;
  // Lane k is cut on the edge that begins there or, leaving, on the one that ends there.
  const auto cut = [&](Double4& v) {
    Double4 next, ends;
    shuffle<1, 2, 3, 0>(v, next);
    const Double4 begins = v + t * (next - v);
    shuffle<3, 0, 1, 2>(begins, ends);
    v = out ? (enters ? begins : ends) : v;
  };
  cut(quad.x), cut(quad.y), cut(quad.height);
  const Mask4x64 goes_out = quad.name & 15;
  Mask4x64 came_out;
  shuffle<3, 0, 1, 2>(goes_out, came_out);
  quad.name = out ? (enters ? side << 4 | goes_out : came_out << 4 | side) : quad.name;
  if (outside != 3) return;
  shuffle<1, 2, 3, 0>(quad.x, quad.x), shuffle<1, 2, 3, 0>(quad.y, quad.y);
  shuffle<1, 2, 3, 0>(quad.height, quad.height), shuffle<1, 2, 3, 0>(quad.name, quad.name);
}

/// Cuts the quadrilateral by the four sides while it stays one. Returns the first side that it does not, else 4.
inline std::size_t cut_quad_to_sides(double hu, double hv, Quad& quad) {
  constexpr std::uint32_t kNeighbours = 1u << 0b0011 | 1u << 0b0110 | 1u << 0b1100 | 1u << 0b1001;
  for (std::size_t k = 0; k < 4; ++k) {
    const double half = k < 2 ? hu : hv;
    const Double4 along = k < 2 ? quad.x : quad.y, over = (k % 2 == 0 ? along : -along) - half;
    const std::uint32_t outside = 15 & ~bits_of(over <= kOnSide * half);
    if (outside == 0) continue;
    if ((kNeighbours >> outside & 1) == 0) return k;
    cut_quad(over, outside, static_cast<std::int64_t>(4 + k), quad);
  }
  return 4;
}

/// on_a and the first coordinate of on_b; the others, the separation and the bits of the feature: two stores.
inline void put_point(const Double4& first, const Double4& second, ManifoldPoint& point) {
  static_assert(sizeof first + sizeof second == sizeof point && std::endian::native == std::endian::little);
  auto* to = reinterpret_cast<std::byte*>(&point);
  put_lanes(first, to), put_lanes(second, to + sizeof first);
}

/// The corners as points of contact, all at once.
inline void write_quad(const FacePair& f, const Quad& quad, Manifold& out) {
  const Vec3 &c = f.reference.centre, &u = f.reference.axis[f.u], &v = f.reference.axis[f.v], &n = f.n;
  const Vec3 up = f.reference.half[f.axis] * n;
  const Double4 low[3] = {c.x + quad.x * u.x + quad.y * v.x + up.x, c.y + quad.x * u.y + quad.y * v.y + up.y,
                          c.z + quad.x * u.z + quad.y * v.z + up.z};
  const Double4 high[3] = {low[0] + quad.height * n.x, low[1] + quad.height * n.y, low[2] + quad.height * n.z};
  const Double4 *on_a = f.b_is_reference() ? high : low, *on_b = f.b_is_reference() ? low : high;
  const Mask4x64 feature = quad.name | static_cast<std::int64_t>(f.feature());
  Double4 first[4] = {on_a[0], on_a[1], on_a[2], on_b[0]};
  Double4 second[4] = {on_b[1], on_b[2], quad.height, reinterpret_cast<Double4>(feature)};
  transpose(first), transpose(second);
  out.normal = f.normal;
  out.count = 4;
  for (std::size_t k = 0; k < 4; ++k) put_point(first[k], second[k], out.point[k]);
}

/// The same for any number of corners; more than four go through a ManifoldBuilder.
inline void write_polygon(const FacePair& f, const Polygon& polygon, Manifold& out) {
  const WorldBox& reference = f.reference;
  ManifoldBuilder builder(f.normal);
  for (std::size_t k = 0; k < polygon.size; ++k) {
    const Double4& c = polygon.corner[k];
    const Vec3 low = reference.centre + c[0] * reference.axis[f.u] + c[1] * reference.axis[f.v] +
                     reference.half[f.axis] * f.n,
               high = low + c[2] * f.n;
    builder.add(
        {f.b_is_reference() ? high : low, f.b_is_reference() ? low : high, c[2], f.feature() | polygon.name[k]});
  }
  out = builder.build();
}

/// The incident face cut to the prism over the reference face. What is higher than the margin is no contact.
inline void clip_faces(const FacePair& f, double margin, Manifold& out) {
  const double hu = f.reference.half[f.u], hv = f.reference.half[f.v];
  Quad quad;
  lay_incident_face(f, quad);
  const std::size_t first_side = cut_quad_to_sides(hu, hv, quad);
  if (first_side == 4 && bits_of(quad.height <= margin) == 15) return write_quad(f, quad, out);
  Polygon one, other;
  Polygon *now = &one, *next = &other;
  to_polygon(quad, one);
  for (std::size_t k = first_side; k < 4; ++k) {
    const double half = k < 2 ? hu : hv;
    clip(*now, {k / 2, k % 2 == 0 ? 1.0 : -1.0, half, kOnSide * half, static_cast<std::uint32_t>(4 + k)}, *next);
    std::swap(now, next);
  }
  std::size_t low = 0;
  for (std::size_t k = 0; k < now->size; ++k) {
    if (!(now->corner[k][2] <= margin)) continue;
    now->corner[low] = now->corner[k], now->name[low++] = now->name[k];
  }
  now->size = low;
  write_polygon(f, *now, out);
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
void cross_edges(const WorldBox& a, const WorldBox& b, const EdgeAxis& axis, Manifold& out) {
  const auto k = to_index(axis.index - 6), i = k / 3, j = k % 3;
  std::uint32_t signs = 0;
  const Vec3 pa = edge_middle(a, i, axis.normal, signs), pb = edge_middle(b, j, -axis.normal, signs);
  const Vec3 w = pb - pa, n = cross(a.axis[i], b.axis[j]);
  const double c = dot(a.axis[i], b.axis[j]), along_a = dot(w, a.axis[i]), along_b = dot(w, b.axis[j]);
  const double s = (along_a - c * along_b) / dot(n, n), t = c * s - along_b;
  // Beyond an end the lines are near each other, not the edges.
  if (!(std::fabs(s) <= a.half[i] && std::fabs(t) <= b.half[j])) return;
  out.normal = axis.normal;
  out.count = 1;
  out.point[0] = {pa + s * a.axis[i], pb + t * b.axis[j], axis.separation,
                  static_cast<std::uint32_t>(2 * axis.index) << 16 | signs};
}

/// All but boxes near each other past a corner. True if they are apart.
inline bool collide_facing(const WorldBox& a, const WorldBox& b, double margin, BoxAxis& cached, Manifold& out) {
  if (cached.index >= 6 && cached.index < 15 && test_edges(a, b, cached.index).separation > margin) return true;
  const BoxPair pair(a, b);
  const BoxDecision decision = decide_axis(a, b, pair, margin, cached.index);
  cached.index = decision.axis;
  if (decision.apart) return true;
  const auto k = to_index(decision.axis);
  if (k < 3) {
    clip_faces({a, b, decision.axis, pair.c[k], pair.from_a[k]}, margin, out);
  } else if (k < 6) {
    clip_faces({b, a, decision.axis, pair.t[k - 3], pair.from_b[k - 3]}, margin, out);
  } else {
    cross_edges(a, b, test_edges(a, b, decision.axis), out);
  }
  return false;
}

}  // namespace

void collide_box_box(const Box& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double margin, BoxAxis& cached,
                     Manifold& out) {
  out.count = 0;
  bool apart = false;
  run_wide([&] {
    WorldBox box_a, box_b;
    place_box(a, pose_a, box_a), place_box(b, pose_b, box_b);
    apart = collide_facing(box_a, box_b, margin, cached, out);
  });
  if (apart || out.count > 0) return;
  // Near each other past a corner or an edge: no axis is apart by more than the margin, yet no features face each
  // other.
  out = collide_convex(a, pose_a, b, pose_b, margin);
  out.point[0].feature = kPastCorner;
}

Manifold collide_box_box(const Box& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double margin) {
  BoxAxis none;
  Manifold result;
  collide_box_box(a, pose_a, b, pose_b, margin, none, result);
  return result;
}

}  // namespace cairn
