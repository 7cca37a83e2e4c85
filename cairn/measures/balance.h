// SPDX-License-Identifier: MIT
// BalanceMeter: does a world keep its books? Momentum and energy, step by step (measures D1, D2, docs/solvers.md).
//
//   BalanceMeter meter;
//   meter.begin(world);
//   for (int i = 0; i < 600; ++i) world.step(dt), meter.add(world);
//   meter.result().momentum;  // rounding, if impulses between bodies cancel
//
// From outside come the forces on centres of mass (gravity, add_force, damping) and the impulses of contacts and joint
// rows whose other body cannot move; all else is between bodies and must cancel. With M the mass of all dynamic bodies,
// v_ref = |g| dt (9.81 m/s^2 where there is no gravity) and L the farthest centre of mass from the origin, at least 1
// m:
//
//   D1  |P(t) - P(0) - sum of impulses from outside| / (M v_ref), the same for the angular momentum about the origin
//       / (M v_ref L); largest over the steps. Torques of add_torque and add_force_at are not known here and show.
//   D2  (E(t) - E(0))+ / E_ref, largest over the steps, E = kinetic + potential, E_ref = K(0) + M |g| (height of the
//       centres of mass + largest body). What contacts take, per step -sum lambda . J (u + u') / 2, is `dissipated`;
//       what is left over, E(t) - E(0) + dissipated, is the error of the integrator, and work from outside.
#pragma once

#include <vector>

#include "cairn/world/world.h"

namespace cairn {

struct BalanceMeasures {
  std::int64_t steps = 0;
  double momentum = 0;          ///< D1, largest
  double angular_momentum = 0;  ///< D1, largest
  double energy_gain = 0;       ///< D2, largest
  double energy_left_over = 0;  ///< (E(t) - E(0) + dissipated) / E_ref at the end, signed
  double dissipated = 0;        ///< J, by contacts and joints since begin()
};

class BalanceMeter {
 public:
  /// Books open with the state as it is now.
  void begin(const World& world);
  /// After every step. Bodies must not be added, removed, placed or given velocities in between; such changes are not
  /// told from errors. Allocates nothing while the number of bodies stays.
  void add(const World& world);

  const BalanceMeasures& result() const { return measures_; }

 private:
  struct Books {
    Vec3 linear, angular;  ///< kg m/s, and kg m^2/s about the origin
    double energy = 0;     ///< J
  };
  Books read(const World& world);
  void book_forces(const ContactProblem& problem);
  void book_contacts(const ContactProblem& problem, const ContactSolution& solution);
  void book_joints(const ContactProblem& problem, const ContactSolution& solution);
  void book_outside(const ContactProblem& problem, std::int32_t body, std::int32_t other, const Velocity& impulse);

  std::vector<BodyId> bodies_;    ///< the dynamic ones
  std::vector<Vec3> centre_;      ///< per body slot: centre of mass at the beginning of the next step
  Books start_, outside_;         ///< at begin(), and what came from outside since
  double mass_ = 0;               ///< kg, of all dynamic bodies
  double reach_ = 1, e_ref_ = 1;  ///< m, J
  BalanceMeasures measures_;
};

}  // namespace cairn
