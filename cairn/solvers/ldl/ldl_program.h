// SPDX-License-Identifier: MIT
// LdlProgram: the symbolic phase of the sparse block LDL of a mechanism (Mizerski 2020): what is computed from what,
// where.
//
//   H = J M^-1 J^T + G,   H = L D L^T by blocks of 1..6 rows
//
// Made once per structure, immutable, shared by all mechanisms that look alike; the numbers are in LdlFactor. Bodies
// with many joints make H dense, since all their blocks are coupled. Three remedies (LdlHubs):
//
//   plain    none
//   shatter  the body becomes a chain of k shards with inverse mass k M^-1, glued by rigid blocks (Mizerski 2020, "body
//            shattering"): exact, because equal shards that move together are the body
//   hub      the body's velocity stays an unknown q, and H keeps only the other bodies:
//              [ H'      J S ] [ lambda ]   [ r ]
//              [ S^T J^T  -1 ] [   q    ] = [ 0 ],   S S^T = M^-1 of the hub
//            Symmetric quasi-definite; S instead of M^-1 makes the pivot of the hub -1 whatever its mass.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cairn/solvers/ldl/ldl_ordering.h"
#include "cairn/solvers/ldl/ldl_settings.h"
#include "cairn/solvers/ldl/ldl_structure.h"

namespace cairn {

struct LdlProgramSettings {
  LdlHubs hubs = LdlHubs::hub;
  LdlOrdering ordering = LdlOrdering::automatic;
  int hub_rows = 20;  ///< bodies with more rows than this are split or kept

  friend bool operator==(const LdlProgramSettings&, const LdlProgramSettings&) = default;
};

/// Sizes and costs by the conventions of Mizerski 2020. Multiply-adds; a flop is half of one.
struct LdlCounts {
  std::int64_t nodes = 0;         ///< blocks, shards' rigid joints and hubs
  std::int64_t rows = 0;          ///< dimension of the matrix
  std::int64_t nonzeros = 0;      ///< of the matrix, before elimination
  double density = 0;             ///< nonzeros / rows^2
  std::int64_t fill_blocks = 0;   ///< added by elimination
  double pivot_work = 0;          ///< sum of d^3 / 6
  std::int64_t column_work = 0;   ///< sum of h d^2
  std::int64_t update_work = 0;   ///< sum of d h (h + 1) / 2
  std::int64_t solve_work = 0;    ///< sum of 2 h d + d^2
  double factor_flops = 0;        ///< 2 (pivot + column + update)
  double published_flops = 0;     ///< factor_flops + sum of d^2: what Mizerski 2020 prints
  std::int64_t product_work = 0;  ///< to assemble the matrix: sum of 6 d d'
};

/// Rows [row, row + count) of an update go to values[target + column * stride ...].
struct LdlRun {
  std::int32_t row = 0, count = 0, target = 0, stride = 0;
};

/// The part of an update that belongs to one neighbour: its `count` columns start at row `row` of the pivot's column.
struct LdlColumn {
  std::int32_t row = 0, count = 0;
  std::int32_t first_run = 0, end_run = 0;
};

/// One step of the elimination.
struct LdlPivot {
  std::int32_t degree = 0, height = 0;  ///< d, and h: rows of all neighbours
  std::int32_t diagonal = 0;            ///< d x d by columns at values[diagonal]
  std::int32_t edge = 0, stride = 0;    ///< h x d by columns at values[edge], columns `stride` apart, padded by zeros
  std::int32_t x = 0;                   ///< its first unknown
  std::int32_t first_column = 0, end_column = 0;  ///< in columns
  std::int32_t first_column_x = 0;                ///< in column_x, `stride` of them
  bool is_hub = false;
};

/// Where the rows of one side of a block come from.
enum class LdlSideKind {
  joint_a,  ///< J of body a
  joint_b,
  shard_front,  ///< identity
  shard_back,   ///< minus identity
  hub,          ///< S^T
};
struct LdlSide {
  LdlSideKind kind = LdlSideKind::joint_a;
  std::int32_t body = 0;       ///< of the mechanism
  std::int32_t first_row = 0;  ///< of the mechanism, for joints
  std::int32_t degree = 0;
  double weight = 1;         ///< number of shards
  bool is_weighted = false;  ///< as a right factor J M^-1, else J
};

/// The sides of a block; -1: that body cannot move.
struct LdlBlockSides {
  std::int32_t first_row = 0, degree = 0;
  std::int32_t side_a = -1, side_b = -1;
};

/// values[target + k stride + i] += sum over m of left[i][m] right[k][m], for i >= k alone on the diagonal.
struct LdlProduct {
  std::int32_t left = 0, right = 0, target = 0, stride = 0;
  bool is_diagonal = false;
};

class LdlProgram {
 public:
  LdlProgram(const LdlStructure& structure, const LdlProgramSettings& settings);

  const LdlStructure& structure() const { return structure_; }
  const LdlCounts& counts() const { return counts_; }
  const LdlElimination& elimination() const { return elimination_; }
  const LdlGraph& graph() const { return graph_; }

  std::int32_t row_count() const { return static_cast<std::int32_t>(row_x_.size()); }
  std::int32_t value_count() const { return value_count_; }
  std::int32_t unknowns() const { return unknowns_; }
  std::int32_t tallest() const { return tallest_; }  ///< largest stride: length of scratch columns

  const std::vector<LdlPivot>& pivots() const { return pivots_; }
  const std::vector<LdlColumn>& columns() const { return columns_; }
  const std::vector<LdlRun>& runs() const { return runs_; }
  /// Unknown of each row of a pivot's column; of rows of the padding the spare one behind the last.
  const std::vector<std::int32_t>& column_x() const { return column_x_; }
  const std::vector<LdlSide>& sides() const { return sides_; }
  const std::vector<LdlBlockSides>& block_sides() const { return block_sides_; }     ///< per block of the structure
  const std::vector<LdlProduct>& products() const { return products_; }              ///< by their right side
  const std::vector<std::int32_t>& first_product() const { return first_product_; }  ///< per side, and the end
  const std::vector<std::int32_t>& row_x() const { return row_x_; }                  ///< unknown of each row
  const std::vector<std::int32_t>& diagonal_of_x() const { return diagonal_of_x_; }  ///< value of each unknown's pivot

 private:
  struct Builder;

  LdlStructure structure_;
  LdlCounts counts_;
  LdlGraph graph_;
  LdlElimination elimination_;
  std::int32_t value_count_ = 0, unknowns_ = 0, tallest_ = 0;
  std::vector<LdlPivot> pivots_;
  std::vector<LdlColumn> columns_;
  std::vector<LdlRun> runs_;
  std::vector<std::int32_t> column_x_;
  std::vector<LdlSide> sides_;
  std::vector<LdlBlockSides> block_sides_;
  std::vector<LdlProduct> products_;
  std::vector<std::int32_t> first_product_;
  std::vector<std::int32_t> row_x_, diagonal_of_x_;
};

}  // namespace cairn
