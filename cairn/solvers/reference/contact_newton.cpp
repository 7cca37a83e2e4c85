// SPDX-License-Identifier: MIT
#include "cairn/solvers/reference/contact_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr int kWindow = 4;     // residuals the line search may compare with: Newton on F is not monotone
constexpr int kHalvings = 12;  // of the Newton step

/// One contact where F is evaluated.
struct ContactIterate {
  int dim;
  const double *x, *z;
  double rho_n, rho_t;
};

/// F of one contact and, if asked for, dF/dx = p and dF/dz = q (row major, zero on entry).
void alart_curnier(const ContactIterate& at, double* f, double* p, double* q) {
  const auto& [dim, x, z, rho_n, rho_t] = at;
  const double tau_n = x[0] - rho_n * z[0], radius = std::max(tau_n, 0.0);
  double tau[4], length2 = 0;
  for (int i = 1; i < dim; ++i) {
    tau[i] = x[i] - rho_t * z[i];
    length2 += tau[i] * tau[i];
  }
  const double length = std::sqrt(length2);
  const bool sticks = length <= radius;
  f[0] = x[0] - radius;
  for (int i = 1; i < dim; ++i) f[i] = sticks ? rho_t * z[i] : x[i] - radius * tau[i] / length;
  if (!p) return;

  (tau_n > 0 ? q[0] : p[0]) = tau_n > 0 ? rho_n : 1;
  for (int i = 1; i < dim; ++i) (sticks ? q : p)[i * dim + i] = sticks ? rho_t : 1;
  if (sticks || !(tau_n > 0)) return;
  for (int i = 1; i < dim; ++i) {  // slide: d(radius tau/|tau|) = tau/|tau| d radius + radius/|tau| (1 - t t^T) d tau
    const double ti = tau[i] / length;
    p[i * dim] -= ti;
    q[i * dim] += rho_n * ti;
    for (int j = 1; j < dim; ++j) {
      const double turn = radius / length * ((i == j ? 1 : 0) - ti * tau[j] / length);
      p[i * dim + j] -= turn;
      q[i * dim + j] += rho_t * turn;
    }
  }
}

}  // namespace

ContactNewton::ContactNewton(const UnitConeProblem& problem)
    : problem_(problem), lu_(BlockLu::Pattern::drop_zeros), matrix_(problem.a) {
  const std::size_t rows = problem.row_count(), contacts = to_index(problem.contact_count());
  for (auto* vector : {&centre_, &f_, &z_, &dx_, &dz_, &trial_x_, &trial_z_}) vector->resize(rows);
  p_.resize(contacts);
  q_.resize(contacts);
}

bool ContactNewton::run(const NewtonSettings& settings, std::span<double> x, SolveMonitor& monitor) {
  std::vector<double> next(x.begin(), x.end());
  alpha_ = settings.first_alpha;
  double factor = settings.alpha_factor, last_distance = std::numeric_limits<double>::infinity();
  int failures = 0, wait = 0;
  for (int outer = 0; failures < settings.max_failures; ++outer) {
    // How far x is from a solution, without the proximal term, sets how well the inner problem is solved.
    std::copy(x.begin(), x.end(), centre_.begin());
    velocity(x, z_);
    const double distance = evaluate(x, z_, false);
    if (outer % settings.patience == 0) {
      if (!(distance < settings.least_progress * last_distance)) break;
      last_distance = distance;
    }
    const double accuracy = std::max(1e-14 * norm(x), 1e-2 * std::min(1.0, alpha_) * distance);
    if (solve_inner(std::min(accuracy, 0.1 * distance), settings.max_inner, next, monitor)) {
      std::copy(next.begin(), next.end(), x.begin());
      if (--wait < 0) alpha_ = std::max(alpha_ * factor, settings.least_alpha);
      failures = 0;
    } else {  // back to the alpha that worked, and from there down by smaller steps
      std::copy(x.begin(), x.end(), next.begin());
      alpha_ *= failures == 0 && factor > settings.alpha_factor ? 2 : 10;
      factor = 0.5;
      wait = 2;
      ++failures;
    }
    if (monitor.done()) return true;
  }
  return false;
}

