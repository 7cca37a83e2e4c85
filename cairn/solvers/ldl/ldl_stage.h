// SPDX-License-Identifier: MIT
// LdlStage: the joints of a sweep by the block LDL, bounds included.
//
// Rows without bounds are always taken; a row with bounds is while its impulse lies between them. That is decided
// mechanism by mechanism: one that changes its rows is solved again, the others are left as they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/aligned.h"
#include "cairn/core/index.h"
#include "cairn/solvers/joint_stage.h"
#include "cairn/solvers/ldl/ldl_joints.h"
#include "cairn/solvers/solver.h"

namespace cairn {

class LdlStage : public JointStage {
 public:
  LdlStage(const LdlSettings& settings, bool is_in_every_sweep)
      : joints_(settings), is_in_every_sweep_(is_in_every_sweep) {}

  void load(const JointProblem& problem, std::span<const double> impulse, ThreadPool* pool) override;
  void begin() override;
  bool is_in_every_sweep() const override { return is_in_every_sweep_; }
  std::span<const std::uint8_t> taken() const override { return taken_; }
  bool solve(std::span<const double> y, std::span<const double> impulse, std::span<double> delta,
             ThreadPool* pool) override;
  void describe(SolveReport& report) const override;

  /// The same by slots (ldl_joints.h), and with -y, which is not kept.
  bool solve_slots(std::span<double> minus_y, std::span<const double> impulse, std::span<double> delta,
                   ThreadPool* pool);
  std::span<const std::int32_t> slots() const { return joints_.slots(); }
  std::size_t slot_count() const { return joints_.slot_count(); }
  bool has_bounds() const { return has_bounds_; }
  /// Per joint row: 1 where the row has bounds, is not taken, and its mechanism is still being solved.
  std::span<const std::uint8_t> left_to_sweep();

 private:
  struct Held {
    std::size_t row = 0;
    double bound = 0;
  };

  std::size_t slot(std::size_t row) const { return to_index(joints_.slots()[row]); }
  bool is_open(std::size_t row) const { return mechanism_[row] >= 0 && is_open_[to_index(mechanism_[row])] != 0; }
  bool may_change(std::size_t row) const;
  void find_axes();
  bool axis_is_taken(std::size_t row) const;
  void find_mechanisms();
  bool is_free(std::size_t row, double impulse) const;
  void take_freed_rows(std::span<const double> impulse, ThreadPool* pool);
  bool leave_held_rows(std::span<const double> impulse, std::span<double> delta, ThreadPool* pool);

  LdlJoints joints_;
  const bool is_in_every_sweep_;
  JointProblem problem_;  ///< during a solve
  bool has_bounds_ = false;
  bool is_first_round_ = false;            ///< of the present sweep
  std::vector<int> changes_;               ///< per mechanism: of its active rows, in this solve
  std::vector<std::uint8_t> is_open_;      ///< per mechanism: to be solved in this round
  std::vector<std::uint8_t> has_changed_;  ///< per mechanism: its active rows, scratch
  std::vector<std::int32_t> mechanism_;    ///< per joint row; -1: none
  std::vector<std::size_t>
      next_on_axis_;  ///< per joint row: another one along the same axis, in a circle; itself: none
  std::int64_t programs_before_ = 0, factorisations_before_ = 0;
  std::vector<std::uint8_t> taken_, swept_;          ///< per joint row
  AlignedVector<double> minus_y_, impulse_, delta_;  ///< per slot, of `solve`
  std::vector<Held> held_;                           ///< scratch
};

/// Counts added up, and the worst of both.
void add_report(const JointReport& from, JointReport& to);

}  // namespace cairn
