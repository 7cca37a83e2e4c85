// SPDX-License-Identifier: MIT
#include "cairn/narrow/epa.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace cairn {

namespace {

constexpr int kMaxIterations = 120;
/// Relative to the size of the shapes: bounds that agree, faces that a point lies on, sets that are flat. Polyhedra end
/// exactly; round shapes need the digits for their normal and their deepest point, which know only half as many.
constexpr double kAgree = 1e-11, kOnFace = 1e-13, kFlat = 1e-10;
/// Relative likewise: normals of a thinner tetrahedron would have lost more than four digits.
constexpr double kSliver = 1e-4;

struct Face {
  Vec3 normal;                            ///< unit, outward
  double offset = 0;                      ///< of its plane from the origin along the normal
  std::array<std::uint16_t, 3> corner{};  ///< counter-clockwise seen from outside
};

struct Edge {
  std::uint16_t from = 0, to = 0;
};

/// A closed surface of triangles with its corners; fixed storage, nothing is allocated.
class Polytope {
 public:
  explicit Polytope(double size) : size_(size) {}  // NOLINT: the arrays are written before they are read

  /// The four points must not be in one plane.
  bool start(const std::array<MinkowskiPoint, 4>& p);
  /// Replaces what `w` sees by a fan around it; false where rounding or space leave no clean surface.
  bool grow(const MinkowskiPoint& w);

  const Face& lowest() const;
  /// The point of A nearest to the origin's foot on one face.
  Vec3 foot_on_a(const Face& face) const;
  /// The point of A at the origin's foot on the faces with this normal, if there still are any.
  std::optional<Vec3> foot_on_a(const Vec3& normal) const;

 private:
  bool add_face(std::size_t i, std::size_t j, std::size_t k);
  bool collect_horizon(const Vec3& w);
  bool add_edge(std::uint16_t from, std::uint16_t to);
  SimplexFoot foot(const Face& face) const;
  Vec3 on_a(const Face& face, const SimplexFoot& foot) const;
  const Vec3& at(std::size_t k) const { return corner_[k].difference; }

  double size_;
  // Not cleared: 27 kilobytes, of which most calls use a few.
  union {
    std::array<MinkowskiPoint, kMaxIterations + 4> corner_;
  };
  union {
    std::array<Face, 2 * kMaxIterations + 16> face_;
  };
  union {
    std::array<Edge, 2 * kMaxIterations> edge_;  ///< scratch of collect_horizon
  };
  std::size_t corners_ = 0, faces_ = 0, edges_ = 0;
};

bool Polytope::add_face(std::size_t i, std::size_t j, std::size_t k) {
  const Vec3 n = cross(at(j) - at(i), at(k) - at(i));
  const double length = norm(n);
  if (!(length > 1e-20 * size_ * size_) || faces_ == face_.size()) return false;
  const Vec3 unit = (1.0 / length) * n;
  const auto name = [](std::size_t c) { return static_cast<std::uint16_t>(c); };
  face_[faces_++] = {unit, dot(unit, at(i)), {name(i), name(j), name(k)}};
  return true;
}

bool Polytope::start(const std::array<MinkowskiPoint, 4>& p) {
  std::copy(p.begin(), p.end(), corner_.begin());
  corners_ = 4;
  const bool fourth_is_above = dot(cross(at(1) - at(0), at(2) - at(0)), at(3) - at(0)) > 0;
  if (fourth_is_above) std::swap(corner_[1], corner_[2]);
  return add_face(0, 1, 2) && add_face(0, 3, 1) && add_face(1, 3, 2) && add_face(2, 3, 0);
}

/// An edge met a second time, backwards, lies between two removed faces and is no part of the horizon.
bool Polytope::add_edge(std::uint16_t from, std::uint16_t to) {
  for (std::size_t k = 0; k < edges_; ++k) {
    if (edge_[k].from != to || edge_[k].to != from) continue;
    edge_[k] = edge_[--edges_];
    return true;
  }
  if (edges_ == edge_.size()) return false;
  edge_[edges_++] = {from, to};
  return true;
}

/// Removes the faces that see `w`. Faces in whose plane it lies go, too: their fans would have triangles without area.
bool Polytope::collect_horizon(const Vec3& w) {
  edges_ = 0;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < faces_; ++k) {
    const Face face = face_[k];
    if (dot(face.normal, w) - face.offset < -kOnFace * size_) {
      face_[kept++] = face;
      continue;
    }
    const auto [i, j, l] = face.corner;
    if (!add_edge(i, j) || !add_edge(j, l) || !add_edge(l, i)) return false;
  }
  faces_ = kept;
  return edges_ >= 3;
}

bool Polytope::grow(const MinkowskiPoint& w) {
  if (corners_ == corner_.size() || !collect_horizon(w.difference)) return false;
  corner_[corners_++] = w;
  for (std::size_t k = 0; k < edges_; ++k)
    if (!add_face(edge_[k].from, edge_[k].to, corners_ - 1)) return false;
  return true;
}

const Face& Polytope::lowest() const {
  std::size_t best = 0;
  for (std::size_t k = 1; k < faces_; ++k)
    if (face_[k].offset < face_[best].offset) best = k;
  return face_[best];
}

SimplexFoot Polytope::foot(const Face& face) const {
  const auto [i, j, l] = face.corner;
  return nearest_to_origin({corner_[i], corner_[j], corner_[l]}, 3);
}

Vec3 Polytope::on_a(const Face& face, const SimplexFoot& foot) const {
  Vec3 sum;
  for (std::size_t k = 0; k < foot.size; ++k) sum += foot.weight[k] * corner_[face.corner[foot.vertex[k]]].on_a;
  return sum;
}

