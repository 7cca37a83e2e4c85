// SPDX-License-Identifier: MIT
#include "cairn/euler/rigid_coupling.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::int64_t kRowGrain = 16;
constexpr double kLeastPivot = 1e-12;  // share of the diagonal; a smaller pivot belongs to a redundant joint row

const Vec3& axis_of(const Frame& frame, int i) {
  return i == 0 ? frame.normal : i == 1 ? frame.tangent1 : frame.tangent2;
}

}  // namespace

RigidCoupling::RigidCoupling(const ContactProblem& problem) : problem_(problem) {
  check();
  const auto count = problem.bodies.size();
  free_.resize(count);
  has_joint_.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i) free_[i] = cairn::free_velocity(problem, static_cast<std::int32_t>(i));
  block_of_.resize(problem.joint_rows.size());
  for (std::size_t j = 0; j < problem.joints.size(); ++j) {
    const JointBlock& joint = problem.joints[j];
    has_joint_[to_index(joint.body_a)] = has_joint_[to_index(joint.body_b)] = 1;
    for (std::int32_t k = 0; k < joint.row_count; ++k)
      block_of_[to_index(joint.first_row + k)] = static_cast<std::int32_t>(j);
  }
  factor_joints();
  hold_joints();
}

void RigidCoupling::check() const {
  for (const JointRow& row : problem_.joint_rows)
    if (std::isfinite(row.lower) || std::isfinite(row.upper))
      fail_input(
          "rigid bodies beside elastic solids take joints that hold: leave limits, drives, joint friction and rolling "
          "resistance out",
          ErrorKind::unsupported);
  if (contact_rows(problem_) > 3)
    fail_input("rigid bodies beside elastic solids have no spin friction: set spin_radius to 0",
               ErrorKind::unsupported);
}

void RigidCoupling::add_impulse(const Side& side, const Vec3& impulse, std::vector<Velocity>& velocity) const {
  if (side.body < 0) return;
  const ProblemBody& body = problem_.bodies[to_index(side.body)];
  Velocity& v = velocity[to_index(side.body)];
  v.linear += (side.sign * body.inverse_mass) * impulse;
  v.angular += side.sign * (body.inverse_inertia * cross(side.arm, impulse));
}

std::vector<double> RigidCoupling::joint_velocity_of(const std::vector<Velocity>& velocity) const {
  std::vector<double> y(problem_.joint_rows.size());
  for (std::size_t k = 0; k < y.size(); ++k) {
    const JointBlock& joint = problem_.joints[to_index(block_of_[k])];
    y[k] = joint_velocity(problem_.joint_rows[k], velocity[to_index(joint.body_a)], velocity[to_index(joint.body_b)]);
  }
  return y;
}

void RigidCoupling::add_joint_impulses(std::span<const double> impulse, std::vector<Velocity>& velocity) const {
  for (std::size_t k = 0; k < impulse.size(); ++k) {
    const JointBlock& joint = problem_.joints[to_index(block_of_[k])];
    apply_joint_impulse(problem_, joint, problem_.joint_rows[k], impulse[k], velocity[to_index(joint.body_a)],
                        velocity[to_index(joint.body_b)]);
  }
}

/// Assembles A = G M^-1 G^T + S by columns, and factors A = L L^T. Rows that depend on others get no impulse.
void RigidCoupling::factor_joints() {
  const std::size_t n = problem_.joint_rows.size();
  factor_.assign(n * n, 0.0);
  std::vector<double> unit(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<Velocity> velocity(problem_.bodies.size());
    unit[j] = 1;
    add_joint_impulses(unit, velocity);
    unit[j] = 0;
    const std::vector<double> column = joint_velocity_of(velocity);
    for (std::size_t i = j; i < n; ++i) factor_[i * n + j] = column[i];
    factor_[j * n + j] += joint_softness(problem_, problem_.joint_rows[j]);
    bias_.push_back(joint_bias(problem_, problem_.joint_rows[j]));
  }
  for (std::size_t j = 0; j < n; ++j) {
    double pivot = factor_[j * n + j];
    const double whole = pivot;
    for (std::size_t k = 0; k < j; ++k) pivot -= factor_[j * n + k] * factor_[j * n + k];
    const bool is_held = pivot > kLeastPivot * whole;
    factor_[j * n + j] = is_held ? std::sqrt(pivot) : 0;
    for (std::size_t i = j + 1; i < n; ++i) {
      double sum = factor_[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= factor_[i * n + k] * factor_[j * n + k];
      factor_[i * n + j] = is_held ? sum / factor_[j * n + j] : 0;
    }
  }
}

/// x <- A^-1 x.
void RigidCoupling::solve_joints(std::vector<double>& x) const {
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= factor_[i * n + k] * x[k];
    x[i] = factor_[i * n + i] > 0 ? x[i] / factor_[i * n + i] : 0;
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= factor_[k * n + i] * x[k];
    x[i] = factor_[i * n + i] > 0 ? x[i] / factor_[i * n + i] : 0;
  }
}

