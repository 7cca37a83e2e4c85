// SPDX-License-Identifier: MIT
#include "cairn/solvers/ldl_pgs.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cairn/solvers/ldl_joints.h"

namespace cairn {

namespace {

constexpr int kMostChanges = 3;  // of the active rows per solve; then bounded rows are left to the sweeps

ProxSettings prox_settings(const LdlPgsSettings& settings) {
  ProxSettings prox;
  prox.iterations = settings.iterations;
  prox.tolerance = settings.tolerance;
  prox.acceleration = settings.acceleration;
  prox.depth = settings.depth;
  return prox;
}

LdlSettings ldl_settings(const LdlPgsSettings& settings) {
  return {{settings.hubs, settings.ordering, settings.hub_rows}, {settings.eps, settings.redundant}, settings.batching};
}

/// Rows without bounds are always taken; a row with bounds is while its impulse lies between them.
class LdlStage : public JointStage {
 public:
  explicit LdlStage(const LdlPgsSettings& settings)
      : joints_(ldl_settings(settings)), is_in_every_sweep_(settings.coupling == LdlCoupling::block) {}

  void load(const ContactProblem& problem, std::span<const double> impulse, ThreadPool* pool) override {
    problem_ = &problem;
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

  bool is_in_every_sweep() const override { return is_in_every_sweep_; }
  std::span<const std::uint8_t> taken() const override { return taken_; }

  bool solve(std::span<const double> y, std::span<const double> impulse, std::span<double> delta,
             ThreadPool* pool) override {
    if (has_bounds_) take_freed_rows(impulse, pool);
    rhs_.resize(y.size());
    for (std::size_t k = 0; k < y.size(); ++k) rhs_[k] = -y[k];
    const int refinements = is_in_every_sweep_ ? 0 : 1;  // sweeps to come do the same
    joints_.solve_joints(rhs_, delta, refinements, pool);
    return has_bounds_ && leave_held_rows(impulse, delta, pool);
  }

  void describe(SolveReport& report) const override {
    report.joints.mechanisms = static_cast<std::int64_t>(joints_.mechanism_count());
    report.joints.programs_built = joints_.programs_built() - programs_before_;
    report.joints.factorisations = joints_.factorisations() - factorisations_before_;
    for (std::size_t i = 0; i < joints_.mechanism_count(); ++i) add_rank(i, report.joints);
    report.joints.active_changes = changes_;
  }

 private:
  void add_rank(std::size_t mechanism, JointReport& report) const {
    const LdlMechanism& mine = joints_.mechanism(mechanism);
    MechanismRank rank{mine.block_joint[0], static_cast<std::int32_t>(mine.rows.size()),
                       joints_.redundant_rows(mechanism)};
    if (rank.redundant == 0) return;
    report.redundant_rows += rank.redundant, ++report.redundant_mechanisms;
    for (MechanismRank& place : report.ranks)
      if (rank.redundant > place.redundant) std::swap(rank, place);
  }

  bool is_free(std::size_t row, double impulse) const {
    const JointRow& mine = problem_->joint_rows[row];
    return mine.lower < impulse && impulse < mine.upper;
  }

  /// Rows that the sweep moved away from their bounds.
  void take_freed_rows(std::span<const double> impulse, ThreadPool* pool) {
    if (changes_ >= kMostChanges) return;
    bool changed = false;
    for (std::size_t k = 0; k < taken_.size(); ++k)
      if (taken_[k] == 0 && is_free(k, impulse[k])) taken_[k] = 1, changed = true;
    if (!changed) return;
    ++changes_;
    joints_.change_active(*problem_, taken_, pool);
  }

  /// Rows that would leave their bounds stop there, and nothing else changes until the others are solved again. Too
  /// many changes: all rows with bounds are left to the sweep.
  bool leave_held_rows(std::span<const double> impulse, std::span<double> delta, ThreadPool* pool) {
    held_.clear();
    for (std::size_t k = 0; k < taken_.size(); ++k) {
      const JointRow& row = problem_->joint_rows[k];
      const double next = impulse[k] + delta[k];
      if (taken_[k] == 0 || (next >= row.lower && next <= row.upper)) continue;
      if (next < row.lower) held_.push_back({k, row.lower});
      if (next > row.upper) held_.push_back({k, row.upper});
    }
    if (held_.empty()) return false;
    std::fill(delta.begin(), delta.end(), 0.0);
    for (const Held& held : held_) {
      delta[held.row] = held.bound - impulse[held.row];
      taken_[held.row] = 0;
    }
    if (++changes_ >= kMostChanges)
      for (std::size_t k = 0; k < taken_.size(); ++k)
        if (is_bounded(problem_->joint_rows[k])) taken_[k] = 0;
    joints_.change_active(*problem_, taken_, pool);
    return true;
  }

  struct Held {
    std::size_t row = 0;
    double bound = 0;
  };

  LdlJoints joints_;
  const bool is_in_every_sweep_;
  const ContactProblem* problem_ = nullptr;  ///< during a solve
  bool has_bounds_ = false;
  int changes_ = 0;
  std::int64_t programs_before_ = 0, factorisations_before_ = 0;
  std::vector<std::uint8_t> taken_;
  std::vector<double> rhs_;
  std::vector<Held> held_;  ///< scratch
};

void add_notes(SolveReport& report) {
  const JointReport& joints = report.joints;
  if (joints.redundant_rows > 0)
    report.notes.push_back(
        fmt::format("{} joint rows are implied by others (closed loops): they are left out of the direct solve",
                    joints.redundant_rows));
}

}  // namespace

std::unique_ptr<JointStage> make_ldl_stage(const LdlPgsSettings& settings) {
  return std::make_unique<LdlStage>(settings);
}

LdlPgsSolver::LdlPgsSolver(const LdlPgsSettings& settings)
    : elimination_(ldl_settings(settings)),
      most_eliminated_(settings.coupling == LdlCoupling::block ? settings.eliminate : 0),
      prox_(prox_settings(settings), make_ldl_stage(settings)) {}

SolveReport LdlPgsSolver::solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) {
  int eliminated = 0;
  if (most_eliminated_ > 0 && !problem.joints.empty() && !problem.contacts.empty()) {
    validate(problem, context.pool);
    eliminated = elimination_.run(problem, most_eliminated_, solution, context.pool);
  }
  SolveReport report = prox_.solve(problem, solution, context);
  report.joints.eliminated = eliminated;
  if (context.details) add_notes(report);
  return report;
}

SolveReport LdlPgsSolver::solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) {
  return prox_.solve(problem, solution, context);
}

}  // namespace cairn
