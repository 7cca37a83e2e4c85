// SPDX-License-Identifier: MIT
#include "cairn/qp/saddle.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/core/timer.h"

namespace cairn {

namespace {

constexpr double kRefineAbove = 1e-13;  // of the largest term: the defect of the free rows that is left alone
constexpr double kRenewAbove = 2e-13;   // the same: what is not accepted from a border that has grown
constexpr int kMostRefinements = 3;

class DirectSaddle : public SaddleSolver {
 public:
  void reset() override { part_.factor.reset(), matrix_ = nullptr; }
  void change() override {}  // every set is factored anew

 protected:
  bool prepare(const BoundedQp& qp, std::span<const BoundState> state, QpReport& report, ThreadPool* pool) override {
    if (!part_.factor || matrix_ != qp.h) part_.factor = qp.h->make_factor(), matrix_ = qp.h;
    part_.free.clear();
    for (std::size_t i = 0; i < state.size(); ++i)
      if (state[i] == BoundState::free) part_.free.push_back(static_cast<std::int32_t>(i));
    return part_.make(report, pool);
  }

  bool renew(const BoundedQp&, std::span<const BoundState>, QpReport&, ThreadPool*) override { return false; }

  void solve_system(const BoundedQp& qp, std::span<const BoundState>, std::span<const double> g, std::span<double> x,
                    QpReport& report, ThreadPool* pool) override {
    const Timer timer;
    part_.solve(*qp.h, g, x, report, pool);
    report.solve_seconds += timer.seconds();
  }

 private:
  FreePart part_;
  const QpMatrix* matrix_ = nullptr;
};

}  // namespace

bool FreePart::make(QpReport& report, ThreadPool* pool) {
  const Timer timer;
  const bool ok = factor->factor(free, pool);
  report.factor_seconds += timer.seconds();
  if (report.factorisations++ > 0) ++report.refactorings;
  return ok;
}

void FreePart::solve(const QpMatrix& h, std::span<const double> g, std::span<double> x, QpReport& report,
                     ThreadPool* pool) {
  for (const std::int32_t i : free) x[to_index(i)] = 0;
  const bool is_bound = std::any_of(x.begin(), x.end(), [](double value) { return value != 0; });
  product.assign(x.size(), 0.0);
  if (is_bound) h.multiply(x, product, pool);
  packed.resize(free.size());
  for (std::size_t k = 0; k < free.size(); ++k) {
    const auto i = to_index(free[k]);
    packed[k] = g[i] - product[i];
  }
  factor->solve(packed, 1, pool);
  ++report.solves;
  for (std::size_t k = 0; k < free.size(); ++k) x[to_index(free[k])] = packed[k];
}

std::unique_ptr<SaddleSolver> make_direct_saddle() { return std::make_unique<DirectSaddle>(); }
std::unique_ptr<SaddleSolver> make_schur_saddle(const SchurSettings& settings) {
  return std::make_unique<SchurSaddle>(settings);
}

/// lambda = c - H x; the largest lambda_F, which ought to be zero, over the largest term.
double SaddleSolver::defect(const BoundedQp& qp, std::span<const BoundState> state, QpSolution& solution,
                            ThreadPool* pool) {
  qp.h->multiply(solution.x, solution.multiplier, pool);
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < state.size(); ++i) {
    const double root = std::sqrt(qp.h->diagonal(static_cast<int>(i)));
    largest = std::max({largest, std::fabs(qp.c[i]) / root, root * std::fabs(solution.x[i])});
    solution.multiplier[i] = qp.c[i] - solution.multiplier[i];
    if (state[i] == BoundState::free) worst = std::max(worst, std::fabs(solution.multiplier[i]) / root);
  }
  return largest > 0 ? worst / largest : 0.0;
}

/// Iterative refinement as long as it helps; the defect that is left.
double SaddleSolver::refine(const BoundedQp& qp, std::span<const BoundState> state, QpSolution& solution,
                            QpReport& report, ThreadPool* pool) {
  const std::size_t n = state.size();
  for (std::size_t i = 0; i < n; ++i) solution.x[i] = state[i] == BoundState::free ? 0.0 : bound_of(qp, i, state[i]);
  solve_system(qp, state, qp.c, solution.x, report, pool);
  double before = defect(qp, state, solution, pool);
  for (int k = 0; k < kMostRefinements && before > kRefineAbove; ++k) {
    residual_ = solution.multiplier;
    trial_.assign(n, 0.0);
    solve_system(qp, state, residual_, trial_, report, pool);
    for (std::size_t i = 0; i < n; ++i) trial_[i] += solution.x[i];
    solution.x.swap(trial_);
    ++report.refinement_steps;
    const double after = defect(qp, state, solution, pool);
    if (!(after < before)) {  // round-off: keep what was better
      solution.x.swap(trial_);
      return defect(qp, state, solution, pool);
    }
    const bool is_slow = after > 0.5 * before;
    before = after;
    if (is_slow) break;
  }
  return before;
}

bool SaddleSolver::solve(const BoundedQp& qp, std::span<const BoundState> state, QpSolution& solution, QpReport& report,
                         ThreadPool* pool) {
  const std::size_t n = state.size();
  solution.x.resize(n), solution.multiplier.resize(n);
  if (!prepare(qp, state, report, pool)) return false;
  if (!(refine(qp, state, solution, report, pool) <= kRenewAbove) && renew(qp, state, report, pool))
    refine(qp, state, solution, report, pool);
  for (std::size_t i = 0; i < n; ++i)
    if (state[i] == BoundState::free) solution.multiplier[i] = 0;
  return true;
}

}  // namespace cairn
