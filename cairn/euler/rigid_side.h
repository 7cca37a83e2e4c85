// SPDX-License-Identifier: MIT
// RigidSide: the rigid bodies of an ElasticWorld. They live in a World, which detects, holds joints and moves as ever;
// its contact problem is handed to the ElasticWorld instead of a solver of its own.
#pragma once

#include <functional>
#include <vector>

#include "cairn/euler/obstacle.h"
#include "cairn/world/world.h"

namespace cairn {

struct RigidSide {
  explicit RigidSide(const WorldSettings& settings) : world(settings) {}
  RigidSide(const RigidSide&) = delete;
  RigidSide& operator=(const RigidSide&) = delete;

  using Solve = std::function<void(const ContactProblem& problem, ContactSolution& solution)>;

  World world;
  Solve solve;  ///< set while a sub-step is under way

  /// Refuses (InputError) settings that do not go together with solids: sub-steps of its own, sleeping.
  void check() const;
  /// From now on `solve` solves; a step without it is refused.
  void attach();
  /// One step of the world, with `work` in place of the solver.
  void step(double h, const Solve& work);
  /// All shapes as they stand now, ascending by number; velocities are those of the bodies now.
  void append_obstacles(std::vector<Obstacle>& obstacles) const;
};

}  // namespace cairn
