// SPDX-License-Identifier: MIT
// Figures that Poulsen 2010 prints, for showing beside ours.
#pragma once

#include <string>
#include <vector>

namespace cairn::cli {

struct ThesisFigure {
  std::string problem, scheme;  ///< named as in bench prox
  std::string sweeps;           ///< to the quality of 50 sequential Gauss-Seidel sweeps
  std::string remark;           ///< times and speed-ups, with the table or figure they are from
};

const std::vector<ThesisFigure>& thesis_figures();

/// None when the thesis has no figure for this pair.
const ThesisFigure* find_thesis_figure(const std::string& problem, const std::string& scheme);

}  // namespace cairn::cli
