// SPDX-License-Identifier: MIT
// The choices of `exact` (docs/solvers.md, "exact").
#pragma once

#include <string>

namespace cairn {

struct ExactSettings {
  int iterations = 600;   ///< Newton steps and sweeps of an island at most; 0: as the caller says (StopSettings)
  double tolerance = -1;  ///< on the residual of every island; negative: as the caller says, and 1e-10 where that is 0
  int staggered_contacts =
      0;  ///< islands of up to so many contacts and joint rows try staggered projections first; dearer than Newton
  int newton_steps = 15;    ///< in impulses, at a time; more: grinds on where it is lost
  double eps = 1e-8;        ///< proximal term of Newton in impulses
  double first_eps = 1e-2;  ///< of Newton in velocities; larger: safer, more steps
  double last_eps = 1e-6;   ///< smaller: round-off
  double factor = 1.0 / 3;  ///< of eps from one proximal point to the next
  int rounds = 3;           ///< of sweeps and Newton after that, as long as they help
  int sweeps = 100;         ///< per round
  bool reference = true;    ///< at last, the phases of `reference` on islands of at most reference_contacts, no joints
  int reference_contacts = 100;
  int max_contacts = 3000;  ///< contacts and joint rows of an island above which `large` takes it
  std::string large = "nncg";
};

}  // namespace cairn
