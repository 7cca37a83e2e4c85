// SPDX-License-Identifier: MIT
#include "cairn/live/history.h"

#include <algorithm>

namespace cairn {

namespace {

std::size_t size_of(const LiveRecord& r) { return sizeof(r) + r.statistics.size() * sizeof(float); }
std::size_t size_of(const LiveSnapshot& s) { return sizeof(s) + s.world.size(); }
std::size_t size_of(const LoggedInput& input) {
  const bool change = std::holds_alternative<LiveChange>(input.input);
  return sizeof(input) + (change ? sizeof(WorldSettings) : 0);
}

}  // namespace

void LiveHistory::begin(LiveSnapshot start, LiveRecord record) {
  records_.clear(), snapshots_.clear(), inputs_.clear();
  first_input_ = 0;
  oldest_ = start.step;
  bytes_ = size_of(record) + size_of(start);
  records_.push_back(std::move(record));
  snapshots_.push_back(std::move(start));
}

void LiveHistory::add(LiveRecord record) {
  bytes_ += size_of(record);
  records_.push_back(std::move(record));
}

void LiveHistory::keep(LiveSnapshot snapshot) {
  CAIRN_ASSERT(snapshot.step == newest() && snapshot.step > last_snapshot());
  bytes_ += size_of(snapshot);
  snapshots_.push_back(std::move(snapshot));
  thin();
}

void LiveHistory::log(const LiveInput& input) {
  const LoggedInput next{newest(), input};
  if (!inputs_.empty() && inputs_.back().step == next.step) {
    const auto* last = std::get_if<LiveDrag>(&inputs_.back().input);
    const auto* now = std::get_if<LiveDrag>(&input);
    if (last != nullptr && now != nullptr) {
      inputs_.back() = next;
      return;
    }
  }
  bytes_ += size_of(next);
  inputs_.push_back(next);
}

void LiveHistory::drop_after(std::int64_t step, std::int64_t input) {
  for (; newest() > step; records_.pop_back()) bytes_ -= size_of(records_.back());
  for (; snapshots_.back().step > step; snapshots_.pop_back()) bytes_ -= size_of(snapshots_.back());
  for (; input_end() > input; inputs_.pop_back()) bytes_ -= size_of(inputs_.back());
}

const LiveSnapshot& LiveHistory::snapshot_for(std::int64_t step) const {
  const auto after = std::lower_bound(snapshots_.begin(), snapshots_.end(), step,
                                      [](const LiveSnapshot& s, std::int64_t k) { return s.step < k; });
  return after == snapshots_.begin() ? snapshots_.front() : *std::prev(after);
}

std::int64_t LiveHistory::first_input_at(std::int64_t step) const {
  const auto at = std::lower_bound(inputs_.begin(), inputs_.end(), step,
                                   [](const LoggedInput& input, std::int64_t k) { return input.step < k; });
  return first_input_ + (at - inputs_.begin());
}

void LiveHistory::thin() {
  while (bytes_ > most_bytes_ && snapshots_.size() > 1) {
    const std::size_t victim = least_missed();
    if (victim == 0) {
      forget_oldest();
      continue;
    }
    bytes_ -= size_of(snapshots_[victim]);
    snapshots_.erase(snapshots_.begin() + static_cast<std::ptrdiff_t>(victim));
  }
}

/// Between the first and the last, the one that leaves the shortest gap for its age; 0 if all gaps would be too long.
std::size_t LiveHistory::least_missed() const {
  std::size_t best = 0;
  double least = 0;
  for (std::size_t i = 1; i + 1 < snapshots_.size(); ++i) {
    const std::int64_t gap = snapshots_[i + 1].step - snapshots_[i - 1].step;
    if (gap > kMostGap) continue;
    const double ratio = static_cast<double>(gap) / static_cast<double>(newest() - snapshots_[i - 1].step + 1);
    if (best == 0 || ratio < least) best = i, least = ratio;
  }
  return best;
}

void LiveHistory::forget_oldest() {
  bytes_ -= size_of(snapshots_.front());
  snapshots_.erase(snapshots_.begin());
  for (const std::int64_t first = snapshots_.front().step; oldest_ < first; ++oldest_) {
    bytes_ -= size_of(records_.front());
    records_.pop_front();
  }
  for (; !inputs_.empty() && inputs_.front().step < oldest_; ++first_input_) {
    bytes_ -= size_of(inputs_.front());
    inputs_.pop_front();
  }
}

}  // namespace cairn
