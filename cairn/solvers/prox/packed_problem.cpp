// SPDX-License-Identifier: MIT
#include "cairn/solvers/prox/packed_problem.h"

#include <algorithm>
#include <utility>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::int64_t kContactGrain = 1024;
constexpr std::int64_t kBodyGrain = 4096;

/// Everything but r.
template <int D>
void pack_contact(const ContactProblem& problem, const ContactBlock& from, std::span<const Velocity> free,
                  const Edge& edge, PackedContact<D>& to) {
  to.normal = from.normal, to.tangent1 = from.tangent1, to.tangent2 = from.tangent2;
  to.arm_a = from.arm_a, to.arm_b = from.arm_b;
  to.a = edge.a, to.b = edge.b;
  std::array<double, 4> bias = contact_velocity(from, free[to_index(from.body_a)], free[to_index(from.body_b)]);
  bias[0] += contact_bias(problem, from);
  std::copy_n(bias.begin(), D, to.bias);
  const FrictionAxes mu = friction_axes(from);
  const double axes[3] = {mu.s, mu.t, mu.spin};
  std::copy_n(axes, D - 1, to.mu);
  if constexpr (D == 4) to.radius = from.spin_radius;
}

/// What a unit impulse (force part p, torque part) at a contact does to the velocity there of one of its bodies.
struct PointResponse {
  Vec3 at_point, angular;
};
PointResponse respond(const BodyMass& mass, const Vec3& arm, const Vec3& p, const Vec3& torque) {
  const Vec3 angular = mass.inverse_inertia * (cross(arm, p) + torque);
  return {mass.inverse_mass * p + cross(angular, arm), angular};
}

/// The same contact seen from its other side: the impulse keeps its entries.
ContactBlock turned_round(const ContactBlock& c) {
  ContactBlock turned = c;
  turned.body_a = c.body_b, turned.body_b = c.body_a;
  turned.normal = -c.normal, turned.tangent1 = -c.tangent1, turned.tangent2 = -c.tangent2;
  turned.arm_a = c.arm_b, turned.arm_b = c.arm_a;
  return turned;
}

}  // namespace

template <int D>
void packed_diagonal(const PackedContact<D>& c, const BodyMass* mass_a, const BodyMass* mass_b, double* block) {
  const Vec3* const axes[3] = {&c.normal, &c.tangent1, &c.tangent2};
  for (int column = 0; column < D; ++column) {
    const Vec3 p = column < 3 ? *axes[column] : Vec3{};
    Vec3 torque;
    if constexpr (D == 4) torque = column == 3 ? c.radius * c.normal : Vec3{};
    Vec3 relative, spin;
    for (const auto& [mass, arm] : {std::pair{mass_b, &c.arm_b}, std::pair{mass_a, &c.arm_a}}) {
      if (mass == nullptr) continue;
      const PointResponse mine = respond(*mass, *arm, p, torque);
      relative += mine.at_point;  // a gets the opposite and counts negative
      spin += mine.angular;
    }
    if (column == 0) {
      block[0] = dot(c.normal, relative);
      continue;
    }
    block[D + column] = dot(c.tangent1, relative);
    block[2 * D + column] = dot(c.tangent2, relative);
    if constexpr (D == 4) block[3 * D + column] = c.radius * dot(c.normal, spin);
  }
}

double row_stiffness(const PackedRow& packed, const BodyMass* mass_a, const BodyMass* mass_b) {
  const JointRow& row = packed.row;
  const auto of_body = [](const BodyMass* mass, const Vec3& linear, const Vec3& angular) {
    if (mass == nullptr) return 0.0;
    return mass->inverse_mass * dot(linear, linear) + dot(angular, mass->inverse_inertia * angular);
  };
  return of_body(mass_a, row.linear_a, row.angular_a) + of_body(mass_b, row.linear_b, row.angular_b) + packed.softness;
}

