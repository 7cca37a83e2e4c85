// SPDX-License-Identifier: MIT
// Going back and on again: the same bits as the run that was never interrupted.
#include "cairn/live/run.h"

#include <gtest/gtest.h>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "tests/live/live_scene.h"

namespace cairn {
namespace {

void seek(LiveRun& run, std::int64_t step) {
  run.begin_seek(step);
  while (!run.continue_seek(0.001)) {
  }
}

/// Hashes after every step of an eventful run that nobody interrupts, the beginning first.
std::vector<Hash128> eventful_hashes(int steps, int threads = 1) {
  LiveRun run(live_heap(threads), kLiveDt);
  std::vector<Hash128> hashes{run.world().state_hash()};
  for (int k = 0; k < steps; ++k) {
    eventful_step(run);
    hashes.push_back(run.world().state_hash());
  }
  return hashes;
}

TEST(LiveRun, IsTheWorldThatIsSteppedByHand) {
  World world = live_heap();
  LiveRun run(live_heap(), kLiveDt);
  const BodyId body = world.bodies()[5];
  const LiveDrag drag{.body = body, .anchor = {0.1, 0, 0}, .target = {1, 1, 2}};
  for (int k = 0; k < 30; ++k) {
    if (k == 5) run.act(drag);
    if (k >= 5) {
      const BodyView view = world.view(body);
      world.add_force_at(body, drag_force(view, drag, kLiveDt), drag_point(view, drag));
    }
    if (k == 10) {
      run.act(LiveShot{{-3, 0, 1}, {20, 0, 0}, 0.2, 1000});
      world.add_body({.pose = {{-3, 0, 1}}, .velocity = {{20, 0, 0}, {}}, .continuous = true},
                     {{.shape = make_sphere(0.2)}});
    }
    run.step(), world.step(kLiveDt);
    ASSERT_EQ(run.world().state_hash(), world.state_hash()) << "step " << k;
    EXPECT_EQ(run.record().hash, world.state_hash());
  }
}

TEST(LiveRun, AnyStepCanBeGoneBackToBitForBit) {
  const std::vector<Hash128> hashes = eventful_hashes(70);
  LiveRun run(live_heap(), kLiveDt, {.snapshot_every = 7});
  for (int k = 0; k < 70; ++k) eventful_step(run);
  for (const std::int64_t step : {69, 3, 0, 41, 13, 12, 70, 33, 34, 35, 51}) {
    seek(run, step);
    ASSERT_EQ(run.here(), step);
    EXPECT_TRUE(run.exact());
    EXPECT_EQ(run.world().state_hash(), hashes[to_index(step)]) << "step " << step;
    EXPECT_EQ(run.history().newest(), 70);
  }
  EXPECT_EQ(run.mismatches(), 0);
}

TEST(LiveRun, GoesOnAfterGoingBackAsIfNothingHadHappened) {
  const std::vector<Hash128> hashes = eventful_hashes(90);
  LiveRun run(live_heap(2), kLiveDt, {.snapshot_every = 9});  // threads do not matter
  for (int k = 0; k < 70; ++k) eventful_step(run);
  seek(run, 6);
  while (run.here() < 70) {
    run.step();  // drags, shots and the rest come from the log
    ASSERT_EQ(run.world().state_hash(), hashes[to_index(run.here())]) << "step " << run.here();
  }
  for (int k = 70; k < 90; ++k) eventful_step(run);
  EXPECT_EQ(run.world().state_hash(), hashes[90]);
  EXPECT_EQ(run.mismatches(), 0);
  EXPECT_EQ(run.history().newest(), 90);
}

TEST(LiveRun, ThinnedOutStatesAreComputedAgain) {
  const std::vector<Hash128> hashes = eventful_hashes(120);
  const std::size_t snapshot = live_heap().save().size();
  LiveRun run(live_heap(), kLiveDt, {.history_bytes = 12 * snapshot, .snapshot_every = 1});
  for (int k = 0; k < 120; ++k) eventful_step(run);
  const LiveHistory& history = run.history();
  ASSERT_LT(history.snapshots().size(), 20u);
  EXPECT_LE(history.bytes(), 12 * snapshot);
  for (std::int64_t step = history.oldest(); step <= history.newest(); step += 11) {
    seek(run, step);
    EXPECT_EQ(run.world().state_hash(), hashes[to_index(step)]) << "step " << step;
  }
  EXPECT_EQ(run.mismatches(), 0);
}

TEST(LiveRun, WhatIsForgottenIsRefused) {
  LiveRun run(live_heap(), kLiveDt, {.history_bytes = 1, .snapshot_every = 10});
  for (int k = 0; k < 35; ++k) run.step();
  EXPECT_EQ(run.history().oldest(), 30);
  EXPECT_THROW(run.begin_seek(29), InputError);
  EXPECT_THROW(run.begin_seek(36), InputError);
  EXPECT_THROW(run.begin_seek(-1), InputError);
  EXPECT_EQ(run.here(), 35);
  seek(run, 31);
  EXPECT_TRUE(run.exact());
}

TEST(LiveRun, ActingInThePastDropsTheFuture) {
  LiveRun run(live_heap(), kLiveDt, {.snapshot_every = 5});
  for (int k = 0; k < 40; ++k) eventful_step(run);
  seek(run, 20);
  run.act(LiveRelease{});  // of the drag that is under way there
  EXPECT_EQ(run.history().newest(), 20);
  for (int k = 0; k < 10; ++k) run.step();
  const Hash128 other = run.world().state_hash();
  EXPECT_FALSE(other == eventful_hashes(30).back());
  seek(run, 15), seek(run, 30);
  EXPECT_EQ(run.world().state_hash(), other);
  EXPECT_EQ(run.mismatches(), 0);
}

TEST(LiveRun, LettingGoOfNothingIsNoAct) {
  LiveRun run(live_heap(), kLiveDt);
  for (int k = 0; k < 5; ++k) run.step();
  seek(run, 2);
  run.act(LiveRelease{});
  EXPECT_EQ(run.history().newest(), 5);
}

TEST(LiveRun, WhatWasDoneAtTheNewestStepIsThereAgain) {
  LiveRun run(live_heap(), kLiveDt);
  for (int k = 0; k < 5; ++k) run.step();
  run.act(LiveShot{{-3, 0, 1}, {20, 0, 0}, 0.2, 1000});
  const Hash128 with_ball = run.world().state_hash();
  seek(run, 2);
  EXPECT_EQ(run.world().body_count(), 17u);
  seek(run, 5);
  EXPECT_EQ(run.world().body_count(), 18u);
  EXPECT_EQ(run.world().state_hash(), with_ball);
}

TEST(LiveRun, ARefusedInputChangesNothing) {
  LiveRun run(live_heap(), kLiveDt, {.snapshot_every = 3});
  for (int k = 0; k < 10; ++k) run.step();
  seek(run, 8);
  const std::string before = run.world().save();
  const BodyId floor = run.world().bodies()[0];
  EXPECT_THROW(run.act(LiveShot{{0, 0, 1}, {1e9, 0, 0}, 0.2, 1000}), InputError);
  EXPECT_THROW(run.act(LiveShot{{0, 0, 1}, {1, 0, 0}, -1, 1000}), InputError);
  EXPECT_THROW(run.act(LiveRemoval{BodyId{99, 0}}), InputError);
  EXPECT_THROW(run.act(LiveDrag{.body = floor}), InputError);
  EXPECT_THROW(run.act(LiveDrag{.body = BodyId{99, 0}}), InputError);
  EXPECT_THROW(solver_change(run, "gauss_siedel"), InputError);
  // A solver that exists and refuses the problem.
  EXPECT_THROW(run.act(solver_change(run, "gauss_seidel", {{"local", "exact"}})), InputError);
  EXPECT_EQ(run.world().save(), before);
  EXPECT_EQ(run.history().newest(), 10);
  EXPECT_EQ(run.history().input_end(), 0);
}

TEST(LiveRun, ARefusedStepLeavesTheStateBeforeIt) {
  World world = live_heap();
  WorldSettings settings = world.settings();
  settings.solver = "gauss_seidel";
  settings.solver_settings = {{"local", "exact"}};  // is refused when there are contacts to solve
  world.set_settings(settings);
  LiveRun run(std::move(world), kLiveDt);
  const std::string before = run.world().save();
  EXPECT_THROW(run.step(), InputError);
  EXPECT_EQ(run.here(), 0);
  EXPECT_EQ(run.world().save(), before);
  run.act(solver_change(run, "gauss_seidel"));
  EXPECT_NO_THROW(run.step());
}

TEST(LiveRun, RestartKeepsTheSettingsOfNow) {
  LiveRun run(live_heap(), kLiveDt);
  const Hash128 start = run.world().state_hash();
  for (int k = 0; k < 45; ++k) eventful_step(run);
  run.restart();
  EXPECT_EQ(run.here(), 0);
  EXPECT_EQ(run.history().newest(), 0);
  EXPECT_EQ(run.world().state_hash(), start);
  EXPECT_EQ(run.world().settings().solver, "block_mass_splitting");
  EXPECT_EQ(run.history().input_end(), 0);
}

TEST(LiveRun, RestartKeepsTheRunBefore) {
  LiveRun run(live_heap(), kLiveDt);
  EXPECT_THROW(run.recall(), InputError);
  for (int k = 0; k < 45; ++k) eventful_step(run);
  const Hash128 end = run.world().state_hash();
  run.restart();
  for (int k = 0; k < 5; ++k) run.step();
  const Hash128 other = run.world().state_hash();
  run.recall();
  while (!run.continue_seek(1)) {
  }
  EXPECT_EQ(run.here(), 45);
  EXPECT_EQ(run.world().state_hash(), end);
  run.begin_seek(20);
  while (!run.continue_seek(1)) {
  }
  EXPECT_TRUE(run.exact());
  run.recall();  // and back again
  while (!run.continue_seek(1)) {
  }
  EXPECT_EQ(run.here(), 5);
  EXPECT_EQ(run.world().state_hash(), other);
  EXPECT_EQ(run.mismatches(), 0);
}

TEST(LiveRun, SteppedCopiesKeepTheProblem) {
  LiveRun run(live_heap(), kLiveDt);
  for (int k = 0; k < 30; ++k) run.step();
  const World copy = stepped_copy({run.world().save(), run.dt(), run.drag()});
  EXPECT_EQ(copy.step_count(), 31);
  EXPECT_FALSE(copy.problem().contacts.empty());
  EXPECT_EQ(copy.warm_start().contact_impulse.size(), copy.problem().contacts.size());
  run.step();
  EXPECT_EQ(copy.state_hash(), run.world().state_hash());
}

}  // namespace
}  // namespace cairn
