// SPDX-License-Identifier: MIT
// Gauge: one contact as the ruler sees it, and the natural map on it. Internal to the ruler (natural_map, residual).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "cairn/math/friction_set.h"

namespace cairn {

/// One contact as the ruler sees it.
struct Gauge {
  std::array<double, 4> impulse{}, velocity{}, free{};
  FrictionAxes friction;
  double k_n = 0;    ///< W_nn
  double k_t = 0;    ///< largest eigenvalue of the friction block
  double trace = 0;  ///< of the whole diagonal block
};

inline bool is_isotropic(const FrictionAxes& mu, int dim) { return dim == 2 || (dim == 3 && mu.s == mu.t); }

/// F_nat of one contact with step rho: lambda - P_K(lambda - rho (y + mu |y_t| n)) for the circular cone, or the
/// decoupled map. Returns its square.
inline double natural_map2(const Gauge& g, int dim, double rho) {
  std::array<double, 4> z{};
  for (int i = 0; i < dim; ++i) z[i] = g.impulse[i] - rho * g.velocity[i];
  if (is_isotropic(g.friction, dim)) {
    const double t = dim == 3 ? g.velocity[2] : 0.0;
    const double slip = std::sqrt(g.velocity[1] * g.velocity[1] + t * t);
    z[0] -= rho * g.friction.s * slip;
    project_cone(g.friction.s, z[0], z[1], z[2]);
  } else {
    z[0] = project_half_line(z[0]);
    // The set of the current normal impulse: a fixed point of the decoupled prox.
    std::array<double, 4> tangential = z;
    tangential[0] = project_half_line(g.impulse[0]);
    dim == 3 ? project_friction<3>(FrictionSet::ellipse, g.friction, tangential.data())
             : project_friction<4>(FrictionSet::ellipse, g.friction, tangential.data());
    for (int i = 1; i < dim; ++i) z[i] = tangential[i];
  }
  double sum = 0;
  for (int i = 0; i < dim; ++i) sum += (g.impulse[i] - z[i]) * (g.impulse[i] - z[i]);
  return sum;
}

/// a / b, or a where b is zero: a residual without a scale is left as it is.
inline double divide(double a, double b) { return b > 0 ? a / b : a; }

}  // namespace cairn
