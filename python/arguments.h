// SPDX-License-Identifier: MIT
// Keyword arguments as fields: f(friction=0.3) sets the property `friction` of the value that f is about.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "cairn/solvers/solver_table.h"

namespace cairn::python {

/// Sets the properties of `target` that are named. TypeError for a name that is none, with those there are, and for a
/// value that the property does not take; cairn.Error for a value that is refused.
void set_fields(const char* function, const pybind11::object& target, const pybind11::dict& fields);

/// A value with the named properties set.
template <class T>
T with_fields(const char* function, T value, const pybind11::dict& fields) {
  if (fields.size() > 0) set_fields(function, pybind11::cast(&value, pybind11::return_value_policy::reference), fields);
  return value;
}

/// "Name(field=value, ...)" of the properties of an object.
std::string represent(const pybind11::object& value);

/// A class whose constructor takes its fields as keywords.
template <class T>
pybind11::class_<T> bind_fields(pybind11::module_& m, const char* name, const char* what) {
  pybind11::class_<T> type(m, name, what);
  type.def(pybind11::init([name](const pybind11::kwargs& fields) { return with_fields(name, T{}, fields); }));
  type.def("__repr__", [](const pybind11::object& self) { return represent(self); });
  return type;
}

/// Takes a key out of keyword arguments: the value, or None.
pybind11::object take(pybind11::dict& fields, const char* name);

/// {"name": value} as settings by name; numbers and names become text, as `--set` takes them.
NamedSettings settings_of(const pybind11::dict& values);

}  // namespace cairn::python
