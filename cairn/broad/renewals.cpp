// SPDX-License-Identifier: MIT
#include "cairn/broad/renewals.h"

#include <algorithm>
#include <array>

namespace cairn {

namespace {

constexpr std::size_t kGroups = 64;  // per block
constexpr std::size_t kFew = 8;      // blocks less than one in so many say nothing about the life of a fat box

/// Finding the pairs of the marked lanes costs as much as that of all: a lane alone looks at both sides of its group.
bool many_left(const std::uint8_t* begin, const std::uint8_t* end) {
  std::ptrdiff_t cost = 0;
  for (const std::uint8_t* lanes = begin; lanes != end; ++lanes) cost += *lanes == 0xff ? 1 : *lanes != 0 ? 2 : 0;
  return cost >= end - begin;
}

}  // namespace

void Renewals::choose(std::vector<std::uint8_t>& lanes) {
  ++step_;
  const std::size_t blocks = (lanes.size() + kGroups - 1) / kGroups;
  if (renewed_.size() != blocks) renewed_.resize(blocks, step_);
  const std::size_t already = renew_left(lanes);
  if (life_ > 1) renew_early(already, lanes);
}

void Renewals::renew_all() { std::fill(renewed_.begin(), renewed_.end(), step_); }

void Renewals::renew(std::size_t block, std::vector<std::uint8_t>& lanes) {
  const std::size_t begin = block * kGroups, end = std::min(begin + kGroups, lanes.size());
  std::fill(lanes.data() + begin, lanes.data() + end, 0xff);
  renewed_[block] = step_;
}

/// Renews the blocks that many have left; returns their number.
std::size_t Renewals::renew_left(std::vector<std::uint8_t>& lanes) {
  std::size_t count = 0, known = 0, ages = 0;
  for (std::size_t block = 0; block < renewed_.size(); ++block) {
    const std::size_t begin = block * kGroups, end = std::min(begin + kGroups, lanes.size());
    if (!many_left(lanes.data() + begin, lanes.data() + end)) continue;
    const std::uint32_t age = std::min(step_ - renewed_[block], kMostSteps - 1);
    if (age > 0) ages += age, ++known;  // not a new one
    renew(block, lanes);
    ++count;
  }
  if (known > 0 && known * kFew >= renewed_.size()) life_ = static_cast<std::uint32_t>((ages + known / 2) / known);
  return count;
}

/// Fills the step up to its share with blocks of the steps in which more than that were renewed.
void Renewals::renew_early(std::size_t already, std::vector<std::uint8_t>& lanes) {
  std::array<std::size_t, kMostSteps> of_age{};
  for (const std::uint32_t renewed : renewed_) ++of_age[std::min(step_ - renewed, kMostSteps - 1)];
  std::size_t moving = 0;
  for (std::size_t age = 0; age < life_; ++age) moving += of_age[age];
  const std::size_t share = (moving + life_ - 1) / life_;
  while (already < share) {
    const auto largest = std::max_element(of_age.begin() + 1, of_age.begin() + life_);
    if (*largest <= share) return;
    const std::size_t wanted = std::min(share - already, *largest - share);
    renew_some(step_ - static_cast<std::uint32_t>(largest - of_age.begin()), wanted, lanes);
    *largest -= wanted;
    already += wanted;
  }
}

/// Renews `count` of the blocks that were renewed in step `from`, going on where the last call stopped.
void Renewals::renew_some(std::uint32_t from, std::size_t count, std::vector<std::uint8_t>& lanes) {
  for (std::size_t visited = 0; visited < renewed_.size() && count > 0; ++visited) {
    cursor_ = cursor_ + 1 < renewed_.size() ? cursor_ + 1 : 0;
    if (renewed_[cursor_] != from) continue;
    renew(cursor_, lanes);
    --count;
  }
}

}  // namespace cairn
