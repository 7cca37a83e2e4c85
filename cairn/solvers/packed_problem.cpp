// SPDX-License-Identifier: MIT
#include "cairn/solvers/packed_problem.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::int64_t kContactGrain = 1024;

/// The largest number of contacts on one of a contact's bodies: what Jacobi divides its steps by (prox_step.h).
std::vector<double> sharing_of(std::span<const Edge> edges, std::size_t slots) {
  std::vector<std::int32_t> count(slots, 0);
  for (const Edge& edge : edges)
    for (const std::int32_t slot : {edge.a, edge.b})
      if (slot != kNoVertex) ++count[static_cast<std::size_t>(slot)];
  std::vector<double> sharing(edges.size(), 1.0);
  for (std::size_t k = 0; k < edges.size(); ++k)
    for (const std::int32_t slot : {edges[k].a, edges[k].b})
      if (slot != kNoVertex) sharing[k] = std::max<double>(sharing[k], count[static_cast<std::size_t>(slot)]);
  return sharing;
}

template <int D>
void pack_contact(const ContactProblem& problem, const ContactBlock& from, const Edge& edge, PackedContact<D>& to) {
  to.normal = from.normal, to.tangent1 = from.tangent1, to.tangent2 = from.tangent2;
  to.arm_a = from.arm_a, to.arm_b = from.arm_b;
  to.a = edge.a, to.b = edge.b;
  std::array<double, 4> bias =
      contact_velocity(from, free_velocity(problem, from.body_a), free_velocity(problem, from.body_b));
  bias[0] += contact_bias(problem, from);
  std::copy_n(bias.begin(), D, to.bias);
  const FrictionAxes mu = friction_axes(from);
  const double axes[3] = {mu.s, mu.t, mu.spin};
  std::copy_n(axes, D - 1, to.mu);
  if constexpr (D == 4) to.radius = from.spin_radius;
}

}  // namespace

/// In the order of the bodies. Bodies that nothing touches cost nothing either: doc 000, section 3.8.2, asks for this
/// "compressed" vector where bodies outnumber contacts.
template <int D>
void PackedProblem<D>::pack_bodies(const ContactProblem& problem) {
  std::vector<bool> touched(problem.bodies.size(), false);
  const auto touch = [&](std::int32_t a, std::int32_t b) {
    touched[static_cast<std::size_t>(a)] = touched[static_cast<std::size_t>(b)] = true;
  };
  for (const ContactBlock& c : problem.contacts) touch(c.body_a, c.body_b);
  for (const JointBlock& joint : problem.joints) touch(joint.body_a, joint.body_b);
  slot.assign(problem.bodies.size(), kNoVertex);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& body = problem.bodies[i];
    if (!touched[i] || !body.is_dynamic()) continue;
    slot[i] = static_cast<std::int32_t>(mass.size());
    mass.push_back({body.inverse_mass, body.inverse_inertia});
  }
  edges.reserve(problem.contacts.size());
  for (const ContactBlock& c : problem.contacts)
    edges.push_back({slot[static_cast<std::size_t>(c.body_a)], slot[static_cast<std::size_t>(c.body_b)]});
}

template <int D>
void PackedProblem<D>::pack_contacts(const ContactProblem& problem, const ProxSettings& settings,
                                     std::span<const std::int32_t> order, ThreadPool* pool) {
  const bool isotropic = std::all_of(problem.contacts.begin(), problem.contacts.end(),
                                     [](const ContactBlock& c) { return c.friction1 == c.friction2; });
  set = choose_set(settings.friction, D, isotropic);
  const bool divide = settings.order == SweepOrder::jacobi && settings.r_factor == RFactor::local;
  const std::vector<double> sharing = divide ? sharing_of(edges, mass.size()) : std::vector<double>{};
  contacts.resize(problem.contacts.size());
  parallel_for(pool, static_cast<std::int64_t>(order.size()), kContactGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto k = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
      PackedContact<D>& to = contacts[static_cast<std::size_t>(i)];
      pack_contact<D>(problem, problem.contacts[k], edges[k], to);
      double block[D * D];
      contact_diagonal_block(problem, problem.contacts[k], D, block);
      to.r = local_r<D>(block, settings.relaxation, divide ? sharing[k] : 1.0);
    }
  });
}

template <int D>
void PackedProblem<D>::pack_joints(const ContactProblem& problem, const ProxSettings& settings) {
  rows.resize(problem.joint_rows.size());
  for (const JointBlock& joint : problem.joints) {
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
      PackedRow& packed = rows[static_cast<std::size_t>(k)];
      packed.row = problem.joint_rows[static_cast<std::size_t>(k)];
      packed.a = slot[static_cast<std::size_t>(joint.body_a)];
      packed.b = slot[static_cast<std::size_t>(joint.body_b)];
      packed.softness = joint_softness(problem, packed.row);
      packed.bias = joint_bias(problem, packed.row) + joint_velocity(packed.row, free_velocity(problem, joint.body_a),
                                                                     free_velocity(problem, joint.body_b));
      Velocity a, b;
      apply_joint_impulse(problem, joint, packed.row, 1.0, a, b);
      const double stiffness = joint_velocity(packed.row, a, b) + packed.softness;
      packed.r = stiffness > 0 ? settings.relaxation / stiffness : 0.0;
    }
  }
}

template <int D>
std::size_t PackedProblem<D>::bytes() const {
  return contacts.capacity() * sizeof(PackedContact<D>) + mass.capacity() * sizeof(BodyMass) +
         edges.capacity() * sizeof(Edge) + slot.capacity() * sizeof(std::int32_t) + rows.capacity() * sizeof(PackedRow);
}

template struct PackedProblem<3>;
template struct PackedProblem<4>;

}  // namespace cairn
