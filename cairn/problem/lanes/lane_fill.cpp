// SPDX-License-Identifier: MIT
// LaneProblem::fill: a manifold becomes the record of its lane.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <utility>

#include "cairn/core/index.h"
#include "cairn/problem/lanes/lane_problem.h"

namespace cairn {

namespace {

/// The record of a manifold of one kind, by the fields of its lane.
template <LaneKind kKind>
struct Lane {
  static constexpr LaneInputs kIn = lane_inputs(kKind);
  float* record;

  void set(int field, double value) const { record[kIn.number[field]] = static_cast<float>(value); }
  void set3(int field, const Vec3& v) const { set(field, v.x), set(field + 1, v.y), set(field + 2, v.z); }
};

/// Several threads may say of a body that it is touched.
void set_body(float* number, std::int32_t body, std::vector<std::uint8_t>& touched) {
  *number = std::bit_cast<float>(body);
  const std::atomic_ref flag(touched[to_index(body)]);
  if (flag.load(std::memory_order_relaxed) == 0) flag.store(1, std::memory_order_relaxed);
}

/// The mean of the arms.
struct Middle {
  Vec3 a, b;

  explicit Middle(const LaneManifold& m) {
    const double share = 1.0 / m.count;
    for (const LaneManifold::Point& p : m.points()) a += share * p.arm_a, b += share * p.arm_b;
  }
};

/// All of a lane of one point without extras but its bodies.
template <LaneKind kKind>
inline void fill_single(const Lane<kKind>& lane, const LaneSingle& m, bool turned, double share) {
  constexpr LaneFields f = lane_fields(kKind);
  const double side = side_of(turned);
  lane.set3(f.normal, side * m.normal), lane.set3(f.tangent, side * m.tangent);
  lane.set(f.friction, m.friction);
  if constexpr (kKind.round) {
    lane.set(f.turn_b, side * dot(m.normal, turned ? m.arm_a : m.arm_b));
    if constexpr (kKind.two_bodies) lane.set(f.turn_a, dot(m.normal, m.arm_a));
  } else {
    lane.set3(f.point + f.row_b, turned ? m.arm_a : m.arm_b);
    if constexpr (kKind.two_bodies) lane.set3(f.point + f.row_a, m.arm_a);
  }
  if constexpr (!kKind.round) lane.set(f.point + f.mass, 1.0);
  lane.set(f.point + f.gap, m.gap), lane.set(f.point + f.impulse, share * std::max(0.0, m.impulse[0]));
  lane.set(f.tangent_impulse, share * m.impulse[1]), lane.set(f.tangent_impulse + 1, side * (share * m.impulse[2]));
}

/// The points of a manifold that may twist. Where a lane has fewer than its kind, their middle is repeated.
template <LaneKind kKind>
void fill_points(const Lane<kKind>& lane, const LaneManifold& m, bool turned, double share) {
  constexpr LaneFields f = lane_fields(kKind);
  const double side = side_of(turned);
  const auto set_arms = [&](int at, const Vec3& arm_a, const Vec3& arm_b) {
    lane.set3(at + f.row_b, turned ? arm_a : arm_b);
    if constexpr (kKind.two_bodies) lane.set3(at + f.row_a, arm_a);
  };
  for (int p = 0; p < m.count; ++p) {
    const int at = f.point + p * f.point_size;
    const LaneManifold::Point& point = m.point[to_index(p)];
    set_arms(at, point.arm_a, point.arm_b);
    lane.set(at + f.mass, 1.0), lane.set(at + f.gap, point.gap);
    lane.set(at + f.impulse, share * std::max(0.0, point.impulse[0]));
    lane.set(f.split + 2 * p, share * point.impulse[1]),
        lane.set(f.split + 2 * p + 1, side * (share * point.impulse[2]));
  }
  if (m.count == kKind.points) return;
  const Middle middle(m);
  for (int p = m.count; p < kKind.points; ++p) {
    const int at = f.point + p * f.point_size;
    set_arms(at, middle.a, middle.b);
    lane.set(at + f.mass, 0.0), lane.set(at + f.gap, 0.0), lane.set(at + f.impulse, 0.0);
    lane.set(f.split + 2 * p, 0.0), lane.set(f.split + 2 * p + 1, 0.0);
  }
}

/// Spin, offsets, restitution, anisotropic friction.
template <LaneKind kKind>
void fill_extra(const LaneProblem& lanes, const Lane<kKind>& lane, const LaneManifold& m, bool turned, double share) {
  constexpr LaneFields f = lane_fields(kKind);
  const Velocity& va = lanes.still[to_index(m.body_a)];
  const Velocity& vb = lanes.still[to_index(m.body_b)];
  const auto relative = [&](const Vec3& arm_a, const Vec3& arm_b) {
    return (vb.linear + cross(vb.angular, arm_b)) - (va.linear + cross(va.angular, arm_a));
  };
  double spin = 0;
  for (const LaneManifold::Point& p : m.points()) spin += m.spin_radius * p.impulse[3];
  lane.set(f.twist_impulse, share * spin), lane.set(f.twist_radius, kSpinBound * m.spin_radius);
  const Middle middle(m);
  const Vec3 v = relative(middle.a, middle.b);
  lane.set(f.tangent_offset, dot(m.tangent, v));
  lane.set(f.tangent_offset + 1, side_of(turned) * dot(cross(m.normal, m.tangent), v));
  lane.set(f.twist_offset, dot(m.normal, vb.angular - va.angular));
  // A direction without friction beside one that has some: the ellipse becomes very thin instead of a line.
  const double least = 1e-6 * std::max(m.friction1, m.friction2);
  lane.set(f.friction, std::max(m.friction1, least)), lane.set(f.anisotropy, std::max(m.friction2, least));
  for (std::size_t p = 0; p < to_index(kKind.points); ++p) {
    const int at = f.point + static_cast<int>(p) * f.point_size;
    const bool there = p < m.points().size();
    const LaneManifold::Point& point = m.point[p];
    lane.set(at + f.offset, there ? dot(m.normal, relative(point.arm_a, point.arm_b)) : 0.0);
    lane.set(at + f.restitution, there ? point.restitution : 0.0),
        lane.set(at + f.approach, there ? point.approach : 0.0);
  }
}

/// All of a record but its bodies. By kind, so that numbers stand at known places.
template <LaneKind kKind>
void fill_lane(const LaneProblem& lanes, float* record, const LaneManifold& m, bool turned, double share) {
  const Lane<kKind> lane{record};
  if constexpr (kKind.twists()) {
    constexpr LaneFields f = lane_fields(kKind);
    const double side = side_of(turned);
    lane.set3(f.normal, side * m.normal), lane.set3(f.tangent, side * m.tangent);
    lane.set(f.friction, m.friction1);
    fill_points<kKind>(lane, m, turned, share);
    if constexpr (kKind.extra) fill_extra<kKind>(lanes, lane, m, turned, share);
  } else {
    const LaneManifold::Point& p = m.point[0];
    const LaneSingle single{m.body_a,    m.body_b, m.normal,
                            m.tangent,   p.arm_a,  p.arm_b,
                            m.friction1, p.gap,    {p.impulse[0], p.impulse[1], p.impulse[2]}};
    fill_single<kKind>(lane, single, turned, share);
  }
}

using FillLane = void (*)(const LaneProblem& lanes, float* record, const LaneManifold& m, bool turned, double share);
template <int... kIndex>
constexpr std::array<FillLane, kLaneKinds> fill_by_kind(std::integer_sequence<int, kIndex...>) {
  return {fill_lane<lane_kind(kIndex)>...};
}
constexpr std::array<FillLane, kLaneKinds> kFill = fill_by_kind(std::make_integer_sequence<int, kLaneKinds>{});

}  // namespace

void LaneProblem::fill(std::size_t i, const LaneManifold& m, int sub_steps) {
  const bool turned = body_of[to_index(m.body_b)] < 0;
  const LaneSlot& slot = slots[i];
  float* record = records.data() + slot.record;
  set_body(record, body_of[to_index(turned ? m.body_a : m.body_b)], touched);
  if (lane_kind(static_cast<int>(slot.kind)).two_bodies) set_body(record + 1, body_of[to_index(m.body_a)], touched);
  kFill[slot.kind](*this, record, m, turned, 1.0 / sub_steps);
}

void LaneProblem::fill(std::size_t i, const LaneSingle& m, int sub_steps) {
  const std::int32_t a = body_of[to_index(m.body_a)], b = body_of[to_index(m.body_b)];
  float* record = records.data() + slots[i].record;
  const double share = 1.0 / sub_steps;
  const auto fill_as = [&]<LaneKind kKind>() {
    set_body(record, b < 0 ? a : b, touched);
    if constexpr (kKind.two_bodies) set_body(record + 1, a, touched);
    fill_single<kKind>({record}, m, b < 0, share);
  };
  if (const LaneKind kind = lane_kind(static_cast<int>(slots[i].kind)); kind.two_bodies)
    kind.round ? fill_as.operator()<LaneKind{1, true, false, true}>() : fill_as.operator()<LaneKind{1, true}>();
  else
    kind.round ? fill_as.operator()<LaneKind{1, false, false, true}>() : fill_as.operator()<LaneKind{1, false}>();
}

}  // namespace cairn
