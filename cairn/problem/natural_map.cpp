// SPDX-License-Identifier: MIT
#include "cairn/problem/natural_map.h"

#include <cmath>

#include "cairn/core/index.h"
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

/// Below this part of the speeds involved, relative velocities are rounding.
constexpr double kRounding = 1e-10;

double sum_of(const SymMat3& m) { return m.xx + m.yy + m.zz; }

/// trace(W_kk) of a contact: e.(a e) summed over the axes of any frame.
double trace_of(const ContactProblem& problem, const ContactBlock& c) {
  double trace = 0;
  const auto add = [&](std::int32_t index, const Vec3& arm) {
    const ProblemBody& body = problem.bodies[to_index(index)];
    const SymMat3& i = body.inverse_inertia;
    trace += 3 * body.inverse_mass + sum_of(i) * dot(arm, arm) - dot(arm, i * arm);
    if (c.spin_radius > 0) trace += c.spin_radius * c.spin_radius * dot(c.normal, i * c.normal);
  };
  add(c.body_a, c.arm_a), add(c.body_b, c.arm_b);
  return trace;
}

/// w |F|^2 of one contact. Where nothing can move there is no scale: what is violated there stays violated.
double energy_of(const Gauge& g, int dim, double weight) {
  return weight > 0 ? weight * natural_map2(g, dim, 1 / weight) : natural_map2(g, dim, 1.0);
}

/// w of a joint row. What moves its bodies by rounding alone moves nothing, and is not judged: divided by 1e-34, its
/// violation would drown all others.
double weight_of(const ContactProblem& problem, const JointBlock& joint, const JointRow& row) {
  const ProblemBody& body_a = problem.bodies[to_index(joint.body_a)];
  const ProblemBody& body_b = problem.bodies[to_index(joint.body_b)];
  if (!moves_bodies(body_a, body_b, row)) return joint_softness(problem, row);
  Velocity a, b;
  apply_joint_impulse(problem, joint, row, 1.0, a, b);
  return joint_velocity(row, a, b) + joint_softness(problem, row);
}

double speed_of(const ContactProblem& problem, std::int32_t body) {
  const Velocity free = free_velocity(problem, body);
  return norm(free.linear);
}

}  // namespace

double relative_residual(const DelassusProblem& problem, std::span<const double> impulse,
                         std::span<const double> velocity) {
  const auto dim = to_index(problem.dim());
  double sum = 0, scale = 0;
  Gauge now, none;
  for (std::size_t k = 0; k < to_index(problem.contact_count()); ++k) {
    const double* block = problem.w.diagonal_block(static_cast<std::int64_t>(k));
    double weight = 0;
    for (std::size_t i = 0; i < dim; ++i) {
      now.impulse[i] = impulse[k * dim + i], now.velocity[i] = velocity[k * dim + i];
      none.velocity[i] = problem.q[k * dim + i];
      weight += block[i * dim + i] / static_cast<double>(dim);
    }
    now.friction = none.friction = problem.friction[k];
    sum += energy_of(now, problem.dim(), weight), scale += energy_of(none, problem.dim(), weight);
  }
  return divide(std::sqrt(sum), std::sqrt(scale));
}

