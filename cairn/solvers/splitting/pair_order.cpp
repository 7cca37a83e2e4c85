// SPDX-License-Identifier: MIT
#include "cairn/solvers/splitting/pair_order.h"

#include <algorithm>
#include <compare>
#include <tuple>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::int64_t kGrain = 1024;

/// The lower slot of two bodies, those that cannot move last; `none` if neither can.
std::int32_t lower_slot(std::span<const std::int32_t> slot, std::int32_t a, std::int32_t b, std::int32_t none) {
  const std::int32_t slot_a = slot[to_index(a)], slot_b = slot[to_index(b)];
  if (slot_a == kNoVertex) return slot_b == kNoVertex ? none : slot_b;
  return slot_b == kNoVertex ? slot_a : std::min(slot_a, slot_b);
}

/// The body of a pair that is not the one with that slot.
template <class Block>
std::int32_t other_body(const Block& block, std::span<const std::int32_t> slot, std::int32_t lower) {
  return slot[to_index(block.body_a)] == lower ? block.body_b : block.body_a;
}

int compare(double a, double b) { return a < b ? -1 : (a > b ? 1 : 0); }

int compare(const Vec3& a, const Vec3& b) {
  if (const int x = compare(a.x, b.x); x != 0) return x;
  if (const int y = compare(a.y, b.y); y != 0) return y;
  return compare(a.z, b.z);
}

/// A total order even of numbers that are none: nobody has checked impulses.
int compare(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const auto order = std::strong_order(a[i], b[i]); order != 0) return order < 0 ? -1 : 1;
  return 0;
}

/// Whether contact c comes before d, both of one pair of bodies, by their numbers as seen from the lower body.
bool is_before(const ContactBlock& c, const ContactBlock& d) {
  const double sign_c = c.body_a < c.body_b ? 1 : -1, sign_d = d.body_a < d.body_b ? 1 : -1;
  if (const int x = compare(sign_c > 0 ? c.arm_a : c.arm_b, sign_d > 0 ? d.arm_a : d.arm_b); x != 0) return x < 0;
  if (const int x = compare(sign_c > 0 ? c.arm_b : c.arm_a, sign_d > 0 ? d.arm_b : d.arm_a); x != 0) return x < 0;
  if (const int x = compare(sign_c * c.normal, sign_d * d.normal); x != 0) return x < 0;
  if (const int x = compare(sign_c * c.tangent1, sign_d * d.tangent1); x != 0) return x < 0;
  if (const int x = compare(sign_c * c.tangent2, sign_d * d.tangent2); x != 0) return x < 0;
  const auto numbers = [](const ContactBlock& k) {
    return std::tie(k.gap, k.friction1, k.friction2, k.spin_radius, k.restitution);
  };
  return numbers(c) < numbers(d);
}

}  // namespace

void PairOrder::sort(const ContactProblem& problem, std::span<const std::int32_t> slot, std::int32_t slot_count,
                     ThreadPool* pool, StartImpulses start) {
  slot_count_ = slot_count;
  sort_contacts(problem, slot, pool, start);
  sort_joints(problem, slot);
  list_pairs(problem, slot);
  list_groups(1);
}

/// A counting sort by the lower slot, then each short list by itself.
void PairOrder::sort_contacts(const ContactProblem& problem, std::span<const std::int32_t> slot, ThreadPool* pool,
                              StartImpulses start) {
  key_.resize(problem.contacts.size());
  for_each_index(pool, key_.size(), kGrain, [&](std::size_t k) {
    key_[k] = lower_slot(slot, problem.contacts[k].body_a, problem.contacts[k].body_b, slot_count_);
  });
  group_by(key_, slot_count_ + 1, contacts_at_);
  parallel_for(pool, slot_count_ + 1, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t lower = begin; lower < end; ++lower) {
      const auto before = [&](std::int32_t i, std::int32_t j) {
        const ContactBlock& c = problem.contacts[to_index(i)];
        const ContactBlock& d = problem.contacts[to_index(j)];
        const std::int32_t other_c = other_body(c, slot, static_cast<std::int32_t>(lower));
        const std::int32_t other_d = other_body(d, slot, static_cast<std::int32_t>(lower));
        if (other_c != other_d) return other_c < other_d;
        if (is_before(c, d)) return true;
        if (is_before(d, c)) return false;
        const int x = start.empty() ? 0 : compare(start[to_index(i)], start[to_index(j)]);
        return x != 0 ? x < 0 : i < j;
      };
      std::int32_t* const items = contacts_at_.item.data();
      std::int32_t* const first = items + contacts_at_.start[to_index(lower)];
      std::int32_t* const last = items + contacts_at_.start[to_index(lower) + 1];
      if (!std::is_sorted(first, last, before)) std::sort(first, last, before);
    }
  });
  contacts_.assign(contacts_at_.item.begin(), contacts_at_.item.end());
}

