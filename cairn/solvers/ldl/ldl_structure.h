// SPDX-License-Identifier: MIT
// LdlStructure: what the symbolic phase of the block LDL knows of a mechanism: who is joined to whom by how many rows,
// and no numbers. Two mechanisms with equal structures share one program.
//
// A mechanism is a connected component of joints over bodies that can move. Each joint gives one node with all its
// rows without bounds, and one node of a single row for each row that has bounds (limits, motors): such a row can be
// masked when its bound holds it, without touching the structure.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/graph/islands.h"
#include "cairn/solvers/joint_problem.h"

namespace cairn {

/// Rows between two bodies, eliminated as one block.
struct LdlBlock {
  std::int32_t body_a = kNoVertex;  ///< of the mechanism; kNoVertex: cannot move
  std::int32_t body_b = kNoVertex;
  std::int32_t degree = 0;  ///< rows, 1..6
  bool acts_on_a = true;    ///< every row moves body a: needed to eliminate the block on the strength of a alone
  bool acts_on_b = true;

  friend bool operator==(const LdlBlock&, const LdlBlock&) = default;
};

struct LdlStructure {
  std::vector<bool> is_full;  ///< per body: moves in all six directions
  std::vector<LdlBlock> blocks;

  std::int32_t body_count() const { return static_cast<std::int32_t>(is_full.size()); }
  friend bool operator==(const LdlStructure&, const LdlStructure&) = default;
};

/// A mechanism of a problem: its structure and where bodies and rows are.
struct LdlMechanism {
  LdlStructure structure;
  std::vector<std::int32_t> bodies;       ///< per body of the structure, that of the problem
  std::vector<std::int32_t> rows;         ///< per row, block by block, the joint row of the problem
  std::vector<std::int32_t> block_joint;  ///< per block, the joint of the problem

  void clear();
};

/// Splits the joints of problems into mechanisms. Keeps its memory: a warm call allocates nothing.
class LdlMechanismFinder {
 public:
  /// `count` mechanisms are filled, in the order of their first joint; the vector itself never shrinks. Joints between
  /// bodies that cannot move belong to none, nor does resistance alone. False: all is as in the last call, whose result
  /// is left as it is (and must still be there).
  bool find(const JointProblem& problem, ThreadPool* pool, std::vector<LdlMechanism>& mechanisms, std::size_t& count);

 private:
  bool is_known(const JointProblem& problem);
  bool only_resists(const JointBlock& joint) const;
  void adopt_resistance(const JointProblem& problem);
  std::int32_t local_body(std::int32_t body, LdlMechanism& mechanism);
  void add_joint(const JointProblem& problem, std::int32_t joint, LdlMechanism& mechanism);

  IslandFinder finder_;
  Islands islands_;
  std::vector<Edge> edges_;
  std::vector<std::uint8_t> is_joined_;          ///< per island: by more than resistance
  std::vector<std::int32_t> of_island_, local_;  ///< mechanism per island; number in its mechanism per body
  // What the result depends on, of the last call: joints, and the kinds of rows and bodies.
  std::vector<JointBlock> joints_;
  std::vector<std::uint8_t> left_out_, row_kind_, body_kind_;
};

/// Whether a row has a bound that can hold it.
inline bool is_bounded(const JointRow& row) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return row.lower > -kInfinity || row.upper < kInfinity;
}

/// Whether a row only holds against motion, up to a bound: friction of a joint, rolling resistance.
inline bool is_resistance(const JointRow& row) {
  return row.lower == -row.upper && is_bounded(row) && row.error == 0 && row.target_velocity == 0 &&
         row.compliance == 0;
}

}  // namespace cairn
