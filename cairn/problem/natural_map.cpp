// SPDX-License-Identifier: MIT
#include "cairn/problem/natural_map.h"

#include <cmath>

#include "cairn/problem/gauge.h"

namespace cairn {

namespace {

constexpr std::int64_t kGrain = 1024;

template <class Part>
double sum_of(ThreadPool* pool, std::size_t count, Part&& part) {
  return parallel_reduce(pool, static_cast<std::int64_t>(count), kGrain, 0.0, part,
                         [](double a, double b) { return a + b; });
}

/// w += M^-1 J_k^T lambda_k of one of the contact's bodies: the half of apply_contact_impulse that is its own.
void apply_to_body(const ProblemBody& body, const ContactBlock& c, bool is_b, const std::array<double, 4>& impulse,
                   Velocity& w) {
  const Vec3 p = impulse[0] * c.normal + impulse[1] * c.tangent1 + impulse[2] * c.tangent2;
  const Vec3 torque = c.spin_radius * impulse[3] * c.normal;
  const Vec3 linear = body.inverse_mass * p;
  const Vec3 angular = body.inverse_inertia * (cross(is_b ? c.arm_b : c.arm_a, p) + torque);
  w.linear = is_b ? w.linear + linear : w.linear - linear;
  w.angular = is_b ? w.angular + angular : w.angular - angular;
}

}  // namespace

double natural_map(const DelassusProblem& problem, std::span<const double> impulse, std::span<const double> velocity) {
  const auto dim = static_cast<std::size_t>(problem.dim());
  double sum = 0, q2 = 0;
  Gauge g;
  for (std::size_t k = 0; k < static_cast<std::size_t>(problem.contact_count()); ++k) {
    for (std::size_t i = 0; i < dim; ++i) {
      g.impulse[i] = impulse[k * dim + i];
      g.velocity[i] = velocity[k * dim + i];
      q2 += problem.q[k * dim + i] * problem.q[k * dim + i];
    }
    g.friction = problem.friction[k];
    sum += natural_map2(g, problem.dim(), 1.0);
  }
  return divide(std::sqrt(sum), std::sqrt(q2));
}

void ContactRuler::reset(const ContactProblem& problem, ThreadPool* pool) {
  problem_ = &problem;
  dim_ = contact_rows(problem, pool);
  q_.resize(problem.contacts.size());
  joint_q_.resize(problem.joint_rows.size());
  is_listed_ = false;
  double norm2 = sum_of(pool, q_.size(), [&](std::int64_t begin, std::int64_t end) {
    double sum = 0;
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      const ContactBlock& c = problem.contacts[k];
      q_[k] = contact_velocity(c, free_velocity(problem, c.body_a), free_velocity(problem, c.body_b));
      q_[k][0] += contact_bias(problem, c);
      for (int i = 0; i < dim_; ++i) sum += q_[k][static_cast<std::size_t>(i)] * q_[k][static_cast<std::size_t>(i)];
    }
    return sum;
  });
  for (const JointBlock& joint : problem.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
      const JointRow& row = problem.joint_rows[static_cast<std::size_t>(k)];
      const double q = joint_velocity(row, free_velocity(problem, joint.body_a), free_velocity(problem, joint.body_b)) +
                       joint_bias(problem, row);
      joint_q_[static_cast<std::size_t>(k)] = q;
      norm2 += q * q;
    }
  q_norm_ = std::sqrt(norm2);
}

double ContactRuler::natural_map(const ContactSolution& solution, ThreadPool* pool) {
  w_.assign(problem_->bodies.size(), Velocity{});
  if (pool != nullptr)
    gather_contacts(solution, pool);
  else
    add_contact_impulses(*problem_, solution, w_);
  add_joint_impulses(*problem_, solution, w_);
  const double contacts = sum_of(pool, q_.size(), [&](std::int64_t begin, std::int64_t end) {
    double sum = 0;
    Gauge g;
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      const ContactBlock& c = problem_->contacts[k];
      g.impulse = solution.contact_impulse[k];
      g.velocity = contact_velocity(c, w_[static_cast<std::size_t>(c.body_a)], w_[static_cast<std::size_t>(c.body_b)]);
      for (std::size_t i = 0; i < 4; ++i) g.velocity[i] += q_[k][i];
      g.friction = friction_axes(c);
      sum += natural_map2(g, dim_, 1.0);
    }
    return sum;
  });
  return divide(std::sqrt(contacts + joints(solution)), q_norm_);
}

/// The contacts of every body that can move.
void ContactRuler::list_contacts(ThreadPool* pool) {
  const auto vertex = [&](std::int32_t body) {
    return problem_->bodies[static_cast<std::size_t>(body)].is_dynamic() ? body : kNoVertex;
  };
  edges_.resize(problem_->contacts.size());
  parallel_for(pool, static_cast<std::int64_t>(edges_.size()), kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k)
      edges_[k] = {vertex(problem_->contacts[k].body_a), vertex(problem_->contacts[k].body_b)};
  });
  edges_by_vertex(edges_, static_cast<std::int32_t>(problem_->bodies.size()), at_body_);
  is_listed_ = true;
}

/// What add_contact_impulses does, body by body: every body takes its contacts in the same order, hence the same bits.
void ContactRuler::gather_contacts(const ContactSolution& solution, ThreadPool* pool) {
  if (!is_listed_) list_contacts(pool);
  parallel_for(pool, static_cast<std::int64_t>(w_.size()), kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      for (const std::int32_t k : at_body_[i]) {
        const ContactBlock& c = problem_->contacts[static_cast<std::size_t>(k)];
        apply_to_body(problem_->bodies[static_cast<std::size_t>(i)], c, c.body_b == i,
                      solution.contact_impulse[static_cast<std::size_t>(k)], w_[static_cast<std::size_t>(i)]);
      }
  });
}

/// Joint rows: squares of lambda - clamp(lambda - y).
double ContactRuler::joints(const ContactSolution& solution) const {
  double sum = 0;
  for (const JointBlock& joint : problem_->joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
      const JointRow& row = problem_->joint_rows[static_cast<std::size_t>(k)];
      const double impulse = solution.joint_impulse[static_cast<std::size_t>(k)];
      const double y =
          joint_velocity(row, w_[static_cast<std::size_t>(joint.body_a)], w_[static_cast<std::size_t>(joint.body_b)]) +
          joint_q_[static_cast<std::size_t>(k)] + joint_softness(*problem_, row) * impulse;
      const double r = impulse - std::clamp(impulse - y, row.lower, row.upper);
      sum += r * r;
    }
  return sum;
}

}  // namespace cairn
