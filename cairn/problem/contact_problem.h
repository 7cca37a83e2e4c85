// SPDX-License-Identifier: MIT
// ContactProblem: one time step as a value, matrix-free.
//
// Bodies, contacts and joints of one step, plain data with no pointer into any world: it can be saved, sent, written
// by hand in a test and solved by any solver. The law (docs/notation.md):
//
//   u_free = u + dt a                       velocity, external acceleration
//   u' = u_free + M^-1 J^T lambda           end-of-step velocity
//   y = J u' + b + G lambda                 per row; contacts (n, s, t[, spin]), joints up to six rows
//   contacts: 0 <= lambda_n  _|_  y_n >= 0, (lambda_s, lambda_t, lambda_spin) in the friction ellipsoid of
//             lambda_n and opposite to (y_s, y_t, y_spin)
//   joints:   lambda in [lower, upper], y = 0 inside, y >= 0 at lower, y <= 0 at upper
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/core/parallel.h"
#include "cairn/math/friction_set.h"
#include "cairn/math/mat3.h"
#include "cairn/math/vec3.h"
#include "cairn/math/velocity.h"

namespace cairn {

/// A body as solvers see it. Static and kinematic bodies have no inverse mass and no inverse inertia; they never move
/// by an impulse, and a kinematic one keeps its velocity.
struct ProblemBody {
  double inverse_mass = 0;  ///< 1/kg
  SymMat3 inverse_inertia;  ///< 1/(kg m^2), world axes
  Velocity velocity;        ///< at the beginning of the step
  Velocity acceleration;    ///< external (gravity, forces, gyroscopic term), acts over the whole step

  bool is_dynamic() const { return inverse_mass > 0 || !(inverse_inertia == SymMat3{}); }
  friend constexpr bool operator==(const ProblemBody&, const ProblemBody&) = default;
};

/// A contact point between bodies a and b. The impulse on b is n*normal + s*tangent1 + t*tangent2 at the point, and
/// spin / spin_radius about the normal; a gets the opposite.
struct ContactBlock {
  std::int32_t body_a = 0;
  std::int32_t body_b = 0;
  Vec3 normal{0, 0, 1};    ///< unit, from a to b
  Vec3 tangent1{1, 0, 0};  ///< unit; the first axis of anisotropic friction
  Vec3 tangent2{0, 1, 0};
  Vec3 arm_a;  ///< from the centre of mass of a to the point, world axes
  Vec3 arm_b;
  double gap = 0;          ///< m, negative where the bodies overlap; a positive one is a speculative contact
  double friction1 = 0;    ///< coefficient along tangent1
  double friction2 = 0;    ///< coefficient along tangent2
  double spin_radius = 0;  ///< m, radius of the contact patch (Contensou spin); 0: no spin friction
  double restitution = 0;  ///< Newton's, 0..1

  friend constexpr bool operator==(const ContactBlock&, const ContactBlock&) = default;
};

/// One scalar row of a joint: y = linear_a.v_a + angular_a.w_a + linear_b.v_b + angular_b.w_b + bias.
struct JointRow {
  Vec3 linear_a, angular_a, linear_b, angular_b;
  double error = 0;                                         ///< m or rad, position error of the row
  double target_velocity = 0;                               ///< m/s or rad/s, for motors
  double compliance = 0;                                    ///< m/N or rad/(N m); 0: rigid
  double damping = 0;                                       ///< N s/m or N m s/rad, of a row that is not rigid
  double lower = -std::numeric_limits<double>::infinity();  ///< impulse bounds, N s or N m s
  double upper = std::numeric_limits<double>::infinity();

  friend constexpr bool operator==(const JointRow&, const JointRow&) = default;
};

/// Up to six rows between two bodies: joint_rows[first_row .. first_row + row_count).
struct JointBlock {
  std::int32_t body_a = 0;
  std::int32_t body_b = 0;
  std::int32_t first_row = 0;
  std::int32_t row_count = 0;

  friend constexpr bool operator==(const JointBlock&, const JointBlock&) = default;
};

/// How position errors enter the velocity law (Baumgarte stabilisation).
struct Stabilisation {
  double contact_rate = 0.2;  ///< Baumgarte factor: fraction of an overlap removed per step
  double joint_rate = 0.2;    ///< Baumgarte factor: fraction of a joint error removed per step
  double slop = 0.0;          ///< m, overlap that is left alone
  double max_push = 3.0;      ///< m/s, contact push velocity: limit of the speed that removes an error
  double bounce_speed = 0.0;  ///< m/s, restitution threshold: slower approach does not bounce

  friend constexpr bool operator==(const Stabilisation&, const Stabilisation&) = default;
};

struct ContactProblem {
  double dt = 1.0 / 60.0;  ///< s
  Stabilisation stabilisation;
  std::vector<ProblemBody> bodies;
  std::vector<ContactBlock> contacts;
  std::vector<JointBlock> joints;
  std::vector<JointRow> joint_rows;

