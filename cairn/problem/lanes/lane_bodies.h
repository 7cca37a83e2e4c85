// SPDX-License-Identifier: MIT
// LaneBodies: the bodies of a problem as sweeps over lanes see them, in float and scaled by mass.
//
// With M^-1 = L L^T per body (L lower triangular), a body's velocity is u = L u', a row J becomes J' = J L, and an
// impulse changes u' by J'^T lambda. One set of numbers per row serves for reading and writing, whatever the inertia.
// Bodies that cannot move have no record: what they move by stands in the rows (`offset` of LaneFields).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/aligned.h"
#include "cairn/core/index.h"
#include "cairn/core/parallel.h"
#include "cairn/problem/contact_problem.h"

namespace cairn {

/// A body that can move: what a sweep reads and writes, one cache line.
struct alignas(64) LaneBody {
  float velocity[8] = {};      ///< u': linear, angular; two unused
  float displacement[8] = {};  ///< d' since the beginning of the step
};

/// Six numbers in scaled coordinates.
struct alignas(32) LaneMotion {
  float value[8] = {};
};

/// L of a body: its lower triangle by rows for turning, the root of the inverse mass, unused.
struct alignas(32) LaneMass {
  float turn[6] = {};
  float shift = 0;
  float unused = 0;
};

/// What a step has done to a body.
struct BodyStep {
  Velocity velocity;      ///< at the end of the step
  Velocity displacement;  ///< m and rad, over the whole step
};

struct LaneBodies {
  AlignedVector<LaneBody> bodies;          ///< those that can move, then one that is nobody
  AlignedVector<LaneMass> masses;          ///< per record
  AlignedVector<LaneMotion> previous;      ///< per record: u' at the beginning of the sub-step
  AlignedVector<LaneMotion> pull;          ///< per record: a'
  std::vector<std::uint8_t> touched;       ///< per record: it is in a manifold, or a joint acts on it
  std::vector<Velocity> still;             ///< per body of the caller: what of its velocity its record does not hold
  std::vector<std::int32_t> body_of;       ///< per body of the caller: its record, or -1
  std::vector<std::uint8_t> moves_itself;  ///< per body of the caller: `still` is not zero
  std::vector<std::uint8_t> turns_alike;   ///< per body of the caller: it cannot move, or L is one number
  std::uint64_t body_set = 0;              ///< another number whenever one of the three before changed
  std::vector<std::uint8_t> batch_of;      ///< per body of the caller: that of its island; set by the caller

  /// Records of the bodies that can move: u' and a' from velocities and accelerations, L from inverse masses.
  void load_bodies(std::span<const ProblemBody> from, ThreadPool* pool);
  /// The step of body i, after a solve over dt. What no manifold touches moves as if there were no lanes, in double.
  BodyStep read_body(std::size_t i, const ProblemBody& body, double dt, int sub_steps) const;
  /// J L of a row J of body i; zero if it cannot move.
  Velocity scale_row(std::size_t i, const Velocity& row) const;

  bool can_move(std::size_t body) const { return body_of[body] >= 0; }
  /// Whether those of the two bodies that can move turn alike about every axis.
  bool may_be_round(std::int32_t a, std::int32_t b) const {
    return (turns_alike[to_index(a)] & turns_alike[to_index(b)]) != 0;
  }
  /// Says of a body's record that something acts on it.
  void touch(std::int32_t body) {
    if (const std::int32_t record = body_of[to_index(body)]; record >= 0) touched[to_index(record)] = 1;
  }
  /// The record after the last one, which belongs to nobody: lanes that are not in use read and write it.
  std::size_t nobody() const { return bodies.size() - 1; }

 private:
  bool load_numbered(std::span<const ProblemBody> from, ThreadPool* pool);
};

}  // namespace cairn
