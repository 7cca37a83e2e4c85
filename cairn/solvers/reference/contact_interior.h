// SPDX-License-Identifier: MIT
// The smoothing path of contact_path.h, followed in pairs (x, z) inside the cone: longer steps, earlier round-off.
//
//   E1(x, z, mu) = z - s(z) e - (A + alpha) x - q = 0,   s = (|z_t|^2 + mu)^(1/2)
//   E2(x, z, mu) = x o z - mu e = 0,                     mu = m^2, x and z inside the cone
//
// Newton's method on E1, E2 is linearised in the Nesterov-Todd scaling W x = W^-1 z = l of each contact (Nesterov, Todd
// 1998; formulas as in Vandenberghe 2010, "The CVXOPT linear and quadratic cone program solvers"):
// l o (W dx + W^-1 dz) = mu e - l o l gives dz, and (A + alpha + s' W^2) dx = ... one sparse system. For a monotone
// problem this is an interior point method and mu falls tenfold in a few steps. Friction is not monotone: mu is an
// unknown as well, the step stays in the plane across the tangent, and the way along the path is told by the sign of
// the determinant, so that turning points in mu are passed. Internal to the reference solver.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cairn/solvers/reference/contact_path.h"
#include "cairn/solvers/reference/unit_cone.h"

namespace cairn {

class InteriorPath {
 public:
  InteriorPath(const UnitConeProblem& problem, const PathSettings& settings);
  ~InteriorPath();
  InteriorPath(const InteriorPath&) = delete;
  InteriorPath& operator=(const InteriorPath&) = delete;

  /// Newton to the first point, at m = largest |q|. False when it cannot be reached or the monitor is done.
  bool start(SolveMonitor& monitor);

  /// One step along the path. False at its end, when it is lost or when the monitor is done.
  bool step(SolveMonitor& monitor);

  double m() const;
  double relative_m() const;
  int folds() const;
  std::span<const double> x() const;
  std::vector<double> difference() const;  ///< v = x - z, from where ContactPath can go on

 private:
  struct Follower;
  std::unique_ptr<Follower> follower_;
};

}  // namespace cairn
