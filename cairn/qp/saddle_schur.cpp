// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/core/timer.h"
#include "cairn/qp/saddle.h"

namespace cairn {

void SchurSaddle::reset() {
  change();
  part_.factor.reset(), matrix_ = nullptr;
}

void SchurSaddle::change() {
  is_factored_ = has_v_ = false;
  changed_.clear(), columns_.clear(), schur_.clear();
  b_.clear();  // nothing may depend on problems before
}

/// Row and column `at` of C leave, with their column of R.
void SchurSaddle::erase_column(std::size_t at) {
  changed_.erase(changed_.begin() + static_cast<std::ptrdiff_t>(at));
  const auto first = columns_.begin() + static_cast<std::ptrdiff_t>(at * base_free_.size());
  columns_.erase(first, first + static_cast<std::ptrdiff_t>(base_free_.size()));
  schur_.erase(at);
}

void SchurSaddle::turn(int i, double x, double y) {
  if (!is_factored_) return;
  if (base_free_[to_index(i)] != base_free_[to_index(i) + 1]) return change();
  has_v_ = false;
  for (std::size_t at = changed_.size(); at-- > 0;)
    if (changed_[at] == i || changed_[at] == i + 1) erase_column(at);
  for (std::size_t k = 0; k < changed_.size(); ++k) {
    double &p = column(k)[to_index(i)], &q = column(k)[to_index(i) + 1];
    const double turned = x * p + y * q;
    q = x * q - y * p, p = turned;
  }
}

/// A change that was taken back needs no column any more.
void SchurSaddle::drop_reverted(std::span<const BoundState> state) {
  for (std::size_t at = changed_.size(); at-- > 0;) {
    const auto i = to_index(changed_[at]);
    if ((state[i] == BoundState::free) == (base_free_[i] != 0)) erase_column(at);
  }
}

/// Changes against the factored set that have no column yet.
void SchurSaddle::find_fresh(std::span<const BoundState> state) {
  fresh_.clear();
  for (std::size_t i = 0; i < state.size(); ++i)
    if ((state[i] == BoundState::free) != (base_free_[i] != 0) &&
        std::find(changed_.begin(), changed_.end(), static_cast<std::int32_t>(i)) == changed_.end())
      fresh_.push_back(static_cast<std::int32_t>(i));
}

bool SchurSaddle::refactor(const BoundedQp& qp, std::span<const BoundState> state, bool complete, QpReport& report,
                           ThreadPool* pool) {
  change();
  if (!part_.factor || matrix_ != qp.h) matrix_ = qp.h, part_.factor = qp.h->make_factor();
  base_free_.resize(state.size());
  for (std::size_t i = 0; i < state.size(); ++i) base_free_[i] = state[i] == BoundState::free ? 1 : 0;
  if (complete) qp.h->complete_free(base_free_);
  part_.free.clear();
  for (std::size_t i = 0; i < state.size(); ++i)
    if (base_free_[i] != 0) part_.free.push_back(static_cast<std::int32_t>(i));
  return is_factored_ = part_.make(report, pool);
}

bool SchurSaddle::prepare(const BoundedQp& qp, std::span<const BoundState> state, QpReport& report, ThreadPool* pool) {
  bool is_new = !is_factored_ || matrix_ != qp.h || base_free_.size() != state.size();
  if (is_new && !refactor(qp, state, true, report, pool)) return false;
  for (;;) {
    drop_reverted(state);
    find_fresh(state);
    const std::size_t all = changed_.size() + fresh_.size();
    const double allowed = std::max(4.0, settings_.refactor_share * part_.factor->factor_over_solve());
    const bool too_many = all > to_index(settings_.most_columns) || static_cast<double>(all) > allowed;
    if (is_new || !too_many) {
      add_columns(qp, report, pool);
      report.schur_columns = std::max(report.schur_columns, columns());
      if (factor_schur()) return true;
      if (changed_.empty()) return false;
    }
    if (!refactor(qp, state, !is_new, report, pool)) return false;
    is_new = true;
  }
}

bool SchurSaddle::renew(const BoundedQp& qp, std::span<const BoundState> state, QpReport& report, ThreadPool* pool) {
  if (changed_.empty()) return false;
  return refactor(qp, state, false, report, pool) && prepare(qp, state, report, pool);
}

/// -u_i^T K0^-1 u_j: an entry of x for a variable that was bound, of lambda = -H x for one that was freed.
double SchurSaddle::schur_entry(const BoundedQp& qp, std::int32_t i, std::span<const double> column) const {
  const auto at = to_index(i);
  return base_free_[at] != 0 ? -column[at] : qp.h->row_dot(i, column);
}

/// All new columns of R with one call: right-hand sides e_i, or -H_Fi for a variable that was freed.
void SchurSaddle::add_columns(const BoundedQp& qp, QpReport& report, ThreadPool* pool) {
  if (fresh_.empty()) return;
  Timer timer;
  const std::size_t n = base_free_.size(), m = part_.free.size();
  part_.packed.assign(m * fresh_.size(), 0.0);
  for (std::size_t k = 0; k < fresh_.size(); ++k) {
    full_.assign(n, 0.0);
    if (base_free_[to_index(fresh_[k])] != 0)
      full_[to_index(fresh_[k])] = 1;
    else
      qp.h->add_row(fresh_[k], -1.0, full_);
    for (std::size_t i = 0; i < m; ++i) part_.packed[k * m + i] = full_[to_index(part_.free[i])];
  }
  part_.factor->solve(part_.packed, static_cast<int>(fresh_.size()), pool);
  report.solves += static_cast<int>(fresh_.size());
  for (std::size_t k = 0; k < fresh_.size(); ++k) {
    const std::size_t last = changed_.size();
    columns_.resize((last + 1) * n, 0.0);
    const std::span<double> mine = column(last);
    for (std::size_t i = 0; i < m; ++i) mine[to_index(part_.free[i])] = part_.packed[k * m + i];
    if (base_free_[to_index(fresh_[k])] == 0) mine[to_index(fresh_[k])] = 1;
    changed_.push_back(fresh_[k]);
    schur_.append();
    for (std::size_t j = 0; j <= last; ++j)  // C is symmetric
      schur_.at(last, j) = schur_.at(j, last) = schur_entry(qp, changed_[j], mine);
  }
  report.solve_seconds += timer.seconds();
}

/// C = P^-1 L U with row exchanges, since C is symmetric but not definite. False where a pivot is too small.
bool SchurSaddle::factor_schur() {
  const std::size_t m = changed_.size();
  lu_.resize(m * m), pivot_.resize(m), scale_.resize(m);
  // Rows and columns are scaled by the diagonal, so that pivots can be compared.
  for (std::size_t i = 0; i < m; ++i) scale_[i] = 1 / std::sqrt(std::max(std::fabs(schur_.at(i, i)), 1e-300));
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) lu_[i * m + j] = scale_[i] * schur_.at(i, j) * scale_[j];
  double largest = 0, smallest = INFINITY;
  for (std::size_t k = 0; k < m; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < m; ++i)
      if (std::fabs(lu_[i * m + k]) > std::fabs(lu_[best * m + k])) best = i;
    pivot_[k] = static_cast<std::int32_t>(best);
    if (best != k)
      for (std::size_t j = 0; j < m; ++j) std::swap(lu_[k * m + j], lu_[best * m + j]);
    const double p = lu_[k * m + k];
    largest = std::max(largest, std::fabs(p)), smallest = std::min(smallest, std::fabs(p));
    if (!(smallest > settings_.least_pivot * largest)) return false;
    for (std::size_t i = k + 1; i < m; ++i) {
      const double f = lu_[i * m + k] /= p;
      for (std::size_t j = k + 1; j < m; ++j) lu_[i * m + j] -= f * lu_[k * m + j];
    }
  }
  return true;
}

