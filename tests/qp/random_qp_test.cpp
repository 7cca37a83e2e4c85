// SPDX-License-Identifier: MIT
// Ten thousand random QPs of 1 to 40 variables, degenerate and ill-conditioned ones among them: all our methods against
// an oracle of another kind, an interior point in long double written here.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "cairn/qp/classical.h"
#include "cairn/qp/pdasm.h"

namespace cairn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Real = long double;

struct Sample {
  int size = 0;
  std::vector<double> h, c, lower, upper;
  double condition = 1;  ///< of the scales of B^T B
};

/// H = B^T D B + shift, D over up to twelve decades; bounds of every kind; half of the samples have variables that are
/// on a bound with no multiplier.
Sample draw(Random& random) {
  Sample s;
  s.size = 1 + static_cast<int>(random.below(40));
  const auto n = to_index(s.size);
  const double decades = random.below(3) == 0 ? random.uniform(0, 12) : random.uniform(0, 2);
  s.condition = std::pow(10.0, decades);
  std::vector<double> b(n * n), d(n);
  for (double& value : b) value = random.uniform(-1, 1);
  for (double& value : d) value = std::pow(10.0, -decades * random.uniform());
  s.h.assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = i == j ? 1e-2 / s.condition : 0.0;
      for (std::size_t k = 0; k < n; ++k) sum += b[k * n + i] * d[k] * b[k * n + j];
      s.h[i * n + j] = s.h[j * n + i] = sum;
    }
  s.c.resize(n), s.lower.resize(n), s.upper.resize(n);
  const bool degenerate = random.below(2) == 0;
  std::vector<double> x(n), lambda(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto kind = random.below(5);
    s.lower[i] = kind == 1 || kind == 4 ? -kInfinity : random.uniform(-1, 0);
    s.upper[i] = kind == 2 || kind == 4 ? kInfinity : random.uniform(0, 1);
    if (kind == 3 && random.below(4) == 0) s.upper[i] = s.lower[i];
    const auto where = random.below(3);
    x[i] = std::isfinite(s.lower[i]) && where == 0   ? s.lower[i]
           : std::isfinite(s.upper[i]) && where == 1 ? s.upper[i]
                                                     : std::clamp(random.uniform(-1, 1), s.lower[i], s.upper[i]);
    const double pushed = degenerate && random.below(2) == 0 ? 0.0 : random.uniform(0, 1);
    if (x[i] == s.lower[i])
      lambda[i] = -pushed;
    else if (x[i] == s.upper[i])
      lambda[i] = pushed;
  }
  for (std::size_t i = 0; i < n; ++i) {
    s.c[i] = degenerate ? lambda[i] : random.uniform(-1, 1);
    if (degenerate)
      for (std::size_t j = 0; j < n; ++j) s.c[i] += s.h[i * n + j] * x[j];
  }
  return s;
}

/// x of (H + diag(w)) x = r by Cholesky.
std::vector<Real> solve_shifted(const Sample& s, const std::vector<Real>& w, std::vector<Real> r) {
  const auto n = to_index(s.size);
  std::vector<Real> l(n * n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < n; ++i) {
      Real sum = s.h[i * n + j] + (i == j ? w[i] : Real{0});
      for (std::size_t k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k];
      l[i * n + j] = i == j ? std::sqrt(sum) : sum / l[j * n + j];
    }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) r[i] -= l[i * n + k] * r[k];
    r[i] /= l[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) r[i] -= l[k * n + i] * r[k];
    r[i] /= l[i * n + i];
  }
  return r;
}

