// SPDX-License-Identifier: MIT
// SavedRun: a live run as a recording, with everything that was done by hand, so that `replay`, `capture` and `export`
// work on what was found by hand.
#pragma once

#include <functional>

#include "cairn/live/history.h"
#include "cairn/record/recording.h"

namespace cairn {

/// What is kept of a run, from its oldest step on.
struct SavedRun {
  LiveSnapshot start;
  std::vector<LoggedInput> inputs;
  std::int64_t last = 0;        ///< newest step
  std::vector<Hash128> hashes;  ///< after every step behind start.step
};
SavedRun saved_run(const LiveHistory& history);

/// Computes the run again on one thread, writes it, and says how many steps had another hash than when they were first
/// done. `meta` is completed from the run. InputError where the file cannot be written.
std::int64_t write_saved_run(const std::string& path, const SavedRun& run, RecordingMeta meta);

/// Bodies that were added by hand, as lists of bodies have them.
std::vector<RecordedBody> added_bodies(std::span<const LoggedInput> inputs);

}  // namespace cairn
