// SPDX-License-Identifier: MIT
// Call and Sequence: what is done to a world, as data. A call names bodies and joints by the order in which the
// sequence makes them, and draws everything else from a seed of its own: so calls can be left out one by one and the
// others stay what they were, which is how failures are shrunk.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cairn::fuzz {

enum class Verb {
  // settings; each changes one thing
  solver,
  solver_setting,
  threads,
  broad_phase,
  measure_residual,
  sub_steps,
  iterations,
  integrator,
  sleeping,
  gravity,
  contacts,
  stabilisation,
  joint_projection,
  same_settings,
  // bodies and shapes
  add_floor,
  add_body,
  remove_body,
  add_shape,
  remove_shape,
  set_pose,
  set_velocity,
  set_kind,
  set_mass,
  set_damping,
  set_gravity_scale,
  set_locked_axes,
  set_continuous,
  set_may_sleep,
  set_material,
  set_filter,
  set_collision,
  push,
  wake,
  release,
  // joints
  add_joint,
  add_gear,
  remove_joint,
  set_joint,
  enable_joint,
  // the whole world
  listen,
  ask,
  misuse,
  step,
  keep,
  go_back,
  restore_self,
  restore_other,
};
inline constexpr int kVerbCount = static_cast<int>(Verb::restore_other) + 1;

struct Call {
  Verb verb = Verb::step;
  int body = -1;   ///< that it makes or changes; of a joint: b
  int other = -1;  ///< a second body; of a joint: a; -1: the world
  int joint = -1;  ///< that it makes or changes
  std::uint64_t seed = 0;
};

struct Sequence {
  std::uint64_t seed = 0;
  std::string solver;  ///< that `Verb::solver` chooses; "any": a drawn one
  int threads = 0;     ///< at most so many; 0: up to three
  std::vector<Call> calls;
};

/// What is to be generated.
struct Wish {
  std::string solver = "any";
  int threads = 0;
};

/// Sequence `number` of a run with `seed`: the same on every machine.
Sequence generate(std::uint64_t seed, std::uint64_t number, const Wish& wish);

}  // namespace cairn::fuzz
