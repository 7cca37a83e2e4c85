// SPDX-License-Identifier: MIT
// What an exact solver says of a solve: by island how near the answer is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cairn/solvers/stop_reason.h"

namespace cairn {

/// An answer whose residual (natural_map.h) is at most this is called exact.
inline constexpr double kExactResidual = 1e-9;

/// What gave the answer of an island to `exact`, and to the solvers by active sets.
enum class ExactStage {
  start,       ///< the warm start was good enough
  staggered,   ///< active sets, contact and friction in turn
  impulses,    ///< Newton in impulses
  velocities,  ///< proximal Newton in velocities, and Newton in impulses after it
  sweeps,      ///< accelerated sweeps, and both Newtons after them
  reference,   ///< the phases of `reference`
  iterative,   ///< above the limit of size: the iterative solver named in the settings
};
inline constexpr std::size_t kExactStages = 7;
const char* to_string(ExactStage stage);

/// One island of an exact solve.
struct ExactIslandReport {
  std::int64_t contacts = 0, joint_rows = 0;
  ExactStage stage = ExactStage::start;  ///< that found the answer
  StopReason reason = StopReason::converged;
  double residual = 0;     ///< of the island's own problem
  int newton_steps = 0;    ///< of both Newtons
  int factorisations = 0;  ///< of the matrix of bodies, or of QPs
  int sweeps = 0;          ///< of the iterative solver
  int turns = 0;           ///< of staggered projections: one contact and one friction QP each
  int active_sets = 0;     ///< that these QPs were solved for
  int schur_columns = 0;   ///< most at a time, of contact and of friction together
  int unfinished = 0;      ///< QPs whose active sets did not end
};

/// Islands of up to so many contacts are counted apart: large ones may fail where all small ones end.
inline constexpr std::int64_t kSmallIsland = 100;

/// What an exact solve did.
struct ExactReport {
  bool is_given = false;  ///< the solver is one that fills this
  std::int64_t islands = 0;
  std::int64_t exact = 0;                          ///< of these, with a residual of at most kExactResidual
  std::int64_t small = 0, small_exact = 0;         ///< the same of islands of up to kSmallIsland contacts
  std::array<std::int64_t, kExactStages> ended{};  ///< islands by the stage that found their answer
  std::int64_t fallbacks = 0;                      ///< islands that Newton in impulses did not end
  std::int64_t newton_steps = 0, factorisations = 0, sweeps = 0;               ///< of all islands
  std::int64_t turns = 0, active_sets = 0, schur_columns = 0, unfinished = 0;  ///< of all islands
  ExactIslandReport worst;               ///< the first of those with the largest residual
  std::vector<ExactIslandReport> parts;  ///< by island; empty without SolveContext::details
};

/// Counts one island more; `parts` are the caller's.
void add_island(const ExactIslandReport& island, ExactReport& report);

}  // namespace cairn
