// SPDX-License-Identifier: MIT
#include "cairn/qp/classical.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/core/timer.h"

namespace cairn {

namespace {

constexpr double kFeasible = 1e-13;  // of the largest term, as in pdasm.cpp

/// What both methods carry from change to change.
struct ActiveSet {
  const BoundedQp& qp;
  const DenseMatrix& h;
  UpdatedCholesky factor;
  QpSolution at;  ///< the iterate
  double scale = 0;

  explicit ActiveSet(const BoundedQp& given) : qp(given), h(dynamic_cast<const DenseMatrix&>(*given.h)) {
    const std::size_t n = qp.c.size();
    at.x.assign(n, 0.0), at.multiplier.assign(n, 0.0), at.state.assign(n, BoundState::free);
    require(factor.factor(h),
            "the matrix of the quadratic program is not positive definite: add a regularisation to its diagonal");
  }
  int size() const { return static_cast<int>(qp.c.size()); }
  double root(int i) const { return std::sqrt(h.diagonal(i)); }
  void bind(int i, BoundState state) {
    const auto k = to_index(i);
    factor.bind(i), at.state[k] = state, at.x[k] = bound_of(qp, k, state);
  }
  bool release(int i) {
    at.state[to_index(i)] = BoundState::free;
    return factor.free(i);
  }
  /// lambda = c - H x, and the size of the numbers that round-off is measured by.
  void refresh() {
    h.multiply(at.x, at.multiplier, nullptr);
    scale = 0;
    for (int i = 0; i < size(); ++i) {
      const auto k = to_index(i);
      at.multiplier[k] = qp.c[k] - at.multiplier[k];
      scale = std::max({scale, std::fabs(qp.c[k]) / root(i), root(i) * std::fabs(at.x[k])});
    }
  }
  /// x_F <- x_F + H_FF^-1 lambda_F: what round-off of the steps has left.
  void correct() {
    refresh();
    std::vector<double> move = at.multiplier;
    for (int i = 0; i < size(); ++i)
      if (!factor.is_free(i)) move[to_index(i)] = 0;
    factor.solve(move);
    for (std::size_t k = 0; k < move.size(); ++k) at.x[k] += move[k];
    refresh();
  }
  /// How much the sign of the multiplier of a bound variable is wrong, free of units.
  double wrong(int i) const {
    const auto k = to_index(i);
    if (at.state[k] == BoundState::free || qp.lower[k] == qp.upper[k]) return 0;
    return (at.state[k] == BoundState::upper ? -at.multiplier[k] : at.multiplier[k]) / root(i);
  }
};

QpEnd limits(const QpReport& report, const QpContext& context, const Timer& timer) {
  if (context.interrupt != nullptr && context.interrupt->load()) return QpEnd::interrupted;
  if (context.time_limit > 0 && timer.seconds() >= context.time_limit) return QpEnd::time_limit;
  return report.iterations >= context.max_iterations ? QpEnd::max_iterations : QpEnd::converged;
}

QpReport finish(ActiveSet& set, QpReport report, const Timer& timer, QpSolution& solution) {
  for (std::size_t i = 0; i < set.at.x.size(); ++i)
    set.at.x[i] = std::clamp(set.at.x[i], set.qp.lower[i], set.qp.upper[i]);
  set.refresh();
  solution = set.at;
  report.factorisations = 1;
  report.residual = kkt_residual(set.qp, solution.x, solution.multiplier);
  report.seconds = timer.seconds();
  return report;
}

void check(const BoundedQp& qp) {
  validate(qp);
  require(dynamic_cast<const DenseMatrix*>(qp.h) != nullptr,
          "classical active sets keep a dense factor: give the matrix as a DenseMatrix");
}

/// From x towards `aim` until the first bound: the step taken, and the variable that ended it (-1: none).
int step_to_bound(ActiveSet& set, const std::vector<double>& aim, BoundState& which) {
  double step = 1;
  int blocking = -1;
  for (int i = 0; i < set.size(); ++i) {
    const auto k = to_index(i);
    const double move = aim[k] - set.at.x[k];
    if (set.at.state[k] != BoundState::free || move == 0) continue;
    const double room = (move > 0 ? set.qp.upper[k] : set.qp.lower[k]) - set.at.x[k];
    if (!(std::fabs(room) < step * std::fabs(move))) continue;
    step = room / move, blocking = i;
    which = move > 0 ? BoundState::upper : BoundState::lower;
  }
  for (int i = 0; i < set.size(); ++i) {
    const auto k = to_index(i);
    if (set.at.state[k] == BoundState::free) set.at.x[k] += step * (aim[k] - set.at.x[k]);
  }
  return blocking;
}

}  // namespace

bool UpdatedCholesky::factor(const DenseMatrix& h) {
  h_ = &h, n_ = to_index(h.size());
  l_.assign(n_ * n_, 0.0), free_.assign(n_, 1);
  for (int j = 0; j < h.size(); ++j) {
    double pivot = h.at(j, j);
    for (int k = 0; k < j; ++k) pivot -= at(j, k) * at(j, k);
    if (!(pivot > 1e-15 * h.at(j, j))) return false;
    at(j, j) = std::sqrt(pivot);
    for (int i = j + 1; i < h.size(); ++i) {
      double sum = h.at(i, j);
      for (int k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
      at(i, j) = sum / at(j, j);
    }
  }
  return true;
}

/// L L^T + sign w w^T behind row `from` (Gill, Golub, Murray, Saunders 1974).
bool UpdatedCholesky::rotate(int from, std::vector<double>& w, double sign) {
  for (int k = from; k < static_cast<int>(n_); ++k) {
    const double d = at(k, k), x = w[to_index(k)], square = d * d + sign * x * x;
    if (!(square > 0)) return false;
    const double r = std::sqrt(square), cosine = r / d, sine = x / d;
    at(k, k) = r;
    for (int i = k + 1; i < static_cast<int>(n_); ++i) {
      const auto row = to_index(i);
      at(i, k) = (at(i, k) + sign * sine * w[row]) / cosine;
      w[row] = cosine * w[row] - sine * at(i, k);
    }
  }
  return true;
}

void UpdatedCholesky::bind(int i) {
  std::vector<double> w(n_, 0.0);
  for (int r = i + 1; r < static_cast<int>(n_); ++r) w[to_index(r)] = at(r, i), at(r, i) = 0;
  for (int c = 0; c < i; ++c) at(i, c) = 0;
  at(i, i) = 1, free_[to_index(i)] = 0;
  rotate(i + 1, w, 1);
}

bool UpdatedCholesky::free(int i) {
  free_[to_index(i)] = 1;
  double pivot = h_->at(i, i);
  for (int c = 0; c < i; ++c) {  // L11 l21 = h21
    double sum = is_free(c) ? h_->at(i, c) : 0.0;
    for (int k = 0; k < c; ++k) sum -= at(c, k) * at(i, k);
    at(i, c) = sum / at(c, c);
    pivot -= at(i, c) * at(i, c);
  }
  if (!(pivot > 1e-15 * h_->at(i, i))) return false;
  at(i, i) = std::sqrt(pivot);
  std::vector<double> w(n_, 0.0);
  for (int r = i + 1; r < static_cast<int>(n_); ++r) {
    double sum = is_free(r) ? h_->at(r, i) : 0.0;
    for (int k = 0; k < i; ++k) sum -= at(r, k) * at(i, k);
    w[to_index(r)] = at(r, i) = sum / at(i, i);
  }
  return rotate(i + 1, w, -1);
}

void UpdatedCholesky::solve(std::vector<double>& x) const {
  const int n = static_cast<int>(n_);
  for (int i = 0; i < n; ++i) {
    double sum = x[to_index(i)];
    for (int k = 0; k < i; ++k) sum -= at(i, k) * x[to_index(k)];
    x[to_index(i)] = sum / at(i, i);
  }
  for (int i = n; i-- > 0;) {
    double sum = x[to_index(i)];
    for (int k = i + 1; k < n; ++k) sum -= at(k, i) * x[to_index(k)];
    x[to_index(i)] = sum / at(i, i);
  }
}

QpReport solve_primal_active_set(const BoundedQp& qp, QpSolution& solution, const QpContext& context) {
  check(qp);
  Timer timer;
  QpReport report;
  ActiveSet set(qp);
  // From the point within the bounds that is next to zero.
  for (int i = 0; i < set.size(); ++i) {
    const auto k = to_index(i);
    set.at.x[k] = std::clamp(0.0, qp.lower[k], qp.upper[k]);
    if (set.at.x[k] == qp.lower[k])
      set.bind(i, BoundState::lower);
    else if (set.at.x[k] == qp.upper[k])
      set.bind(i, BoundState::upper);
  }
  std::vector<double> aim;
  while ((report.end = limits(report, context, timer)) == QpEnd::converged) {
    ++report.iterations, ++report.solves;
    set.refresh();
    aim = set.at.multiplier;  // H_FF dx = lambda_F
    for (int i = 0; i < set.size(); ++i)
      if (!set.factor.is_free(i)) aim[to_index(i)] = 0;
    set.factor.solve(aim);
    for (std::size_t k = 0; k < aim.size(); ++k) aim[k] += set.at.x[k];
    BoundState which = BoundState::upper;
    const int blocking = step_to_bound(set, aim, which);
    if (blocking >= 0) {
      set.bind(blocking, which);
      continue;
    }
    set.refresh();
    int worst = -1;
    for (int i = 0; i < set.size(); ++i)
      if (set.wrong(i) > kFeasible * set.scale && (worst < 0 || set.wrong(i) > set.wrong(worst))) worst = i;
    if (worst < 0) break;
    if (!set.release(worst)) {
      report.end = QpEnd::stalled;
      break;
    }
  }
  return finish(set, report, timer, solution);
}

QpReport solve_dual_active_set(const BoundedQp& qp, QpSolution& solution, const QpContext& context) {
  check(qp);
  Timer timer;
  QpReport report;
  ActiveSet set(qp);
  set.at.x = qp.c;
  set.factor.solve(set.at.x);
  std::vector<double> z, hz(qp.c.size());
  int adding = -1;  // the bound that is being added
  double sign = 0;  // towards it: +1 from below l
  while ((report.end = limits(report, context, timer)) == QpEnd::converged) {
    ++report.iterations, ++report.solves;
    if (adding < 0) {
      set.correct();
      double worst = kFeasible * set.scale;
      for (int i = 0; i < set.size(); ++i) {
        const auto k = to_index(i);
        if (set.at.state[k] != BoundState::free) continue;
        const double below = set.root(i) * (qp.lower[k] - set.at.x[k]),
                     above = set.root(i) * (set.at.x[k] - qp.upper[k]);
        if (std::max(below, above) > worst) worst = std::max(below, above), adding = i, sign = below > above ? 1 : -1;
      }
      if (adding < 0) break;
    }
    // z: how x moves when the bound pushes; -H z: how the multipliers of the others change.
    z.assign(qp.c.size(), 0.0);
    z[to_index(adding)] = sign;
    set.factor.solve(z);
    set.h.multiply(z, hz, nullptr);
    const auto p = to_index(adding);
    double step = ((sign > 0 ? qp.lower[p] : qp.upper[p]) - set.at.x[p]) / z[p];
    int dropped = -1;
    for (int i = 0; i < set.size(); ++i) {
      const auto k = to_index(i);
      if (set.at.state[k] == BoundState::free || qp.lower[k] == qp.upper[k] || set.at.multiplier[k] * hz[k] <= 0)
        continue;
      if (set.at.multiplier[k] / hz[k] < step) step = set.at.multiplier[k] / hz[k], dropped = i;
    }
    for (std::size_t k = 0; k < z.size(); ++k) {
      set.at.x[k] += step * z[k];
      if (set.at.state[k] != BoundState::free) set.at.multiplier[k] -= step * hz[k];
    }
    if (dropped < 0) {
      set.bind(adding, sign > 0 ? BoundState::lower : BoundState::upper);
      adding = -1;
    } else if (!set.release(dropped)) {
      report.end = QpEnd::stalled;
      break;
    }
  }
  return finish(set, report, timer, solution);
}

}  // namespace cairn