void ContactNewton::velocity(std::span<const double> x, std::span<double> z) const {
  multiply_add(problem_.a, x, problem_.q, z);
  for (std::size_t i = 0; i < x.size(); ++i) z[i] += alpha_ * (x[i] - centre_[i]);
}

/// Fills f_ (and p_, q_); returns |F|.
double ContactNewton::evaluate(std::span<const double> x, std::span<const double> z, bool jacobian) {
  const auto dim = to_index(problem_.dim());
  for (std::size_t k = 0; k < p_.size(); ++k) {
    if (jacobian) {
      p_[k].fill(0);
      q_[k].fill(0);
    }
    alart_curnier({problem_.dim(), &x[k * dim], &z[k * dim], problem_.rho_n[k], problem_.rho_t[k]}, &f_[k * dim],
                  jacobian ? p_[k].data() : nullptr, q_[k].data());
  }
  return norm(f_);
}

bool ContactNewton::solve_inner(double tolerance, int max_steps, std::span<double> x, SolveMonitor& monitor) {
  std::array<double, kWindow> window{};
  velocity(x, z_);
  for (int step = 0; step < max_steps; ++step) {
    const double residual = evaluate(x, z_, true);
    if (residual <= tolerance) return true;
    window[to_index(step % kWindow)] = residual;
    if (!std::isfinite(residual) || !direction(monitor)) return false;
    line_search(*std::max_element(window.begin(), window.end()), x);
    velocity(x, z_);
    if (monitor.record(x)) return false;
  }
  return evaluate(x, z_, false) <= tolerance;
}

/// (P + Q (A + alpha)) dx = -F: block row k of the matrix is Q_k A_kj, and P_k + alpha Q_k on the diagonal.
bool ContactNewton::direction(SolveMonitor& monitor) {
  const int dim = problem_.dim();
  for (std::size_t k = 0; k < p_.size(); ++k) {
    for (auto e = matrix_.row_start[k]; e < matrix_.row_start[k + 1]; ++e) {
      const double* a = problem_.a.block(e);
      double* m = matrix_.block(e);
      const bool diagonal = e == matrix_.diagonal[k];
      for (int i = 0; i < dim; ++i)
        for (int j = 0; j < dim; ++j) {
          double sum = diagonal ? p_[k][i * dim + j] + alpha_ * q_[k][i * dim + j] : 0;
          for (int l = 0; l < dim; ++l) sum += q_[k][i * dim + l] * a[l * dim + j];
          m[i * dim + j] = sum;
        }
    }
  }
  monitor.count_factorisation();
  if (!lu_.factorise(matrix_)) return false;
  for (std::size_t i = 0; i < f_.size(); ++i) dx_[i] = -f_[i];
  return lu_.solve(dx_, dx_);
}

/// Halves the step until |F| <= (1 - 1e-4 t) reference; if it never is, the best of the tried steps is taken.
void ContactNewton::line_search(double reference, std::span<double> x) {
  std::fill(trial_z_.begin(), trial_z_.end(), 0.0);
  multiply_add(problem_.a, dx_, trial_z_, dz_);
  for (std::size_t i = 0; i < dx_.size(); ++i) dz_[i] += alpha_ * dx_[i];
  double t = 1, best_t = 1, best = 0;
  for (int halving = 0; halving < kHalvings; ++halving, t *= 0.5) {
    for (std::size_t i = 0; i < dx_.size(); ++i) {
      trial_x_[i] = x[i] + t * dx_[i];
      trial_z_[i] = z_[i] + t * dz_[i];
    }
    const double residual = evaluate(trial_x_, trial_z_, false);
    if (halving == 0 || residual < best) {
      best = residual;
      best_t = t;
    }
    if (residual <= (1 - 1e-4 * t) * reference) {
      best_t = t;
      break;
    }
  }
  for (std::size_t i = 0; i < dx_.size(); ++i) x[i] += best_t * dx_[i];
}

}  // namespace cairn
