// SPDX-License-Identifier: MIT
// The published FCLIB problems and what others reached on them, for tests. The files are not in the repository: they
// are looked for in CAIRN_FCLIB, else beside the checkout; tests are skipped with a reason where they are absent.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cairn/io/problem_file.h"

namespace cairn {

struct PublishedProblem {
  std::string name;
  std::int64_t contacts = 0;
  std::array<int, 4> nsgs_sweeps{};  ///< to 1e-3, 1e-4, 1e-6, 1e-8; -1: not reached. Above 100 rounded up to tens
};

inline std::string published_folder() {
  const char* given = std::getenv("CAIRN_FCLIB");
  return given != nullptr ? given : std::string(CAIRN_SOURCE_DIR) + "/../shared/fclib/public";
}

/// From the table in the folder's README: columns 1 (name), 4 (contacts) and 11 (sweeps). Empty where it is absent.
inline std::vector<PublishedProblem> published_problems() {
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

inline ProblemFile read_published(const std::string& name) {
  return read_problem(published_folder() + "/" + name + ".hdf5").value_or_throw();
}

inline DelassusProblem assembled(const ProblemFile& file) {
  if (const auto* local = std::get_if<DelassusProblem>(&file.problem)) return *local;
  return to_delassus(std::get<GlobalProblem>(file.problem)).value_or_throw();
}

}  // namespace cairn
