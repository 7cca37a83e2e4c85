// SPDX-License-Identifier: MIT
// WorldBatch: many worlds stepped side by side, with actions in and observations out as one array each.
//
//   WorldBatch batch(std::move(worlds), {.actions = {{ActionKind::joint_force, slider}},
//                                        .observations = {{ObservationKind::joint_position, slider}}});
//   batch.step(1.0 / 60, actions);      // batch.size() x batch.action_size(), world by world
//   batch.observe(observations);        // batch.size() x batch.observation_size()
//
// Each world is stepped by one thread and shares nothing with the others. So the bits of a world depend on its own
// actions alone: not on the size of the batch, on its place in it, or on the number of threads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/world/world.h"

namespace cairn {

/// What the numbers of an action do. Joints are hinges or prismatic joints.
enum class ActionKind {
  joint_position,  ///< 1 number, rad or m: where the drive of the joint pulls to; DriveKind::position
  joint_speed,     ///< 1 number, rad/s or m/s: that the drive of the joint keeps; DriveKind::velocity
  joint_force,     ///< 1 number, N m or N: on b about or along the axis, and the opposite on a, in every step
  body_force,      ///< 3 numbers, N at the centre of mass, world axes, in every step
  body_torque,     ///< 3 numbers, N m, world axes, in every step
};

/// What is observed.
enum class ObservationKind {
  joint_position,         ///< 1 number, rad or m: the coordinate of a hinge or prismatic joint
  joint_speed,            ///< 1 number, rad/s or m/s
  body_position,          ///< 3 numbers, m: of the frame of the body
  body_orientation,       ///< 4 numbers: quaternion w, x, y, z
  body_linear_velocity,   ///< 3 numbers, m/s: of the centre of mass
  body_angular_velocity,  ///< 3 numbers, rad/s
};

/// Some numbers of an action. Worlds that were built by the same calls have the same handles.
struct ActionChannel {
  ActionKind kind = ActionKind::joint_force;
  JointId joint{};  ///< of kinds that name a joint
  BodyId body{};    ///< of kinds that name a body
};

/// Some numbers of an observation.
struct ObservationChannel {
  ObservationKind kind = ObservationKind::joint_position;
  JointId joint{};
  BodyId body{};
};

/// What goes in and out of every world of a batch.
struct BatchChannels {
  std::vector<ActionChannel> actions{};
  std::vector<ObservationChannel> observations{};
};

class WorldBatch {
 public:
  /// Takes the worlds over. `threads` as in WorldSettings, 0: every processor. InputError, which names the world, if it
  /// has more than one thread of its own, or if a channel does not fit its bodies and joints.
  explicit WorldBatch(std::vector<World> worlds, BatchChannels channels = {}, int threads = 0);

  std::size_t size() const { return worlds_.size(); }
  /// Numbers per world.
  std::size_t action_size() const { return action_size_; }
  std::size_t observation_size() const { return observation_size_; }
  /// To look at and to edit between steps.
  World& world(std::size_t i);
  const World& world(std::size_t i) const;

  /// Gives every world its action, then makes `repeats` steps of `dt` with it. No actions at all: none is given.
  /// InputError if the numbers do not fit. Where worlds throw, the others are stepped all the same, and what the first
  /// of them said reaches the caller with its number.
  void step(double dt, std::span<const double> actions = {}, int repeats = 1);
  /// Writes all observations, world by world.
  void observe(std::span<double> out) const;
  /// Puts worlds back to where they were when the batch was made: those whose flag is set, or all.
  void reset(std::span<const std::uint8_t> which = {});
  /// Puts world i to a saved state (World::save), which becomes the one that reset goes back to. InputError.
  void reset_to(std::size_t i, const std::string& snapshot);

 private:
  /// work(i) for every world side by side; the first InputError, by the number of its world, is thrown at the end.
  template <class Work>
  void for_each_world(Work&& work) const;
  void act(World& world, const double* action) const;

  std::vector<World> worlds_;
  std::vector<std::string> start_;  ///< per world, what reset restores
  BatchChannels channels_;
  std::size_t action_size_ = 0, observation_size_ = 0;
  std::unique_ptr<ThreadPool> pool_;
};

/// Names of the kinds, as Python and C take them.
const char* to_string(ActionKind kind);
const char* to_string(ObservationKind kind);

}  // namespace cairn
