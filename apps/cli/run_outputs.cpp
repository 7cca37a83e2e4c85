// SPDX-License-Identifier: MIT
#include "apps/cli/run_outputs.h"

#include <fmt/core.h>

#include <filesystem>

#include "apps/cli/progress.h"

namespace cairn::cli {

namespace {

RecordingMeta meta_of(const RunOptions& o, const scenes::Scene& scene, const SceneChoice& choice, double dt) {
  RecordingMeta meta;
  meta.scene = scene.name;
  for (const std::string& parameter : o.parameters) meta.parameters += (meta.parameters.empty() ? "" : " ") + parameter;
  if (choice.file) meta.scene_text = choice.file->text;
  meta.solver = choice.solver.label;
  SceneFile settings;
  settings.settings = scene.world.settings();
  settings.dt = dt, settings.steps = scene.steps;
  meta.settings = write_scene(settings);
  meta.program = fmt::format("cairn {}, compiler {}", kProgramVersion, __VERSION__);
  meta.dt = dt;
  meta.body_names = scene.body_names;
  return meta;
}

std::vector<std::string> csv_head() {
  std::vector<std::string> head{"step", "time"};
  for (const char* name : statistic_names()) head.emplace_back(name);
  head.emplace_back("hash");
  return head;
}

}  // namespace

std::string scene_label(const RunOptions& options) {
  std::string label = std::filesystem::path(options.scene).filename().string();
  for (const std::string& parameter : options.parameters) label += " " + parameter;
  return label;
}

RunOutputs::RunOutputs(const RunOptions& o, const scenes::Scene& scene, const SceneChoice& choice,
                       const RunFacts& facts)
    : options_(o), facts_(facts) {
  if (!o.checkpoint.empty()) checkpoint_ = std::make_unique<CheckpointWriter>(o.checkpoint);
  if (!o.csv.empty()) csv_.emplace(csv_head());
  if (!o.out.empty())
    recorder_ = std::make_unique<Recorder>(
        o.out, scene.world, meta_of(o, scene, choice, facts.dt),
        RecorderSettings{.every = o.record_every, .contacts = o.record_contacts, .overwrite = o.force});
}

bool RunOutputs::add(const World& world) {
  const StepReport& report = world.last_report();
  if (recorder_) recorder_->add(world);
  if (csv_) {
    csv_->cell(report.step).cell(report.time);
    for (const double x : statistics_of(report)) csv_->cell(x);
    csv_->cell(world.state_hash().to_string());
    csv_->end_row();
  }
  return !checkpoint_ || report.step % options_.checkpoint_every != 0 || write_checkpoint(world);
}

bool RunOutputs::write_checkpoint(const World& world) {
  const Expected<bool> written =
      checkpoint_->write({facts_.scene, facts_.dt, world.step_count(), facts_.last_step, world.save()});
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
  if (csv_) {
    std::move(write_text_file(options_.csv, csv_->text(), options_.force)).value_or_throw();
    fmt::print(stderr, "wrote {}\n", options_.csv);
  }
}

}  // namespace cairn::cli
