// SPDX-License-Identifier: MIT
// Tables 3.3, 3.5, 6.1-6.3, sections 7.2-7.5. Their machine had eight cores; speed-ups are against sequential
// Gauss-Seidel unless it says "of its own one core".
#include "apps/bench/thesis_figures.h"

#include <algorithm>

namespace cairn::cli {

const std::vector<ThesisFigure>& thesis_figures() {
  static const std::vector<ThesisFigure> kFigures{
      {"ball_grid_8", "GS sequential", "50", "0.105 s (table 3.3)"},
      {"ball_grid_8", "Jacobi factorised", "63", "0.093 s (3.3); 8 cores 6.1x (6.3), CSP 2.6x (6.1)"},
      {"ball_grid_8", "Jacobi T", "63", "8 cores 4.7x (6.3), CSP 2.0x (6.2)"},
      {"ball_grid_24", "GS sequential", "50", "3.24 s (table 3.3)"},
      {"ball_grid_24", "Jacobi factorised", "66", "3.20 s (3.3); 8 cores 4.9x (6.3), CSP 2.9x (6.1)"},
      {"ball_grid_24", "Jacobi T", "66", "8 cores 2.0x (6.3), CSP 1.8x (6.2)"},
      {"ball_grid_24", "GS relaxed", "57", "6 cores 2.6x of its own one core (7.5)"},
      {"ball_grid_24", "GS balanced", "49-50", "580 colours (7.3); about 2x at best (7.7)"},
      {"ball_grid_40", "GS sequential", "50", "13.1 s (table 3.3)"},
      {"ball_grid_40", "Jacobi factorised", "65", "14.3 s (3.3); 8 cores 4.6x (6.3), CSP 2.7x (6.1)"},
      {"ball_grid_40", "Jacobi T", "65", "8 cores 1.2x (6.3), CSP 1.5x (6.2)"},
      {"ball_grid_40", "GS naive split", "50", "3.3 s on 8 cores, 4x (7.1)"},
      {"ball_pile_40", "GS sequential", "50", "0.897 s (table 3.5)"},
      {"ball_pile_40", "Jacobi factorised", "63", "1.63 s (3.5); 8 cores 8.4x (6.3), CSP 2.6x (6.1)"},
      {"ball_pile_40", "Jacobi T", "63", "8 cores 14.6x (6.3), CSP 7.5x (6.2)"},
      {"ball_pile_80", "GS sequential", "50", "7.26 s (table 3.5)"},
      {"ball_pile_80", "Jacobi factorised", "65", "14.1 s (3.5); 8 cores 7.3x (6.3), CSP 2.8x (6.1)"},
      {"ball_pile_80", "Jacobi T", "65", "8 cores 16.1x (6.3), CSP 11.0x (6.2)"},
      {"ball_pile_80", "GS greedy T", "51", "8 cores 8.4x, 6.6x of its own one core (7.8)"},
      {"ball_pile_80", "GS balanced", "50", "three colours of 17,636-17,637 (7.3)"},
  };
  return kFigures;
}

const ThesisFigure* find_thesis_figure(const std::string& problem, const std::string& scheme) {
  const auto& figures = thesis_figures();
  const auto found = std::find_if(figures.begin(), figures.end(),
                                  [&](const ThesisFigure& f) { return f.problem == problem && f.scheme == scheme; });
  return found != figures.end() ? &*found : nullptr;
}

}  // namespace cairn::cli
