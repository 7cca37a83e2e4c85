// SPDX-License-Identifier: MIT
// Scenes by name: worlds that are written once and serve the program, the tests and the benchmarks.
//
//   Scene scene = make_scene("incline", {{"friction", "0.6"}}).value_or_throw();
//   for (int i = 0; i < scene.steps; ++i) scene.world.step(scene.dt);
//
// SI units, z up, gravity 9.81, dt 1/60, friction 0.5, restitution 0, density 1000, no damping and no sleeping, unless
// a scene says otherwise; docs/scenes.md describes each. A scene is the same on every run. Builders may use sines and
// cosines for where things stand at the start, so between machines it is the same bits where the C library's are.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/core/errors.h"
#include "cairn/world/world.h"

namespace cairn::scenes {

/// A number that a scene can be given, as `cairn scenes` prints it and `--param name=value` takes it.
struct SceneParameter {
  std::string name;
  std::string value;    ///< default
  std::string allowed;  ///< a range
  std::string help;
};

struct SceneInfo {
  std::string pattern;  ///< "ball_grid_N"
  std::string example;  ///< a name that runs as it is: "ball_grid_8"
  std::string summary;  ///< one line
  std::vector<SceneParameter> parameters;
};
std::vector<SceneInfo> scene_table();

/// Of scenes whose ground has no end.
inline constexpr double kEndless = std::numeric_limits<double>::infinity();

/// A world at its beginning, and how to run it.
struct Scene {
  std::string name;
  double dt = 1.0 / 60;                  ///< s
  int steps = 600;                       ///< that the scene is meant to be run for
  int measure_from = 0, measure_to = 0;  ///< measures are taken over the steps after measure_from, up to measure_to
  double floor = -1;                     ///< m; a body whose origin is below has fallen through something,
  double half_width = kEndless;          ///< m; unless it first went farther than this along x or y and left the scene
  World world;
  std::vector<std::string> body_names{};  ///< per body in the order of World::bodies(), where they have names
};

/// Changes the settings of a scene before its world is made: solver, threads, broad phase, sleeping, ...
using SettingsChange = std::function<void(WorldSettings&)>;

/// The scene of that name. The Error names the nearest known scene or parameter, or the allowed values.
Expected<Scene> make_scene(std::string_view name, const NamedSettings& parameters = {},
                           const SettingsChange& change = {});

}  // namespace cairn::scenes
