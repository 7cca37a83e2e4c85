// SPDX-License-Identifier: MIT
#include "cairn/problem/natural_map.h"

#include <cmath>

#include "cairn/problem/gauge.h"

namespace cairn {

namespace {

constexpr std::int64_t kGrain = 1024;

double sum_of(ThreadPool* pool, std::size_t count, const std::function<double(std::int64_t, std::int64_t)>& part) {
  return parallel_reduce(pool, static_cast<std::int64_t>(count), kGrain, 0.0, part,
                         [](double a, double b) { return a + b; });
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

ContactRuler::ContactRuler(const ContactProblem& problem, ThreadPool* pool)
    : problem_(problem), dim_(contact_rows(problem)), q_(problem.contacts.size()), joint_q_(problem.joint_rows.size()) {
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

double ContactRuler::natural_map(const ContactSolution& solution, ThreadPool* pool) const {
  std::vector<Velocity> w(problem_.bodies.size());
  add_impulses(problem_, solution, w);
  const double contacts = sum_of(pool, q_.size(), [&](std::int64_t begin, std::int64_t end) {
    double sum = 0;
    Gauge g;
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      const ContactBlock& c = problem_.contacts[k];
      g.impulse = solution.contact_impulse[k];
      g.velocity = contact_velocity(c, w[static_cast<std::size_t>(c.body_a)], w[static_cast<std::size_t>(c.body_b)]);
      for (std::size_t i = 0; i < 4; ++i) g.velocity[i] += q_[k][i];
      g.friction = friction_axes(c);
      sum += natural_map2(g, dim_, 1.0);
    }
    return sum;
  });
  return divide(std::sqrt(contacts + joints(solution, w)), q_norm_);
}

/// Joint rows: squares of lambda - clamp(lambda - y).
double ContactRuler::joints(const ContactSolution& solution, const std::vector<Velocity>& w) const {
  double sum = 0;
  for (const JointBlock& joint : problem_.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
      const JointRow& row = problem_.joint_rows[static_cast<std::size_t>(k)];
      const double impulse = solution.joint_impulse[static_cast<std::size_t>(k)];
      const double y =
          joint_velocity(row, w[static_cast<std::size_t>(joint.body_a)], w[static_cast<std::size_t>(joint.body_b)]) +
          joint_q_[static_cast<std::size_t>(k)] + joint_softness(problem_, row) * impulse;
      const double r = impulse - std::clamp(impulse - y, row.lower, row.upper);
      sum += r * r;
    }
  return sum;
}

}  // namespace cairn
