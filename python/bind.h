// SPDX-License-Identifier: MIT
// The parts of the module, one function per file bind_*.cpp, called by module.cpp in this order.
#pragma once

#include <pybind11/pybind11.h>

namespace cairn::python {

void bind_shapes(pybind11::module_& m);
void bind_joints(pybind11::module_& m);
void bind_settings(pybind11::module_& m);
void bind_reports(pybind11::module_& m);
void bind_world(pybind11::module_& m);
void bind_problem(pybind11::module_& m);
void bind_files(pybind11::module_& m);
void bind_batch(pybind11::module_& m);

}  // namespace cairn::python
