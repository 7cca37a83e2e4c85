// SPDX-License-Identifier: MIT
#include "cairn/solvers/split_stage.h"

#include <algorithm>

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
  count(packed);
  split_masses(packed);
  set_r(packed, pool);
}

/// One copy per block and body, numbered as the blocks meet them.
template <int D>
void SplitStage<D>::make_copies(const PackedProblem<D>& packed) {
  slot_copy_.assign(packed.mass.size(), kNoVertex);
  copy_body_.clear(), contact_copies_.clear(), row_copies_.clear();
  first_ = blocks_.empty() ? 0 : blocks_.front().contact_begin;
  for (SplitBlock& block : blocks_) {
    block.copy_begin = static_cast<std::int32_t>(copy_body_.size());
    for (std::int32_t k = block.contact_begin; k < block.contact_end; ++k) {
      const PackedContact<D>& c = packed.contacts[static_cast<std::size_t>(k)];
      const std::int32_t a = copy_of(c.a), b = copy_of(c.b);
      contact_copies_.push_back({a, b});
    }
    for (std::int32_t i = block.row_begin; i < block.row_end; ++i) {
      const PackedRow& row = packed.rows[static_cast<std::size_t>(rows_[static_cast<std::size_t>(i)])];
      const std::int32_t a = copy_of(row.a), b = copy_of(row.b);
      row_copies_.push_back({a, b});
    }
    block.copy_end = static_cast<std::int32_t>(copy_body_.size());
    for (std::int32_t copy = block.copy_begin; copy < block.copy_end; ++copy)
      slot_copy_[static_cast<std::size_t>(copy_body_[static_cast<std::size_t>(copy)])] = kNoVertex;
  }
  copies_.resize(copy_body_.size());
  if (rule_.full_mass) momenta_.resize(copy_body_.size());
}

/// The copy of a body in the block that is loaded; until list_bodies, copy_body_ holds slots.
template <int D>
std::int32_t SplitStage<D>::copy_of(std::int32_t slot) {
  if (slot == kNoVertex) return kNoVertex;
  std::int32_t& copy = slot_copy_[static_cast<std::size_t>(slot)];
  if (copy == kNoVertex) {
    copy = static_cast<std::int32_t>(copy_body_.size());
    copy_body_.push_back(slot);
  }
  return copy;
}

/// Only bodies with copies are listed, so that a small stage of a large problem is cheap.
template <int D>
void SplitStage<D>::list_bodies(std::size_t slots) {
  body_of_slot_.assign(slots, kNoVertex);
  for (const std::int32_t slot : copy_body_) body_of_slot_[static_cast<std::size_t>(slot)] = 0;
  bodies_.clear();
  for (std::size_t slot = 0; slot < slots; ++slot) {
    if (body_of_slot_[slot] == kNoVertex) continue;
    body_of_slot_[slot] = static_cast<std::int32_t>(bodies_.size());
    bodies_.push_back(static_cast<std::int32_t>(slot));
  }
  for (std::int32_t& body : copy_body_) body = body_of_slot_[static_cast<std::size_t>(body)];
  group_by(copy_body_, static_cast<std::int32_t>(bodies_.size()), body_copies_);
}

/// n_b: the blocks of a body that have rows in the pass, or those rows themselves.
template <int D>
void SplitStage<D>::count(const PackedProblem<D>& packed) {
  for (Pass& pass : pass_) pass.count.assign(bodies_.size(), 0);
  has_friction_ = false;
  const auto add = [&](int pass, std::int32_t copy, int number) {
    if (copy == kNoVertex) return;
    const auto body = static_cast<std::size_t>(copy_body_[static_cast<std::size_t>(copy)]);
    pass_[static_cast<std::size_t>(pass)].count[body] += number;
  };
  for (const SplitBlock& block : blocks_) {
    int friction_in_block = 0;
    for (std::int32_t k = block.contact_begin; k < block.contact_end; ++k) {
      const int friction = friction_rows<D>(packed.contacts[static_cast<std::size_t>(k)]);
      friction_in_block += friction;
      if (!rule_.by_rows) continue;
      for (const std::int32_t copy : {contact_copies_[static_cast<std::size_t>(k - first_)].a,
                                      contact_copies_[static_cast<std::size_t>(k - first_)].b}) {
        add(0, copy, 1);
        add(rule_.staggered ? 1 : 0, copy, friction);
      }
    }
    has_friction_ = has_friction_ || friction_in_block > 0;
    if (rule_.by_rows) {
      for (std::int32_t i = block.row_begin; i < block.row_end; ++i)
        for (const std::int32_t copy :
             {row_copies_[static_cast<std::size_t>(i)].a, row_copies_[static_cast<std::size_t>(i)].b})
          add(0, copy, 1);
      continue;
    }
    for (std::int32_t copy = block.copy_begin; copy < block.copy_end; ++copy) {
      add(0, copy, 1);
      if (rule_.staggered) add(1, copy, friction_in_block > 0 ? 1 : 0);
    }
  }
}

