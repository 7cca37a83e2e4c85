// SPDX-License-Identifier: MIT
// ContactGraph: how the bodies of a world hang together in this step. Bodies are vertices, touching pairs of shapes are
// edges; bodies that cannot move are no vertices. Gives the colours by which a solver may work side by side, and the
// islands that never influence one another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/dynamics/bodies.h"
#include "cairn/graph/islands.h"
#include "cairn/graph/pair_colours.h"
#include "cairn/world/contacts/contact_cache.h"

namespace cairn {

class ContactGraph {
 public:
  /// Edges in the order of pairs. Colours and islands are found again only where edges changed. Joints hold islands
  /// together and have no colour: solvers visit their rows by themselves.
  void rebuild(const Bodies& bodies, const Shapes& shapes, const ContactCache& cache, std::span<const Edge> joints,
               ThreadPool* pool);

  std::span<const Edge> edges() const { return edges_; }
  std::span<const std::uint64_t> keys() const { return keys_; }
  /// The first edge of each slab of the cache; one more entry than slabs.
  std::span<const std::int64_t> first_edge() const { return first_edge_; }
  std::span<const std::int32_t> colour() const { return colours_.colour(); }
  int colour_count() const { return colours_.colour_count(); }
  const Islands& islands() const { return islands_; }

  /// For snapshots: colours depend on history.
  const PairColours& colours() const { return colours_; }
  PairColours& colours() { return colours_; }

 private:
  bool gather_edges(const Bodies& bodies, const Shapes& shapes, const ContactCache& cache, ThreadPool* pool);

  std::vector<std::int64_t> first_edge_;
  std::vector<std::int64_t> first_before_;  ///< of the step before, while edges are gathered
  std::vector<std::uint64_t> keys_;
  std::vector<Edge> edges_;
  std::vector<Edge> joint_edges_;
  std::vector<Edge> all_edges_;  ///< of contacts, then of joints; only where there are joints
  PairColours colours_;
  IslandFinder finder_;
  Islands islands_;
  std::size_t vertex_count_ = 0;
};

}  // namespace cairn
