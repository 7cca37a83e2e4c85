// SPDX-License-Identifier: MIT
// Settings of a world, with keyword constructors.
#include <pybind11/stl.h>

#include "python/arguments.h"
#include "python/bind.h"
#include "python/casters.h"

namespace py = pybind11;

namespace cairn::python {

namespace {

py::dict named(const NamedSettings& settings) {
  py::dict result;
  for (const auto& [name, value] : settings) result[py::str(name)] = value;
  return result;
}

void bind_parts(py::module_& m) {
  bind_fields<SleepSettings>(m, "SleepSettings", "When islands that rest are put to sleep.")
      .def_readwrite("enabled", &SleepSettings::enabled)
      .def_readwrite("linear_speed", &SleepSettings::linear_speed, "m/s")
      .def_readwrite("angular_speed", &SleepSettings::angular_speed, "rad/s")
      .def_readwrite("time", &SleepSettings::time, "s an island must be slower than that.");
  bind_fields<Stabilisation>(m, "Stabilisation", "How position errors enter the velocity law (Baumgarte).")
      .def_readwrite("contact_rate", &Stabilisation::contact_rate, "Fraction of an overlap removed per step.")
      .def_readwrite("joint_rate", &Stabilisation::joint_rate, "Fraction of a joint error removed per step.")
      .def_readwrite("slop", &Stabilisation::slop, "m, overlap that is left alone.")
      .def_readwrite("max_push", &Stabilisation::max_push, "m/s, limit of the speed that removes an error.")
      .def_readwrite("bounce_speed", &Stabilisation::bounce_speed, "m/s, slower approach does not bounce.");
  bind_fields<JointProjectionSettings>(m, "JointProjectionSettings", "Whether joints are closed after the solve.")
      .def_readwrite("use", &JointProjectionSettings::use, "'automatic', 'off' or 'on'.")
      .def_readwrite("tolerance", &JointProjectionSettings::tolerance, "m or rad")
      .def_readwrite("iterations", &JointProjectionSettings::iterations);
}

}  // namespace

void bind_settings(py::module_& m) {
  bind_parts(m);
  bind_fields<WorldSettings>(m, "Settings", "Every choice of a world. All have defaults.")
      .def_readwrite("gravity", &WorldSettings::gravity, "m/s^2")
      .def_readwrite("solver", &WorldSettings::solver, "A name of solvers().")
      .def_property(
          "solver_settings", [](const WorldSettings& s) { return named(s.solver_settings); },
          [](WorldSettings& s, const py::dict& values) { s.solver_settings = settings_of(values); },
          "Settings of the solver by name.")
      .def_readwrite("sub_steps", &WorldSettings::sub_steps, "Parts of a step, each with detection.")
      .def_readwrite("iterations", &WorldSettings::iterations, "Sweeps of solvers without sub-steps.")
      .def_readwrite("tolerance", &WorldSettings::tolerance, "Residual at which a solve stops; 0: all iterations.")
      .def_readwrite("measure_residual", &WorldSettings::measure_residual)
      .def_readwrite("measure_every", &WorldSettings::measure_every, "Steps; 0: as the solver wants.")
      .def_readwrite("warm_start", &WorldSettings::warm_start)
      .def_readwrite("threads", &WorldSettings::threads, "0: every processor; results do not depend on it.")
      .def_readwrite("broad_phase", &WorldSettings::broad_phase, "'tree', 'grid', 'sweep_and_prune' or 'exhaustive'.")
      .def_readwrite("integrator", &WorldSettings::integrator, "'symplectic_euler' or 'velocity_verlet'.")
      .def_readwrite("stabilisation", &WorldSettings::stabilisation)
      .def_readwrite("joint_projection", &WorldSettings::joint_projection)
      .def_readwrite("margin", &WorldSettings::margin, "m, how far ahead contacts are made.")
      .def_readwrite("recycling", &WorldSettings::recycling)
      .def_readwrite("recycle_shift", &WorldSettings::recycle_shift, "m")
      .def_readwrite("recycle_turn", &WorldSettings::recycle_turn, "rad")
      .def_readwrite("slip_speed", &WorldSettings::slip_speed, "m/s, slower contacts stick.")
      .def_readwrite("sleep", &WorldSettings::sleep)
      .def_readwrite("persist_events", &WorldSettings::persist_events, "Also report pairs that go on touching.");
}

NamedSettings settings_of(const py::dict& values) {
  NamedSettings settings;
  for (const auto& [name, value] : values) {
    std::string text = py::str(value).cast<std::string>();
    if (py::isinstance<py::bool_>(value)) text = value.cast<bool>() ? "true" : "false";
    settings.emplace_back(name.cast<std::string>(), std::move(text));
  }
  return settings;
}

}  // namespace cairn::python
