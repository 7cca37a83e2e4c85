// SPDX-License-Identifier: MIT
// RigidSide: the rigid bodies of an ElasticWorld. They live in a World, which finds contacts, writes joint rows and
// moves bodies as always. Its contact problem is handed to the ElasticWorld in place of a solver (World::set_solver).
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
  Solve solve;  ///< empty unless a sub-step is under way

  /// Throws InputError for settings that do not work with solids: sub-steps of the rigid world, and sleeping.
  void check() const;
  /// Makes the world call `solve` in place of its solver. A step while `solve` is empty is refused.
  void attach();
  /// Does one step of the world with `work` in place of the solver.
  void step(double h, const Solve& work);
  /// Appends all shapes as they stand now, sorted by number, with the present velocities of their bodies.
  void append_obstacles(std::vector<Obstacle>& obstacles) const;
};

}  // namespace cairn
