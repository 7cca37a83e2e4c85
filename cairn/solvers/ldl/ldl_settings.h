// SPDX-License-Identifier: MIT
// The choices of ldl_pgs and of the block LDL under it (Mizerski 2020). What each is good for is in docs/solvers.md.
#pragma once

#include "cairn/solvers/prox/prox_settings.h"

namespace cairn {

/// What becomes of bodies with many joints.
enum class LdlHubs {
  plain,    ///< nothing: all their blocks are coupled
  shatter,  ///< split into a chain of shards (Mizerski 2020)
  hub,      ///< kept as unknowns
};

enum class LdlOrdering {
  automatic,       ///< minimum fill up to 500 nodes, minimum degree above
  minimum_fill,    ///< fewest new edges, then fewest neighbours, lowest level (ldl_ordering.h), lowest number
  minimum_degree,  ///< without the first: faster to find, worse on loops
};

/// When joints are solved.
enum class LdlCoupling {
  block,  ///< in every sweep
  last,   ///< by sweeps, and exactly at the end (Mizerski 2020)
};

/// Numbers relative to the diagonal of H.
struct LdlRegularisation {
  double eps = 1e-13;       ///< added to the diagonal; more makes joints soft, but keeps redundant ones calm
  double redundant = 1e-7;  ///< rows with a smaller pivot are implied by others; masses may differ by its inverse
};

struct LdlPgsSettings {
  int iterations = 0;     ///< sweeps at most; 0: as the caller says (StopSettings)
  double tolerance = -1;  ///< on the residual, 0: run all sweeps; negative: as the caller says
  LdlCoupling coupling = LdlCoupling::block;
  Acceleration acceleration = Acceleration::none;  ///< of the sweeps over joints and contacts
  int depth = 8;                                   ///< sweeps that anderson looks back on
  LdlHubs hubs = LdlHubs::hub;
  LdlOrdering ordering = LdlOrdering::automatic;
  int hub_rows = 20;        ///< bodies with more joint rows than this are hubs
  double eps = 1e-13;       ///< as in LdlRegularisation
  double redundant = 1e-7;  ///< as in LdlRegularisation
  int eliminate = 5;        ///< contacts on a mechanism up to which they are solved first with its joints eliminated
  bool batching = true;     ///< equal mechanisms are factored eight at a time
};

}  // namespace cairn
