// SPDX-License-Identifier: MIT
// cairn replay: what a recording holds, and whether this program computes the same again.
#include <fmt/core.h>

#include "apps/cli/commands.h"
#include "apps/cli/progress.h"
#include "apps/commands/scene_source.h"
#include "cairn/core/index.h"
#include "cairn/record/elastic_recording.h"

namespace cairn::cli {

namespace {

/// Steps the state at the beginning again and compares every hash; the step of the first difference, or -1.
std::int64_t first_difference(const RecordingInfo& info, InputReplay& replay) {
  Progress progress("replay");
  const World& world = replay.world();
  for (const Hash128& recorded : info.hashes) {
    if (interrupted()) return -1;
    replay.step();
    if (!(world.state_hash() == recorded)) return world.step_count();
    progress.update(fmt::format("step {} of {}", world.step_count(), info.first_step + std::ssize(info.hashes)));
  }
  return -1;
}

void print_head(const ReplayOptions& options, const RecordingInfo& info) {
  fmt::print("{}: {}{}{}, {} bodies, steps {} to {} of {:.6g} s, {} frames\n", printable(options.file),
             printable(info.meta.scene), info.meta.parameters.empty() ? "" : " ", printable(info.meta.parameters),
             info.bodies.size(), info.first_step, info.first_step + std::ssize(info.hashes), info.meta.dt, info.frames);
  fmt::print("  solver   {}\n  program  {}\n", printable(info.meta.solver), printable(info.meta.program));
  if (!info.hashes.empty()) fmt::print("  state    {}\n", info.hashes.back().to_string());
}

/// The same of a recording of elastic solids.
int replay_elastic(const ReplayOptions& options) {
  const ElasticRecordingInfo info = read_elastic_recording(options.file).value_or_throw();
  fmt::print("{}: {}{}{}, {} elastic solids, {} bodies, {} steps of {:.6g} s, {} frames\n", printable(options.file),
             printable(info.meta.scene), info.meta.parameters.empty() ? "" : " ", printable(info.meta.parameters),
             info.solids, info.bodies, info.hashes.size(), info.meta.dt, info.frames);
  if (!options.verify) return kDone;
  ElasticWorld world({.threads = options.threads});
  world.restore(info.start);
  Progress progress("replay");
  for (const Hash128& recorded : info.hashes) {
    if (interrupted()) return kInterrupted;
    const std::int64_t step = world.step(info.meta.dt).step;
    progress.update(fmt::format("step {}", step));
    if (world.state_hash() == recorded) continue;
    fmt::print("NOT the same: step {} has the hash {}, recorded was {}\n", step, world.state_hash().to_string(),
               recorded.to_string());
    return kCheckFailed;
  }
  fmt::print("verified: the hashes of all {} steps are the same\n", info.hashes.size());
  return kDone;
}

}  // namespace

int run_replay(const ReplayOptions& options) {
  if (is_elastic_recording(options.file)) return replay_elastic(options);
  const RecordingInfo info = read_recording(options.file).value_or_throw();
  print_head(options, info);
  if (!options.verify) return kDone;
  InputReplay replay = replay_of(info, options.file);
  World& world = replay.world();
  WorldSettings settings = world.settings();
  settings.threads = options.threads;
  world.set_settings(settings);
  const std::int64_t differs = first_difference(info, replay);
  if (interrupted()) return kInterrupted;
  if (differs < 0) {
    fmt::print("verified: the hashes of all {} steps are the same\n", info.hashes.size());
    return kDone;
  }
  fmt::print("NOT the same: step {} has the hash {}, recorded was {}\n", differs, world.state_hash().to_string(),
             info.hashes[to_index(differs - info.first_step - 1)].to_string());
  return kCheckFailed;
}

}  // namespace cairn::cli
