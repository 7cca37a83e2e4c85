// SPDX-License-Identifier: MIT
// The one velocity that solves a problem without friction, by an interior point method on the bodies.
//
// Without friction a step is the projection of the free velocity onto what the contacts allow, in the kinetic metric:
//
//   min 1/2 |u - u_free|_M^2   with   N u + b >= 0
//
// strictly convex in u, so u* is unique although the impulses are not. With u = u_free + F z, F F^T = M^-1, G = N F,
// q = N u_free + b it reads  min 1/2 |z|^2,  s = G z + q >= 0,  z = G^T lambda,  lambda s = 0, and Mehrotra's
// predictor-corrector steps (1992) solve
//
//   (1 + G^T D G) dz = r,   D = diag(lambda / s)
//
// a matrix with one 6x6 block per body, positive definite however many contacts are redundant. The method of
// multipliers takes the last digits. A yardstick for other solvers: about thirty factorisations, whatever the masses.
#pragma once

#include "cairn/problem/contact_problem.h"

namespace cairn {

struct FrictionlessResult {
  std::vector<Velocity> velocity;  ///< u*, per body
  std::vector<double> impulse;     ///< per contact, one of many that give it
  int iterations = 0;
  double gap = 0;          ///< 2 lambda.|s| / |z|^2: bounds the square of C8 where s >= 0
  double worst_slack = 0;  ///< most negative N u + b in m/s, 0 where none is; contacts may contradict each other
  bool converged = false;  ///< violations are down to round-off, or the velocity does not change any more
};

/// Friction, spin and restitution targets are taken as they are written in the rows: friction must be zero. Joints are
/// refused. Throws InputError on either.
FrictionlessResult solve_frictionless(const ContactProblem& problem, int max_iterations = 200);

}  // namespace cairn
