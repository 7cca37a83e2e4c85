// SPDX-License-Identifier: MIT
#include "cairn/geometry/hull_triangles.h"

#include <algorithm>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

__extension__ using Wide = __int128;

struct WideVec {
  Wide x, y, z;
};

/// Exact difference of grid points: below 2^40.
WideVec difference(const Vec3& a, const Vec3& b) {
  return {static_cast<std::int64_t>(a.x) - static_cast<std::int64_t>(b.x),
          static_cast<std::int64_t>(a.y) - static_cast<std::int64_t>(b.y),
          static_cast<std::int64_t>(a.z) - static_cast<std::int64_t>(b.z)};
}

/// (b - a) x (c - a), exactly: below 2^81.
WideVec exact_normal(const Vec3& a, const Vec3& b, const Vec3& c) {
  const WideVec u = difference(b, a), v = difference(c, a);
  return {u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
}

/// Positive when p is strictly on the outer side of abc. Below 2^123: fits.
Wide exact_side(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p) {
  const WideVec n = exact_normal(a, b, c), d = difference(p, a);
  return n.x * d.x + n.y * d.y + n.z * d.z;
}

/// Above this the sign of a height computed in double is certain: coordinates of 2^39 times a few roundings of 2^-53.
constexpr double kCertain = 0x1.0p-8;

}  // namespace

TriangleHull::TriangleHull(std::span<const Vec3> points, std::array<std::int32_t, 4> simplex, double tolerance)
    : points_(points), tolerance_(tolerance), fan_from_(points.size(), -1) {
  auto [a, b, c, d] = simplex;
  if (exact_side(point(a), point(b), point(c), point(d)) > 0) std::swap(b, c);
  // Now d is behind abc. Each face borders the three others.
  add_triangle(a, b, c);
  add_triangle(a, d, b);
  add_triangle(b, d, c);
  add_triangle(c, d, a);
  faces_[0].neighbour = {1, 2, 3};
  faces_[1].neighbour = {3, 2, 0};
  faces_[2].neighbour = {1, 3, 0};
  faces_[3].neighbour = {2, 1, 0};
  orphans_.resize(points.size());
  for (std::size_t p = 0; p < points.size(); ++p) orphans_[p] = static_cast<std::int32_t>(p);
  assign(0);
}

std::int32_t TriangleHull::add_triangle(std::int32_t a, std::int32_t b, std::int32_t c) {
  const WideVec n = exact_normal(point(a), point(b), point(c));
  const Vec3 normal{static_cast<double>(n.x), static_cast<double>(n.y), static_cast<double>(n.z)};
  const double length = norm(normal);
  CAIRN_ASSERT(length > 0);
  faces_.push_back({{a, b, c}, {-1, -1, -1}, (1.0 / length) * normal, 0.5 * length, true});
  outside_.emplace_back();
  farthest_.emplace_back(0.0, -1);
  ++alive_;
  return static_cast<std::int32_t>(faces_.size()) - 1;
}

double TriangleHull::height(std::int32_t face, const Vec3& p) const {
  const HullTriangle& f = faces_[to_index(face)];
  return dot(f.normal, p - point(f.vertex[0]));
}

bool TriangleHull::sees(std::int32_t p, std::int32_t face) const {
  const double h = height(face, point(p));
  if (h > kCertain || h < -kCertain) return h > 0;
  const auto& v = faces_[to_index(face)].vertex;
  return exact_side(point(v[0]), point(v[1]), point(v[2]), point(p)) > 0;
}

void TriangleHull::grow(std::int32_t vertex_limit) {
  // Euler: a closed surface of F triangles has F / 2 + 2 vertices.
  const auto is_full = [&] { return alive_ / 2 + 2 >= vertex_limit; };
  do {
    while (!queue_.empty() && !is_full()) {
      const auto face = to_index(-queue_.top().second);
      queue_.pop();
      if (faces_[face].alive) add_point(farthest_[face].second, static_cast<std::int32_t>(face));
    }
  } while (!is_full() && find_overlooked());
}

/// A point that climbed to a local maximum within the tolerance may stand higher over a face elsewhere: queues the
/// faces for which that is so.
bool TriangleHull::find_overlooked() {
  const auto count = static_cast<std::int32_t>(faces_.size());
  std::vector<std::int32_t> alive, waiting;
  for (std::int32_t f = 0; f < count; ++f) {
    if (!faces_[to_index(f)].alive) continue;
    alive.push_back(f);
    const auto& points = outside_[to_index(f)];
    waiting.insert(waiting.end(), points.begin(), points.end());
  }
  for (const std::int32_t p : waiting) {
    for (const std::int32_t f : alive) {
      const double h = height(f, point(p));
      auto& [highest, who] = farthest_[to_index(f)];
      if (!(h > tolerance_ && h > highest)) continue;
      highest = h;
      who = p;
      queue_.emplace(h, -f);
    }
  }
  return !queue_.empty();
}

