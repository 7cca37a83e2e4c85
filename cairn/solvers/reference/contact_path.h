// SPDX-License-Identifier: MIT
// The smoothing path of a UnitConeProblem: from a problem with one easy solution to the contact law, round corners.
//
// With x o z the Jordan product of the second-order cone and e its unit, complementarity is relaxed to
// x o z = m^2 e and slip to s = (|z_t|^2 + m^2)^(1/2). The points of the relaxed law are parametrised without
// constraints by v = x - z (the Chen-Harker-Kanzow-Smale function of the cone: Fukushima, Luo, Tseng 2002):
//
//   x = g(v) = (v + (v^2 + 4 m^2 e)^(1/2)) / 2,    z = g(v) - v
//   G(v, m) = A g(v) + q + alpha g(v) + s(z) e - z = 0
//
// and the solutions of G = 0 form a curve from m = infinity to m = 0, the Coulomb law with De Saxce's correction s.
// Because sliding friction is not monotone the curve may turn back in m: it is followed by arc length (Keller 1977),
// Newton on G and on one more row that keeps the distance along the tangent. Slow and hard to lose; ends near a
// solution, from where contact_newton converges at once. Internal to the reference solver.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "cairn/solvers/reference/block_lu.h"
#include "cairn/solvers/reference/unit_cone.h"

namespace cairn {

struct PathSettings {
  double alpha = 1e-12;       ///< proximal term; larger: x drifts to the least norm once m^2 < alpha, at great cost
  double first_step = 0.5;    ///< of arc length, in units of log m
  double least_step = 1e-7;   ///< below: the path is lost
  double last_m = 1e-14;      ///< of m at the start; the end of the path
  double shape_weight = 0.1;  ///< of |v| that counts like a factor e in m; smaller: shorter steps, larger: jumps
};

class ContactPath {
 public:
  ContactPath(const UnitConeProblem& problem, const PathSettings& settings);

  /// Newton to the first point, at m = largest |q|. False when it cannot be reached or the monitor is done.
  bool start(SolveMonitor& monitor);

  /// Goes on from a point near the path that another follower has reached.
  bool resume(std::span<const double> v, double m, SolveMonitor& monitor);

  /// One step along the path. False at its end, when it is lost or when the monitor is done.
  bool step(SolveMonitor& monitor);

  double relative_m() const { return m_ / first_m_; }
  int folds() const { return folds_; }
  std::span<const double> x() const { return x_; }

 private:
  using Block = std::array<double, 16>;
  struct Tangent {
    std::vector<double> v;
    double log_m = -1;
  };

  double evaluate(std::span<const double> v, double m, bool jacobian);
  void linearise(double m, std::span<const double> slip);
  bool factorise(SolveMonitor& monitor);
  bool solve_bordered(double last, std::vector<double>& dv, double& dlog_m) const;
  bool find_tangent(SolveMonitor& monitor);
  int correct(double step, std::vector<double>& v, double& log_m, SolveMonitor& monitor);

  const UnitConeProblem& problem_;
  PathSettings settings_;
  BlockLu lu_;
  BlockSparse matrix_;        ///< dG/dv
  std::vector<Block> slope_;  ///< dg/dv per contact
  std::vector<double> v_, x_, z_, g_;
  std::vector<double> x_rate_, g_rate_;  ///< derivatives by log m
  Tangent tangent_;
  double first_m_ = 1, m_ = 1, size_ = 1, unit_v_ = 1, step_ = 0.5;
  int folds_ = 0;
};

}  // namespace cairn
