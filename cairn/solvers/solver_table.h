// SPDX-License-Identifier: MIT
// The table of solvers: their names, what they are for, and their settings by name. Each family writes its lines in its
// own folder (*_table.cpp); solver_table.cpp lists the families. No registration at run time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cairn/solvers/solver.h"

namespace cairn {

/// A setting as text: what `cairn solvers` prints and `--set name=value` takes.
struct SettingInfo {
  std::string name;
  std::string value;    ///< default
  std::string allowed;  ///< names separated by |, or a range
  std::string help;
};

struct SolverInfo {
  std::string name;
  std::string summary;     ///< one line
  bool joints = false;     ///< takes problems with joints
  bool assembled = false;  ///< takes problems without bodies (DelassusProblem)
  std::vector<SettingInfo> settings;
};

std::vector<SolverInfo> solver_table();

/// A solver by name with settings by name. Throws InputError naming the nearest known name, or the allowed values.
using NamedSettings = std::vector<std::pair<std::string, std::string>>;
std::unique_ptr<Solver> make_solver(std::string_view name, const NamedSettings& settings = {});

}  // namespace cairn