Vec3 Polytope::foot_on_a(const Face& face) const { return on_a(face, foot(face)); }

std::optional<Vec3> Polytope::foot_on_a(const Vec3& normal) const {
  // Several triangles may share the plane; the foot lies in the one that is nearest to the origin.
  const Face* best = nullptr;
  SimplexFoot nearest;
  for (std::size_t k = 0; k < faces_; ++k) {
    if (!(dot(face_[k].normal, normal) > 1 - 1e-9)) continue;
    const SimplexFoot here = foot(face_[k]);
    if (best != nullptr && !(dot(here.nearest, here.nearest) < dot(nearest.nearest, nearest.nearest))) continue;
    best = &face_[k];
    nearest = here;
  }
  if (best == nullptr) return std::nullopt;
  return on_a(*best, nearest);
}

/// Four points spread over A - B, or the direction across it where it is flat: any across a point or a segment.
struct Spread {
  std::array<MinkowskiPoint, 4> point;
  bool flat = false;
  Vec3 across;  ///< unit, where flat
};

/// The support along plus or minus one of the directions that scores highest.
template <std::size_t N, class Score>
double farthest(const MinkowskiDifference& difference, const std::array<Vec3, N>& directions, MinkowskiPoint& best,
                Score&& score) {
  double highest = -1;
  for (const Vec3& d : directions) {
    for (const Vec3& signed_d : {d, -d}) {
      const MinkowskiPoint p = difference.support(signed_d);
      const double value = score(p.difference);
      if (!(value > highest)) continue;
      highest = value;
      best = p;
    }
  }
  return highest;
}

Spread spread(const MinkowskiDifference& difference) {
  const double flat = kFlat * difference.size();
  const Vec3 centres = difference.between_centres();
  Spread s;
  MinkowskiPoint &q = s.point[1], &r = s.point[2], &top = s.point[3];
  // Where there is a choice, apart along the line between the centres.
  const auto flat_across = [&](const Vec3& wish, const Vec3& otherwise) {
    const double length = norm(wish);
    s.flat = true;
    s.across = length > flat ? (1.0 / length) * wish : otherwise;
    return s;
  };
  s.point[0] = difference.support({1, 0, 0});
  const Vec3 p = s.point[0].difference;
  const std::array<Vec3, 3> axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const double length = farthest(difference, axes, q, [&](const Vec3& w) { return norm(w - p); });
  if (!(length > flat)) return flat_across(centres, {0, 0, 1});
  const Vec3 line = (1.0 / length) * (q.difference - p);
  const Frame frame = make_frame(line);
  const double width = farthest(difference, std::array<Vec3, 2>{frame.tangent1, frame.tangent2}, r,
                                [&](const Vec3& w) { return norm(cross(w - p, line)); });
  if (!(width > flat)) return flat_across(centres - dot(centres, line) * line, frame.tangent1);
  const Vec3 n = normalised(cross(line, r.difference - p));
  const double height =
      farthest(difference, std::array<Vec3, 1>{n}, top, [&](const Vec3& w) { return std::fabs(dot(w - p, n)); });
  if (!(height > flat)) return flat_across({}, dot(centres, n) < 0 ? -n : n);
  return s;
}

/// Whether the walk left a tetrahedron that is higher than this over each of its faces.
bool is_thick(const Simplex& s, double least) {
  if (s.size < 4) return false;
  const Vec3 a = s.vertex[0].difference, b = s.vertex[1].difference, c = s.vertex[2].difference,
             d = s.vertex[3].difference;
  const Vec3 n = cross(b - a, c - a);
  const double volume = std::fabs(dot(n, d - a)), low = least * least;
  const auto is_high = [&](const Vec3& area) { return volume * volume > low * dot(area, area); };
  return is_high(n) && is_high(cross(c - a, d - a)) && is_high(cross(d - a, b - a)) && is_high(cross(c - b, d - b));
}

}  // namespace

EpaResult epa(const MinkowskiDifference& difference, const Simplex& touching) {
  Polytope polytope(difference.size());
  EpaResult best;
  if (!is_thick(touching, kSliver * difference.size()) || !polytope.start(touching.vertex)) {
    const Spread first = spread(difference);
    if (first.flat || !polytope.start(first.point)) {
      best.normal = first.flat ? first.across : Vec3{0, 0, 1};
      best.depth = dot(best.normal, difference.support(best.normal).difference);
      best.on_a = touching.on_a();
      best.converged = first.flat;
      return best;
    }
  }
  best.depth = std::numeric_limits<double>::infinity();
  Face deepest;
  for (; best.iterations < kMaxIterations; ++best.iterations) {
    const Face face = polytope.lowest();
    const MinkowskiPoint w = difference.support(face.normal);
    if (const double depth = dot(face.normal, w.difference); depth < best.depth) {
      best.depth = depth;
      best.normal = face.normal;
      deepest = face;
    }
    // Bounds in the wrong order tell of a surface that rounding has torn: keep what is known, do not call it exact.
    const double gap = best.depth - face.offset, agree = kAgree * difference.size();
    best.converged = std::fabs(gap) <= agree;
    if (gap <= agree || !polytope.grow(w)) break;
  }
  // Only at the end the triangles in the plane of the deepest face are known to reach below the origin; that face
  // itself may be gone, its corners never are.
  const std::optional<Vec3> foot = best.converged ? polytope.foot_on_a(best.normal) : std::nullopt;
  best.on_a = foot ? *foot : polytope.foot_on_a(deepest);
  return best;
}

}  // namespace cairn
