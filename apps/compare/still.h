// SPDX-License-Identifier: MIT
// A still of bodies as a small PNG: orthographic, shaded, hidden surfaces removed by depth, so that its size does not
// grow with the scene and pictures of several runs can be laid side by side.
#pragma once

#include <span>
#include <string>

#include "cairn/record/pictures.h"

namespace cairn::cli {

/// What of the world is in the picture. The eye looks along a fixed direction, from the front, the right and above.
struct StillView {
  Vec3 centre{};
  double half_width = 1;  ///< m
};

/// Sees what moves in all of the frames; bodies far from most others, which flew off or are yet to come, do not count.
StillView still_view(const BodyPictures& bodies, std::span<const MotionFrame* const> frames);

inline constexpr int kStillWidth = 480, kStillHeight = 320;  ///< pixels

/// A colour per pixel, row by row from the top: 0 the background, else 1 + hue * kStillShades + shade.
inline constexpr int kStillHues = 9, kStillShades = 16;  ///< the first hue is that of what does not move
std::string paint_still(const BodyPictures& bodies, const MotionFrame& frame, const StillView& view);

/// The picture as a PNG file.
std::string still_png(const std::string& pixels);

/// RFC 4648, with padding.
std::string base64(const std::string& bytes);

}  // namespace cairn::cli
