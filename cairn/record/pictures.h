// SPDX-License-Identifier: MIT
// Frames for other programs: VTP with a PVD index for ParaView, scenes for POV-Ray. Both from the shapes of a world and
// the poses of a frame, so that they serve a world that is stepped and a recording alike.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cairn/geometry/tessellate.h"
#include "cairn/record/frame.h"

namespace cairn {

/// What bodies look like, taken once from a world. Bodies in the order of World::bodies().
struct BodyPictures {
  explicit BodyPictures(const World& world, const TessellationSettings& settings = {});
  /// A body of one shape behind the others, which moves.
  void add(const Shape& shape, const TessellationSettings& settings = {});

  struct Part {
    Shape shape;
    Pose pose;
  };
  std::vector<std::vector<Part>> parts;  ///< per body
  std::vector<Tessellation> surfaces;    ///< per body, in its own frame
  std::vector<bool> moves;               ///< per body
};

/// A VTK PolyData file: all surfaces in one, with body, speed and awake per triangle.
std::string to_vtp(const BodyPictures& bodies, const MotionFrame& frame);
/// The index that gives ParaView the times: files by name, s each.
std::string to_pvd(const std::vector<std::pair<std::string, double>>& files);

struct PictureCamera {
  Vec3 position{8, -8, 5}, target{}, up{0, 0, 1};
  double field_of_view = 40;  ///< degrees, vertical
  std::string name{};         ///< for people
};
/// A camera that sees all that moves in a frame.
PictureCamera camera_for(const BodyPictures& bodies, const MotionFrame& frame);

/// A POV-Ray 3.7 scene: z up, shadows, bodies coloured by their number.
std::string to_pov(const BodyPictures& bodies, const MotionFrame& frame, const PictureCamera& camera);

}  // namespace cairn
