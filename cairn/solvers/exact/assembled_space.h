// SPDX-License-Identifier: MIT
// AssembledSpace: a problem without bodies as a NewtonSpace. The state is s = A x, dim numbers per contact, and the
// matrix 1 + A D is factorised by block_lu.h. Shares scaling and sweeps with `reference` (unit_cone.h). Internal to
// `exact`.
#pragma once

#include <vector>

#include "cairn/solvers/exact/exact_stages.h"
#include "cairn/solvers/exact/newton_space.h"
#include "cairn/solvers/reference/block_lu.h"
#include "cairn/solvers/reference/unit_cone.h"

namespace cairn {

class AssembledSpace : public NewtonSpace, public ExactHelper {
 public:
  /// The problem must outlive the space.
  AssembledSpace(const DelassusProblem& problem, const ExactSettings& settings);

  std::size_t state_size() const override { return law_.rows(); }
  void to_state(std::span<const double> x, std::span<double> s) const override;
  void to_velocity(std::span<const double> s, std::span<double> dz) const override;
  bool factorise(std::span<const double> response) override;
  bool solve(std::span<const double> rhs, std::span<double> ds) override;
  double measure(std::span<const double> x) override;

  ExactIslandReport stagger(const IslandLimits& limits, std::span<double> x) override;
  int sweep(int sweeps, const IslandLimits& limits, std::span<double> x) override;
  bool refer(const IslandLimits& limits, std::span<double> x) override;

  void to_impulses(std::span<const double> x, std::span<double> impulse) const;
  void from_impulses(std::span<const double> impulse, std::span<double> x) const;

 private:
  const DelassusProblem& problem_;
  int staggered_contacts_, reference_contacts_;
  UnitConeProblem cone_;
  BlockLu lu_;
  BlockSparse matrix_;
  std::vector<double> zero_, impulse_, velocity_;
};

}  // namespace cairn
