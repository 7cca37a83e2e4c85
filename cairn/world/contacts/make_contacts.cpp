// SPDX-License-Identifier: MIT
// Four points are worked on at once, by coordinates; the last one stands in for missing ones. Reading and writing whole
// records costs less than the arithmetic that way, and loops over single points cost more than all of it.
#include "cairn/world/contacts/make_contacts.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "cairn/core/index.h"
#include "cairn/math/mat3.h"
#include "cairn/simd/simd.h"
#include "cairn/simd/vectors.h"

namespace cairn {

namespace {

constexpr double kNearFeature = 0.02;  ///< m, a point without an equal feature inherits from one that near

static_assert(std::endian::native == std::endian::little, "records are written as vectors");
static_assert(sizeof(ManifoldPoint) == 2 * sizeof(Double4) && offsetof(ManifoldPoint, feature) == 56);
static_assert(sizeof(ContactPoint) == 48 && offsetof(ContactPoint, normal_impulse) == sizeof(Double4));
static_assert(sizeof(ContactAnchor) == 7 * sizeof(float));

/// A place within a record.
inline const std::byte* at(const void* record, std::size_t offset) {
  return static_cast<const std::byte*>(record) + offset;
}
inline std::byte* at(void* record, std::size_t offset) { return static_cast<std::byte*>(record) + offset; }

/// Calls write(k) for the points there are, mostly four.
template <class Write>
inline void for_points(int count, Write&& write) {
  if (count == 4) {
    write(0), write(1), write(2), write(3);
  } else {
    for (int k = 0; k < count; ++k) write(k);
  }
}

/// The points of a manifold by coordinates.
struct FourPoints {
  Double4 on_a[4];  ///< x, y, z; the last one is not used
  Double4 on_b[4];  ///< x, y, z, separation
  Mask4x64 feature;
};

inline void load_points(const Manifold& manifold, FourPoints& four) {
  const auto last = to_index(manifold.count - 1);
  for (std::size_t k = 0; k < 4; ++k) {
    const ManifoldPoint& point = manifold.point[std::min(k, last)];
    Double4 front, back;
    get_lanes(&point, front), get_lanes(at(&point, sizeof front), back);
    four.on_a[k] = front;
    shuffle<3, 4, 5, 6>(front, back, four.on_b[k]);
    four.feature[k] = point.feature;
  }
  transpose(four.on_a), transpose(four.on_b);
}

/// Midway between the surfaces; separation and feature share the last lane.
inline void store_points(const FourPoints& four, int count, ContactPoint* points) {
  Float4 separation;
  convert(four.on_b[3], separation);
  Mask4x64 tail;
  convert(reinterpret_cast<Bits4>(separation), tail);
  tail |= four.feature << 32;
  Double4 row[4] = {0.5 * (four.on_a[0] + four.on_b[0]), 0.5 * (four.on_a[1] + four.on_b[1]),
                    0.5 * (four.on_a[2] + four.on_b[2]), reinterpret_cast<Double4>(tail)};
  transpose(row);
  for_points(count, [&](int k) { put_lanes(row[k], points + k); });
}

/// Rounds the anchors of four points in a body, R^T (p - x), and finds where they come to lie, x + R times that.
inline void round_anchors(const Pose& pose, const Double4* point, Float4* anchor, Double4* placed) {
  const Mat3 r = to_matrix(pose.orientation);
  const Vec3& p = pose.position;
  const Double4 dx = point[0] - p.x, dy = point[1] - p.y, dz = point[2] - p.z;
  const Double4 in_body[3] = {dx * r.row0.x + dy * r.row1.x + dz * r.row2.x,
                              dx * r.row0.y + dy * r.row1.y + dz * r.row2.y,
                              dx * r.row0.z + dy * r.row1.z + dz * r.row2.z};
  Double4 x, y, z;
  for (int k = 0; k < 3; ++k) convert(in_body[k], anchor[k]);
  convert(anchor[0], x), convert(anchor[1], y), convert(anchor[2], z);
  placed[0] = p.x + (r.row0.x * x + r.row0.y * y + r.row0.z * z);
  placed[1] = p.y + (r.row1.x * x + r.row1.y * y + r.row1.z * z);
  placed[2] = p.z + (r.row2.x * x + r.row2.y * y + r.row2.z * z);
}

inline void make_anchors(const NewContacts& c, const FourPoints& four, ContactAnchor* anchors) {
  Float4 a[3], b[3];
  Double4 at_a[3], at_b[3];
  round_anchors(c.body_a, four.on_a, a, at_a), round_anchors(c.body_b, four.on_b, b, at_b);
  const Vec3& n = c.manifold.normal;
  const Double4 gap = n.x * (at_b[0] - at_a[0]) + n.y * (at_b[1] - at_a[1]) + n.z * (at_b[2] - at_a[2]);
  const Double4 offset = four.on_b[3] - gap;
  Float4 first[4] = {a[0], a[1], a[2], b[0]}, second[4] = {b[1], b[2], Float4{}, Float4{}};
  convert(offset, second[2]);
  transpose(first), transpose(second);
  for_points(c.manifold.count, [&](int k) {
    put_lanes(first[k], anchors + k);
    put_lanes(second[k], at(anchors + k, sizeof(Float4)), sizeof(ContactAnchor) - sizeof(Float4));
  });
}

/// The old point with the same feature, else the nearest within reach.
const ContactPoint* old_point(std::span<const ContactPoint> old, const ContactPoint& point) {
  for (const ContactPoint& candidate : old)
    if (candidate.feature == point.feature) return &candidate;
  const ContactPoint* nearest = nullptr;
  double least = kNearFeature * kNearFeature;
  for (const ContactPoint& candidate : old) {
    const Vec3 d = candidate.position - point.position;
    if (dot(d, d) < least) least = dot(d, d), nearest = &candidate;
  }
  return nearest;
}

/// The impulses that each point inherits. Mostly the same features come in the same order.
inline void load_old_impulses(const NewContacts& c, const ContactPoint* points, Float4 (&row)[4]) {
  constexpr std::size_t kImpulses = offsetof(ContactPoint, normal_impulse);
  const ContactPoint* old = c.old.data();
  const auto same = [&](std::size_t k) { return old[k].feature == points[k].feature; };
  if (c.manifold.count == 4 && c.old.size() == 4 && same(0) && same(1) && same(2) && same(3)) {
    for (std::size_t k = 0; k < 4; ++k) get_lanes(at(old + k, kImpulses), row[k]);
    return;
  }
  for (int k = 0; k < c.manifold.count; ++k)
    if (const ContactPoint* from = old_point(c.old, points[k])) get_lanes(at(from, kImpulses), row[k]);
}

/// The tangents of the old frame seen from the new one.
struct TangentTurn {
  double xx = 1, xy = 0, yx = 0, yy = 1;