  friend bool operator==(const ContactProblem&, const ContactProblem&) = default;
};

/// What a solver fills; on entry the impulses are the warm start (empty: start from zero).
struct ContactSolution {
  std::vector<Velocity> velocity;                      ///< per body, end of step
  std::vector<Velocity> displacement;                  ///< per body, over the step: dt * velocity unless sub-stepped
  std::vector<std::array<double, 4>> contact_impulse;  ///< per contact: n, s, t, spin (torque / spin_radius)
  std::vector<double> joint_impulse;                   ///< per joint row

  /// From what the next step should start, where that is not `contact_impulse`: a solver with sub-steps gives the
  /// impulses of the last one, as if they had acted all the time. Empty: as contact_impulse.
  std::vector<std::array<double, 4>> contact_carry;
};

/// Rows per contact that the problem needs: 4 if any contact has spin friction, else 3.
int contact_rows(const ContactProblem& problem, ThreadPool* pool = nullptr);

/// The largest number a problem may hold, in any unit: squares and products of a few stay finite.
inline constexpr double kLargestNumber = 1e30;

/// Throws InputError, naming body or contact and the field, when the problem cannot be solved as given. The first
/// offender is named, whatever the pool.
void validate(const ContactProblem& problem, ThreadPool* pool = nullptr);

/// The semi-axes of the friction set of a contact per unit of normal impulse.
inline FrictionAxes friction_axes(const ContactBlock& c) {
  const double mean = 0.5 * (c.friction1 + c.friction2);
  return {c.friction1, c.friction2, c.spin_radius > 0 ? kSpinBound * mean : 0.0};
}

/// The velocity each body would have without impulses: u + dt a (kinematic bodies keep u).
inline Velocity free_velocity(const ContactProblem& problem, std::int32_t index) {
  const ProblemBody& body = problem.bodies[to_index(index)];
  if (!body.is_dynamic()) return body.velocity;
  return {body.velocity.linear + problem.dt * body.acceleration.linear,
          body.velocity.angular + problem.dt * body.acceleration.angular};
}

/// J_k u of one contact: velocity of b relative to a at the point in the contact frame, and spin_radius times the spin.
inline std::array<double, 4> contact_velocity(const ContactBlock& c, const Velocity& a, const Velocity& b) {
  const Vec3 relative = (b.linear + cross(b.angular, c.arm_b)) - (a.linear + cross(a.angular, c.arm_a));
  return {dot(c.normal, relative), dot(c.tangent1, relative), dot(c.tangent2, relative),
          c.spin_radius * dot(c.normal, b.angular - a.angular)};
}

/// b_k of one contact's normal row: gap / dt of a speculative contact, or Baumgarte's term of an overlap, and
/// restitution; the other rows have none.
double contact_bias(const ContactProblem& problem, const ContactBlock& contact);

/// b and G of a joint row. A rigid one loses joint_rate of its error per step; a compliant one is a spring and damper
/// by the implicit Euler rule, lambda = -dt (k (error + dt y) + c y) with k = 1 / compliance:
///
///   G = 1 / (dt (c + dt k)),   b = k / (c + dt k) error
double joint_bias(const ContactProblem& problem, const JointRow& row);
double joint_softness(const ContactProblem& problem, const JointRow& row);
inline double joint_velocity(const JointRow& row, const Velocity& a, const Velocity& b) {
  return dot(row.linear_a, a.linear) + dot(row.angular_a, a.angular) + dot(row.linear_b, b.linear) +
         dot(row.angular_b, b.angular);
}

/// Whether impulses of a joint row move its bodies by more than rounding. A row about an axis that a body is locked
/// against keeps a rest of 1e-16 along its free axes: nothing that divides by the square of it has a meaning.
bool moves_bodies(const ProblemBody& a, const ProblemBody& b, const JointRow& row);

/// Adds M^-1 J_k^T lambda of one contact to the velocities of its bodies.
void apply_contact_impulse(const ContactProblem& problem, const ContactBlock& contact,
                           const std::array<double, 4>& impulse, Velocity& a, Velocity& b);
void apply_joint_impulse(const ContactProblem& problem, const JointBlock& joint, const JointRow& row, double impulse,
                         Velocity& a, Velocity& b);

/// The diagonal block J_k M^-1 J_k^T of one contact: the first dim x dim rows and columns, row major.
void contact_diagonal_block(const ContactProblem& problem, const ContactBlock& contact, int dim, double* block);

/// Adds M^-1 J^T lambda of all contacts, or of all joints, to the velocities of the bodies.
void add_contact_impulses(const ContactProblem& problem, const ContactSolution& solution,
                          std::vector<Velocity>& velocity);
void add_joint_impulses(const ContactProblem& problem, const ContactSolution& solution,
                        std::vector<Velocity>& velocity);

/// u_free + M^-1 J^T lambda for all bodies, from the impulses alone.
std::vector<Velocity> velocities_from_impulses(const ContactProblem& problem, const ContactSolution& solution);

}  // namespace cairn
