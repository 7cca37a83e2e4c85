// SPDX-License-Identifier: MIT
// BodyDef with the names that Python users write: position and orientation instead of a pose.
#pragma once

#include <pybind11/stl.h>

#include "python/casters.h"

namespace cairn::python {

inline void bind_body_fields(pybind11::module_& m) {
  namespace py = pybind11;
  py::class_<BodyDef>(m, "BodyDef", "What World.add_body takes as keywords.")
      .def_readwrite("kind", &BodyDef::kind, "'dynamic', 'fixed' or 'kinematic'.")
      .def_property(
          "position", [](const BodyDef& d) { return d.pose.position; },
          [](BodyDef& d, const Vec3& v) { d.pose.position = v; }, "m, of the frame of the body.")
      .def_property(
          "orientation", [](const BodyDef& d) { return d.pose.orientation; },
          [](BodyDef& d, const Quat& q) { d.pose.orientation = q; }, "Quaternion w, x, y, z.")
      .def_property(
          "linear_velocity", [](const BodyDef& d) { return d.velocity.linear; },
          [](BodyDef& d, const Vec3& v) { d.velocity.linear = v; }, "m/s, of the centre of mass.")
      .def_property(
          "angular_velocity", [](const BodyDef& d) { return d.velocity.angular; },
          [](BodyDef& d, const Vec3& v) { d.velocity.angular = v; }, "rad/s")
      .def_readwrite("mass", &BodyDef::mass, "A Mass, or None: from the shapes and their densities.")
      .def_readwrite("repair_inertia", &BodyDef::repair_inertia, "Replace an inertia that no solid can have.")
      .def_readwrite("linear_damping", &BodyDef::linear_damping, "1/s")
      .def_readwrite("angular_damping", &BodyDef::angular_damping, "1/s")
      .def_readwrite("gravity_scale", &BodyDef::gravity_scale, "Factor on gravity; 0 floats.")
      .def_readwrite("locked_axes", &BodyDef::locked_axes, "Bits: 1, 2, 4 for x, y, z and 8, 16, 32 for turns.")
      .def_readwrite("may_sleep", &BodyDef::may_sleep)
      .def_readwrite("continuous", &BodyDef::continuous, "Stops at its time of impact, however fast it is.")
      .def_readwrite("user", &BodyDef::user, "A number of yours, never looked at.");
}

}  // namespace cairn::python