/// Joints of a pair keep the order given.
void PairOrder::sort_joints(const ContactProblem& problem, std::span<const std::int32_t> slot) {
  key_.resize(problem.joints.size());
  for (std::size_t j = 0; j < key_.size(); ++j)
    key_[j] = lower_slot(slot, problem.joints[j].body_a, problem.joints[j].body_b, slot_count_);
  group_by(key_, slot_count_ + 1, joints_at_);
  for (std::int32_t lower = 0; lower <= slot_count_; ++lower) {
    std::int32_t* const items = joints_at_.item.data();
    std::sort(items + joints_at_.start[to_index(lower)], items + joints_at_.start[to_index(lower) + 1],
              [&](std::int32_t i, std::int32_t j) {
                return std::pair{other_body(problem.joints[to_index(i)], slot, lower), i} <
                       std::pair{other_body(problem.joints[to_index(j)], slot, lower), j};
              });
  }
  rows_.clear();
  for (const std::int32_t j : joints_at_.item) {
    const JointBlock& joint = problem.joints[to_index(j)];
    for (std::int32_t i = 0; i < joint.row_count; ++i) rows_.push_back(joint.first_row + i);
  }
}

/// Per lower slot: its contacts and its joints, both sorted by the other body, are merged.
void PairOrder::list_pairs(const ContactProblem& problem, std::span<const std::int32_t> slot) {
  pairs_.clear();
  std::int32_t row = 0;
  for (std::int32_t lower = 0; lower < slot_count_; ++lower) {
    auto c = static_cast<std::int32_t>(contacts_at_.start[to_index(lower)]);
    const auto contacts_end = static_cast<std::int32_t>(contacts_at_.start[to_index(lower) + 1]);
    std::span<const std::int32_t> joints = joints_at_[lower];
    const auto contact_other = [&](std::int32_t i) {
      return other_body(problem.contacts[to_index(contacts_[to_index(i)])], slot, lower);
    };
    const auto joint_other = [&](std::int32_t j) { return other_body(problem.joints[to_index(j)], slot, lower); };
    while (c < contacts_end || !joints.empty()) {
      constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::max();
      const std::int32_t other =
          std::min(c < contacts_end ? contact_other(c) : kNone, !joints.empty() ? joint_other(joints.front()) : kNone);
      BodyPairRange pair{{lower, slot[to_index(other)]}, c, c, row, row};
      while (c < contacts_end && contact_other(c) == other) pair.contact_end = ++c;
      for (; !joints.empty() && joint_other(joints.front()) == other; joints = joints.subspan(1))
        pair.row_end = row += problem.joints[to_index(joints.front())].row_count;
      pairs_.push_back(pair);
    }
  }
}

void PairOrder::list_groups(std::int32_t most) {
  group_start_.clear();
  for (std::int32_t p = 0; p <= static_cast<std::int32_t>(pairs_.size()); p += most) group_start_.push_back(p);
}

void PairOrder::join(std::int32_t most) {
  if (most <= 1) return;
  edges_.clear();
  for (const BodyPairRange& pair : pairs_) edges_.push_back(pair.edge);
  edges_by_vertex(edges_, slot_count_, pairs_at_);
  next_.assign(pairs_at_.start.begin(), pairs_at_.start.end() - 1);
  is_taken_.assign(pairs_.size(), 0);
  visited_by_.assign(to_index(slot_count_), -1);
  taken_.clear();
  group_start_.assign(1, 0);
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    if (is_taken_[p] != 0) continue;
    queue_.assign(1, pairs_[p].edge.a);
    visited_by_[to_index(pairs_[p].edge.a)] = static_cast<std::int32_t>(group_start_.size());
    for (std::size_t i = 0; i < queue_.size(); ++i) take_pairs(queue_[i], group_start_.back() + most);
    group_start_.push_back(static_cast<std::int32_t>(taken_.size()));
  }
  for (std::size_t g = 0; g + 1 < group_start_.size(); ++g)
    std::sort(taken_.begin() + group_start_[g], taken_.begin() + group_start_[g + 1]);
  reorder();
}

/// The pairs of a body that are in no group yet join the one that grows, until `most` pairs are taken in all.
void PairOrder::take_pairs(std::int32_t body, std::int32_t most) {
  const auto group = static_cast<std::int32_t>(group_start_.size());
  std::int64_t& next = next_[to_index(body)];
  const std::int64_t end = pairs_at_.start[to_index(body) + 1];
  for (; next < end && static_cast<std::int32_t>(taken_.size()) < most; ++next) {
    const std::int32_t p = pairs_at_.item[to_index(next)];
    if (is_taken_[to_index(p)] != 0) continue;
    is_taken_[to_index(p)] = 1;
    taken_.push_back(p);
    for (const std::int32_t b : {edges_[to_index(p)].a, edges_[to_index(p)].b}) {
      if (b == kNoVertex || visited_by_[to_index(b)] == group) continue;
      visited_by_[to_index(b)] = group;
      queue_.push_back(b);
    }
  }
}

/// Pairs, contacts and rows in the order of the groups.
void PairOrder::reorder() {
  old_pairs_.assign(pairs_.begin(), pairs_.end());
  old_contacts_.assign(contacts_.begin(), contacts_.end());
  old_rows_.assign(rows_.begin(), rows_.end());
  std::int32_t contact = 0, row = 0;
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    const BodyPairRange& from = old_pairs_[to_index(taken_[i])];
    std::copy(old_contacts_.begin() + from.contact_begin, old_contacts_.begin() + from.contact_end,
              contacts_.begin() + contact);
    std::copy(old_rows_.begin() + from.row_begin, old_rows_.begin() + from.row_end, rows_.begin() + row);
    pairs_[i] = {from.edge, contact, contact + from.contact_end - from.contact_begin, row,
                 row + from.row_end - from.row_begin};
    contact = pairs_[i].contact_end, row = pairs_[i].row_end;
  }
}

}  // namespace cairn
