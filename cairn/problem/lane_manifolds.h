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
#include "cairn/problem/lane_problem.h"

namespace cairn {

class LaneManifolds {
 public:
  /// `colour`: per contact as in SolveContext::contact_colour, or empty: found greedily. Needs the bodies of `lanes`.
  void find(const ContactProblem& problem, std::span<const std::int32_t> colour, const LaneProblem& lanes);

  std::size_t size() const { return first_.empty() ? 0 : first_.size() - 1; }
  std::span<const std::uint32_t> keys() const { return keys_; }

  /// Manifold i, with the impulses of `warm` if it has any.
  LaneManifold gather(const ContactProblem& problem, const ContactSolution& warm, std::size_t i) const;
  /// Its impulses back to its contacts.
  void scatter(const ContactProblem& problem, const LaneManifold& manifold, std::size_t i,
               std::vector<std::array<double, 4>>& impulse) const;

 private:
  void colour_greedily(const ContactProblem& problem, const LaneProblem& lanes);

  std::vector<std::int32_t> first_;   ///< contact of each manifold, and one more
  std::vector<std::int32_t> colour_;  ///< per manifold
  std::vector<int> ordinal_;          ///< per manifold: how many of its pair came before it
  std::vector<std::uint32_t> keys_;   ///< per manifold
  std::vector<Edge> edges_;
  ColouringScratch sets_;
  Colouring colouring_;
};

}  // namespace cairn
