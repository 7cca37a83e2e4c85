// SPDX-License-Identifier: MIT
#include "cairn/solvers/staggered/staggered_rows.h"

#include <algorithm>

#include "cairn/core/index.h"

namespace cairn {

namespace {

double times(const Velocity& a, const Velocity& b) { return dot(a.linear, b.linear) + dot(a.angular, b.angular); }

Velocity changed(const ProblemBody& body, const Velocity& push) {
  return {body.inverse_mass * push.linear, body.inverse_inertia * push.angular};
}

}  // namespace

void StaggeredRows::resize(std::size_t contacts, std::size_t joints) {
  contacts_ = contacts, joints_ = joints;
  w_.assign(rows() * rows(), 0.0), q_.resize(rows()), is_dead_.assign(rows(), 0);
  lower_.resize(joints), upper_.resize(joints), friction_.resize(contacts);
  has_friction_ = false;
}

void StaggeredRows::set_row(const ContactProblem& problem, std::size_t at, const Row& given) {
  Row& row = row_[at] = given;
  const ProblemBody &a = problem.bodies[to_index(row.body_a)], &b = problem.bodies[to_index(row.body_b)];
  row.change_a = changed(a, row.push_a), row.change_b = changed(b, row.push_b);
  edges_[at] = {a.is_dynamic() ? row.body_a : kNoVertex, b.is_dynamic() ? row.body_b : kNoVertex};
}

void StaggeredRows::read_rows(const ContactProblem& problem) {
  row_.resize(rows()), edges_.resize(rows());
  for (std::size_t k = 0; k < contacts_; ++k) {
    const ContactBlock& c = problem.contacts[k];
    const auto along = [&](std::size_t at, const Vec3& axis) {
      set_row(problem, at, {c.body_a, c.body_b, {-axis, -cross(c.arm_a, axis)}, {axis, cross(c.arm_b, axis)}, {}, {}});
    };
    along(k, c.normal);
    along(tangent(k, 0), c.friction1 * c.tangent1), along(tangent(k, 1), c.friction2 * c.tangent2);
    friction_[k] = {c.friction1, c.friction2};
    has_friction_ = has_friction_ || c.friction1 > 0 || c.friction2 > 0;
  }
  for (const JointBlock& joint : problem.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
      const auto row = to_index(k);
      const JointRow& r = problem.joint_rows[row];
      set_row(problem, contacts_ + row,
              {joint.body_a, joint.body_b, {r.linear_a, r.angular_a}, {r.linear_b, r.angular_b}, {}, {}});
      lower_[row] = r.lower, upper_[row] = r.upper;
    }
}

/// The lower half to the upper one, so that both are the same to the last bit.
void StaggeredRows::mirror() {
  const std::size_t n = rows();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) w_[i * n + j] = w_[j * n + i];
}

/// W = J M^-1 J^T: rows that push a common body.
void StaggeredRows::couple(const ContactProblem& problem) {
  const std::size_t n = rows();
  edges_by_vertex(edges_, static_cast<std::int32_t>(problem.bodies.size()), at_body_);
  for (std::size_t i = 0; i < n; ++i)
    for (const bool second : {false, true}) {
      const std::int32_t body = second ? edges_[i].b : edges_[i].a;
      if (body == kNoVertex) continue;
      const Velocity& change = second ? row_[i].change_b : row_[i].change_a;
      for (const std::int32_t j : at_body_[body]) {
        const Row& other = row_[to_index(j)];
        double& entry = w_[i * n + to_index(j)];
        if (other.body_a == body) entry += times(other.push_a, change);
        if (other.body_b == body) entry += times(other.push_b, change);
      }
    }
  mirror();
}

/// W = J M^-1 J^T + G and q = J u_free + b.
void StaggeredRows::load(const ContactProblem& problem) {
  resize(problem.contacts.size(), problem.joint_rows.size());
  read_rows(problem);
  couple(problem);
  const std::size_t n = rows();
  for (std::size_t i = 0; i < n; ++i) {
    const Row& r = row_[i];
    q_[i] = times(r.push_a, free_velocity(problem, r.body_a)) + times(r.push_b, free_velocity(problem, r.body_b));
  }
  for (std::size_t k = 0; k < contacts_; ++k) q_[k] += contact_bias(problem, problem.contacts[k]);
  for (std::size_t k = 0; k < joints_; ++k) {
    const std::size_t i = contacts_ + k;
    q_[i] += joint_bias(problem, problem.joint_rows[k]);
    w_[i * n + i] += joint_softness(problem, problem.joint_rows[k]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_joint = i >= contacts_ && i < contacts_ + joints_;
    const bool moves =
        !is_joint || moves_bodies(problem.bodies[to_index(row_[i].body_a)], problem.bodies[to_index(row_[i].body_b)],
                                  problem.joint_rows[i - contacts_]);
    is_dead_[i] = moves && w(i, i) > 0 ? 0 : 1;
  }
}

/// W as it is given; of files that are slightly unsymmetric the mean of both halves.
void StaggeredRows::load(const DelassusProblem& problem) {
  resize(to_index(problem.contact_count()), 0);
  const auto dim = to_index(problem.dim());
  const std::size_t n = rows(), axes = std::min<std::size_t>(dim, 3);
  const auto row_of = [&](std::size_t contact, std::size_t axis) {
    return axis == 0 ? contact : tangent(contact, axis - 1);
  };
  const auto scale = [&](std::size_t contact, std::size_t axis) {
    return axis == 0 ? 1.0 : friction_[contact][axis - 1];
  };
  std::fill(q_.begin(), q_.end(), 0.0);
  for (std::size_t k = 0; k < contacts_; ++k) {
    friction_[k] = {problem.friction[k].s, dim > 2 ? problem.friction[k].t : 0.0};
    has_friction_ = has_friction_ || friction_[k][0] > 0 || friction_[k][1] > 0;
    for (std::size_t i = 0; i < axes; ++i) q_[row_of(k, i)] = scale(k, i) * problem.q[dim * k + i];
  }
  for (std::size_t k = 0; k < contacts_; ++k)
    for (auto e = problem.w.row_start[k]; e < problem.w.row_start[k + 1]; ++e) {
      const auto other = to_index(problem.w.column[to_index(e)]);
      const double* block = problem.w.block(e);
      for (std::size_t i = 0; i < axes; ++i)
        for (std::size_t j = 0; j < axes; ++j) {
          const double half = 0.5 * scale(k, i) * scale(other, j) * block[i * dim + j];
          w_[row_of(k, i) * n + row_of(other, j)] += half, w_[row_of(other, j) * n + row_of(k, i)] += half;
        }
    }
  mirror();
  for (std::size_t i = 0; i < n; ++i) is_dead_[i] = w(i, i) > 0 ? 0 : 1;
}

}  // namespace cairn