template <int D>
void SplitStage<D>::split_masses(const PackedProblem<D>& packed) {
  for (Pass& pass : pass_) {
    pass.mass.resize(bodies_.size());
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const BodyMass& whole = packed.mass[static_cast<std::size_t>(bodies_[i])];
      const double n = pass.count[i];
      pass.mass[i] = {n * whole.inverse_mass, n * whole.inverse_inertia};
    }
  }
}

/// r = relaxation / K with the split masses of the pass that visits the row.
template <int D>
void SplitStage<D>::set_r(PackedProblem<D>& packed, ThreadPool* pool) {
  const Pass& friction_pass = pass_[rule_.staggered ? 1 : 0];
  parallel_for(pool, static_cast<std::int64_t>(contact_copies_.size()), kBlockGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   const Edge& copies = contact_copies_[static_cast<std::size_t>(i)];
                   PackedContact<D>& c = packed.contacts[static_cast<std::size_t>(first_ + i)];
                   double block[D * D];
                   packed_diagonal<D>(c, mass_of(pass_[0], copies.a), mass_of(pass_[0], copies.b), block);
                   c.r = local_r<D>(block, rule_.relaxation, 1);
                   if (!rule_.staggered) continue;
                   packed_diagonal<D>(c, mass_of(friction_pass, copies.a), mass_of(friction_pass, copies.b), block);
                   c.r.friction = local_r<D>(block, rule_.relaxation, 1).friction;
                 }
               });
  for (std::size_t i = 0; i < row_copies_.size(); ++i) {
    PackedRow& row = packed.rows[static_cast<std::size_t>(rows_[i])];
    const double stiffness =
        row_stiffness(row, mass_of(pass_[0], row_copies_[i].a), mass_of(pass_[0], row_copies_[i].b));
    row.r = stiffness > 0 ? rule_.relaxation / stiffness : 0.0;
  }
}

template <int D>
double SplitStage<D>::run(const PackedProblem<D>& packed, double* lambda, BodyState* w, ThreadPool* pool) {
  if (!rule_.staggered) return run_pass<ContactRows::all>(pass_[0], packed, lambda, w, pool);
  const double change = run_pass<ContactRows::normal>(pass_[0], packed, lambda, w, pool);
  if (!has_friction_) return change;
  return larger(change, run_pass<ContactRows::friction>(pass_[1], packed, lambda, w, pool));
}

template <int D>
template <ContactRows kRows>
double SplitStage<D>::run_pass(const Pass& pass, const PackedProblem<D>& packed, double* lambda, BodyState* w,
                               ThreadPool* pool) {
  const double change = parallel_reduce(
      pool, static_cast<std::int64_t>(blocks_.size()), kBlockGrain, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double most = 0;
        for (std::int64_t i = begin; i < end; ++i)
          most = larger(most, visit<kRows>(blocks_[static_cast<std::size_t>(i)], pass, packed, lambda, w));
        return most;
      },
      larger);
  gather(pass, packed, w, pool);
  return change;
}

