// SPDX-License-Identifier: MIT
#include "cairn/live/run.h"

#include <fmt/core.h>

#include <algorithm>

#include "cairn/core/timer.h"
#include "cairn/record/frame.h"

namespace cairn {

namespace {

constexpr double kSnapshotShare = 0.1;                        // of the time
constexpr std::int64_t kLongest = LiveHistory::kMostGap / 2;  // steps without a snapshot

/// A world of its own in a saved state.
World copy_of(const std::string& snapshot) {
  World copy;
  if (const auto error = copy.restore(snapshot)) throw InputError(*error);
  return copy;
}

}  // namespace

LiveRun::LiveRun(World world, double dt, const LiveRunSettings& settings)
    : world_(std::move(world)), hand_{dt}, settings_(settings), history_(settings.history_bytes) {
  check_dt(dt);
  start_ = world_.save();
  begin();
}

void LiveRun::begin() {
  hand_.drag.reset(), target_.reset();
  applied_ = 0, work_ = 0;
  exact_ = true;
  history_.begin(make_snapshot(), make_record());
}

LiveRecord LiveRun::make_record() const {
  const std::vector<double> values = statistics_of(world_.last_report());
  return {world_.time(), world_.state_hash(), {values.begin(), values.end()}};
}

LiveSnapshot LiveRun::make_snapshot() const { return {here(), world_.save(), hand_.dt, hand_.drag}; }

std::optional<BodyId> LiveRun::act(const LiveInput& input) {
  if (std::holds_alternative<LiveRelease>(input) && !hand_.drag) return std::nullopt;
  const std::optional<BodyId> added = apply(input);
  history_.drop_after(here(), applied_);
  history_.log(input);
  applied_ = history_.input_end();
  end_seek();
  return added;
}

std::optional<BodyId> LiveRun::apply(const LiveInput& input) {
  if (const auto* change = std::get_if<LiveChange>(&input)) {
    check_dt(change->dt);
    try_solver(*change->settings, change->dt);
  }
  const std::optional<BodyId> added = apply_input(world_, hand_, input);
  if (added || std::holds_alternative<LiveRemoval>(input)) ++edits_;
  return added;
}

/// Another solver may refuse the problem itself: it takes a step of a copy first.
void LiveRun::try_solver(const WorldSettings& settings, double dt) const {
  const WorldSettings& now = world_.settings();
  if (settings.solver == now.solver && settings.solver_settings == now.solver_settings) return;
  WorldSettings alone = settings;
  alone.threads = 1;
  World copy = copy_of(world_.save());
  copy.set_settings(alone);
  copy.step(dt);
}

/// Inputs at this step that are not in the state yet.
void LiveRun::apply_logged() {
  for (; applied_ < history_.input_end() && history_.input(applied_).step == here(); ++applied_)
    apply(history_.input(applied_).input);
}

void LiveRun::advance() {
  const Timer timer;
  step_with(world_, hand_);
  if (!world_.last_report().broken_joints.empty()) ++edits_;
  work_ += timer.seconds();
}

void LiveRun::step() {
  apply_logged();
  try {
    advance();
  } catch (const InputError&) {
    // A step that was broken off leaves contacts and forces half done: compute the state before it again.
    const std::int64_t back = here();
    restore(history_.snapshot_for(back));
    while (here() < back) apply_logged(), advance();
    if (here() == history_.newest()) apply_logged();
    throw;
  }
  note_step();
  if (here() == history_.newest()) apply_logged();
}

/// The hash is kept, or compared with the one that was.
void LiveRun::note_step() {
  if (here() <= history_.newest()) {
    exact_ = world_.state_hash() == record().hash;
    if (!exact_) ++mismatches_;
    return;
  }
  exact_ = true;
  history_.add(make_record());
  const std::int64_t since = here() - history_.last_snapshot();
  const bool due = settings_.snapshot_every > 0 ? since >= settings_.snapshot_every
                                                : work_ * kSnapshotShare >= cost_ || since >= kLongest;
  if (!due) return;
  const Timer timer;
  history_.keep(make_snapshot());
  cost_ = timer.seconds(), work_ = 0;
}

void LiveRun::restore(const LiveSnapshot& snapshot) {
  if (const auto error = world_.restore(snapshot.world)) throw InputError(*error);
  ++edits_;
  hand_ = {snapshot.dt, snapshot.drag};
  applied_ = history_.first_input_at(snapshot.step);
  exact_ = world_.state_hash() == record().hash;
}

void LiveRun::begin_seek(std::int64_t step) {
  if (step < history_.oldest() || step > history_.newest())
    fail_input(
        fmt::format("seek: step {} is not kept: go to one from {} to {}", step, history_.oldest(), history_.newest()));
  if (step != here()) {
    const LiveSnapshot& from = history_.snapshot_for(step);
    if (here() > step || here() < from.step) restore(from);
    if (here() == history_.newest()) apply_logged();
  }
  target_ = step;
}

bool LiveRun::continue_seek(double seconds) {
  const Timer timer;
  while (target_ && here() < *target_) {
    step();
    if (timer.seconds() >= seconds) break;
  }
  if (target_ && here() >= *target_) target_.reset();
  return !target_;
}

void LiveRun::restart() {
  const WorldSettings settings = world_.settings();
  if (const auto error = world_.restore(start_)) throw InputError(*error);
  ++edits_;
  try {
    world_.set_settings(settings);
  } catch (const InputError&) {
    // The solver of now does not take what was there at the beginning: that had one that does.
  }
  previous_.emplace(std::move(history_));
  history_ = LiveHistory(settings_.history_bytes);
  begin();
}

void LiveRun::recall() {
  require(previous_.has_value(), "there is no run before this one: only a restart leaves one");
  std::swap(history_, *previous_);
  work_ = 0;
  restore(history_.snapshots().back());
  begin_seek(history_.newest());
}

World stepped_copy(const LiveMoment& moment) {
  World copy = copy_of(moment.world);
  copy.keep_warm_start(true);
  step_with(copy, {moment.dt, moment.drag});
  return copy;
}

}  // namespace cairn
