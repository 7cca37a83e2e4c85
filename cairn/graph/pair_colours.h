// SPDX-License-Identifier: MIT
// Colours of edges that live from step to step: contacts mostly stay, so colouring them all again each step is work
// for nothing, and would reorder a solver's sweep at random.
//
// An edge keeps its colour as long as its key and its vertices stay; a new one takes the lowest colour free at both
// its vertices, in order of keys, after the colours of gone ones have become free. No two edges of one colour share a
// vertex. A vertex has a word with a bit per colour.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/graph/edges.h"

namespace cairn {

class PairColours {
 public:
  static constexpr int kColours = 64;  ///< edges that find none free get -1 and try again in the next update

  /// `keys` strictly ascending; edges[i] belongs to keys[i], its vertices are stable indices in [0, vertex_count) or
  /// kNoVertex, which never counts. An edge whose vertices change under the same key is a new one. A warm call
  /// allocates nothing; the result does not depend on the pool. Throws InputError if there are not as many keys as
  /// edges.
  void update(std::span<const std::uint64_t> keys, std::span<const Edge> edges, std::int32_t vertex_count,
              ThreadPool* pool);

  /// Takes over a colouring, as `keys`, `edges` and `colour` gave it. Throws InputError unless it is proper; nothing
  /// has changed then.
  void restore(std::span<const std::uint64_t> keys, std::span<const Edge> edges, std::span<const std::int32_t> colours,
               std::int32_t vertex_count);

  /// Of the last update, by edge.
  std::span<const std::int32_t> colour() const { return colour_; }
  std::span<const std::uint64_t> keys() const { return keys_; }
  std::span<const Edge> edges() const { return edges_; }

  /// The highest colour in use and one.
  int colour_count() const;

 private:
  bool unchanged(std::span<const std::uint64_t> keys, std::span<const Edge> edges, ThreadPool* pool);
  void match(std::span<const std::uint64_t> keys, std::span<const Edge> edges, ThreadPool* pool);
  void match_block(std::span<const std::uint64_t> keys, std::span<const Edge> edges, std::size_t begin,
                   std::size_t end);
  void free_gone();
  void colour_new(std::span<const Edge> edges);

  std::vector<std::uint64_t> keys_;            ///< of the last update
  std::vector<Edge> edges_;                    ///< of the last update
  std::vector<std::int32_t> colour_;           ///< of the last update
  std::vector<std::uint64_t> taken_;           ///< per vertex: bit c is set if an edge of colour c is there
  std::array<std::int64_t, kColours> size_{};  ///< edges per colour
  std::vector<std::int32_t> next_colour_;      ///< per new edge, during an update
  std::vector<std::uint8_t> gone_;             ///< per old edge, during an update
  std::vector<std::uint8_t> differs_;          ///< per block, during an update
  bool settled_ = true;                        ///< an unchanged update would change nothing
};

}  // namespace cairn
