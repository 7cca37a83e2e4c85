// SPDX-License-Identifier: MIT
#include "apps/commands/problem_source.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cairn/io/problem_file.h"
#include "scenes/problems.h"

namespace cairn::cli {

namespace fs = std::filesystem;

namespace {

bool is_problem_file(const fs::path& path) { return path.extension() == ".hdf5" || path.extension() == ".h5"; }

/// Problem files of a folder; solution collections (best_known_*.h5) are not problems.
std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && is_problem_file(entry.path()) &&
        entry.path().stem().string().rfind("best_known", 0) != 0)
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string fclib_folder(const std::string& given) {
  if (!given.empty()) return given;
  const char* variable = std::getenv("CAIRN_FCLIB");
  return variable != nullptr ? variable : "../shared/fclib/public";
}

}  // namespace

std::int64_t LoadedProblem::bodies() const {
  const auto* contact = std::get_if<ContactProblem>(&problem);
  return contact != nullptr ? static_cast<std::int64_t>(contact->bodies.size()) : 0;
}

std::int64_t moving_bodies(const ContactProblem& problem) {
  return std::count_if(problem.bodies.begin(), problem.bodies.end(),
                       [](const auto& body) { return body.is_dynamic(); });
}

std::int64_t LoadedProblem::moving_bodies() const {
  const auto* contact = std::get_if<ContactProblem>(&problem);
  return contact != nullptr ? cli::moving_bodies(*contact) : 0;
}

std::int64_t LoadedProblem::contacts() const {
  const auto* contact = std::get_if<ContactProblem>(&problem);
  return contact != nullptr ? static_cast<std::int64_t>(contact->contacts.size())
                            : std::get<DelassusProblem>(problem).contact_count();
}

Expected<std::vector<std::string>> expand(const std::string& argument, const std::string& fclib) {
  const std::string folder = argument == "fclib" ? fclib_folder(fclib) : argument;
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    if (argument != "fclib") return std::vector<std::string>{argument};
    return Error{ErrorKind::io,
                 fmt::format("the folder of published problems '{}' does not exist: name it with --fclib DIR", folder)};
  }
  std::vector<std::string> files = files_in(folder);
  if (files.empty()) return Error{ErrorKind::io, fmt::format("the folder '{}' holds no .hdf5 or .h5 file", folder)};
  return files;
}

Expected<LoadedProblem> load(const std::string& name) {
  std::error_code error;
  if (!fs::exists(name, error)) {
    if (is_problem_file(name) || name.find('/') != std::string::npos)
      return Error{ErrorKind::io, fmt::format("'{}': there is no such file", name)};
    Expected<ContactProblem> built_in = scenes::make_problem(name);
    if (!built_in) return built_in.error();
    return LoadedProblem{name, std::move(*built_in), 0, {}};
  }
  Expected<ProblemFile> file = read_problem(name);
  if (!file) return file.error();
  LoadedProblem result{fs::path(name).stem().string(), ContactProblem{}, 0, std::move(file->notes)};
  result.start = warm_start(*file);
  result.contact_colour = std::move(file->contact_colour);
  if (auto* contact = std::get_if<ContactProblem>(&file->problem)) {
    result.problem = std::move(*contact);
  } else if (auto* assembled = std::get_if<DelassusProblem>(&file->problem)) {
    result.guess = std::move(file->guess);
    result.problem = std::move(*assembled);
  } else {
    const auto& global = std::get<GlobalProblem>(file->problem);
    Expected<DelassusProblem> eliminated = to_delassus(global);
    if (!eliminated) return Error{eliminated.error().kind, fmt::format("'{}': {}", name, eliminated.error().message)};
    result.guess = std::move(file->guess);
    result.degrees_of_freedom = static_cast<std::int64_t>(global.f.size());
    result.problem = std::move(*eliminated);
  }
  return result;
}

}  // namespace cairn::cli