/// Leaves the bodies of each contact in `edges`: the next pass over them reads a twentieth of the memory.
template <int D>
void PackedProblem<D>::touch_bodies(const ContactProblem& problem, ThreadPool* pool) {
  touched_.reset(problem.bodies.size());
  edges.resize(problem.contacts.size());
  const auto touch = [&](std::int32_t a, std::int32_t b) {
    touched_.raise(to_index(a));
    touched_.raise(to_index(b));
  };
  for_each_index(pool, problem.contacts.size(), kContactGrain, [&](std::size_t k) {
    edges[k] = {problem.contacts[k].body_a, problem.contacts[k].body_b};
    touch(edges[k].a, edges[k].b);
  });
  for (const JointBlock& joint : problem.joints) touch(joint.body_a, joint.body_b);
}

/// In the order of the bodies: blocks count theirs, the counts become first slots, the blocks number on from there.
template <int D>
void PackedProblem<D>::number_slots(const ContactProblem& problem, ThreadPool* pool) {
  const auto bodies = static_cast<std::int64_t>(problem.bodies.size());
  slot.resize(problem.bodies.size());
  free_.resize(problem.bodies.size());
  block_slot_.assign(to_index((bodies + kBodyGrain - 1) / kBodyGrain + 1), 0);
  parallel_for(pool, bodies, kBodyGrain, [&](std::int64_t begin, std::int64_t end) {
    std::int32_t count = 0;
    for (auto i = to_index(begin); i < to_index(end); ++i) {
      if (!touched_.is_up(i)) {
        slot[i] = kNoVertex;
        continue;
      }
      slot[i] = problem.bodies[i].is_dynamic() ? count++ : kNoVertex;
      free_[i] = free_velocity(problem, static_cast<std::int32_t>(i));
    }
    block_slot_[to_index(begin / kBodyGrain) + 1] = count;
  });
  for (std::size_t i = 1; i < block_slot_.size(); ++i) block_slot_[i] += block_slot_[i - 1];
  mass.resize(to_index(block_slot_.back()));
  parallel_for(pool, bodies, kBodyGrain, [&](std::int64_t begin, std::int64_t end) {
    const std::int32_t first = block_slot_[to_index(begin / kBodyGrain)];
    for (auto i = to_index(begin); i < to_index(end); ++i) {
      if (slot[i] == kNoVertex) continue;
      slot[i] += first;
      mass[to_index(slot[i])] = {problem.bodies[i].inverse_mass, problem.bodies[i].inverse_inertia};
    }
  });
}

/// Bodies that nothing touches cost nothing either: Poulsen 2010, section 3.8.2, asks for this "compressed" vector
/// where bodies outnumber contacts.
template <int D>
void PackedProblem<D>::pack_bodies(const ContactProblem& problem, ThreadPool* pool) {
  touch_bodies(problem, pool);
  number_slots(problem, pool);
  for_each_index(pool, edges.size(), kContactGrain, [&](std::size_t k) {
    edges[k] = {slot[to_index(edges[k].a)], slot[to_index(edges[k].b)]};
  });
}

template <int D>
void PackedProblem<D>::count_sharing() {
  shared_by_.assign(mass.size(), 0);
  for (const Edge& edge : edges)
    for (const std::int32_t s : {edge.a, edge.b})
      if (s != kNoVertex) ++shared_by_[to_index(s)];
}

