// SPDX-License-Identifier: MIT
// DebugDraw: what a program implements to see a world with its own graphics: lines and points, nothing else.
//
//   struct Lines : DebugDraw {
//     void line(const Vec3& from, const Vec3& to, std::uint32_t colour) override { ... }
//     void point(const Vec3& at, std::uint32_t colour) override { ... }
//   };
//   draw(world, lines, {.bounds = true});
//
// The order of the calls depends on the world alone. Nothing that moves depends on it.
#pragma once

#include <cstdint>

#include "cairn/world/world.h"

namespace cairn {

/// Colours are red, green, blue, opacity from the lowest byte on.
class DebugDraw {
 public:
  virtual ~DebugDraw() = default;
  virtual void line(const Vec3& from, const Vec3& to, std::uint32_t colour) = 0;
  virtual void point(const Vec3& at, std::uint32_t colour) = 0;
};

/// What is drawn.
struct DebugDrawSettings {
  bool shapes = true;           ///< sharp edges and outlines; coloured by whether the body moves, sleeps or is frozen
  bool bounds = false;          ///< bounding boxes of the shapes
  bool contacts = true;         ///< points, and their impulses as lines
  bool joints = true;           ///< both frames of each joint: x red, y green, z blue
  bool centres = false;         ///< of mass, as points
  int segments = 12;            ///< around a circle, 3 to 1024
  double half_space = 10;       ///< m, half of the side of the square that stands for a half-space
  double axis_length = 0.2;     ///< m, of joint frames
  double impulse_length = 0.1;  ///< m per N s
};

/// Draws the world as it is now; contacts are those of the last step.
void draw(const World& world, DebugDraw& out, const DebugDrawSettings& settings = {});

}  // namespace cairn
