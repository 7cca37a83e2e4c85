// SPDX-License-Identifier: MIT
// The module cairn._cairn: errors, handles, and all other parts by name.
#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include "python/bind.h"
#include "python/casters.h"

namespace py = pybind11;

namespace cairn::python {

namespace {

const char* name_of(ErrorKind kind) {
  constexpr const char* kNames[] = {"bad_input", "io", "limit", "unsupported"};
  return kNames[static_cast<int>(kind)];
}

/// cairn.Error, with our message and the attribute `kind`. It lives as long as the program: errors may come at any
/// time.
void bind_errors(py::module_& m) {
  static PyObject* error_type = nullptr;
  error_type = PyErr_NewExceptionWithDoc(
      "cairn.Error",
      "Something that was given cannot be used; the message says what to change, and nothing has changed.\n\n"
      "kind: 'bad_input', 'io', 'limit' or 'unsupported'.",
      PyExc_ValueError, nullptr);
  m.attr("Error") = py::handle(error_type);
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const InputError& error) {
      const py::object instance = py::handle(error_type)(error.what());
      instance.attr("kind") = name_of(error.kind());
      PyErr_SetObject(error_type, instance.ptr());
    }
  });
}

template <class Id>
void bind_handle(py::module_& m, const char* name, const char* what) {
  py::class_<Id>(m, name, what)
      .def(py::init([](std::uint32_t index, std::uint32_t generation) {
             return Id{index, generation};
           }),
           py::arg("index") = Id{}.index, py::arg("generation") = 0, "Without arguments: names nothing.")
      .def_readonly("index", &Id::index, "Its row in the arrays of the world.")
      .def_readonly("generation", &Id::generation, "How often the index was used before.")
      .def("__bool__", [](const Id& id) { return !(id == Id{}); })
      .def(
          "__eq__", [](const Id& a, const Id& b) { return a == b; }, py::is_operator())
      .def(
          "__lt__", [](const Id& a, const Id& b) { return a < b; }, py::is_operator())
      .def("__hash__", [](const Id& id) { return (std::size_t{id.generation} << 32) ^ id.index; })
      .def("__repr__",
           [name](const Id& id) {
             if (id == Id{}) return fmt::format("{}()", name);
             return fmt::format("{}({}, {})", name, id.index, id.generation);
           })
      .def(py::pickle([](const Id& id) { return py::make_tuple(id.index, id.generation); },
                      [](const py::tuple& state) {
                        return Id{state[0].cast<std::uint32_t>(), state[1].cast<std::uint32_t>()};
                      }));
}

}  // namespace

}  // namespace cairn::python

PYBIND11_MODULE(_cairn, m) {
  using namespace cairn::python;
  m.doc() = "Cairn: bodies in frictional contact. Import the package cairn, which has all of this.";
  m.attr("__version__") = CAIRN_VERSION;
  bind_errors(m);
  bind_handle<cairn::BodyId>(m, "BodyId", "Names a body. One of a body that was removed is recognised and refused.");
  bind_handle<cairn::ShapeId>(m, "ShapeId", "Names a shape of a body.");
  bind_handle<cairn::JointId>(m, "JointId", "Names a joint.");
  bind_shapes(m);
  bind_joints(m);
  bind_settings(m);
  bind_reports(m);
  bind_world(m);
  bind_problem(m);
  bind_files(m);
  bind_batch(m);
}
