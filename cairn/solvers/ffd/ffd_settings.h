// SPDX-License-Identifier: MIT
// Settings of `ffd` (ffd.h).
#pragma once

namespace cairn {

/// How a body responds to its contacts.
enum class FfdMode {
  coulomb,  ///< friction bounded by the normal impulses; restitution by contact
  pe,       ///< as in the pe engine: friction bounded by changes of velocity, one restitution per body
};

struct FfdSettings {
  FfdMode mode = FfdMode::coulomb;
  int sweeps = 1;           ///< rounds of pair impulses and body responses; two carry support one layer further
  int friction_sweeps = 4;  ///< over the contacts of one body, mode coulomb; more matter for bodies on many contacts
};

}  // namespace cairn
