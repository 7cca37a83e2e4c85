// SPDX-License-Identifier: MIT
// WorldSettings: every choice of a world, with its default and what too much or too little does.
#pragma once

#include <string>

#include "cairn/math/vec3.h"
#include "cairn/problem/contact_problem.h"
#include "cairn/solvers/solver_table.h"

namespace cairn {

/// How velocities become poses. Bodies with restitution that nothing holds always fall by velocity Verlet: symplectic
/// Euler would take dt g v of their energy per mass in every bounce.
enum class Integrator {
  symplectic_euler,  ///< x' = x + dt v'; first order, never gains energy by itself
  velocity_verlet,   ///< x' = x + dt v' - dt^2 a / 2 for bodies that nothing holds (pe thesis 2008): exact free fall
};

/// An island sleeps once every body in it has been slow for long enough.
struct SleepSettings {
  bool enabled = false;         ///< off: nothing ever sleeps
  double linear_speed = 0.02;   ///< m/s; larger: bodies freeze while still moving visibly
  double angular_speed = 0.03;  ///< rad/s
  double time = 0.5;            ///< s an island must be slower than that
};

/// When the position errors of joints are removed after the solve (SHAKE, then projection); see project_joints.h.
enum class JointProjection {
  automatic,  ///< with solvers that hold joints to round-off (SolverTraits::holds_joints), soft_step among them
  off,
  on,
};

struct JointProjectionSettings {
  JointProjection use = JointProjection::automatic;
  double tolerance = 1e-6;  ///< m or rad; what is apart by less is left alone
  int iterations = 20;      ///< Newton steps at most; what is then still apart is told in the report
};

struct WorldSettings {
  Vec3 gravity{0, 0, -9.81};         ///< m/s^2
  std::string solver = "soft_step";  ///< a name of solver_table()
  NamedSettings solver_settings;     ///< as in `--set name=value`
  int sub_steps = 1;                 ///< a step of dt is done as so many of dt / sub_steps, each with detection
  int iterations = 50;               ///< sweeps per step of solvers without sub-steps; fewer: softer piles
  double tolerance = 0;              ///< residual at which a solve stops; 0: all iterations are run
  bool measure_residual = true;      ///< measure how good answers are; changes nothing else
  int measure_every = 0;             ///< steps; 0: every step, with solvers in lanes (soft_step) every sixteenth
  bool warm_start = true;            ///< begin from the impulses of the last step
  int threads = 1;                   ///< 0: every processor; results do not depend on it
  std::string broad_phase = "tree";  ///< a name of broad_phase_names()
  Integrator integrator = Integrator::symplectic_euler;
  /// Baumgarte factors and limits. soft_step has its own for contacts, but for bounce_speed.
  Stabilisation stabilisation{
      .contact_rate = 0.2, .joint_rate = 0.2, .slop = 2e-3, .max_push = 2.0, .bounce_speed = 0.2};
  JointProjectionSettings joint_projection;
  double margin = 0.02;   ///< m, speculative margin: how far ahead contacts are made; smaller: fast bodies sink in
  bool recycling = true;  ///< keep the contact manifolds of bodies that barely moved
  double recycle_shift = 1e-3;  ///< m, a body that moved less since its contacts were made has barely moved
  double recycle_turn = 1e-3;   ///< rad
  double slip_speed = 0.01;     ///< m/s, slower contacts stick with the static coefficient
  SleepSettings sleep;
  bool persist_events = false;  ///< also report pairs that go on touching
};

/// A solver by name with settings by name, as `cairn solvers` lists them: iterations and tolerance belong to the world,
/// unless the solver counts its iterations by itself; the rest are the solver's. InputError where a name or a value is
/// none; nothing has changed then.
void choose_solver(WorldSettings& settings, const std::string& solver, const NamedSettings& named);
/// Whether a solver counts its iterations by itself, per sub-step for instance, and not up to the caller's limit.
bool has_own_iterations(const std::string& solver);

/// InputError that names the field.
void check_settings(const WorldSettings& settings);

}  // namespace cairn
