// SPDX-License-Identifier: MIT
#include "cairn/narrow/collide_surface.h"

#include <algorithm>
#include <limits>

#include "cairn/core/index.h"
#include "cairn/narrow/collide_faces.h"
#include "cairn/narrow/contact_feature.h"
#include "cairn/narrow/triangle_axis.h"

namespace cairn {

namespace {

/// Contacts whose normals have a larger dot product are one: 3 milliradians.
constexpr double kSameNormal = 1 - 5e-6;
/// Marks in features: the shape's own face is the reference; a single point.
constexpr std::uint32_t kShapeFace = 0x8000u, kSinglePoint = 0xff000000u;

/// Points of one triangle, before they join a manifold. The normal is that of the manifold: from shape to surface.
struct Touch {
  static constexpr std::size_t kMost = 24;

  Vec3 normal;
  std::size_t count = 0;
  union {
    std::array<ManifoldPoint, kMost> point;
  };

  explicit Touch(const Vec3& n) : normal(n) {}  // NOLINT: `count` points are written
  void add(const Vec3& on_shape, const Vec3& on_surface, double separation, std::uint32_t feature) {
    if (count < kMost) point[count++] = {on_shape, on_surface, separation, feature};
  }
  double deepest() const {
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < count; ++k) lowest = std::min(lowest, point[k].separation);
    return lowest;
  }
};

/// The manifolds of one call, at the end of the output. Each triangle offers at most one touch.
class Groups {
 public:
  Groups(PartManifolds& out, double near) : out_(out), first_(out.size()), near2_(near * near) {}

  bool empty() const { return out_.size() == first_; }
  auto begin() { return out_.begin() + static_cast<std::ptrdiff_t>(first_); }
  auto end() { return out_.end(); }

  /// `part` is wished, `own` taken where another manifold has the wished one.
  void add(const Touch& touch, std::uint64_t part, std::uint64_t own) {
    bool taken = false;
    PartManifold* same = nullptr;
    for (auto group = begin(); group != end(); ++group) {
      taken = taken || group->part == part;
      if (same == nullptr && dot(group->manifold.normal, touch.normal) > kSameNormal) same = &*group;
    }
    if (same == nullptr) {
      out_.push_back({{}, taken ? own : part});
      same = &out_.back();
      same->manifold.normal = touch.normal;
    } else if (!taken) {
      same->part = std::min(same->part, part);
    }
    merge(touch, same->manifold);
  }

  /// Behind a thin wall both sides push; the nearer one is right.
  void drop_opposed() {
    const auto best = std::max_element(begin(), end(), [](const PartManifold& x, const PartManifold& y) {
      return deepest(x.manifold, 0) < deepest(y.manifold, 0);
    });
    if (best == end()) return;
    const Vec3 n = best->manifold.normal;
    const auto opposed = [&](const PartManifold& p) { return dot(p.manifold.normal, n) < 0; };
    out_.erase(std::remove_if(begin(), end(), opposed), end());
  }

 private:
  void merge(const Touch& touch, Manifold& manifold) const {
    ManifoldBuilder fresh(manifold.normal);
    std::array<bool, Touch::kMost> known{};
    for (std::size_t k = 0; k < touch.count; ++k) known[k] = update(manifold, measured(manifold, touch.point[k]));
    for (int k = 0; k < manifold.count; ++k) fresh.add(manifold.point[to_index(k)]);
    for (std::size_t k = 0; k < touch.count; ++k)
      if (!known[k]) fresh.add(measured(manifold, touch.point[k]));
    manifold = fresh.build();
  }

  /// Along the normal of the manifold, which may be turned by a little.
  static ManifoldPoint measured(const Manifold& manifold, ManifoldPoint p) {
    p.separation = dot(manifold.normal, p.on_b - p.on_a);
    return p;
  }

