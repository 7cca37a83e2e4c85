// SPDX-License-Identifier: MIT
// Proximal point iteration with a nonsmooth Newton method inside, on a UnitConeProblem.
//
//   outer:  x_{k+1} solves the contact law with z = A x + q + alpha_k (x - x_k);  alpha falls tenfold per success
//   inner:  Newton on F(x) = (x_n - [tau_n]_+,  x_t - P_B([tau_n]_+)(tau_t)),  tau = x - rho z
//
// F is the Alart-Curnier function (Alart, Curnier 1991; Acary, Bremond, Huber 2018): its zeros are
// the solutions, its generalised Jacobian P + Q A has the pattern of A. The proximal term makes the Newton matrix
// regular where A is rank deficient, and costs nothing at the limit. Quadratic near a solution, lost far from one:
// start it from Gauss-Seidel or from contact_path. Internal to the reference solver.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "cairn/solvers/reference/block_lu.h"
#include "cairn/solvers/reference/unit_cone.h"

namespace cairn {

struct NewtonSettings {
  double first_alpha = 1e-3;  ///< relative to the scaled A; larger: safer and slower, smaller: lost where A is singular
  double alpha_factor = 0.1;  ///< after a success; closer to one: more outer steps
  double least_alpha = 1e-10;
  int max_inner = 15;           ///< Newton steps before an outer step counts as failed
  int max_failures = 3;         ///< in a row, alpha raised each time, before giving up
  int patience = 8;             ///< outer steps after which
  double least_progress = 0.6;  ///< ... |F| must have fallen by this factor; closer to one: grinds on for long
};

class ContactNewton {
 public:
  explicit ContactNewton(const UnitConeProblem& problem);

  /// Improves x. True when the monitor is done; false when the method gave up (the monitor has the best iterate).
  bool run(const NewtonSettings& settings, std::span<double> x, SolveMonitor& monitor);

 private:
  using Block = std::array<double, 16>;

  double evaluate(std::span<const double> x, std::span<const double> z, bool jacobian);
  void velocity(std::span<const double> x, std::span<double> z) const;
  bool solve_inner(double tolerance, int max_steps, std::span<double> x, SolveMonitor& monitor);
  bool direction(SolveMonitor& monitor);
  void line_search(double reference, std::span<double> x);

  const UnitConeProblem& problem_;
  double alpha_ = 0;
  BlockLu lu_;
  BlockSparse matrix_;
  std::vector<Block> p_, q_;  ///< dF/dx and dF/dz per contact
  std::vector<double> centre_, f_, z_, dx_, dz_, trial_x_, trial_z_;
};

}  // namespace cairn
