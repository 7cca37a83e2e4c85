// SPDX-License-Identifier: MIT
// Scenes by name and from files, robots from URDF, recordings.
#include <pybind11/stl.h>

#include "cairn/files.h"
#include "cairn/scenefile/robot_setup.h"
#include "python/arguments.h"
#include "python/bind.h"
#include "python/world_object.h"
#include "scenes/scene.h"

namespace py = pybind11;

namespace cairn::python {

namespace {

/// A world at its beginning, with names and how to run it.
struct SceneObject {
  std::string name;
  double dt = 1.0 / 60;
  int steps = 600;
  py::object world;
  std::map<std::string, BodyId> bodies{};
  std::map<std::string, JointId> joints{};
  std::vector<std::string> notes{};
};

std::map<std::string, BodyId> names_of(const World& world, const std::vector<std::string>& names) {
  std::map<std::string, BodyId> result;
  const std::vector<BodyId> bodies = world.bodies();
  for (std::size_t i = 0; i < std::min(names.size(), bodies.size()); ++i) result.emplace(names[i], bodies[i]);
  return result;
}

/// Keywords are settings of the world, over those of the scene.
std::function<void(WorldSettings&)> change_of(const char* function, const py::kwargs& fields) {
  return [function, &fields](WorldSettings& settings) { settings = with_fields(function, settings, fields); };
}

SceneObject loaded(const char* function, const SceneFile& file, const py::kwargs& fields) {
  LoadedScene scene = build_scene(file, change_of(function, fields)).value_or_throw();
  SceneObject result{scene.name, scene.dt, scene.steps, py::none()};
  result.bodies = names_of(scene.world, scene.body_names);
  result.joints = {scene.joints.begin(), scene.joints.end()};
  result.notes = scene.notes;
  result.world = world_object(std::move(scene.world));
  return result;
}

SceneObject read_scene_file(const std::string& path, const py::kwargs& fields) {
  return loaded("read_scene", read_scene(path).value_or_throw(), fields);
}

/// Keywords of the URDF and of how the robot begins, and settings of the world.
SceneObject read_robot(const std::string& path, const py::kwargs& given) {
  py::kwargs fields(given.attr("copy")());
  UrdfSettings urdf;
  RobotSetup setup;
  const auto pairs = [](const py::object& values) {
    const auto map = values.cast<std::map<std::string, double>>();
    return std::vector<std::pair<std::string, double>>(map.begin(), map.end());
  };
  if (const py::object v = take(fields, "package_root"); !v.is_none()) urdf.package_root = v.cast<std::string>();
  if (const py::object v = take(fields, "assume_density"); !v.is_none()) urdf.assume_density = v.cast<double>();
  if (const py::object v = take(fields, "fixed_base"); !v.is_none()) urdf.fixed_base = v.cast<bool>();
  if (const py::object v = take(fields, "pose"); !v.is_none()) setup.pose = pairs(v);
  if (const py::object v = take(fields, "drive"); !v.is_none()) setup.drive = pairs(v);
  if (const py::object v = take(fields, "hold"); !v.is_none()) setup.hold = v.cast<bool>();
  if (const py::object v = take(fields, "stiffness"); !v.is_none()) setup.stiffness = v.cast<double>();
  if (const py::object v = take(fields, "damping"); !v.is_none()) setup.damping = v.cast<double>();
  if (const py::object v = take(fields, "ground"); !v.is_none()) setup.ground = v.cast<bool>();
  SceneFile file = read_urdf(path, urdf).value_or_throw();
  if (const std::optional<Error> error = set_up_robot(file, setup)) throw InputError(*error);
  return loaded("read_urdf", file, fields);
}

SceneObject scene_by_name(const std::string& name, const py::dict& parameters, const py::kwargs& fields) {
  scenes::Scene scene = scenes::make_scene(name, settings_of(parameters), change_of("scene", fields)).value_or_throw();
  SceneObject result{scene.name, scene.dt, scene.steps, py::none()};
  result.bodies = names_of(scene.world, scene.body_names);
  result.world = world_object(std::move(scene.world));
  return result;
}

py::list list_scenes() {
  py::list result;
  for (const scenes::SceneInfo& info : scenes::scene_table())
    result.append(py::dict(py::arg("pattern") = info.pattern, py::arg("example") = info.example,
                           py::arg("summary") = info.summary));
  return result;
}

/// A recording that is being written. Closed by close() or at the end of a with statement.
class RecorderObject {
 public:
  RecorderObject(const std::string& path, const WorldObject& world, double dt, bool overwrite, int every)
      : recorder_(std::make_unique<Recorder>(path, world.get(), RecordingMeta{.scene = "python", .dt = dt},
                                             RecorderSettings{.every = every, .overwrite = overwrite})) {}
  void add(const WorldObject& world) {
    require(recorder_ != nullptr, "the recording is closed");
    recorder_->add(world.get());
  }
  void close() {
    if (recorder_ != nullptr) recorder_->close();
    recorder_.reset();
  }

