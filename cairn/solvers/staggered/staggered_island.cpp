// SPDX-License-Identifier: MIT
#include "cairn/solvers/staggered/staggered_island.h"

#include <algorithm>
#include <cmath>

namespace cairn {

namespace {

constexpr int kMostSets = 200;                        // active sets of one QP
constexpr double kHalfRoot = 0.70710678118654752440;  // of a diamond with corners at 1: half its side

double times(const Velocity& a, const Velocity& b) { return dot(a.linear, b.linear) + dot(a.angular, b.angular); }

Velocity changed(const ProblemBody& body, const Velocity& push) {
  return {body.inverse_mass * push.linear, body.inverse_inertia * push.angular};
}

}  // namespace

StaggeredIsland::StaggeredIsland(const StaggeredSettings& settings) : settings_(settings) {
  if (settings.depth > 0) accelerator_ = make_accelerator(Acceleration::anderson, settings.depth);
}

void StaggeredIsland::add_row(const ContactProblem& problem, const Row& given) {
  Row row = given;
  row.change_a = changed(problem.bodies[static_cast<std::size_t>(row.body_a)], row.push_a);
  row.change_b = changed(problem.bodies[static_cast<std::size_t>(row.body_b)], row.push_b);
  rows_.push_back(row);
}

/// Normals, joint rows, then both tangents of every contact times their friction coefficients, so that the disc of
/// friction has the radius of the normal impulse.
void StaggeredIsland::read_rows(const ContactProblem& problem) {
  rows_.clear(), lower_.clear(), upper_.clear();
  contacts_ = problem.contacts.size(), joints_ = problem.joint_rows.size();
  const auto along = [&](const ContactBlock& c, const Vec3& axis) {
    add_row(problem, {c.body_a, c.body_b, {-axis, -cross(c.arm_a, axis)}, {axis, cross(c.arm_b, axis)}, {}, {}});
  };
  for (const ContactBlock& c : problem.contacts) along(c, c.normal);
  std::vector<Row> joints(joints_);
  for (const JointBlock& joint : problem.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
      const JointRow& r = problem.joint_rows[static_cast<std::size_t>(k)];
      joints[static_cast<std::size_t>(k)] = {
          joint.body_a, joint.body_b, {r.linear_a, r.angular_a}, {r.linear_b, r.angular_b}, {}, {}};
    }
  for (const Row& row : joints) add_row(problem, row);
  has_friction_ = false;
  for (const ContactBlock& c : problem.contacts) {
    along(c, c.friction1 * c.tangent1), along(c, c.friction2 * c.tangent2);
    has_friction_ = has_friction_ || c.friction1 > 0 || c.friction2 > 0;
  }
  for (const JointRow& row : problem.joint_rows) lower_.push_back(row.lower), upper_.push_back(row.upper);
}

/// W = J M^-1 J^T + G and q = J u_free + b. Rows that move nothing have a one on the diagonal and take no part.
void StaggeredIsland::assemble(const ContactProblem& problem) {
  const std::size_t n = rows_.size();
  w_.assign(n * n, 0.0), q_.resize(n), is_dead_.assign(n, 0);
  std::vector<std::vector<std::size_t>> at_body(problem.bodies.size());
  for (std::size_t i = 0; i < n; ++i) {
    const Row& r = rows_[i];
    for (const std::int32_t body : {r.body_a, r.body_b})
      if (problem.bodies[static_cast<std::size_t>(body)].is_dynamic())
        at_body[static_cast<std::size_t>(body)].push_back(i);
    q_[i] = times(r.push_a, free_velocity(problem, r.body_a)) + times(r.push_b, free_velocity(problem, r.body_b));
  }
  for (std::size_t i = 0; i < n; ++i)
    for (const bool second : {false, true}) {
      const std::int32_t body = second ? rows_[i].body_b : rows_[i].body_a;
      const Velocity& change = second ? rows_[i].change_b : rows_[i].change_a;
      for (const std::size_t j : at_body[static_cast<std::size_t>(body)]) {
        if (rows_[j].body_a == body) w_[i * n + j] += times(rows_[j].push_a, change);
        if (rows_[j].body_b == body) w_[i * n + j] += times(rows_[j].push_b, change);
      }
    }
  for (std::size_t k = 0; k < contacts_; ++k) q_[k] += contact_bias(problem, problem.contacts[k]);
  for (std::size_t k = 0; k < joints_; ++k) {
    const std::size_t i = contacts_ + k;
    q_[i] += joint_bias(problem, problem.joint_rows[k]);
    w_[i * n + i] += joint_softness(problem, problem.joint_rows[k]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) w_[i * n + j] = w_[j * n + i];  // the same to the last bit
    const ProblemBody &a = problem.bodies[static_cast<std::size_t>(rows_[i].body_a)],
                      &b = problem.bodies[static_cast<std::size_t>(rows_[i].body_b)];
    const bool is_joint = i >= contacts_ && i < contacts_ + joints_;
    const bool moves = is_joint ? moves_bodies(a, b, problem.joint_rows[i - contacts_]) : w(i, i) > 0;
    is_dead_[i] = moves && w(i, i) > 0 ? 0 : 1;
  }
}

void StaggeredIsland::make_matrices() {
  const auto part = [&](const std::vector<std::size_t>& list) {
    Vector values(list.size() * list.size(), 0.0);
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t j = 0; j < list.size(); ++j) {
        const bool dead = is_dead_[list[i]] != 0 || is_dead_[list[j]] != 0;
        double value = dead ? 0.0 : w(list[i], list[j]);
        if (i == j) value = dead ? 1.0 : value * (1 + settings_.eps);
        values[i * list.size() + j] = value;
      }
    return DenseMatrix(static_cast<int>(list.size()), std::move(values));
  };
  std::vector<std::size_t> z, s;
  for (std::size_t i = 0; i < contacts_ + joints_; ++i) z.push_back(i);
  for (std::size_t k = 0; k < contacts_; ++k) s.push_back(tangent(k, 0)), s.push_back(tangent(k, 1));
  for (std::size_t k = 0; k < joints_; ++k) s.push_back(contacts_ + k);
  const PdasmSettings pdasm{.schur = settings_.method != StaggeredMethod::staggered_direct};
  contact_matrix_ = part(z);
  contact_ = std::make_unique<Pdasm>(pdasm);
  contact_qp_ = {&contact_matrix_, Vector(z.size()), Vector(z.size(), 0.0), Vector(z.size(), INFINITY)};
  for (std::size_t k = 0; k < joints_; ++k)
    contact_qp_.lower[contacts_ + k] = lower_[k], contact_qp_.upper[contacts_ + k] = upper_[k];
  if (!has_friction_) return;
  friction_matrix_ = part(s);
  turned_ = std::make_unique<RotatedMatrix>(friction_matrix_, static_cast<int>(contacts_));
  for (std::size_t k = 0; k < contacts_; ++k)  // corners along the tangents
    if (is_dead_[tangent(k, 0)] == 0 && is_dead_[tangent(k, 1)] == 0)
      turned_->set_axis(static_cast<int>(k), kHalfRoot, -kHalfRoot);
  friction_ = std::make_unique<Pdasm>(pdasm);
  friction_qp_ = {turned_.get(), Vector(s.size()), Vector(s.size(), 0.0), Vector(s.size(), 0.0)};
  for (std::size_t k = 0; k < joints_; ++k)
    friction_qp_.lower[2 * contacts_ + k] = lower_[k], friction_qp_.upper[2 * contacts_ + k] = upper_[k];
}

