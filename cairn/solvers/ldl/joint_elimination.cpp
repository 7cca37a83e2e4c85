// SPDX-License-Identifier: MIT
#include "cairn/solvers/ldl/joint_elimination.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/solvers/ldl/ldl_structure.h"
#include "cairn/solvers/local_contact.h"

namespace cairn {

namespace {

constexpr int kMostVisits = 200;        // of each contact
constexpr double kStillChange = 1e-14;  // of the largest impulse
constexpr double kHeld = 1e-9;          // of what a contact gives way without joints; less is round-off

/// Gauss-Seidel with exact local solutions; `a` has rows of `stride` numbers.
void solve_small(const ContactProblem& part, const std::int32_t* contact, int count, const double* a, int stride,
                 const double* q, double* impulse) {
  for (int visit = 0; visit < kMostVisits; ++visit) {
    double change = 0, largest = 0;
    for (int i = 0; i < count; ++i) {
      double block[9], b[3], r[3];
      for (int row = 0; row < 3; ++row) {
        const double* from = a + (3 * i + row) * stride;
        b[row] = q[3 * i + row];
        for (int k = 0; k < 3 * count; ++k)
          if (k / 3 != i) b[row] += from[k] * impulse[k];
        for (int k = 0; k < 3; ++k) block[3 * row + k] = from[3 * i + k];
        r[row] = impulse[3 * i + row];
      }
      const double friction = part.contacts[to_index(contact[i])].friction1;
      if (!solve_local_contact<3>(block, b, friction, r)) project_fixed_point<3>(block, b, friction, r);
      for (int k = 0; k < 3; ++k) {
        change = std::max(change, std::fabs(r[k] - impulse[3 * i + k]));
        largest = std::max(largest, std::fabs(r[k]));
        impulse[3 * i + k] = r[k];
      }
    }
    if (!(change > kStillChange * largest)) return;
  }
}

}  // namespace

/// Counts what each island has; true if any is to be solved here.
bool JointElimination::pick_islands(const ContactProblem& problem, int most_contacts, ThreadPool* pool) {
  const auto vertex = [&](std::int32_t body) { return problem.bodies[to_index(body)].is_dynamic() ? body : kNoVertex; };
  edges_.clear();
  for (const JointBlock& joint : problem.joints) edges_.push_back({vertex(joint.body_a), vertex(joint.body_b)});
  for (const ContactBlock& c : problem.contacts) edges_.push_back({vertex(c.body_a), vertex(c.body_b)});
  finder_.find(edges_, static_cast<std::int32_t>(problem.bodies.size()), pool, islands_);
  contacts_in_.assign(to_index(islands_.count), 0), joints_in_ = contacts_in_;
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    if (islands_.of_edge[e] < 0) continue;
    const auto island = to_index(islands_.of_edge[e]);
    bool fits = true;
    if (e < problem.joints.size()) {
      const JointBlock& joint = problem.joints[e];
      ++joints_in_[island];
      for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k)
        fits = fits && !is_bounded(problem.joint_rows[to_index(k)]);
    } else {
      const ContactBlock& c = problem.contacts[e - problem.joints.size()];
      ++contacts_in_[island];
      fits = c.spin_radius == 0 && c.friction1 == c.friction2;
    }
    if (!fits) contacts_in_[island] = most_contacts + 1;
  }
  small_of_.assign(contacts_in_.size(), -1);
  std::int32_t count = 0;
  for (std::size_t i = 0; i < small_of_.size(); ++i)
    if (joints_in_[i] > 0 && contacts_in_[i] > 0 && contacts_in_[i] <= most_contacts) small_of_[i] = count++;
  small_.assign(to_index(count), {});
  return count > 0;
}

std::int32_t JointElimination::local_body(const ContactProblem& problem, std::int32_t body) {
  std::int32_t& local = local_[to_index(body)];
  if (local < 0) {
    local = static_cast<std::int32_t>(part_.bodies.size());
    part_.bodies.push_back(problem.bodies[to_index(body)]);
  }
  return local;
}

