// SPDX-License-Identifier: MIT
// Broad phase: which boxes overlap, so that the narrow phase looks at those pairs only.
//
// A proxy is an index: its box, its filter and its ball stand at that index of the spans given to `find_pairs`.
// Detectors find out themselves what moved, came or went; the caller keeps arrays and nothing else. A caller that knows
// what may have changed says so (`Proxies::changed`): then the tree looks at nothing else. An empty box
// (Aabb{}) marks a proxy that is absent: it pairs with nothing until it gets a box again. Balls are optional: in a
// packing the boxes of diagonal neighbours overlap and their balls do not (a ball lattice: 13 pairs per body, or 3).
//
// Contract
//   * The pairs are those whose boxes overlap and whose balls overlap (touching counts) and whose filters accept
//     each other, without the excluded ones; each once, a < b, sorted by (a, b). All detectors return the same pairs.
//   * Results depend on boxes, filters and balls alone: not on earlier calls, not on the number of threads.
//   * A warm call allocates nothing: buffers grow to what a motion needs at most and stay.
//
// Which one: `tree` unless measured otherwise. `grid` for many bodies of like size that all move, `sweep_and_prune`
// for flat or stretched scenes with small motion, `exhaustive` for a handful of bodies and as the oracle of tests.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/core/parallel.h"
#include "cairn/math/aabb.h"
#include "cairn/math/bounding_ball.h"

namespace cairn {

struct BroadPair {
  std::int32_t a = 0, b = 0;  ///< a < b
  friend constexpr auto operator<=>(const BroadPair&, const BroadPair&) = default;
};

/// Who may meet whom. Two proxies are compared if each one's mask has a bit of the other's layer and one can move.
struct ProxyFilter {
  std::uint32_t layer = 1;          ///< the layers this proxy is in
  std::uint32_t mask = 0xffffffff;  ///< the layers it meets
  bool moves = true;                ///< false for the ground and all else that is fixed
  friend constexpr bool operator==(const ProxyFilter&, const ProxyFilter&) = default;
};

constexpr bool accepts(const ProxyFilter& a, const ProxyFilter& b) {
  return (a.layer & b.mask) != 0 && (b.layer & a.mask) != 0 && (a.moves || b.moves);
}

/// What is given to `find_pairs`.
struct Proxies {
  std::span<const Aabb> bounds;              ///< per proxy
  std::span<const ProxyFilter> filter;       ///< per proxy
  std::span<const BoundingBall> balls = {};  ///< per proxy, or none: they are not tested
  /// The proxies whose box, filter or ball may differ from those of the last call, in any order; null: any may.
  const std::vector<std::int32_t>* changed = nullptr;
};

/// 1 if the boxes overlap, else 0; without branches, for loops whose outcome cannot be predicted.
constexpr int overlap_bit(const Aabb& a, const Aabb& b) {
  return int{a.lower.x <= b.upper.x} & int{b.lower.x <= a.upper.x} & int{a.lower.y <= b.upper.y} &
         int{b.lower.y <= a.upper.y} & int{a.lower.z <= b.upper.z} & int{b.lower.z <= a.upper.z};
}

/// The largest coordinate of a box that is accepted; keeps every product of two lengths finite.
inline constexpr double kLargestCoordinate = 1e100;

class BroadPhase {
 public:
  virtual ~BroadPhase() = default;

  /// Finds all pairs; see the contract above. Throws InputError that names the proxy if a box is not finite, has its
  /// corners exchanged or lies beyond kLargestCoordinate, if a centre does, or if a radius is negative or no number;
  /// nothing has changed then. No balls at all: they are not tested.
  void find_pairs(const Proxies& proxies, ThreadPool* pool, std::vector<BroadPair>& pairs);
  void find_pairs(std::span<const Aabb> bounds, std::span<const ProxyFilter> filter,
                  std::span<const BoundingBall> balls, ThreadPool* pool, std::vector<BroadPair>& pairs) {
    find_pairs(Proxies{bounds, filter, balls}, pool, pairs);
  }
  void find_pairs(std::span<const Aabb> bounds, std::span<const ProxyFilter> filter, ThreadPool* pool,
                  std::vector<BroadPair>& pairs) {
    find_pairs(bounds, filter, {}, pool, pairs);
  }

  /// Pairs never to be returned, such as bodies joined to each other; any order, replaces the last list.
  void set_excluded(std::span<const BroadPair> excluded);

  /// The proxies whose box, as of the last find_pairs, overlaps `box`; sorted.
  void find_overlaps(const Aabb& box, std::vector<std::int32_t>& proxies) const;

 protected:
  /// Writes the pairs of bounds_, filter_ and balls_, sorted; exclusions are dealt with by the caller.
  virtual void collect(ThreadPool* pool, std::vector<BroadPair>& pairs) = 0;

  /// For detectors that can do better than looking at every box; any order.
  virtual void query_overlaps(const Aabb& box, std::vector<std::int32_t>& proxies) const;

  /// The filters of two proxies accept each other. Most proxies meet all others, and a byte each tells.
  bool accepted(std::int32_t a, std::int32_t b) const {
    const auto i = to_index(a), j = to_index(b);
    return (picky_[i] | picky_[j]) == 0 || accepts(filter_[i], filter_[j]);
  }

  /// The same, and their balls overlap.
  bool admitted(std::int32_t a, std::int32_t b) const {
    return accepted(a, b) && (balls_.empty() || overlap(balls_[to_index(a)], balls_[to_index(b)]));
  }

  std::int32_t count() const { return static_cast<std::int32_t>(bounds_.size()); }

  std::vector<Aabb> bounds_;         ///< per proxy, of the current or last call
  std::vector<ProxyFilter> filter_;  ///< per proxy
  std::vector<BoundingBall> balls_;  ///< per proxy, or empty: no ball test
  /// Per proxy: 1 if the filter differs from the last call's, or the proxy is new. Valid during `collect`.
  std::vector<std::uint8_t> filter_changed_;
  /// During `collect`: all that differs from the last call, if it is little and no filter is among it; else null.
  const std::vector<std::int32_t>* few_changed_ = nullptr;

 private:
  void check(const Proxies& proxies, ThreadPool* pool);
  bool are_few(const Proxies& proxies) const;
  bool holds_all_changes(const Proxies& proxies) const;
  void remember(const Proxies& proxies, ThreadPool* pool);
  void remember_few(const Proxies& proxies);
  void remove_excluded(std::vector<BroadPair>& pairs) const;

  void find_picky(ThreadPool* pool);

  std::vector<std::uint8_t> picky_;      ///< per proxy: 0 if it moves and meets every layer in use
  std::vector<BroadPair> excluded_;      ///< sorted, unique, a < b
  std::vector<std::int32_t> first_bad_;  ///< per block of proxies; scratch of `check`
};

/// A detector by name; throws InputError with the nearest known name.
std::unique_ptr<BroadPhase> make_broad_phase(std::string_view name);

/// The names make_broad_phase knows, the default first.
std::vector<std::string> broad_phase_names();

}  // namespace cairn
