// SPDX-License-Identifier: MIT
// What a sweep over wide lanes costs at least: fields and records it must read and write, and its arithmetic, counted
// from the layout (lane_problem.h) and the formulas (lane_kernels.cpp). The measure of a roofline; a test finds the
// fields by trial.
#pragma once

#include "cairn/problem/lanes/lane_problem.h"

namespace cairn {

/// The two sweeps of a sub-step: normals, soft; separations, then normals, friction, normals, rigid.
enum class LaneSweep { soft, rigid };

/// Per manifold. A field that is only written is read as well, with its cache line.
struct LaneWork {
  int fields_read = 0, fields_written = 0;    ///< floats of the group
  int records_read = 0, records_written = 0;  ///< quarters of a body's record
  int flops = 0;                              ///< additions, multiplications, divisions, roots, minima and maxima

  constexpr int bytes() const {
    constexpr int kQuarter = sizeof(LaneBody) / 4;
    return static_cast<int>(sizeof(float)) * (fields_read + fields_written) +
           kQuarter * (records_read + records_written);
  }
};

namespace lane_work_parts {

/// Arithmetic of the parts, with a = 1 where both bodies move. dot 5, cross 9, a factor on a vector 3, a sum 3.
constexpr int turning(int a) { return 5 + 6 * a; }  ///< of a row: one dot per body and a difference
constexpr int turn(int a) { return 6 + 6 * a; }     ///< angular velocities by an impulse
constexpr int ends(int a) { return (3 + 6 * a) + (2 + a) + (6 + 6 * a); }  ///< relative velocity, masses, storing

/// y, step, projection, what it changes.
constexpr int soft_point(int a, int extra) { return turning(a) + 17 + extra + turn(a); }
constexpr int rigid_point(int a, int extra) { return turning(a) + 10 + extra + turn(a); }
constexpr int along = 5, given = 6;  ///< before and after the points

constexpr int friction(int points, int a, int twist, int extra) {
  const int pair = 2 * (5 + 1 + turning(a)) + 8 + 3 + 1 + 2 + 2 + 2 + 2 * turn(a) + 9;
  return points + twist * (turning(a) + 6 + turn(a)) + pair + extra * (1 + 2 + 3);
}
constexpr int separations(int points, int a) { return (3 + 6 * a) + 5 + points * (7 + 6 * a); }

/// Round manifolds (lane_balls-inl.h), line by line.
constexpr int ball_relative(int a) { return 3 + 6 * a; }
constexpr int ball_soft(int a) { return ball_relative(a) + 5 + 12 + 1 + 3 + 6 + 6 * a; }
constexpr int ball_friction(int a) { return 9 + ball_relative(a) + 2 * 13 + 3 + 1 + 3 + 2; }
constexpr int ball_rigid(int a) {
  const int normal = ball_relative(a) + 6 + ball_relative(a) + 5 + 5;
  return normal + ball_friction(a) + 2 + 16 + 9 + 12 + 12 * a;
}

}  // namespace lane_work_parts

constexpr LaneWork ball_work(int bodies, LaneSweep sweep) {
  namespace parts = lane_work_parts;
  LaneWork work;
  const int common = 2 * bodies + 3;  // indices, roots of the inverse masses, normal
  if (sweep == LaneSweep::soft) {
    work.fields_read = common + 3, work.fields_written = 1;  // mass, separation, impulse; impulse
    work.records_read = work.records_written = bodies;       // linear velocities
    work.flops = parts::ball_soft(bodies - 1);
    return work;
  }
  work.fields_read =
      common + 4 + 3 + 1 + bodies + 1 + 2 + 3;  // with gap; tangent, coefficient, turns, mass, impulses, sums
  work.fields_written = 2 + 2 + 3;              // separation, impulses, sums
  work.records_read = 3 * bodies, work.records_written = 2 * bodies;
  work.flops = parts::ball_rigid(bodies - 1) + 3;
  return work;
}

constexpr LaneWork lane_work(LaneKind kind, LaneSweep sweep) {
  namespace parts = lane_work_parts;
  const int p = kind.points, a = kind.two_bodies ? 1 : 0, extra = kind.extra ? 1 : 0;
  const int twist = kind.twists() ? 1 : 0, bodies = 1 + a;
  if (kind.round) return ball_work(bodies, sweep);
  LaneWork work;
  const int common = 2 * bodies + 3;  // indices, roots of the inverse masses, normal
  const int row = 3 * bodies;
  if (sweep == LaneSweep::soft) {
    work.fields_read = common + p * (row + 3 + extra);  // mass, separation, impulse; offset
    work.fields_written = p;                            // impulse
    work.records_read = work.records_written = 2 * bodies;
    work.flops = parts::ends(a) + parts::along + parts::given + p * parts::soft_point(a, extra);
    return work;
  }
  const int pair = 3 + 1 + 2 * row + 3 + 2;          // tangent, coefficient, rows, masses, impulses
  const int turned = twist * (row + 3) + extra * 4;  // row, mass, impulse, radius; offsets, anisotropy
  const int points = p * (row + 4 + extra);          // mass, gap, impulse, separation; offset
  const int sums = 2 + twist + p;                    // of the impulses of all sub-steps
  work.fields_read = common + pair + turned + points + sums;
  work.fields_written = 2 + twist + p * 2 + sums;  // impulses, separations
  work.records_read = 4 * bodies, work.records_written = 2 * bodies;
  work.flops = parts::ends(a) + 9 + parts::separations(p, a) +
               2 * (parts::along + parts::given + p * parts::rigid_point(a, extra)) +
               parts::friction(p, a, twist, extra) + 9 + sums;
  return work;
}

}  // namespace cairn
