// SPDX-License-Identifier: MIT
// Scene files with elastic solids (`elastic` of docs/scenes.md).
#pragma once

#include <string>
#include <vector>

#include "cairn/euler/elastic_world.h"
#include "cairn/scenefile/scene_file.h"

namespace cairn {

/// A world at its beginning, and how to run it.
struct LoadedElasticScene {
  std::string name;
  double dt = 1.0 / 60;
  int steps = 600;
  ElasticWorld world;
  std::vector<std::string> notes;  ///< one sentence each, about meshes that were changed on reading
};

/// Builds the world of a scene file with elastic solids. Its bodies, generators and joints become the rigid bodies
/// beside the solids.
Expected<LoadedElasticScene> build_elastic_scene(const SceneFile& file, int threads = 1);

}  // namespace cairn
