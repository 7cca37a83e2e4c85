// SPDX-License-Identifier: MIT
// The first half of the hull builder: a triangulated convex hull of points on an integer grid.
//
// Points are snapped to a grid of 2^39 cells across the set. Then normals and orientations are integers of less than
// 127 bits, computed exactly, and the topology can never contradict itself, however many points are coplanar,
// collinear or equal. The method is Quickhull (Barber, Dobkin, Huhdanpaa 1996): take the point farthest outside of any
// face, replace the faces it sees by a fan from their horizon, hand their points on. Always taking the farthest
// point of all makes an early stop at a vertex limit leave out those points that change the hull least.
#pragma once

#include <array>
#include <cstdint>
#include <queue>
#include <span>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/math/vec3.h"

namespace cairn {

/// Grid coordinates reach from -kGridHalf to kGridHalf: integers, held in doubles.
inline constexpr double kGridHalf = 0x1.0p38;

struct HullTriangle {
  std::array<std::int32_t, 3> vertex{};     ///< counter-clockwise from outside
  std::array<std::int32_t, 3> neighbour{};  ///< across the edge from vertex[k] to vertex[(k + 1) % 3]
  Vec3 normal;                              ///< unit, from the exact integer normal
  double area = 0;
  bool alive = true;
};

class TriangleHull {
 public:
  /// `points` are grid points that must outlive this object; `simplex` names four of them that span a volume; points
  /// within `tolerance` of the hull are not added.
  TriangleHull(std::span<const Vec3> points, std::array<std::int32_t, 4> simplex, double tolerance);

  /// Adds points until none is farther outside than the tolerance or the hull has `vertex_limit` vertices.
  void grow(std::int32_t vertex_limit);

  /// The triangles still alive, renumbered.
  std::vector<HullTriangle> triangles() const;
  /// Points left outside because of the limit, and how far the farthest of them is (grid units).
  std::int64_t outside_count() const;
  double outside_distance() const;

 private:
  struct Horizon {
    std::int32_t from, to, beyond;  ///< an edge, and the face behind it that stays
  };

  const Vec3& point(std::int32_t p) const { return points_[to_index(p)]; }
  std::int32_t add_triangle(std::int32_t a, std::int32_t b, std::int32_t c);
  double height(std::int32_t face, const Vec3& p) const;
  bool sees(std::int32_t p, std::int32_t face) const;
  void add_point(std::int32_t p, std::int32_t start);
  void find_horizon(std::int32_t p, std::int32_t start);
  bool find_overlooked();
  void assign(std::int32_t first_new);
  std::int32_t climb(std::int32_t face, double& best, std::int32_t p) const;

  std::span<const Vec3> points_;
  double tolerance_;
  std::vector<HullTriangle> faces_;
  std::vector<std::vector<std::int32_t>> outside_;              ///< per face: its points
  std::vector<std::pair<double, std::int32_t>> farthest_;       ///< per face: height and point of the farthest of them
  std::priority_queue<std::pair<double, std::int32_t>> queue_;  ///< (height, -face); dead faces are skipped
  std::int32_t alive_ = 0;
  std::vector<std::int32_t> visible_, stack_, orphans_, fan_from_;  ///< scratch of add_point
  std::vector<Horizon> horizon_;
};

}  // namespace cairn
