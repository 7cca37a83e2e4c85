// SPDX-License-Identifier: MIT
// Scenes as text, for tests.
#pragma once

#include <string>

#include "cairn/scenefile/scene_file.h"

namespace cairn {

/// A whole scene around members of its outermost object.
inline std::string scene_text(const std::string& members) {
  return "{\"format\": \"cairn-scene/1\",\n" + members + "}";
}

/// The message of the first error of reading and building; empty when there is none.
inline std::string scene_refusal(const std::string& text, const std::string& folder = "") {
  const Expected<SceneFile> file = parse_scene(text, "s.json", folder);
  if (!file) return file.error().message;
  const Expected<LoadedScene> scene = build_scene(*file);
  return scene ? "" : scene.error().message;
}

inline std::string body_with(const std::string& shape) {
  return scene_text("\"bodies\": [{\"shapes\": [" + shape + "]}]");
}

}  // namespace cairn
