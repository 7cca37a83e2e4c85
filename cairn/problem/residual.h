// SPDX-License-Identifier: MIT
// The ruler: how good an answer is, whoever found it. Belongs to no solver; everything in double.
//
// Measures C1-C8 (docs/solvers.md, "Measures"), each written once. K_n, K_t are the diagonal blocks of W (K_t: largest
// eigenvalue of the friction block), y = J u' + b recomputed from the impulses, v_ref the speed gained in one step.
#pragma once

#include <span>
#include <vector>

#include "cairn/problem/contact_problem.h"
#include "cairn/problem/delassus.h"
#include "cairn/problem/natural_map.h"

namespace cairn {

struct Measures {
  double residual = 0;  ///< by which solvers stop (natural_map.h): 0 a solution, 1 as bad as no impulses

  // The natural map of the literature (Acary, Bremond, Huber 2018). It depends on units, so the unit-free one scales
  // each contact by dim / trace(W_kk) and divides by |lambda|.
  double natural_map = 0;
  double unit_free = 0;

  double c1_rms = 0;              ///< C1: decoupled natural map in velocity units, rms over rows / v_ref
  double c1_max = 0;              ///< the same, largest
  double c2_violation = 0;        ///< C2: mean of max(0, -y_n) / v_ref
  double c3_joint_velocity = 0;   ///< C3: largest violation of a joint row / v_ref
  double c4_overlap_max = 0;      ///< C4: m
  double c4_overlap_mean = 0;     ///< m
  double c4_joint_error_max = 0;  ///< m or rad
  double c5_complementarity = 0;  ///< C5: mean |lambda_n y_n| / (m v_ref^2)
  double c6_cone_excess = 0;      ///< C6: largest excess over the friction bound / (m v_ref)
  double c6_dissipation_gap = 0;  ///< largest lambda_t . y_t + (maximal dissipation), / (m v_ref^2); >= 0
  double c7_consistency = 0;      ///< C7: max |u' - (u_free + M^-1 J^T lambda)| / v_ref: shows bugs
  double c8_kinetic_error = -1;   ///< C8: |u' - u*|_M / |u_free - u*|_M; -1 without a reference

  double v_ref = 0;     ///< m/s
  double mass_ref = 0;  ///< kg
};

/// `reference`, if given, is the velocity of an exact solution (for C8).
Measures residual(const ContactProblem& problem, const ContactSolution& solution,
                  const std::vector<Velocity>* reference = nullptr);

Measures residual(const DelassusProblem& problem, std::span<const double> impulse,
                  std::span<const double> reference = {});

/// y = J u' + b of every contact, dim per contact, from the impulses alone.
std::vector<double> contact_velocities(const ContactProblem& problem, const ContactSolution& solution);

/// gamma of Poulsen 2010 (3.32): 1/2 |prox(lambda - r y) - lambda|^2 with one constant r, normal first, then the
/// friction set. Depends on units; kept to reproduce Poulsen 2010.
double quality_gamma(std::span<const double> impulse, std::span<const double> velocity,
                     std::span<const FrictionAxes> friction, int dim, double r);

}  // namespace cairn
