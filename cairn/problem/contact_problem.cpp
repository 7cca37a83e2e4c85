// SPDX-License-Identifier: MIT
#include "cairn/problem/contact_problem.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr double kFrameTolerance = 1e-6;

/// Finite and not beyond kLargestNumber; false for not-a-number.
bool is_usable(double x) { return std::fabs(x) <= kLargestNumber; }
bool is_usable(const Vec3& v) { return is_usable(v.x) && is_usable(v.y) && is_usable(v.z); }
bool is_usable(const Velocity& v) { return is_usable(v.linear) && is_usable(v.angular); }
bool is_usable(const SymMat3& m) {
  return is_usable(m.xx) && is_usable(m.yy) && is_usable(m.zz) && is_usable(m.xy) && is_usable(m.xz) && is_usable(m.yz);
}

void validate_body(const ProblemBody& body, std::size_t i) {
  if (!is_usable(body.inverse_mass) || body.inverse_mass < 0)
    fail_input(fmt::format("body {}: inverse_mass is {}, it must lie in [0, {:g}] (0 for a static body)", i,
                           body.inverse_mass, kLargestNumber));
  if (!is_usable(body.inverse_inertia) || !is_positive_semidefinite(body.inverse_inertia))
    fail_input(fmt::format("body {}: inverse_inertia must be positive semidefinite with entries up to {:g}", i,
                           kLargestNumber));
  if (!is_usable(body.velocity) || !is_usable(body.acceleration))
    fail_input(fmt::format("body {}: velocity and acceleration must be finite and at most {:g}", i, kLargestNumber));
}

void validate_pair(const char* what, std::size_t i, std::int32_t a, std::int32_t b, std::size_t body_count) {
  const auto count = static_cast<std::int64_t>(body_count);
  if (a < 0 || b < 0 || a >= count || b >= count)
    fail_input(fmt::format("{} {}: bodies {} and {} must lie in [0, {})", what, i, a, b, count));
  if (a == b) fail_input(fmt::format("{} {}: body {} cannot be joined to itself, give two bodies", what, i, a));
}

void validate_contact(const ContactBlock& c, std::size_t i, std::size_t body_count) {
  validate_pair("contact", i, c.body_a, c.body_b, body_count);
  if (!is_usable(c.normal) || !is_usable(c.tangent1) || !is_usable(c.tangent2) || !is_usable(c.arm_a) ||
      !is_usable(c.arm_b) || !is_usable(c.gap))
    fail_input(fmt::format("contact {}: frame, arms and gap must be finite and at most {:g}", i, kLargestNumber));
  const double skew = std::max({std::fabs(dot(c.normal, c.normal) - 1), std::fabs(dot(c.tangent1, c.tangent1) - 1),
                                std::fabs(dot(c.tangent2, c.tangent2) - 1), std::fabs(dot(c.normal, c.tangent1)),
                                std::fabs(dot(c.normal, c.tangent2)), std::fabs(dot(c.tangent1, c.tangent2))});
  if (skew > kFrameTolerance)
    fail_input(fmt::format(
        "contact {}: normal and tangents must be orthonormal (off by {:.2g}); make_frame builds them", i, skew));
  const auto in_range = [](double x, double most) { return std::isfinite(x) && x >= 0 && x <= most; };
  if (!in_range(c.friction1, 1e6) || !in_range(c.friction2, 1e6))
    fail_input(fmt::format("contact {}: friction {} and {} must lie in [0, 1e6]", i, c.friction1, c.friction2));
  if (!in_range(c.restitution, 1))
    fail_input(fmt::format("contact {}: restitution is {}, it must lie in [0, 1]", i, c.restitution));
  if (!in_range(c.spin_radius, 1e6))
    fail_input(fmt::format("contact {}: spin_radius is {}, it must lie in [0, 1e6] m", i, c.spin_radius));
}

