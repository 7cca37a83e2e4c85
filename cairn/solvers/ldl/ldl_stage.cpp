// SPDX-License-Identifier: MIT
#include "cairn/solvers/ldl/ldl_stage.h"

#include <algorithm>
#include <utility>

#include "cairn/core/index.h"
#include "cairn/solvers/solver.h"

namespace cairn {

namespace {

constexpr int kMostChanges = 3;  // of the active rows per solve; then bounded rows are left to the sweeps

/// Whether two rows hold the same motion, each within bounds of its own.
bool are_rivals(const JointRow& a, const JointRow& b) {
  return is_bounded(a) && is_bounded(b) && a.compliance == 0 && b.compliance == 0 && a.linear_b == b.linear_b &&
         a.angular_b == b.angular_b && a.linear_a == b.linear_a && a.angular_a == b.angular_a;
}

/// Among the worst, if it is one of them.
void insert_rank(MechanismRank rank, JointReport& report) {
  for (MechanismRank& place : report.ranks)
    if (rank.redundant > place.redundant) std::swap(rank, place);
}

void add_rank(const MechanismRank& rank, JointReport& report) {
  if (rank.redundant == 0) return;
  report.redundant_rows += rank.redundant, ++report.redundant_mechanisms;
  insert_rank(rank, report);
}

}  // namespace

void add_report(const JointReport& from, JointReport& to) {
  to.mechanisms += from.mechanisms, to.swept_mechanisms += from.swept_mechanisms;
  to.programs_built += from.programs_built;
  to.factorisations += from.factorisations, to.active_changes += from.active_changes;
  to.redundant_rows += from.redundant_rows, to.redundant_mechanisms += from.redundant_mechanisms;
  to.eliminated += from.eliminated;
  for (const MechanismRank& rank : from.ranks) insert_rank(rank, to);
}

void LdlStage::load(const JointProblem& problem, std::span<const double> impulse, ThreadPool* pool) {
  problem_ = problem;
  programs_before_ = joints_.programs_built();
  factorisations_before_ = joints_.factorisations();
  taken_.assign(problem.joint_rows.size(), 1);
  has_bounds_ = false;
  for (const JointBlock& joint : problem.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
      const auto row = to_index(k);
      if (!is_bounded(problem.joint_rows[row])) continue;
      has_bounds_ = true;
      taken_[row] = 0;
    }
  if (has_bounds_) find_axes();
  for (std::size_t k = 0; has_bounds_ && k < taken_.size(); ++k)
    if (is_bounded(problem.joint_rows[k]) && is_free(k, impulse[k]) && !axis_is_taken(k)) taken_[k] = 1;
  joints_.prepare(problem, taken_, pool);
  changes_.assign(joints_.mechanism_count(), 0);
  if (has_bounds_) find_mechanisms();
}

/// Rigid rows with bounds of one joint along one axis, as a stop, a drive and friction. A joint of more than six rows
/// has several blocks, which follow each other.
void LdlStage::find_axes() {
  next_on_axis_.resize(taken_.size());
  for (std::size_t k = 0; k < next_on_axis_.size(); ++k) next_on_axis_[k] = k;
  std::size_t begin = 0;  // first row of the joint
  for (std::size_t b = 0; b < problem_.joints.size(); ++b) {
    const JointBlock& joint = problem_.joints[b];
    const bool goes_on =
        b > 0 && problem_.joints[b - 1].body_a == joint.body_a && problem_.joints[b - 1].body_b == joint.body_b;
    if (!goes_on) begin = to_index(joint.first_row);
    for (auto k = to_index(joint.first_row); k < to_index(joint.first_row + joint.row_count); ++k)
      for (std::size_t i = begin; i < k; ++i)
        if (are_rivals(problem_.joint_rows[i], problem_.joint_rows[k])) {
          next_on_axis_[k] = std::exchange(next_on_axis_[i], k);
          break;
        }
  }
}

/// Of rows along one axis the direct method takes one. It would leave out the second as redundant, whatever that asks
/// for: a drive that turns back would never leave its stop.
bool LdlStage::axis_is_taken(std::size_t row) const {
  for (std::size_t k = next_on_axis_[row]; k != row; k = next_on_axis_[k])
    if (taken_[k] != 0) return true;
  return false;
}

/// Which mechanism each row belongs to; rows with bounds that belong to none are left to the sweep.
void LdlStage::find_mechanisms() {
  mechanism_.assign(taken_.size(), -1);
  for (std::size_t m = 0; m < joints_.mechanism_count(); ++m)
    for (const std::int32_t row : joints_.mechanism(m).rows) mechanism_[to_index(row)] = static_cast<std::int32_t>(m);
  for (std::size_t k = 0; k < taken_.size(); ++k)
    if (mechanism_[k] < 0 && is_bounded(problem_.joint_rows[k])) taken_[k] = 0;
}

void LdlStage::begin() {
  is_open_.assign(joints_.mechanism_count(), 1);
  is_first_round_ = true;
}

std::span<const std::uint8_t> LdlStage::left_to_sweep() {
  swept_.assign(taken_.size(), 0);
  for (std::size_t k = 0; k < taken_.size(); ++k)
    if (taken_[k] == 0) swept_[k] = (mechanism_[k] < 0 ? is_first_round_ : is_open(k)) ? 1 : 0;
  return swept_;
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
    if (taken_[k] == 0 || !is_open(k)) minus_y[slot(k)] = 0;
  is_first_round_ = false;
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
    report.joints.active_changes += changes_[i];
  }
}

