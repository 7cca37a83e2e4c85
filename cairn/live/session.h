// SPDX-License-Identifier: MIT
// LiveSession: a run that people watch and act on while it goes. It has a thread of its own, on which everything
// happens: steps at the speed asked for, and between them what was requested, in order. Nothing it is asked makes it
// wait.
//
//   LiveSession session(std::move(world), {.scene = "tower"}, {.frame = show, .note = tell});
//   session.submit(parse_live_request(R"({"id": 1, "do": "pause"})", id), [](std::string answer) { ... });
//   session.want_frame(true, false);
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cairn/live/frame.h"
#include "cairn/live/request.h"
#include "cairn/live/run.h"
#include "cairn/live/saved_run.h"

namespace cairn {

/// Convergence of several solvers on a step. `stepped` has just taken it and has kept its problem and warm start; no
/// names: all that can take it. The result has members "contacts" and "curves" (docs/viewer.md). InputError is told.
using LiveCurves = std::function<JsonValue(const World& stepped, const std::vector<std::string>& solvers, int sweeps)>;

/// Another scene for a session that is under way.
struct LiveLoaded {
  World world;
  double dt = 1.0 / 60;
  std::string scene{};
  std::vector<std::string> body_names{}, joint_names{};
  std::vector<std::uint32_t> body_colours{};
  std::vector<PictureCamera> cameras{};
};
/// The scene of that name with parameters by name; InputError is told.
using LiveLoad = std::function<LiveLoaded(const std::string& scene, const NamedSettings& parameters)>;

/// Where a run was written, and how many of its steps came out otherwise when they were done again.
struct LiveFile {
  std::string path;
  std::int64_t different = 0;
};
/// Writes a run to a file whose name the program chooses. Called on another thread; InputError is told.
using LiveSave = std::function<LiveFile(const SavedRun& run, const RecordingMeta& meta)>;

struct LiveSettings {
  LiveRunSettings run{};
  std::string scene{}, program{};             ///< for people
  std::vector<std::string> body_names{};      ///< per body, or empty
  std::vector<std::uint32_t> body_colours{};  ///< per body, as RecordedBody, or empty
  std::vector<std::string> joint_names{};     ///< per joint, or empty
  double dt = 1.0 / 60;
  std::vector<PictureCamera> cameras{};  ///< views of the scene; the first is the one to begin with
  bool paused = false;
  bool wait = false;                       ///< begin when the first frame is wanted: nobody misses the start
  LiveCurves curves{};                     ///< called on another thread, one at a time; empty: refused
  std::function<JsonValue()> catalogue{};  ///< scenes for people to choose from, as docs/viewer.md says
  LiveLoad load{};                         ///< empty: refused
  LiveSave save{};                         ///< empty: refused
};

/// Told on the session's thread; must return soon and must not call the session.
struct LiveListener {
  std::function<void(std::shared_ptr<const LiveFrame>)> frame{};
  std::function<void(std::string)> note{};  ///< a message of JSON that nobody asked for
};

/// For the end.
struct LiveSummary {
  std::int64_t step = 0, newest = 0;
  std::int64_t computed = 0;  ///< steps, those that were done again included
  double time = 0;            ///< s, simulated
  double seconds = 0;         ///< that the session lasted
  std::int64_t mismatches = 0;
  std::string solver, hash;
};

class LiveSession {
 public:
  /// Called once, on a thread of the session, unless the session ends before.
  using Answer = std::function<void(std::string)>;

  LiveSession(World world, LiveSettings settings, LiveListener listener = {});
  /// Ends after the step under way.
  ~LiveSession();

  void submit(LiveRequest request, Answer answer);

  /// The listener gets a frame once there is one that differs from the last he got, in state or in what it holds. A new
  /// list of bodies is told without asking.
  void want_frame(bool contacts, bool groups);
  /// LiveFrame::version of a frame that would be taken now.
  std::uint64_t version() const;

  /// Waits for the step under way.
  LiveSummary summary();

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace cairn
