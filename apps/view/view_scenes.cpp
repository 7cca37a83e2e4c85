// SPDX-License-Identifier: MIT
#include "apps/view/view_scenes.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "apps/commands/scene_source.h"

namespace cairn::cli {

namespace {

constexpr int kMostFiles = 10'000;

JsonValue entry(const std::string& name, const std::string& summary) {
  JsonValue item = json_object();
  add_member(item, "name", json_text(name));
  add_member(item, "summary", json_text(summary));
  return item;
}

/// The value of the command line, else the scene's own.
std::string value_given(const RunOptions& given, const scenes::SceneParameter& parameter) {
  for (const std::string& text : given.parameters)
    if (text.starts_with(parameter.name + "=")) return text.substr(parameter.name.size() + 1);
  return parameter.value;
}

bool is_file(const std::string& scene) { return scene.ends_with(".json") || scene.ends_with(".urdf"); }

/// A name of letters that every folder takes.
std::string file_stem(const std::string& scene) {
  std::string stem = std::filesystem::path(scene).stem().string().substr(0, 60);
  for (char& c : stem)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') c = '_';
  return stem.empty() ? "run" : stem;
}

}  // namespace

JsonValue view_catalogue(const RunOptions& given) {
  std::vector<JsonValue> items;
  const std::vector<scenes::SceneInfo> table = scenes::scene_table();
  const bool listed = std::any_of(table.begin(), table.end(), [&](const auto& s) { return s.example == given.scene; });
  if (!listed) items.push_back(entry(given.scene, "as on the command line"));
  for (const scenes::SceneInfo& scene : table) {
    JsonValue item = entry(scene.example, scene.summary);
    std::vector<JsonValue> parameters;
    for (const scenes::SceneParameter& p : scene.parameters) {
      JsonValue parameter = json_object();
      add_member(parameter, "name", json_text(p.name));
      add_member(parameter, "value", json_text(scene.example == given.scene ? value_given(given, p) : p.value));
      add_member(parameter, "allowed", json_text(p.allowed));
      add_member(parameter, "help", json_text(p.help));
      parameters.push_back(std::move(parameter));
    }
    add_member(item, "parameters", json_array(std::move(parameters)));
    items.push_back(std::move(item));
  }
  return json_array(std::move(items));
}

LiveLoaded view_load(const RunOptions& given, const std::string& scene, const NamedSettings& parameters) {
  if (is_file(scene) && scene != given.scene)
    fail_input("a page can load scenes by name, and the file that the program was started with");
  RunOptions o = given;
  o.scene = scene;
  if (scene != given.scene) o.parameters.clear();
  // What the page says comes before what the command line says.
  for (const auto& [name, value] : parameters) {
    std::erase_if(o.parameters, [&name = name](const std::string& text) { return text.starts_with(name + "="); });
    o.parameters.push_back(fmt::format("{}={}", name, value));
  }
  const SceneChoice choice = choose_scene(o);
  SceneLook look;
  scenes::Scene made = build_scene(o, choice, nullptr, &look);
  LiveLoaded loaded{.world = std::move(made.world)};
  loaded.dt = o.dt.value_or(made.dt);
  loaded.scene = made.name, loaded.body_names = made.body_names;
  loaded.body_colours = look.body_colours, loaded.joint_names = look.joint_names;
  if (choice.file) loaded.cameras = cameras_of(*choice.file);
  return loaded;
}

LiveFile view_save(const SavedRun& run, const RecordingMeta& meta) {
  for (int number = 1; number <= kMostFiles; ++number) {
    const std::string path = fmt::format("{}-{}.h5", file_stem(meta.scene), number);
    if (std::filesystem::exists(path) || std::filesystem::exists(path + ".partial")) continue;
    return {path, write_saved_run(path, run, meta)};
  }
  fail_input(fmt::format("there are {} files of such runs: remove some", kMostFiles), ErrorKind::io);
}

}  // namespace cairn::cli
