// SPDX-License-Identifier: MIT
// What is kept of the past, and what is forgotten.
#include "cairn/live/history.h"

#include <gtest/gtest.h>

namespace cairn {
namespace {

LiveSnapshot snapshot(std::int64_t step, std::size_t bytes) { return {step, std::string(bytes, 'x'), 0.01, {}}; }
LiveRecord record(std::int64_t step) { return {0.01 * static_cast<double>(step), {}, {1, 2, 3}}; }

/// A run of `steps`, with a state kept after every one.
LiveHistory run_of(std::int64_t steps, std::size_t most_bytes, std::size_t snapshot_bytes) {
  LiveHistory history(most_bytes);
  history.begin(snapshot(0, snapshot_bytes), record(0));
  for (std::int64_t k = 1; k <= steps; ++k) history.add(record(k)), history.keep(snapshot(k, snapshot_bytes));
  return history;
}

TEST(LiveHistory, KeepsEverythingWhileThereIsRoom) {
  const LiveHistory history = run_of(100, std::size_t{1} << 30, 1000);
  EXPECT_EQ(history.oldest(), 0);
  EXPECT_EQ(history.newest(), 100);
  EXPECT_EQ(history.snapshots().size(), 101u);
  EXPECT_DOUBLE_EQ(history.record(57).time, 0.57);
  // From the state before it, so that the step itself is computed again.
  EXPECT_EQ(history.snapshot_for(57).step, 56);
  EXPECT_EQ(history.snapshot_for(0).step, 0);
}

TEST(LiveHistory, OldStatesAreThinnedOutBeforeAnythingIsForgotten) {
  constexpr std::size_t kMost = 200'000;
  const LiveHistory history = run_of(500, kMost, 10'000);
  EXPECT_LE(history.bytes(), kMost);
  EXPECT_EQ(history.oldest(), 0);
  EXPECT_EQ(history.newest(), 500);
  const std::vector<LiveSnapshot>& kept = history.snapshots();
  ASSERT_GE(kept.size(), 5u);
  EXPECT_EQ(kept.front().step, 0);
  EXPECT_EQ(kept.back().step, 500);
  // The older the sparser: the last third of the states covers less of the run than the first.
  const std::size_t third = kept.size() / 3;
  EXPECT_GT(kept[third].step - kept[0].step, kept.back().step - kept[kept.size() - 1 - third].step);
}

TEST(LiveHistory, NoGapIsLongerThanWhatMayBeComputedAgain) {
  // Room for about four states: over 20,000 steps the beginning must be given up.
  const LiveHistory history = run_of(20'000, 4'500'000, 600'000);
  EXPECT_GT(history.oldest(), 0);
  EXPECT_EQ(history.newest(), 20'000);
  const std::vector<LiveSnapshot>& kept = history.snapshots();
  EXPECT_EQ(kept.front().step, history.oldest());
  for (std::size_t k = 1; k < kept.size(); ++k) EXPECT_LE(kept[k].step - kept[k - 1].step, LiveHistory::kMostGap);
}

TEST(LiveHistory, OneStateIsAlwaysKept) {
  const LiveHistory history = run_of(10, 100, 1000);
  EXPECT_EQ(history.snapshots().size(), 1u);
  EXPECT_EQ(history.oldest(), 10);
  EXPECT_EQ(history.newest(), 10);
}

TEST(LiveHistory, InputsAreForgottenWithTheirSteps) {
  LiveHistory history(3000);
  history.begin(snapshot(0, 1000), record(0));
  history.log(LiveShot{});
  for (std::int64_t k = 1; k <= 10; ++k) {
    history.add(record(k));
    history.keep(snapshot(k, 1000));
    if (k == 10) history.log(LiveShot{});
  }
  ASSERT_GT(history.oldest(), 0);
  EXPECT_EQ(history.input_end(), 2);  // numbers go on
  EXPECT_EQ(history.first_input_at(10), 1);
  EXPECT_EQ(history.input(1).step, 10);
}

TEST(LiveHistory, ADragThatGoesOnIsOneInputPerStep) {
  LiveHistory history(1 << 20);
  history.begin(snapshot(0, 10), record(0));
  LiveDrag drag;
  for (int k = 0; k < 100; ++k) drag.target.x = k, history.log(drag);
  ASSERT_EQ(history.input_end(), 1);
  EXPECT_EQ(std::get<LiveDrag>(history.input(0).input).target.x, 99);
  history.log(LiveRelease{});
  history.log(drag);
  EXPECT_EQ(history.input_end(), 3);
}

TEST(LiveHistory, BytesAreThoseOfWhatIsKept) {
  LiveHistory history(1 << 20);
  history.begin(snapshot(0, 1000), record(0));
  const std::size_t start = history.bytes();
  for (std::int64_t k = 1; k <= 20; ++k) {
    history.log(LiveShot{});
    history.add(record(k));
    history.keep(snapshot(k, 500));
  }
  EXPECT_GT(history.bytes(), start + 20 * 500);
  history.drop_after(0, 0);
  EXPECT_EQ(history.bytes(), start);
  EXPECT_EQ(history.newest(), 0);
}

}  // namespace
}  // namespace cairn
