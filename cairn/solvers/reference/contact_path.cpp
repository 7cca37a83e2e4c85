// SPDX-License-Identifier: MIT
#include "cairn/solvers/reference/contact_path.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr int kMaxCorrections = 8;
constexpr int kFailed = 1000;
constexpr double kDefect = 0.01;  // |G| / m that counts as on the path

/// (l + (l^2 + 4 m^2)^(1/2)) / 2 without cancellation.
double smooth_positive(double l, double m) {
  const double root = std::sqrt(l * l + 4 * m * m);
  return l > 0 ? 0.5 * (l + root) : (m > 0 ? 2 * m * m / (root - l) : 0.0);
}

/// x = g(v), z = g(-v) of one contact by its spectral values v_n -+ |v_t|; with them dg/dv and dg/dm if asked for.
struct Relaxed {
  double x[4], z[4], rate[4];
  std::array<double, 16> slope;
};

void relax(int dim, const double* v, double m, bool derivatives, Relaxed& out) {
  double length2 = 0, u[4] = {0, 1, 0, 0};
  for (int i = 1; i < dim; ++i) length2 += v[i] * v[i];
  const double length = std::sqrt(length2);
  for (int i = 1; i < dim && length > 0; ++i) u[i] = v[i] / length;
  const double l1 = v[0] - length, l2 = v[0] + length;
  const double g1 = smooth_positive(l1, m), g2 = smooth_positive(l2, m);
  const double h1 = smooth_positive(-l1, m), h2 = smooth_positive(-l2, m);
  out.x[0] = 0.5 * (g1 + g2);
  out.z[0] = 0.5 * (h1 + h2);
  for (int i = 1; i < dim; ++i) {
    out.x[i] = 0.5 * (g2 - g1) * u[i];
    out.z[i] = 0.5 * (h2 - h1) * u[i];
  }
  if (!derivatives) return;

  const double root1 = std::sqrt(l1 * l1 + 4 * m * m), root2 = std::sqrt(l2 * l2 + 4 * m * m);
  const double d1 = g1 / root1, d2 = g2 / root2, e1 = 2 * m / root1, e2 = 2 * m / root2;
  const double mean = 0.5 * (d1 + d2), half = 0.5 * (d2 - d1);
  const double across = l2 - l1 < 1e-9 * (root1 + root2) ? mean : (g2 - g1) / (l2 - l1);
  out.slope.fill(0);
  out.slope[0] = mean;
  out.rate[0] = 0.5 * (e1 + e2);
  for (int i = 1; i < dim; ++i) {
    out.slope[i] = out.slope[i * dim] = half * u[i];
    out.rate[i] = 0.5 * (e2 - e1) * u[i];
    for (int j = 1; j < dim; ++j) out.slope[i * dim + j] = (i == j ? across : 0) + (mean - across) * u[i] * u[j];
  }
}

}  // namespace

ContactPath::ContactPath(const UnitConeProblem& problem, const PathSettings& settings)
    : problem_(problem),
      settings_(settings),
      lu_(BlockLu::Pattern::fixed),
      matrix_(problem.a),
      step_(settings.first_step) {
  const std::size_t rows = problem.row_count();
  for (auto* vector : {&v_, &x_, &z_, &g_, &x_rate_, &g_rate_, &tangent_.v}) vector->assign(rows, 0.0);
  slope_.resize(to_index(problem.contact_count()));
  size_ = norm(problem.q);
  double largest = 0;
  for (const double value : problem.q) largest = std::max(largest, std::fabs(value));
  first_m_ = m_ = largest > 0 ? largest : 1;
}

bool ContactPath::start(SolveMonitor& monitor) {
  std::vector<double> dv(v_.size()), trial(v_.size());
  for (int iteration = 0; iteration < 100; ++iteration) {
    const double residual = evaluate(v_, m_, true);
    if (residual < 1e-6 * m_) return true;
    for (std::size_t i = 0; i < dv.size(); ++i) dv[i] = -g_[i];
    if (!factorise(monitor) || !lu_.solve(dv, dv)) return false;
    for (double t = 1; t > 1e-6; t *= 0.5) {
      for (std::size_t i = 0; i < dv.size(); ++i) trial[i] = v_[i] + t * dv[i];
      if (evaluate(trial, m_, false) < (1 - 1e-3 * t) * residual) break;
    }
    v_ = trial;
    if (monitor.record(x_)) return false;
  }
  return false;
}

