// SPDX-License-Identifier: MIT
// Materials, shapes and the definition of a body.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "python/arguments.h"
#include "python/bind.h"
#include "python/body_fields.h"
#include "python/casters.h"

namespace py = pybind11;

namespace cairn::python {

namespace {

using Rows = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// N x 3 numbers as vectors.
std::vector<Vec3> vectors_of(const Rows& rows, const char* what) {
  if (rows.ndim() != 2 || rows.shape(1) != 3) fail_input(fmt::format("{} must be an array of shape (N, 3)", what));
  std::vector<Vec3> result(static_cast<std::size_t>(rows.shape(0)));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = {rows.data()[3 * i], rows.data()[3 * i + 1], rows.data()[3 * i + 2]};
  return result;
}

ShapeDef shape_of(const char* function, Shape shape, const py::kwargs& fields) {
  return with_fields(function, ShapeDef{.shape = std::move(shape)}, fields);
}

const char* name_of(const Shape& shape) {
  constexpr const char* kNames[] = {"sphere",     "box",  "capsule",      "cylinder", "cone",
                                    "half_space", "hull", "height_field", "mesh",     "compound"};
  return kNames[shape.index()];
}

Shape hull_of(const Rows& points, std::int32_t vertex_limit) {
  return make_hull(vectors_of(points, "points"), {.vertex_limit = vertex_limit});
}

Shape mesh_of(const Rows& vertices, const py::array_t<std::int32_t, py::array::c_style | py::array::forcecast>& faces) {
  if (faces.ndim() != 2 || faces.shape(1) != 3) fail_input("triangles must be an array of indices of shape (M, 3)");
  std::vector<std::array<std::int32_t, 3>> triangles(static_cast<std::size_t>(faces.shape(0)));
  for (std::size_t i = 0; i < triangles.size(); ++i)
    triangles[i] = {faces.data()[3 * i], faces.data()[3 * i + 1], faces.data()[3 * i + 2]};
  return make_mesh(vectors_of(vertices, "vertices"), triangles);
}

Shape height_field_of(const Rows& heights, double spacing) {
  if (heights.ndim() != 2) fail_input("heights must be an array of shape (rows, columns)");
  return make_height_field(static_cast<std::int32_t>(heights.shape(0)), static_cast<std::int32_t>(heights.shape(1)),
                           spacing, {heights.data(), heights.data() + heights.size()});
}

Shape compound_of(const std::vector<ShapeDef>& parts) {
  std::vector<CompoundChild> children;
  for (const ShapeDef& part : parts) children.push_back({part.shape, part.pose});
  return make_compound(std::move(children));
}

void bind_material(py::module_& m) {
  py::class_<Material>(m, "Material", "What a surface is like to rub, roll and bounce on.")
      .def(py::init([](const py::kwargs& fields) { return with_fields("Material", Material{}, fields); }))
      .def_readwrite("friction", &Material::friction, "Coefficient while sliding.")
      .def_readwrite("static_friction", &Material::static_friction, "While sticking; negative: as friction.")
      .def_readwrite("friction_across", &Material::friction_across, "Across the grain; negative: as friction.")
      .def_readwrite("grain", &Material::grain, "Direction along which friction holds, in the axes of the shape.")
      .def_readwrite("spin_radius", &Material::spin_radius, "m, of the patch that resists drilling; 0: none.")
      .def_readwrite("rolling_radius", &Material::rolling_radius, "m, resisting torque over normal force; 0: none.")
      .def_readwrite("restitution", &Material::restitution, "Newton's, in [0, 1].")
      .def_readwrite("friction_rule", &Material::friction_rule, "How two surfaces combine.")
      .def_readwrite("restitution_rule", &Material::restitution_rule, "How two surfaces combine.")
      .def(
          "__eq__", [](const Material& a, const Material& b) { return a == b; }, py::is_operator())
      .def("__repr__", [](const py::object& self) { return represent(self); });
}

void bind_shape(py::module_& m) {
  py::class_<ShapeDef>(m, "Shape", "A shape at its place in a body, with its material. Made by box(), sphere(), ...")
      .def_property_readonly(
          "type", [](const ShapeDef& s) { return name_of(s.shape); }, "'box', 'sphere', ...")
      .def_property(
          "position", [](const ShapeDef& s) { return s.pose.position; },
          [](ShapeDef& s, const Vec3& v) { s.pose.position = v; }, "m, in the frame of the body.")
      .def_property(
          "orientation", [](const ShapeDef& s) { return s.pose.orientation; },
          [](ShapeDef& s, const Quat& q) { s.pose.orientation = q; }, "Quaternion w, x, y, z in the frame of the body.")
      .def_readwrite("material", &ShapeDef::material)
      .def_property(
          "friction", [](const ShapeDef& s) { return s.material.friction; },
          [](ShapeDef& s, double value) { s.material.friction = value; }, "Of the material.")
      .def_property(
          "restitution", [](const ShapeDef& s) { return s.material.restitution; },
          [](ShapeDef& s, double value) { s.material.restitution = value; }, "Of the material.")
      .def_readwrite("density", &ShapeDef::density, "kg/m^3; 0 adds no mass.")
      .def_readwrite("layer", &ShapeDef::layer, "Collision layers it is in, as bits.")
      .def_readwrite("mask", &ShapeDef::mask, "Layers it meets, as bits.")
      .def_readwrite("user", &ShapeDef::user, "A number of yours, never looked at.")
      .def("__repr__", [](const py::object& self) { return represent(self); });
}

void bind_makers(py::module_& m) {
  m.def(
      "sphere", [](double radius, const py::kwargs& f) { return shape_of("sphere", make_sphere(radius), f); },
      py::arg("radius"), "A ball. Keywords: fields of Shape.");
  m.def(
      "box", [](const Vec3& half, const py::kwargs& f) { return shape_of("box", make_box(half), f); }, py::arg("half"),
      "A box by half of its edge lengths. Keywords: fields of Shape.");
  m.def(
      "capsule",
      [](double radius, double half_length, const py::kwargs& f) {
        return shape_of("capsule", make_capsule(radius, half_length), f);
      },
      py::arg("radius"), py::arg("half_length"), "A segment along z, made round. Keywords: fields of Shape.");
  m.def(
      "cylinder",
      [](double radius, double half_height, const py::kwargs& f) {
        return shape_of("cylinder", make_cylinder(radius, half_height), f);
      },
      py::arg("radius"), py::arg("half_height"), "A cylinder along z. Keywords: fields of Shape.");
  m.def(
      "cone",
      [](double radius, double height, const py::kwargs& f) { return shape_of("cone", make_cone(radius, height), f); },
      py::arg("radius"), py::arg("height"), "A cone along z, about its centre of mass. Keywords: fields of Shape.");
  m.def(
      "half_space",
      [](const Vec3& normal, double offset, const py::kwargs& f) {
        return shape_of("half_space", make_half_space(normal, offset), f);
      },
      py::arg("normal"), py::arg("offset") = 0.0, "All that is below a plane. Keywords: fields of Shape.");
  m.def(
      "hull",
      [](const Rows& points, std::int32_t limit, const py::kwargs& f) {
        return shape_of("hull", hull_of(points, limit), f);
      },
      py::arg("points"), py::arg("vertex_limit") = 255, "The convex hull of N x 3 points. Keywords: fields of Shape.");
  m.def(
      "mesh",
      [](const Rows& vertices, const py::array_t<std::int32_t, py::array::c_style | py::array::forcecast>& triangles,
         const py::kwargs& f) { return shape_of("mesh", mesh_of(vertices, triangles), f); },
      py::arg("vertices"), py::arg("triangles"),
      "Triangles, N x 3 vertices and M x 3 indices; for what does not move.");
  m.def(
      "height_field",
      [](const Rows& heights, double spacing, const py::kwargs& f) {
        return shape_of("height_field", height_field_of(heights, spacing), f);
      },
      py::arg("heights"), py::arg("spacing"),
      "Ground from rows x columns heights, rows along y; for what does not move.");
  m.def(
      "compound",
      [](const std::vector<ShapeDef>& parts, const py::kwargs& f) {
        return shape_of("compound", compound_of(parts), f);
      },
      py::arg("parts"), "Several shapes at their places as one, with one material.");
}

void bind_mass(py::module_& m) {
  py::class_<MassProperties>(m, "Mass", "Mass of a body, in place of that of its shapes.")
      .def(py::init([](double mass, const SymMat3& inertia, const Vec3& centre) {
             return MassProperties{mass, centre, inertia};
           }),
           py::arg("mass"), py::arg("inertia"), py::arg("centre") = Vec3{})
      .def_readwrite("mass", &MassProperties::mass, "kg")
      .def_readwrite("centre", &MassProperties::centre, "m, in the frame of the body.")
      .def_readwrite("inertia", &MassProperties::inertia, "kg m^2 about the centre: xx, yy, zz, xy, xz, yz.")
      .def("__repr__", [](const py::object& self) { return represent(self); });
  m.def(
      "mass_of", [](const ShapeDef& shape) { return mass_properties(shape.shape, shape.density); }, py::arg("shape"),
      "The mass of a shape of its density, in its own axes.");
}

}  // namespace

void bind_shapes(py::module_& m) {
  bind_material(m);
  bind_shape(m);
  bind_makers(m);
  bind_mass(m);
  bind_body_fields(m);
}

}  // namespace cairn::python
