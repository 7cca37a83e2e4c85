// SPDX-License-Identifier: MIT
// LiveRun: a world with a past. Steps are taken, things are done to it, and any step that is still remembered can be
// gone back to, bit for bit; from there the run goes on exactly as it did, inputs included, until someone acts.
//
// Knows no clock and no threads: LiveSession (session.h) runs it.
#pragma once

#include <cstdint>
#include <optional>

#include "cairn/live/history.h"

namespace cairn {

struct LiveRunSettings {
  std::size_t history_bytes = std::size_t{512} << 20;
  int snapshot_every = 0;  ///< steps; 0: as often as costs a tenth of the time
};

class LiveRun {
 public:
  LiveRun(World world, double dt, const LiveRunSettings& settings = {});

  const World& world() const { return world_; }
  double dt() const { return hand_.dt; }
  const std::optional<LiveDrag>& drag() const { return hand_.drag; }
  const LiveHistory& history() const { return history_; }
  std::int64_t here() const { return world_.step_count(); }
  const LiveRecord& record() const { return history_.record(here()); }
  /// Whether the state is the one that was there when this step was first done; and how often one was not.
  bool exact() const { return exact_; }
  std::int64_t mismatches() const { return mismatches_; }

  /// Grows whenever bodies or joints may be others than before.
  std::uint64_t edits() const { return edits_; }

  /// Does it now; what came after this step is dropped. The body that was added, if any. InputError: nothing changed.
  std::optional<BodyId> act(const LiveInput& input);

  /// One step, with the inputs that were logged where it has been done before. InputError where the solver refuses the
  /// problem; the state is then that before the step.
  void step();

  /// Goes to a step from oldest to newest, in pieces of about so many seconds; true when it is there. Inputs that were
  /// done at the newest step are done there.
  void begin_seek(std::int64_t step);
  bool continue_seek(double seconds);
  bool seeking() const { return target_.has_value(); }
  /// Stays where the seek is.
  void end_seek() { target_.reset(); }

  /// From the beginning, with the settings of now. The run so far is kept beside it, the one before that is not.
  void restart();
  bool has_previous() const { return previous_.has_value(); }
  /// Exchanges this run and the one before the last restart, and begins to seek the newest step of that.
  void recall();

 private:
  void begin();
  std::optional<BodyId> apply(const LiveInput& input);
  void try_solver(const WorldSettings& settings, double dt) const;
  void apply_logged();
  void advance();
  void note_step();
  void restore(const LiveSnapshot& snapshot);
  LiveRecord make_record() const;
  LiveSnapshot make_snapshot() const;

  World world_;
  LiveHand hand_;
  LiveRunSettings settings_;
  LiveHistory history_;
  std::optional<LiveHistory> previous_;  ///< of the run before the last restart
  std::string start_;                    ///< snapshot of the beginning
  std::int64_t applied_ = 0;             ///< inputs up to this number are in the state
  std::optional<std::int64_t> target_;
  bool exact_ = true;
  std::int64_t mismatches_ = 0;
  std::uint64_t edits_ = 0;
  double work_ = 0;  ///< s spent in steps since the last snapshot
  double cost_ = 0;  ///< s that it took
};

/// A state that is about to take a step.
struct LiveMoment {
  std::string world;  ///< World::save
  double dt = 1.0 / 60;
  std::optional<LiveDrag> drag;
};
/// A world of its own one step on, single-threaded, that keeps the whole problem of that step and what the solver began
/// from.
World stepped_copy(const LiveMoment& moment);

}  // namespace cairn
