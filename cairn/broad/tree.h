// SPDX-License-Identifier: MIT
// The default broad phase: a wide tree over fat boxes, and the pairs of fat boxes kept from step to step.
//
// Every proxy that moves has a fat box, its box and a margin, and a fat ball likewise. While box and ball stay within,
// nothing is done but that check, for those alone that changed if the caller names them; the kept pairs, those whose
// fat boxes and balls overlap, are tested with the true ones, which makes the answer exact. Proxies that left get new
// fat boxes, and only their pairs are looked up again, by whole blocks of neighbours where many left (renewals.h). The
// tree is refitted, and built again when refitting has made it worse.
//
// When to use: always, unless another is measured to be faster. Sizes may differ by orders of magnitude.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/broad/broad_phase.h"
#include "cairn/broad/pair_buffer.h"
#include "cairn/broad/renewals.h"
#include "cairn/broad/wide_tree.h"

namespace cairn {

struct TreeSettings {
  /// Margin of the fat boxes in extents of the box. Larger: fewer updates, more kept pairs to test each step.
  double margin = 0.1;
};

class TreeBroadPhase final : public BroadPhase {
 public:
  explicit TreeBroadPhase(const TreeSettings& settings = {});

 private:
  void collect(ThreadPool* pool, std::vector<BroadPair>& pairs) override;
  void query_overlaps(const Aabb& box, std::vector<std::int32_t>& proxies) const override;

  bool has_left(std::size_t proxy) const;
  void find_leavers(ThreadPool* pool);
  void renew(ThreadPool* pool);
  void mark_all();
  void find_kept(ThreadPool* pool);
  void merge_into_kept(ThreadPool* pool);
  void test_kept(ThreadPool* pool);
  void test_few();
  void keep_exact(ThreadPool* pool, std::vector<BroadPair>& pairs);
  void measure_extent();
  void make_fat(std::size_t proxy);

  TreeSettings settings_;
  WideTree tree_;  ///< over fat_ and fat_ball_, up to date after every call
  Renewals renewals_;
  MarkedLanes marked_;                  ///< those that get new fat boxes, by groups of the tree
  double mean_extent_ = 0;              ///< of the proxies that move, at the last update of all
  std::vector<Aabb> fat_;               ///< per proxy; empty while it has not been present
  std::vector<BoundingBall> fat_ball_;  ///< per proxy, or empty like balls_
  std::vector<std::uint8_t> left_;      ///< per proxy: 1 if it needs a new fat box in this call
  std::vector<BroadPair> kept_;         ///< accepted pairs of fat boxes and balls, sorted
  std::vector<BroadPair> fresh_;        ///< pairs of those with new fat boxes, sorted
  std::vector<std::uint8_t> is_exact_;  ///< per pair of kept_: 1 if the true boxes and balls overlap
  std::vector<std::uint8_t> changed_;   ///< per proxy: 1 if it is one of few_changed_; 0 outside `test_few`
  std::vector<std::int64_t> exact_;     ///< per block of kept_: pairs that overlap exactly
  PairBuffer buffer_;
};

}  // namespace cairn