bool LdlStage::is_free(std::size_t row, double impulse) const {
  const JointRow& mine = problem_.joint_rows[row];
  return mine.lower < impulse && impulse < mine.upper;
}

bool LdlStage::may_change(std::size_t row) const {
  return is_open(row) && changes_[to_index(mechanism_[row])] < kMostChanges;
}

/// Rows that the sweep moved away from their bounds.
void LdlStage::take_freed_rows(std::span<const double> impulse, ThreadPool* pool) {
  has_changed_.assign(changes_.size(), 0);
  bool changed = false;
  for (std::size_t k = 0; k < taken_.size(); ++k) {
    if (taken_[k] != 0 || !may_change(k) || !is_free(k, impulse[slot(k)]) || axis_is_taken(k)) continue;
    taken_[k] = 1, changed = true;
    has_changed_[to_index(mechanism_[k])] = 1;
  }
  if (!changed) return;
  for (std::size_t m = 0; m < changes_.size(); ++m) changes_[m] += has_changed_[m];
  joints_.change_active(problem_, taken_, pool);
}

/// Rows that would leave their bounds stop there, and nothing else of their mechanism changes until it is solved again.
/// Too many changes: all rows of the mechanism with bounds are left to the sweep.
bool LdlStage::leave_held_rows(std::span<const double> impulse, std::span<double> delta, ThreadPool* pool) {
  held_.clear();
  has_changed_.assign(changes_.size(), 0);
  for (std::size_t k = 0; k < taken_.size(); ++k) {
    if (taken_[k] == 0 || !is_open(k)) continue;
    const JointRow& row = problem_.joint_rows[k];
    const double next = impulse[slot(k)] + delta[slot(k)];
    if (next >= row.lower && next <= row.upper) continue;
    if (next < row.lower) held_.push_back({k, row.lower});
    if (next > row.upper) held_.push_back({k, row.upper});
    has_changed_[to_index(mechanism_[k])] = 1;
  }
  is_open_ = has_changed_;
  if (held_.empty()) return false;
  for (std::size_t m = 0; m < changes_.size(); ++m) changes_[m] += has_changed_[m];
  for (std::size_t k = 0; k < taken_.size(); ++k) {
    if (!is_open(k)) continue;
    delta[slot(k)] = 0;
    if (!may_change(k) && is_bounded(problem_.joint_rows[k])) taken_[k] = 0;
  }
  for (const Held& held : held_) {
    delta[slot(held.row)] = held.bound - impulse[slot(held.row)];
    taken_[held.row] = 0;
  }
  joints_.change_active(problem_, taken_, pool);
  return true;
}

}  // namespace cairn