template <int D>
void PackedProblem<D>::pack_contacts(const ContactProblem& problem, const ProxSettings& settings,
                                     std::span<const std::int32_t> order, ThreadPool* pool, BodyOrder body_order) {
  const bool divide = settings.order == SweepOrder::jacobi && settings.r_factor == RFactor::local;
  if (divide) count_sharing();
  // The largest number of contacts on one of a contact's bodies: what Jacobi divides its steps by (prox_step.h).
  const auto sharing_of = [&](const Edge& edge) {
    double sharing = 1;
    for (const std::int32_t s : {edge.a, edge.b})
      if (s != kNoVertex) sharing = std::max<double>(sharing, shared_by_[to_index(s)]);
    return sharing;
  };
  contacts.resize(problem.contacts.size());
  const bool isotropic = parallel_reduce(
      pool, static_cast<std::int64_t>(order.size()), kContactGrain, true,
      [&](std::int64_t begin, std::int64_t end) {
        bool equal_axes = true;
        for (std::int64_t i = begin; i < end; ++i) {
          const auto k = to_index(order[to_index(i)]);
          const ContactBlock& from = problem.contacts[k];
          PackedContact<D>& to = contacts[to_index(i)];
          if (body_order == BodyOrder::ascending && from.body_a > from.body_b)
            pack_contact<D>(problem, turned_round(from), free_, {edges[k].b, edges[k].a}, to);
          else
            pack_contact<D>(problem, from, free_, edges[k], to);
          double block[D * D];
          packed_diagonal<D>(to, mass_of(to.a), mass_of(to.b), block);
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
      PackedRow& packed = rows[to_index(k)];
      packed.row = problem.joint_rows[to_index(k)];
      packed.a = slot[to_index(joint.body_a)];
      packed.b = slot[to_index(joint.body_b)];
      packed.softness = joint_softness(problem, packed.row);
      packed.bias = joint_bias(problem, packed.row) + joint_velocity(packed.row, free_velocity(problem, joint.body_a),
                                                                     free_velocity(problem, joint.body_b));
      Velocity a, b;
      apply_joint_impulse(problem, joint, packed.row, 1.0, a, b);
      const double stiffness = joint_velocity(packed.row, a, b) + packed.softness;
      const bool acts = packed.softness > 0 || moves_bodies(problem.bodies[to_index(joint.body_a)],
                                                            problem.bodies[to_index(joint.body_b)], packed.row);
      packed.r = acts && stiffness > 0 ? settings.relaxation / stiffness : 0.0;
    }
  }
}

template <int D>
void PackedProblem<D>::project(std::span<double> lambda, ThreadPool* pool) const {
  parallel_for(pool, static_cast<std::int64_t>(contacts.size()), kContactGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t k = begin; k < end; ++k)
                   project_contact<D>(set, contacts[to_index(k)].axes(), lambda.data() + k * D);
               });
  for (std::size_t k = 0; k < rows.size(); ++k) {
    double& value = lambda[contacts.size() * D + k];
    value = std::clamp(rows[k].r > 0 ? value : 0.0, rows[k].row.lower, rows[k].row.upper);
  }
}

template <int D>
void PackedProblem<D>::scale_r(double nu) {
  for (PackedContact<D>& c : contacts) c.r = {nu * c.r.normal, nu * c.r.friction};
  for (PackedRow& row : rows) row.r *= nu;
}

template <int D>
void PackedProblem<D>::weights(std::span<double> weight) const {
  const auto inverse = [](double r) { return r > 0 ? 1 / r : 0.0; };
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    weight[k * D] = inverse(contacts[k].r.normal);
    for (int i = 1; i < D; ++i) weight[k * D + to_index(i)] = inverse(contacts[k].r.friction);
  }
  for (std::size_t k = 0; k < rows.size(); ++k) weight[contacts.size() * D + k] = inverse(rows[k].r);
}

template <int D>
void PackedProblem<D>::add_states(std::span<const BodyState> w, std::span<Velocity> velocity, ThreadPool* pool) const {
  for_each_index(pool, velocity.size(), kBodyGrain, [&](std::size_t i) {
    if (slot[i] == kNoVertex) return;
    velocity[i].linear += w[to_index(slot[i])].linear;
    velocity[i].angular += w[to_index(slot[i])].angular;
  });
}

template <int D>
std::size_t PackedProblem<D>::bytes() const {
  return contacts.size() * sizeof(PackedContact<D>) + mass.size() * sizeof(BodyMass) + edges.size() * sizeof(Edge) +
         slot.size() * sizeof(std::int32_t) + rows.size() * sizeof(PackedRow);
}

template void packed_diagonal<3>(const PackedContact<3>&, const BodyMass*, const BodyMass*, double*);
template void packed_diagonal<4>(const PackedContact<4>&, const BodyMass*, const BodyMass*, double*);
template struct PackedProblem<3>;
template struct PackedProblem<4>;

}  // namespace cairn