/// Gauss-Seidel inside the block on its own copies; by rows, all rows from w. Leaves the change of each copy.
template <int D>
template <ContactRows kRows>
double SplitStage<D>::visit(const SplitBlock& block, const Pass& pass, const PackedProblem<D>& packed, double* lambda,
                            const BodyState* w) {
  const auto slot_of = [&](std::int32_t copy) {
    return bodies_[static_cast<std::size_t>(copy_body_[static_cast<std::size_t>(copy)])];
  };
  for (std::int32_t copy = block.copy_begin; copy < block.copy_end; ++copy) {
    copies_[static_cast<std::size_t>(copy)] = rule_.by_rows ? BodyState{} : w[slot_of(copy)];
    if (rule_.full_mass) momenta_[static_cast<std::size_t>(copy)] = {};
  }
  double change = 0;
  if constexpr (kRows != ContactRows::friction) change = visit_rows(block, pass, packed, lambda, w);
  for (std::int32_t k = block.contact_begin; k < block.contact_end; ++k) {
    const PackedContact<D>& c = packed.contacts[static_cast<std::size_t>(k)];
    const Edge& copies = contact_copies_[static_cast<std::size_t>(k - first_)];
    const ContactTurn turn = take_turn<D, kRows>(packed.set, c, source(copies.a, c.a, w), source(copies.b, c.b, w),
                                                 lambda + std::int64_t{k} * D);
    push_contact(pass, copies, c, turn.impulse);
    change = larger(change, turn.work);
  }
  if (rule_.by_rows || rule_.full_mass) return change;
  for (std::int32_t copy = block.copy_begin; copy < block.copy_end; ++copy) {
    copies_[static_cast<std::size_t>(copy)].linear -= w[slot_of(copy)].linear;
    copies_[static_cast<std::size_t>(copy)].angular -= w[slot_of(copy)].angular;
  }
  return change;
}

/// Joint rows of a block: lambda <- clamp(lambda - r (y + G lambda)).
template <int D>
double SplitStage<D>::visit_rows(const SplitBlock& block, const Pass& pass, const PackedProblem<D>& packed,
                                 double* lambda, const BodyState* w) {
  double change = 0;
  for (std::int32_t i = block.row_begin; i < block.row_end; ++i) {
    const auto k = static_cast<std::size_t>(rows_[static_cast<std::size_t>(i)]);
    const PackedRow& packed_row = packed.rows[k];
    const JointRow& row = packed_row.row;
    const Edge& copies = row_copies_[static_cast<std::size_t>(i)];
    double& impulse = lambda[packed.contacts.size() * D + k];
    const double y = row_velocity(packed_row, source(copies.a, packed_row.a, w), source(copies.b, packed_row.b, w)) +
                     packed_row.softness * impulse;
    const double next = std::clamp(impulse - packed_row.r * y, row.lower, row.upper);
    const double delta = next - impulse;
    impulse = next;
    change = larger(change, std::fabs(delta * y));
    if (copies.a != kNoVertex) push(pass, copies.a, delta * row.linear_a, delta * row.angular_a);
    if (copies.b != kNoVertex) push(pass, copies.b, delta * row.linear_b, delta * row.angular_b);
  }
  return change;
}

/// D_b <- D_b + n_b W_b J^T d.
template <int D>
void SplitStage<D>::push(const Pass& pass, std::int32_t copy, const Vec3& linear, const Vec3& angular) {
  const BodyMass& mass = *mass_of(pass, copy);
  BodyState& state = copies_[static_cast<std::size_t>(copy)];
  state.linear += mass.inverse_mass * linear;
  state.angular += mass.inverse_inertia * angular;
  if (!rule_.full_mass) return;
  momenta_[static_cast<std::size_t>(copy)].linear += linear;
  momenta_[static_cast<std::size_t>(copy)].angular += angular;
}

template <int D>
void SplitStage<D>::push_contact(const Pass& pass, const Edge& copies, const PackedContact<D>& c,
                                 const WorldImpulse& impulse) {
  const auto to_body = [&](std::int32_t copy, const Vec3& arm, double sign) {
    if (copy == kNoVertex) return;
    const Vec3 p = sign * impulse.p;
    Vec3 angular = cross(arm, p);
    if constexpr (D == 4) angular += sign * impulse.torque;
    push(pass, copy, p, angular);
  };
  to_body(copies.a, c.arm_a, -1);
  to_body(copies.b, c.arm_b, 1);
}