/// Impulses and active sets of the warm start: who carried is free, who slid is in its corner.
void StaggeredIsland::read_start(const ContactProblem& problem, const ContactSolution& solution) {
  alpha_.assign(contacts_, 0.0), beta_.assign(2 * contacts_, 0.0), gamma_.assign(joints_, 0.0);
  contact_solution_ = {}, friction_solution_ = {};
  contact_solution_.state.assign(contacts_ + joints_, BoundState::free);
  friction_solution_.state.assign(2 * contacts_ + joints_, BoundState::free);
  is_cold_ = true;
  for (std::size_t k = 0; k < contacts_; ++k) is_cold_ = is_cold_ && solution.contact_impulse[k][0] == 0;
  for (std::size_t k = 0; k < contacts_; ++k) {
    const auto& given = solution.contact_impulse[k];
    alpha_[k] = is_dead_[k] == 0 ? std::max(0.0, given[0]) : 0.0;
    if (!is_cold_ && alpha_[k] == 0) contact_solution_.state[k] = BoundState::lower;
    const ContactBlock& c = problem.contacts[k];
    if (c.friction1 > 0) beta_[2 * k] = given[1] / c.friction1;
    if (c.friction2 > 0) beta_[2 * k + 1] = given[2] / c.friction2;
    const double size = std::hypot(beta_[2 * k], beta_[2 * k + 1]);
    if (size > alpha_[k]) beta_[2 * k] *= alpha_[k] / size, beta_[2 * k + 1] *= alpha_[k] / size;
    if (size >= (1 - 1e-6) * alpha_[k])
      friction_solution_.state[2 * k] = friction_solution_.state[2 * k + 1] = BoundState::upper;
  }
  for (std::size_t k = 0; k < joints_; ++k) {
    gamma_[k] = is_dead_[contacts_ + k] == 0 ? std::clamp(solution.joint_impulse[k], lower_[k], upper_[k])
                                             : std::clamp(0.0, lower_[k], upper_[k]);
    const BoundState state = gamma_[k] == lower_[k]   ? BoundState::lower
                             : gamma_[k] == upper_[k] ? BoundState::upper
                                                      : BoundState::free;
    contact_solution_.state[contacts_ + k] = friction_solution_.state[2 * contacts_ + k] = state;
  }
}

