// SPDX-License-Identifier: MIT
// When whole blocks of the tree get new fat boxes, and not all of them in the same step.
//
// A block is 64 groups that follow each other in the order of the tree, a compact part of space. If many of its
// proxies have left their fat boxes, all of them are renewed: finding the pairs of neighbours together is cheaper, and
// the others would leave soon. Bodies that move alike would then renew all blocks every L steps and none in between.
// So while more than a share of 1/L of the blocks were renewed in one step, some of them are renewed early in steps
// that have less to do, and from then on leave in other steps by themselves. Only costs depend on this, no result.
#pragma once

#include <cstdint>
#include <vector>

namespace cairn {

class Renewals {
 public:
  /// Begins a step; `lanes` has a byte per group with a bit for each proxy that has left, and gets whole blocks.
  void choose(std::vector<std::uint8_t>& lanes);

  /// All blocks are renewed in this step.
  void renew_all();

 private:
  static constexpr std::uint32_t kMostSteps = 32;  ///< older blocks hardly move

  void renew(std::size_t block, std::vector<std::uint8_t>& lanes);
  std::size_t renew_left(std::vector<std::uint8_t>& lanes);
  void renew_early(std::size_t already, std::vector<std::uint8_t>& lanes);
  void renew_some(std::uint32_t from, std::size_t count, std::vector<std::uint8_t>& lanes);

  std::uint32_t step_ = 0;
  std::uint32_t life_ = 1;              ///< steps that fat boxes last: mean age of the blocks that were left last
  std::size_t cursor_ = 0;              ///< block at which the search for early ones goes on
  std::vector<std::uint32_t> renewed_;  ///< per block: the step in which it was renewed
};

}  // namespace cairn
