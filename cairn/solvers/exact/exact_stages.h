// SPDX-License-Identifier: MIT
// ExactStages: one island, stage by stage, until its residual is below the tolerance or nothing helps.
//
//   start       measure the warm start; where it is worse than no impulses, begin from none
//   staggered   on islands of up to staggered_contacts, contact and friction in turn, if that ends within a few turns
//   impulses    Newton in impulses from there
//   velocities  proximal Newton in velocities from the best iterate, in a hurry, then in impulses again
//   sweeps      rounds of accelerated sweeps and both Newtons, the first in a hurry and the others with care, as long
//               as a round helps
//   reference   on small islands without joints, the phases of reference.h
//
// A stage improves the best iterate and says whether the island is done. Internal to `exact`.
#pragma once

#include <span>
#include <vector>

#include "cairn/solvers/exact/best_iterate.h"
#include "cairn/solvers/exact/exact_settings.h"
#include "cairn/solvers/exact/newton.h"
#include "cairn/solvers/solver.h"

namespace cairn {

/// What the later stages need besides the space.
class ExactHelper {
 public:
  virtual ~ExactHelper() = default;
  /// Improves x by staggered projections, within the limits. No turns where it does not take the island.
  virtual ExactIslandReport stagger(const IslandLimits& limits, std::span<double> x) = 0;
  /// Improves x by so many accelerated sweeps; returns how many there were.
  virtual int sweep(int sweeps, const IslandLimits& limits, std::span<double> x) = 0;
  /// Improves x by `reference`, within the limits. False where it does not take the island.
  virtual bool refer(const IslandLimits& limits, std::span<double> x) = 0;
};

class ExactStages {
 public:
  explicit ExactStages(const ExactSettings& settings) : settings_(settings) {}

  /// From the scaled impulses x, which become the best ones found. Contacts and joint rows of the report are the
  /// caller's to fill.
  ExactIslandReport run(NewtonSpace& space, ExactHelper& helper, const IslandLimits& limits, std::vector<double>& x);

 private:
  ExactStage run_stages(NewtonSpace& space, ExactHelper& helper, std::span<double> x);
  bool staggered_stage(ExactHelper& helper, std::span<double> x);
  bool impulse_stage(NewtonSpace& space, std::span<double> x);
  bool velocity_stage(NewtonSpace& space, bool is_careful, std::span<double> x);
  bool sweep_stage(NewtonSpace& space, ExactHelper& helper, std::span<double> x);
  bool reference_stage(ExactHelper& helper, std::span<double> x);
  void take_best(std::span<double> x) const;

  ExactSettings settings_;
  ExactNewton newton_;
  BestIterate best_;
  int sweeps_ = 0;
  ExactIslandReport staggered_;  ///< of that stage
};

}  // namespace cairn