  TangentTurn(const Vec3& old_normal, const Vec3& normal) {
    if (old_normal == normal) return;
    const Frame before = make_frame(old_normal), now = make_frame(normal);
    xx = dot(now.tangent1, before.tangent1), xy = dot(now.tangent1, before.tangent2);
    yx = dot(now.tangent2, before.tangent1), yy = dot(now.tangent2, before.tangent2);
  }
};

inline void carry_impulses(const NewContacts& c, ContactPoint* points) {
  Float4 row[4] = {};  // normal, two tangents, spin
  if (!c.old.empty()) {
    load_old_impulses(c, points, row);
    transpose(row);
    const TangentTurn turn(c.old_normal, c.manifold.normal);
    Double4 x, y;
    convert(row[1], x), convert(row[2], y);
    const Double4 now_x = turn.xx * x + turn.xy * y, now_y = turn.yx * x + turn.yy * y;
    convert(now_x, row[1]), convert(now_y, row[2]);
    transpose(row);
  }
  for_points(c.manifold.count,
             [&](int k) { put_lanes(row[k], at(points + k, offsetof(ContactPoint, normal_impulse))); });
}

}  // namespace

void make_contacts(const NewContacts& contacts, ContactPoint* points, ContactAnchor* anchors) {
  run_wide([&] {
    FourPoints four;
    load_points(contacts.manifold, four);
    store_points(four, contacts.manifold.count, points);
    if (anchors != nullptr) make_anchors(contacts, four, anchors);
    carry_impulses(contacts, points);
  });
}

}  // namespace cairn
