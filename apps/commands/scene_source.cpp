// SPDX-License-Identifier: MIT
#include "apps/commands/scene_source.h"

#include <fmt/core.h>

#include <algorithm>

#include "cairn/broad/broad_phase.h"
#include "cairn/core/names.h"
#include "cairn/scenefile/robot_setup.h"
#include "cairn/scenefile/urdf.h"

namespace cairn::cli {

namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

WorldSettings changed(WorldSettings settings, const RunOptions& o, const SolverSpec& solver) {
  choose_solver(settings, solver.name, solver.settings);
  settings.threads = o.threads;
  settings.recycling = settings.recycling && o.recycling;
  settings.warm_start = settings.warm_start && o.warm_start;
  settings.measure_residual = settings.measure_residual && o.measure_residual;
  if (o.sub_steps) settings.sub_steps = *o.sub_steps;
  if (o.joint_projection == "off") settings.joint_projection.use = JointProjection::off;
  if (o.joint_projection == "on") settings.joint_projection.use = JointProjection::on;
  if (o.sleep || o.no_sleep) settings.sleep.enabled = o.sleep;
  if (o.margin) settings.margin = *o.margin;
  if (o.slop) settings.stabilisation.slop = *o.slop;
  if (o.contact_rate) settings.stabilisation.contact_rate = *o.contact_rate;
  if (o.integrator == "velocity_verlet") settings.integrator = Integrator::velocity_verlet;
  if (o.integrator == "symplectic_euler") settings.integrator = Integrator::symplectic_euler;
  if (!o.broad_phase.empty()) settings.broad_phase = o.broad_phase;
  make_broad_phase(settings.broad_phase);  // refuses bad names
  return settings;
}

/// Joints of the world by the names that the file gives them.
std::vector<std::string> names_of(const LoadedScene& scene) {
  std::vector<std::string> names;
  for (const JointId joint : scene.world.joints()) {
    const auto found = std::find_if(scene.joints.begin(), scene.joints.end(),
                                    [&](const auto& named) { return named.second == joint; });
    names.push_back(found == scene.joints.end() ? "" : found->first);
  }
  return names;
}

}  // namespace

World world_of(const RecordingInfo& info, const std::string& file) {
  World world;
  if (const auto error = world.restore(info.start))
    fail_input(fmt::format("{}: the state at the beginning cannot be used: {}", file, error->message), error->kind);
  return world;
}

InputReplay replay_of(const RecordingInfo& info, const std::string& file) {
  return {world_of(info, file), info.meta.dt, unpack_inputs(info.meta.inputs)};
}

BodyPictures pictures_of(const RecordingInfo& info, const World& start) {
  BodyPictures pictures(start);
  for (const LoggedInput& logged : unpack_inputs(info.meta.inputs))
    if (const auto* shot = std::get_if<LiveShot>(&logged.input)) pictures.add(shot_shape(*shot));
  return pictures;
}

std::vector<PictureCamera> cameras_of(const SceneFile& file) {
  std::vector<PictureCamera> cameras;
  for (const SceneCamera& c : file.cameras) cameras.push_back({c.position, c.target, c.up, c.field_of_view, c.name});
  return cameras;
}

Expected<SceneFile> open_scene_file(const std::string& path, const SceneFileOptions& o) {
  Expected<SceneFile> scene =
      ends_with(path, ".urdf") ? read_urdf(path, {o.package_root, o.assume_density, !o.free_base}) : read_scene(path);
  if (!scene) return scene;
  RobotSetup setup{.hold = o.hold, .stiffness = o.stiffness, .damping = o.damping, .ground = o.ground};
  const auto fill = [](auto& list, const std::vector<std::string>& texts, const char* option) {
    for (const std::string& text : texts) {
      const auto [name, value] = split_setting(text);
      list.emplace_back(name, parse_number<double>(option, value));
    }
  };
  fill(setup.pose, o.pose, "pose"), fill(setup.drive, o.drive, "drive");
  if (const auto error = set_up_robot(*scene, setup)) return *error;
  return scene;
}

SceneChoice choose_scene(const RunOptions& o) {
  if (!ends_with(o.scene, ".json") && !ends_with(o.scene, ".urdf"))
    return {split_solver(o.solver.empty() ? WorldSettings{}.solver : o.solver, o.settings), {}};
  if (!o.parameters.empty()) fail_input("--param is for scenes by name: change the numbers in the scene file instead");
  SceneFile file = open_scene_file(o.scene, o.source).value_or_throw();
  if (!file.elastic.bodies.empty())
    fail_input(fmt::format("{} has elastic solids: `cairn run {} --out run.h5` runs it, `cairn export run.h5 run.html` "
                           "makes a page of the run",
                           o.scene, o.scene),
               ErrorKind::unsupported);
  SolverSpec solver = split_solver(o.solver.empty() ? file.settings.solver : o.solver, o.settings);
  if (o.solver.empty())
    solver.settings.insert(solver.settings.begin(), file.settings.solver_settings.begin(),
                           file.settings.solver_settings.end());
  return {std::move(solver), std::move(file)};
}

scenes::Scene build_scene(const RunOptions& o, const SceneChoice& choice, WorldSettings* own, SceneLook* look) {
  const auto change = [&](WorldSettings& settings) {
    if (own != nullptr) *own = settings;
    settings = changed(settings, o, choice.solver);
  };
  if (choice.file) {
    LoadedScene loaded = cairn::build_scene(*choice.file, change).value_or_throw();
    for (const std::string& note : loaded.notes) fmt::print(stderr, "note: {}\n", note);
    if (look != nullptr) *look = {loaded.body_colours, names_of(loaded)};
    return {loaded.name,
            loaded.dt,
            loaded.steps,
            0,
            loaded.steps,
            loaded.floor,
            scenes::kEndless,
            std::move(loaded.world),
            std::move(loaded.body_names)};
  }
  NamedSettings parameters;
  for (const std::string& text : o.parameters) parameters.push_back(split_setting(text));
  return scenes::make_scene(o.scene, parameters, change).value_or_throw();
}

}  // namespace cairn::cli