 private:
  std::unique_ptr<Recorder> recorder_;
};

void bind_recordings(py::module_& m) {
  py::class_<RecorderObject>(m, "Recorder", "Writes a run to an HDF5 file (docs/recordings.md).")
      .def(py::init<const std::string&, const WorldObject&, double, bool, int>(), py::arg("path"), py::arg("world"),
           py::arg("dt") = 1.0 / 60, py::arg("overwrite") = false, py::arg("every") = 1)
      .def("add", &RecorderObject::add, py::arg("world"), "After every step.")
      .def("close", &RecorderObject::close, "All is written and the file has its name.")
      .def("__enter__", [](const py::object& self) { return self; })
      .def("__exit__", [](RecorderObject& r, const py::object&, const py::object&, const py::object&) { r.close(); });
  py::class_<MotionFrame>(m, "Frame", "What a recording keeps of a world after a step.")
      .def_readonly("step", &MotionFrame::step)
      .def_readonly("time", &MotionFrame::time, "s")
      .def_property_readonly("positions",
                             [](const MotionFrame& f) {
                               py::array_t<double> rows({f.pose.size(), std::size_t{3}});
                               for (std::size_t i = 0; i < f.pose.size(); ++i)
                                 std::copy_n(&f.pose[i].position.x, 3, rows.mutable_data() + 3 * i);
                               return rows;
                             })
      .def_property_readonly("orientations", [](const MotionFrame& f) {
        py::array_t<double> rows({f.pose.size(), std::size_t{4}});
        for (std::size_t i = 0; i < f.pose.size(); ++i)
          std::copy_n(&f.pose[i].orientation.w, 4, rows.mutable_data() + 4 * i);
        return rows;
      });
  py::class_<RecordingInfo>(m, "Recording", "Everything about a recording but its frames.")
      .def_readonly("frames", &RecordingInfo::frames)
      .def_readonly("times", &RecordingInfo::times, "s, after every step.")
      .def_property_readonly(
          "start", [](const RecordingInfo& r) { return py::bytes(r.start); },
          "Snapshot of the beginning, for World.restore.")
      .def_property_readonly("hashes",
                             [](const RecordingInfo& r) {
                               std::vector<std::string> result;
                               for (const Hash128& hash : r.hashes) result.push_back(hash.to_string());
                               return result;
                             })
      .def_property_readonly("statistics", [](const RecordingInfo& r) {
        py::dict result;
        for (std::size_t i = 0; i < r.statistic_names.size(); ++i)
          result[py::str(r.statistic_names[i])] = r.statistics[i];
        return result;
      });
  m.def(
      "read_recording", [](const std::string& path) { return read_recording(path).value_or_throw(); }, py::arg("path"));
  m.def(
      "read_frames",
      [](const std::string& path, std::int64_t first, std::int64_t count) {
        return read_frames(path, first, count).value_or_throw();
      },
      py::arg("path"), py::arg("first"), py::arg("count"));
}

}  // namespace

void bind_files(py::module_& m) {
  py::class_<SceneObject>(m, "Scene", "A world at its beginning, and how to run it.")
      .def_readonly("name", &SceneObject::name)
      .def_readonly("dt", &SceneObject::dt, "s")
      .def_readonly("steps", &SceneObject::steps, "That the scene is meant to be run for.")
      .def_readonly("world", &SceneObject::world)
      .def_readonly("bodies", &SceneObject::bodies, "By name.")
      .def_readonly("joints", &SceneObject::joints, "By name.")
      .def_readonly("notes", &SceneObject::notes)
      .def("__repr__", [](const SceneObject& s) {
        return fmt::format("<cairn.Scene {}: {}>", s.name, py::repr(s.world).cast<std::string>());
      });
  m.def("read_scene", &read_scene_file, py::arg("path"),
        "A scene file (docs/scenes.md). Keywords: fields of Settings.");
  m.def("read_urdf", &read_robot, py::arg("path"),
        "A robot. Keywords: package_root, assume_density, fixed_base; pose, drive, hold, stiffness, damping, ground;\n"
        "and fields of Settings.");
  m.def("scene", &scene_by_name, py::arg("name"), py::arg("parameters") = py::dict(),
        "A scene of scenes() by name. Keywords: fields of Settings.");
  m.def("scenes", &list_scenes, "The scenes there are: pattern, example, summary.");
  bind_recordings(m);
}

}  // namespace cairn::python
