// SPDX-License-Identifier: MIT
// Contract: a quick solver, and a stronger one for the islands that it left too far from a solution.
//
//   quick solve of everything;  per island  r = residual of its own problem (natural_map.h);
//   islands with r > R, worst first, while there is time:  solve again from the impulses of the quick solver,
//   keep the better of the two answers
//
// "Residual at most R or T milliseconds, whichever comes first." Islands that met R keep the bits of the quick solver.
// Without T the result depends on the problem alone; with T it depends on the clock, and the report says so.
#pragma once

#include <memory>

#include "cairn/problem/natural_map.h"
#include "cairn/solvers/island_parts.h"
#include "cairn/solvers/solver.h"

namespace cairn {

struct ContractSettings {
  double max_residual = 0;  ///< R, of every island; smaller: more islands are solved again
  double max_ms = 0;        ///< T, of the whole solve; 0: no limit. The quick solve is always finished
};

class ContractSolver : public Solver {
 public:
  ContractSolver(const ContractSettings& settings, std::unique_ptr<Solver> quick, std::unique_ptr<Solver> stronger);

  SolverTraits traits() const override { return quick_->traits(); }
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) override;
  /// As the quick solver: an assembled problem has no islands to choose from.
  SolveReport solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) override;

 private:
  struct Miss {
    double residual = 0;
    std::int32_t island = 0;
  };

  void judge(const ContactProblem& problem, const ContactSolution& solution, const SolveContext& context,
             ContractReport& report);
  bool solve_again(const Miss& miss, double seconds_left, const SolveContext& context);

  ContractSettings settings_;
  std::unique_ptr<Solver> quick_, stronger_;
  IslandParts parts_;
  std::vector<Miss> misses_;  ///< worst first
  ContactRuler part_ruler_, ruler_;
  double part_residual_ = 0;  ///< after solve_again
};

}  // namespace cairn
