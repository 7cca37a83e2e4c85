// SPDX-License-Identifier: MIT
#include "cairn/broad/broad_phase.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cairn/broad/exhaustive.h"
#include "cairn/broad/grid.h"
#include "cairn/broad/sweep_and_prune.h"
#include "cairn/broad/tree.h"
#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/core/names.h"

namespace cairn {

namespace {

constexpr std::int64_t kGrain = 4096;

bool within(double x) { return x >= -kLargestCoordinate && x <= kLargestCoordinate; }

/// Ordered and within reach, or absent. False for anything with a NaN.
bool usable(const Aabb& box) {
  const bool ordered = box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && box.lower.z <= box.upper.z;
  const bool reachable = within(box.lower.x) && within(box.upper.x) && within(box.lower.y) && within(box.upper.y) &&
                         within(box.lower.z) && within(box.upper.z);
  return (ordered && reachable) || box == Aabb{};
}

/// False for anything with a NaN.
bool usable(const BoundingBall& ball) {
  return within(ball.centre.x) && within(ball.centre.y) && within(ball.centre.z) && ball.radius >= 0;
}

std::string complaint(std::int32_t proxy, const Aabb& box) {
  const char* cure = "give it lower <= upper, or an empty box to take it out";
  if (!is_finite(box.lower) || !is_finite(box.upper)) cure = "its body has left the numbers: remove or reset it";
  return fmt::format("the box of proxy {} cannot be used: lower ({}, {}, {}), upper ({}, {}, {}), limit {}; {}", proxy,
                     box.lower.x, box.lower.y, box.lower.z, box.upper.x, box.upper.y, box.upper.z, kLargestCoordinate,
                     cure);
}

std::string complaint(std::int32_t proxy, const BoundingBall& ball) {
  return fmt::format(
      "the ball of proxy {} cannot be used: centre ({}, {}, {}), radius {}, limit {}; give it a finite centre and a "
      "radius of at least zero, or none: BoundingBall{{}}",
      proxy, ball.centre.x, ball.centre.y, ball.centre.z, ball.radius, kLargestCoordinate);
}

bool is_usable(std::span<const Aabb> bounds, std::span<const BoundingBall> balls, std::size_t i) {
  return usable(bounds[i]) && (balls.empty() || usable(balls[i]));
}

[[noreturn]] void complain(std::span<const Aabb> bounds, std::span<const BoundingBall> balls, std::int32_t bad) {
  const auto k = to_index(bad);
  fail_input(usable(bounds[k]) ? complaint(bad, balls[k]) : complaint(bad, bounds[k]));
}

}  // namespace

void BroadPhase::find_pairs(const Proxies& proxies, ThreadPool* pool, std::vector<BroadPair>& pairs) {
  const auto& [bounds, filter, balls, changed] = proxies;
  require(bounds.size() == filter.size(), "find_pairs needs one filter for every box");
  require(balls.empty() || bounds.size() == balls.size(), "find_pairs needs one ball for every box, or none at all");
  require(bounds.size() < 0x7fffffff, "find_pairs takes fewer than 2^31 - 1 boxes");
  CAIRN_ASSERT(changed == nullptr || holds_all_changes(proxies));
  if (are_few(proxies)) {
    remember_few(proxies);
  } else {
    check(proxies, pool);
    remember(proxies, pool);
    find_picky(pool);
  }
  collect(pool, pairs);
  remove_excluded(pairs);
}

/// What changed is known, is little, and no proxy came, went or has another filter.
bool BroadPhase::are_few(const Proxies& proxies) const {
  constexpr std::size_t kFew = 8;  // one in so many
  const std::vector<std::int32_t>* changed = proxies.changed;
  const std::size_t count = proxies.bounds.size();
  if (changed == nullptr || bounds_.size() != count || balls_.size() != proxies.balls.size()) return false;
  return kFew * changed->size() < count && std::none_of(changed->begin(), changed->end(), [&](std::int32_t i) {
           return filter_[to_index(i)] != proxies.filter[to_index(i)];
         });
}

/// Of every proxy that is not listed, the last call's values still hold.
bool BroadPhase::holds_all_changes(const Proxies& proxies) const {
  const auto& [bounds, filter, balls, changed] = proxies;
  if (bounds_.size() != bounds.size() || balls_.size() != balls.size()) return true;  // all are looked at
  std::vector<std::uint8_t> listed(bounds.size(), 0);
  for (const std::int32_t i : *changed) listed[to_index(i)] = 1;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const bool same_ball =
        balls.empty() || (balls_[i].centre == balls[i].centre && balls_[i].radius == balls[i].radius);
    if (listed[i] == 0 && !(bounds_[i] == bounds[i] && filter_[i] == filter[i] && same_ball)) return false;
  }
  return true;
}

