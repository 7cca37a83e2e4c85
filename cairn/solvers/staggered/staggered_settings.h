// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace cairn {

enum class StaggeredMethod {
  schurpa,            ///< contacts without friction, with joints: one QP
  staggered_schurpa,  ///< friction by turns, one factorisation each
  staggered_direct,   ///< friction by turns, a factorisation per active set
};

struct StaggeredSettings {
  StaggeredMethod method = StaggeredMethod::staggered_schurpa;
  int iterations = 0;      ///< turns of both QPs of an island; 0: as the caller says
  double tolerance = -1;   ///< on the residual of every island; negative: as the caller says, and 1e-10 where that is 0
  int max_contacts = 128;  ///< of an island; larger ones go to `fallback`
  double eps = 1e-6;       ///< regularisation over the diagonal
  int depth = 5;           ///< of Anderson's method; 0: none, as the thesis has it
  bool realign = true;     ///< diamonds follow the direction of friction; off: they stay, as the thesis has it
  int facets = 4;          ///< of the friction polygon, a multiple of 4; more than 4: they stay
  int patience = 40;       ///< iterations without a better answer before it is given up
  std::string fallback = "ldl_pgs";  ///< solver of islands that are too large, or have what this method cannot take
};

}  // namespace cairn
