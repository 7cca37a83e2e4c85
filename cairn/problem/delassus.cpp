// SPDX-License-Identifier: MIT
// Assembly: for contact i, the contacts j that share a dynamic body, ascending; W_ij = sum over shared bodies of
// J_i M^-1 J_j^T. Rows are independent, so they are filled in parallel with the same bits for any pool.
#include "cairn/problem/delassus.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/problem/sparse_matrix.h"

namespace cairn {

namespace {

constexpr std::int64_t kRowGrain = 1024;

/// Contacts of each body, ascending: contacts[start[b] .. start[b+1]).
struct BodyContacts {
  std::vector<std::int64_t> start;
  std::vector<std::int32_t> contact;
};

template <class Counts>
BodyContacts contacts_by_body(const ContactProblem& problem, Counts&& counts) {
  BodyContacts lists;
  lists.start.assign(problem.bodies.size() + 1, 0);
  const auto for_each = [&](auto&& use) {
    for (std::size_t k = 0; k < problem.contacts.size(); ++k)
      for (const std::int32_t body : {problem.contacts[k].body_a, problem.contacts[k].body_b})
        if (counts(body)) use(to_index(body), static_cast<std::int32_t>(k));
  };
  for_each([&](std::size_t body, std::int32_t) { ++lists.start[body + 1]; });
  for (std::size_t b = 0; b < problem.bodies.size(); ++b) lists.start[b + 1] += lists.start[b];
  lists.contact.resize(to_index(lists.start.back()));
  std::vector<std::int64_t> fill(lists.start.begin(), lists.start.end() - 1);
  for_each([&](std::size_t body, std::int32_t k) { lists.contact[to_index(fill[body]++)] = k; });
  return lists;
}

/// Calls use(j) for every contact j that shares a listed body with contact k, ascending and once each.
template <class Use>
void for_each_neighbour(const BodyContacts& lists, const ContactBlock& c, Use&& use) {
  const auto begin_of = [&](std::int32_t b) { return lists.start[to_index(b)]; };
  std::int64_t i = begin_of(c.body_a), i_end = begin_of(c.body_a + 1);
  std::int64_t j = begin_of(c.body_b), j_end = begin_of(c.body_b + 1);
  while (i < i_end || j < j_end) {
    const std::int32_t a = i < i_end ? lists.contact[to_index(i)] : INT32_MAX;
    const std::int32_t b = j < j_end ? lists.contact[to_index(j)] : INT32_MAX;
    use(std::min(a, b));
    i += a <= b ? 1 : 0;
    j += b <= a ? 1 : 0;
  }
}

std::int64_t count_neighbours(const ContactProblem& problem, const BodyContacts& lists) {
  std::int64_t count = 0;
  for (const ContactBlock& c : problem.contacts) for_each_neighbour(lists, c, [&](std::int32_t) { ++count; });
  return count;
}

/// The rows of J_k for one of its bodies: linear and angular part of (n, s, t, spin), with the sign of the body.
struct BodyRows {
  Vec3 linear[4], angular[4];
};

BodyRows rows_for(const ContactBlock& c, std::int32_t body) {
  const double sign = body == c.body_b ? 1.0 : -1.0;
  const Vec3& arm = body == c.body_b ? c.arm_b : c.arm_a;
  const Vec3 axes[3] = {c.normal, c.tangent1, c.tangent2};
  BodyRows rows;
  for (int i = 0; i < 3; ++i) {
    rows.linear[i] = sign * axes[i];
    rows.angular[i] = sign * cross(arm, axes[i]);
  }
  rows.linear[3] = {};
  rows.angular[3] = sign * c.spin_radius * c.normal;
  return rows;
}

/// block += J_i M^-1 J_j^T of one shared body.
void add_coupling(const ProblemBody& body, const BodyRows& i, const BodyRows& j, int dim, double* block) {
  for (int col = 0; col < dim; ++col) {
    const Vec3 linear = body.inverse_mass * j.linear[col];
    const Vec3 angular = body.inverse_inertia * j.angular[col];
    for (int row = 0; row < dim; ++row)
      block[row * dim + col] += dot(i.linear[row], linear) + dot(i.angular[row], angular);
  }
}

void fill_row(const ContactProblem& problem, std::int64_t k, BlockSparse& w) {
  const ContactBlock& c = problem.contacts[to_index(k)];
  for (const std::int32_t body_index : {c.body_a, c.body_b}) {
    const ProblemBody& body = problem.bodies[to_index(body_index)];
    if (!body.is_dynamic()) continue;
    const BodyRows mine = rows_for(c, body_index);
    for (std::int64_t e = w.row_start[to_index(k)]; e < w.row_start[to_index(k) + 1]; ++e) {
      const ContactBlock& other = problem.contacts[to_index(w.column[to_index(e)])];
      if (other.body_a != body_index && other.body_b != body_index) continue;
      add_coupling(body, mine, rows_for(other, body_index), w.dim, w.block(e));
    }
  }
}

}  // namespace

void validate(const DelassusProblem& problem) {
  const auto contacts = to_index(problem.contact_count());
  const auto dim = to_index(problem.dim());
  require(dim >= 2 && dim <= 4, "block dimension must be 2, 3 or 4");
  require(problem.w.rows() == problem.contact_count() && problem.q.size() == contacts * dim,
          "W, q and friction must have one block per contact");
  validate_pattern(problem.w);
  constexpr double kLargestEntry = 1e100;  // squares stay finite
  for (const double value : problem.w.values)
    require(std::fabs(value) <= kLargestEntry, "every entry of W must be finite and at most 1e100");
  for (const double value : problem.q)
    require(std::fabs(value) <= kLargestEntry, "every entry of q must be finite and at most 1e100");
  for (std::size_t k = 0; k < contacts; ++k) {
    const FrictionAxes& mu = problem.friction[k];
    if (!(mu.s >= 0 && mu.t >= 0 && mu.spin >= 0) || !std::isfinite(mu.s + mu.t + mu.spin))
      fail_input(fmt::format("contact {}: friction must be finite and not negative", k));
  }
}

DelassusProblem to_delassus(const ContactProblem& problem, ThreadPool* pool) {
  if (!problem.joints.empty())
    fail_input("a problem with joints has no assembled form: use a solver with operator=factorised",
               ErrorKind::unsupported);
  const auto contacts = static_cast<std::int64_t>(problem.contacts.size());
  const BodyContacts lists =
      contacts_by_body(problem, [&](std::int32_t b) { return problem.bodies[to_index(b)].is_dynamic(); });

  DelassusProblem result;
  BlockSparse& w = result.w;
  w.dim = contact_rows(problem);
  w.row_start.assign(to_index(contacts) + 1, 0);
  w.diagonal.resize(to_index(contacts));
  const auto touches_dynamic = [&](const ContactBlock& c) {
    return problem.bodies[to_index(c.body_a)].is_dynamic() || problem.bodies[to_index(c.body_b)].is_dynamic();
  };
  for (std::int64_t k = 0; k < contacts; ++k) {
    const ContactBlock& c = problem.contacts[to_index(k)];
    w.diagonal[to_index(k)] = static_cast<std::int64_t>(w.column.size());
    if (!touches_dynamic(c)) w.column.push_back(static_cast<std::int32_t>(k));  // a zero block keeps the row complete
    for_each_neighbour(lists, c, [&](std::int32_t j) {
      if (j == k) w.diagonal[to_index(k)] = static_cast<std::int64_t>(w.column.size());
      w.column.push_back(j);
    });
    w.row_start[to_index(k) + 1] = static_cast<std::int64_t>(w.column.size());
  }
  w.values.assign(w.column.size() * to_index(w.dim * w.dim), 0.0);
  result.q.resize(to_index(contacts * w.dim));
  result.friction.resize(to_index(contacts));
  parallel_for(pool, contacts, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const ContactBlock& c = problem.contacts[to_index(k)];
      fill_row(problem, k, w);
      std::array<double, 4> q = contact_velocity(c, free_velocity(problem, c.body_a), free_velocity(problem, c.body_b));
      q[0] += contact_bias(problem, c);
      std::copy_n(q.begin(), w.dim, result.q.begin() + k * w.dim);
      result.friction[to_index(k)] = friction_axes(c);
    }
  });
  return result;
}

