// SPDX-License-Identifier: MIT
// LiveHistory: the past of a run that can be gone back to. Keeps of every step its hash and statistics, of some steps
// the whole state, and everything that was done to the world from outside, so that any step can be computed again.
//
// It is bounded by bytes: states are thinned out, the older the sparser, and where they would stand too far apart the
// oldest part of the run is forgotten.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "cairn/core/hash.h"
#include "cairn/core/index.h"
#include "cairn/live/input.h"

namespace cairn {

/// What is kept of every step.
struct LiveRecord {
  double time = 0;                ///< s
  Hash128 hash;                   ///< of the state right after the step
  std::vector<float> statistics;  ///< by statistic_names()
};

/// The state right after a step, before any input.
struct LiveSnapshot {
  std::int64_t step = 0;
  std::string world;  ///< World::save
  double dt = 1.0 / 60;
  std::optional<LiveDrag> drag;
};

class LiveHistory {
 public:
  /// Snapshots stand at most this many steps apart: so many are computed again to come to any step.
  static constexpr std::int64_t kMostGap = 1000;

  /// At least one snapshot is kept, however large.
  explicit LiveHistory(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Forgets everything; the run begins here.
  void begin(LiveSnapshot start, LiveRecord record);
  /// The step after the newest.
  void add(LiveRecord record);
  /// A state of the newest step; may thin out or forget others.
  void keep(LiveSnapshot snapshot);
  /// Done at the newest step. A drag that goes on replaces what was logged of it in the same step.
  void log(const LiveInput& input);
  /// Drops what comes after a step, and the inputs from number `input` on.
  void drop_after(std::int64_t step, std::int64_t input);

  std::int64_t oldest() const { return oldest_; }
  std::int64_t newest() const { return oldest_ + static_cast<std::int64_t>(records_.size()) - 1; }
  /// Of a step from oldest() to newest().
  const LiveRecord& record(std::int64_t step) const { return records_[to_index(step - oldest_)]; }
  /// From where to compute a step: the last state before it, or its own where that is the oldest.
  const LiveSnapshot& snapshot_for(std::int64_t step) const;
  std::int64_t last_snapshot() const { return snapshots_.back().step; }
  const std::vector<LiveSnapshot>& snapshots() const { return snapshots_; }

  /// Inputs are numbered through, forgotten ones included.
  std::int64_t input_end() const { return first_input_ + static_cast<std::int64_t>(inputs_.size()); }
  const LoggedInput& input(std::int64_t number) const { return inputs_[to_index(number - first_input_)]; }
  /// The first that was done at a step or later.
  std::int64_t first_input_at(std::int64_t step) const;

  /// Everything that was done and is still known, by step.
  std::vector<LoggedInput> inputs() const { return {inputs_.begin(), inputs_.end()}; }

  std::size_t bytes() const { return bytes_; }

 private:
  void thin();
  std::size_t least_missed() const;
  void forget_oldest();

  std::size_t most_bytes_;
  std::size_t bytes_ = 0;  ///< of everything below
  std::int64_t oldest_ = 0;
  std::deque<LiveRecord> records_;       ///< from oldest_ on
  std::vector<LiveSnapshot> snapshots_;  ///< by step; the first is of oldest_
  std::int64_t first_input_ = 0;         ///< number of inputs_.front()
  std::deque<LoggedInput> inputs_;       ///< by step
};

}  // namespace cairn
