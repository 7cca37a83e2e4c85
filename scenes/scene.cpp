// SPDX-License-Identifier: MIT
#include "scenes/scene.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "cairn/core/names.h"
#include "scenes/scene_family.h"

namespace cairn::scenes {

namespace {

const std::vector<SceneFamily>& families() {
  static const std::vector<SceneFamily> kFamilies = [] {
    std::vector<SceneFamily> all;
    for (const auto rows : {ball_scenes, box_scenes, card_house_scenes, chain_scenes, chess_scenes, convex_scenes,
                            fracture_scenes, masonry_scenes, mesh_scenes, incline_scenes, top_scenes, hopper_scenes,
                            linkage_scenes, ragdoll_scenes, vehicle_scenes, machine_scenes})
      for (SceneFamily& family : rows()) all.push_back(std::move(family));
    return all;
  }();
  return kFamilies;
}

bool is_sized(const SceneFamily& family) { return family.size.most > 0; }

std::string example_of(const SceneFamily& family) {
  return is_sized(family) ? family.name + std::to_string(family.size.example) : family.name;
}

std::string allowed_text(const ParameterSpec& p) {
  return fmt::format("{} in [{:g}, {:g}]", p.whole ? "a whole number" : "a number", p.least, p.most);
}

/// A number that takes up the whole text.
template <class T>
std::optional<T> parse_whole_text(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool begins_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

const SceneFamily& find_family(std::string_view name) {
  std::vector<std::string> examples;
  for (const SceneFamily& family : families()) {
    if (is_sized(family) ? begins_with(name, family.name) : name == family.name) return family;
    examples.push_back(example_of(family));
  }
  fail_input(
      fmt::format("there is no scene '{}'{}; `cairn scenes` lists them all", name, did_you_mean(name, examples)));
}

int parse_size(const SceneFamily& family, std::string_view name) {
  if (!is_sized(family)) return 0;
  const std::optional<int> size = parse_whole_text<int>(name.substr(family.name.size()));
  if (!size || *size < family.size.least || *size > family.size.most)
    fail_input(fmt::format("scene '{}': give a size from {} to {}, for example {}", name, family.size.least,
                           family.size.most, example_of(family)));
  return *size;
}

void set_value(const std::string& scene, const std::vector<ParameterSpec>& specs,
               std::vector<std::pair<std::string, double>>& values, const std::string& name, const std::string& text) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ParameterSpec& p = specs[i];
    known.push_back(p.name);
    if (p.name != name) continue;
    const std::optional<double> value = parse_whole_text<double>(text);
    if (!value || !(*value >= p.least && *value <= p.most) || (p.whole && *value != std::floor(*value)))
      fail_input(fmt::format("parameter {}={}: the value must be {}", name, text, allowed_text(p)));
    values[i].second = *value;
    return;
  }
  const std::string cure = known.empty() ? "; it has none" : did_you_mean(name, known);
  fail_input(
      fmt::format("scene {0} has no parameter '{1}'{2}; `cairn scenes {0}` tells what it has", scene, name, cure));
}

}  // namespace

SceneValues parse_values(const std::string& scene, const std::vector<ParameterSpec>& specs, int size,
                         const NamedSettings& given) {
  std::vector<std::pair<std::string, double>> values;
  for (const ParameterSpec& p : specs) values.emplace_back(p.name, p.value);
  for (const auto& [name, text] : given) set_value(scene, specs, values, name, text);
  return {size, std::move(values)};
}

std::vector<SceneParameter> describe(const std::vector<ParameterSpec>& specs) {
  std::vector<SceneParameter> all;
  for (const ParameterSpec& p : specs) all.push_back({p.name, fmt::format("{:g}", p.value), allowed_text(p), p.help});
  return all;
}

double SceneValues::get(std::string_view name) const {
  const auto found = std::find_if(values_.begin(), values_.end(), [&](const auto& v) { return v.first == name; });
  CAIRN_ASSERT(found != values_.end());
  return found->second;
}

std::vector<SceneInfo> scene_table() {
  std::vector<SceneInfo> table;
  for (const SceneFamily& family : families()) {
    table.push_back({is_sized(family) ? family.name + "N" : family.name, example_of(family), family.summary,
                     describe(family.parameters)});
  }
  return table;
}

Expected<Scene> make_scene(std::string_view name, const NamedSettings& parameters, const SettingsChange& change) {
  try {
    const SceneFamily& family = find_family(name);
    const SceneValues values =
        parse_values(example_of(family), family.parameters, parse_size(family, name), parameters);
    WorldSettings settings;
    settings.sub_steps = family.sub_steps;
    if (family.iterations > 0) settings.iterations = family.iterations;
    if (change) change(settings);
    const double half_width = family.half_width != nullptr ? family.half_width(values) : kEndless;
    Scene scene{std::string(name),   family.dt,         family.steps,
                family.measure_from, family.measure_to, family.floor,
                half_width,          World(settings),   {}};
    family.build(scene.world, values);
    return scene;
  } catch (const InputError& problem) {
    return Error{problem.kind(), problem.what()};
  }
}

}  // namespace cairn::scenes
