// SPDX-License-Identifier: MIT
// Guide, chapter 8: a world from a scene file. Usage: example_scene_file SCENE.json
#include <cstdio>

#include "cairn/cairn.h"
#include "cairn/files.h"

int main(int argc, char** argv) {
  using namespace cairn;
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s SCENE.json\n", argv[0]);
    return 2;
  }
  // Readers return an Expected: a value, or an error that names file, line and column.
  const Expected<SceneFile> file = read_scene(argv[1]);
  if (!file) {
    std::fprintf(stderr, "%s\n", file.error().message.c_str());
    return 1;
  }
  Expected<LoadedScene> loaded = build_scene(*file, [](WorldSettings& settings) { settings.sleep.enabled = true; });
  if (!loaded) {
    std::fprintf(stderr, "%s\n", loaded.error().message.c_str());
    return 1;
  }
  LoadedScene& scene = *loaded;
  std::printf("%s: %zu bodies, the second is called %s\n", scene.name.c_str(), scene.world.body_count(),
              scene.body_names[1].c_str());
  for (const std::string& warning : scene_warnings(scene)) std::printf("warning: %s\n", warning.c_str());
  for (int i = 0; i < scene.steps; ++i) scene.world.step(scene.dt);
  std::printf("ran for %.1f s\n", scene.world.time());
}