bool ContactPath::resume(std::span<const double> v, double m, SolveMonitor& monitor) {
  v_.assign(v.begin(), v.end());
  m_ = m;
  return start(monitor);
}

bool ContactPath::step(SolveMonitor& monitor) {
  if (!(m_ > settings_.last_m * first_m_) || !find_tangent(monitor)) return false;
  std::vector<double> v(v_.size());
  while (step_ > settings_.least_step) {
    double log_m = 0;
    const int corrections = correct(step_, v, log_m, monitor);
    if (monitor.done()) return false;
    if (corrections < kFailed) {
      v_ = v;
      m_ = std::exp(log_m);
      if (corrections <= 3) step_ *= 1.6;
      if (corrections >= 6) step_ *= 0.7;
      return true;
    }
    step_ *= 0.5;
  }
  return false;
}

/// The unit tangent (dv, d log m) at the current point. Its direction: det dG/dv > 0 at the start of the path (m
/// large), and along a curve of solutions m falls where it is positive, rises where it is negative.
bool ContactPath::find_tangent(SolveMonitor& monitor) {
  unit_v_ = std::max(std::sqrt(static_cast<double>(v_.size())) * m_, settings_.shape_weight * norm(v_));
  evaluate(v_, m_, true);
  std::fill(g_.begin(), g_.end(), 0.0);
  std::vector<double> dv(v_.size());
  double dlog_m = 0;
  if (!factorise(monitor) || !solve_bordered(1, dv, dlog_m)) return false;
  const double shape = norm(dv) / unit_v_;
  const double length = std::copysign(std::sqrt(shape * shape + dlog_m * dlog_m), -dlog_m * lu_.determinant_sign());
  for (std::size_t i = 0; i < dv.size(); ++i) tangent_.v[i] = dv[i] / length;
  if (dlog_m * tangent_.log_m < 0) ++folds_;
  tangent_.log_m = dlog_m / length;
  return true;
}

/// From the point at `step` along the tangent to the path in the plane across it. Number of Newton steps, or kFailed.
int ContactPath::correct(double step, std::vector<double>& v, double& log_m, SolveMonitor& monitor) {
  std::vector<double> dv(v.size());
  log_m = std::log(m_) + step * tangent_.log_m;
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = v_[i] + step * tangent_.v[i];
  double first = 0;
  for (int iteration = 0; iteration < kMaxCorrections; ++iteration) {
    const double m = std::exp(log_m), residual = evaluate(v, m, true);
    double along = (log_m - std::log(m_)) * tangent_.log_m - step;
    for (std::size_t i = 0; i < v.size(); ++i) along += (v[i] - v_[i]) * tangent_.v[i] / (unit_v_ * unit_v_);
    if (residual <= std::max(kDefect * m, 3e-15 * size_) && std::fabs(along) <= kDefect * step) return iteration;
    if (iteration == 0) first = residual;
    if (!std::isfinite(residual) || (iteration >= 2 && residual > 10 * first)) return kFailed;
    double dlog_m = 0;
    if (!factorise(monitor) || !solve_bordered(-along, dv, dlog_m)) return kFailed;
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += dv[i];
    log_m += std::clamp(dlog_m, -2.0, 2.0);
    if (monitor.record(x_)) return kFailed;
  }
  return kFailed;
}

bool ContactPath::factorise(SolveMonitor& monitor) {
  monitor.count_factorisation();
  return lu_.factorise(matrix_);
}

