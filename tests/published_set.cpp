// SPDX-License-Identifier: MIT
#include "tests/published_set.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/source_folder.h"

namespace cairn {

std::string source_folder() { return CAIRN_SOURCE_DIR; }

std::string published_folder() {
  const char* given = std::getenv("CAIRN_FCLIB");
  return given != nullptr ? given : std::string(CAIRN_SOURCE_DIR) + "/../shared/fclib/public";
}

std::vector<PublishedProblem> published_problems() {
  std::vector<PublishedProblem> result;
  std::ifstream in(published_folder() + "/README.md");
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("| ", 0) != 0 || line.rfind("| problem ", 0) == 0) continue;
    std::istringstream cells(line);
    std::vector<std::string> columns;
    for (std::string cell; std::getline(cells, cell, '|');) columns.push_back(cell);
    if (columns.size() < 12) continue;
    PublishedProblem problem;
    std::istringstream(columns[1]) >> problem.name;
    problem.contacts = std::stoll(columns[4]);
    std::istringstream sweeps(columns[11]);
    std::string count, slash;
    for (int& reached : problem.nsgs_sweeps) {
      sweeps >> count >> slash;
      reached = count == "-" ? -1 : std::stoi(count);
    }
    result.push_back(std::move(problem));
  }
  return result;
}

ProblemFile read_published(const std::string& name) {
  return read_problem(published_folder() + "/" + name + ".hdf5").value_or_throw();
}

DelassusProblem assembled(const ProblemFile& file) {
  if (const auto* local = std::get_if<DelassusProblem>(&file.problem)) return *local;
  return to_delassus(std::get<GlobalProblem>(file.problem)).value_or_throw();
}

}  // namespace cairn