void StaggeredIsland::take(const QpReport& qp, SolveReport& report) {
  failed_ += qp.end == QpEnd::converged ? 0 : 1;
  report.factorisations += qp.factorisations;
}

/// c = -(q_z + g) + eps D z.
bool StaggeredIsland::solve_contact(const SolveContext& context, SolveReport& report) {
  const std::size_t n = contacts_ + joints_;
  for (std::size_t i = 0; i < n; ++i) {
    const double last = i < contacts_ ? alpha_[i] : gamma_[i - contacts_];
    contact_qp_.c[i] = is_dead_[i] != 0 ? last : settings_.eps * w(i, i) * last - q_[i] - g_[i];
  }
  const QpReport qp =
      contact_->solve(contact_qp_, contact_solution_,
                      {.pool = context.pool, .max_iterations = kMostSets, .interrupt = context.interrupt});
  take(qp, report);
  for (std::size_t i = 0; i < n; ++i) (i < contacts_ ? alpha_[i] : gamma_[i - contacts_]) = contact_solution_.x[i];
  return qp.end != QpEnd::not_positive_definite;
}

/// Every corner to where friction would push: along beta - rho y_t. Diamonds that hold it anyway stay. From a cold
/// start that is also the first guess of who slides: with all free, active sets may take thousands of exchanges.
void StaggeredIsland::realign() {
  for (std::size_t k = 0; k < contacts_; ++k) {
    if (is_dead_[tangent(k, 0)] != 0 || is_dead_[tangent(k, 1)] != 0) continue;  // friction along one axis, or none
    double aim[2];
    const double stiffness = 0.5 * (w(tangent(k, 0), tangent(k, 0)) + w(tangent(k, 1), tangent(k, 1)));
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const std::size_t row = tangent(k, axis);
      double y = q_[row];
      for (std::size_t i = 0; i < contacts_; ++i)
        y += w(row, i) * alpha_[i] + w(row, tangent(i, 0)) * beta_[2 * i] + w(row, tangent(i, 1)) * beta_[2 * i + 1];
      for (std::size_t i = 0; i < joints_; ++i) y += w(row, contacts_ + i) * gamma_[i];
      aim[axis] = stiffness > 0 ? beta_[2 * k + axis] - y / stiffness : 0.0;
    }
    const double size = std::hypot(aim[0], aim[1]);
    if (is_cold_)
      friction_solution_.state[2 * k] = friction_solution_.state[2 * k + 1] =
          size > alpha_[k] ? BoundState::upper : BoundState::free;
    if (!(size > kHalfRoot * alpha_[k]) || size == 0) continue;
    // The corner is at 45 degrees between the axes.
    const double x = kHalfRoot * (aim[0] + aim[1]) / size, y = kHalfRoot * (aim[1] - aim[0]) / size;
    const int pair = static_cast<int>(k);
    const double ax = turned_->axis_x(pair), ay = turned_->axis_y(pair);
    if (x == ax && y == ay) continue;
    turned_->set_axis(pair, x, y);
    if (settings_.method == StaggeredMethod::staggered_schurpa)
      static_cast<SchurSaddle&>(friction_->saddle()).turn(2 * pair, ax * x + ay * y, ax * y - ay * x);
  }
}