void validate_joint(const ContactProblem& problem, std::size_t i) {
  const JointBlock& joint = problem.joints[i];
  validate_pair("joint", i, joint.body_a, joint.body_b, problem.bodies.size());
  const auto rows = static_cast<std::int64_t>(problem.joint_rows.size());
  if (joint.row_count < 1 || joint.row_count > 6 || joint.first_row < 0 ||
      joint.first_row + std::int64_t{joint.row_count} > rows)
    fail_input(fmt::format("joint {}: rows [{}, +{}) must be 1 to 6 of the {} joint rows", i, joint.first_row,
                           joint.row_count, rows));
  for (std::int32_t k = 0; k < joint.row_count; ++k) {
    const JointRow& row = problem.joint_rows[to_index(joint.first_row + k)];
    const bool usable = is_usable(row.linear_a) && is_usable(row.angular_a) && is_usable(row.linear_b) &&
                        is_usable(row.angular_b) && is_usable(row.error) && is_usable(row.target_velocity) &&
                        is_usable(row.compliance) && is_usable(row.damping);
    if (!usable || row.compliance < 0 || row.damping < 0 || !(row.lower <= row.upper))
      fail_input(fmt::format(
          "joint {} row {}: numbers must be finite and at most 1e30, compliance and damping >= 0 and lower <= upper", i,
          k));
  }
}

