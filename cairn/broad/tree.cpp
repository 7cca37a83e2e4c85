// SPDX-License-Identifier: MIT
#include "cairn/broad/tree.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::int64_t kGrain = 4096;
constexpr std::int64_t kPairGrain = 16384;
constexpr double kDiagonal = 1.7320508076;  // sqrt(3): a fat ball lasts as long as the fat box of the same margin
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool present(const Aabb& box) { return box.lower.x <= box.upper.x; }

double extent(const Aabb& box) {
  return std::max({box.upper.x - box.lower.x, box.upper.y - box.lower.y, box.upper.z - box.lower.z});
}

/// The ball lies within the fat one. A fat ball without end holds everything.
bool contains(const BoundingBall& fat, const BoundingBall& ball) {
  const Vec3 d = fat.centre - ball.centre;
  const double room = fat.radius - ball.radius;
  return fat.radius == kInfinity || (room >= 0 && dot(d, d) <= room * room);
}

BroadPair ordered(std::int32_t a, std::int32_t b) { return a < b ? BroadPair{a, b} : BroadPair{b, a}; }

}  // namespace

TreeBroadPhase::TreeBroadPhase(const TreeSettings& settings) : settings_(settings) {
  require(settings.margin >= 0 && settings.margin <= 10, "the margin of the tree must be from 0 to 10 extents");
}

void TreeBroadPhase::collect(ThreadPool* pool, std::vector<BroadPair>& pairs) {
  const bool all_within =
      few_changed_ != nullptr && std::none_of(few_changed_->begin(), few_changed_->end(),
                                              [&](std::int32_t proxy) { return has_left(to_index(proxy)); });
  if (all_within) {
    test_few();
  } else {
    renew(pool);
    test_kept(pool);
  }
  keep_exact(pool, pairs);
}

/// New fat boxes and pairs for those that left theirs.
void TreeBroadPhase::renew(ThreadPool* pool) {
  const bool count_changed = fat_.size() != bounds_.size();
  const bool balls_gone = balls_.empty() && !fat_ball_.empty();  // the kept pairs lack what the balls ruled out
  fat_.resize(bounds_.size());
  fat_ball_.resize(balls_.size());
  tree_.take_count(count());
  find_leavers(pool);
  tree_.mark(left_, pool, marked_.lanes);
  renewals_.choose(marked_.lanes);
  if (balls_gone) mark_all();
  const bool any =
      std::any_of(marked_.lanes.begin(), marked_.lanes.end(), [](std::uint8_t lanes) { return lanes != 0; });
  if (count_changed || any) find_kept(pool);
}

/// An absent proxy counts as being within its fat box: its kept pairs fail the exact test.
bool TreeBroadPhase::has_left(std::size_t proxy) const {
  const bool ball_within = balls_.empty() || !present(bounds_[proxy]) || contains(fat_ball_[proxy], balls_[proxy]);
  return !contains(fat_[proxy], bounds_[proxy]) || !ball_within;
}

void TreeBroadPhase::find_leavers(ThreadPool* pool) {
  left_.resize(bounds_.size());
  const bool filters_last = few_changed_ != nullptr;
  for_each_index(pool, count(), kGrain,
                 [&](std::size_t i) { left_[i] = has_left(i) || (!filters_last && filter_changed_[i] != 0) ? 1 : 0; });
}

void TreeBroadPhase::measure_extent() {
  double sum = 0;
  std::int64_t movers = 0;
  for (std::size_t i = 0; i < bounds_.size(); ++i)
    if (filter_[i].moves && present(bounds_[i])) sum += extent(bounds_[i]), ++movers;
  mean_extent_ = movers > 0 ? sum / static_cast<double>(movers) : 0;
}

/// The margin of a wide proxy is bounded by the mean, or it would keep all its surroundings as pairs.
void TreeBroadPhase::make_fat(std::size_t proxy) {
  const Aabb& box = bounds_[proxy];
  const bool fixed = !present(box) || !filter_[proxy].moves;
  const double margin = fixed ? 0 : settings_.margin * std::min(extent(box), mean_extent_);
  fat_[proxy] = fixed ? box : grown(box, margin);
  if (!balls_.empty()) fat_ball_[proxy] = {balls_[proxy].centre, balls_[proxy].radius + kDiagonal * margin};
}

void TreeBroadPhase::mark_all() {
  std::fill(marked_.lanes.begin(), marked_.lanes.end(), 0xff);
  renewals_.renew_all();
}

/// New fat boxes and balls for the proxies that are marked, then their pairs, and with those the kept ones.
void TreeBroadPhase::find_kept(ThreadPool* pool) {
  bool all = tree_.finish_marks(marked_, pool, left_);
  if (all || mean_extent_ == 0) measure_extent();
  for_each_index(pool, count(), kGrain, [&](std::size_t i) {
    if (left_[i] != 0) make_fat(i);
  });
  if (tree_.update(fat_, fat_ball_, marked_.lanes, pool)) {
    mark_all();
    all = tree_.finish_marks(marked_, pool, left_);
  }
  const std::int64_t grain = buffer_.start(tree_.group_count(), 32);
  parallel_for(pool, tree_.group_count(), grain, [&](std::int64_t begin, std::int64_t end) {
    std::vector<BroadPair>& found = buffer_.block(begin / grain);
    for (auto group = static_cast<std::int32_t>(begin); group < end; ++group)
      tree_.visit_pairs(group, marked_, [&](std::int32_t p, std::int32_t q) {
        if (accepted(p, q)) found.push_back(ordered(p, q));
      });
  });
  buffer_.sort(count(), pool, all ? kept_ : fresh_);
  if (!all) merge_into_kept(pool);
}

