// SPDX-License-Identifier: MIT
// to_global: bodies and contacts as the matrices other programs read.
#include <fmt/core.h>

#include "cairn/core/index.h"
#include "cairn/problem/global_problem.h"

namespace cairn {

namespace {

struct Triplets {
  std::vector<std::int64_t> i, j;
  std::vector<double> x;

  void add(std::int64_t row, std::int64_t col, double value) {
    if (value == 0) return;
    i.push_back(row);
    j.push_back(col);
    x.push_back(value);
  }
};

/// First row of the three linear and the three angular velocities of a body; -1 for what an impulse cannot move.
struct BodyDofs {
  std::int64_t linear = -1;
  std::int64_t angular = -1;
};

std::string why_not(const ContactProblem& problem) {
  if (!problem.joints.empty()) return "it has joints";
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& c = problem.contacts[k];
    if (c.friction1 != c.friction2) return fmt::format("contact {} has unequal friction axes", k);
    if (c.spin_radius > 0) return fmt::format("contact {} has spin friction", k);
  }
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const SymMat3& inertia = problem.bodies[i].inverse_inertia;
    if (!(inertia == SymMat3{}) && !(determinant(inertia) > 0))
      return fmt::format("body {} turns about some axes only, so it has no mass matrix", i);
  }
  return "";
}

void add_vec(const Vec3& v, std::int64_t row, std::int64_t col, Triplets& to) {
  to.add(row, col, v.x);
  to.add(row + 1, col, v.y);
  to.add(row + 2, col, v.z);
}

std::vector<BodyDofs> number_dofs(const ContactProblem& problem, std::int64_t& count) {
  std::vector<BodyDofs> dofs(problem.bodies.size());
  for (std::size_t i = 0; i < dofs.size(); ++i) {
    const ProblemBody& body = problem.bodies[i];
    if (body.inverse_mass > 0) dofs[i].linear = count, count += 3;
    if (!(body.inverse_inertia == SymMat3{})) dofs[i].angular = count, count += 3;
  }
  return dofs;
}

/// M and f = M u_free.
void add_bodies(const ContactProblem& problem, const std::vector<BodyDofs>& dofs, GlobalProblem& to, Triplets& m) {
  const auto set = [&](std::int64_t row, const Vec3& v) {
    to.f[to_index(row)] = v.x;
    to.f[to_index(row) + 1] = v.y;
    to.f[to_index(row) + 2] = v.z;
  };
  for (std::size_t i = 0; i < dofs.size(); ++i) {
    const ProblemBody& body = problem.bodies[i];
    const Velocity free = free_velocity(problem, static_cast<std::int32_t>(i));
    if (dofs[i].linear >= 0) {
      const double mass = 1 / body.inverse_mass;
      for (std::int64_t k = 0; k < 3; ++k) m.add(dofs[i].linear + k, dofs[i].linear + k, mass);
      set(dofs[i].linear, mass * free.linear);
    }
    if (dofs[i].angular >= 0) {
      const SymMat3 inertia = inverse(body.inverse_inertia);
      const Vec3 columns[3] = {inertia * Vec3{1, 0, 0}, inertia * Vec3{0, 1, 0}, inertia * Vec3{0, 0, 1}};
      for (std::int64_t k = 0; k < 3; ++k) add_vec(columns[k], dofs[i].angular, dofs[i].angular + k, m);
      set(dofs[i].angular, inertia * free.angular);
    }
  }
}

/// Column by column J^T, and w: the bias, and what the velocities that no impulse changes give to the contact.
void add_contact(const ContactProblem& problem, const std::vector<BodyDofs>& dofs, std::size_t k, GlobalProblem& to,
                 Triplets& h) {
  const ContactBlock& c = problem.contacts[k];
  const Vec3 axes[3] = {c.normal, c.tangent1, c.tangent2};
  const auto fixed = [&](std::int32_t body) {
    Velocity v = free_velocity(problem, body);
    if (dofs[to_index(body)].linear >= 0) v.linear = {};
    if (dofs[to_index(body)].angular >= 0) v.angular = {};
    return v;
  };
  const std::array<double, 4> carried = contact_velocity(c, fixed(c.body_a), fixed(c.body_b));
  for (std::size_t row = 0; row < 3; ++row) {
    const auto col = static_cast<std::int64_t>(3 * k + row);
    const BodyDofs& a = dofs[to_index(c.body_a)];
    const BodyDofs& b = dofs[to_index(c.body_b)];
    if (a.linear >= 0) add_vec(-axes[row], a.linear, col, h);
    if (a.angular >= 0) add_vec(-cross(c.arm_a, axes[row]), a.angular, col, h);
    if (b.linear >= 0) add_vec(axes[row], b.linear, col, h);
    if (b.angular >= 0) add_vec(cross(c.arm_b, axes[row]), b.angular, col, h);
    to.w[3 * k + row] = carried[row] + (row == 0 ? contact_bias(problem, c) : 0.0);
  }
  to.mu[k] = c.friction1;
}

}  // namespace

Expected<GlobalProblem> to_global(const ContactProblem& problem) {
  validate(problem);
  const std::string reason = why_not(problem);
  if (!reason.empty()) return Error{ErrorKind::unsupported, "the problem has no standard global form: " + reason};
  std::int64_t count = 0;
  const std::vector<BodyDofs> dofs = number_dofs(problem, count);
  const std::size_t contacts = problem.contacts.size();
  GlobalProblem result;
  result.f.assign(to_index(count), 0.0);
  result.w.assign(3 * contacts, 0.0);
  result.mu.assign(contacts, 0.0);
  Triplets m, h;
  add_bodies(problem, dofs, result, m);
  for (std::size_t k = 0; k < contacts; ++k) add_contact(problem, dofs, k, result, h);
  result.m = from_triplets(count, count, m.i, m.j, m.x);
  result.h = from_triplets(count, static_cast<std::int64_t>(3 * contacts), h.i, h.j, h.x);
  return result;
}

}  // namespace cairn