/// check(i) for every i, side by side; throws what the first offender throws.
template <class Check>
void validate_all(std::size_t count, ThreadPool* pool, Check&& check) {
  constexpr std::int64_t kGrain = 4096;
  const auto none = static_cast<std::int64_t>(count);
  const std::int64_t first = parallel_reduce(
      pool, none, kGrain, none,
      [&](std::int64_t begin, std::int64_t end) {
        std::int64_t i = begin;
        try {
          for (; i < end; ++i) check(to_index(i));
        } catch (const InputError&) {  // must not leave a worker: it is thrown again below
          return i;
        }
        return none;
      },
      [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
  if (first < none) check(to_index(first));
}

}  // namespace

int contact_rows(const ContactProblem& problem, ThreadPool* pool) {
  constexpr std::int64_t kGrain = 4096;
  return parallel_reduce(
      pool, static_cast<std::int64_t>(problem.contacts.size()), kGrain, 3,
      [&](std::int64_t begin, std::int64_t end) {
        const auto first = problem.contacts.begin();
        const bool spin =
            std::any_of(first + begin, first + end, [](const ContactBlock& c) { return c.spin_radius > 0; });
        return spin ? 4 : 3;
      },
      [](int a, int b) { return std::max(a, b); });
}

void validate(const ContactProblem& problem, ThreadPool* pool) {
  if (!(problem.dt >= 1e-12 && problem.dt <= 1e6))
    fail_input(fmt::format("dt is {}, it must lie in [1e-12, 1e6] seconds", problem.dt));
  validate_all(problem.bodies.size(), pool, [&](std::size_t i) { validate_body(problem.bodies[i], i); });
  validate_all(problem.contacts.size(), pool,
               [&](std::size_t i) { validate_contact(problem.contacts[i], i, problem.bodies.size()); });
  for (std::size_t i = 0; i < problem.joints.size(); ++i) validate_joint(problem, i);
}

double contact_bias(const ContactProblem& problem, const ContactBlock& c) {
  const Stabilisation& s = problem.stabilisation;
  if (c.gap > 0) return c.gap / problem.dt;  // may close by the end of the step, not further
  double bias = 0;
  const double excess = c.gap + s.slop;
  if (excess < 0) bias = std::max(s.contact_rate * excess / problem.dt, -s.max_push);
  if (c.restitution > 0) {
    // y_n = u'_n + e u_n >= 0: the body leaves with -e times its approach (Poulsen 2010 (2.71), corrected sign).
    const Velocity& a = problem.bodies[to_index(c.body_a)].velocity;
    const Velocity& b = problem.bodies[to_index(c.body_b)].velocity;
    const double approach = contact_velocity(c, a, b)[0];
    if (approach < -s.bounce_speed) bias += c.restitution * approach;
  }
  return bias;
}

double joint_bias(const ContactProblem& problem, const JointRow& row) {
  const Stabilisation& s = problem.stabilisation;
  if (row.compliance == 0)
    return std::clamp(s.joint_rate * row.error / problem.dt, -s.max_push, s.max_push) - row.target_velocity;
  return row.error / (row.damping * row.compliance + problem.dt) - row.target_velocity;
}

double joint_softness(const ContactProblem& problem, const JointRow& row) {
  return row.compliance / (problem.dt * (row.damping * row.compliance + problem.dt));
}

bool moves_bodies(const ProblemBody& a, const ProblemBody& b, const JointRow& row) {
  constexpr double kRounding = 1e-24;  // of a direction: 1e-12
  if (a.inverse_mass * dot(row.linear_a, row.linear_a) + b.inverse_mass * dot(row.linear_b, row.linear_b) > 0)
    return true;
  const auto turns = [](const ProblemBody& body, const Vec3& about) {
    const SymMat3& inverse = body.inverse_inertia;
    const double most = (inverse.xx + inverse.yy + inverse.zz) * dot(about, about);
    return dot(about, inverse * about) > kRounding * most;
  };
  return turns(a, row.angular_a) || turns(b, row.angular_b);
}

void apply_contact_impulse(const ContactProblem& problem, const ContactBlock& c, const std::array<double, 4>& impulse,
                           Velocity& a, Velocity& b) {
  const ProblemBody& body_a = problem.bodies[to_index(c.body_a)];
  const ProblemBody& body_b = problem.bodies[to_index(c.body_b)];
  const Vec3 p = impulse[0] * c.normal + impulse[1] * c.tangent1 + impulse[2] * c.tangent2;
  const Vec3 torque = c.spin_radius * impulse[3] * c.normal;
  a.linear -= body_a.inverse_mass * p;
  a.angular -= body_a.inverse_inertia * (cross(c.arm_a, p) + torque);
  b.linear += body_b.inverse_mass * p;
  b.angular += body_b.inverse_inertia * (cross(c.arm_b, p) + torque);
}

void apply_joint_impulse(const ContactProblem& problem, const JointBlock& joint, const JointRow& row, double impulse,
                         Velocity& a, Velocity& b) {
  const ProblemBody& body_a = problem.bodies[to_index(joint.body_a)];
  const ProblemBody& body_b = problem.bodies[to_index(joint.body_b)];
  a.linear += body_a.inverse_mass * impulse * row.linear_a;
  a.angular += body_a.inverse_inertia * (impulse * row.angular_a);
  b.linear += body_b.inverse_mass * impulse * row.linear_b;
  b.angular += body_b.inverse_inertia * (impulse * row.angular_b);
}

void contact_diagonal_block(const ContactProblem& problem, const ContactBlock& c, int dim, double* block) {
  for (int column = 0; column < dim; ++column) {
    std::array<double, 4> unit{};
    unit[to_index(column)] = 1;
    Velocity a, b;
    apply_contact_impulse(problem, c, unit, a, b);
    const std::array<double, 4> v = contact_velocity(c, a, b);
    for (int row = 0; row < dim; ++row) block[row * dim + column] = v[to_index(row)];
  }
}

void add_contact_impulses(const ContactProblem& problem, const ContactSolution& solution, std::vector<Velocity>& u) {
  for (std::size_t k = 0; k < solution.contact_impulse.size(); ++k) {
    const ContactBlock& c = problem.contacts[k];
    apply_contact_impulse(problem, c, solution.contact_impulse[k], u[to_index(c.body_a)], u[to_index(c.body_b)]);
  }
}

void add_joint_impulses(const ContactProblem& problem, const ContactSolution& solution, std::vector<Velocity>& u) {
  if (solution.joint_impulse.empty()) return;
  for (const JointBlock& joint : problem.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k)
      apply_joint_impulse(problem, joint, problem.joint_rows[to_index(k)], solution.joint_impulse[to_index(k)],
                          u[to_index(joint.body_a)], u[to_index(joint.body_b)]);
}

std::vector<Velocity> velocities_from_impulses(const ContactProblem& problem, const ContactSolution& solution) {
  std::vector<Velocity> u(problem.bodies.size());
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = free_velocity(problem, static_cast<std::int32_t>(i));
  add_contact_impulses(problem, solution, u);
  add_joint_impulses(problem, solution, u);
  return u;
}

}  // namespace cairn
