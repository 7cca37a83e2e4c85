// SPDX-License-Identifier: MIT
// LdlJoints: all joints of a problem solved at once, mechanism by mechanism. The door to the block LDL for solvers.
//
//   prepare(problem)            structure, programs (cached), factors: once per step, or sub-step
//   solve_joints(rhs, impulse)  H impulse = rhs, H = J M^-1 J^T + G over active rows: as often as wanted
//
// Mechanisms with the same structure are factored eight at a time. The result does not depend on that, nor on the
// number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/aligned.h"
#include "cairn/core/parallel.h"
#include "cairn/solvers/ldl/ldl_cache.h"
#include "cairn/solvers/ldl/ldl_factor.h"
#include "cairn/solvers/ldl/ldl_structure.h"

namespace cairn {

struct LdlSettings {
  LdlProgramSettings program;
  LdlRegularisation regularisation;
  bool batching = true;  ///< mechanisms with the same structure eight at a time
};

class LdlJoints {
 public:
  explicit LdlJoints(const LdlSettings& settings) : settings_(settings), cache_(settings.program) {}

  /// The mechanisms of a problem and their programs, the first part of `prepare`.
  void find(const JointProblem& problem, ThreadPool* pool);
  /// The second part: their factors.
  void factor(const JointProblem& problem, std::span<const std::uint8_t> is_active, ThreadPool* pool,
              std::span<const std::uint8_t> is_picked = {});
  /// `is_active` per joint row: rows that are not keep the impulse 0; empty: rows without bounds are active.
  /// `is_picked` per mechanism: only these are factored and solved, the others get no impulses or any; empty: all. A
  /// warm call with mechanisms of known structure allocates nothing.
  void prepare(const JointProblem& problem, std::span<const std::uint8_t> is_active, ThreadPool* pool,
               std::span<const std::uint8_t> is_picked = {});

  /// Other rows active, nothing else changed: factors the mechanisms concerned again.
  void change_active(const JointProblem& problem, std::span<const std::uint8_t> is_active, ThreadPool* pool);

  /// Per joint row. Rows that are not active, redundant, or of bodies that cannot move get 0.
  void solve_joints(std::span<const double> rhs, std::span<double> impulse, int refinements, ThreadPool* pool);

  /// The same in the order in which the factors read and write, so that nothing is moved about. Rows that are not
  /// active must be 0 in `rhs`.
  void solve_slots(std::span<const double> rhs, std::span<double> impulse, int refinements, ThreadPool* pool);
  /// Where each joint row stands in it, by joint row. Equal rows of mechanisms that are factored together stand side by
  /// side, from a multiple of eight on; slots of lanes without a mechanism belong to no row.
  std::span<const std::int32_t> slots() const { return slots_; }
  std::size_t slot_count() const { return slot_count_; }

  std::size_t mechanism_count() const { return mechanism_count_; }
  std::int64_t programs_built() const { return cache_.built(); }   ///< so far
  std::int64_t factorisations() const { return factorisations_; }  ///< so far, one per mechanism
  std::int64_t redundant_rows() const;                             ///< of the last factorisation, over all mechanisms
  std::int32_t redundant_rows(std::size_t mechanism) const;
  const LdlMechanism& mechanism(std::size_t i) const { return mechanisms_[i]; }
  const LdlProgram& program(std::size_t i) const { return *programs_[i].program; }

 private:
  /// Mechanisms that are factored together: members [first, first + count) of members_.
  struct Unit {
    std::size_t first = 0;
    int count = 0, lanes = 1;
    std::size_t first_slot = 0;
    bool is_picked = true;  ///< is to be solved
    bool is_dirty = true;   ///< is to be factored
  };
  struct Place {
    std::int32_t unit = 0, lane = 0;
  };

  void find_programs();
  void form_units();
  void number_slots(std::size_t rows);
  void pick_units(std::span<const std::uint8_t> is_picked);
  void factor_dirty(const JointProblem& problem, ThreadPool* pool);

  LdlSettings settings_;
  LdlCache cache_;
  LdlMechanismFinder finder_;
  std::vector<LdlMechanism> mechanisms_;  ///< the first mechanism_count_ are in use
  std::size_t mechanism_count_ = 0;
  std::vector<LdlCache::Entry> programs_;  ///< per mechanism
  std::vector<std::int32_t> members_;      ///< mechanisms by program
  std::vector<Unit> units_;
  std::vector<LdlFactor> factors_;       ///< per unit; more are kept
  std::vector<Place> places_;            ///< per mechanism
  std::vector<std::uint8_t> is_active_;  ///< per joint row
  std::vector<std::int32_t> slots_;      ///< per joint row
  std::size_t slot_count_ = 0;
  AlignedVector<double> rhs_, impulse_;  ///< per slot, of solve_joints
  std::int64_t factorisations_ = 0;
};

}  // namespace cairn
