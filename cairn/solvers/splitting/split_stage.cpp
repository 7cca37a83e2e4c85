// SPDX-License-Identifier: MIT
#include "cairn/solvers/splitting/split_stage.h"

#include <algorithm>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::int64_t kBlockGrain = 512;
constexpr std::int64_t kBodyGrain = 1024;

/// Rows of a contact on which friction can act: those without are never moved and need no share of a body.
template <int D>
int friction_rows(const PackedContact<D>& c) {
  return static_cast<int>(std::count_if(c.mu, c.mu + D - 1, [](double mu) { return mu > 0; }));
}

}  // namespace

template <int D>
void SplitStage<D>::load(std::span<const SplitBlock> blocks, std::span<const std::int32_t> rows, const SplitRule& rule,
                         PackedProblem<D>& packed, ThreadPool* pool) {
  rule_ = rule;
  blocks_.assign(blocks.begin(), blocks.end());
  rows_.assign(rows.begin(), rows.end());
  make_copies(packed);
  list_bodies(packed.mass.size());
  for (Pass& pass : pass_) pass.count.assign(bodies_.size(), 0);
  has_friction_ = false;
  for (const SplitBlock& block : blocks_) rule_.by_rows ? count_rows(block, packed) : count_block(block, packed);
  split_masses(packed);
  set_r(packed, pool);
}

/// One copy per block and body, numbered as the blocks meet them.
template <int D>
void SplitStage<D>::make_copies(const PackedProblem<D>& packed) {
  slot_copy_.assign(packed.mass.size(), kNoVertex);
  copy_slot_.clear(), contact_at_.clear(), row_at_.clear();
  first_ = blocks_.empty() ? 0 : blocks_.front().contact_begin;
  bool any_large = false;
  for (SplitBlock& block : blocks_) {
    block.copy_begin = static_cast<std::int32_t>(copy_slot_.size());
    for (std::int32_t k = block.contact_begin; k < block.contact_end; ++k) {
      const PackedContact<D>& c = packed.contacts[to_index(k)];
      const std::int32_t a = copy_of(c.a, block), b = copy_of(c.b, block);
      contact_at_.push_back({a, b});
    }
    for (std::int32_t i = block.row_begin; i < block.row_end; ++i) {
      const PackedRow& row = packed.rows[to_index(rows_[to_index(i)])];
      const std::int32_t a = copy_of(row.a, block), b = copy_of(row.b, block);
      row_at_.push_back({a, b});
    }
    block.copy_end = static_cast<std::int32_t>(copy_slot_.size());
    any_large = any_large || block.copy_end - block.copy_begin > kFew;
    for (std::int32_t copy = block.copy_begin; copy < block.copy_end; ++copy)
      slot_copy_[to_index(copy_slot_[to_index(copy)])] = kNoVertex;
  }
  copies_.resize(any_large ? copy_slot_.size() : 0);
  shares_.resize(copy_slot_.size());
}

/// The copy of a body in the block that is loaded, counted from the block's first.
template <int D>
std::int32_t SplitStage<D>::copy_of(std::int32_t slot, const SplitBlock& block) {
  if (slot == kNoVertex) return kNoVertex;
  std::int32_t& copy = slot_copy_[to_index(slot)];
  if (copy == kNoVertex) {
    copy = static_cast<std::int32_t>(copy_slot_.size()) - block.copy_begin;
    copy_slot_.push_back(slot);
  }
  return copy;
}

