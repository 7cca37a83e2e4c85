// SPDX-License-Identifier: MIT
// How the values of a world become bytes and back. Each `archive` is used for both: with a ByteWriter and a constant
// value it writes, with a ByteReader it fills the value in. What is read is checked where it is used.
#pragma once

#include <optional>
#include <string>
#include <type_traits>

#include "cairn/broad/broad_phase.h"
#include "cairn/core/bytes.h"
#include "cairn/dynamics/body_def.h"

namespace cairn {

template <class T, class Plain>
concept Is = std::is_same_v<std::remove_const_t<T>, Plain>;

template <class A, class T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void archive(A& a, T& x) { a.number(x); }

template <class A, Is<std::string> T>
void archive(A& a, T& x) {
  a.text(x);
}

/// One value after the other.
template <class A, class... T>
void archive_all(A& a, T&... x) {
  (archive(a, x), ...);
}

template <class A, Is<Vec3> T>
void archive(A& a, T& v) {
  archive_all(a, v.x, v.y, v.z);
}
template <class A, Is<Quat> T>
void archive(A& a, T& q) {
  archive_all(a, q.w, q.x, q.y, q.z);
}
template <class A, Is<SymMat3> T>
void archive(A& a, T& m) {
  archive_all(a, m.xx, m.yy, m.zz, m.xy, m.xz, m.yz);
}
template <class A, Is<Pose> T>
void archive(A& a, T& pose) {
  archive_all(a, pose.position, pose.orientation);
}
template <class A, Is<Velocity> T>
void archive(A& a, T& v) {
  archive_all(a, v.linear, v.angular);
}
template <class A, Is<Aabb> T>
void archive(A& a, T& box) {
  archive_all(a, box.lower, box.upper);
}
template <class A, Is<BoundingBall> T>
void archive(A& a, T& ball) {
  archive_all(a, ball.centre, ball.radius);
}
template <class A, Is<BroadPair> T>
void archive(A& a, T& pair) {
  archive_all(a, pair.a, pair.b);
}
template <class A, Is<MassProperties> T>
void archive(A& a, T& mass) {
  archive_all(a, mass.mass, mass.centre, mass.inertia);
}
template <class A, Is<std::optional<MassProperties>> T>
void archive(A& a, T& mass) {
  bool given = mass.has_value();
  archive(a, given);
  if constexpr (A::kReads) {
    if (given) mass.emplace();
  }
  if (mass) archive(a, *mass);
}
template <class A, Is<Material> T>
void archive(A& a, T& m) {
  archive_all(a, m.friction, m.static_friction, m.friction_across, m.grain, m.spin_radius, m.rolling_radius);
  archive_all(a, m.restitution, m.friction_rule, m.restitution_rule);
}

/// Slots, generations and the order in which slots are reused.
template <class A, class State>
requires requires(State s) { s.generation, s.live, s.free; }
void archive(A& a, State& s) {
  a.size(s.generation, 5);
  for (auto& generation : s.generation) archive(a, generation);
  if constexpr (A::kReads) s.live.resize(s.generation.size());
  for (auto& live : s.live) archive(a, live);
  a.size(s.free, 4);
  for (auto& slot : s.free) archive(a, slot);
}

}  // namespace cairn
