// SPDX-License-Identifier: MIT
// Elimination orders of the constraint graph (Mizerski 2020, "Gaussian elimination on graphs"). Integers only.
//
// Nodes are blocks of rows, joined by an edge where they share a body; eliminating a node joins all its neighbours.
// The order decides how many edges that adds. Among equals those go first that wait for the shortest sequence of others
// (their level): a chain is taken from both ends and a ring every second block at a time, so that a processor finds
// pivots side by side that do not wait for each other. Hub bodies may be nodes themselves (docs/solvers.md, "hubs"):
// then a block may only go where what has no hub left to go is enough to make its pivot regular.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/graph/edges.h"
#include "cairn/solvers/ldl/ldl_settings.h"

namespace cairn {

/// A node of the graph of elimination.
struct LdlGraphNode {
  std::int32_t degree = 0;                                 ///< rows
  bool is_hub = false;                                     ///< a body kept as a node
  std::array<std::int32_t, 2> body{kNoVertex, kNoVertex};  ///< a hub: itself first; a block: the bodies it moves fully
};

struct LdlGraph {
  std::vector<LdlGraphNode> nodes;
  std::vector<std::vector<std::int32_t>> neighbours;  ///< per node, ascending
  std::vector<bool> can_host;                         ///< per body: full, see eliminate
};

/// One node of the elimination: who goes, and whom it is joined to when it goes.
struct LdlStep {
  std::int32_t node = 0;
  std::vector<std::int32_t> column;  ///< neighbours left, in the order in which they will go
};

struct LdlElimination {
  std::vector<LdlStep> steps;
  std::int64_t fill = 0;  ///< edges added
};

/// Adds an edge between every two blocks of a list that share a body; lists keep ascending order.
void join_all(std::span<const std::int32_t> nodes, LdlGraph& graph);

/// Hubs: the system is symmetric quasi-definite and may be eliminated in any order in exact arithmetic, but a pivot is
/// as regular as what its bodies other than hubs give it. A block goes when it has a host of its own: a body that it
/// moves in all its rows, that can move in all directions, that is no hub or has gone already, and that no other block
/// gone before has for a host (found by a bipartite matching). Then the blocks gone have full rank on those bodies
/// unless they are redundant in the whole mechanism: in impulses that cancel on all hosts each host has two blocks,
/// which leaves no end for a hub. When all hubs have gone every block may go.
LdlElimination eliminate(const LdlGraph& graph, LdlOrdering ordering);

}  // namespace cairn