  /// Corners on a common edge come from both triangles: of one feature, or of one place, the deeper point stays. False
  /// where the point is new.
  bool update(Manifold& manifold, const ManifoldPoint& p) const {
    for (int k = 0; k < manifold.count; ++k) {
      ManifoldPoint& old = manifold.point[to_index(k)];
      const Vec3 d = old.on_b - p.on_b;
      if (old.feature != p.feature && !(dot(d, d) <= near2_)) continue;
      if (old.feature == p.feature && p.separation < old.separation) old = p;
      return true;
    }
    return false;
  }

  PartManifolds& out_;
  std::size_t first_;
  double near2_;
};

/// A convex shape over a surface, in the surface's frame.
template <class Surface>
class SurfaceContact {
 public:
  SurfaceContact(const Shape& shape, const Pose& pose, const Surface& surface, double margin, PartManifolds& out)
      : shape_(shape),
        pose_(pose),
        surface_(surface),
        margin_(margin),
        box_(std::get_if<Box>(&shape)),
        ball_(std::get_if<Sphere>(&shape)),
        rotation_(to_matrix(pose.orientation)),
        width_(half_widths(shape)),
        slop_(2 * kAnyFacePreference * std::min({width_.x, width_.y, width_.z})),
        groups_(out, 1e-6 * (width_.x + width_.y + width_.z)) {
    const auto* hull = std::get_if<ConvexHull>(&shape);
    centre_ = hull != nullptr ? transform(pose, hull->data->unit.centre) : pose.position;
  }

  void find() {
    const Aabb box = grown(bounds(shape_, pose_), margin_);
    surface_.for_each_overlapping(box, [&](std::int32_t t) { visit(t, false); });
    if (groups_.empty() && some_behind_) {
      surface_.for_each_overlapping(box, [&](std::int32_t t) { visit(t, true); });
      groups_.drop_opposed();
    }
    std::sort(groups_.begin(), groups_.end(),
              [](const PartManifold& x, const PartManifold& y) { return x.part < y.part; });
  }

  Groups& groups() { return groups_; }

 private:
  static Vec3 half_widths(const Shape& shape) {
    const Aabb box = local_bounds(shape);
    return 0.5 * (box.upper - box.lower);
  }

  /// Height of the lowest point over the triangle's plane.
  double lowest_over(const SurfaceTriangle& t, double over_centre) const {
    if (ball_ != nullptr) return over_centre - ball_->radius;
    const Vec3 n = multiply_transposed(rotation_, t.normal);
    if (box_ == nullptr) return dot(t.normal, pose_.position - t.corner[0]) + dot(n, support(shape_, -n));
    const Vec3 h = box_->half;
    return over_centre - (h.x * std::fabs(n.x) + h.y * std::fabs(n.y) + h.z * std::fabs(n.z));
  }

  /// Height of the highest point, from that of the centre and the lowest.
  double highest_over(const SurfaceTriangle& t, double over_centre, double over_face) const {
    if (ball_ != nullptr || box_ != nullptr) return 2 * over_centre - over_face;
    const Vec3 n = multiply_transposed(rotation_, t.normal);
    return dot(t.normal, pose_.position - t.corner[0]) + dot(n, support(shape_, n));
  }

  void visit(std::int32_t index, bool from_behind) {
    SurfaceTriangle t = surface_triangle(surface_, index);
    const double over_centre = dot(t.normal, centre_ - t.corner[0]);
    const double over_face = lowest_over(t, over_centre);
    if (!(over_face <= margin_)) return;
    const bool behind = over_centre < 0;
    if (behind != from_behind) {
      some_behind_ = some_behind_ || behind;
      return;
    }
    if (behind && !(highest_over(t, over_centre, over_face) >= 0)) return;
    if (ball_ != nullptr) {
      add_edges(surface_, t);
      return touch_ball(t, over_centre, behind);
    }
    if (box_ == nullptr) {
      add_edges(surface_, t);
      return touch_any(t, over_face, behind, [&] { return axis_of_convex(shape_, pose_, t, margin_); });
    }
    const BoxTriangle pair(*box_, pose_.position, rotation_, t);
    if (pair.is_beside(margin_)) return;
    add_edges(surface_, t);
    touch_any(t, over_face, behind, [&] { return pair.axis(over_face, margin_, slop_); });
  }

