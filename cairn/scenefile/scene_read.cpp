// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <filesystem>

#include "cairn/io/confined_file.h"
#include "cairn/scenefile/fields_json.h"
#include "cairn/scenefile/scene_file.h"

namespace cairn {

Expected<SceneFile> parse_scene(const std::string& text, const std::string& file, const std::string& folder) {
  JsonValue json;
  try {
    json = parse_json(text);
  } catch (const InputError& error) {
    return Error{error.kind(), fmt::format("{}:{}", file, error.what())};
  }
  try {
    SceneFile scene;
    scene.file = file, scene.folder = folder, scene.text = text;
    read_fields(json, file, "", [&](Fields& f) { describe(f, scene); });
    if (scene.name.empty()) scene.name = std::filesystem::path(file).stem().string();
    return scene;
  } catch (const InputError& error) {
    return Error{error.kind(), error.what()};
  }
}

Expected<SceneFile> read_scene(const std::string& path) {
  Expected<std::string> text = read_whole_file(path, kMostJsonBytes);
  if (!text) return text.error();
  return parse_scene(*text, path, std::filesystem::path(path).parent_path().string());
}

}  // namespace cairn
