// SPDX-License-Identifier: MIT
// Settings of the order-independent solvers of Tonge et al. 2012: mass splitting by rows and by blocks, and Jacobi with
// a line search. What each is good for is in docs/solvers.md.
#pragma once

#include "cairn/solvers/prox/prox_settings.h"

namespace cairn {

enum class SplittingMethod {
  rows,    ///< every row on its own share of the mass (Tonge et al. 2012, (15))
  blocks,  ///< all contacts and joints of two bodies, or of a cluster, one after the other (Tonge et al. 2012, (16))
  line_search,  ///< projected Jacobi, then as far along its step as the energy falls (Tonge et al. 2012, (10))
};

/// How bodies learn what the blocks did; equal up to round-off.
enum class VelocityUpdate {
  averaging,  ///< the mean of the copies
  full_mass,  ///< u += W J^T dlambda
};

struct SplittingSettings {
  int iterations = 0;     ///< sweeps at most; 0: as the caller says (StopSettings)
  double tolerance = -1;  ///< on the residual, 0: run all sweeps; negative: as the caller says
  SplittingMethod method = SplittingMethod::blocks;
  FrictionOrder friction_order = FrictionOrder::block;  ///< `line_search` is always staggered
  VelocityUpdate update = VelocityUpdate::full_mass;    ///< the cheaper one where pairs touch in one point
  int cluster = 1;  ///< `blocks`: pairs of bodies per block; more converges faster and leaves less to do side by side
  double relaxation = 1.0;  ///< factor on every step; above 1 faster but less robust, below 1 safer and slower
  Acceleration acceleration = Acceleration::none;
  int depth = 5;  ///< `anderson`: iterates remembered
};

}  // namespace cairn