/// Only bodies with copies are listed, so that a small stage of a large problem is cheap.
template <int D>
void SplitStage<D>::list_bodies(std::size_t slots) {
  body_of_slot_.assign(slots, kNoVertex);
  for (const std::int32_t slot : copy_slot_) body_of_slot_[to_index(slot)] = 0;
  bodies_.clear();
  for (std::size_t slot = 0; slot < slots; ++slot) {
    if (body_of_slot_[slot] == kNoVertex) continue;
    body_of_slot_[slot] = static_cast<std::int32_t>(bodies_.size());
    bodies_.push_back(static_cast<std::int32_t>(slot));
  }
  copy_body_.resize(copy_slot_.size()), place_.resize(copy_slot_.size());
  for (std::size_t copy = 0; copy < copy_slot_.size(); ++copy)
    copy_body_[copy] = body_of_slot_[to_index(copy_slot_[copy])];
  group_by(copy_body_, static_cast<std::int32_t>(bodies_.size()), body_copies_);
  for (std::size_t i = 0; i < body_copies_.item.size(); ++i)
    place_[to_index(body_copies_.item[i])] = static_cast<std::int32_t>(i);
}

/// n_b by rows: those of each pass that touch the body.
template <int D>
void SplitStage<D>::count_rows(const SplitBlock& block, const PackedProblem<D>& packed) {
  const auto add = [&](Pass& pass, const Edge& at, int number) {
    for (const std::int32_t local : {at.a, at.b})
      if (local != kNoVertex) pass.count[to_index(copy_body_[to_index(block.copy_begin + local)])] += number;
  };
  for (std::int32_t k = block.contact_begin; k < block.contact_end; ++k) {
    const int friction = friction_rows<D>(packed.contacts[to_index(k)]);
    add(pass_[0], contact_at_[to_index(k - first_)], 1);
    add(pass_[rule_.staggered ? 1 : 0], contact_at_[to_index(k - first_)], friction);
    has_friction_ = has_friction_ || friction > 0;
  }
  for (std::int32_t i = block.row_begin; i < block.row_end; ++i) add(pass_[0], row_at_[to_index(i)], 1);
}

/// n_b by blocks: those that have rows in the pass.
template <int D>
void SplitStage<D>::count_block(const SplitBlock& block, const PackedProblem<D>& packed) {
  bool slides = false;
  for (std::int32_t k = block.contact_begin; k < block.contact_end && !slides; ++k)
    slides = friction_rows<D>(packed.contacts[to_index(k)]) > 0;
  has_friction_ = has_friction_ || slides;
  for (std::int32_t copy = block.copy_begin; copy < block.copy_end; ++copy) {
    const auto body = to_index(copy_body_[to_index(copy)]);
    ++pass_[0].count[body];
    if (rule_.staggered && slides) ++pass_[1].count[body];
  }
}

template <int D>
void SplitStage<D>::split_masses(const PackedProblem<D>& packed) {
  for (Pass& pass : pass_) {
    pass.mass.resize(packed.mass.size());
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const auto slot = to_index(bodies_[i]);
      const double n = pass.count[i];
      pass.mass[slot] = {n * packed.mass[slot].inverse_mass, n * packed.mass[slot].inverse_inertia};
    }
  }
}

/// r = relaxation / K with the split masses of the pass that visits the row.
template <int D>
void SplitStage<D>::set_r(PackedProblem<D>& packed, ThreadPool* pool) {
  const auto mass_of = [&](int pass, std::int32_t slot) {
    return slot != kNoVertex ? pass_[to_index(pass)].mass.data() + slot : nullptr;
  };
  parallel_for(pool, static_cast<std::int64_t>(contact_at_.size()), kBlockGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   PackedContact<D>& c = packed.contacts[to_index(first_ + i)];
                   double block[D * D];
                   packed_diagonal<D>(c, mass_of(0, c.a), mass_of(0, c.b), block);
                   c.r = local_r<D>(block, rule_.relaxation, 1);
                   if (!rule_.staggered) continue;
                   packed_diagonal<D>(c, mass_of(1, c.a), mass_of(1, c.b), block);
                   c.r.friction = local_r<D>(block, rule_.relaxation, 1).friction;
                 }
               });
  for (const SplitBlock& block : blocks_) {
    for (std::int32_t i = block.row_begin; i < block.row_end; ++i) {
      PackedRow& row = packed.rows[to_index(rows_[to_index(i)])];
      const double stiffness = row_stiffness(row, mass_of(0, row.a), mass_of(0, row.b));
      row.r = row.r > 0 && stiffness > 0 ? rule_.relaxation / stiffness : 0.0;  // 0: it moves nothing
    }
  }
}