  void offer_face(const SurfaceTriangle& t, const Touch& touch) {
    const auto patch = static_cast<std::uint64_t>(t.patch), own = static_cast<std::uint64_t>(t.index);
    if (touch.count > 0) groups_.add(touch, 2 * patch, 2 * own + 1);
  }
  void offer_ridge(const SurfaceTriangle& t, const Touch& touch) {
    const auto own = static_cast<std::uint64_t>(t.index);
    if (touch.count > 0) groups_.add(touch, 2 * own + 1, 2 * own + 1);
  }

  /// Exact: the nearest point of the triangle. A point on an inner edge belongs to the neighbour, unless the surface
  /// bends so little that neither of them claims it.
  void touch_ball(const SurfaceTriangle& t, double over_centre, bool behind) {
    const TrianglePoint nearest = closest_on_triangle(centre_, t.triangle());
    const Vec3 d = centre_ - nearest.point;
    const double distance = norm(d), r = ball_->radius;
    if (!(distance - r <= (behind ? 0 : margin_))) return;
    const bool on_edge = nearest.part != TrianglePart::face && distance > 0 && !behind;
    const Vec3 m = on_edge ? (1.0 / distance) * d : t.normal;
    if (!on_edge || dot(m, t.normal) > kSameNormal) {
      Touch touch(-t.normal);
      const Vec3 low = centre_ - r * t.normal;
      touch.add(low, centre_ - over_centre * t.normal, over_centre - r, 0);
      return offer_face(t, touch);
    }
    if (judge(surface_, t, nearest.part, m) != SurfaceVerdict::own) return;
    Touch touch(-m);
    touch.add(centre_ - r * m, nearest.point, distance - r, 0);
    offer_ridge(t, touch);
  }

  /// What the shape has across the face, cut to the prism over the triangle.
  Touch cut_by_triangle(const SurfaceTriangle& t, const ContactFeature& triangle) {
    if (!(has_feature_ && feature_normal_ == t.normal)) {
      feature_ = feature_along(shape_, pose_, -t.normal);
      feature_normal_ = t.normal;
      has_feature_ = true;
    }
    Touch touch(-t.normal);
    const double offset = triangle.offset() + feature_.radius;
    cut_to_prism(triangle, feature_, [&](const Vec3& p, std::uint32_t name) {
      const double height = dot(t.normal, p) - offset;
      if (!(height <= margin_)) return;
      const Vec3 on_shape = p - feature_.radius * t.normal;
      touch.add(on_shape, on_shape - height * t.normal, height, name);
    });
    return touch;
  }

  /// How far the deepest points are from sides where the surface bends: the largest of them.
  double clearance(const Touch& touch, const ContactFeature& triangle, double over_face) const {
    double best = -1;
    for (std::size_t i = 0; i < touch.count; ++i) {
      if (touch.point[i].separation > over_face + slop_) continue;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < 3; ++k) {
        if (!triangle.side_counts(k)) continue;
        const Vec3 side = triangle.corner[triangle.next(k)] - triangle.corner[k];
        const double inside = dot(cross(triangle.normal, side), touch.point[i].on_b - triangle.corner[k]);
        least = std::min(least, inside / norm(side));
      }
      best = std::max(best, least);
    }
    return best;
  }

