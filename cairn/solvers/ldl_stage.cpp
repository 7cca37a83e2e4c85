// SPDX-License-Identifier: MIT
#include "cairn/solvers/ldl_stage.h"

#include <algorithm>
#include <utility>

#include "cairn/solvers/solver.h"

namespace cairn {

namespace {

constexpr int kMostChanges = 3;  // of the active rows per solve; then bounded rows are left to the sweeps

void add_rank(MechanismRank rank, JointReport& report) {
  if (rank.redundant == 0) return;
  report.redundant_rows += rank.redundant, ++report.redundant_mechanisms;
  for (MechanismRank& place : report.ranks)
    if (rank.redundant > place.redundant) std::swap(rank, place);
}

}  // namespace

void LdlStage::load(const JointProblem& problem, std::span<const double> impulse, ThreadPool* pool) {
  problem_ = problem;
  changes_ = 0;
  programs_before_ = joints_.programs_built();
  factorisations_before_ = joints_.factorisations();
  taken_.assign(problem.joint_rows.size(), 1);
  has_bounds_ = false;
  for (std::size_t k = 0; k < taken_.size(); ++k) {
    const bool bounded = is_bounded(problem.joint_rows[k]);
    has_bounds_ = has_bounds_ || bounded;
    if (bounded) taken_[k] = is_free(k, impulse[k]) ? 1 : 0;
  }
  joints_.prepare(problem, taken_, pool);
}

bool LdlStage::solve(std::span<const double> y, std::span<const double> impulse, std::span<double> delta,
                     ThreadPool* pool) {
  for (AlignedVector<double>* array : {&minus_y_, &impulse_, &delta_}) array->resize(slot_count());
  for (std::size_t k = 0; k < y.size(); ++k) {
    minus_y_[slot(k)] = -y[k];
    if (has_bounds_) impulse_[slot(k)] = impulse[k];
  }
  const bool again = solve_slots(minus_y_, impulse_, delta_, pool);
  for (std::size_t k = 0; k < y.size(); ++k) delta[k] = delta_[slot(k)];
  return again;
}

bool LdlStage::solve_slots(std::span<double> minus_y, std::span<const double> impulse, std::span<double> delta,
                           ThreadPool* pool) {
  if (has_bounds_) take_freed_rows(impulse, pool);
  for (std::size_t k = 0; has_bounds_ && k < taken_.size(); ++k)
    if (taken_[k] == 0) minus_y[slot(k)] = 0;
  const int refinements = is_in_every_sweep_ ? 0 : 1;  // sweeps to come do the same
  joints_.solve_slots(minus_y, delta, refinements, pool);
  return has_bounds_ && leave_held_rows(impulse, delta, pool);
}

void LdlStage::describe(SolveReport& report) const {
  report.joints.mechanisms = static_cast<std::int64_t>(joints_.mechanism_count());
  report.joints.programs_built = joints_.programs_built() - programs_before_;
  report.joints.factorisations = joints_.factorisations() - factorisations_before_;
  for (std::size_t i = 0; i < joints_.mechanism_count(); ++i) {
    const LdlMechanism& mechanism = joints_.mechanism(i);
    add_rank({mechanism.block_joint[0], static_cast<std::int32_t>(mechanism.rows.size()), joints_.redundant_rows(i)},
             report.joints);
  }
  report.joints.active_changes = changes_;
}

bool LdlStage::is_free(std::size_t row, double impulse) const {
  const JointRow& mine = problem_.joint_rows[row];
  return mine.lower < impulse && impulse < mine.upper;
}

/// Rows that the sweep moved away from their bounds.
void LdlStage::take_freed_rows(std::span<const double> impulse, ThreadPool* pool) {
  if (changes_ >= kMostChanges) return;
  bool changed = false;
  for (std::size_t k = 0; k < taken_.size(); ++k)
    if (taken_[k] == 0 && is_free(k, impulse[slot(k)])) taken_[k] = 1, changed = true;
  if (!changed) return;
  ++changes_;
  joints_.change_active(problem_, taken_, pool);
}

/// Rows that would leave their bounds stop there, and nothing else changes until the others are solved again. Too
/// many changes: all rows with bounds are left to the sweep.
bool LdlStage::leave_held_rows(std::span<const double> impulse, std::span<double> delta, ThreadPool* pool) {
  held_.clear();
  for (std::size_t k = 0; k < taken_.size(); ++k) {
    const JointRow& row = problem_.joint_rows[k];
    const double next = impulse[slot(k)] + delta[slot(k)];
    if (taken_[k] == 0 || (next >= row.lower && next <= row.upper)) continue;
    if (next < row.lower) held_.push_back({k, row.lower});
    if (next > row.upper) held_.push_back({k, row.upper});
  }
  if (held_.empty()) return false;
  std::fill(delta.begin(), delta.end(), 0.0);
  for (const Held& held : held_) {
    delta[slot(held.row)] = held.bound - impulse[slot(held.row)];
    taken_[held.row] = 0;
  }
  if (++changes_ >= kMostChanges)
    for (std::size_t k = 0; k < taken_.size(); ++k)
      if (is_bounded(problem_.joint_rows[k])) taken_[k] = 0;
  joints_.change_active(problem_, taken_, pool);
  return true;
}

}  // namespace cairn
