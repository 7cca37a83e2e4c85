// SPDX-License-Identifier: MIT
// One contact alone, solved exactly: y = A r + b with Coulomb's law on (r, y), component 0 normal.
//
//   take-off   b_n >= 0:                    r = 0
//   stick      A r = -b,                    |r_t| <= mu r_n
//   slide      (A + alpha T) r = -b,        |r_t| = mu r_n, alpha > 0, T = diag(0, 1, 1)
//
// The normal row is eliminated, r_n = -(b_n + A_nt r_t) / A_nn, which leaves (S + alpha) r_t = -c with the Schur
// complement S = A_tt - A_tn A_nt / A_nn. Slide is then one equation for alpha, phi = mu r_n / |r_t| - 1 = 0: phi is
// nearly linear in alpha (the secular equation of trust regions), so that a bracketed Newton method needs a few steps.
// The three cases are those of Acary, Bremond, Huber 2018 (RR-9118); the elimination and phi are ours.
//
// Use: the local step of Gauss-Seidel over assembled problems. With anisotropic friction or spin, scale first:
// r_t = diag(mu) t, y_t -> diag(mu) y_t turns the ellipsoid into the ball of mu = 1.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace cairn {

namespace local_contact {

/// The contact without its normal row: (S + alpha) r_t = -c of order N = D - 1.
template <int N>
struct Reduced {
  std::array<double, N * N> s{};      ///< row major
  std::array<double, N> c{}, a_nt{};  ///< a_nt: first row of A
  double a_nn = 0, b_n = 0, mu = 0;   ///< mu >= 0
  double scale = 0;                   ///< largest |diagonal| of A

