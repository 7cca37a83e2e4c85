// SPDX-License-Identifier: MIT
// The formulas of the sub-stepped contact solver over wide lanes. Written once over `Wide` (cairn/simd/wide-inl.h) and
// compiled for several instruction sets; which one runs is `chosen_simd` (cairn/simd/simd.h). All give the same bits.
#pragma once

#include "cairn/problem/lanes/lane_problem.h"

namespace cairn {

/// What a sweep does with the sum of an impulse over the sub-steps: nothing; sets it to zero; to the impulse; adds.
enum class LaneSum { none, clear, begin, add };

/// The numbers of one pass, by whether both bodies can move [0] or one cannot [1].
struct LanePass {
  float inverse_h = 0;                   ///< 1/s
  float rate[2] = {};                    ///< 1/s: overlap turned into speed
  float mass_scale[2] = {};              ///< soft rows: share of the rigid step
  float impulse_scale[2] = {};           ///< soft rows: share of the impulse that yields
  float slop = 0;                        ///< m
  float push = 0;                        ///< m/s
  int order = 0;                         ///< 0 to 3: point j ^ order of a manifold comes in turn j
  bool biased = false;                   ///< normals alone, soft and with push-out; else all rows, rigid and without
  bool refresh = false;                  ///< find the separations from the displacements first
  bool last = false;                     ///< of the sub-step
  LaneSum sum = LaneSum::none;           ///< of the impulses; those that may bounce are summed over all sub-steps,
  LaneSum bouncing_sum = LaneSum::none;  ///< all others over all but the last (LaneProblem::read)
};

/// Groups of a problem, as kernels see them.
struct LaneView {
  const LaneGroup* groups = nullptr;
  float* data = nullptr;
  LaneBody* bodies = nullptr;
  const LaneMass* masses = nullptr;
  const float* records = nullptr;  ///< for `prepare`
};

/// groups[begin .. end) of a view; no two of them may share a body.
struct LaneKernels {
  const char* name;
  /// Puts records into fields, turns arms into scaled rows, finds the effective masses and adds the velocities that the
  /// impulses make.
  void (*prepare)(const LaneView& view, std::int64_t begin, std::int64_t end);
  void (*sweep)(const LaneView& view, const LanePass& pass, std::int64_t begin, std::int64_t end);
  /// Lets contacts that came in faster than `bounce_speed` and were pushed leave again (Newton's law).
  void (*bounce)(const LaneView& view, float bounce_speed, std::int64_t begin, std::int64_t end);
};

/// Those of the chosen instruction set.
const LaneKernels& lane_kernels();

}  // namespace cairn
