// SPDX-License-Identifier: MIT
// The numbers of manifolds in lanes: which kinds of manifolds there are, where each number of a kind stands in the
// fields of a group (LaneFields), and in which order it is written before a solve (LaneInputs).
//
// A group is kLanes manifolds of one kind. It is one run of floats: fields of kLanes numbers each, lane l of every
// field belonging to one manifold.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cairn/core/index.h"

namespace cairn {

inline constexpr int kLanes = 16;
inline constexpr int kMostPoints = 4;

/// What kind of manifolds a group holds: how many points, whether the first body can move, whether rows have extras. A
/// round one is of bodies that turn alike about every axis, with arms along the normal, as balls have: its normal row
/// turns nothing, and the rows of friction are the tangents times one number per body. Half the fields and less than
/// half the work.
struct LaneKind {
  int points = 1;          ///< 1, 2 or 4; three points stand in a kind of four
  bool two_bodies = true;  ///< else body a cannot move and has no fields
  bool extra = false;      ///< offsets, restitution, anisotropic friction, spin
  bool round = false;      ///< one point, no extras

  constexpr bool twists() const { return points > 1 || extra; }
  constexpr int index() const {
    if (round) return two_bodies ? 13 : 12;
    return (points == 1 ? 0 : points == 2 ? 1 : 2) + (two_bodies ? 3 : 0) + (extra ? 6 : 0);
  }
};
inline constexpr int kLaneKinds = 14;
constexpr LaneKind lane_kind(int index) {
  constexpr int kPoints[3] = {1, 2, 4};
  if (index >= 12) return {1, index == 13, false, true};
  return {kPoints[index % 3], index / 3 % 2 == 1, index >= 6, false};
}

/// Where the fields of a group of one kind begin, in units of kLanes floats: what a soft sweep needs first, then what
/// friction needs, then sums. Rows that read and write both bodies keep those of b first. Before `prepare` the arms
/// stand where the scaled rows go.
struct LaneFields {
  int body_b, body_a;        ///< indices of bodies, as int32
  int normal, tangent;       ///< three each; the second tangent is normal x tangent
  int shift_b, shift_a;      ///< roots of the inverse masses
  int friction;              ///< coefficient
  int turn_b, turn_a;        ///< round: signed arm times root of the inverse inertia; before `prepare` the arm
  int tangent_b, tangent_a;  ///< rows of friction: two times three; not if round
  int tangent_mass;          ///< inverse of the 2 x 2 block: 11, 12, 22; round: the one number on its diagonal
  int tangent_impulse;       ///< two
  int tangent_total;         ///< two: over the sub-steps so far
  int twist_b, twist_a;      ///< row of turning about the normal; points > 1 or extra
  int twist_mass, twist_impulse, twist_total;
  int twist_radius;       ///< bound of the twist impulse per friction and normal impulse
  int point, point_size;  ///< first point, fields per point
  int row_b, row_a, mass, gap, separation, impulse, total;  ///< within a point
  int offset, restitution, approach;                        ///< within a point, extra
  int tangent_offset, twist_offset, anisotropy;  ///< extra: two, one, one (second coefficient over the first)
  int split;                  ///< points > 1 or extra: two per point, what a unit of twist is as a force along the
                              ///< tangents there; before `prepare` the impulses of the point along them
  int soft_size, rigid_size;  ///< fields that a soft sweep reads are among these first ones; and a rigid one
  int size;                   ///< fields of the group
};
constexpr LaneFields lane_fields(LaneKind kind) {
  LaneFields f{};
  int next = 0;
  const auto take = [&](int count) {
    const int at = next;
    next += count;
    return at;
  };
  const int a = kind.two_bodies ? 1 : 0, full = kind.round ? 0 : 1, twist = kind.twists() ? 1 : 0;
  f.row_b = take(3 * full), f.row_a = take(3 * a * full);
  f.mass = take(1), f.separation = take(1), f.impulse = take(1);
  if (kind.extra) f.offset = take(1);
  f.gap = take(1), f.total = take(1);
  if (kind.extra) f.restitution = take(1), f.approach = take(1);
  f.point_size = next;
  next = 0;
  f.body_b = take(1), f.body_a = take(a);
  f.normal = take(3), f.shift_b = take(1), f.shift_a = take(a);
  f.point = take(kind.points * f.point_size);
  f.soft_size = next;
  f.tangent = take(3), f.friction = take(1);
  f.turn_b = take(1 - full), f.turn_a = take((1 - full) * a);
  f.tangent_b = take(6 * full), f.tangent_a = take(6 * a * full), f.tangent_mass = take(kind.round ? 1 : 3);
  f.tangent_impulse = take(2);
  f.twist_b = take(3 * twist), f.twist_a = take(3 * twist * a);
  f.twist_mass = take(twist), f.twist_impulse = take(twist), f.twist_radius = take(twist);
  if (kind.extra) f.tangent_offset = take(2), f.twist_offset = take(1), f.anisotropy = take(1);
  f.rigid_size = next;
  f.tangent_total = take(2), f.twist_total = take(twist);
  f.split = take(2 * twist * kind.points);
  f.size = next;
  return f;
}

/// What is written of a manifold before a solve: one record, the numbers of which go to fields of its lane. Fields of a
/// lane are a cache line apart and share it with fifteen other manifolds, maybe of other threads; a record has its own.
/// Turned into fields sixteen at a time (`prepare`), records cost less than writing number by number where they belong.
struct LaneInputs {
  static constexpr int kMostNumbers = 80, kMostFields = 160;
  int size = 0;                           ///< numbers of a record, a multiple of four
  std::int16_t field[kMostNumbers] = {};  ///< where each number goes; -1: nowhere
  std::int16_t number[kMostFields] = {};  ///< of the field in the record; -1: none
};
constexpr LaneInputs lane_inputs(LaneKind kind) {
  const LaneFields f = lane_fields(kind);
  LaneInputs in;
  for (std::int16_t& field : in.field) field = -1;
  for (std::int16_t& number : in.number) number = -1;
  const auto add = [&](int field, int count) {
    for (int k = 0; k < count; ++k) {
      in.number[field + k] = static_cast<std::int16_t>(in.size);
      in.field[in.size++] = static_cast<std::int16_t>(field + k);
    }
  };
  const int a = kind.two_bodies ? 1 : 0, full = kind.round ? 0 : 1, extra = kind.extra ? 1 : 0;
  add(f.body_b, 1), add(f.body_a, a);
  add(f.normal, 3), add(f.tangent, 3), add(f.friction, 1);
  add(f.turn_b, 1 - full), add(f.turn_a, (1 - full) * a);
  for (int i = 0; i < kind.points; ++i) {
    const int at = f.point + i * f.point_size;
    add(at + f.row_b, 3 * full), add(at + f.row_a, 3 * a * full);
    add(at + f.mass, full), add(at + f.gap, 1), add(at + f.impulse, 1);
    add(at + f.offset, extra), add(at + f.restitution, extra), add(at + f.approach, extra);
  }
  const int split = kind.twists() ? 1 : 0;
  add(f.tangent_impulse, 2 * (1 - split)), add(f.split, 2 * split * kind.points);
  add(f.twist_impulse, extra), add(f.twist_radius, extra);
  add(f.tangent_offset, 2 * extra), add(f.twist_offset, extra), add(f.anisotropy, extra);
  in.size = (in.size + 3) / 4 * 4;
  return in;
}

/// Both tables of each kind, for code that learns the kind at run time.
inline constexpr std::array<LaneFields, kLaneKinds> kLaneFields = [] {
  std::array<LaneFields, kLaneKinds> table{};
  for (int k = 0; k < kLaneKinds; ++k) table[to_index(k)] = lane_fields(lane_kind(k));
  return table;
}();
inline constexpr std::array<LaneInputs, kLaneKinds> kLaneInputs = [] {
  std::array<LaneInputs, kLaneKinds> table{};
  for (int k = 0; k < kLaneKinds; ++k) table[to_index(k)] = lane_inputs(lane_kind(k));
  return table;
}();

}  // namespace cairn