/// mu = -A^-1 (G u_free + b).
void RigidCoupling::hold_joints() {
  if (problem_.joint_rows.empty()) return;
  std::vector<double> impulse = joint_velocity_of(free_);
  for (std::size_t k = 0; k < impulse.size(); ++k) impulse[k] = -(impulse[k] + bias_[k]);
  solve_joints(impulse);
  add_joint_impulses(impulse, free_);
}

void RigidCoupling::list_contacts(const ContactRows& rows) {
  rows_ = rows.rows.size();
  contacts_.assign(rows_ + problem_.contacts.size(), {});
  const auto moves = [&](std::int32_t body) { return body >= 0 && problem_.bodies[to_index(body)].is_dynamic(); };
  for (std::size_t c = 0; c < rows_; ++c) {
    const ContactRow& row = rows.rows[c];
    contacts_[c].frame = row.frame;
    if (moves(row.body)) contacts_[c].side[0] = {row.body, -1, row.arm};
  }
  for (std::size_t k = 0; k < problem_.contacts.size(); ++k) {
    const ContactBlock& from = problem_.contacts[k];
    Contact& to = contacts_[rows_ + k];
    to.frame = {from.normal, from.tangent1, from.tangent2};
    if (moves(from.body_a)) to.side[0] = {from.body_a, -1, from.arm_a};
    if (moves(from.body_b)) to.side[1] = {from.body_b, 1, from.arm_b};
  }
  for (Contact& contact : contacts_) find_response(contact);
}

void RigidCoupling::find_response(Contact& contact) const {
  const std::size_t n = problem_.joint_rows.size();
  for (const Side& side : contact.side)
    contact.is_joined = contact.is_joined || (side.body >= 0 && has_joint_[to_index(side.body)] != 0);
  if (!contact.is_joined) return;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<Velocity> velocity(problem_.bodies.size());
    for (const Side& side : contact.side) add_impulse(side, axis_of(contact.frame, axis), velocity);
    std::vector<double> x = joint_velocity_of(velocity);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= factor_[i * n + k] * x[k];
      x[i] = factor_[i * n + i] > 0 ? x[i] / factor_[i * n + i] : 0;
    }
    contact.response.insert(contact.response.end(), x.begin(), x.end());
  }
}

/// Finds which contacts couple: those that the problem of the solids couples, those that share a body, and all contacts
/// of bodies with joints.
void RigidCoupling::find_columns(const DelassusProblem& solids, BlockSparse& w) const {
  std::vector<std::vector<std::int32_t>> at_body(problem_.bodies.size());
  std::vector<std::int32_t> joined;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    for (const Side& side : contacts_[c].side)
      if (side.body >= 0) at_body[to_index(side.body)].push_back(static_cast<std::int32_t>(c));
    if (contacts_[c].is_joined) joined.push_back(static_cast<std::int32_t>(c));
  }
  w.dim = 3;
  w.row_start.assign(1, 0);
  std::vector<std::int32_t> columns;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    columns.assign(1, static_cast<std::int32_t>(c));
    if (c < rows_)
      columns.insert(columns.end(), solids.w.column.begin() + solids.w.row_start[c],
                     solids.w.column.begin() + solids.w.row_start[c + 1]);
    for (const Side& side : contacts_[c].side)
      if (side.body >= 0)
        columns.insert(columns.end(), at_body[to_index(side.body)].begin(), at_body[to_index(side.body)].end());
    if (contacts_[c].is_joined) columns.insert(columns.end(), joined.begin(), joined.end());
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    w.column.insert(w.column.end(), columns.begin(), columns.end());
    w.row_start.push_back(static_cast<std::int64_t>(w.column.size()));
  }
  w.values.assign(9 * w.column.size(), 0.0);
}

