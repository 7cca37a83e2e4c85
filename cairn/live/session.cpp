// SPDX-License-Identifier: MIT
#include "cairn/live/session.h"

#include <fmt/core.h>

#include "cairn/live/session_core.h"

namespace cairn {

namespace {

constexpr double kSeekPiece = 0.02;  // s of computing between two looks at what was requested

}  // namespace

LiveNames LiveSession::Core::names_of(const World& world, const LiveSettings& settings) {
  return {settings.scene,   settings.program,      world.bodies(),      settings.body_names,
          settings.cameras, settings.body_colours, settings.joint_names};
}

LiveSession::Core::Core(World world, LiveSettings settings, LiveListener listener)
    : settings_(std::move(settings)),
      listener_(std::move(listener)),
      names_(names_of(world, settings_)),
      run_(std::move(world), settings_.dt, settings_.run),
      clock_(run_.world().time()),
      mode_(settings_.paused || settings_.wait ? Mode::paused : Mode::playing),
      waiting_(settings_.wait && !settings_.paused),
      loop_([this] { return turn(); }) {}

LiveSession::Core::~Core() = default;

void LiveSession::Core::submit(LiveRequest request, Answer answer) {
  loop_.post([this, request = std::move(request), answer = std::move(answer)] { execute(request, answer); });
}

void LiveSession::Core::want_frame(bool contacts, bool groups) {
  wants_ |= kFrame | (contacts ? kContacts : 0u) | (groups ? kGroups : 0u);
  if (waiting_.exchange(false)) loop_.post([this] { begin_playing(); });
  loop_.wake();
}

void LiveSession::Core::begin_playing() {
  if (mode_ != Mode::playing) clock_.start(wall_.seconds(), run_.world().time());
  mode_ = Mode::playing;
  ++version_;
}

/// Never throws: what goes wrong pauses the run and is told.
double LiveSession::Core::turn() {
  double rest = -1;
  try {
    rest = advance();
  } catch (const std::exception& error) {
    const bool waited = pending_.has_value();
    fail_pending(error.what());
    mode_ = Mode::paused;
    run_.end_seek();
    ++version_;
    if (!waited) tell(fmt::format("paused: {}", error.what()));
  }
  try {
    publish();
  } catch (const std::exception& error) {
    tell(fmt::format("no frame could be made: {}", error.what()));
    wants_ = 0;
  }
  return rest;
}

void LiveSession::Core::count_step() {
  ++computed_, ++version_;
  clock_.stepped(wall_.seconds(), run_.world().time());
}

/// One step, or a piece of a seek, if one is due; how long to rest before the next.
double LiveSession::Core::advance() {
  switch (mode_) {
    case Mode::paused: return -1;
    case Mode::playing: {
      const double rest = clock_.until_due(wall_.seconds(), run_.world().time(), run_.dt());
      if (rest > 0) return rest;
      run_.step();
      count_step();
      return 0;
    }
    case Mode::stepping:
      run_.step();
      count_step();
      if (--steps_left_ == 0) finish_pending();
      return 0;
    case Mode::seeking: {
      const std::int64_t before = run_.here();
      const bool there = run_.continue_seek(kSeekPiece);
      computed_ += run_.here() - before;
      if (there) finish_pending();
      return 0;
    }
  }
  return -1;
}

void LiveSession::Core::finish_pending() {
  const bool sought = mode_ == Mode::seeking;
  mode_ = Mode::paused;
  ++version_;
  if (!pending_) return;
  const Pending done = std::move(*pending_);
  pending_.reset();
  JsonValue answer = status(done.id);
  if (sought) add_member(answer, "exact", json_flag(run_.exact()));
  done.answer(to_line(answer));
}

void LiveSession::Core::fail_pending(const std::string& why) {
  if (!pending_) return;
  const Pending done = std::move(*pending_);
  pending_.reset();
  done.answer(live_error(done.id, why));
}

void LiveSession::Core::tell(const std::string& message) {
  if (listener_.note) listener_.note(live_note(message));
}

/// True if there is another list of bodies or joints than before. A body that was shot may be another one with the same
/// handle after going back.
bool LiveSession::Core::refresh_scene() {
  if (scene_ && scene_edits_ == run_.edits()) return false;
  const World& world = run_.world();
  const bool other = scene_edits_ == kNoEdits;
  scene_edits_ = run_.edits();
  if (scene_ && !other) {
    const std::vector<BodyId> bodies = world.bodies();
    if (bodies == names_.bodies && bodies == scene_->bodies && world.joints() == scene_->joints) return false;
  }
  scene_ = make_live_scene(world, run_.dt(), names_, scene_ ? scene_->generation + 1 : 1);
  ++version_;
  return true;
}

/// A frame for the listener, if there is reason for one. None while a seek is on its way.
void LiveSession::Core::publish() {
  if (mode_ == Mode::seeking || !listener_.frame) return;
  refresh_scene();
  unsigned wanted = wants_;
  const bool other_scene = scene_->generation != published_scene_;
  const bool fresh = version_ != published_ || (wanted & ~published_bits_ & (kContacts | kGroups)) != 0;
  if (!other_scene && ((wanted & kFrame) == 0 || !fresh)) return;
  wanted = wants_.exchange(0);
  auto frame =
      std::make_shared<LiveFrame>(take_live_frame(run_, scene_, (wanted & kContacts) != 0, (wanted & kGroups) != 0));
  frame->version = version_;
  frame->playing = mode_ == Mode::playing;
  frame->speed = clock_.speed();
  frame->rate = mode_ == Mode::playing ? clock_.rate(wall_.seconds()) : 0;
  published_ = version_, published_scene_ = scene_->generation, published_bits_ = wanted;
  listener_.frame(std::move(frame));
}

LiveSummary LiveSession::Core::summary() {
  LiveSummary result;
  loop_.ask([&] {
    const World& world = run_.world();
    result = {run_.here(),
              run_.history().newest(),
              computed_,
              world.time(),
              wall_.seconds(),
              run_.mismatches(),
              solver_label(world.settings()),
              world.state_hash().to_string()};
  });
  return result;
}

LiveSession::LiveSession(World world, LiveSettings settings, LiveListener listener)
    : core_(std::make_unique<Core>(std::move(world), std::move(settings), std::move(listener))) {}
LiveSession::~LiveSession() = default;

void LiveSession::submit(LiveRequest request, Answer answer) { core_->submit(std::move(request), std::move(answer)); }
void LiveSession::want_frame(bool contacts, bool groups) { core_->want_frame(contacts, groups); }
std::uint64_t LiveSession::version() const { return core_->version(); }
LiveSummary LiveSession::summary() { return core_->summary(); }

}  // namespace cairn