void JointElimination::copy_parts(const ContactProblem& problem, const ContactSolution& solution) {
  part_.dt = problem.dt, part_.stabilisation = problem.stabilisation;
  part_.bodies.clear(), part_.joints.clear(), part_.joint_rows.clear(), part_.contacts.clear();
  row_from_.clear(), contact_from_.clear();
  local_.assign(problem.bodies.size(), -1);
  const auto small_of = [&](std::size_t edge) {
    return islands_.of_edge[edge] < 0 ? -1 : small_of_[to_index(islands_.of_edge[edge])];
  };
  for (std::size_t j = 0; j < problem.joints.size(); ++j) {
    if (small_of(j) < 0) continue;
    JointBlock joint = problem.joints[j];
    for (std::int32_t k = 0; k < joint.row_count; ++k) {
      row_from_.push_back(joint.first_row + k);
      part_.joint_rows.push_back(problem.joint_rows[to_index(joint.first_row + k)]);
    }
    joint.body_a = local_body(problem, joint.body_a), joint.body_b = local_body(problem, joint.body_b);
    joint.first_row = static_cast<std::int32_t>(part_.joint_rows.size()) - joint.row_count;
    part_.joints.push_back(joint);
  }
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const std::int32_t index = small_of(problem.joints.size() + k);
    if (index < 0) continue;
    Small& small = small_[to_index(index)];
    if (!solution.contact_impulse.empty())
      std::copy_n(solution.contact_impulse[k].begin(), 3, small.impulse.begin() + 3 * small.contacts);
    small.contact[to_index(small.contacts++)] = static_cast<std::int32_t>(part_.contacts.size());
    ContactBlock contact = problem.contacts[k];
    contact.body_a = local_body(problem, contact.body_a), contact.body_b = local_body(problem, contact.body_b);
    part_.contacts.push_back(contact);
    contact_from_.push_back(static_cast<std::int32_t>(k));
  }
}

/// The joints answer to the velocities: u <- u + M^-1 J_0^T l with J_0 u + G l = 0, or = -b with their bias.
void JointElimination::respond(bool with_bias, ThreadPool* pool) {
  rhs_.resize(part_.joint_rows.size()), row_impulse_.resize(part_.joint_rows.size());
  const auto for_rows = [&](auto&& visit) {
    for (const JointBlock& joint : part_.joints)
      for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k)
        visit(joint, to_index(k), velocity_[to_index(joint.body_a)], velocity_[to_index(joint.body_b)]);
  };
  for_rows([&](const JointBlock&, std::size_t k, Velocity& a, Velocity& b) {
    const JointRow& row = part_.joint_rows[k];
    rhs_[k] = -joint_velocity(row, a, b) - (with_bias ? joint_bias(part_, row) : 0.0);
  });
  joints_.solve_joints(rhs_, row_impulse_, 1, pool);
  for_rows([&](const JointBlock& joint, std::size_t k, Velocity& a, Velocity& b) {
    apply_joint_impulse(part_, joint, part_.joint_rows[k], row_impulse_[k], a, b);
  });
}

/// q: what contacts would see if they pushed nowhere.
void JointElimination::find_free_motion(ThreadPool* pool) {
  velocity_.resize(part_.bodies.size());
  for (std::size_t i = 0; i < velocity_.size(); ++i) velocity_[i] = free_velocity(part_, static_cast<std::int32_t>(i));
  respond(true, pool);
  for (Small& small : small_)
    for (int i = 0; i < small.contacts; ++i) {
      const ContactBlock& c = part_.contacts[to_index(small.contact[to_index(i)])];
      const std::array<double, 4> y = contact_velocity(c, velocity_[to_index(c.body_a)], velocity_[to_index(c.body_b)]);
      for (int k = 0; k < 3; ++k) small.q[to_index(3 * i + k)] = y[to_index(k)];
      small.q[to_index(3 * i)] += contact_bias(part_, c);
    }
}

