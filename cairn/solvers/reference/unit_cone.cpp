// SPDX-License-Identifier: MIT
#include "cairn/solvers/reference/unit_cone.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cairn/core/index.h"
#include "cairn/problem/residual.h"
#include "cairn/solvers/local_contact.h"

namespace cairn {

namespace {

constexpr double kUnmeasured = std::numeric_limits<double>::infinity();

double contact_scale(const double* block, int dim) {
  double trace = 0;
  for (int i = 0; i < dim; ++i) trace += block[i * dim + i];
  return trace > 0 ? std::sqrt(dim / trace) : 1.0;
}

/// A = D W D, block by block; rows without friction get a unit diagonal.
void scale_matrix(UnitConeProblem& cone) {
  const auto dim = to_index(cone.dim());
  for (std::size_t i = 0; i < to_index(cone.contact_count()); ++i) {
    for (auto e = cone.a.row_start[i]; e < cone.a.row_start[i + 1]; ++e) {
      const auto j = to_index(cone.a.column[to_index(e)]);
      double* block = cone.a.block(e);
      for (std::size_t row = 0; row < dim; ++row)
        for (std::size_t col = 0; col < dim; ++col)
          block[row * dim + col] *= cone.scale[i * dim + row] * cone.scale[j * dim + col];
    }
    double* diagonal = cone.a.block(cone.a.diagonal[i]);
    for (std::size_t row = 0; row < dim; ++row)
      if (cone.scale[i * dim + row] == 0) diagonal[row * dim + row] = 1;
  }
}

void set_step_lengths(UnitConeProblem& cone) {
  const int dim = cone.dim();
  for (std::int64_t k = 0; k < cone.contact_count(); ++k) {
    const double* block = cone.a.diagonal_block(k);
    double bound = 0;
    for (int i = 1; i < dim; ++i) {
      double sum = 0;
      for (int j = 1; j < dim; ++j) sum += std::fabs(block[i * dim + j]);
      bound = std::max(bound, sum);
    }
    cone.rho_n.push_back(block[0] > 0 ? 1 / block[0] : 1);
    cone.rho_t.push_back(bound > 0 ? 1 / bound : 1);
  }
}

template <int D>
void sweep_contacts(const UnitConeProblem& cone, std::span<double> x) {
  for (std::int64_t k = 0; k < cone.contact_count(); ++k) {
    const double* a = cone.a.diagonal_block(k);
    double* r = x.data() + k * D;
    double b[D];
    multiply_row<D>(cone.a, k, x.data(), b);
    for (int i = 0; i < D; ++i) {
      b[i] += cone.q[to_index(k * D + i)];
      for (int j = 0; j < D; ++j) b[i] -= a[i * D + j] * r[j];
    }
    if (!solve_local_contact<D>(a, b, 1.0, r)) project_fixed_point<D>(a, b, 1.0, r);
  }
}

}  // namespace

UnitConeProblem to_unit_cone(const DelassusProblem& problem) {
  UnitConeProblem cone;
  const auto dim = to_index(problem.dim());
  cone.a = problem.w;
  for (std::size_t k = 0; k < problem.friction.size(); ++k) {
    const FrictionAxes& mu = problem.friction[k];
    const double c = contact_scale(problem.w.diagonal_block(static_cast<std::int64_t>(k)), problem.dim());
    const std::array<double, 4> axes{c, c * mu.s, c * mu.t, c * mu.spin};
    for (std::size_t i = 0; i < dim; ++i) {
      cone.scale.push_back(axes[i]);
      cone.q.push_back(axes[i] * problem.q[k * dim + i]);
    }
  }
  scale_matrix(cone);
  set_step_lengths(cone);
  return cone;
}

void sweep(const UnitConeProblem& problem, std::span<double> x) {
  if (problem.dim() == 2) sweep_contacts<2>(problem, x);
  if (problem.dim() == 3) sweep_contacts<3>(problem, x);
  if (problem.dim() == 4) sweep_contacts<4>(problem, x);
}

double norm(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

SolveMonitor::SolveMonitor(const DelassusProblem& problem, const UnitConeProblem& cone, SolveContext& context,
                           SolveReport& report)
    : problem_(problem),
      cone_(cone),
      context_(context),
      report_(report),
      best_(kUnmeasured),
      best_impulse_(cone.row_count(), 0.0),
      impulse_(cone.row_count()),
      velocity_(cone.row_count()) {}

double SolveMonitor::seconds() const { return timer_.seconds() - report_.measure_seconds; }

void SolveMonitor::measure(std::span<const double> x) {
  ScopedTimer timing(report_.measure_seconds);
  for (std::size_t i = 0; i < x.size(); ++i) impulse_[i] = cone_.scale[i] * x[i];
  multiply_add(problem_.w, impulse_, problem_.q, velocity_);
  const double residual = relative_residual(problem_, impulse_, velocity_);
  if (residual < best_) {  // false for non-finite iterates
    best_ = residual;
    std::swap(best_impulse_, impulse_);
  }
}

bool SolveMonitor::start(std::span<const double> x) {
  measure(x);
  return must_stop();
}

bool SolveMonitor::record(std::span<const double> x) {
  ++report_.iterations;
  measure(x);
  if (context_.history && context_.details) report_.history.push_back({report_.iterations, seconds(), best_});
  if (context_.progress) context_.progress(report_.iterations, best_);
  return must_stop();
}

bool SolveMonitor::must_stop() {
  const StopSettings& stop = context_.stop;
  done_ = true;
  if (best_ <= stop.tolerance)
    report_.reason = StopReason::converged;
  else if (context_.interrupt && context_.interrupt->load(std::memory_order_relaxed))
    report_.reason = StopReason::interrupted;
  else if (report_.iterations >= stop.max_iterations)
    report_.reason = StopReason::max_iterations;
  else if (stop.time_limit > 0 && seconds() >= stop.time_limit)
    report_.reason = StopReason::time_limit;
  else
    done_ = false;
  return done_;
}

}  // namespace cairn