BlockCounts count_blocks(const ContactProblem& problem) {
  const BodyContacts dynamic =
      contacts_by_body(problem, [&](std::int32_t b) { return problem.bodies[to_index(b)].is_dynamic(); });
  BlockCounts counts;
  counts.static_aware = count_neighbours(problem, dynamic);
  // A static body with m contacts adds m^2 ordered pairs; pairs that share a dynamic body as well are already there.
  const BodyContacts all = contacts_by_body(problem, [](std::int32_t) { return true; });
  counts.ground_as_body = 0;
  for (std::size_t b = 0; b < problem.bodies.size(); ++b) {
    if (problem.bodies[b].is_dynamic()) continue;
    const std::int64_t m = all.start[b + 1] - all.start[b];
    counts.ground_as_body += m * m;
    for (std::int64_t i = all.start[b]; i < all.start[b + 1]; ++i) {
      const ContactBlock& c = problem.contacts[to_index(all.contact[to_index(i)])];
      for_each_neighbour(dynamic, c, [&](std::int32_t j) {
        const ContactBlock& other = problem.contacts[to_index(j)];
        const auto body = static_cast<std::int32_t>(b);
        if (other.body_a == body || other.body_b == body) --counts.ground_as_body;
      });
    }
  }
  counts.ground_as_body += counts.static_aware;
  return counts;
}

void scatter_impulses(const ContactProblem& problem, const DelassusSolution& from, ContactSolution& to) {
  const std::size_t contacts = problem.contacts.size();
  const std::size_t dim = contacts == 0 ? 3 : from.impulse.size() / contacts;
  to.contact_impulse.assign(contacts, {0, 0, 0, 0});
  for (std::size_t k = 0; k < contacts; ++k)
    std::copy_n(from.impulse.begin() + static_cast<std::ptrdiff_t>(k * dim), dim, to.contact_impulse[k].begin());
  to.joint_impulse.assign(problem.joint_rows.size(), 0.0);
  to.velocity = velocities_from_impulses(problem, to);
  to.displacement.resize(to.velocity.size());
  for (std::size_t i = 0; i < to.velocity.size(); ++i)
    to.displacement[i] = {problem.dt * to.velocity[i].linear, problem.dt * to.velocity[i].angular};
}

void gather_impulses(const ContactProblem& problem, const ContactSolution& from, int dim, DelassusSolution& to) {
  to.impulse.assign(problem.contacts.size() * to_index(dim), 0.0);
  for (std::size_t k = 0; k < from.contact_impulse.size(); ++k)
    std::copy_n(from.contact_impulse[k].begin(), dim,
                to.impulse.begin() + static_cast<std::ptrdiff_t>(k * to_index(dim)));
}

}  // namespace cairn
