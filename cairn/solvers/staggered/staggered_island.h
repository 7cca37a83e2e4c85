// SPDX-License-Identifier: MIT
// StaggeredIsland: one island by staggered projections (Litven 2013, algorithms 4.1 and 4.2, on rigid bodies).
//
// It solves the contact and the friction program (staggered_programs.h) in turn. The corner of a friction diamond is
// realigned with the direction in which friction pushes, so that the corner is the point of Coulomb's disc. What the
// contact program sees of friction, g = W_zt beta, is accelerated by Anderson's method. Both programs are solved by the
// primal-dual active set, either with one factorisation each for the whole solve (SCHURPA-SP) or with one per active
// set.
//
// It stops on the residual, because the squared criterion (4.19) misleads. It returns the best iterate, which may be
// the start. It keeps its memory, and no result depends on the islands before.
#pragma once

#include <memory>
#include <vector>

#include "cairn/problem/natural_map.h"
#include "cairn/solvers/island_limits.h"
#include "cairn/solvers/prox/acceleration.h"
#include "cairn/solvers/staggered/staggered_programs.h"

namespace cairn {

class StaggeredIsland {
 public:
  explicit StaggeredIsland(const StaggeredSettings& settings);

  /// The problem is one island, valid, without spin friction. On entry the solution has impulses to start from; on
  /// return it is complete, with the best impulses found.
  ExactIslandReport run(const ContactProblem& problem, ContactSolution& solution, const IslandLimits& limits);
  /// Without bodies.
  ExactIslandReport run(const DelassusProblem& problem, DelassusSolution& solution, const IslandLimits& limits);

 private:
  /// Who can say how near impulses are: per normal, joint row and tangent.
  class Judge;
  class ContactJudge;
  class AssembledJudge;
  struct Course;

  void read_start();
  ExactIslandReport turn_by_turn(Judge& judge, const IslandLimits& limits);
  bool turn(const IslandLimits& limits, ExactIslandReport& report);
  void see_friction();
  void propose(bool relax);
  double measure(Judge& judge);
  void begin(Judge& judge, Course& course);

  StaggeredSettings settings_;
  StaggeredRows rows_;
  ContactProgram contact_;
  FrictionProgram friction_;
  StaggeredIterate at_;
  std::vector<double> impulse_, best_;     ///< per row, in the units of the problem
  std::vector<double> g_, seen_, weight_;  ///< W_zt beta as the next contact QP sees it, and as it is
  std::unique_ptr<Accelerator> accelerator_;
  ContactRuler ruler_;
  ContactSolution trial_;
  DelassusSolution flat_;
};

}  // namespace cairn