/// Adds the bodies' part of W_cd. An impulse p at arm r_d makes the velocity p/m + (I^-1 (r_d x p)) x r_c at arm r_c.
void RigidCoupling::write_block(const Contact& c, const Contact& d, double* block) const {
  const std::size_t n = problem_.joint_rows.size();
  for (int j = 0; j < 3; ++j) {
    const Vec3& push = axis_of(d.frame, j);
    Vec3 answer;
    for (const Side& mine : c.side)
      for (const Side& theirs : d.side) {
        if (mine.body < 0 || mine.body != theirs.body) continue;
        const ProblemBody& body = problem_.bodies[to_index(mine.body)];
        const Vec3 turn = body.inverse_inertia * cross(theirs.arm, push);
        answer += (mine.sign * theirs.sign) * (body.inverse_mass * push + cross(turn, mine.arm));
      }
    for (int i = 0; i < 3; ++i) {
      double held = 0;
      if (c.is_joined && d.is_joined)
        for (std::size_t k = 0; k < n; ++k) held += c.response[to_index(i) * n + k] * d.response[to_index(j) * n + k];
      block[3 * i + j] += dot(axis_of(c.frame, i), answer) - held;
    }
  }
}

DelassusProblem RigidCoupling::extend(const DelassusProblem& solids, const ContactRows& rows, ThreadPool* pool) {
  list_contacts(rows);
  DelassusProblem problem;
  find_columns(solids, problem.w);
  for_each_index(pool, contacts_.size(), kRowGrain, [&](std::size_t c) {
    std::int64_t from = c < rows_ ? solids.w.row_start[c] : 0;
    const std::int64_t end = c < rows_ ? solids.w.row_start[c + 1] : 0;
    for (std::int64_t k = problem.w.row_start[c]; k < problem.w.row_start[c + 1]; ++k) {
      const std::int32_t d = problem.w.column[to_index(k)];
      if (from < end && solids.w.column[to_index(from)] == d) {
        std::copy_n(solids.w.block(from), 9, problem.w.block(k));
        ++from;
      }
      write_block(contacts_[c], contacts_[to_index(d)], problem.w.block(k));
    }
  });
  find_diagonal(problem.w);
  problem.q = solids.q;
  problem.friction = solids.friction;
  for (const ContactBlock& c : problem_.contacts) {
    const auto y = contact_velocity(c, free_[to_index(c.body_a)], free_[to_index(c.body_b)]);
    problem.q.push_back(y[0] + contact_bias(problem_, c));
    problem.q.push_back(y[1]);
    problem.q.push_back(y[2]);
    problem.friction.push_back(friction_axes(c));
  }
  return problem;
}

void RigidCoupling::finish(std::span<const double> impulse, ContactSolution& solution) const {
  std::vector<Velocity>& velocity = solution.velocity;
  velocity.resize(problem_.bodies.size());
  for (std::size_t i = 0; i < velocity.size(); ++i)
    velocity[i] = cairn::free_velocity(problem_, static_cast<std::int32_t>(i));
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const Frame& f = contacts_[c].frame;
    const double* l = impulse.data() + 3 * c;
    for (const Side& side : contacts_[c].side)
      add_impulse(side, l[0] * f.normal + l[1] * f.tangent1 + l[2] * f.tangent2, velocity);
  }
  solution.joint_impulse = joint_velocity_of(velocity);
  for (std::size_t k = 0; k < bias_.size(); ++k) solution.joint_impulse[k] = -(solution.joint_impulse[k] + bias_[k]);
  solve_joints(solution.joint_impulse);
  add_joint_impulses(solution.joint_impulse, velocity);
  solution.displacement.resize(velocity.size());
  for (std::size_t i = 0; i < velocity.size(); ++i)
    solution.displacement[i] = {problem_.dt * velocity[i].linear, problem_.dt * velocity[i].angular};
  solution.contact_impulse.resize(problem_.contacts.size());
  for (std::size_t k = 0; k < problem_.contacts.size(); ++k) {
    const double* l = impulse.data() + 3 * (rows_ + k);
    solution.contact_impulse[k] = {l[0], l[1], l[2], 0};
  }
  solution.contact_carry.clear();
}

}  // namespace cairn
