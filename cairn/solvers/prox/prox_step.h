// SPDX-License-Identifier: MIT
// One contact's turn: the step shared by all sweeps, whatever the operator that evaluated y.
#pragma once

#include <algorithm>
#include <cmath>

#include "cairn/math/friction_set.h"
#include "cairn/math/small_eigen.h"
#include "cairn/solvers/prox/prox_settings.h"

namespace cairn {

/// r-factors of a contact: one for the normal row, one for the friction rows, so that the disc stays a disc.
struct ContactR {
  double normal = 0;
  double friction = 0;
};

/// lambda_k <- prox( lambda_k - R_k y_k ), normal first (Poulsen 2010, (2.74)).
template <int D>
inline void prox_step(FrictionSet set, const FrictionAxes& mu, const ContactR& r, const double* y, double* lambda) {
  lambda[0] -= r.normal * y[0];
  for (int i = 1; i < D; ++i) lambda[i] -= r.friction * y[i];
  project_contact<D>(set, mu, lambda);
}

/// Local r-factors (Poulsen 2010, section 3.5): 1 / W_nn and 1 / (largest eigenvalue of the friction block), over
/// `sharing`: 1 for Gauss-Seidel, the largest number of contacts on one of the two bodies for Jacobi (then R_k <= 1 /
/// (row bound) and the sweep is a convergent splitting for fixed friction bounds). A contact that cannot move gets 0:
/// it keeps its impulse.
template <int D>
inline ContactR local_r(const double* block, double relaxation, double sharing) {
  const double k_n = block[0], k_t = largest_eigenvalue(block + D + 1, D, D - 1);
  return {k_n > 0 ? relaxation / (k_n * sharing) : 0.0, k_t > 0 ? relaxation / (k_t * sharing) : 0.0};
}

/// The set a solver projects on for the model chosen and the contacts at hand.
inline FrictionSet choose_set(FrictionModel model, int dim, bool isotropic) {
  switch (model) {
    case FrictionModel::disc: return dim == 3 ? FrictionSet::disc : FrictionSet::ellipse;
    case FrictionModel::ellipse: return FrictionSet::ellipse;
    case FrictionModel::box: return FrictionSet::box;
    case FrictionModel::cone: return FrictionSet::cone;
    case FrictionModel::automatic: break;
  }
  return dim == 3 && isotropic ? FrictionSet::disc : FrictionSet::ellipse;
}

/// The larger of two changes; not a number if either is not.
inline double larger(double a, double b) { return a < b || b != b ? b : a; }

/// How much a contact's turn mattered: the largest work |dlambda_i y_i| of its rows (energy; no division needed). Zero
/// exactly when nothing changed, not a number when a row is not finite.
template <int D>
inline double largest_work(const double* delta, const double* y) {
  double work = 0, poison = 0;
  for (int i = 0; i < D; ++i) {
    const double mine = std::fabs(delta[i] * y[i]);
    work = std::max(work, mine);
    poison += 0 * mine;  // 0 for finite numbers, not a number otherwise
  }
  return work + poison;
}

}  // namespace cairn
