// SPDX-License-Identifier: MIT
// cairn check: reads a scene file, builds its world and says what looks like a mistake. cairn schema: what such files
// may hold.
#include <fmt/core.h>

#include "apps/cli/commands.h"
#include "apps/commands/scene_source.h"
#include "cairn/scenefile/elastic_scene.h"

namespace cairn::cli {

int run_check(const CheckOptions& options) {
  const SceneFile file = open_scene_file(options.file, options.source).value_or_throw();
  const LoadedScene scene = cairn::build_scene(file).value_or_throw();
  const std::vector<std::string> warnings = scene_warnings(scene);
  fmt::print("{}: {} bodies, {} joints, {} steps of {:.6g} s, solver {}\n", options.file, scene.world.body_count(),
             scene.joints.size(), scene.steps, scene.dt, scene.world.settings().solver);
  if (!file.elastic.bodies.empty()) {
    const LoadedElasticScene elastic = build_elastic_scene(file).value_or_throw();
    fmt::print("  {} elastic solids, steps of at most {:.3g} s within a step\n", elastic.world.body_count(),
               elastic.world.step_limit());
  }
  for (const std::string& note : scene.notes) fmt::print("  note: {}\n", note);
  for (const std::string& warning : warnings) fmt::print("  warning: {}\n", warning);
  fmt::print("{}\n", warnings.empty() ? "no warnings" : fmt::format("{} warnings", warnings.size()));
  return options.strict && !warnings.empty() ? kCheckFailed : kDone;
}

int run_schema() {
  fmt::print("{}", scene_schema());
  return kDone;
}

}  // namespace cairn::cli
