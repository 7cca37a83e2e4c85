// SPDX-License-Identifier: MIT
#include "cairn/solvers/staggered/staggered_island.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/solvers/island_parts.h"

namespace cairn {

namespace {

constexpr int kMostSets = 100;     // active sets of one QP at a time
constexpr double kRelaxed = 0.7;   // of a step, where the answer does not get better
constexpr double kBetter = 0.999;  // of the best residual: what counts as progress
constexpr double kEqual = 1e-12;   // residuals that differ by less are the same
constexpr int kMostUnfinished = 3;
constexpr int kRelaxAfter = 15;  // turns without progress

}  // namespace

class StaggeredIsland::Judge {
 public:
  virtual ~Judge() = default;
  virtual double residual(std::span<const double> impulse) = 0;
};

class StaggeredIsland::ContactJudge : public Judge {
 public:
  ContactJudge(StaggeredIsland& island, const ContactProblem& problem) : island_(island) {
    island.ruler_.reset(problem);
    island.trial_.contact_impulse.resize(problem.contacts.size());
    island.trial_.joint_impulse.resize(problem.joint_rows.size());
  }
  double residual(std::span<const double> impulse) override {
    write(impulse, island_.trial_);
    return island_.ruler_.residual(island_.trial_);
  }
  void read(const ContactSolution& from, std::span<double> impulse) const {
    const StaggeredRows& rows = island_.rows_;
    for (std::size_t k = 0; k < rows.contacts(); ++k) {
      impulse[k] = from.contact_impulse[k][0];
      for (const std::size_t axis : {0, 1}) impulse[rows.tangent(k, axis)] = from.contact_impulse[k][1 + axis];
    }
    std::copy(from.joint_impulse.begin(), from.joint_impulse.end(),
              impulse.begin() + static_cast<std::ptrdiff_t>(rows.contacts()));
  }
  void write(std::span<const double> impulse, ContactSolution& to) const {
    const StaggeredRows& rows = island_.rows_;
    for (std::size_t k = 0; k < rows.contacts(); ++k)
      to.contact_impulse[k] = {impulse[k], impulse[rows.tangent(k, 0)], impulse[rows.tangent(k, 1)], 0.0};
    std::copy_n(impulse.begin() + static_cast<std::ptrdiff_t>(rows.contacts()), rows.joints(),
                to.joint_impulse.begin());
  }

 private:
  StaggeredIsland& island_;
};

class StaggeredIsland::AssembledJudge : public Judge {
 public:
  AssembledJudge(StaggeredIsland& island, const DelassusProblem& problem)
      : island_(island), problem_(problem), dim_(to_index(problem.dim())) {
    island.flat_.impulse.resize(problem.q.size()), island.flat_.velocity.resize(problem.q.size());
  }
  double residual(std::span<const double> impulse) override {
    write(impulse, island_.flat_.impulse);
    multiply_add(problem_.w, island_.flat_.impulse, problem_.q, island_.flat_.velocity);
    return relative_residual(problem_, island_.flat_.impulse, island_.flat_.velocity);
  }
  void read(std::span<const double> from, std::span<double> impulse) const {
    for (std::size_t k = 0; k < island_.rows_.contacts(); ++k) {
      impulse[k] = from[dim_ * k];
      for (const std::size_t axis : {0, 1})
        impulse[island_.rows_.tangent(k, axis)] = axis + 1 < dim_ ? from[dim_ * k + 1 + axis] : 0.0;
    }
  }
  void write(std::span<const double> impulse, std::span<double> to) const {
    for (std::size_t k = 0; k < island_.rows_.contacts(); ++k) {
      to[dim_ * k] = impulse[k];
      for (std::size_t axis = 0; axis + 1 < dim_; ++axis)
        to[dim_ * k + 1 + axis] = axis < 2 ? impulse[island_.rows_.tangent(k, axis)] : 0.0;
    }
  }