template <int D>
double SplitStage<D>::run(const PackedProblem<D>& packed, double* lambda, BodyState* w, ThreadPool* pool) {
  if (!rule_.staggered) return run_pass<ContactRows::all>(packed, lambda, w, pool);
  const double change = run_pass<ContactRows::normal>(packed, lambda, w, pool);
  return larger(change, run_pass<ContactRows::friction>(packed, lambda, w, pool));
}

template <int D>
template <ContactRows kRows>
double SplitStage<D>::run_pass(const PackedProblem<D>& packed, double* lambda, BodyState* w, ThreadPool* pool) {
  if (kRows == ContactRows::friction && !has_friction_) return 0;
  const Pass& pass = pass_[kRows == ContactRows::friction ? 1 : 0];
  const double change = parallel_reduce(
      pool, static_cast<std::int64_t>(blocks_.size()), kBlockGrain, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double most = 0;
        BodyState few[kFew];
        for (std::int64_t i = begin; i < end; ++i) {
          const SplitBlock& block = blocks_[to_index(i)];
          const double mine = is_single(block) ? visit_single<kRows>(block, pass, packed, lambda, w)
                                               : visit<kRows>({block, pass, copies_of(block, few)}, packed, lambda, w);
          most = larger(most, mine);
        }
        return most;
      },
      larger);
  gather(pass, packed, w, pool);
  return change;
}

/// A block of one contact: its copies are w, and nobody reads what becomes of them but the bodies.
template <int D>
template <ContactRows kRows>
[[gnu::flatten]] double SplitStage<D>::visit_single(const SplitBlock& block, const Pass& pass,
                                                    const PackedProblem<D>& packed, double* lambda,
                                                    const BodyState* w) {
  const PackedContact<D>& c = packed.contacts[to_index(block.contact_begin)];
  const ContactTurn turn = take_turn<D, kRows>(packed.set, c, state_of(w, c.a), state_of(w, c.b),
                                               lambda + std::int64_t{block.contact_begin} * D);
  std::int32_t copy = block.copy_begin;
  const auto share = [&](std::int32_t slot, const Vec3& arm, double sign) {
    if (slot == kNoVertex) return;
    const Vec3 p = sign * turn.impulse.p;
    Vec3 angular = cross(arm, p);
    if constexpr (D == 4) angular += sign * turn.impulse.torque;
    const BodyMass& mass = pass.mass[to_index(slot)];
    if (rule_.full_mass)
      share_of(copy++) = {p, angular};
    else
      share_of(copy++) = {mass.inverse_mass * p, mass.inverse_inertia * angular};
  };
  share(c.a, c.arm_a, -1);
  share(c.b, c.arm_b, 1);
  return turn.work;
}

/// Gauss-Seidel inside the block on its own copies; by rows, all rows from w. Leaves the shares of its bodies.
template <int D>
template <ContactRows kRows>
[[gnu::flatten]] double SplitStage<D>::visit(const BlockVisit& at, const PackedProblem<D>& packed, double* lambda,
                                             const BodyState* w) {
  const SplitBlock& block = at.block;
  BodyState* const local = at.local;
  const std::int32_t* const slots = copy_slot_.data() + block.copy_begin;
  const std::int32_t bodies = block.copy_end - block.copy_begin;
  for (std::int32_t i = 0; i < bodies; ++i) {
    local[i] = rule_.by_rows ? BodyState{} : w[slots[i]];
    if (rule_.full_mass) share_of(block.copy_begin + i) = {};
  }
  double change = 0;
  if (kRows != ContactRows::friction && block.row_begin < block.row_end) change = visit_rows(at, packed, lambda, w);
  for (std::int32_t k = block.contact_begin; k < block.contact_end; ++k) {
    const PackedContact<D>& c = packed.contacts[to_index(k)];
    const Edge& copies = contact_at_[to_index(k - first_)];
    const ContactTurn turn = take_turn<D, kRows>(packed.set, c, source(copies.a, c.a, w, local),
                                                 source(copies.b, c.b, w, local), lambda + std::int64_t{k} * D);
    push_contact(at, c, turn.impulse, copies);
    change = larger(change, turn.work);
  }
  if (rule_.full_mass) return change;
  for (std::int32_t i = 0; i < bodies; ++i) {
    const BodyState before = rule_.by_rows ? BodyState{} : w[slots[i]];
    share_of(block.copy_begin + i) = {local[i].linear - before.linear, local[i].angular - before.angular};
  }
  return change;
}

