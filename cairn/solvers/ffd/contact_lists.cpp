// SPDX-License-Identifier: MIT
#include "cairn/solvers/ffd/contact_lists.h"

#include <algorithm>
#include <atomic>
#include <tuple>

namespace cairn {

namespace {

constexpr std::int64_t kContactGrain = 1024;
constexpr std::int64_t kBodyGrain = 1024;

/// number++, returning what it was; other threads may do the same unless there is no pool.
std::int32_t take(std::int32_t& number, const ThreadPool* pool) {
  if (pool == nullptr) return number++;
  return std::atomic_ref<std::int32_t>(number).fetch_add(1, std::memory_order_relaxed);
}

/// use(body, side) for the bodies of a contact that can move.
template <class Use>
void for_sides(const ContactProblem& problem, std::size_t k, Use&& use) {
  const ContactBlock& c = problem.contacts[k];
  const bool a_moves = problem.bodies[to_index(c.body_a)].is_dynamic(),
             b_moves = problem.bodies[to_index(c.body_b)].is_dynamic();
  if (a_moves)
    use(c.body_a, ContactSide{static_cast<std::int32_t>(k), false, b_moves ? SideRank::soft : SideRank::hard});
  if (b_moves)
    use(c.body_b, ContactSide{static_cast<std::int32_t>(k), true, a_moves ? SideRank::soft : SideRank::hard});
}

/// An order of the contacts of one body that does not know their numbers.
bool comes_before(const ContactProblem& problem, const ContactSide& x, const ContactSide& y) {
  if (x.rank != y.rank) return x.rank < y.rank;
  const auto key = [&](const ContactSide& side) {
    const ContactBlock& c = problem.contacts[to_index(side.contact)];
    const Vec3& arm = side.is_b ? c.arm_b : c.arm_a;
    return std::tuple(side.is_b ? c.body_a : c.body_b, arm.x, arm.y, arm.z, c.normal.x, c.normal.y, c.normal.z, c.gap);
  };
  return key(x) < key(y);
}

}  // namespace

void ContactLists::count(const ContactProblem& problem, ThreadPool* pool) {
  taken_.assign(problem.bodies.size(), 0);
  for_each_index(pool, problem.contacts.size(), kContactGrain, [&](std::size_t k) {
    for_sides(problem, k, [&](std::int32_t body, const ContactSide&) { take(taken_[to_index(body)], pool); });
  });
}

/// start_[i] = sum of the counts before i: by blocks, over the blocks, and inside them.
void ContactLists::sum_counts(ThreadPool* pool) {
  const auto bodies = static_cast<std::int64_t>(taken_.size());
  start_.resize(taken_.size() + 1);
  blocks_.assign(to_index((bodies + kBodyGrain - 1) / kBodyGrain) + 1, 0);
  parallel_for(pool, bodies, kBodyGrain, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t sum = 0;
    for (std::int64_t i = begin; i < end; ++i) sum += taken_[to_index(i)];
    blocks_[to_index(begin / kBodyGrain) + 1] = sum;
  });
  for (std::size_t b = 1; b < blocks_.size(); ++b) blocks_[b] += blocks_[b - 1];
  parallel_for(pool, bodies, kBodyGrain, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t sum = blocks_[to_index(begin / kBodyGrain)];
    for (std::int64_t i = begin; i < end; ++i) {
      start_[to_index(i)] = sum;
      sum += taken_[to_index(i)];
      taken_[to_index(i)] = 0;
    }
  });
  start_.back() = blocks_.back();
}

std::size_t ContactLists::longest(ThreadPool* pool) const {
  return to_index(parallel_reduce(
      pool, static_cast<std::int64_t>(taken_.size()), kBodyGrain, 0,
      [&](std::int64_t begin, std::int64_t end) {
        return *std::max_element(taken_.begin() + begin, taken_.begin() + end);
      },
      [](std::int32_t a, std::int32_t b) { return std::max(a, b); }));
}

void ContactLists::make(const ContactProblem& problem, ThreadPool* pool) {
  count(problem, pool);
  sum_counts(pool);
  sides_.resize(to_index(start_.back()));
  for_each_index(pool, problem.contacts.size(), kContactGrain, [&](std::size_t k) {
    for_sides(problem, k, [&](std::int32_t body, const ContactSide& side) {
      sides_[to_index(start_[to_index(body)] + take(taken_[to_index(body)], pool))] = side;
    });
  });
  for_each_index(pool, taken_.size(), kBodyGrain, [&](std::size_t i) {
    if (taken_[i] > 1)
      std::sort(sides_.begin() + start_[i], sides_.begin() + start_[i + 1],
                [&](const ContactSide& x, const ContactSide& y) { return comes_before(problem, x, y); });
  });
}

}  // namespace cairn
