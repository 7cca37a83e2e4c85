// SPDX-License-Identifier: MIT
#include "cairn/qp/pdasm.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/hash.h"
#include "cairn/core/index.h"
#include "cairn/core/timer.h"

namespace cairn {

namespace {

constexpr double kFeasible = 1e-13;        // of the largest term: what is beyond a bound by less, or has the wrong sign
constexpr int kExchangesPerVariable = 20;  // single ones, before round-off is taken to decide

/// Equal bounds hold a variable; a state that stands for no bound is free.
BoundState valid_state(const BoundedQp& qp, std::size_t i, BoundState state) {
  if (qp.lower[i] == qp.upper[i]) return BoundState::upper;
  if (state == BoundState::lower && !std::isfinite(qp.lower[i])) return BoundState::free;
  if (state == BoundState::upper && !std::isfinite(qp.upper[i])) return BoundState::free;
  return state;
}

void keep_better(const BoundedQp& qp, const QpSolution& now, std::span<const BoundState> state, QpSolution& best,
                 double& least) {
  const double residual = kkt_residual(qp, now.x, now.multiplier);
  if (!(residual < least)) return;
  least = residual;
  best.x = now.x, best.state.assign(state.begin(), state.end());
}

}  // namespace

/// Of the safeguard.
struct Pdasm::Progress {
  int fewest = 0;    ///< infeasible variables, so far
  int patience = 0;  ///< sets left before single exchanges
};

Pdasm::Pdasm(const PdasmSettings& settings)
    : settings_(settings),
      saddle_(settings.schur ? make_schur_saddle(settings.schur_settings) : make_direct_saddle()) {}

/// next_ by (2.12); the variables that break a bound or a sign by more than round-off, which are all that change.
int Pdasm::find_exchanges(const BoundedQp& qp, const QpSolution& at) {
  double largest = 0;
  for (std::size_t i = 0; i < at.x.size(); ++i) {
    const double root = std::sqrt(qp.h->diagonal(static_cast<int>(i)));
    largest = std::max({largest, std::fabs(qp.c[i]) / root, root * std::fabs(at.x[i])});
  }
  infeasible_.clear();
  next_ = state_;
  for (std::size_t i = 0; i < at.x.size(); ++i) {
    if (qp.lower[i] == qp.upper[i]) continue;
    const double d = qp.h->diagonal(static_cast<int>(i)), slack = kFeasible * largest / std::sqrt(d);
    const double aim = at.x[i] + at.multiplier[i] / d;
    BoundState next = state_[i];
    if (state_[i] == BoundState::free) {
      if (aim > qp.upper[i] + slack) next = BoundState::upper;
      if (aim < qp.lower[i] - slack) next = BoundState::lower;
    } else if (state_[i] == BoundState::upper ? at.multiplier[i] / d < -slack : at.multiplier[i] / d > slack) {
      next = aim > qp.upper[i] ? BoundState::upper : aim < qp.lower[i] ? BoundState::lower : BoundState::free;
    }
    if (next == state_[i]) continue;
    next_[i] = next;
    infeasible_.push_back(static_cast<std::int32_t>(i));
  }
  return static_cast<int>(infeasible_.size());
}

/// All of next_, or its last change alone where the count does not fall.
void Pdasm::exchange(const BoundedQp& qp, Progress& progress, QpReport& report) {
  const int count = static_cast<int>(infeasible_.size());
  if (!settings_.safeguard || count < progress.fewest) {
    progress.fewest = count, progress.patience = settings_.patience;
  } else if (progress.patience > 0) {
    --progress.patience;
  } else {
    const auto i = to_index(infeasible_.back());
    state_[i] = state_[i] == BoundState::free ? next_[i] : BoundState::free;
    state_[i] = valid_state(qp, i, state_[i]);
    ++report.single_exchanges;
    return;
  }
  state_.swap(next_);
}

bool Pdasm::has_seen() {
  StateHasher hasher;
  for (const BoundState state : state_) hasher.add(static_cast<std::uint64_t>(state));
  const Hash128 hash = hasher.finish();
  const bool known = std::find(seen_.begin(), seen_.end(), hash) != seen_.end();
  seen_.push_back(hash);
  return known;
}

/// The best iterate, within its bounds, with what belongs to it.
void Pdasm::finish(const BoundedQp& qp, const QpContext& context, QpSolution& solution, QpReport& report) {
  const std::size_t n = qp.c.size();
  if (best_.x.empty()) best_.x.assign(n, 0.0), best_.state = state_;
  solution.x.swap(best_.x), solution.state.swap(best_.state);
  for (std::size_t i = 0; i < n; ++i) solution.x[i] = std::clamp(solution.x[i], qp.lower[i], qp.upper[i]);
  solution.multiplier.resize(n);
  qp.h->multiply(solution.x, solution.multiplier, context.pool);
  for (std::size_t i = 0; i < n; ++i) solution.multiplier[i] = qp.c[i] - solution.multiplier[i];
  report.residual = kkt_residual(qp, solution.x, solution.multiplier);
}

QpReport Pdasm::solve(const BoundedQp& qp, QpSolution& solution, const QpContext& context) {
  Timer timer;
  QpReport report;
  const std::size_t n = qp.c.size();
  state_ = solution.state;
  state_.resize(n, BoundState::free);
  for (std::size_t i = 0; i < n; ++i) state_[i] = valid_state(qp, i, state_[i]);
  Progress progress{static_cast<int>(n) + 1, settings_.patience};
  seen_.clear(), best_.x.clear();
  double least = INFINITY;
  const int most_single = kExchangesPerVariable * static_cast<int>(n) + 100;
  for (;;) {
    if (!settings_.safeguard && has_seen()) {
      report.end = QpEnd::cycled;
      break;
    }
    if (!saddle_->solve(qp, state_, now_, report, context.pool)) {
      report.end = QpEnd::not_positive_definite;
      break;
    }
    ++report.iterations;
    keep_better(qp, now_, state_, best_, least);
    if (find_exchanges(qp, now_) == 0 || least <= context.tolerance) {
      report.end = QpEnd::converged;
      break;
    }
    report.end = report.iterations >= context.max_iterations                       ? QpEnd::max_iterations
                 : context.interrupt != nullptr && context.interrupt->load()       ? QpEnd::interrupted
                 : context.time_limit > 0 && timer.seconds() >= context.time_limit ? QpEnd::time_limit
                 : report.single_exchanges > most_single                           ? QpEnd::stalled
                                                                                   : QpEnd::converged;
    if (report.end != QpEnd::converged) break;
    exchange(qp, progress, report);
  }
  finish(qp, context, solution, report);
  report.seconds = timer.seconds();
  return report;
}

QpReport solve_pdasm(const BoundedQp& qp, QpSolution& solution, const QpContext& context,
                     const PdasmSettings& settings) {
  validate(qp);
  require(solution.state.empty() || solution.state.size() == qp.c.size(),
          "the active set to start from has another number of variables than the problem: pass an empty one");
  Pdasm solver(settings);
  const QpReport report = solver.solve(qp, solution, context);
  require(report.end != QpEnd::not_positive_definite,
          "the matrix of the quadratic program is not positive definite: add a regularisation to its diagonal");
  return report;
}

}  // namespace cairn
