// SPDX-License-Identifier: MIT
#include "cairn/live/saved_run.h"

#include <fmt/core.h>

#include "cairn/core/index.h"

namespace cairn {

SavedRun saved_run(const LiveHistory& history) {
  SavedRun run;
  run.start = history.snapshots().front();
  run.inputs = history.inputs();
  run.last = history.newest();
  for (std::int64_t step = history.oldest() + 1; step <= run.last; ++step)
    run.hashes.push_back(history.record(step).hash);
  // A pull that was under way at the beginning is the first thing done.
  if (run.start.drag) run.inputs.insert(run.inputs.begin(), {run.start.step, *run.start.drag});
  return run;
}

std::vector<RecordedBody> added_bodies(std::span<const LoggedInput> inputs) {
  std::vector<RecordedBody> bodies;
  for (const LoggedInput& logged : inputs)
    if (const auto* shot = std::get_if<LiveShot>(&logged.input))
      bodies.push_back({fmt::format("added {}", bodies.size() + 1), kShotForms[to_index(shot->form)], BodyKind::dynamic,
                        mass_properties(shot_shape(*shot), shot->density).mass});
  return bodies;
}

std::int64_t write_saved_run(const std::string& path, const SavedRun& run, RecordingMeta meta) {
  World world;
  if (const auto error = world.restore(run.start.world)) throw InputError(*error);
  WorldSettings settings = world.settings();
  settings.threads = 1;  // the run itself goes on beside it
  world.set_settings(settings);
  meta.dt = run.start.dt;
  meta.inputs = pack_inputs(run.inputs);
  InputReplay replay(std::move(world), run.start.dt, run.inputs);
  Recorder recorder(path, replay.world(), meta, {.later = added_bodies(run.inputs)});
  std::int64_t different = 0;
  for (std::size_t appeared = 0; replay.world().step_count() < run.last;) {
    const auto place = to_index(replay.world().step_count() - run.start.step);
    replay.step();
    for (; appeared < replay.added().size(); ++appeared) recorder.appear(replay.added()[appeared]);
    if (!(replay.world().state_hash() == run.hashes[place])) ++different;
    recorder.add(replay.world());
  }
  recorder.close();
  return different;
}

}  // namespace cairn
