// SPDX-License-Identifier: MIT
// How a robot begins: where its joints stand, what drives them, and what it stands on. It works on any scene file whose
// joints make a tree. So robots from URDF and robots written by hand are treated alike.
#pragma once

#include "cairn/scenefile/scene_file.h"

namespace cairn {

struct RobotSetup {
  std::vector<std::pair<std::string, double>> pose{};   ///< name of a hinge or prismatic joint, rad or m at the start
  std::vector<std::pair<std::string, double>> drive{};  ///< name of a joint, rad or m to which a drive pulls it
  bool hold = false;                                    ///< every joint with a motor gets a drive that keeps the pose
  double stiffness = 0, damping = 0;                    ///< N m/rad or N/m, and the same times s; 0: from the motor
  bool ground = false;                                  ///< a floor at z = 0 under the lowest point
  bool empty() const { return pose.empty() && drive.empty() && !hold && !ground; }
};

/// Sets the poses first, then the drives, then the ground. An unknown joint is an error that lists the known ones.
std::optional<Error> set_up_robot(SceneFile& scene, const RobotSetup& setup);

}  // namespace cairn
