// SPDX-License-Identifier: MIT
// World: the step, edits, state as arrays, callbacks and snapshots. Queries: bind_queries.cpp.
#include <pybind11/stl.h>

#include "python/arguments.h"
#include "python/bind.h"
#include "python/world_object.h"

namespace py = pybind11;

namespace cairn::python {

namespace {

using Class = py::class_<WorldObject>;

/// Settings from an object, from keywords, or from both.
WorldSettings settings_from(const char* function, const py::object& given, const WorldSettings& otherwise,
                            const py::kwargs& fields) {
  return with_fields(function, given.is_none() ? otherwise : given.cast<WorldSettings>(), fields);
}

std::unique_ptr<WorldObject> new_world(const py::object& settings, const py::kwargs& fields) {
  return std::make_unique<WorldObject>(settings_from("World", settings, {}, fields));
}

BodyId add_body(WorldObject& world, const py::kwargs& given) {
  py::dict fields(given);
  const py::object shapes = take(fields, "shapes");
  const BodyDef def = with_fields("add_body", BodyDef{}, fields);
  const auto list = shapes.is_none() ? std::vector<ShapeDef>{} : shapes.cast<std::vector<ShapeDef>>();
  return world->add_body(def, list);
}

/// Where a joint is: a point and an axis of the world, or a point and an orientation.
Pose joint_place(py::dict& fields) {
  const py::object position = take(fields, "position"), axis = take(fields, "axis"),
                   orientation = take(fields, "orientation");
  const Vec3 point = position.is_none() ? Vec3{} : position.cast<Vec3>();
  require(axis.is_none() || orientation.is_none(), "add_joint: give an axis or an orientation, not both");
  if (!axis.is_none()) return frame_along(point, axis.cast<Vec3>());
  return {point, orientation.is_none() ? Quat{} : orientation.cast<Quat>()};
}

JointId add_joint(WorldObject& world, const JointKind& kind, std::optional<BodyId> body_a, BodyId body_b,
                  const py::kwargs& given) {
  py::dict fields(given);
  const Pose place = joint_place(fields);
  return world->add_joint(
      with_fields("add_joint", world->joint_at(body_a.value_or(BodyId{}), body_b, place, kind), fields));
}

void restore(WorldObject& world, const py::bytes& snapshot) {
  if (const std::optional<Error> error = world->restore(std::string(snapshot))) throw InputError(*error);
}

/// A snapshot has no threads: those belong to the machine, and a world that is unpickled has one.
std::unique_ptr<WorldObject> restored(const py::bytes& snapshot) {
  auto world = std::make_unique<WorldObject>(WorldSettings{});
  restore(*world, snapshot);
  return world;
}

std::string describe(const WorldObject& world) {
  const World& w = world.get();
  return fmt::format("<cairn.World: {} bodies, {} joints, {} steps, {:.6g} s, solver {}>", w.body_count(),
                     w.joints().size(), w.step_count(), w.time(), w.settings().solver);
}

void bind_step(Class& type) {
  type.def(py::init(&new_world), py::arg("settings") = py::none(),
           "An empty world. Keywords: fields of Settings, such as solver='soft_step' or gravity=(0, 0, -9.81).")
      .def("step", &WorldObject::step, py::arg("dt"),
           "Moves the world by dt seconds and returns the report. Other threads of Python go on meanwhile.")
      .def_property_readonly(
          "last_report", [](const WorldObject& w) { return w->last_report(); }, "Of the last step.")
      .def_property_readonly(
          "settings", [](const WorldObject& w) { return w->settings(); }, "A copy; set_settings changes them.")
      .def(
          "set_settings",
          [](WorldObject& w, const py::object& settings, const py::kwargs& fields) {
            w->set_settings(settings_from("set_settings", settings, w->settings(), fields));
          },
          py::arg("settings") = py::none(), "Other settings from the next step on. Keywords change single fields.")
      .def_property_readonly(
          "time", [](const WorldObject& w) { return w->time(); }, "s of simulated time.")
      .def_property_readonly(
          "step_count", [](const WorldObject& w) { return w->step_count(); }, "Steps done.")
      .def("__repr__", &describe);
}

void bind_arrays(Class& type) {
  type.def_property_readonly(
          "positions", [](const WorldObject& w) { return positions(w.get()); },
          "N x 3 view, m: centres of mass by BodyId.index. Read-only and not copied. It follows the\n"
          "world until bodies are added or a snapshot is restored; from then on it may show the\n"
          "state of that moment, and the attribute gives a new view. It never dangles.")
      .def_property_readonly(
          "orientations", [](const WorldObject& w) { return orientations(w.get()); },
          "N x 4 view, quaternions w, x, y, z; as positions.")
      .def_property_readonly(
          "linear_velocities", [](const WorldObject& w) { return linear_velocities(w.get()); },
          "N x 3 view, m/s, of the centres of mass; as positions.")
      .def_property_readonly(
          "angular_velocities", [](const WorldObject& w) { return angular_velocities(w.get()); },
          "N x 3 view, rad/s; as positions.")
      .def_property_readonly(
          "live", [](const WorldObject& w) { return live_rows(w.get()); },
          "N flags: whether a row of the arrays has a body. All, unless bodies were removed.");
}

void bind_bodies(Class& type) {
  type.def("add_body", &add_body,
           "Adds a body and returns its BodyId. Keywords: shapes (a list), and fields of BodyDef: kind, position,\n"
           "orientation, linear_velocity, angular_velocity, mass, linear_damping, angular_damping, gravity_scale,\n"
           "locked_axes, may_sleep, continuous, user.")
      .def(
          "remove_body", [](WorldObject& w, BodyId b) { w->remove_body(b); }, py::arg("body"))
      .def(
          "add_shape", [](WorldObject& w, BodyId b, const ShapeDef& s) { return w->add_shape(b, s); }, py::arg("body"),
          py::arg("shape"))
      .def(
          "remove_shape", [](WorldObject& w, ShapeId s) { w->remove_shape(s); }, py::arg("shape"))
      .def(
          "contains", [](const WorldObject& w, BodyId b) { return w->contains(b); }, py::arg("handle"))
      .def(
          "contains", [](const WorldObject& w, ShapeId s) { return w->contains(s); }, py::arg("handle"))
      .def(
          "contains", [](const WorldObject& w, JointId j) { return w->contains(j); }, py::arg("handle"))
      .def_property_readonly(
          "bodies", [](const WorldObject& w) { return w->bodies(); }, "Live bodies by index.")
      .def(
          "shapes_of", [](const WorldObject& w, BodyId b) { return w->shapes_of(b); }, py::arg("body"))
      .def(
          "shape", [](const WorldObject& w, ShapeId s) { return w->shape_def(s); }, py::arg("shape"),
          "A copy of what the shape was made from.")
      .def(
          "body_of", [](const WorldObject& w, ShapeId s) { return w->body_of(s); }, py::arg("shape"))
      .def(
          "view", [](const WorldObject& w, BodyId b) { return w->view(b); }, py::arg("handle"),
          "Where a body is, how it moves and what it weighs.")
      .def(
          "view", [](const WorldObject& w, JointId j) { return w->view(j); }, py::arg("handle"),
          "Coordinates, errors and forces of a joint.");
}

void bind_setters(Class& type) {
  type.def(
          "set_pose",
          [](WorldObject& w, BodyId b, const Vec3& p, const Quat& q) {
            w->set_pose(b, {p, q});
          },
          py::arg("body"), py::arg("position"), py::arg("orientation") = Quat{},
          "Puts the frame of a body there, through anything.")
      .def(
          "set_velocity",
          [](WorldObject& w, BodyId b, const Vec3& v, const Vec3& turn) {
            w->set_velocity(b, {v, turn});
          },
          py::arg("body"), py::arg("linear") = Vec3{}, py::arg("angular") = Vec3{})
      .def(
          "move_to",
          [](WorldObject& w, BodyId b, const Vec3& p, const Quat& q, double dt) {
            w->move_to(b, {p, q}, dt);
          },
          py::arg("body"), py::arg("position"), py::arg("orientation"), py::arg("dt"),
          "Gives a kinematic body the velocity that brings it there in dt seconds.")
      .def(
          "set_kind", [](WorldObject& w, BodyId b, BodyKind kind) { w->set_kind(b, kind); }, py::arg("body"),
          py::arg("kind"))
      .def(
          "set_mass", [](WorldObject& w, BodyId b, const MassProperties& mass) { w->set_mass(b, mass); },
          py::arg("body"), py::arg("mass"))
      .def(
          "set_damping",
          [](WorldObject& w, BodyId b, double linear, double angular) { w->set_damping(b, linear, angular); },
          py::arg("body"), py::arg("linear"), py::arg("angular"))
      .def(
          "set_gravity_scale", [](WorldObject& w, BodyId b, double scale) { w->set_gravity_scale(b, scale); },
          py::arg("body"), py::arg("scale"))
      .def(
          "set_locked_axes", [](WorldObject& w, BodyId b, std::uint32_t axes) { w->set_locked_axes(b, axes); },
          py::arg("body"), py::arg("axes"))
      .def(
          "set_continuous", [](WorldObject& w, BodyId b, bool value) { w->set_continuous(b, value); }, py::arg("body"),
          py::arg("continuous"))
      .def(
          "set_may_sleep", [](WorldObject& w, BodyId b, bool value) { w->set_may_sleep(b, value); }, py::arg("body"),
          py::arg("may_sleep"))
      .def(
          "set_material", [](WorldObject& w, ShapeId s, const Material& value) { w->set_material(s, value); },
          py::arg("shape"), py::arg("material"))
      .def(
          "set_filter",
          [](WorldObject& w, ShapeId s, std::uint32_t layer, std::uint32_t mask) { w->set_filter(s, layer, mask); },
          py::arg("shape"), py::arg("layer"), py::arg("mask"))
      .def(
          "set_collision", [](WorldObject& w, BodyId a, BodyId b, bool on) { w->set_collision(a, b, on); },
          py::arg("a"), py::arg("b"), py::arg("enabled"), "Whether two bodies collide with each other.");
}

void bind_forces(Class& type) {
  type.def(
          "add_force",
          [](WorldObject& w, BodyId b, const Vec3& f, const std::optional<Vec3>& point) {
            point ? w->add_force_at(b, f, *point) : w->add_force(b, f);
          },
          py::arg("body"), py::arg("force"), py::arg("point") = py::none(),
          "N, for the next step; at the centre of mass or at a point of the world.")
      .def(
          "add_torque", [](WorldObject& w, BodyId b, const Vec3& t) { w->add_torque(b, t); }, py::arg("body"),
          py::arg("torque"), "N m, for the next step.")
      .def(
          "add_impulse",
          [](WorldObject& w, BodyId b, const Vec3& p, const std::optional<Vec3>& point) {
            point ? w->add_impulse_at(b, p, *point) : w->add_impulse(b, p);
          },
          py::arg("body"), py::arg("impulse"), py::arg("point") = py::none(), "N s, at once.")
      .def(
          "add_angular_impulse", [](WorldObject& w, BodyId b, const Vec3& p) { w->add_angular_impulse(b, p); },
          py::arg("body"), py::arg("impulse"), "N m s, at once.")
      .def(
          "wake", [](WorldObject& w, BodyId b) { w->wake(b); }, py::arg("body"))
      .def(
          "release", [](WorldObject& w, BodyId b) { w->release(b); }, py::arg("body"),
          "Lets a quarantined body move again.");
}

void bind_world_joints(Class& type) {
  type.def("add_joint", &add_joint, py::arg("kind"), py::arg("body_a"), py::arg("body_b"),
           "Joins two bodies where they are now; None for body_a is the world. Keywords: position and axis (or\n"
           "orientation) of the joint in the world, and fields of Joint: break_force, collide_connected, ...")
      .def(
          "remove_joint", [](WorldObject& w, JointId j) { w->remove_joint(j); }, py::arg("joint"))
      .def(
          "joint", [](const WorldObject& w, JointId j) { return w->joint_def(j); }, py::arg("joint"),
          "A copy of the definition in force.")
      .def(
          "set_joint", [](WorldObject& w, JointId j, const JointDef& def) { w->set_joint(j, def); }, py::arg("joint"),
          py::arg("definition"), "Other limits, drives, frames or breaking forces.")
      .def(
          "set_joint_enabled", [](WorldObject& w, JointId j, bool on) { w->set_joint_enabled(j, on); },
          py::arg("joint"), py::arg("enabled"))
      .def_property_readonly(
          "joints", [](const WorldObject& w) { return w->joints(); }, "Live joints by index.");
}

void bind_callbacks(Class& type) {
  type.def_property(
          "contact_listener", [](const WorldObject& w) { return w.listener(); }, &WorldObject::set_listener,
          "Called as f(event) for every ContactEvent after each step, in order. It may edit the world. None: nobody.")
      .def_property(
          "contact_filter", [](const WorldObject& w) { return w.filter(); }, &WorldObject::set_filter,
          "Called as f(pair) -> bool for every ShapePair that is near, before each sub-step, in order: whether they\n"
          "may touch. It may read the world and not edit it. None: all may.")
      .def_property_readonly(
          "events",
          [](const WorldObject& w) {
            const auto events = w->events();
            return std::vector<ContactEvent>(events.begin(), events.end());
          },
          "Of the last step.")
      .def_property_readonly(
          "contacts", [](const WorldObject& w) { return w->contacts(); }, "All contact points of the last step.");
}

void bind_snapshots(Class& type) {
  type.def(
          "save", [](const WorldObject& w) { return py::bytes(w->save()); },
          "Everything that decides the future, as bytes.")
      .def("restore", &restore, py::arg("snapshot"), "Replaces this world by a saved one. Views made before stay.")
      .def(
          "state_hash", [](const WorldObject& w) { return w->state_hash().to_string(); },
          "128 bits of all poses and velocities: equal where two states are equal bit for bit.")
      .def("definition_hash", [](const WorldObject& w) { return w->definition_hash().to_string(); })
      .def(py::pickle([](const WorldObject& w) { return py::make_tuple(py::bytes(w->save())); },
                      [](const py::tuple& state) { return restored(state[0].cast<py::bytes>()); }))
      .def("__copy__", [](const WorldObject& w) { return restored(py::bytes(w->save())); })
      .def("__deepcopy__", [](const WorldObject& w, const py::dict&) { return restored(py::bytes(w->save())); });
}

/// Functions of the user may hold the world that holds them: Python's collector looks through it.
void collect_cycles(PyHeapTypeObject* heap_type) {
  PyTypeObject& type = heap_type->ht_type;
  type.tp_flags |= Py_TPFLAGS_HAVE_GC;
  type.tp_traverse = [](PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    const auto& holder = reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder();
    return holder.holder_constructed() ? py::cast<WorldObject&>(py::handle(self)).traverse(visit, arg) : 0;
  };
  type.tp_clear = [](PyObject* self) {
    py::cast<WorldObject&>(py::handle(self)).clear();
    return 0;
  };
}

}  // namespace

void bind_world(py::module_& m) {
  Class type(m, "World", py::custom_type_setup(&collect_cycles),
             "Bodies with shapes, joints between them, and the step that moves them.");
  bind_step(type);
  bind_arrays(type);
  bind_bodies(type);
  bind_setters(type);
  bind_forces(type);
  bind_world_joints(type);
  bind_callbacks(type);
  bind_queries(type);
  bind_snapshots(type);
}

}  // namespace cairn::python
