// SPDX-License-Identifier: MIT
// The published FCLIB problems and what others reached on them, for tests. The files are not in the repository: they
// are looked for in CAIRN_FCLIB, else beside the checkout; tests are skipped with a reason where they are absent.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cairn/io/problem_file.h"

namespace cairn {

struct PublishedProblem {
  std::string name;
  std::int64_t contacts = 0;
  std::array<int, 4> nsgs_sweeps{};  ///< to 1e-3, 1e-4, 1e-6, 1e-8; -1: not reached. Above 100 rounded up to tens
};

/// CAIRN_FCLIB, else the place beside the checkout.
std::string published_folder();

/// From the table in the folder's README: columns 1 (name), 4 (contacts) and 11 (sweeps). Empty where it is absent.
std::vector<PublishedProblem> published_problems();

ProblemFile read_published(const std::string& name);
DelassusProblem assembled(const ProblemFile& file);

}  // namespace cairn
