// SPDX-License-Identifier: MIT
// Reference: the slow, accurate solver that judges the others. Solves the Coulomb law on an assembled problem
//
//   y = W r + q,   K* contains y + mu |y_t| n, orthogonal to r in K,   to a residual near machine precision,
//
// W rank deficient or slightly unsymmetric. Four phases on the scaled problem (unit_cone.h), the cheap ones first:
//   1. Gauss-Seidel with exact local solves (local_contact.h);
//   2. proximal point with nonsmooth Newton (contact_newton.h), x_{k+1} = sol(A + alpha_k, q - alpha_k x_k): enough for
//      most problems;
//   3. the smoothing path x o z = m^2 e followed by arc length from m = |q| towards 0, first inside the cone
//      (contact_interior.h), then without it (contact_path.h); phase 2 tried whenever m has fallen enough;
//   4. phases 1 and 2 in turn from the best iterate, as long as that helps.
// Source: proximal point with Newton: Acary, Bremond, Huber 2018 (RR-9118), solver PPA-NSN-AC; following the
// path by arc length through its turning points is ours.
// Use: ground truth up to about ten thousand contacts; milliseconds to a minute. Not for time steps.
#pragma once

#include "cairn/solvers/reference/contact_interior.h"
#include "cairn/solvers/reference/contact_newton.h"
#include "cairn/solvers/reference/contact_path.h"
#include "cairn/solvers/solver.h"

namespace cairn {

struct ReferenceSettings {
  int iterations = 0;       ///< sweeps and Newton steps at most; 0: as the caller says (StopSettings)
  double tolerance = -1;    ///< on the residual; negative: as the caller says
  int sweeps = 30;          ///< Gauss-Seidel before Newton; fewer: Newton starts too far away, more: wasted on stacks
  NewtonSettings newton{};  ///< of phases 3 and 4
  double cold_alpha = 1;    ///< first alpha of phase 2, which starts far away; smaller fails more often
  PathSettings path{};
  double first_try_m = 1e-2;      ///< of the start of the path: phase 2 is tried below; larger: tries that must fail
  double try_factor = 0.3;        ///< fall of m between tries; closer to one: more tries, each up to 80 factorisations
  int max_rounds = 20;            ///< of phase 4
  int round_sweeps = 200;         ///< Gauss-Seidel sweeps per round of phase 4
  std::int64_t max_rows = 60000;  ///< rows of W above which nothing is factorised (memory): Gauss-Seidel only
};

/// `stop.max_iterations` counts Gauss-Seidel sweeps and Newton steps (factorisations with their line search) alike;
/// hard problems need some ten thousand. With tolerance 0 it works until no phase can improve the residual.
class ReferenceSolver : public Solver {
 public:
  explicit ReferenceSolver(const ReferenceSettings& settings = {}) : settings_(settings) {}

  SolveReport solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) override;
  SolveReport solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) override;

 private:
  void run_phases(const UnitConeProblem& cone, std::span<double> x, SolveMonitor& monitor, SolveReport& report) const;
  bool sweep_phase(const UnitConeProblem& cone, int sweeps, std::span<double> x, SolveMonitor& monitor) const;
  bool path_phase(const UnitConeProblem& cone, ContactNewton& newton, SolveMonitor& monitor, SolveReport& report) const;

  ReferenceSettings settings_;
};

}  // namespace cairn
