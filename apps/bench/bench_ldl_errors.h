// SPDX-License-Identifier: MIT
// How far joints come apart over time, by sweeps alone and with the direct solve.
#pragma once

#include <string>
#include <vector>

#include "apps/plots/plot_svg.h"

namespace cairn::cli {

/// One scene stepped with one solver.
struct JointErrorRun {
  std::string scene, solver;  ///< as a reader calls it
  std::vector<double> time;   ///< s
  std::vector<double> error;  ///< m, largest separation of any joint, at the beginning of each step
  double milliseconds = 0;    ///< of processor time per step
  double largest = 0;         ///< m
};

/// Each scene with Gauss-Seidel of 10, 50 and 200 sweeps, then ldl_pgs of 50. `quick`: a second instead of ten.
/// Empty where the run was interrupted.
std::vector<JointErrorRun> run_joint_errors(bool quick);

std::vector<Plot> joint_error_plots(const std::vector<JointErrorRun>& runs);

}  // namespace cairn::cli