/// Joint rows of a block: lambda <- clamp(lambda - r (y + G lambda)).
template <int D>
double SplitStage<D>::visit_rows(const BlockVisit& at, const PackedProblem<D>& packed, double* lambda,
                                 const BodyState* w) {
  double change = 0;
  for (std::int32_t i = at.block.row_begin; i < at.block.row_end; ++i) {
    const auto k = to_index(rows_[to_index(i)]);
    const PackedRow& row = packed.rows[k];
    const Edge& copies = row_at_[to_index(i)];
    double& impulse = lambda[packed.contacts.size() * D + k];
    const double y = row_velocity(row, source(copies.a, row.a, w, at.local), source(copies.b, row.b, w, at.local)) +
                     row.softness * impulse;
    const double next = std::clamp(impulse - row.r * y, row.row.lower, row.row.upper);
    const double delta = next - impulse;
    impulse = next;
    change = larger(change, std::fabs(delta * y));
    push_row(at, row, delta, copies);
  }
  return change;
}

/// D_b <- D_b + n_b W_b J^T d.
template <int D>
inline void SplitStage<D>::push(const BodyMass& mass, const Vec3& linear, const Vec3& angular, std::int32_t copy,
                                BodyState& state) {
  state.linear += mass.inverse_mass * linear;
  state.angular += mass.inverse_inertia * angular;
  if (!rule_.full_mass) return;
  share_of(copy).linear += linear;
  share_of(copy).angular += angular;
}

template <int D>
inline void SplitStage<D>::push_contact(const BlockVisit& at, const PackedContact<D>& c, const WorldImpulse& impulse,
                                        const Edge& copies) {
  const auto to_body = [&](std::int32_t i, std::int32_t slot, const Vec3& arm, double sign) {
    if (i == kNoVertex) return;
    const Vec3 p = sign * impulse.p;
    Vec3 angular = cross(arm, p);
    if constexpr (D == 4) angular += sign * impulse.torque;
    push(at.pass.mass[to_index(slot)], p, angular, at.block.copy_begin + i, at.local[i]);
  };
  to_body(copies.a, c.a, c.arm_a, -1);
  to_body(copies.b, c.b, c.arm_b, 1);
}

template <int D>
void SplitStage<D>::push_row(const BlockVisit& at, const PackedRow& row, double impulse, const Edge& copies) {
  const auto to_body = [&](std::int32_t i, std::int32_t slot, const Vec3& linear, const Vec3& angular) {
    if (i == kNoVertex) return;
    push(at.pass.mass[to_index(slot)], impulse * linear, impulse * angular, at.block.copy_begin + i, at.local[i]);
  };
  to_body(copies.a, row.a, row.row.linear_a, row.row.angular_a);
  to_body(copies.b, row.b, row.row.linear_b, row.row.angular_b);
}

