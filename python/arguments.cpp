// SPDX-License-Identifier: MIT
#include "python/arguments.h"

#include <fmt/format.h>

#include <vector>

namespace py = pybind11;

namespace cairn::python {

namespace {

/// Names of what can be set, in the order of the class.
std::vector<std::string> fields_of(const py::object& value) {
  std::vector<std::string> names;
  const py::object property = py::module_::import("builtins").attr("property");
  const auto own = py::reinterpret_borrow<py::dict>(py::dict(py::type::of(value).attr("__dict__")));
  for (const auto& [name, member] : own)
    if (py::isinstance(member, property)) names.push_back(name.cast<std::string>());
  return names;
}

}  // namespace

void set_fields(const char* function, const py::object& target, const py::dict& fields) {
  for (const auto& [key, value] : fields) {
    const std::string name = key.cast<std::string>();
    if (!py::hasattr(py::type::of(target), name.c_str()))
      throw py::type_error(
          fmt::format("{}() takes no argument '{}'; it takes {}", function, name, fmt::join(fields_of(target), ", ")));
    try {
      target.attr(name.c_str()) = value;
    } catch (py::error_already_set& error) {
      if (!error.matches(PyExc_TypeError)) throw;
      throw py::type_error(fmt::format("{}(): {} cannot be {}", function, name, py::repr(value).cast<std::string>()));
    }
  }
}

std::string represent(const py::object& value) {
  std::vector<std::string> parts;
  for (const std::string& name : fields_of(value))
    parts.push_back(name + "=" + py::repr(value.attr(name.c_str())).cast<std::string>());
  return fmt::format("{}({})", py::type::of(value).attr("__name__").cast<std::string>(), fmt::join(parts, ", "));
}

py::object take(py::dict& fields, const char* name) {
  if (!fields.contains(name)) return py::none();
  py::object value = fields[name];
  fields.attr("pop")(name);
  return value;
}

}  // namespace cairn::python
