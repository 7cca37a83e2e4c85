// SPDX-License-Identifier: MIT
// PackedProblem: a ContactProblem laid out for factorised sweeps, and the two formulas at their heart.
//
//   y_k = J_k w + b_k                  packed_velocity
//   w <- w + M^-1 J_k^T dlambda_k      apply_impulse            Poulsen 2010, (3.18), (3.19)
//
// Contacts are packed in schedule order, 184 bytes each, with the frame and the arms instead of rows of J (the angular
// rows are arm x axis: fewer bytes and fewer flops than reading them). Bodies that cannot move, or that nothing
// touches, have no slot: they are never read or written.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/graph/edges.h"
#include "cairn/problem/contact_problem.h"
#include "cairn/solvers/prox/prox_step.h"

namespace cairn {

/// Velocity change of a body by all impulses: its part of w = M^-1 J^T lambda. One cache line.
struct alignas(64) BodyState {
  Vec3 linear;
  double unused_a = 0;
  Vec3 angular;
  double unused_b = 0;
};

static_assert(sizeof(BodyState) == 8 * sizeof(double) && std::is_trivially_copyable_v<BodyState>);
/// The states as numbers, the unused ones included.
inline std::span<double> as_numbers(std::vector<BodyState>& states) {
  return {reinterpret_cast<double*>(states.data()), states.size() * (sizeof(BodyState) / sizeof(double))};
}

struct alignas(64) BodyMass {
  double inverse_mass = 0;
  SymMat3 inverse_inertia;
};

/// Only contacts with a spin row have a patch radius.
template <int D>
struct SpinPart {};
template <>
struct SpinPart<4> {
  double radius = 0;
};

template <int D>
struct PackedContact : SpinPart<D> {
  Vec3 normal, tangent1, tangent2;
  Vec3 arm_a, arm_b;
  double bias[D];  ///< b_k: J u_free, gap and restitution; motion of bodies that cannot be moved is in here
  ContactR r;
  double mu[D - 1];
  std::int32_t a = kNoVertex, b = kNoVertex;  ///< slots of the bodies

  FrictionAxes axes() const {
    if constexpr (D == 4) return {mu[0], mu[1], mu[2]};
    return {mu[0], mu[1], 0};
  }
};

/// A joint row with the slots of its bodies.
struct PackedRow {
  JointRow row;
  double bias = 0, softness = 0, r = 0;
  std::int32_t a = kNoVertex, b = kNoVertex;
};

/// The entries of J_k M^-1 J_k^T that local_r reads: the normal one and the friction block; the others are left out,
/// which is why this is not contact_diagonal_block. Null: a body that cannot move and adds nothing.
template <int D>
void packed_diagonal(const PackedContact<D>& c, const BodyMass* mass_a, const BodyMass* mass_b, double* block);

/// J_i M^-1 J_i^T + G_i of a joint row.
double row_stiffness(const PackedRow& packed, const BodyMass* mass_a, const BodyMass* mass_b);

/// One flag per body that threads may raise at the same time.
class TouchedFlags {
 public:
  /// `size` flags, all down.
  void reset(std::size_t size) {
    if (size > capacity_) flags_ = std::make_unique<std::atomic<bool>[]>(capacity_ = size);
    for (std::size_t i = 0; i < size; ++i) flags_[i].store(false, std::memory_order_relaxed);
  }
  void raise(std::size_t i) {  // read first: a line that many threads write to is slow
    if (!is_up(i)) flags_[i].store(true, std::memory_order_relaxed);
  }
  bool is_up(std::size_t i) const { return flags_[i].load(std::memory_order_relaxed); }

 private:
  std::unique_ptr<std::atomic<bool>[]> flags_;
  std::size_t capacity_ = 0;
};

/// Whether contacts are packed with their bodies as given, or seen from the body with the lower index.
enum class BodyOrder { as_given, ascending };

/// Filled by the three pack functions in turn, for one problem after the other; the memory is kept.
template <int D>
struct PackedProblem {
  std::vector<std::int32_t> slot;          ///< per body of the problem; kNoVertex if it has none
  std::vector<Edge> edges;                 ///< per contact of the problem: the slots of its bodies
  std::vector<BodyMass> mass;              ///< per slot
  std::vector<PackedContact<D>> contacts;  ///< in schedule order
  std::vector<PackedRow> rows;             ///< joint rows, in the order of the problem
  FrictionSet set = FrictionSet::disc;     ///< what friction is projected on