/// c = -(q_s + W_sn alpha) + eps D s, in turned axes; |b| <= alpha / sqrt(2) along both.
bool StaggeredIsland::solve_friction(const SolveContext& context, SolveReport& report) {
  if (settings_.realign) realign();
  is_cold_ = false;
  const std::size_t n = 2 * contacts_ + joints_;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = i < 2 * contacts_ ? tangent(i / 2, i % 2) : contacts_ + i - 2 * contacts_;
    const double last = i < 2 * contacts_ ? beta_[i] : gamma_[i - 2 * contacts_];
    double sum = settings_.eps * w(row, row) * last - q_[row];
    for (std::size_t k = 0; k < contacts_; ++k) sum -= w(row, k) * alpha_[k];
    friction_qp_.c[i] = is_dead_[row] != 0 ? last : sum;
  }
  turned_->to_turned(friction_qp_.c);
  for (std::size_t k = 0; k < contacts_; ++k) {
    const bool one = is_dead_[tangent(k, 0)] != is_dead_[tangent(k, 1)],
               none = is_dead_[tangent(k, 0)] != 0 && is_dead_[tangent(k, 1)] != 0;
    const double size = none ? 0.0 : one ? alpha_[k] : kHalfRoot * alpha_[k];
    for (const std::size_t i : {2 * k, 2 * k + 1}) {
      const bool dead = one && is_dead_[tangent(k, i % 2)] != 0;
      friction_qp_.lower[i] = dead ? 0.0 : -size, friction_qp_.upper[i] = dead ? 0.0 : size;
    }
  }
  const QpReport qp =
      friction_->solve(friction_qp_, friction_solution_,
                       {.pool = context.pool, .max_iterations = kMostSets, .interrupt = context.interrupt});
  take(qp, report);
  Vector s = friction_solution_.x;
  turned_->to_fixed(s);
  std::copy_n(s.begin(), 2 * contacts_, beta_.begin());
  std::copy_n(s.begin() + static_cast<std::ptrdiff_t>(2 * contacts_), joints_, gamma_.begin());
  return qp.end != QpEnd::not_positive_definite;
}

double StaggeredIsland::measure(const ContactProblem& problem, const SolveContext& context) {
  for (std::size_t k = 0; k < contacts_; ++k)
    trial_.contact_impulse[k] = {alpha_[k], problem.contacts[k].friction1 * beta_[2 * k],
                                 problem.contacts[k].friction2 * beta_[2 * k + 1], 0.0};
  trial_.joint_impulse.assign(gamma_.begin(), gamma_.end());
  return ruler_.residual(trial_, false, context.pool);
}

}  // namespace cairn
