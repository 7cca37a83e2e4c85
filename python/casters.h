// SPDX-License-Identifier: MIT
// How small values cross the border to Python: vectors and quaternions are sequences of numbers, enumerations are
// names.
#pragma once

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>
#include <string>

#include "cairn/cairn.h"

namespace cairn::python {

/// Reads `count` numbers from a sequence; false if it is none of that length.
inline bool read_numbers(pybind11::handle source, std::size_t count, double* out) {
  if (PySequence_Check(source.ptr()) == 0 || PyUnicode_Check(source.ptr())) return false;
  if (PySequence_Size(source.ptr()) != static_cast<Py_ssize_t>(count)) {
    PyErr_Clear();
    return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto item = pybind11::reinterpret_steal<pybind11::object>(PySequence_GetItem(source.ptr(), Py_ssize_t(i)));
    const double value = item ? PyFloat_AsDouble(item.ptr()) : -1.0;
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      return false;
    }
    out[i] = value;
  }
  return true;
}

/// The names of an enumeration, in the order of its values. One specialisation for each that users write or read.
template <class E>
inline constexpr std::array<const char*, 0> kNamesOf{};
template <>
inline constexpr std::array kNamesOf<BodyKind>{"dynamic", "fixed", "kinematic"};
template <>
inline constexpr std::array kNamesOf<CombineRule>{"geometric_mean", "average", "minimum", "multiply", "maximum"};
template <>
inline constexpr std::array kNamesOf<ContactEventKind>{"begin", "persist", "end"};
template <>
inline constexpr std::array kNamesOf<Integrator>{"symplectic_euler", "velocity_verlet"};
template <>
inline constexpr std::array kNamesOf<JointProjection>{"automatic", "off", "on"};
template <>
inline constexpr std::array kNamesOf<DriveKind>{"none", "velocity", "position"};
template <>
inline constexpr std::array kNamesOf<AxisMotion>{"free", "limited", "locked"};
template <>
inline constexpr std::array kNamesOf<ActionKind>{"joint_position", "joint_speed", "joint_force", "body_force",
                                                 "body_torque"};
template <>
inline constexpr std::array kNamesOf<ObservationKind>{"joint_position",       "joint_speed",
                                                      "body_position",        "body_orientation",
                                                      "body_linear_velocity", "body_angular_velocity"};

template <class E>
concept NamedEnum = !kNamesOf<E>.empty();

/// cairn.Error that lists the names there are.
template <NamedEnum E>
E value_of(const std::string& name) {
  for (std::size_t i = 0; i < kNamesOf<E>.size(); ++i)
    if (name == kNamesOf<E>[i]) return static_cast<E>(i);
  fail_input(fmt::format("'{}' is none of the names that are allowed here: {}", name, fmt::join(kNamesOf<E>, ", ")));
}

}  // namespace cairn::python

namespace pybind11::detail {

template <>
struct type_caster<cairn::Vec3> {
  PYBIND11_TYPE_CASTER(cairn::Vec3, const_name("tuple[float, float, float]"));
  bool load(handle source, bool) { return cairn::python::read_numbers(source, 3, &value.x); }
  static handle cast(const cairn::Vec3& v, return_value_policy, handle) { return make_tuple(v.x, v.y, v.z).release(); }
};

template <>
struct type_caster<cairn::Quat> {
  PYBIND11_TYPE_CASTER(cairn::Quat, const_name("tuple[float, float, float, float]"));
  bool load(handle source, bool) { return cairn::python::read_numbers(source, 4, &value.w); }
  static handle cast(const cairn::Quat& q, return_value_policy, handle) {
    return make_tuple(q.w, q.x, q.y, q.z).release();
  }
};

/// Of an inertia: xx, yy, zz, xy, xz, yz; three numbers are a diagonal.
template <>
struct type_caster<cairn::SymMat3> {
  PYBIND11_TYPE_CASTER(cairn::SymMat3, const_name("tuple[float, float, float, float, float, float]"));
  bool load(handle source, bool) {
    return cairn::python::read_numbers(source, 6, &value.xx) || cairn::python::read_numbers(source, 3, &value.xx);
  }
  static handle cast(const cairn::SymMat3& m, return_value_policy, handle) {
    return make_tuple(m.xx, m.yy, m.zz, m.xy, m.xz, m.yz).release();
  }
};

template <cairn::python::NamedEnum E>
struct type_caster<E> {
  PYBIND11_TYPE_CASTER(E, const_name("str"));
  bool load(handle source, bool) {
    if (PyUnicode_Check(source.ptr()) == 0) return false;
    value = cairn::python::value_of<E>(source.cast<std::string>());
    return true;
  }
  static handle cast(E e, return_value_policy, handle) {
    return str(cairn::python::kNamesOf<E>[static_cast<std::size_t>(e)]).release();
  }
};

}  // namespace pybind11::detail