/// Primal-dual interior point with slacks p = x - l and q = u - x kept apart from x, so that they can become tiny.
std::vector<Real> interior_point(const Sample& s) {
  const auto n = to_index(s.size);
  std::vector<Real> x(n), p(n), q(n), y(n), z(n);  // y pushes up from l, z down from u
  const auto has_lower = [&](std::size_t i) { return std::isfinite(s.lower[i]) && s.lower[i] < s.upper[i]; };
  const auto has_upper = [&](std::size_t i) { return std::isfinite(s.upper[i]) && s.lower[i] < s.upper[i]; };
  for (std::size_t i = 0; i < n; ++i) {
    const Real low = s.lower[i], high = s.upper[i];
    x[i] = low == high                    ? low
           : has_lower(i) && has_upper(i) ? (low + high) / 2
           : has_lower(i)                 ? low + 1
           : has_upper(i)                 ? high - 1
                                          : Real{0};
    p[i] = has_lower(i) ? x[i] - low : Real{1}, q[i] = has_upper(i) ? high - x[i] : Real{1};
    y[i] = has_lower(i) ? 1 : 0, z[i] = has_upper(i) ? 1 : 0;
  }
  for (int step = 0; step < 200; ++step) {
    Real gap = 0;
    int count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (has_lower(i)) gap += p[i] * y[i], ++count;
      if (has_upper(i)) gap += q[i] * z[i], ++count;
    }
    const Real mu = count > 0 ? Real{0.1L} * gap / count : Real{0};
    std::vector<Real> w(n, 0), r(n);
    for (std::size_t i = 0; i < n; ++i) {
      r[i] = s.c[i];
      for (std::size_t j = 0; j < n; ++j) r[i] -= s.h[i * n + j] * x[j];
      if (has_lower(i)) w[i] += y[i] / p[i], r[i] += mu / p[i];
      if (has_upper(i)) w[i] += z[i] / q[i], r[i] -= mu / q[i];
      if (s.lower[i] == s.upper[i]) w[i] = 1e30L, r[i] = 0;
    }
    const std::vector<Real> dx = solve_shifted(s, w, r);
    Real most = 1;
    std::vector<Real> dy(n, 0), dz(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      if (has_lower(i)) {
        dy[i] = (mu - y[i] * dx[i]) / p[i] - y[i];
        if (dx[i] < 0) most = std::min(most, Real{-0.99L} * p[i] / dx[i]);
        if (dy[i] < 0) most = std::min(most, Real{-0.99L} * y[i] / dy[i]);
      }
      if (has_upper(i)) {
        dz[i] = (mu + z[i] * dx[i]) / q[i] - z[i];
        if (dx[i] > 0) most = std::min(most, Real{0.99L} * q[i] / dx[i]);
        if (dz[i] < 0) most = std::min(most, Real{-0.99L} * z[i] / dz[i]);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += most * dx[i], y[i] += most * dy[i], z[i] += most * dz[i];
      if (has_lower(i)) p[i] += most * dx[i];
      if (has_upper(i)) q[i] -= most * dx[i];
    }
    Real moved = 0;
    for (std::size_t i = 0; i < n; ++i) moved = std::max(moved, std::fabs(dx[i]) / (1 + std::fabs(x[i])));
    if (gap < 1e-24L && moved < 1e-15L) break;
  }
  return x;
}

/// |x - y| in the norm of H over that of y and of the data.
double distance(const Sample& s, const std::vector<double>& x, const std::vector<Real>& y) {
  const auto n = to_index(s.size);
  Real apart = 0, size = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const Real h = s.h[i * n + j];
      apart += (x[i] - y[i]) * h * (x[j] - y[j]), size += y[i] * h * y[j];
    }
  for (std::size_t i = 0; i < n; ++i) size += static_cast<Real>(s.c[i]) * s.c[i] / s.h[i * n + i];
  return static_cast<double>(std::sqrt(std::max(apart, Real{0}) / size));
}

TEST(RandomQp, TenThousandAgreeWithAnInteriorPoint) {
  Random random(18);
  int loose = 0, single = 0;
  for (int number = 0; number < 10000; ++number) {
    const Sample s = draw(random);
    const DenseMatrix h(s.size, s.h);
    const BoundedQp qp{&h, s.c, s.lower, s.upper};
    const std::vector<Real> wanted = interior_point(s);
    const double enough = 1e-10 * std::sqrt(s.condition);
    for (const int method : {0, 1, 2, 3}) {
      SCOPED_TRACE("QP " + std::to_string(number) + ", method " + std::to_string(method));
      QpSolution solution;
      const QpContext context;
      const QpReport report = method == 0   ? solve_pdasm(qp, solution, context, {.schur = false})
                              : method == 1 ? solve_pdasm(qp, solution, context)
                              : method == 2 ? solve_primal_active_set(qp, solution, context)
                                            : solve_dual_active_set(qp, solution, context);
      ASSERT_LE(distance(s, solution.x, wanted), enough);
      // Updated factors lose digits with every change; those of pdasm are fresh or refined.
      ASSERT_LE(report.residual, method < 2 ? 1e-12 : 1e-12 * std::sqrt(s.condition));
      if (report.end != QpEnd::converged) ++loose;
      single += report.single_exchanges;
    }
  }
  EXPECT_EQ(loose, 0) << "solves that did not say converged";
  RecordProperty("single_exchanges", single);
}

}  // namespace
}  // namespace cairn
