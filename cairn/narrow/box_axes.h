// SPDX-License-Identifier: MIT
// The fifteen axes along which two boxes may be apart (Gottschalk, Lin, Manocha 1996), three at a time. For
// collide_box.cpp alone: inline, so that it is compiled for wider vectors with the rest of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "cairn/core/index.h"
#include "cairn/geometry/box.h"
#include "cairn/narrow/collide_box.h"
#include "cairn/simd/vectors.h"

namespace cairn {

/// Edges whose angle has a smaller squared sine are parallel: their cross product is rounding, and face axes decide.
inline constexpr double kParallelEdges = 1e-9;

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

inline void place_box(const Box& box, const Pose& pose, WorldBox& placed) {
  const Mat3 r = to_matrix(pose.orientation);
  placed.centre = pose.position;
  placed.axis = {{{r.row0.x, r.row1.x, r.row2.x}, {r.row0.y, r.row1.y, r.row2.y}, {r.row0.z, r.row1.z, r.row2.z}}};
  placed.half = {box.half.x, box.half.y, box.half.z};
}

struct EdgeAxis {
  std::int32_t index = -1;
  /// Gap between the projections, negative where they overlap.
  double separation = -std::numeric_limits<double>::infinity();
  Vec3 normal;  ///< unit, from a to b
};

/// The axis across edge i of a and edge j of b, index 6 + 3 i + j:
/// separation = |dot(d, n)| - reach_a(n) - reach_b(n) with d from centre to centre.
inline EdgeAxis test_edges(const WorldBox& a, const WorldBox& b, std::int32_t index) {
  const auto k = to_index(index - 6);
  Vec3 n = cross(a.axis[k / 3], b.axis[k % 3]);
  const double sine2 = dot(n, n);
  if (!(sine2 > kParallelEdges)) return {};
  n = (1.0 / std::sqrt(sine2)) * n;
  const double along = dot(b.centre - a.centre, n);
  return {index, std::fabs(along) - a.reach(n) - b.reach(n), along < 0 ? -n : n};
}

/// The boxes seen from each other: what all fifteen axes are computed from (Gottschalk, Lin, Manocha 1996, table 1).
/// Lane j of c[i] and lane i of t[j] are c_ij = dot(a_i, b_j).
struct BoxPair {
  Double4 c[3], t[3], size[3];  ///< size[i] = |c[i]|
  Double4 from_a, from_b;       ///< the way from centre to centre along the axes of a and of b
  Double4 face_a, face_b;       ///< separations along them

