// SPDX-License-Identifier: MIT
// How a robot begins: where its joints stand, what drives them, and what it stands on. Works on any scene file whose
// joints make a tree, so that robots from URDF and those written by hand are treated alike.
#pragma once

#include "cairn/scenefile/scene_file.h"

namespace cairn {

struct RobotSetup {
  std::vector<std::pair<std::string, double>> pose{};   ///< rad or m, by the names of hinges and prismatic joints
  std::vector<std::pair<std::string, double>> drive{};  ///< the same: where drives pull to
  bool hold = false;                                    ///< every joint with a motor gets a drive that keeps the pose
  double stiffness = 0, damping = 0;                    ///< N m/rad or N/m and the same times s; 0: from the motor
  bool ground = false;                                  ///< a floor at z = 0 under the lowest point
  bool empty() const { return pose.empty() && drive.empty() && !hold && !ground; }
};

/// Poses first, then drives, then the ground. Error that names the joint, and those there are.
std::optional<Error> set_up_robot(SceneFile& scene, const RobotSetup& setup);

}  // namespace cairn
