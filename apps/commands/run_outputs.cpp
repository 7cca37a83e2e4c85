// SPDX-License-Identifier: MIT
#include "apps/commands/run_outputs.h"

#include <fmt/format.h>

#include <filesystem>

#include "apps/cli/progress.h"

namespace cairn::cli {

namespace {

RecordingMeta meta_of(const RunOptions& o, const scenes::Scene& scene, const SceneChoice& choice,
                      const RunFacts& facts) {
  RecordingMeta meta;
  meta.scene = scene.name;
  meta.parameters = fmt::format("{}", fmt::join(o.parameters, " "));
  if (choice.file) meta.scene_text = choice.file->text;
  meta.solver = choice.solver.label;
  SceneFile settings;
  settings.settings = scene.world.settings();
  settings.dt = facts.dt, settings.steps = scene.steps;
  meta.settings = write_scene(settings);
  meta.program = fmt::format("cairn {}, compiler {}", kProgramVersion, __VERSION__);
  meta.dt = facts.dt;
  meta.body_names = scene.body_names;
  meta.body_colours = facts.look.body_colours, meta.joint_names = facts.look.joint_names;
  return meta;
}

/// Joints that have names are told one by one.
std::vector<std::string> csv_head(const SceneLook& look) {
  std::vector<std::string> head{"step", "time"};
  for (const char* name : statistic_names()) head.emplace_back(name);
  for (const std::string& joint : look.joint_names)
    if (!joint.empty())
      for (const char* what : kReadingNames) head.push_back(fmt::format("{}.{}", joint, what));
  head.emplace_back("hash");
  return head;
}

/// An empty folder, made where there is none.
void prepare_folder(const std::string& path, bool force) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail_input(fmt::format("cannot make the folder {}: {}", path, error.message()), ErrorKind::io);
  if (!force && !std::filesystem::is_empty(path, error))
    fail_input(fmt::format("the folder {} is not empty; choose another or give --force", path), ErrorKind::io);
}

}  // namespace

std::string scene_label(const RunOptions& options) {
  std::string label = std::filesystem::path(options.scene).filename().string();
  for (const std::string& parameter : options.parameters) label += fmt::format(" {}", parameter);
  return label;
}

RunOutputs::RunOutputs(const RunOptions& o, const scenes::Scene& scene, const SceneChoice& choice,
                       const RunFacts& facts)
    : options_(o), facts_(facts) {
  if (!o.checkpoint.empty()) checkpoint_ = std::make_unique<CheckpointWriter>(o.checkpoint);
  if (!o.csv.empty()) csv_.emplace(csv_head(facts.look)), joints_ = scene.world.joints();
  for (const std::string& folder : {o.vtp, o.pov})
    if (!folder.empty()) prepare_folder(folder, o.force);
  if (!o.vtp.empty() || !o.pov.empty()) {
    pictures_.emplace(scene.world);
    if (choice.file && !choice.file->cameras.empty()) {
      const SceneCamera& c = choice.file->cameras.front();
      camera_ = PictureCamera{c.position, c.target, c.up, c.field_of_view};
    }
    write_pictures(scene.world);
  }
  if (!o.out.empty())
    recorder_ = std::make_unique<Recorder>(
        o.out, scene.world, meta_of(o, scene, choice, facts),
        RecorderSettings{.every = o.record_every, .contacts = o.record_contacts, .overwrite = o.force});
}

void RunOutputs::write_pictures(const World& world) {
  const MotionFrame frame = take_frame(world, world.bodies(), false);
  const auto write = [&](const std::string& folder, const char* end, const std::string& text) {
    const std::string name = fmt::format("frame_{:06}.{}", frame.step, end);
    std::move(write_text_file(fmt::format("{}/{}", folder, name), text, options_.force)).value_or_throw();
    return name;
  };
  if (!camera_) camera_ = camera_for(*pictures_, frame);
  if (!options_.vtp.empty()) vtp_files_.emplace_back(write(options_.vtp, "vtp", to_vtp(*pictures_, frame)), frame.time);
  if (!options_.pov.empty()) write(options_.pov, "pov", to_pov(*pictures_, frame, *camera_));
}

bool RunOutputs::add(const World& world) {
  const StepReport& report = world.last_report();
  if (recorder_) recorder_->add(world);
  if (csv_) {
    csv_->cell(report.step).cell(report.time);
    for (const double x : statistics_of(report)) csv_->cell(x);
    for (std::size_t k = 0; k < facts_.look.joint_names.size(); ++k) {
      if (facts_.look.joint_names[k].empty()) continue;
      const JointReading r = world.contains(joints_[k]) ? read_joint(world, joints_[k]) : no_reading();
      csv_->cell(r.position).cell(r.velocity).cell(r.effort).cell(r.force).cell(r.torque);
    }
    csv_->cell(world.state_hash().to_string());
    csv_->end_row();
  }
  if (pictures_ && report.step % options_.record_every == 0) write_pictures(world);
  return !checkpoint_ || report.step % options_.checkpoint_every != 0 || write_checkpoint(world);
}

bool RunOutputs::write_checkpoint(const World& world) {
  const Expected<bool> written = checkpoint_->write(
      {facts_.scene, facts_.identity, facts_.dt, world.step_count(), facts_.last_step, world.save()});
  if (written) return true;
  if (!warned_) fmt::print(stderr, "warning: {}\n", printable(written.error().message));
  warned_ = true;
  return !options_.stop_without_checkpoint;
}

void RunOutputs::finish(const World& world, bool interrupted) {
  if (checkpoint_ && interrupted) write_checkpoint(world);
  if (recorder_) {
    recorder_->close();
    fmt::print(stderr, "wrote {}\n", options_.out);
  }
  if (!options_.vtp.empty())
    std::move(write_text_file(options_.vtp + "/run.pvd", to_pvd(vtp_files_), options_.force)).value_or_throw();
  if (csv_) {
    std::move(write_text_file(options_.csv, csv_->text(), options_.force)).value_or_throw();
    fmt::print(stderr, "wrote {}\n", options_.csv);
  }
}

}  // namespace cairn::cli