  /// Slots, masses and edges: what a schedule is made from.
  void pack_bodies(const ContactProblem& problem, ThreadPool* pool);
  /// Contacts in the given order, with their r-factors.
  void pack_contacts(const ContactProblem& problem, const ProxSettings& settings, std::span<const std::int32_t> order,
                     ThreadPool* pool, BodyOrder body_order = BodyOrder::as_given);
  void pack_joints(const ContactProblem& problem, const ProxSettings& settings);

  /// Null for a body that cannot move.
  const BodyMass* mass_of(std::int32_t body_slot) const {
    return body_slot != kNoVertex ? mass.data() + body_slot : nullptr;
  }

  std::size_t size() const { return contacts.size() * D + rows.size(); }  ///< length of lambda

  /// What a Sweep is asked about lambda, R and w; see there.
  void project(std::span<double> lambda, ThreadPool* pool) const;
  void scale_r(double nu);
  void weights(std::span<double> weight) const;
  void add_states(std::span<const BodyState> w, std::span<Velocity> velocity, ThreadPool* pool) const;

  std::size_t bytes() const;

 private:
  void touch_bodies(const ContactProblem& problem, ThreadPool* pool);
  void number_slots(const ContactProblem& problem, ThreadPool* pool);
  void count_sharing();

  TouchedFlags touched_;                  ///< per body of the problem: has a contact or a joint
  std::vector<Velocity> free_;            ///< per body of the problem that is touched: velocity without impulses
  std::vector<std::int32_t> block_slot_;  ///< per block of bodies: its first slot
  std::vector<std::int32_t> shared_by_;   ///< per slot: its contacts, where Jacobi asks
};

/// Which rows of a contact a visit works on: all at once, or the normal and the friction rows in passes of their own.
enum class ContactRows { all, normal, friction };

/// The rows [first, last) of a contact with D of them.
template <int D, ContactRows kRows>
struct RowRange {
  static constexpr int first = kRows == ContactRows::friction ? 1 : 0;
  static constexpr int last = kRows == ContactRows::normal ? 1 : D;
};

/// y_k = J_k w + b_k from the states of the two bodies, null for one that cannot move.
template <int D, ContactRows kRows = ContactRows::all>
inline void packed_velocity(const PackedContact<D>& c, const BodyState* a, const BodyState* b, double* y) {
  Vec3 relative, spin;
  if (b != nullptr) {
    relative = b->linear + cross(b->angular, c.arm_b);
    if constexpr (D == 4) spin = b->angular;
  }
  if (a != nullptr) {
    relative -= a->linear + cross(a->angular, c.arm_a);
    if constexpr (D == 4) spin -= a->angular;
  }
  if constexpr (kRows != ContactRows::friction) y[0] = dot(c.normal, relative) + c.bias[0];
  if constexpr (kRows != ContactRows::normal) {
    y[1] = dot(c.tangent1, relative) + c.bias[1];
    y[2] = dot(c.tangent2, relative) + c.bias[2];
    if constexpr (D == 4) y[3] = c.radius * dot(c.normal, spin) + c.bias[3];
  }
}

/// J_i w + b_i of a joint row; null for a body that cannot move.
inline double row_velocity(const PackedRow& packed, const BodyState* a, const BodyState* b) {
  static constexpr BodyState kAtRest;
  const BodyState& at_a = a != nullptr ? *a : kAtRest;
  const BodyState& at_b = b != nullptr ? *b : kAtRest;
  return joint_velocity(packed.row, {at_a.linear, at_a.angular}, {at_b.linear, at_b.angular}) + packed.bias;
}

/// The state of a body among all states, null for one that cannot move.
inline const BodyState* state_of(const BodyState* w, std::int32_t slot) {
  return slot != kNoVertex ? w + slot : nullptr;
}

/// A change of impulse in world axes: force part p and torque part about the normal.
struct WorldImpulse {
  Vec3 p, torque;
};

template <int D, ContactRows kRows = ContactRows::all>
inline WorldImpulse world_impulse(const PackedContact<D>& c, const double* delta) {
  WorldImpulse impulse;
  if constexpr (kRows == ContactRows::all)
    impulse.p = delta[0] * c.normal + delta[1] * c.tangent1 + delta[2] * c.tangent2;
  else if constexpr (kRows == ContactRows::normal)
    impulse.p = delta[0] * c.normal;
  else
    impulse.p = delta[1] * c.tangent1 + delta[2] * c.tangent2;
  if constexpr (D == 4 && kRows != ContactRows::normal) impulse.torque = c.radius * delta[3] * c.normal;
  return impulse;
}

/// What a contact's turn did: how much it mattered (largest_work) and what its bodies get.
struct ContactTurn {
  double work = 0;
  WorldImpulse impulse;
};

/// z_k <- prox( z_k - R_k y_k ), or the same for the normal or the friction rows alone, the latter on the set of the
/// normal impulse as it is.
template <int D, ContactRows kRows>
inline void prox_rows(FrictionSet set, const PackedContact<D>& c, const double* y, double* z) {
  if constexpr (kRows == ContactRows::all) {
    prox_step<D>(set, c.axes(), c.r, y, z);
  } else if constexpr (kRows == ContactRows::normal) {
    z[0] = project_half_line(z[0] - c.r.normal * y[0]);
  } else {
    for (int i = 1; i < D; ++i) z[i] -= c.r.friction * y[i];
    project_friction<D>(set, c.axes(), z);
  }
}

/// The turn of a contact with a friction disc, which is most of them: the same numbers as below, kept in registers (an
/// array that is written entry by entry and read in pairs waits for memory: a fifth of a sweep over single balls).
inline ContactTurn take_disc_turn(const PackedContact<3>& c, const BodyState* a, const BodyState* b, double* lambda) {
  double y[3];
  packed_velocity<3>(c, a, b, y);
  const double n = project_half_line(lambda[0] - c.r.normal * y[0]);
  double s = lambda[1] - c.r.friction * y[1], t = lambda[2] - c.r.friction * y[2];
  project_disc(c.mu[0] * n, s, t);
  const double delta[3] = {n - lambda[0], s - lambda[1], t - lambda[2]};
  lambda[0] = n, lambda[1] = s, lambda[2] = t;
  return {largest_work<3>(delta, y), world_impulse<3>(c, delta)};
}

/// One contact's turn, from the states of its two bodies (null for one that cannot move).
template <int D, ContactRows kRows = ContactRows::all>
inline ContactTurn take_turn(FrictionSet set, const PackedContact<D>& c, const BodyState* a, const BodyState* b,
                             double* lambda) {
  if constexpr (D == 3 && kRows == ContactRows::all)
    if (set == FrictionSet::disc) return take_disc_turn(c, a, b, lambda);
  using Range = RowRange<D, kRows>;
  double y[D], z[D], delta[D];
  packed_velocity<D, kRows>(c, a, b, y);
  std::copy_n(lambda, D, z);
  prox_rows<D, kRows>(set, c, y, z);
  for (int i = Range::first; i < Range::last; ++i) delta[i] = z[i] - lambda[i];
  std::copy(z + Range::first, z + Range::last, lambda + Range::first);
  return {largest_work<Range::last - Range::first>(delta + Range::first, y + Range::first),
          world_impulse<D, kRows>(c, delta)};
}

template <int D>
inline void apply_to_body(const BodyMass& mass, const Vec3& arm, double sign, const WorldImpulse& impulse,
                          BodyState& body) {
  const Vec3 p = sign * impulse.p;
  Vec3 angular = cross(arm, p);
  if constexpr (D == 4) angular += sign * impulse.torque;
  body.linear += mass.inverse_mass * p;
  body.angular += mass.inverse_inertia * angular;
}

/// w <- w + M^-1 J_k^T dlambda_k.
template <int D>
inline void apply_impulse(const PackedContact<D>& c, const WorldImpulse& impulse, const BodyMass* mass, BodyState* w) {
  if (c.a != kNoVertex) apply_to_body<D>(mass[c.a], c.arm_a, -1.0, impulse, w[c.a]);
  if (c.b != kNoVertex) apply_to_body<D>(mass[c.b], c.arm_b, 1.0, impulse, w[c.b]);
}

}  // namespace cairn
