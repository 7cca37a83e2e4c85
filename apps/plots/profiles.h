// SPDX-License-Identifier: MIT
// Performance profiles: many solvers on many problems in one picture (Dolan and More 2002, "Benchmarking optimization
// software with performance profiles").
//
//   ratio r_ps = cost_ps / min over solvers of cost_p,     rho_s(tau) = share of problems with r_ps <= tau
//
// rho_s(1) says how often a solver is the best, its height on the right how many problems it solves at all.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "apps/plots/plot_svg.h"

namespace cairn::cli {

struct ProfileInput {
  std::vector<std::string> solvers;
  std::vector<std::vector<double>> cost;  ///< [problem][solver]: time or iterations; not finite: not solved
  double floor = 0;                       ///< smaller costs count as this much: differences below it are noise
};

/// Where the summary numbers are taken.
inline constexpr std::array<double, 4> kProfileFactors{1, 2, 5, 10};

/// One solver's curve, as a staircase: from tau[i] up to the next, the share is fraction[i]. tau[0] = 1.
struct Profile {
  std::string solver;
  std::vector<double> tau, fraction;
  int solved = 0;                                      ///< problems
  std::array<double, kProfileFactors.size()> share{};  ///< rho at kProfileFactors
  double area = 0;  ///< mean of rho over log tau from 1 to the last factor: 1 is always best, 0 never within it
};

struct Profiles {
  std::vector<Profile> solvers;  ///< in the order of the input
  int problems = 0;
  int solved_by_none = 0;  ///< they count as problems, so no curve reaches 1
  int tied = 0;            ///< problems with several best solvers: each counts, so shares at 1 add to more than 1
};

/// Throws InputError when a row has not one cost per solver or a cost is negative.
Profiles performance_profiles(const ProfileInput& input);

/// The curves over a log axis of tau; `cost_name` is what is compared: "time", "iterations".
Plot profile_plot(const Profiles& profiles, const std::string& title, const std::string& cost_name);

/// A table for a terminal, best area first, ending with a newline.
std::string profile_text(const Profiles& profiles);

}  // namespace cairn::cli
