// SPDX-License-Identifier: MIT
#include "cairn/problem/lanes/lane_problem.h"

#include <algorithm>
#include <bit>

#include "cairn/core/index.h"

namespace cairn {

namespace {

/// To what a float can tell.
bool are_along(const Vec3& normal, const Vec3& arm) {
  const Vec3 off = cross(arm, normal);
  return dot(off, off) <= 1e-16 * dot(arm, arm);
}

}  // namespace

LaneKey LaneProblem::key(const LaneTraits& traits, const LanePlace& place) const {
  const auto a = to_index(traits.body_a), b = to_index(traits.body_b);
  LaneKind kind{traits.count <= 2 ? traits.count : kMostPoints, can_move(a) && can_move(b),
                traits.extra || moves_itself[a] != 0 || moves_itself[b] != 0, false};
  kind.round = !kind.extra && traits.count == 1 && may_be_round(traits.body_a, traits.body_b) &&
               (!can_move(a) || are_along(traits.normal, traits.arm_a)) &&
               (!can_move(b) || are_along(traits.normal, traits.arm_b));
  return {kind.index(), place};
}

bool LaneProblem::lay_out(std::span<const LaneKey> keys) {
  if (is_layout_of(keys)) {
    keep_layout();
    return true;
  }
  make_layout(keys);
  data.resize(std::size_t{field_count} * kLanes), records.resize(record_count);
  point_at_nobody();
  return false;
}

void LaneProblem::keep_layout() {
  if (pointed_at_ != nobody()) point_at_nobody();
}

/// Lanes that are not in use read a body that is nobody, and their numbers do no harm.
void LaneProblem::point_at_nobody() {
  pointed_at_ = nobody();
  const auto index = std::bit_cast<float>(static_cast<std::int32_t>(pointed_at_));
  for (const LaneGroup& group : groups) {
    const int size = kLaneInputs[group.kind].size;
    for (int l = group.lanes; l < kLanes; ++l) {
      float* record = records.data() + group.record + l * size;
      std::fill_n(record, size, 0.0f);
      record[0] = index;
      if (lane_kind(group.kind).two_bodies) record[1] = index;
    }
  }
}

bool LaneProblem::was_pushed(std::size_t i) const {
  const LaneSlot& slot = slots[i];
  const LaneFields& f = kLaneFields[slot.kind];
  const float* lane = data.data() + slot.first;
  for (int p = 0; p < lane_kind(static_cast<int>(slot.kind)).points; ++p)
    if (lane[(f.point + p * f.point_size + f.total) * kLanes] > 0 ||
        lane[(f.point + p * f.point_size + f.impulse) * kLanes] > 0)
      return true;
  return false;
}

LaneProblem::SingleImpulse LaneProblem::read_single(std::size_t i, double factor, std::int32_t b) const {
  const LaneSlot& slot = slots[i];
  const LaneFields& f = kLaneFields[slot.kind];
  const float* lane = data.data() + slot.first;
  const auto get = [&](int field) { return factor * double{lane[field * kLanes]}; };
  const double side = side_of(body_of[to_index(b)] < 0);
  const float normal = lane[(f.point + f.impulse) * kLanes];
  return {{factor * double{normal}, get(f.tangent_impulse), side * get(f.tangent_impulse + 1)},
          normal > 0 || lane[(f.point + f.total) * kLanes] > 0};
}

void LaneProblem::read(std::size_t i, Impulses which, double factor, LaneManifold& m) const {
  which == Impulses::last ? read_as<Impulses::last>(i, factor, m) : read_as<Impulses::total>(i, factor, m);
}

template <LaneProblem::Impulses kWhich>
void LaneProblem::read_as(std::size_t i, double factor, LaneManifold& m) const {
  const bool turned = body_of[to_index(m.body_b)] < 0;
  const LaneSlot& slot = slots[i];
  const LaneFields& f = kLaneFields[slot.kind];
  const LaneKind kind = lane_kind(static_cast<int>(slot.kind));
  const float* lane = data.data() + slot.first;
  // Sums hold all sub-steps of what may bounce, and of all others those before the last.
  const auto get = [&](int impulse, int total) {
    if constexpr (kWhich == Impulses::last) return factor * double{lane[impulse * kLanes]};
    return factor * (double{lane[total * kLanes]} + (kind.extra ? 0.0 : double{lane[impulse * kLanes]}));
  };
  const double twist = kind.twists() ? get(f.twist_impulse, f.twist_total) : 0.0;
  const double share = 1.0 / m.count, side = side_of(turned);
  const double force1 = share * get(f.tangent_impulse, f.tangent_total);
  const double force2 = share * get(f.tangent_impulse + 1, f.tangent_total + 1);
  // The force at the middle and the twist as forces at the points: equal shares, and a part that goes round.
  for (int p = 0; p < m.count; ++p) {
    const auto around = [&](int k) {
      return kind.twists() ? twist * double{lane[(f.split + 2 * p + k) * kLanes]} : 0.0;
    };
    const int at = f.point + p * f.point_size;
    m.point[to_index(p)].impulse = {get(at + f.impulse, at + f.total), force1 + around(0), side * (force2 + around(1)),
                                    m.count == 1 && m.spin_radius > 0 ? twist / m.spin_radius : 0.0};
  }
}

}  // namespace cairn
