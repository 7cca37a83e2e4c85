// SPDX-License-Identifier: MIT
// What most scenes are put together from: ground, materials, rotations, random directions. For set-up only: sines and
// cosines come from the C library.
#pragma once

#include <functional>

#include "cairn/core/random.h"
#include "cairn/world/world.h"

namespace cairn::scenes {

inline constexpr double kDegree = kPi / 180;

inline Material rubbing(double friction) {
  Material material;
  material.friction = friction;
  return material;
}

/// Everything below z = 0.
BodyId add_ground(World& world, const Material& material);

BodyId add_fixed_box(World& world, const Vec3& centre, const Vec3& half, const Material& material);

/// A dynamic box at rest, of the density that every scene has.
BodyId add_box(World& world, const Pose& pose, const Vec3& half, const Material& material);

/// Two triangles per quad over [-half, half]^2, normals up.
TriangleMesh make_hills(int quads, double half, const std::function<double(double, double)>& height);

/// The turn by `angle` (rad) about a unit axis.
Quat turn(const Vec3& axis, double angle);

/// Uniform on the unit sphere.
Vec3 random_direction(Random& random);
/// Uniform over all orientations.
Quat random_orientation(Random& random);
/// Each component uniform in [-most, most).
Vec3 random_vector(Random& random, double most);

}  // namespace cairn::scenes
