// SPDX-License-Identifier: MIT
// What a LiveSession is inside: session.cpp has its turns, commands.cpp what it can be asked. Everything but `submit`,
// `want_frame`, `version` and `summary` happens on the session's thread.
#pragma once

#include <atomic>
#include <optional>

#include "cairn/core/background.h"
#include "cairn/core/timer.h"
#include "cairn/live/clock.h"
#include "cairn/live/session.h"

namespace cairn {

class LiveSession::Core {
 public:
  Core(World world, LiveSettings settings, LiveListener listener);
  ~Core();

  void submit(LiveRequest request, Answer answer);
  void want_frame(bool contacts, bool groups);
  std::uint64_t version() const { return version_; }
  LiveSummary summary();

  /// What a request may do: an answer at once, or none if it is given later.
  using Result = std::optional<JsonValue>;
  using Command = Result (Core::*)(const LiveRequest&, const Answer&);

 private:
  enum class Mode { paused, playing, stepping, seeking };
  /// Bits of wants_.
  enum Want : unsigned { kFrame = 1, kContacts = 2, kGroups = 4 };

  // session.cpp
  double turn();
  double advance();
  void count_step();
  void begin_playing();
  void publish();
  bool refresh_scene();
  void finish_pending();
  void fail_pending(const std::string& why);
  void tell(const std::string& message);

  // commands.cpp
  void execute(const LiveRequest& request, const Answer& answer);
  Result play(const LiveRequest& request, const Answer& answer);
  Result pause(const LiveRequest& request, const Answer& answer);
  Result step(const LiveRequest& request, const Answer& answer);
  Result seek(const LiveRequest& request, const Answer& answer);
  Result restart(const LiveRequest& request, const Answer& answer);
  Result speed(const LiveRequest& request, const Answer& answer);
  Result solver(const LiveRequest& request, const Answer& answer);
  Result pick(const LiveRequest& request, const Answer& answer);
  Result drag(const LiveRequest& request, const Answer& answer);
  Result release(const LiveRequest& request, const Answer& answer);
  Result shoot(const LiveRequest& request, const Answer& answer);
  Result remove(const LiveRequest& request, const Answer& answer);
  Result settings(const LiveRequest& request, const Answer& answer);
  Result history(const LiveRequest& request, const Answer& answer);
  Result curves(const LiveRequest& request, const Answer& answer);
  void make_curves(const LiveMoment& moment, std::int64_t step, const LiveRequest& request, const Answer& answer);
  JsonValue status(const JsonValue& id) const;

  // scene_commands.cpp
  Result scenes(const LiveRequest& request, const Answer& answer);
  Result load(const LiveRequest& request, const Answer& answer);
  Result previous(const LiveRequest& request, const Answer& answer);
  Result drive(const LiveRequest& request, const Answer& answer);
  Result save(const LiveRequest& request, const Answer& answer);

  // session.cpp and commands.cpp, for both
  static LiveNames names_of(const World& world, const LiveSettings& settings);
  std::optional<BodyId> act(const LiveInput& input);
  BodyId body_at(const LiveArguments& arguments);
  std::int64_t place_of(BodyId body) const;

  struct Pending {
    JsonValue id;
    Answer answer;
  };

  LiveSettings settings_;
  LiveListener listener_;
  LiveNames names_;
  LiveRun run_;
  Timer wall_;
  LiveClock clock_;
  Mode mode_;
  std::atomic<bool> waiting_;  ///< for the first viewer
  std::int64_t steps_left_ = 0;
  std::optional<Pending> pending_;  ///< of a step or seek under way
  std::int64_t computed_ = 0;

  std::shared_ptr<const LiveScene> scene_;
  static constexpr std::uint64_t kNoEdits = ~std::uint64_t{0};
  std::uint64_t scene_edits_ = 0;          ///< LiveRun::edits() that it was made of; kNoEdits: it is of another scene
  std::atomic<std::uint64_t> version_{1};  ///< grows with everything that a frame shows
  std::uint64_t published_ = 0;            ///< version of the last frame
  std::uint64_t published_scene_ = 0;
  unsigned published_bits_ = 0;
  std::atomic<unsigned> wants_{0};

  std::atomic<bool> curves_busy_{false};
  BackgroundQueue curves_queue_{1};
  BackgroundLoop loop_;  ///< last: its thread ends first
};

}  // namespace cairn
