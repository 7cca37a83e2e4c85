// SPDX-License-Identifier: MIT
// Shapes: all shapes of a world, by slot; each is a proxy of the broad phase. Hot arrays are placed anew for every body
// that may have moved, before the broad phase.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/broad/broad_phase.h"
#include "cairn/dynamics/bodies.h"

namespace cairn {

/// Speculative contacts are made for a motion of at most this times the radius of the bounding sphere.
inline constexpr double kSpeculativeReach = 0.25;

struct Shapes {
  std::vector<ShapeDef> def;          ///< as the user gave it, pose in the body's frame
  std::vector<Shape> shape;           ///< the shape alone, for the narrow phase
  std::vector<std::int32_t> body;     ///< slot of its body; -1: no shape here
  std::vector<Pose> local;            ///< from the body's centre of mass
  std::vector<Vec3> ball_centre;      ///< of the bounding ball, from the body's centre of mass, body axes
  std::vector<double> ball_radius;    ///< may be infinite
  std::vector<double> sphere_radius;  ///< of shapes that are spheres; -1 for others
  std::vector<std::uint8_t> centred;  ///< 1: sits and is centred on the centre of mass, unturned: nothing to transform
  std::vector<ProxyFilter> filter;
  std::vector<std::uint8_t> material;  ///< number in the MaterialTable
  // Written by place_shapes.
  std::vector<Pose> pose;          ///< world
  std::vector<Aabb> bounds;        ///< world, grown for the broad phase
  std::vector<BoundingBall> ball;  ///< world, grown likewise
  /// Those whose filter, bounds or ball may differ from what the broad phase saw last. Edits and placing add to it, the
  /// broad phase clears it. Not saved: a restored world has a new broad phase, which looks at all.
  std::vector<std::int32_t> changed;

  std::size_t size() const { return body.size(); }
  void resize(std::size_t count);
};

/// How far the surface of a shape that is not round may come by turning in a step, with the same limit.
double speculative_turn(const Vec3& angular_velocity, double radius, double dt);

/// Bounds as far as the broad phase takes them: those of a half-space have no end.
Aabb clamped(const Aabb& box);

/// Fills the derived fields of slot i from `def` and the body; the slot counts as changed.
void prepare_shape(const Bodies& bodies, Shapes& shapes, std::size_t i);

/// Places a shape: pose, bounds and ball, grown by half the margin and by the way its body may go in the next step.
void place_shape(const Bodies& bodies, Shapes& shapes, std::size_t i, double margin, double dt);

}  // namespace cairn