/// Collects the faces that p sees (connected, starting from one of them) and the edges around them.
void TriangleHull::find_horizon(std::int32_t p, std::int32_t start) {
  visible_.clear();
  horizon_.clear();
  stack_.assign(1, start);
  faces_[to_index(start)].alive = false;
  while (!stack_.empty()) {
    const std::int32_t at = stack_.back();
    stack_.pop_back();
    visible_.push_back(at);
    for (const std::int32_t next : faces_[to_index(at)].neighbour) {
      HullTriangle& neighbour = faces_[to_index(next)];
      if (!neighbour.alive || !sees(p, next)) continue;
      neighbour.alive = false;
      stack_.push_back(next);
    }
  }
  for (const std::int32_t at : visible_) {
    const HullTriangle& f = faces_[to_index(at)];
    for (std::size_t k = 0; k < 3; ++k) {
      if (faces_[to_index(f.neighbour[k])].alive)
        horizon_.push_back({f.vertex[k], f.vertex[(k + 1) % 3], f.neighbour[k]});
    }
  }
  alive_ -= static_cast<std::int32_t>(visible_.size());
}

void TriangleHull::add_point(std::int32_t p, std::int32_t start) {
  find_horizon(p, start);
  const auto first_new = static_cast<std::int32_t>(faces_.size());
  for (const Horizon& edge : horizon_) {
    const std::int32_t fresh = add_triangle(edge.from, edge.to, p);
    faces_[to_index(fresh)].neighbour[0] = edge.beyond;
    HullTriangle& beyond = faces_[to_index(edge.beyond)];
    for (std::size_t k = 0; k < 3; ++k)
      if (beyond.vertex[k] == edge.to && beyond.vertex[(k + 1) % 3] == edge.from) beyond.neighbour[k] = fresh;
    fan_from_[to_index(edge.from)] = fresh;
  }
  // The horizon is one loop: the fan's next triangle begins where this one's edge ends.
  for (std::size_t k = 0; k < horizon_.size(); ++k) {
    const std::int32_t fresh = first_new + static_cast<std::int32_t>(k);
    const std::int32_t next = fan_from_[to_index(horizon_[k].to)];
    faces_[to_index(fresh)].neighbour[1] = next;
    faces_[to_index(next)].neighbour[2] = fresh;
  }
  orphans_.clear();
  for (const std::int32_t at : visible_) {
    auto& points = outside_[to_index(at)];
    orphans_.insert(orphans_.end(), points.begin(), points.end());
    std::vector<std::int32_t>().swap(points);
  }
  assign(first_new);
}

/// Gives each orphan to the face it stands highest over, found by climbing from the new faces; those that see no new
/// face see none at all and are inside for good. Points within the tolerance stay in the lists, because a later
/// change of the hull may leave them farther outside, but do not call for being added.
void TriangleHull::assign(std::int32_t first_new) {
  const auto last = static_cast<std::int32_t>(faces_.size());
  for (const std::int32_t p : orphans_) {
    double best = kCertain;
    std::int32_t face = -1;
    for (std::int32_t f = first_new; f < last; ++f) {
      const double h = height(f, point(p));
      if (!(h > best)) continue;
      best = h;
      face = f;
    }
    if (face < 0) continue;
    face = climb(face, best, p);
    outside_[to_index(face)].push_back(p);
    auto& [highest, who] = farthest_[to_index(face)];
    if (best < highest || (best == highest && p > who)) continue;
    highest = best;
    who = p;
    if (face < first_new && best > tolerance_) queue_.emplace(best, -face);
  }
  for (std::int32_t face = first_new; face < last; ++face)
    if (farthest_[to_index(face)].first > tolerance_) queue_.emplace(farthest_[to_index(face)].first, -face);
}

/// From face to higher neighbour until there is none; `best` is the height of p over the face.
std::int32_t TriangleHull::climb(std::int32_t face, double& best, std::int32_t p) const {
  for (std::int32_t from = -1; from != face;) {
    from = face;
    for (const std::int32_t next : faces_[to_index(from)].neighbour) {
      const double h = height(next, point(p));
      if (!(h > best)) continue;
      best = h;
      face = next;
    }
  }
  return face;
}

std::vector<HullTriangle> TriangleHull::triangles() const {
  std::vector<HullTriangle> kept;
  std::vector<std::int32_t> number(faces_.size(), -1);
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    if (!faces_[f].alive) continue;
    number[f] = static_cast<std::int32_t>(kept.size());
    kept.push_back(faces_[f]);
  }
  for (HullTriangle& triangle : kept)
    for (std::int32_t& neighbour : triangle.neighbour) neighbour = number[to_index(neighbour)];
  return kept;
}

std::int64_t TriangleHull::outside_count() const {
  std::int64_t count = 0;
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    if (!faces_[f].alive) continue;
    for (const std::int32_t p : outside_[f])
      count += height(static_cast<std::int32_t>(f), point(p)) > tolerance_ ? 1 : 0;
  }
  return count;
}

double TriangleHull::outside_distance() const {
  double distance = 0;
  for (std::size_t f = 0; f < faces_.size(); ++f)
    if (faces_[f].alive && farthest_[f].first > tolerance_) distance = std::max(distance, farthest_[f].first);
  return distance;
}

}  // namespace cairn