/// The mean of the copies, as w + (mean of their changes): where nothing changes, w keeps its bits.
template <int D>
void SplitStage<D>::gather(const Pass& pass, const PackedProblem<D>& packed, BodyState* w, ThreadPool* pool) {
  parallel_for(pool, static_cast<std::int64_t>(bodies_.size()), kBodyGrain, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = to_index(begin); i < to_index(end); ++i) {
      const auto slot = to_index(bodies_[i]);
      if (pass.count[i] == 0) continue;
      Share sum;
      for (std::int64_t k = body_copies_.start[i]; k < body_copies_.start[i + 1]; ++k) {
        sum.linear += shares_[to_index(k)].linear;
        sum.angular += shares_[to_index(k)].angular;
      }
      if (rule_.full_mass) {
        w[slot].linear += packed.mass[slot].inverse_mass * sum.linear;
        w[slot].angular += packed.mass[slot].inverse_inertia * sum.angular;
      } else {
        const double share = 1.0 / pass.count[i];
        w[slot].linear += share * sum.linear;
        w[slot].angular += share * sum.angular;
      }
    }
  });
}

template <int D>
void SplitStage<D>::apply(const PackedProblem<D>& packed, const double* lambda, BodyState* w, ThreadPool* pool) {
  parallel_for(pool, static_cast<std::int64_t>(blocks_.size()), kBlockGrain, [&](std::int64_t begin, std::int64_t end) {
    BodyState few[kFew];
    for (std::int64_t i = begin; i < end; ++i) {
      const SplitBlock& block = blocks_[to_index(i)];
      apply_block({block, pass_[0], copies_of(block, few)}, packed, lambda);
    }
  });
  gather(pass_[0], packed, w, pool);
}

template <int D>
void SplitStage<D>::apply_block(const BlockVisit& at, const PackedProblem<D>& packed, const double* lambda) {
  const SplitBlock& block = at.block;
  for (std::int32_t copy = block.copy_begin; copy < block.copy_end; ++copy) {
    at.local[copy - block.copy_begin] = {};
    share_of(copy) = {};
  }
  for (std::int32_t k = block.contact_begin; k < block.contact_end; ++k) {
    const PackedContact<D>& c = packed.contacts[to_index(k)];
    push_contact(at, c, world_impulse<D>(c, lambda + std::int64_t{k} * D), contact_at_[to_index(k - first_)]);
  }
  for (std::int32_t i = block.row_begin; i < block.row_end; ++i) {
    const auto k = to_index(rows_[to_index(i)]);
    push_row(at, packed.rows[k], lambda[packed.contacts.size() * D + k], row_at_[to_index(i)]);
  }
  if (rule_.full_mass) return;
  for (std::int32_t copy = block.copy_begin; copy < block.copy_end; ++copy)
    share_of(copy) = {at.local[copy - block.copy_begin].linear, at.local[copy - block.copy_begin].angular};
}

template <int D>
std::size_t SplitStage<D>::bytes() const {
  const auto size_of = [](const auto& array) { return array.size() * sizeof(array[0]); };
  std::size_t total = size_of(blocks_) + size_of(rows_) + size_of(contact_at_) + size_of(row_at_) +
                      size_of(copy_slot_) + size_of(copy_body_) + size_of(place_) + size_of(bodies_) +
                      size_of(body_copies_.item) + size_of(body_copies_.start) + size_of(shares_) + size_of(copies_) +
                      size_of(slot_copy_) + size_of(body_of_slot_);
  for (const Pass& pass : pass_) total += size_of(pass.count) + size_of(pass.mass);
  return total;
}

template class SplitStage<3>;
template class SplitStage<4>;
template double SplitStage<3>::run_pass<ContactRows::all>(const PackedProblem<3>&, double*, BodyState*, ThreadPool*);
template double SplitStage<3>::run_pass<ContactRows::normal>(const PackedProblem<3>&, double*, BodyState*, ThreadPool*);
template double SplitStage<3>::run_pass<ContactRows::friction>(const PackedProblem<3>&, double*, BodyState*,
                                                               ThreadPool*);
template double SplitStage<4>::run_pass<ContactRows::all>(const PackedProblem<4>&, double*, BodyState*, ThreadPool*);
template double SplitStage<4>::run_pass<ContactRows::normal>(const PackedProblem<4>&, double*, BodyState*, ThreadPool*);
template double SplitStage<4>::run_pass<ContactRows::friction>(const PackedProblem<4>&, double*, BodyState*,
                                                               ThreadPool*);

}  // namespace cairn