/// kept_ = (kept_ without the pairs of leavers) and fresh_, both sorted. Each block of kept_ takes the fresh pairs
/// from its own first pair up to the first of the next block.
void TreeBroadPhase::merge_into_kept(ThreadPool* pool) {
  const auto n = std::max<std::int64_t>(static_cast<std::int64_t>(kept_.size()), 1);
  const std::int64_t grain = buffer_.start(n, kPairGrain);
  parallel_for(pool, n, grain, [&](std::int64_t begin, std::int64_t end) {
    const auto size = static_cast<std::int64_t>(kept_.size());
    std::vector<BroadPair>& merged = buffer_.block(begin / grain);
    const auto place = [&](std::int64_t k) {
      return std::lower_bound(fresh_.begin(), fresh_.end(), kept_[to_index(k)]);
    };
    auto next = begin == 0 ? fresh_.begin() : place(begin);
    const auto last = end >= size ? fresh_.end() : place(end);
    for (std::int64_t k = begin; k < std::min(end, size); ++k) {
      const BroadPair pair = kept_[to_index(k)];
      if (pair.b >= count()) continue;  // gone; of the two it is the higher that goes
      if ((left_[to_index(pair.a)] | left_[to_index(pair.b)]) != 0) continue;
      for (; next != last && *next < pair; ++next) merged.push_back(*next);
      merged.push_back(pair);
    }
    merged.insert(merged.end(), next, last);
  });
  buffer_.concatenate(pool, kept_);
}

/// Which kept pairs overlap with their true boxes and balls.
void TreeBroadPhase::test_kept(ThreadPool* pool) {
  is_exact_.resize(kept_.size());
  const bool balls = !balls_.empty();
  for_each_index(pool, kept_.size(), kPairGrain, [&](std::size_t k) {
    const auto a = to_index(kept_[k].a), b = to_index(kept_[k].b);
    is_exact_[k] = static_cast<std::uint8_t>(overlap_bit(bounds_[a], bounds_[b]) &
                                             (balls ? int{overlap(balls_[a], balls_[b])} : 1));
  });
}

/// The same for the pairs of few proxies; the others overlap as they did.
void TreeBroadPhase::test_few() {
  changed_.resize(bounds_.size(), 0);
  for (const std::int32_t proxy : *few_changed_) changed_[to_index(proxy)] = 1;
  const bool balls = !balls_.empty();
  if (!few_changed_->empty())
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      const auto a = to_index(kept_[k].a), b = to_index(kept_[k].b);
      if ((changed_[a] | changed_[b]) == 0) continue;
      is_exact_[k] = overlap(bounds_[a], bounds_[b]) && (!balls || overlap(balls_[a], balls_[b])) ? 1 : 0;
    }
  for (const std::int32_t proxy : *few_changed_) changed_[to_index(proxy)] = 0;
}

/// The pairs that overlap exactly. Every block writes to its own part of the result, then the parts close up.
void TreeBroadPhase::keep_exact(ThreadPool* pool, std::vector<BroadPair>& pairs) {
  const auto n = static_cast<std::int64_t>(kept_.size());
  pairs.resize(kept_.size());
  exact_.resize(to_index((n + kPairGrain - 1) / kPairGrain));
  parallel_for(pool, n, kPairGrain, [&](std::int64_t begin, std::int64_t end) {
    BroadPair* out = pairs.data() + begin;
    for (std::int64_t k = begin; k < end; ++k) {
      *out = kept_[to_index(k)];
      out += is_exact_[to_index(k)];
    }
    exact_[to_index(begin / kPairGrain)] = out - (pairs.data() + begin);
  });
  BroadPair* write = pairs.data();
  for (std::size_t block = 0; block < exact_.size(); ++block) {
    const BroadPair* read = pairs.data() + static_cast<std::int64_t>(block) * kPairGrain;
    write = write == read ? write + exact_[block] : std::copy(read, read + exact_[block], write);
  }
  pairs.resize(to_index(write - pairs.data()));
}

void TreeBroadPhase::query_overlaps(const Aabb& box, std::vector<std::int32_t>& proxies) const {
  const TreeBox sought = tree_.to_tree(box);
  tree_.visit_if([&](const WideNode& node) { return overlap_mask(node, sought); },
                 [&](std::int32_t group, int lane) {
                   const std::int32_t q = tree_.proxy(group, lane);
                   if (overlap(bounds_[to_index(q)], box)) proxies.push_back(q);
                 });
}

}  // namespace cairn
