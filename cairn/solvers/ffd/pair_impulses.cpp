// SPDX-License-Identifier: MIT
#include "cairn/solvers/ffd/pair_impulses.h"

#include <algorithm>

namespace cairn {

namespace {

/// One row of a contact at both bodies: what an impulse along it does to the velocity along it and along the normal.
struct PairRow {
  double own = 0;     ///< 1/m_a + 1/m_b
  double normal = 0;  ///< of the normal impulse on this row
};

const ProblemBody kHeld{};

class Pair {
 public:
  Pair(const ContactProblem& problem, const ContactBlock& c, HeldSides held)
      : a_(held.a ? kHeld : problem.bodies[to_index(c.body_a)]),
        b_(held.b ? kHeld : problem.bodies[to_index(c.body_b)]),
        contact_(c),
        turn_a_(a_.inverse_inertia * cross(c.arm_a, c.normal)),
        turn_b_(b_.inverse_inertia * cross(c.arm_b, c.normal)) {}

  double along_normal() const {
    return a_.inverse_mass + b_.inverse_mass + dot(turn_a_, cross(contact_.arm_a, contact_.normal)) +
           dot(turn_b_, cross(contact_.arm_b, contact_.normal));
  }
  PairRow along(const Vec3& tangent) const {
    const Vec3 arm_a = cross(contact_.arm_a, tangent), arm_b = cross(contact_.arm_b, tangent);
    return {a_.inverse_mass + b_.inverse_mass + dot(arm_a, a_.inverse_inertia * arm_a) +
                dot(arm_b, b_.inverse_inertia * arm_b),
            dot(arm_a, turn_a_) + dot(arm_b, turn_b_)};
  }
  PairRow spin() const {
    const Vec3 axis = contact_.spin_radius * contact_.normal;
    return {dot(axis, a_.inverse_inertia * axis) + dot(axis, b_.inverse_inertia * axis),
            dot(axis, turn_a_) + dot(axis, turn_b_)};
  }

 private:
  const ProblemBody &a_, &b_;
  const ContactBlock& contact_;
  Vec3 turn_a_, turn_b_;
};

/// contact_bias without the push of an overlap, without restitution, or without both.
double bias_without(const ContactProblem& problem, const ContactBlock& contact, bool push, bool restitution) {
  ContactBlock part = contact;
  if (push) part.gap = std::max(part.gap, 0.0);
  if (restitution) part.restitution = 0;
  return contact_bias(problem, part);
}

bool bounces(const ContactProblem& problem, const ContactBlock& c) {
  if (!(c.restitution > 0) || c.gap > 0) return false;
  const double approach =
      contact_velocity(c, problem.bodies[to_index(c.body_a)].velocity, problem.bodies[to_index(c.body_b)].velocity)[0];
  return approach < -problem.stabilisation.bounce_speed;
}

}  // namespace

PairImpulse pair_impulse(const ContactProblem& problem, const ContactBlock& contact, HeldSides held, FfdMode mode,
                         std::span<const Velocity> velocity) {
  PairImpulse p;
  p.held = held;
  const Pair pair(problem, contact, held);
  const double weight = pair.along_normal();
  if (!(weight > 0)) return p;
  const bool is_pe = mode == FfdMode::pe;
  const std::array<double, 4> v =
      contact_velocity(contact, velocity[to_index(contact.body_a)], velocity[to_index(contact.body_b)]);
  const double bias = is_pe ? bias_without(problem, contact, false, true) : contact_bias(problem, contact);
  p.normal = p.still = -(bias + v[0]) / weight;
  if (contact.gap < 0) p.still = -(bias_without(problem, contact, true, is_pe) + v[0]) / weight;
  if (is_pe && bounces(problem, contact)) p.bounce = contact.restitution;
  if (contact.friction1 <= 0 && contact.friction2 <= 0) return p;
  const double acting = std::max(p.normal, 0.0);
  const PairRow rows[3] = {pair.along(contact.tangent1), pair.along(contact.tangent2), pair.spin()};
  for (std::size_t j = 0; j < 3; ++j)
    if (rows[j].own > 0) p.slide[j] = -(v[j + 1] + acting * rows[j].normal) / rows[j].own;
  return p;
}

}  // namespace cairn