/// The mean of the copies, as w + (mean of their changes): where nothing changes, w keeps its bits.
template <int D>
void SplitStage<D>::gather(const Pass& pass, const PackedProblem<D>& packed, BodyState* w, ThreadPool* pool) {
  const auto for_bodies = [&](auto&& work) {
    parallel_for(pool, static_cast<std::int64_t>(bodies_.size()), kBodyGrain,
                 [&](std::int64_t begin, std::int64_t end) {
                   for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
                     work(i, body_copies_[static_cast<std::int64_t>(i)], w[bodies_[i]]);
                 });
  };
  if (rule_.full_mass) {
    for_bodies([&](std::size_t i, std::span<const std::int32_t> copies, BodyState& state) {
      Momentum sum;
      for (const std::int32_t copy : copies) {
        sum.linear += momenta_[static_cast<std::size_t>(copy)].linear;
        sum.angular += momenta_[static_cast<std::size_t>(copy)].angular;
      }
      const BodyMass& whole = packed.mass[static_cast<std::size_t>(bodies_[i])];
      state.linear += whole.inverse_mass * sum.linear;
      state.angular += whole.inverse_inertia * sum.angular;
    });
    return;
  }
  for_bodies([&](std::size_t i, std::span<const std::int32_t> copies, BodyState& state) {
    if (pass.count[i] == 0) return;
    Momentum sum;
    for (const std::int32_t copy : copies) {
      sum.linear += copies_[static_cast<std::size_t>(copy)].linear;
      sum.angular += copies_[static_cast<std::size_t>(copy)].angular;
    }
    const double share = 1.0 / pass.count[i];
    state.linear += share * sum.linear;
    state.angular += share * sum.angular;
  });
}

template <int D>
void SplitStage<D>::apply(const PackedProblem<D>& packed, const double* lambda, BodyState* w, ThreadPool* pool) {
  const Pass& pass = pass_[0];
  parallel_for(pool, static_cast<std::int64_t>(blocks_.size()), kBlockGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      const SplitBlock& block = blocks_[static_cast<std::size_t>(b)];
      for (std::int32_t copy = block.copy_begin; copy < block.copy_end; ++copy) {
        copies_[static_cast<std::size_t>(copy)] = {};
        if (rule_.full_mass) momenta_[static_cast<std::size_t>(copy)] = {};
      }
      for (std::int32_t k = block.contact_begin; k < block.contact_end; ++k) {
        const PackedContact<D>& c = packed.contacts[static_cast<std::size_t>(k)];
        push_contact(pass, contact_copies_[static_cast<std::size_t>(k - first_)], c,
                     world_impulse<D>(c, lambda + std::int64_t{k} * D));
      }
      for (std::int32_t i = block.row_begin; i < block.row_end; ++i) {
        const auto k = static_cast<std::size_t>(rows_[static_cast<std::size_t>(i)]);
        const JointRow& row = packed.rows[k].row;
        const Edge& copies = row_copies_[static_cast<std::size_t>(i)];
        const double impulse = lambda[packed.contacts.size() * D + k];
        if (copies.a != kNoVertex) push(pass, copies.a, impulse * row.linear_a, impulse * row.angular_a);
        if (copies.b != kNoVertex) push(pass, copies.b, impulse * row.linear_b, impulse * row.angular_b);
      }
    }
  });
  gather(pass, packed, w, pool);
}

template <int D>
std::size_t SplitStage<D>::bytes() const {
  const auto size_of = [](const auto& array) { return array.size() * sizeof(array[0]); };
  std::size_t total = size_of(blocks_) + size_of(rows_) + size_of(contact_copies_) + size_of(row_copies_) +
                      size_of(copy_body_) + size_of(bodies_) + size_of(body_copies_.item) +
                      size_of(body_copies_.start) + size_of(copies_) + size_of(slot_copy_) + size_of(body_of_slot_);
  if (rule_.full_mass) total += size_of(momenta_);
  for (const Pass& pass : pass_) total += size_of(pass.count) + size_of(pass.mass);
  return total;
}

template class SplitStage<3>;
template class SplitStage<4>;

}  // namespace cairn
