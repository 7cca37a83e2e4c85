// SPDX-License-Identifier: MIT
#include "cairn/measures/balance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/core/index.h"
#include "cairn/measures/energy.h"
#include "cairn/measures/jitter.h"

namespace cairn {

namespace {

constexpr double kEarth = 9.81;  // m/s^2, where a world has no gravity of its own

double gravity_of(const World& world) {
  const double gravity = norm(world.settings().gravity);
  return gravity > 0 ? gravity : kEarth;
}

const ProblemBody& body_at(const ContactProblem& problem, std::int32_t i) { return problem.bodies[to_index(i)]; }

Velocity mean(const Velocity& a, const Velocity& b) {
  return {0.5 * (a.linear + b.linear), 0.5 * (a.angular + b.angular)};
}

/// (u + u') / 2 of a body over the step.
Velocity mean_velocity(const ContactProblem& problem, const ContactSolution& solution, std::int32_t i) {
  return mean(body_at(problem, i).velocity, solution.velocity[to_index(i)]);
}

}  // namespace

BalanceMeter::Books BalanceMeter::read(const World& world) {
  Books books;
  const Vec3 gravity = world.settings().gravity;
  for (const BodyId id : bodies_) {
    const BodyView body = world.view(id);
    const Vec3 momentum = body.mass * body.velocity.linear;
    const Vec3 spin = rotate_back(body.pose.orientation, body.velocity.angular);
    books.linear += momentum;
    books.angular += cross(body.centre, momentum) + rotate(body.pose.orientation, body.inertia * spin);
    books.energy += kinetic_energy(body) + potential_energy(body, gravity);
    centre_[id.index] = body.centre;
  }
  return books;
}

void BalanceMeter::begin(const World& world) {
  const Vec3 gravity = world.settings().gravity;
  const double g = gravity_of(world);
  bodies_.clear();
  measures_ = {};
  outside_ = {};
  mass_ = 0, reach_ = 1;
  double kinetic = 0, largest = 0;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  std::size_t slots = 0;
  for (const BodyId id : world.bodies()) {
    const BodyView body = world.view(id);
    slots = std::max<std::size_t>(slots, id.index + std::size_t{1});
    if (body.kind != BodyKind::dynamic) continue;
    bodies_.push_back(id);
    mass_ += body.mass;
    kinetic += kinetic_energy(body);
    reach_ = std::max(reach_, norm(body.centre));
    largest = std::max(largest, body_size(world, id));
    const double height = -dot(gravity, body.centre) / g;
    low = std::min(low, height), high = std::max(high, height);
  }
  centre_.assign(slots, {});
  e_ref_ = bodies_.empty() ? 1.0 : kinetic + mass_ * g * (high - low + largest);
  start_ = read(world);
}

/// An impulse (N s, and N m s about the centre of mass) on a body from one that cannot move.
void BalanceMeter::book_outside(const ContactProblem& problem, std::int32_t body, std::int32_t other,
                                const Velocity& impulse) {
  if (!body_at(problem, body).is_dynamic() || body_at(problem, other).is_dynamic()) return;
  outside_.linear += impulse.linear;
  outside_.angular += cross(centre_[to_index(body)], impulse.linear) + impulse.angular;
}

/// m a dt at the centre of mass.
void BalanceMeter::book_forces(const ContactProblem& problem) {
  for (const BodyId id : bodies_) {
    const ProblemBody& body = problem.bodies[id.index];
    if (!(body.inverse_mass > 0)) continue;
    const Vec3 impulse = (problem.dt / body.inverse_mass) * body.acceleration.linear;
    outside_.linear += impulse;
    outside_.angular += cross(centre_[id.index], impulse);
  }
}

void BalanceMeter::book_contacts(const ContactProblem& problem, const ContactSolution& solution) {
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& c = problem.contacts[k];
    const std::array<double, 4>& p = solution.contact_impulse[k];
    const Vec3 linear = p[0] * c.normal + p[1] * c.tangent1 + p[2] * c.tangent2;
    const Vec3 spin = (p[3] * c.spin_radius) * c.normal;
    book_outside(problem, c.body_b, c.body_a, {linear, cross(c.arm_b, linear) + spin});
    book_outside(problem, c.body_a, c.body_b, {-linear, -cross(c.arm_a, linear) - spin});
    const std::array<double, 4> y =
        contact_velocity(c, mean_velocity(problem, solution, c.body_a), mean_velocity(problem, solution, c.body_b));
    measures_.dissipated -= p[0] * y[0] + p[1] * y[1] + p[2] * y[2] + p[3] * y[3];
  }
}

void BalanceMeter::book_joints(const ContactProblem& problem, const ContactSolution& solution) {
  for (const JointBlock& joint : problem.joints) {
    const Velocity a = mean_velocity(problem, solution, joint.body_a),
                   b = mean_velocity(problem, solution, joint.body_b);
    for (std::int32_t i = joint.first_row; i < joint.first_row + joint.row_count; ++i) {
      const JointRow& row = problem.joint_rows[to_index(i)];
      const double p = solution.joint_impulse[to_index(i)];
      book_outside(problem, joint.body_a, joint.body_b, {p * row.linear_a, p * row.angular_a});
      book_outside(problem, joint.body_b, joint.body_a, {p * row.linear_b, p * row.angular_b});
      measures_.dissipated -= p * joint_velocity(row, a, b);
    }
  }
}

void BalanceMeter::add(const World& world) {
  const ContactProblem& problem = world.problem();
  book_forces(problem);
  book_contacts(problem, world.solution());
  book_joints(problem, world.solution());
  const Books now = read(world);
  ++measures_.steps;
  const double unit = mass_ * gravity_of(world) * problem.dt;  // M v_ref
  const auto worst = [](double& most, double value) { most = std::max(most, value); };
  if (unit > 0) {
    worst(measures_.momentum, norm(now.linear - start_.linear - outside_.linear) / unit);
    worst(measures_.angular_momentum, norm(now.angular - start_.angular - outside_.angular) / (unit * reach_));
  }
  const double change = now.energy - start_.energy;
  worst(measures_.energy_gain, change / e_ref_);
  measures_.energy_left_over = (change + measures_.dissipated) / e_ref_;
}

}  // namespace cairn