/// v for these right-hand sides, if it is not that of the last call. Variables that were freed keep the value that they
/// had there, whatever it is.
void SchurSaddle::update_base(const BoundedQp& qp, std::span<const BoundState> state, std::span<const double> g,
                              std::span<const double> x, QpReport& report, ThreadPool* pool) {
  const std::size_t n = state.size();
  bool same = has_v_ && std::equal(g.begin(), g.end(), g_.begin(), g_.end());
  if (b_.size() != n) b_.assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (base_free_[i] != 0 || state[i] == BoundState::free || b_[i] == x[i]) continue;
    b_[i] = x[i], same = false;
  }
  if (same) return;
  g_.assign(g.begin(), g.end());
  v_ = b_;
  part_.solve(*qp.h, g, v_, report, pool);
  has_v_ = true;
}

/// pi <- C^-1 pi.
void SchurSaddle::solve_schur() {
  const std::size_t m = changed_.size();
  for (std::size_t k = 0; k < m; ++k) pi_[k] *= scale_[k];
  for (std::size_t k = 0; k < m; ++k) std::swap(pi_[k], pi_[to_index(pivot_[k])]);
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t i = k + 1; i < m; ++i) pi_[i] -= lu_[i * m + k] * pi_[k];
  for (std::size_t k = m; k-- > 0;) {
    for (std::size_t j = k + 1; j < m; ++j) pi_[k] -= lu_[k * m + j] * pi_[j];
    pi_[k] /= lu_[k * m + k];
  }
  for (std::size_t k = 0; k < m; ++k) pi_[k] *= scale_[k];
}

void SchurSaddle::solve_system(const BoundedQp& qp, std::span<const BoundState> state, std::span<const double> g,
                               std::span<double> x, QpReport& report, ThreadPool* pool) {
  Timer timer;
  // A correction has other right-hand sides, and zeros as bounds; v of the problem itself is kept.
  const bool is_correction = g.data() != qp.c.data();
  if (is_correction) {
    correction_.assign(x.begin(), x.end());
    for (std::size_t i = 0; i < correction_.size(); ++i)
      if (state[i] == BoundState::free) correction_[i] = 0;
    part_.solve(*qp.h, g, correction_, report, pool);
  } else {
    update_base(qp, state, g, x, report, pool);
  }
  const std::vector<double>& v = is_correction ? correction_ : v_;
  const std::size_t m = changed_.size();
  // w - U^T v: the new bound of a variable less its x, or 0 less the lambda of a variable that was freed.
  pi_.resize(m);
  for (std::size_t k = 0; k < m; ++k) {
    const auto i = to_index(changed_[k]);
    pi_[k] = base_free_[i] != 0 ? x[i] - v[i] : qp.h->row_dot(changed_[k], v) - g[i];
  }
  solve_schur();
  product_ = v;
  for (std::size_t k = 0; k < m; ++k) {
    const std::span<const double> r = column(k);
    for (std::size_t i = 0; i < product_.size(); ++i) product_[i] -= r[i] * pi_[k];
  }
  for (std::size_t i = 0; i < product_.size(); ++i)
    if (state[i] == BoundState::free) x[i] = product_[i];
  report.solve_seconds += timer.seconds();
}

}  // namespace cairn