  double normal(const std::array<double, N>& r_t) const {
    double sum = b_n;
    for (int i = 0; i < N; ++i) sum += a_nt[i] * r_t[i];
    return -sum / a_nn;
  }
};

template <int D>
Reduced<D - 1> reduce(const double* a, const double* b, double mu) {
  constexpr int kN = D - 1;
  Reduced<kN> p;
  p.a_nn = a[0];
  p.b_n = b[0];
  p.mu = mu;
  for (int i = 0; i < D; ++i) p.scale = std::max(p.scale, std::fabs(a[i * D + i]));
  for (int i = 0; i < kN; ++i) {
    const double a_tn = a[(i + 1) * D];
    p.a_nt[i] = a[i + 1];
    p.c[i] = b[i + 1] - a_tn * b[0] / a[0];
    for (int j = 0; j < kN; ++j) p.s[i * kN + j] = a[(i + 1) * D + j + 1] - a_tn * a[j + 1] / a[0];
  }
  return p;
}

template <int N>
double norm(const std::array<double, N>& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

/// x = m^-1 f by cofactors, N = 1, 2, 3; false when |det| <= tiny * (largest entry)^N.
template <int N>
bool solve_small(const std::array<double, N * N>& m, const std::array<double, N>& f, double tiny,
                 std::array<double, N>& x) {
  double largest = 0;
  for (const double value : m) largest = std::max(largest, std::fabs(value));
  if constexpr (N == 1) {
    if (!(largest > 0)) return false;
    x[0] = f[0] / m[0];
  } else if constexpr (N == 2) {
    const double det = m[0] * m[3] - m[1] * m[2];
    if (!(std::fabs(det) > tiny * largest * largest)) return false;
    x = {(m[3] * f[0] - m[1] * f[1]) / det, (m[0] * f[1] - m[2] * f[0]) / det};
  } else {
    static_assert(N == 3);
    const double c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8], c2 = m[3] * m[7] - m[4] * m[6];
    const double det = m[0] * c0 + m[1] * c1 + m[2] * c2;
    if (!(std::fabs(det) > tiny * largest * largest * largest)) return false;
    x[0] = (c0 * f[0] + (m[2] * m[7] - m[1] * m[8]) * f[1] + (m[1] * m[5] - m[2] * m[4]) * f[2]) / det;
    x[1] = (c1 * f[0] + (m[0] * m[8] - m[2] * m[6]) * f[1] + (m[2] * m[3] - m[0] * m[5]) * f[2]) / det;
    x[2] = (c2 * f[0] + (m[1] * m[6] - m[0] * m[7]) * f[1] + (m[0] * m[4] - m[1] * m[3]) * f[2]) / det;
  }
  return true;
}

/// r_t with S r_t = -c; for a singular S the limit of (S + eps) r_t = -c. False when there is none.
template <int N>
bool stick(const Reduced<N>& p, std::array<double, N>& r_t) {
  std::array<double, N> minus_c;
  for (int i = 0; i < N; ++i) minus_c[i] = -p.c[i];
  double largest = 0;
  for (const double value : p.s) largest = std::max(largest, std::fabs(value));
  if (largest > 1e-14 * p.scale && solve_small<N>(p.s, minus_c, 1e-14, r_t)) return true;
  const double shift = 1e-9 * p.scale;  // limit by iterated regularisation: x <- x - (S + shift)^-1 (S x + c)
  r_t.fill(0);
  std::array<double, N* N> m = p.s;
  for (int i = 0; i < N; ++i) m[i * N + i] += shift;
  std::array<double, N> defect, dx;
  for (int step = 0; step < 4; ++step) {
    for (int i = 0; i < N; ++i) {
      defect[i] = -p.c[i];
      for (int j = 0; j < N; ++j) defect[i] -= p.s[i * N + j] * r_t[j];
    }
    if (!solve_small<N>(m, defect, 0, dx)) return false;
    if (step == 3) break;
    for (int i = 0; i < N; ++i) r_t[i] += dx[i];
  }
  return norm<N>(defect) <= 1e-13 * (norm<N>(p.c) + largest * norm<N>(r_t));
}

/// r_t(alpha) and phi, phi' at alpha; false at a pole.
template <int N>
bool evaluate_slide(const Reduced<N>& p, double alpha, std::array<double, N>& r_t, double& phi, double& slope) {
  std::array<double, N* N> m = p.s;
  std::array<double, N> minus_c, rate;
  for (int i = 0; i < N; ++i) {
    m[i * N + i] += alpha;
    minus_c[i] = -p.c[i];
  }
  if (!solve_small<N>(m, minus_c, 0, r_t) || !solve_small<N>(m, r_t, 0, rate)) return false;  // r_t' = -rate
  const double length = norm<N>(r_t), r_n = p.normal(r_t);
  if (!(length > 0)) return false;
  double r_n_rate = 0, length_rate = 0;
  for (int i = 0; i < N; ++i) {
    r_n_rate += p.a_nt[i] * rate[i] / p.a_nn;
    length_rate -= r_t[i] * rate[i] / length;
  }
  phi = p.mu * r_n / length - 1;
  slope = p.mu * (r_n_rate * length - r_n * length_rate) / (length * length);
  return std::isfinite(phi);
}

/// The root of phi, started at `alpha` > 0; phi < 0 at 0 (stick failed) and phi > 0 for large alpha.
template <int N>
bool slide(const Reduced<N>& p, double alpha, std::array<double, N>& r_t) {
  double low = 0, high = std::numeric_limits<double>::infinity(), phi = 0, slope = 0;
  for (int step = 0; step < 200; ++step) {
    if (!evaluate_slide<N>(p, alpha, r_t, phi, slope)) phi = slope = -1;  // a pole belongs to the left of the root
    (phi < 0 ? low : high) = alpha;
    if (std::fabs(phi) <= 1e-16) break;
    double next = alpha - phi / slope;
    if (std::fabs(next - alpha) <= 4e-16 * alpha) break;
    if (!(next > low && next < high)) {
      next = high < std::numeric_limits<double>::infinity() ? 0.5 * (low + high) : 4 * std::max(alpha, 0.25 * p.scale);
      if (!(next > low && next < high)) break;  // the bracket has no number left, or alpha overflowed
    }
    alpha = next;
  }
  return std::fabs(phi) <= 1e-9;
}

/// Where to start the search for alpha: the value that the guess r has, -y_t . r_t / |r_t|^2, or the scale of A.
template <int D>
double slide_start(const double* a, const double* b, const double* r, double scale) {
  double power = 0, length2 = 0;
  for (int i = 1; i < D; ++i) {
    double y = b[i];
    for (int j = 0; j < D; ++j) y += a[i * D + j] * r[j];
    power -= y * r[i];
    length2 += r[i] * r[i];
  }
  const double alpha = power / length2;
  return alpha > 1e-12 * scale && alpha < 1e12 * scale ? alpha : scale;
}

}  // namespace local_contact