/// A_c column by column: one of every island at the same time.
void JointElimination::find_matrices(ThreadPool* pool) {
  int most = 0;
  for (const Small& small : small_) most = std::max(most, small.contacts);
  for (int column = 0; column < 3 * most; ++column) {
    std::fill(velocity_.begin(), velocity_.end(), Velocity{});
    std::array<double, 4> unit{};
    unit[to_index(column % 3)] = 1;
    for (Small& small : small_) {
      if (column >= 3 * small.contacts) continue;
      const auto k = to_index(small.contact[to_index(column / 3)]);
      const ContactBlock& c = part_.contacts[k];
      apply_contact_impulse(part_, c, unit, velocity_[to_index(c.body_a)], velocity_[to_index(c.body_b)]);
      small.alone = contact_velocity(c, velocity_[to_index(c.body_a)], velocity_[to_index(c.body_b)])[0];
    }
    respond(false, pool);
    for (Small& small : small_)
      for (int i = 0; i < small.contacts && column < 3 * small.contacts; ++i) {
        const ContactBlock& c = part_.contacts[to_index(small.contact[to_index(i)])];
        const std::array<double, 4> y =
            contact_velocity(c, velocity_[to_index(c.body_a)], velocity_[to_index(c.body_b)]);
        for (int k = 0; k < 3; ++k) small.a[to_index((3 * i + k) * kRows + column)] = y[to_index(k)];
      }
    if (column % 3 != 0) continue;
    for (Small& small : small_) {
      const bool given = column < 3 * small.contacts;
      if (!given || small.a[to_index(column * (kRows + 1))] > kHeld * small.alone) continue;
      small.held = true;
      std::fill_n(small.impulse.begin() + column, 3, 0.0);
    }
  }
}

/// Contact impulses to the solution, and those that the joints then have.
void JointElimination::take_impulses(ThreadPool* pool, ContactSolution& solution) {
  for (std::size_t i = 0; i < velocity_.size(); ++i) velocity_[i] = free_velocity(part_, static_cast<std::int32_t>(i));
  for (const Small& small : small_)
    for (int i = 0; i < small.contacts; ++i) {
      const auto k = to_index(small.contact[to_index(i)]);
      const ContactBlock& c = part_.contacts[k];
      std::array<double, 4> impulse{};
      std::copy_n(small.impulse.begin() + 3 * i, 3, impulse.begin());
      apply_contact_impulse(part_, c, impulse, velocity_[to_index(c.body_a)], velocity_[to_index(c.body_b)]);
      solution.contact_impulse[to_index(contact_from_[k])] = impulse;
    }
  respond(true, pool);
  for (std::size_t k = 0; k < row_from_.size(); ++k)
    solution.joint_impulse[to_index(row_from_[k])] = std::isfinite(row_impulse_[k]) ? row_impulse_[k] : 0.0;
}

int JointElimination::run(const ContactProblem& problem, int most_contacts, ContactSolution& solution,
                          ThreadPool* pool) {
  if (problem.contacts.empty() || problem.joints.empty() || most_contacts <= 0) return 0;
  if (!pick_islands(problem, std::min(most_contacts, kMostEliminated), pool)) return 0;
  copy_parts(problem, solution);
  if (solution.contact_impulse.empty()) solution.contact_impulse.assign(problem.contacts.size(), {});
  if (solution.joint_impulse.empty()) solution.joint_impulse.assign(problem.joint_rows.size(), 0.0);
  joints_.prepare(part_, {}, pool);
  find_free_motion(pool);
  find_matrices(pool);
  int solved = 0;
  for (Small& small : small_) {
    if (small.held) continue;
    ++solved;
    solve_small(part_, small.contact.data(), small.contacts, small.a.data(), kRows, small.q.data(),
                small.impulse.data());
    const auto is_broken = [](double value) { return !std::isfinite(value); };
    if (std::any_of(small.impulse.begin(), small.impulse.end(), is_broken)) small.impulse.fill(0);
  }
  take_impulses(pool, solution);
  return solved;
}

}  // namespace cairn
