// SPDX-License-Identifier: MIT
// LaneManifolds: which contacts of a ContactProblem stand together in a lane. Contacts that follow each other, with the
// same bodies, normal, tangents and patch, are the points of one manifold, up to four; its friction is that of the
// first.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/graph/colouring.h"
#include "cairn/problem/contact_problem.h"
#include "cairn/problem/lanes/lane_source.h"

namespace cairn {

/// What lanes are made from.
struct LaneInput {
  const ContactProblem& problem;
  const ContactSolution& warm;           ///< its impulses may be empty
  std::span<const std::int32_t> colour;  ///< per contact as in SolveContext::contact_colour, or empty: found greedily
};

class LaneManifolds {
 public:
  /// Sets the batches of `lanes`, whose bodies must be there.
  void find(const LaneInput& in, const LaneBatching& batching, ThreadPool* pool, LaneProblem& lanes);

  std::size_t size() const { return lanes_.size(); }
  std::span<const LaneKey> keys() const { return keys_; }
  int batch(std::size_t i) const { return batch_[i]; }

  /// Manifold i, with the impulses of `warm` if it has any.
  LaneManifold gather(const ContactProblem& problem, const ContactSolution& warm, std::size_t i) const;
  /// Its impulses back to its contacts.
  void scatter(const ContactProblem& problem, const LaneManifold& manifold, std::size_t i,
               std::vector<std::array<double, 4>>& impulse) const;
  /// Its friction among its contacts (share_friction_by_load).
  void share_by_load(const ContactProblem& problem, std::size_t i, std::vector<std::array<double, 4>>& impulse) const;

 private:
  void group(const LaneInput& in, const LaneProblem& lanes);
  void find_batches(const LaneInput& in, const LaneBatching& batching, ThreadPool* pool, LaneProblem& lanes);
  void colour_greedily(const ContactProblem& problem);

  std::vector<LaneRun> lanes_;
  std::vector<std::int32_t> colour_;  ///< per manifold
  std::vector<std::uint8_t> batch_;   ///< per manifold
  std::vector<LaneKey> keys_;         ///< per manifold
  std::vector<Edge> edges_;           ///< per manifold the bodies that can move, then of joints
  std::vector<Edge> pairs_;           ///< per pair the same
  IslandFinder finder_;
  Islands islands_;
  std::vector<IslandCounts> counts_;        ///< per island
  std::vector<std::uint8_t> island_batch_;  ///< per island
  ColouringScratch sets_;
  Colouring colouring_;
};

}  // namespace cairn