 private:
  StaggeredIsland& island_;
  const DelassusProblem& problem_;
  std::size_t dim_;
};

/// How a solve goes.
struct StaggeredIsland::Course {
  double best = 0;  ///< residual of best_
  int since = 0;    ///< turns without progress
};

StaggeredIsland::StaggeredIsland(const StaggeredSettings& settings)
    : settings_(settings), contact_(settings), friction_(settings) {
  if (settings.depth > 0) accelerator_ = make_accelerator(Acceleration::anderson, settings.depth);
}

/// The iterate of impulse_, made admissible.
void StaggeredIsland::read_start() {
  const std::size_t contacts = rows_.contacts(), joints = rows_.joints();
  at_.alpha.assign(contacts, 0.0), at_.beta.assign(2 * contacts, 0.0), at_.gamma.assign(joints, 0.0);
  for (std::size_t k = 0; k < contacts; ++k) {
    at_.alpha[k] = rows_.is_dead(k) ? 0.0 : std::max(0.0, impulse_[k]);
    for (const std::size_t axis : {0, 1})
      if (rows_.friction(k)[axis] > 0)
        at_.beta[2 * k + axis] = impulse_[rows_.tangent(k, axis)] / rows_.friction(k)[axis];
    const double size = std::hypot(at_.beta[2 * k], at_.beta[2 * k + 1]);
    if (size > at_.alpha[k])
      for (const std::size_t axis : {0, 1}) at_.beta[2 * k + axis] *= at_.alpha[k] / size;
  }
  for (std::size_t k = 0; k < joints; ++k)
    at_.gamma[k] =
        std::clamp(rows_.is_dead(contacts + k) ? 0.0 : impulse_[contacts + k], rows_.lower(k), rows_.upper(k));
}

double StaggeredIsland::measure(Judge& judge) {
  for (std::size_t k = 0; k < rows_.contacts(); ++k) {
    impulse_[k] = at_.alpha[k];
    for (const std::size_t axis : {0, 1})
      impulse_[rows_.tangent(k, axis)] = rows_.friction(k)[axis] * at_.beta[2 * k + axis];
  }
  std::copy(at_.gamma.begin(), at_.gamma.end(), impulse_.begin() + static_cast<std::ptrdiff_t>(rows_.contacts()));
  return judge.residual(impulse_);
}

/// W_zt beta.
void StaggeredIsland::see_friction() {
  seen_.assign(rows_.contacts() + rows_.joints(), 0.0);
  if (!rows_.has_friction()) return;
  for (std::size_t i = 0; i < seen_.size(); ++i)
    for (std::size_t k = 0; k < rows_.contacts(); ++k)
      seen_[i] +=
          rows_.w(i, rows_.tangent(k, 0)) * at_.beta[2 * k] + rows_.w(i, rows_.tangent(k, 1)) * at_.beta[2 * k + 1];
}

/// What the next contact QP is told of friction.
void StaggeredIsland::propose(bool relax) {
  if (relax) {
    for (std::size_t i = 0; i < g_.size(); ++i) g_[i] += kRelaxed * (seen_[i] - g_[i]);
    return;
  }
  if (accelerator_) accelerator_->propose({std::span<const double>(g_), {}}, {std::span<double>(seen_), {}}, nullptr);
  g_ = seen_;
}

/// One contact and one friction QP; false where a matrix is not positive definite.
bool StaggeredIsland::turn(const IslandLimits& limits, ExactIslandReport& report) {
  int columns = 0;
  const auto take = [&](const QpReport& qp) {
    report.factorisations += qp.factorisations, report.active_sets += qp.iterations;
    columns += qp.schur_columns;
    report.unfinished += qp.end == QpEnd::converged ? 0 : 1;
    return qp.end != QpEnd::not_positive_definite;
  };
  const auto context = [&] {
    return QpContext{.max_iterations = kMostSets, .time_limit = limits.time_left(), .interrupt = limits.interrupt};
  };
  ++report.turns;
  if (!take(contact_.solve(g_, at_, context()))) return false;
  if (rows_.has_friction() && !take(friction_.solve(at_, context()))) return false;
  report.schur_columns = std::max(report.schur_columns, columns);
  see_friction();
  return true;
}

void StaggeredIsland::begin(Judge& judge, Course& course) {
  bool is_cold = true;
  for (std::size_t k = 0; k < rows_.contacts(); ++k) is_cold = is_cold && impulse_[k] == 0;
  read_start();
  contact_.reset(rows_, at_, is_cold);
  if (rows_.has_friction()) friction_.reset(rows_, at_, is_cold);
  see_friction();
  g_ = seen_;
  if (accelerator_) {
    weight_.resize(g_.size());
    for (std::size_t i = 0; i < weight_.size(); ++i) weight_[i] = 1 / contact_.diagonal(i);
    accelerator_->reset(weight_);
  }
  course = {measure(judge), 0};
  best_ = impulse_;
}

ExactIslandReport StaggeredIsland::turn_by_turn(Judge& judge, const IslandLimits& limits) {
  ExactIslandReport report;
  report.contacts = static_cast<std::int64_t>(rows_.contacts());
  report.joint_rows = static_cast<std::int64_t>(rows_.joints());
  const StopSettings& stop = limits.stop;
  Course course;
  begin(judge, course);
  report.reason = course.best <= stop.tolerance ? StopReason::converged : StopReason::max_iterations;
  while (report.reason == StopReason::max_iterations && report.turns < stop.max_iterations) {
    if (!turn(limits, report)) {
      report.reason = StopReason::diverged;
      break;
    }
    const double now = measure(judge);
    course.since = now < kBetter * course.best ? 0 : course.since + 1;
    // Of equals the later one: rows that cannot be met may hide what the others gain.
    if (now <= (1 + kEqual) * course.best)
      course.best = std::min(course.best, now), best_ = impulse_, report.stage = ExactStage::staggered;
    if (course.best <= stop.tolerance)
      report.reason = StopReason::converged;
    else if (limits.is_interrupted())
      report.reason = StopReason::interrupted;
    else if (limits.is_late())
      report.reason = StopReason::time_limit;
    else if (course.since >= settings_.patience || report.unfinished > kMostUnfinished)
      report.reason = course.best <= limits.enough ? StopReason::converged : StopReason::stalled;
    else
      propose(course.since >= kRelaxAfter);
  }
  if (report.reason == StopReason::max_iterations && course.best <= limits.enough)
    report.reason = StopReason::converged;
  report.residual = course.best;
  return report;
}

ExactIslandReport StaggeredIsland::run(const ContactProblem& problem, ContactSolution& solution,
                                       const IslandLimits& limits) {
  rows_.load(problem);
  impulse_.resize(rows_.rows());
  ContactJudge judge(*this, problem);
  judge.read(solution, impulse_);
  const ExactIslandReport report = turn_by_turn(judge, limits);
  judge.write(best_, solution);
  complete_island(problem, solution);
  return report;
}

ExactIslandReport StaggeredIsland::run(const DelassusProblem& problem, DelassusSolution& solution,
                                       const IslandLimits& limits) {
  rows_.load(problem);
  impulse_.resize(rows_.rows());
  AssembledJudge judge(*this, problem);
  judge.read(solution.impulse, impulse_);
  const ExactIslandReport report = turn_by_turn(judge, limits);
  judge.write(best_, solution.impulse);
  return report;
}

}  // namespace cairn
