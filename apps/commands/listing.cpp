// SPDX-License-Identifier: MIT
// cairn solvers, cairn scenes and cairn export: short lists, and everything about one name.
#include <fmt/core.h>

#include "apps/cli/commands.h"
#include "apps/commands/problem_source.h"
#include "cairn/core/names.h"
#include "cairn/io/problem_file.h"
#include "cairn/solvers/solver_table.h"
#include "scenes/elastic_scenes.h"
#include "scenes/scene.h"

namespace cairn::cli {

namespace {

/// A name that runs, or the pattern of the table: "pyramid_20", "pyramid_N" and "pyramid" mean one family.
scenes::SceneInfo scene_named(const std::string& name) {
  std::vector<std::string> known;
  for (const scenes::SceneInfo& scene : scenes::scene_table()) {
    const std::string stem = scene.pattern.substr(0, scene.pattern.find("_N"));
    const bool sized = stem.size() < scene.pattern.size();
    if (name == scene.pattern || name == stem) return scene;
    if (sized && name.starts_with(stem + "_") && name.find_first_not_of("0123456789", stem.size() + 1) == name.npos)
      return scene;
    known.push_back(scene.example);
  }
  for (const scenes::SceneInfo& scene : scenes::elastic_scene_table()) {
    if (name == scene.pattern) return scene;
    known.push_back(scene.example);
  }
  fail_input(fmt::format("there is no scene '{}'{}; `cairn scenes` lists them all", name, did_you_mean(name, known)));
}

}  // namespace

int run_solvers(const std::string& name) {
  std::vector<std::string> known;
  for (const SolverInfo& solver : solver_table()) {
    known.push_back(solver.name);
    if (name.empty() || name == solver.name)
      fmt::print("{:<20} {}{}\n", solver.name, solver.summary, solver.joints ? "; takes joints" : "");
    if (name != solver.name) continue;
    for (const SettingInfo& setting : solver.settings)
      fmt::print("    {:<15} {:<12} {}\n    {:<28} {}\n", setting.name, setting.value, setting.help, "",
                 setting.allowed);
    fmt::print("\nGiven as --solver {}:name=value,... or --set name=value.\n", name);
    return kDone;
  }
  if (!name.empty())
    fail_input(
        fmt::format("there is no solver '{}'{}; `cairn solvers` lists them all", name, did_you_mean(name, known)));
  fmt::print("\n`cairn solvers NAME` tells the settings of one.\n");
  return kDone;
}

int run_scenes(const std::string& name) {
  if (name.empty()) {
    for (const scenes::SceneInfo& scene : scenes::scene_table())
      fmt::print("{:<16} {}\n", scene.pattern, scene.summary);
    fmt::print("\nElastic solids on a grid (docs/euler.md), for `cairn run` alone:\n\n");
    for (const scenes::SceneInfo& scene : scenes::elastic_scene_table())
      fmt::print("{:<16} {}\n", scene.pattern, scene.summary);
    fmt::print(
        "\nN is a size: `cairn run ball_grid_8`, `cairn view ball_grid_8`. `cairn scenes NAME` tells the parameters of "
        "one.\n");
    return kDone;
  }
  const scenes::SceneInfo scene = scene_named(name);
  fmt::print("{:<16} {}\n", scene.pattern, scene.summary);
  for (const scenes::SceneParameter& p : scene.parameters)
    fmt::print("    {:<12} {:<8} {}; {}\n", p.name, p.value, p.help, p.allowed);
  const std::string parameter =
      scene.parameters.empty() ? ""
                               : fmt::format(" --param {}={}", scene.parameters[0].name, scene.parameters[0].value);
  if (!scenes::is_elastic_scene(scene.pattern)) fmt::print("\n  cairn view {}{}", scene.example, parameter);
  fmt::print("\n  cairn run {}{}\n", scene.example, parameter);
  return kDone;
}

int run_export(const ExportOptions& options) {
  if (options.file.ends_with(".html")) return run_export_page(options);
  if (!options.file.ends_with(".hdf5") && !options.file.ends_with(".h5"))
    fail_input(
        fmt::format("cannot write '{}': give a name that ends in .html for a page that plays a recording, or in .hdf5 "
                    "for a problem; films and pictures are made by `cairn render RECORDING.h5 FILM.mp4`",
                    options.file));
  const LoadedProblem loaded = load(options.problem).value_or_throw();
  ProblemFile file{ContactProblem{}};
  file.title = loaded.name;
  const auto* contact = std::get_if<ContactProblem>(&loaded.problem);
  if (options.form == "contact") {
    if (contact == nullptr) fail_input("this problem has no bodies: use --form local", ErrorKind::unsupported);
    file.problem = *contact;
  } else {
    file.problem = contact != nullptr ? to_delassus(*contact) : std::get<DelassusProblem>(loaded.problem);
  }
  const WriteReport report = write_problem(file, options.file, {options.force}).value_or_throw();
  fmt::print("wrote {}: {} contacts\n", options.file, loaded.contacts());
  for (const std::string& note : report.notes) fmt::print("  note: {}\n", note);
  return kDone;
}

}  // namespace cairn::cli
