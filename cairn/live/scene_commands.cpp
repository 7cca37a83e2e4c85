// SPDX-License-Identifier: MIT
// What a LiveSession can be asked about its scene: another one, the run before, drives of joints, a file of the run.
#include <fmt/core.h>

#include "cairn/core/index.h"
#include "cairn/core/names.h"
#include "cairn/live/session_core.h"
#include "cairn/record/joint_reading.h"

namespace cairn {

auto LiveSession::Core::scenes(const LiveRequest& request, const Answer&) -> Result {
  const LiveArguments arguments(request, {});
  JsonValue answer = live_answer(request.id);
  add_member(answer, "scenes", settings_.catalogue ? settings_.catalogue() : json_array());
  return answer;
}

/// Another scene takes the place of this one, with its solver where it takes the scene.
auto LiveSession::Core::load(const LiveRequest& request, const Answer&) -> Result {
  const LiveArguments arguments(request, {"scene", "parameters"});
  require(static_cast<bool>(settings_.load), "load: this session was begun without other scenes");
  LiveLoaded next = settings_.load(arguments.text("scene"), arguments.named_values("parameters"));
  fail_pending("superseded by load");
  const bool playing = mode_ == Mode::playing;
  run_ = LiveRun(std::move(next.world), next.dt, settings_.run);
  settings_.scene = next.scene, settings_.body_names = next.body_names, settings_.cameras = next.cameras;
  settings_.body_colours = next.body_colours, settings_.joint_names = next.joint_names;
  names_ = names_of(run_.world(), settings_);
  mode_ = Mode::paused;
  if (playing) begin_playing();
  scene_edits_ = kNoEdits;
  refresh_scene();
  ++version_;
  return status(request.id);
}

auto LiveSession::Core::previous(const LiveRequest& request, const Answer& answer) -> Result {
  const LiveArguments arguments(request, {});
  run_.recall();
  fail_pending("superseded by previous");
  mode_ = Mode::seeking;
  pending_ = {request.id, answer};
  return std::nullopt;
}

/// What is not given stays as it is; without a kind, a drive towards a position.
auto LiveSession::Core::drive(const LiveRequest& request, const Answer&) -> Result {
  static constexpr const char* kKinds[] = {"none", "velocity", "position"};
  const LiveArguments arguments(request, {"joint", "kind", "position", "speed", "stiffness", "damping", "max_force"});
  refresh_scene();
  const auto joints = static_cast<std::int64_t>(scene_->joints.size());
  require(joints > 0, "drive: there are no joints");
  const JointId joint = scene_->joints[to_index(arguments.whole("joint", 0, joints - 1))];
  const JointAxis* axis = axis_of(run_.world().joint_def(joint).kind);
  require(axis != nullptr, "drive: only hinges and prismatic joints can be driven here");
  AxisDrive drive = axis->drive;
  const std::string kind = arguments.has("kind") ? arguments.text("kind") : "position";
  const auto* const found = std::find(std::begin(kKinds), std::end(kKinds), kind);
  require(found != std::end(kKinds), "drive: kind must be none, velocity or position");
  drive.kind = static_cast<DriveKind>(found - std::begin(kKinds));
  drive.position = arguments.number_or("position", drive.position, -1e6, 1e6);
  drive.speed = arguments.number_or("speed", drive.speed, -1e6, 1e6);
  drive.stiffness = arguments.number_or("stiffness", drive.stiffness, 0, 1e15);
  drive.damping = arguments.number_or("damping", drive.damping, 0, 1e15);
  drive.max_force = arguments.number_or("max_force", drive.max_force, 0, kUnlimited);
  act(LiveDrive{joint, drive});
  return status(request.id);
}

/// The file is written on the thread of curves, from a copy: the run goes on.
auto LiveSession::Core::save(const LiveRequest& request, const Answer& answer) -> Result {
  const LiveArguments arguments(request, {});
  require(static_cast<bool>(settings_.save), "save: this session was begun without a place for files");
  if (curves_busy_.exchange(true)) fail_input("curves or a file are being made: wait for their answer");
  RecordingMeta meta;
  meta.scene = settings_.scene, meta.program = settings_.program;
  meta.solver = solver_label(run_.world().settings());
  meta.body_names = settings_.body_names, meta.body_colours = settings_.body_colours;
  meta.joint_names = settings_.joint_names;
  curves_queue_.push([this, run = saved_run(run_.history()), meta, id = request.id, answer] {
    std::string text;
    try {
      JsonValue whole = live_answer(id);
      const LiveFile file = settings_.save(run, meta);
      add_member(whole, "file", json_text(file.path));
      add_member(whole, "steps", json_number(static_cast<double>(run.last - run.start.step)));
      add_member(whole, "different", json_number(static_cast<double>(file.different)));
      text = to_line(whole);
    } catch (const std::exception& error) {
      text = live_error(id, error.what());
    }
    curves_busy_ = false;
    answer(text);
  });
  return std::nullopt;
}

}  // namespace cairn
