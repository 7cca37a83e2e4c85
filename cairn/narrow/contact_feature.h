// SPDX-License-Identifier: MIT
// ContactFeature: the part of a convex shape that can lie along another one, as a polygon or a segment. Faces, discs
// and side lines are all cut by the same code, so that every pair of shapes that can rest on each other does.
#pragma once

#include <algorithm>

#include "cairn/geometry/shape.h"

namespace cairn {

/// Where the shape is farthest along a direction. Written by feature_along and by the triangles of surfaces.
struct ContactFeature {
  static constexpr std::size_t kMost = 32;

  std::size_t count = 0;  ///< 1 point, 2 segment, more: polygon, counter-clockwise seen from outside
  union {
    std::array<Vec3, kMost> corner;  ///< side k goes from corner k to corner k + 1, the last one back to 0
  };
  union {
    std::array<std::uint16_t, kMost> name;  ///< of each corner within its shape
  };
  std::uint32_t silent_corner = 0;  ///< bit k: corner k only carries sides and is no contact by itself
  std::uint32_t silent_side = 0;    ///< bit k: the surface goes straight on across side k
  Vec3 normal;                      ///< unit, outward; of polygons
  Vec3 inward;                      ///< from a side line to the axis it belongs to; 0 where there is none
  double radius = 0;                ///< the shape reaches this much farther than the corners

  ContactFeature() {}  // NOLINT: corners are not cleared, `count` of them are written

  void add(const Vec3& p, std::size_t id) {
    if (count == kMost) return;
    corner[count] = p;
    name[count++] = static_cast<std::uint16_t>(id);
  }
  std::size_t next(std::size_t k) const { return k + 1 < count ? k + 1 : 0; }
  bool is_polygon() const { return count > 2; }
  bool corner_counts(std::size_t k) const { return (silent_corner >> k & 1) == 0; }
  bool side_counts(std::size_t k) const { return (silent_side >> k & 1) == 0; }
  double offset() const { return dot(normal, corner[0]); }
};

/// The planes that stand on the sides of a polygon, spanned by each side and the normal. Derived from the feature,
/// which must outlive it.
class FeaturePrism {
 public:
  explicit FeaturePrism(const ContactFeature& polygon) : polygon_(polygon) {  // NOLINT: `count` planes are written
    for (std::size_t k = 0; k < polygon.count; ++k) {
      const Vec3 side = polygon.corner[polygon.next(k)] - polygon.corner[k];
      outward_[k] = cross(side, polygon.normal);
      tolerance_[k] = 1e-9 * dot(side, side);
    }
  }

  std::size_t count() const { return polygon_.count; }
  /// How far p is outside of side k, times the side's length.
  double over(std::size_t k, const Vec3& p) const { return dot(outward_[k], p - polygon_.corner[k]); }
  /// Of `over`, in the same unit: points this near to a side are on it.
  double tolerance(std::size_t k) const { return tolerance_[k]; }

 private:
  const ContactFeature& polygon_;
  union {
    std::array<Vec3, ContactFeature::kMost> outward_;
  };
  union {
    std::array<double, ContactFeature::kMost> tolerance_;
  };
};

/// The feature of a bounded convex shape most along `direction`, in the frame of `pose`. Boxes and hulls present a
/// face. Discs are polygons of 16 corners on the rim, four of which count by themselves, and the one farthest along the
/// direction where the disc is tilted against it. Cylinders and cones that lie present a side line; capsules their
/// axis, spheres their centre, with the radius.
ContactFeature feature_along(const Shape& shape, const Pose& pose, const Vec3& direction);

/// Calls emit(point, name) for what of `incident` (segment or polygon) lies in the prism over the polygon `reference`:
/// corners inside, sides cut by the prism, and corners of the reference dropped onto an incident polygon. Points are on
/// the incident feature. Names tell what met what; bit 15 is free.
template <class Emit>
void cut_to_prism(const ContactFeature& reference, const ContactFeature& incident, Emit&& emit);

/// Marks in names: a corner of the reference feature.
inline constexpr std::uint32_t kReferenceCorner = 0x80000000u;

namespace detail {

/// Side k of the incident feature against the prism: [enter, leave] in its parameter, and the sides that cut it.
struct SideCut {
  double enter = 0, leave = 1;
  std::size_t enter_side = ContactFeature::kMost, leave_side = ContactFeature::kMost;
};

SideCut cut_side(const FeaturePrism& reference, const Vec3& p, const Vec3& q);

/// Whether a corner of the reference, moved along its normal, meets the inside of the incident polygon, and where.
bool drop_corner(const ContactFeature& reference, std::size_t k, const ContactFeature& incident,
                 const FeaturePrism& over_incident, Vec3& dropped);

}  // namespace detail

template <class Emit>
void cut_to_prism(const ContactFeature& reference, const ContactFeature& incident, Emit&& emit) {
  const FeaturePrism over_reference(reference);
  const std::size_t sides = incident.is_polygon() ? incident.count : incident.count - 1;
  for (std::size_t k = 0; k < sides; ++k) {
    const std::size_t l = incident.next(k);
    const Vec3 p = incident.corner[k], q = incident.corner[l];
    const detail::SideCut cut = detail::cut_side(over_reference, p, q);
    if (cut.enter > cut.leave) continue;
    const auto at_cut = [&](double t, std::size_t side) {
      if (!incident.side_counts(k) || !reference.side_counts(side)) return;
      emit(p + t * (q - p), std::uint32_t{incident.name[k]} << 16 | (std::uint32_t{reference.name[side]} + 1));
    };
    if (cut.enter_side < ContactFeature::kMost) {
      at_cut(cut.enter, cut.enter_side);
    } else if (incident.corner_counts(k)) {
      emit(p, std::uint32_t{incident.name[k]} << 16);
    }
    // Where the rest of a polygon's side is inside, its end is the beginning of the next side.
    if (cut.leave_side < ContactFeature::kMost) {
      at_cut(cut.leave, cut.leave_side);
    } else if (!incident.is_polygon()) {
      emit(q, std::uint32_t{incident.name[l]} << 16);
    }
  }
  if (!incident.is_polygon()) return;
  const FeaturePrism over_incident(incident);
  for (std::size_t k = 0; k < reference.count; ++k) {
    Vec3 dropped;
    if (reference.corner_counts(k) && detail::drop_corner(reference, k, incident, over_incident, dropped))
      emit(dropped, kReferenceCorner | (std::uint32_t{reference.name[k]} + 1));
  }
}

}  // namespace cairn
