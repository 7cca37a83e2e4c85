// SPDX-License-Identifier: MIT
// What the joints of soft_step have in common that stand eight side by side: the numbers of the bodies of eight joints,
// in the coordinates of lane records (lane_problem.h), as vectors of double.
#pragma once

#include <cstdint>

#include "cairn/core/index.h"
#include "cairn/problem/lanes/lane_problem.h"
#include "cairn/simd/vectors.h"

namespace cairn {

inline constexpr int kJointLanes = 8;

/// Eight floats each of eight bodies, turned: out[k][lane]. `floats_of(record)` points at them.
template <class FloatsOf>
inline void gather_lanes(const std::int32_t* records, const FloatsOf& floats_of, Double8 (&out)[kJointLanes]) {
  for (int lane = 0; lane < kJointLanes; ++lane) {
    Float8 from;
    get_lanes(floats_of(to_index(records[lane])), from);
    convert(from, out[lane]);
  }
  transpose(out);
}
inline void gather_velocities(const LaneProblem& lanes, const std::int32_t* records, Double8 (&out)[kJointLanes]) {
  gather_lanes(
      records, [&](std::size_t i) { return lanes.bodies[i].velocity; }, out);
}
inline void gather_displacements(const LaneProblem& lanes, const std::int32_t* records, Double8 (&out)[kJointLanes]) {
  gather_lanes(
      records, [&](std::size_t i) { return lanes.bodies[i].displacement; }, out);
}

/// a.u + b.w of eight rows, summed in the order of the columns.
inline void dot(const Double8* a, const Double8* u, const Double8* b, const Double8* w, Double8& sum) {
  sum = a[0] * u[0];
  for (int k = 1; k < 6; ++k) sum += a[k] * u[k];
  for (int k = 0; k < 6; ++k) sum += b[k] * w[k];
}

}  // namespace cairn
