// SPDX-License-Identifier: MIT
#include "cairn/solvers/packed_problem.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::int64_t kContactGrain = 1024;
constexpr std::int64_t kBodyGrain = 4096;

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

template <int D>
void PackedProblem<D>::touch_bodies(const ContactProblem& problem, ThreadPool* pool) {
  touched_.reset(problem.bodies.size());
  const auto touch = [&](std::int32_t a, std::int32_t b) {
    touched_.raise(static_cast<std::size_t>(a));
    touched_.raise(static_cast<std::size_t>(b));
  };
  parallel_for(pool, static_cast<std::int64_t>(problem.contacts.size()), kContactGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k)
                   touch(problem.contacts[k].body_a, problem.contacts[k].body_b);
               });
  for (const JointBlock& joint : problem.joints) touch(joint.body_a, joint.body_b);
}

/// In the order of the bodies: blocks count theirs, the counts become first slots, the blocks number on from there.
template <int D>
void PackedProblem<D>::number_slots(const ContactProblem& problem, ThreadPool* pool) {
  const auto bodies = static_cast<std::int64_t>(problem.bodies.size());
  slot.resize(problem.bodies.size());
  block_slot_.assign(static_cast<std::size_t>((bodies + kBodyGrain - 1) / kBodyGrain + 1), 0);
  parallel_for(pool, bodies, kBodyGrain, [&](std::int64_t begin, std::int64_t end) {
    std::int32_t count = 0;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const bool has_slot = touched_.is_up(i) && problem.bodies[i].is_dynamic();
      slot[i] = has_slot ? count++ : kNoVertex;
    }
    block_slot_[static_cast<std::size_t>(begin / kBodyGrain) + 1] = count;
  });
  for (std::size_t i = 1; i < block_slot_.size(); ++i) block_slot_[i] += block_slot_[i - 1];
  mass.resize(static_cast<std::size_t>(block_slot_.back()));
  parallel_for(pool, bodies, kBodyGrain, [&](std::int64_t begin, std::int64_t end) {
    const std::int32_t first = block_slot_[static_cast<std::size_t>(begin / kBodyGrain)];
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      if (slot[i] == kNoVertex) continue;
      slot[i] += first;
      mass[static_cast<std::size_t>(slot[i])] = {problem.bodies[i].inverse_mass, problem.bodies[i].inverse_inertia};
    }
  });
}

/// Bodies that nothing touches cost nothing either: doc 000, section 3.8.2, asks for this "compressed" vector where
/// bodies outnumber contacts.
template <int D>
void PackedProblem<D>::pack_bodies(const ContactProblem& problem, ThreadPool* pool) {
  touch_bodies(problem, pool);
  number_slots(problem, pool);
  edges.resize(problem.contacts.size());
  parallel_for(pool, static_cast<std::int64_t>(edges.size()), kContactGrain, [&](std::int64_t begin, std::int64_t end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      const ContactBlock& c = problem.contacts[k];
      edges[k] = {slot[static_cast<std::size_t>(c.body_a)], slot[static_cast<std::size_t>(c.body_b)]};
    }
  });
}

template <int D>
void PackedProblem<D>::count_sharing() {
  shared_by_.assign(mass.size(), 0);
  for (const Edge& edge : edges)
    for (const std::int32_t s : {edge.a, edge.b})
      if (s != kNoVertex) ++shared_by_[static_cast<std::size_t>(s)];
}

template <int D>
void PackedProblem<D>::pack_contacts(const ContactProblem& problem, const ProxSettings& settings,
                                     std::span<const std::int32_t> order, ThreadPool* pool) {
  const bool divide = settings.order == SweepOrder::jacobi && settings.r_factor == RFactor::local;
  if (divide) count_sharing();
  // The largest number of contacts on one of a contact's bodies: what Jacobi divides its steps by (prox_step.h).
  const auto sharing_of = [&](const Edge& edge) {
    double sharing = 1;
    for (const std::int32_t s : {edge.a, edge.b})
      if (s != kNoVertex) sharing = std::max<double>(sharing, shared_by_[static_cast<std::size_t>(s)]);
    return sharing;
  };
  contacts.resize(problem.contacts.size());
  const bool isotropic = parallel_reduce(
      pool, static_cast<std::int64_t>(order.size()), kContactGrain, true,
      [&](std::int64_t begin, std::int64_t end) {
        bool equal_axes = true;
        for (std::int64_t i = begin; i < end; ++i) {
          const auto k = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
          const ContactBlock& from = problem.contacts[k];
          PackedContact<D>& to = contacts[static_cast<std::size_t>(i)];
          pack_contact<D>(problem, from, edges[k], to);
          double block[D * D];
          contact_diagonal_block(problem, from, D, block);
          to.r = local_r<D>(block, settings.relaxation, divide ? sharing_of(edges[k]) : 1.0);
          equal_axes = equal_axes && from.friction1 == from.friction2;
        }
        return equal_axes;
      },
      [](bool a, bool b) { return a && b; });
  set = choose_set(settings.friction, D, isotropic);
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
  return contacts.size() * sizeof(PackedContact<D>) + mass.size() * sizeof(BodyMass) + edges.size() * sizeof(Edge) +
         slot.size() * sizeof(std::int32_t) + rows.size() * sizeof(PackedRow);
}

template struct PackedProblem<3>;
template struct PackedProblem<4>;

}  // namespace cairn