double natural_map(const DelassusProblem& problem, std::span<const double> impulse, std::span<const double> velocity) {
  const auto dim = to_index(problem.dim());
  double sum = 0, q2 = 0;
  Gauge g;
  for (std::size_t k = 0; k < to_index(problem.contact_count()); ++k) {
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
  is_listed_ = false;
  scale_ = scale_contacts(pool);
  scale_ = std::sqrt(scale_ + scale_joints());
}

/// q and w of all contacts, and their part of the scale.
double ContactRuler::scale_contacts(ThreadPool* pool) {
  q_.resize(problem_->contacts.size()), weight_.resize(problem_->contacts.size());
  return sum_of(pool, q_.size(), [&](std::int64_t begin, std::int64_t end) {
    double sum = 0;
    Gauge none;
    for (auto k = to_index(begin); k < to_index(end); ++k) {
      const ContactBlock& c = problem_->contacts[k];
      q_[k] = contact_velocity(c, free_velocity(*problem_, c.body_a), free_velocity(*problem_, c.body_b));
      q_[k][0] += contact_bias(*problem_, c);
      weight_[k] = trace_of(*problem_, c) / dim_;
      none.velocity = q_[k], none.friction = friction_axes(c);
      const double rounding = kRounding * (speed_of(*problem_, c.body_a) + speed_of(*problem_, c.body_b));
      sum += energy_of(none, dim_, weight_[k]) + (weight_[k] > 0 ? rounding * rounding / weight_[k] : 0.0);
    }
    return sum;
  });
}

double ContactRuler::scale_joints() {
  double sum = 0;
  joint_q_.assign(problem_->joint_rows.size(), 0.0), joint_weight_.assign(problem_->joint_rows.size(), 0.0);
  for (const JointBlock& joint : problem_->joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
      const auto i = to_index(k);
      const JointRow& row = problem_->joint_rows[i];
      joint_q_[i] =
          joint_velocity(row, free_velocity(*problem_, joint.body_a), free_velocity(*problem_, joint.body_b)) +
          joint_bias(*problem_, row);
      const double w = joint_weight_[i] = weight_of(*problem_, joint, row);
      if (!(w > 0)) continue;
      const double r = std::clamp(-joint_q_[i] / w, row.lower, row.upper);
      const double rounding = kRounding * (speed_of(*problem_, joint.body_a) + speed_of(*problem_, joint.body_b));
      sum += w * r * r + rounding * rounding / w;
    }
  return sum;
}

double ContactRuler::residual(const ContactSolution& solution, bool has_sub_steps, ThreadPool* pool) {
  if (has_sub_steps) {
    read_changes(solution);
  } else {
    w_.assign(problem_->bodies.size(), Velocity{});
    if (pool != nullptr)
      gather_contacts(solution, pool);
    else
      add_contact_impulses(*problem_, solution, w_);
    add_joint_impulses(*problem_, solution, w_);
  }
  // By how much the way of a body differs from that of its end velocity.
  const auto detour = [&](std::int32_t body) -> Velocity {
    const auto i = to_index(body);
    const Velocity &d = solution.displacement[i], &u = solution.velocity[i];
    const double rate = 1 / problem_->dt;
    return {rate * d.linear - u.linear, rate * d.angular - u.angular};
  };
  const double contacts = sum_of(pool, q_.size(), [&](std::int64_t begin, std::int64_t end) {
    double sum = 0;
    Gauge g;
    for (auto k = to_index(begin); k < to_index(end); ++k) {
      const ContactBlock& c = problem_->contacts[k];
      g.impulse = solution.contact_impulse[k];
      g.velocity = contact_velocity(c, w_[to_index(c.body_a)], w_[to_index(c.body_b)]);
      for (std::size_t i = 0; i < 4; ++i) g.velocity[i] += q_[k][i];
      if (has_sub_steps && c.gap > 0) g.velocity[0] += contact_velocity(c, detour(c.body_a), detour(c.body_b))[0];
      g.friction = friction_axes(c);
      sum += energy_of(g, dim_, weight_[k]);
    }
    return sum;
  });
  return divide(std::sqrt(contacts + joints(solution)), scale_);
}

/// By how much the velocities of the solution differ from those without impulses.
void ContactRuler::read_changes(const ContactSolution& solution) {
  w_.resize(problem_->bodies.size());
  for (std::size_t i = 0; i < w_.size(); ++i) {
    const Velocity free = free_velocity(*problem_, static_cast<std::int32_t>(i));
    w_[i] = {solution.velocity[i].linear - free.linear, solution.velocity[i].angular - free.angular};
  }
}

/// The contacts of every body that can move.
void ContactRuler::list_contacts(ThreadPool* pool) {
  const auto vertex = [&](std::int32_t body) {
    return problem_->bodies[to_index(body)].is_dynamic() ? body : kNoVertex;
  };
  edges_.resize(problem_->contacts.size());
  for_each_index(pool, edges_.size(), kGrain, [&](std::size_t k) {
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
        const ContactBlock& c = problem_->contacts[to_index(k)];
        apply_to_body(problem_->bodies[to_index(i)], c, c.body_b == i, solution.contact_impulse[to_index(k)],
                      w_[to_index(i)]);
      }
  });
}

/// Joint rows: w times the squares of lambda - clamp(lambda - y / w).
double ContactRuler::joints(const ContactSolution& solution) const {
  double sum = 0;
  for (const JointBlock& joint : problem_->joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
      const JointRow& row = problem_->joint_rows[to_index(k)];
      const double impulse = solution.joint_impulse[to_index(k)];
      const double w = joint_weight_[to_index(k)];
      if (!(w > 0)) continue;
      const double y = joint_velocity(row, w_[to_index(joint.body_a)], w_[to_index(joint.body_b)]) +
                       joint_q_[to_index(k)] + joint_softness(*problem_, row) * impulse;
      const double r = impulse - std::clamp(impulse - y / w, row.lower, row.upper);
      sum += w * r * r;
    }
  return sum;
}

}  // namespace cairn
