// SPDX-License-Identifier: MIT
// Scenes of elastic solids by name, beside those of rigid bodies (scene.h): ElasticWorlds that serve the program, the
// tests and the benchmarks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cairn/euler/elastic_world.h"
#include "scenes/scene.h"

namespace cairn::scenes {

/// A world at its beginning, and how to run it.
struct ElasticScene {
  std::string name;
  double dt = 0.005;  ///< s
  int steps = 100;
  ElasticWorld world;
};

std::vector<SceneInfo> elastic_scene_table();
bool is_elastic_scene(std::string_view name);

/// The scene of that name, on `threads` threads. The Error names the parameter that is wrong, and the allowed values.
Expected<ElasticScene> make_elastic_scene(std::string_view name, const NamedSettings& parameters = {}, int threads = 1);

}  // namespace cairn::scenes
