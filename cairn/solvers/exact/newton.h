// SPDX-License-Identifier: MIT
// The two Newton methods of `exact`, on any NewtonSpace.
//
// In impulses (Alart, Curnier 1991), quadratic near a solution:
//   F(x) = x - P(x - rho z(x)) = 0;   [1 - S + S rho (A + g + eps)] dx = -F,   S = dP
//   eps regularises the matrix alone (a proximal point centred at the iterate itself), so that redundant contacts have
//   a step, the one with the smallest change of impulses; two refinements against the matrix without eps.
//
// In velocities, for starts far away: a proximal point x_c, softened by eps, every contact solved exactly for itself:
//   x(s) = P((eps x_c - z) / (eps + g)),  z = G s + q;   R(s) = G^T x(s) - s = 0;   (1 + G^T D G) ds = R,  D = S / (eps
//   + g) Without friction R is the gradient of a strongly convex function. Then x_c <- x and eps falls. Round-off ends
//   it at about 1e-16 / eps.
//
// Both are semismooth: S is one of several derivatives where a contact changes between open, stick and slide. Line
// searches compare with the largest of the last few residuals. Internal to `exact`.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "cairn/solvers/exact/best_iterate.h"
#include "cairn/solvers/exact/newton_space.h"

namespace cairn {

struct ImpulseNewtonSettings {
  double eps = 1e-8;    ///< of the scaled A; larger: more steps on redundant contacts, smaller: round-off
  int max_steps = 15;   ///< more: grinds on where it is lost
  int refinements = 2;  ///< of every step
};

struct VelocityNewtonSettings {
  double first_eps = 1e-2;  ///< of the scaled A; larger: safer, more steps
  double last_eps = 1e-6;   ///< smaller: round-off
  double factor = 1.0 / 3;  ///< between; smaller: fewer steps, lost more often
  bool is_careful = false;  ///< every proximal point must be reached before eps falls; slow and sure
  int max_inner = 15;       ///< Newton steps per eps
};

class ExactNewton {
 public:
  /// Improves x, whose iterates `best` has seen. True when `best` is done.
  bool solve_impulses(NewtonSpace& space, const ImpulseNewtonSettings& settings, std::span<double> x,
                      BestIterate& best);
  bool solve_velocities(NewtonSpace& space, const VelocityNewtonSettings& settings, std::span<double> x,
                        BestIterate& best);

 private:
  static constexpr std::size_t kWindow = 4;  ///< residuals that a line search may compare with

  void resize(const NewtonSpace& space);
  void velocity(const NewtonSpace& space, std::span<const double> x, std::span<double> z);
  double evaluate(const ScaledLaw& law, std::span<const double> x, std::span<const double> z, bool slopes);
  bool respond(const ScaledLaw& law, double eps);
  bool impulse_step(NewtonSpace& space, const ImpulseNewtonSettings& settings);
  void add_solution(NewtonSpace& space, bool& ok);
  void refine(NewtonSpace& space);
  void search_impulses(const ScaledLaw& law, double reference, std::span<double> x);

  bool solve_inner(NewtonSpace& space, double eps, int max_steps, BestIterate& best);
  double follow(const NewtonSpace& space, std::span<const double> s, std::span<const double> z, double eps,
                bool slopes);
  double search_velocities(const NewtonSpace& space, double eps, double reference);

  std::vector<double> f_, h_, z_, dz_, dx_, trial_x_, trial_z_;  ///< per row
  std::vector<double> s_, ds_, rest_, trial_s_;                  ///< per state
  std::vector<double> slope_, inverse_, response_;               ///< blocks: S, B^-1, D
  std::vector<double> centre_, x_;                               ///< x_c and x(s)
};

}  // namespace cairn