/// Solves y = A r + b with Coulomb's law of coefficient `mu` in dimension D = 2, 3 or 4 (n, t...). `a` is D x D row
/// major, positive semi-definite up to a small asymmetry; `r` holds a guess on entry (it only starts the search) and
/// the solution on return. False, with r unchanged, when there is no solution of the three kinds.
template <int D>
bool solve_local_contact(const double* a, const double* b, double mu, double* r) {
  constexpr int kN = D - 1;
  if (b[0] >= 0) {
    std::fill_n(r, D, 0.0);
    return true;
  }
  if (!(a[0] > 0)) return false;
  const local_contact::Reduced<kN> p = local_contact::reduce<D>(a, b, mu);
  std::array<double, kN> r_t{};
  if (!(mu > 0)) {
    r[0] = -b[0] / a[0];
    std::fill_n(r + 1, kN, 0.0);
    return true;
  }
  if (local_contact::stick<kN>(p, r_t) && local_contact::norm<kN>(r_t) <= mu * p.normal(r_t)) {
    r[0] = p.normal(r_t);
    std::copy_n(r_t.begin(), kN, r + 1);
    return true;
  }
  if (!local_contact::slide<kN>(p, local_contact::slide_start<D>(a, b, r, p.scale), r_t)) return false;
  const double r_n = p.normal(r_t), length = local_contact::norm<kN>(r_t);
  if (!(r_n > 0) || !std::isfinite(r_n) || !(length > 0)) return false;
  r[0] = r_n;
  for (int i = 0; i < kN; ++i) r[i + 1] = mu * r_n / length * r_t[i];  // exactly on the cone
  return true;
}

/// Where there is no exact solution: fixed point r <- P_K(r - rho (y + mu |y_t| n)), rho = 1 / |A|_inf, from r. Always
/// ends with r in K; a block of zeros leaves r as it is.
template <int D>
void project_fixed_point(const double* a, const double* b, double mu, double* r, int max_iterations = 500) {
  double size = 0;
  for (int i = 0; i < D; ++i) {
    double sum = 0;
    for (int j = 0; j < D; ++j) sum += std::fabs(a[i * D + j]);
    size = std::max(size, sum);
  }
  if (!(size > 0) || !std::isfinite(1 / size)) return;
  for (int step = 0; step < max_iterations; ++step) {
    std::array<double, D> y, z;
    for (int i = 0; i < D; ++i) {
      y[i] = b[i];
      for (int j = 0; j < D; ++j) y[i] += a[i * D + j] * r[j];
    }
    double slip2 = 0, length2 = 0;
    for (int i = 1; i < D; ++i) slip2 += y[i] * y[i];
    y[0] += mu * std::sqrt(slip2);
    for (int i = 0; i < D; ++i) z[i] = r[i] - y[i] / size;
    for (int i = 1; i < D; ++i) length2 += z[i] * z[i];
    const double length = std::sqrt(length2);
    if (mu * length <= -z[0]) {  // in the polar cone
      z.fill(0);
    } else if (length > mu * z[0]) {
      z[0] = (z[0] + mu * length) / (1 + mu * mu);
      for (int i = 1; i < D; ++i) z[i] *= mu * z[0] / length;
    }
    double change = 0, sum = 0;
    for (int i = 0; i < D; ++i) {
      change += (z[i] - r[i]) * (z[i] - r[i]);
      sum += z[i] * z[i];
      r[i] = z[i];
    }
    if (change <= 1e-28 * sum) break;
  }
}

}  // namespace cairn