void BroadPhase::check(const Proxies& proxies, ThreadPool* pool) {
  const auto& [bounds, filter, balls, changed] = proxies;
  const auto n = static_cast<std::int64_t>(bounds.size());
  first_bad_.assign(to_index((n + kGrain - 1) / kGrain), -1);
  parallel_for(pool, n, kGrain, [&, &bounds = bounds, &balls = balls](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (is_usable(bounds, balls, to_index(i))) continue;
      first_bad_[to_index(begin / kGrain)] = static_cast<std::int32_t>(i);
      return;
    }
  });
  for (const std::int32_t bad : first_bad_)
    if (bad >= 0) complain(bounds, balls, bad);
}

void BroadPhase::remember(const Proxies& proxies, ThreadPool* pool) {
  const std::size_t known = std::min(filter_.size(), proxies.filter.size());
  bounds_.resize(proxies.bounds.size());
  filter_.resize(proxies.filter.size());
  balls_.resize(proxies.balls.size());
  filter_changed_.resize(proxies.filter.size());
  few_changed_ = nullptr;
  for_each_index(pool, bounds_.size(), kGrain, [&](std::size_t i) {
    bounds_[i] = proxies.bounds[i];
    filter_changed_[i] = i >= known || filter_[i] != proxies.filter[i] ? 1 : 0;
    filter_[i] = proxies.filter[i];
    if (!balls_.empty()) balls_[i] = proxies.balls[i];
  });
}

/// The same for what changed alone; nothing has changed if one of those cannot be used.
void BroadPhase::remember_few(const Proxies& proxies) {
  const auto& [bounds, filter, balls, changed] = proxies;
  for (const std::int32_t i : *changed)
    if (!is_usable(bounds, balls, to_index(i))) complain(bounds, balls, i);
  for (const std::int32_t i : *changed) {
    bounds_[to_index(i)] = bounds[to_index(i)];
    if (!balls.empty()) balls_[to_index(i)] = balls[to_index(i)];
  }
  few_changed_ = changed;
}

void BroadPhase::find_picky(ThreadPool* pool) {
  std::uint32_t in_use = 0;
  for (const ProxyFilter& filter : filter_) in_use |= filter.layer;
  picky_.resize(filter_.size());
  for_each_index(pool, count(), kGrain, [&](std::size_t i) {
    const ProxyFilter& filter = filter_[i];
    picky_[i] = filter.moves && filter.layer != 0 && (in_use & ~filter.mask) == 0 ? 0 : 1;
  });
}

void BroadPhase::set_excluded(std::span<const BroadPair> excluded) {
  excluded_.assign(excluded.begin(), excluded.end());
  for (BroadPair& pair : excluded_)
    if (pair.a > pair.b) std::swap(pair.a, pair.b);
  std::sort(excluded_.begin(), excluded_.end());
  excluded_.erase(std::unique(excluded_.begin(), excluded_.end()), excluded_.end());
}

void BroadPhase::remove_excluded(std::vector<BroadPair>& pairs) const {
  // Both lists are sorted: copy down what stands between one excluded pair and the next.
  auto read = pairs.begin(), write = pairs.begin();
  for (const BroadPair& pair : excluded_) {
    const auto found = std::lower_bound(read, pairs.end(), pair);
    if (found == pairs.end()) break;
    if (*found != pair) continue;
    write = write == read ? found : std::copy(read, found, write);
    read = found + 1;
  }
  if (write != read) pairs.erase(std::copy(read, pairs.end(), write), pairs.end());
}

void BroadPhase::find_overlaps(const Aabb& box, std::vector<std::int32_t>& proxies) const {
  proxies.clear();
  query_overlaps(box, proxies);
  std::sort(proxies.begin(), proxies.end());
}

void BroadPhase::query_overlaps(const Aabb& box, std::vector<std::int32_t>& proxies) const {
  for (std::int32_t i = 0; i < count(); ++i)
    if (overlap(bounds_[to_index(i)], box)) proxies.push_back(i);
}

std::vector<std::string> broad_phase_names() { return {"tree", "sweep_and_prune", "grid", "exhaustive"}; }

std::unique_ptr<BroadPhase> make_broad_phase(std::string_view name) {
  if (name == "tree") return std::make_unique<TreeBroadPhase>();
  if (name == "sweep_and_prune") return std::make_unique<SweepAndPrune>();
  if (name == "grid") return std::make_unique<GridBroadPhase>();
  if (name == "exhaustive") return std::make_unique<ExhaustiveBroadPhase>();
  fail_input(fmt::format("there is no broad phase '{}'{}; take one of {}", name,
                         did_you_mean(name, broad_phase_names()), fmt::join(broad_phase_names(), ", ")));
}

}  // namespace cairn
