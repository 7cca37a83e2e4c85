// SPDX-License-Identifier: MIT
// JointChoice: which mechanisms of a step are solved directly (lane_joints.h) and which are swept (swept_joints.h).
//
// A direct solve is exact and costs a factor of the mechanism's matrix per step; a sweep costs as much as a contact and
// leaves joints some millimetres apart where much happens. So a mechanism is solved directly if that is cheap, or if
// sweeps could not hold it and its factor is within bounds:
//
//   cheap  flops of the factor per joint at most kCheap
//   heavy  mass ratio of its bodies times its depth (joints from what holds it to the farthest body) above kHeavy
//   driven by motors and servos, whose forces must reach the far end within a step; or with locked axes, which must
//          hold exactly
//
// The choice depends on the mechanism alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/solvers/joint_problem.h"
#include "cairn/solvers/ldl/ldl_cache.h"
#include "cairn/solvers/ldl/ldl_structure.h"

namespace cairn {

/// How soft_step solves joints.
enum class JointSolve {
  automatic,  ///< as it is best for each mechanism
  direct,     ///< all by the block LDL
  sweeps,     ///< all by sweeps, but for mechanisms with locked axes
};

class JointChoice {
 public:
  JointChoice() : cache_(LdlProgramSettings{}) {}

  /// For every mechanism of the problem. A warm call with mechanisms of known structure allocates nothing.
  void choose(const JointProblem& problem, JointSolve wanted, ThreadPool* pool);

  /// Per joint; empty: none is.
  std::span<const std::uint8_t> is_swept() const { return is_swept_; }
  bool is_swept(std::size_t joint) const { return !is_swept_.empty() && is_swept_[joint] != 0; }
  std::int64_t swept_mechanisms() const { return swept_; }
  const LdlMechanism& mechanism(std::size_t m) const { return mechanisms_[m]; }
  /// Of the mechanisms that are swept, those that hang on something at rest and that no drive, spring or compliance can
  /// give energy to.
  std::span<const std::size_t> passive() const { return passive_; }
  /// Another number whenever joints, kinds of rows and bodies, or the choice are others. Never 0.
  std::uint64_t generation() const { return generation_; }

 private:
  /// What of a mechanism does not change while its structure is the same.
  struct Cost {
    bool is_cheap = true, fits = true;
    std::int32_t depth = 0;
    bool is_held = false;  ///< by what cannot move
  };

  Cost find_cost(const JointProblem& problem, const LdlMechanism& mechanism);
  std::int32_t find_depth(const LdlMechanism& mechanism);
  bool sweeps(const JointProblem& problem, std::size_t mechanism, JointSolve wanted) const;
  bool is_passive(const JointProblem& problem, std::size_t mechanism) const;

  LdlCache cache_;
  LdlMechanismFinder finder_;
  std::vector<LdlMechanism> mechanisms_;  ///< the first mechanism_count_ are in use
  std::size_t mechanism_count_ = 0;
  std::vector<Cost> costs_;  ///< per mechanism
  std::vector<std::uint8_t> is_swept_, next_;
  std::int64_t swept_ = 0;
  std::vector<std::size_t> passive_;
  std::uint64_t generation_ = 1;
  std::vector<std::int32_t> distance_;  ///< scratch: per body of a mechanism
};

}  // namespace cairn