  BoxPair(const WorldBox& a, const WorldBox& b) {
    const Vec3 d = b.centre - a.centre;
    // Coordinates of the three axes of each. Values, since vectors that are put together in memory are slow to read.
    const Double4 ax{a.axis[0].x, a.axis[1].x, a.axis[2].x, 0}, ay{a.axis[0].y, a.axis[1].y, a.axis[2].y, 0},
        az{a.axis[0].z, a.axis[1].z, a.axis[2].z, 0}, bx{b.axis[0].x, b.axis[1].x, b.axis[2].x, 0},
        by{b.axis[0].y, b.axis[1].y, b.axis[2].y, 0}, bz{b.axis[0].z, b.axis[1].z, b.axis[2].z, 0};
    from_a = d.x * ax + d.y * ay + d.z * az;
    from_b = d.x * bx + d.y * by + d.z * bz;
    Double4 turned[3];
    for (std::size_t k = 0; k < 3; ++k) {
      c[k] = a.axis[k].x * bx + a.axis[k].y * by + a.axis[k].z * bz;
      t[k] = b.axis[k].x * ax + b.axis[k].y * ay + b.axis[k].z * az;
      absolute(c[k], size[k]), absolute(t[k], turned[k]);
    }
    // |d.a_i| - h_a,i - sum_j h_b,j |c_ij|, and the same for the faces of b.
    Double4 far_a, far_b;
    absolute(from_a, far_a), absolute(from_b, far_b);
    const Double4 half_a{a.half[0], a.half[1], a.half[2], 0}, half_b{b.half[0], b.half[1], b.half[2], 0};
    face_a = far_a - half_a - (b.half[0] * turned[0] + b.half[1] * turned[1] + b.half[2] * turned[2]);
    face_b = far_b - half_b - (a.half[0] * size[0] + a.half[1] * size[1] + a.half[2] * size[2]);
  }
  double face(std::size_t k) const { return k < 3 ? face_a[k] : face_b[k - 3]; }
  /// The largest of the six.
  double widest_face() const {
    const Double4 widest = face_a > face_b ? face_a : face_b;
    return std::max(std::max(widest[0], widest[1]), widest[2]);
  }
  /// Separation along a_i x b_j by lanes j, times the axis' length, whose square is 1 - c_ij^2.
  void edges(const WorldBox& a, const WorldBox& b, std::size_t i, Double4& scaled) const {
    const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    const Double4 next_half{b.half[1], b.half[2], b.half[0], 0}, last_half{b.half[2], b.half[0], b.half[1], 0};
    Double4 next_size, last_size, way = from_a[i2] * c[i1] - from_a[i1] * c[i2];
    shuffle<1, 2, 0, 3>(size[i], next_size);
    shuffle<2, 0, 1, 3>(size[i], last_size);
    absolute(way, way);
    scaled = way - (a.half[i1] * size[i2] + a.half[i2] * size[i1]) - (next_half * last_size + last_half * next_size);
  }
};

/// What the fifteen axes say: the one that decides, or one along which the boxes are farther apart than the margin.
struct BoxDecision {
  std::int32_t axis = 0;
  bool apart = false;
};

/// The edge that beats the best face by the preference, if any; or one along which the boxes are apart.
inline BoxDecision decide_edge(const WorldBox& a, const WorldBox& b, const BoxPair& pair, double to_beat,
                               double margin) {
  // separation = scaled / length > least is scaled |scaled| > least |least| length^2, without roots and quotients. Few
  // edges pass, and what rounding lets pass too is looked at below.
  const double least = std::min(to_beat, margin), bound = least * std::fabs(least);
  const double below = bound - 1e-12 * std::fabs(bound);
  Double4 scaled[3], sine2[3];
  Mask4x64 some{};
  for (std::size_t i = 0; i < 3; ++i) {
    pair.edges(a, b, i, scaled[i]);
    sine2[i] = 1 - pair.c[i] * pair.c[i];
    Double4 size;
    absolute(scaled[i], size);
    some |= (scaled[i] * size > below * sine2[i]) & (sine2[i] > kParallelEdges);
  }
  if ((some[0] | some[1] | some[2]) == 0) return {-1, false};
  std::int32_t edge = -1;
  double best = to_beat;
  for (std::int32_t k = 0; k < 9; ++k) {
    const auto i = to_index(k / 3), j = to_index(k % 3);
    if (!(sine2[i][j] > kParallelEdges)) continue;
    const double separation = scaled[i][j] / std::sqrt(sine2[i][j]);
    if (separation > margin) return {6 + k, true};
    if (separation > best) best = separation, edge = 6 + k;
  }
  return {edge, false};
}

/// `cached` is the axis of the last meeting: if it is a face, others must beat it by the preference.
inline BoxDecision decide_axis(const WorldBox& a, const WorldBox& b, const BoxPair& pair, double margin,
                               std::int32_t cached) {
  const double widest = pair.widest_face();
  if (widest > margin) {
    std::int32_t k = cached >= 0 && cached < 6 ? cached : 0;
    if (!(pair.face(to_index(k)) > margin))
      for (k = 0; k < 5 && !(pair.face(to_index(k)) > margin);) ++k;
    return {k, true};
  }
  const double slop = kFacePreference * std::min(std::min({a.half[0], a.half[1], a.half[2]}),
                                                 std::min({b.half[0], b.half[1], b.half[2]}));
  const BoxDecision edge = decide_edge(a, b, pair, widest + slop, margin);
  if (edge.axis >= 0) return edge;
  if (cached >= 0 && cached < 6 && pair.face(to_index(cached)) >= widest - slop) return {cached, false};
  std::int32_t face = 0;
  for (std::int32_t k = 1; k < 6; ++k)
    if (pair.face(to_index(k)) > pair.face(to_index(face))) face = k;
  return {face, false};
}

}  // namespace cairn
