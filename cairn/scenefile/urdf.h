// SPDX-License-Identifier: MIT
// Robots from URDF. Links become bodies. Joints keep their limits, damping and friction. Collision geometry becomes
// shapes, and a mesh becomes its convex hull. All joints are at 0, and the root link is at the origin.
//
//   const SceneFile robot = read_urdf("arm.urdf", {.package_root = "/models"}).value_or_throw();
//   LoadedScene scene = build_scene(robot).value_or_throw();
#pragma once

#include <string>

#include "cairn/scenefile/scene_file.h"

namespace cairn {

struct UrdfSettings {
  std::string package_root{};  ///< package://NAME/PATH is NAME/PATH or PATH below it; empty: the folder of the URDF
  double assume_density = 0;   ///< kg/m^3 for moving links without <inertial>; 0: those are refused
  bool fixed_base = true;      ///< the root link cannot move
};

/// Error messages are "file:line:column: element: what is wrong". SceneFile::notes says what was left out.
Expected<SceneFile> read_urdf(const std::string& path, const UrdfSettings& settings = {});
Expected<SceneFile> parse_urdf(const std::string& text, const std::string& file, const std::string& folder,
                               const UrdfSettings& settings = {});

}  // namespace cairn
