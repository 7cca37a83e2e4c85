// SPDX-License-Identifier: MIT
// QueryIndex: where the shapes of a world are now, as a tree. Internal to the world.
//
// Whoever moves a body, edits its shapes or removes one says so here and does nothing else. The first query after that
// brings the tree up to date, whatever was said; a world that is not asked pays a byte per body that moves.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/broad/query_tree.h"
#include "cairn/core/gate.h"
#include "cairn/dynamics/bodies.h"
#include "cairn/world/shapes.h"

namespace cairn {

class QueryIndex {
 public:
  /// The shapes of a body are not where they were, or not those they were.
  void mark(std::size_t body) {
    if (body >= marked_.size()) marked_.resize(body + 1, 0);
    marked_[body] = 1;
    gate_.close();
  }
  /// The same for bodies that a step moves, by several threads; `begin_marks` first, with the number of bodies.
  void begin_marks(std::size_t bodies) {
    if (bodies > marked_.size()) marked_.resize(bodies, 0);
    gate_.close();
  }
  void mark_moved(std::size_t body) { marked_[body] = 1; }
  void mark_removed(std::size_t shape) {
    removed_.push_back(static_cast<std::int32_t>(shape));
    gate_.close();
  }

  /// The tree over all shapes as they are now; proxies are slots of shapes.
  const QueryTree& tree(const Bodies& bodies, const Shapes& shapes, ThreadPool* pool) {
    gate_.pass([&] { refresh(bodies, shapes, pool); });
    return tree_;
  }

 private:
  void refresh(const Bodies& bodies, const Shapes& shapes, ThreadPool* pool);

  Gate gate_;
  QueryTree tree_;
  bool complete_ = false;              ///< the tree has seen all shapes
  std::vector<std::uint8_t> marked_;   ///< per body; may be shorter
  std::vector<std::int32_t> removed_;  ///< shapes, maybe in use again
};

}  // namespace cairn
