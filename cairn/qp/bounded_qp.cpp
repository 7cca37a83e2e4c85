// SPDX-License-Identifier: MIT
#include "cairn/qp/bounded_qp.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

const char* to_string(QpEnd end) {
  switch (end) {
    case QpEnd::converged: return "converged";
    case QpEnd::cycled: return "cycled";
    case QpEnd::stalled: return "stalled";
    case QpEnd::not_positive_definite: return "not positive definite";
    case QpEnd::max_iterations: return "max iterations";
    case QpEnd::time_limit: return "time limit";
    case QpEnd::interrupted: break;
  }
  return "interrupted";
}

void validate(const BoundedQp& qp) {
  require(qp.h != nullptr && qp.h->size() > 0, "a quadratic program needs a matrix of at least one variable");
  const auto n = to_index(qp.h->size());
  if (qp.c.size() != n || qp.lower.size() != n || qp.upper.size() != n)
    fail_input(fmt::format(
        "a quadratic program of {} variables needs as many entries of c, lower and upper; it has {}, {} and {}", n,
        qp.c.size(), qp.lower.size(), qp.upper.size()));
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(qp.c[i])) fail_input(fmt::format("c[{}] is not a finite number", i));
    // Also true where one is not a number.
    if (!(qp.lower[i] <= qp.upper[i]))
      fail_input(fmt::format("the bounds of variable {} cross or are not numbers: lower {}, upper {}", i, qp.lower[i],
                             qp.upper[i]));
    if (qp.lower[i] == INFINITY || qp.upper[i] == -INFINITY)
      fail_input(fmt::format("variable {} has no place between its bounds {} and {}", i, qp.lower[i], qp.upper[i]));
    const double d = qp.h->diagonal(static_cast<int>(i));
    if (!(d > 0))
      fail_input(
          fmt::format("the matrix is not positive definite: entry ({0}, {0}) is {1}; add a regularisation", i, d));
  }
}

double kkt_residual(const BoundedQp& qp, std::span<const double> x, ThreadPool* pool) {
  std::vector<double> multiplier(x.size());
  qp.h->multiply(x, multiplier, pool);
  for (std::size_t i = 0; i < x.size(); ++i) multiplier[i] = qp.c[i] - multiplier[i];
  return kkt_residual(qp, x, multiplier);
}

double kkt_residual(const BoundedQp& qp, std::span<const double> x, std::span<const double> multiplier) {
  double sum = 0, of_c = 0, of_x = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double d = qp.h->diagonal(static_cast<int>(i));
    const double r = x[i] - std::clamp(x[i] + multiplier[i] / d, qp.lower[i], qp.upper[i]);
    sum += d * r * r, of_c += qp.c[i] * qp.c[i] / d, of_x += d * x[i] * x[i];
  }
  const double size = std::sqrt(of_c) + std::sqrt(of_x);
  return sum == 0 ? 0.0 : size > 0 ? std::sqrt(sum) / size : INFINITY;
}

}  // namespace cairn
