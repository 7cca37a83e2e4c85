// SPDX-License-Identifier: MIT
// What a direct solver of joints says of a solve.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cairn {

/// A mechanism some of whose joint rows others imply.
struct MechanismRank {
  std::int32_t joint = 0;      ///< the first of the problem's joints that belongs to it
  std::int32_t rows = 0;       ///< of joints, that hold and that are bounded
  std::int32_t redundant = 0;  ///< by which their rank is smaller than the number of those that take part
};
inline constexpr std::size_t kMostRanks = 8;

/// What a direct solver of joints did.
struct JointReport {
  std::int64_t mechanisms = 0;                  ///< that were solved directly
  std::int64_t programs_built = 0;              ///< symbolic phases of this solve: 0 when all structures were known
  std::int64_t factorisations = 0;              ///< numeric phases, one per mechanism and change of its active rows
  std::int64_t redundant_rows = 0;              ///< rows that others imply: their impulse is left alone
  std::int64_t redundant_mechanisms = 0;        ///< mechanisms that have some
  std::array<MechanismRank, kMostRanks> ranks;  ///< of these the most redundant, the first of equals first
  std::int64_t eliminated = 0;  ///< islands whose contacts were solved with the joints eliminated (joint_elimination.h)
  int active_changes = 0;       ///< times that limits or motors entered or left the direct part
  std::int32_t swept_mechanisms = 0;  ///< that were swept with the contacts (soft_step, joint_choice.h)
};

}  // namespace cairn
