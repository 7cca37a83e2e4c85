// SPDX-License-Identifier: MIT
// cairn solvers, cairn scenes and cairn export.
#include <fmt/core.h>

#include "apps/cli/commands.h"
#include "apps/commands/problem_source.h"
#include "cairn/io/problem_file.h"
#include "cairn/solvers/solver_table.h"
#include "scenes/elastic_scenes.h"
#include "scenes/scene.h"

namespace cairn::cli {

int run_solvers() {
  for (const SolverInfo& solver : solver_table()) {
    fmt::print("{:<16} {}{}\n", solver.name, solver.summary, solver.joints ? "; takes joints" : "");
    for (const SettingInfo& setting : solver.settings)
      fmt::print("    {:<15} {:<12} {}\n    {:<28} {}\n", setting.name, setting.value, setting.help, "",
                 setting.allowed);
  }
  return kDone;
}

int run_scenes() {
  const auto print_scene = [](const scenes::SceneInfo& scene) {
    fmt::print("{:<16} {}\n", scene.pattern, scene.summary);
    for (const scenes::SceneParameter& p : scene.parameters)
      fmt::print("    {:<12} {:<8} {}; {}\n", p.name, p.value, p.help, p.allowed);
  };
  for (const scenes::SceneInfo& scene : scenes::scene_table()) print_scene(scene);
  fmt::print("\nElastic solids on a grid (docs/euler.md), for `cairn run` alone:\n\n");
  for (const scenes::SceneInfo& scene : scenes::elastic_scene_table()) print_scene(scene);
  fmt::print("\nN is a size: `cairn run ball_grid_8`. Parameters are given as --param name=value.\n");
  return kDone;
}

int run_export(const ExportOptions& options) {
  if (options.file.ends_with(".html")) return run_export_page(options);
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
