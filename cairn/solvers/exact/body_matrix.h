// SPDX-License-Identifier: MIT
// BodyMatrix: a sparse matrix of 6 x 6 blocks, one row of blocks per body, and its LU factor.
//
//   A = L U by blocks: pivots are factorised with row exchanges inside their block, never between blocks.
//
// The pattern is symmetric (who touches whom), the numbers are not: sliding friction couples a tangent to a normal and
// not the other way round. Symbolic phase by the ordering of ldl_ordering.h, made anew only where the graph changed;
// it depends on the graph alone. Internal to `exact`.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/graph/edges.h"

namespace cairn {

class BodyMatrix {
 public:
  static constexpr int kDim = 6, kEntries = 36;

  /// Vertices are bodies; edges may repeat and may lack an end. Keeps its memory, and does nothing for an equal graph.
  void set_graph(std::span<const Edge> edges, std::int32_t body_count);

  std::int32_t body_count() const { return body_count_; }
  /// Blocks (a, b) and (b, a) of an edge of the graph, 36 numbers row major. Valid until the graph changes.
  struct Place {
    std::int32_t aa = -1, bb = -1, ab = -1, ba = -1;
  };
  const Place& place(std::size_t edge) const { return places_[edge]; }
  double* block(std::int32_t index) { return values_.data() + std::int64_t{index} * kEntries; }

  void set_identity();
  /// False where a pivot is singular or not finite.
  bool factorise();
  /// x <- A^-1 x, six numbers per body.
  void solve(std::span<double> x) const;

  std::int64_t stored_blocks() const { return body_count_ + 2 * static_cast<std::int64_t>(column_.size()); }

 private:
  void analyse();
  void find_targets();
  void find_places();
  std::int32_t upper_of(std::int32_t position, std::int32_t other) const;
  bool factorise_pivot(std::int32_t position);

  std::int32_t body_count_ = 0;
  std::vector<Edge> edges_;
  std::vector<Place> places_;           ///< per edge
  std::vector<std::int32_t> order_;     ///< per position: the body
  std::vector<std::int32_t> position_;  ///< per body
  std::vector<std::int32_t> start_;     ///< per position: into column_; one more at the end
  std::vector<std::int32_t> column_;    ///< later positions that a position is joined to, ascending
  std::vector<std::int32_t> targets_;   ///< per position, pairs i < j of its column: the upper block (i, j)
  std::vector<std::int64_t> first_target_;
  std::vector<double> values_;  ///< pivots by position, then per entry of column_ its upper and its lower block
  std::vector<std::array<std::int8_t, kDim>> exchange_;  ///< per position: row that went to each place
};

}  // namespace cairn