/// [dG/dv  dG/dlog m; tangent] (dv, dlog m) = (-G, last), by block elimination with the factors of dG/dv.
bool ContactPath::solve_bordered(double last, std::vector<double>& dv, double& dlog_m) const {
  std::vector<double> border(g_rate_.size());
  for (std::size_t i = 0; i < dv.size(); ++i) dv[i] = -g_[i];
  if (!lu_.solve(g_rate_, border) || !lu_.solve(dv, dv)) return false;
  double above = last, below = tangent_.log_m;
  for (std::size_t i = 0; i < dv.size(); ++i) {
    const double t = tangent_.v[i] / (unit_v_ * unit_v_);
    above -= t * dv[i];
    below -= t * border[i];
  }
  dlog_m = above / below;
  for (std::size_t i = 0; i < dv.size(); ++i) dv[i] -= dlog_m * border[i];
  return std::isfinite(dlog_m);
}

/// G at (v, m) into g_ (x_, z_ as well); with the Jacobian in matrix_ and dG/dlog m in g_rate_. Returns |G|.
double ContactPath::evaluate(std::span<const double> v, double m, bool jacobian) {
  const int dim = problem_.dim();
  const double alpha = settings_.alpha;
  Relaxed contact;
  std::vector<double> slip(slope_.size());
  for (std::size_t k = 0, row = 0; k < slope_.size(); ++k, row += to_index(dim)) {
    relax(dim, &v[row], m, jacobian, contact);
    double slip2 = m * m;
    for (int i = 0; i < dim; ++i) {
      x_[row + i] = contact.x[i];
      z_[row + i] = contact.z[i];
      if (i > 0) slip2 += contact.z[i] * contact.z[i];
      if (jacobian) x_rate_[row + i] = m * contact.rate[i];
    }
    slip[k] = std::sqrt(slip2);
    if (jacobian) slope_[k] = contact.slope;
  }
  multiply_add(problem_.a, x_, problem_.q, g_);
  for (std::size_t i = 0; i < g_.size(); ++i) g_[i] += alpha * x_[i] - z_[i];
  for (std::size_t k = 0; k < slip.size(); ++k) g_[k * to_index(dim)] += slip[k];
  if (jacobian) linearise(m, slip);
  return norm(g_);
}

/// dG/dv: block A_kj g'_j, and on the diagonal alpha g' - z' + e (z_t/s)^T z'_t with z' = g' - 1; dG/dlog m likewise.
void ContactPath::linearise(double m, std::span<const double> slip) {
  const int dim = problem_.dim();
  const double alpha = settings_.alpha;
  std::fill(g_rate_.begin(), g_rate_.end(), 0.0);
  std::vector<double> zero(g_.size(), 0.0);
  multiply_add(problem_.a, x_rate_, zero, g_rate_);
  for (std::size_t k = 0; k < slope_.size(); ++k) {
    const std::size_t row = k * to_index(dim);
    for (auto e = matrix_.row_start[k]; e < matrix_.row_start[k + 1]; ++e) {
      const Block& slope = slope_[to_index(matrix_.column[to_index(e)])];
      const double* a = problem_.a.block(e);
      double* out = matrix_.block(e);
      for (int i = 0; i < dim; ++i)
        for (int j = 0; j < dim; ++j) {
          out[i * dim + j] = 0;
          for (int l = 0; l < dim; ++l) out[i * dim + j] += a[i * dim + l] * slope[l * dim + j];
        }
    }
    double* diagonal = matrix_.block(matrix_.diagonal[k]);
    for (int i = 0; i < dim; ++i) {
      g_rate_[row + i] += (alpha - 1) * x_rate_[row + i];  // dz/dm = dx/dm at fixed v
      for (int j = 0; j < dim; ++j) diagonal[i * dim + j] += (alpha - 1) * slope_[k][i * dim + j] + (i == j ? 1 : 0);
    }
    g_rate_[row] += m * m / slip[k];
    for (int i = 1; i < dim; ++i) {
      const double weight = z_[row + i] / slip[k];
      g_rate_[row] += weight * x_rate_[row + i];
      for (int j = 0; j < dim; ++j) diagonal[j] += weight * (slope_[k][i * dim + j] - (i == j ? 1 : 0));
    }
  }
}

}  // namespace cairn