  /// `least_overlap` finds the axis of shape and triangle where the face alone does not decide.
  template <class LeastOverlap>
  void touch_any(const SurfaceTriangle& t, double over_face, bool behind, LeastOverlap&& least_overlap) {
    const ContactFeature triangle = as_feature(t);
    const Touch face = cut_by_triangle(t, triangle);
    if (behind) return offer_face(t, face);
    // Out through the face is the shortest way where no bend is nearer than the surface.
    if (face.count > 0 && clearance(face, triangle, over_face) >= std::max(0.0, -over_face)) return offer_face(t, face);
    // So it is where the surface hardly bends, and where it cannot be left through a side at all.
    const bool reaches_plane = face.count > 0 && face.deepest() <= over_face + slop_;
    if (is_hollow(t) || (reaches_plane && !has_sharp_side(surface_, t))) return offer_face(t, face);
    const TriangleAxis axis = least_overlap();
    if (axis.apart) return;
    const bool reaches = face.count > 0 && face.deepest() <= axis.separation + slop_;
    if (reaches && over_face >= axis.separation - slop_) return offer_face(t, face);
    const SurfaceVerdict verdict = judge(surface_, t, axis.part, axis.m);
    if (verdict == SurfaceVerdict::own) {
      offer_ridge(t, touch_ridge(t, triangle, axis));
    } else if (verdict == SurfaceVerdict::face) {
      offer_face(t, face);
    }
  }

  /// A face of the shape on a ridge or a peak is cut by what of the triangle it meets; else a single point.
  Touch touch_ridge(const SurfaceTriangle& t, const ContactFeature& triangle, TriangleAxis axis) const {
    const ContactFeature own = feature_along(shape_, pose_, -axis.m);
    if (own.is_polygon()) {
      const double offset = own.offset();
      double lowest = std::numeric_limits<double>::infinity();
      for (const Vec3& corner : t.corner) lowest = std::min(lowest, dot(own.normal, corner) - offset);
      Touch touch(own.normal);
      if (lowest >= axis.separation - slop_) {
        cut_to_prism(own, triangle, [&](const Vec3& p, std::uint32_t name) {
          const double height = dot(own.normal, p) - offset;
          if (height <= margin_) touch.add(p - height * own.normal, p, height, name | kShapeFace);
        });
      }
      if (touch.count > 0 && touch.deepest() <= axis.separation + slop_) return touch;
    }
    if (!axis.has_points) axis = axis_of_convex(shape_, pose_, t, margin_);
    Touch touch(-axis.m);
    const auto part = static_cast<std::uint32_t>(axis.part);
    const bool counts = !axis.apart && judge(surface_, t, axis.part, axis.m) == SurfaceVerdict::own;
    if (counts) touch.add(axis.on_shape, axis.on_triangle, axis.separation, kSinglePoint | part);
    return touch;
  }

  const Shape& shape_;
  Pose pose_;
  const Surface& surface_;
  double margin_;
  const Box* box_;
  const Sphere* ball_;
  Mat3 rotation_;
  Vec3 width_;  ///< half of the widths along the shape's own axes
  double slop_;
  Groups groups_;
  Vec3 centre_;
  bool some_behind_ = false;
  bool has_feature_ = false;
  Vec3 feature_normal_;
  ContactFeature feature_;  ///< across feature_normal_
};

template <class Surface>
void collide_surface(const Shape& a, const Pose& pose_a, const Surface& b, const Pose& pose_b, double margin,
                     PartManifolds& out) {
  SurfaceContact<Surface> contact(a, inverse(pose_b) * pose_a, b, margin, out);
  contact.find();
  const Mat3 r = to_matrix(pose_b.orientation);
  for (PartManifold& found : contact.groups()) {
    Manifold& m = found.manifold;
    m.normal = r * m.normal;
    for (int k = 0; k < m.count; ++k) {
      ManifoldPoint& p = m.point[to_index(k)];
      p.on_a = pose_b.position + r * p.on_a;
      p.on_b = pose_b.position + r * p.on_b;
    }
  }
}

}  // namespace

void collide_mesh(const Shape& a, const Pose& pose_a, const TriangleMesh& b, const Pose& pose_b, double margin,
                  PartManifolds& out) {
  collide_surface(a, pose_a, b, pose_b, margin, out);
}

void collide_height_field(const Shape& a, const Pose& pose_a, const HeightField& b, const Pose& pose_b, double margin,
                          PartManifolds& out) {
  collide_surface(a, pose_a, b, pose_b, margin, out);
}

}  // namespace cairn
