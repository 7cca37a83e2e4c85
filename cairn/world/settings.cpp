// SPDX-License-Identifier: MIT
#include "cairn/world/settings.h"

#include <fmt/core.h>

#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/names.h"
#include "cairn/core/parallel.h"
#include "cairn/dynamics/body_def.h"
#include "cairn/world/limits.h"

namespace cairn {

namespace {

void check_range(double value, double least, double most, const char* field) {
  if (!(value >= least && value <= most))
    fail_input(fmt::format("settings: {} is {}, it must lie in [{:g}, {:g}]", field, value, least, most));
}

}  // namespace

bool has_own_iterations(const std::string& solver) {
  const SolverTraits traits = make_solver(solver)->traits();
  return traits.has_sub_steps || traits.has_own_limits;
}

void choose_solver(WorldSettings& settings, const std::string& solver, const NamedSettings& named) {
  WorldSettings next = settings;
  next.solver = solver;
  next.solver_settings.clear();
  for (const auto& [name, value] : named) {
    if (name == "iterations" && !has_own_iterations(solver))
      next.iterations = parse_number<int>(name, value);
    else if (name == "tolerance")
      next.tolerance = parse_number<double>(name, value);
    else
      next.solver_settings.emplace_back(name, value);
  }
  make_solver(next.solver, next.solver_settings);  // refuses bad names and values
  settings = std::move(next);
}

void check_settings(const WorldSettings& s) {
  check_vector(s.gravity, 1e6, "settings: gravity");
  check_range(s.threads, 0, kMostThreads, "threads");
  check_range(s.sub_steps, 1, kMostSubSteps, "sub_steps");
  check_range(s.iterations, 0, 1e9, "iterations");
  check_range(s.tolerance, 0, 1e6, "tolerance");
  check_range(s.measure_every, 0, 1e9, "measure_every");
  check_range(s.stabilisation.contact_rate, 0, 1, "stabilisation.contact_rate");
  check_range(s.stabilisation.joint_rate, 0, 1, "stabilisation.joint_rate");
  check_range(s.stabilisation.slop, 0, 1, "stabilisation.slop");
  check_range(s.stabilisation.max_push, 0, kLargestSpeed, "stabilisation.max_push");
  check_range(s.stabilisation.bounce_speed, 0, kLargestSpeed, "stabilisation.bounce_speed");
  check_range(s.joint_projection.tolerance, 1e-12, 1, "joint_projection.tolerance");
  check_range(s.joint_projection.iterations, 0, 1000, "joint_projection.iterations");
  const JointProjection use = s.joint_projection.use;
  require(use == JointProjection::automatic || use == JointProjection::off || use == JointProjection::on,
          "settings: joint_projection.use is none of JointProjection");
  check_range(s.margin, 0, 10, "margin");
  check_range(s.recycle_shift, 0, 1, "recycle_shift");
  check_range(s.recycle_turn, 0, 1, "recycle_turn");
  check_range(s.slip_speed, 0, kLargestSpeed, "slip_speed");
  check_range(s.sleep.linear_speed, 0, kLargestSpeed, "sleep.linear_speed");
  check_range(s.sleep.angular_speed, 0, kLargestSpeed, "sleep.angular_speed");
  check_range(s.sleep.time, 0, 1e9, "sleep.time");
  require(s.integrator == Integrator::symplectic_euler || s.integrator == Integrator::velocity_verlet,
          "settings: integrator is none of Integrator");
}

}  // namespace cairn
