// SPDX-License-Identifier: MIT
#include "apps/commands/scene_source.h"

#include <fmt/core.h>

#include "cairn/broad/broad_phase.h"
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

}  // namespace

std::vector<PictureCamera> cameras_of(const SceneFile& file) {
  std::vector<PictureCamera> cameras;
  for (const SceneCamera& c : file.cameras) cameras.push_back({c.position, c.target, c.up, c.field_of_view});
  return cameras;
}

Expected<SceneFile> open_scene_file(const std::string& path, const SceneFileOptions& o) {
  if (!ends_with(path, ".urdf")) return read_scene(path);
  return read_urdf(path, {.package_root = o.package_root, .assume_density = o.assume_density});
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

scenes::Scene build_scene(const RunOptions& o, const SceneChoice& choice, WorldSettings* own) {
  const auto change = [&](WorldSettings& settings) {
    if (own != nullptr) *own = settings;
    settings = changed(settings, o, choice.solver);
  };
  if (choice.file) {
    LoadedScene loaded = cairn::build_scene(*choice.file, change).value_or_throw();
    for (const std::string& note : loaded.notes) fmt::print(stderr, "note: {}\n", note);
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
