// SPDX-License-Identifier: MIT
// Block mass splitting on steps of the scenes of Tonge et al. 2012, against other methods: without friction it comes to
// their solution, and it gives the same bits for any order of the contacts. `cairn bench mass-splitting --proof` does
// the same with twenty steps of all five scenes.
#include <gtest/gtest.h>

#include "cairn/measures/order_sensitivity.h"
#include "cairn/problem/residual.h"
#include "cairn/solvers/solver_table.h"
#include "scenes/scene.h"

namespace cairn {
namespace {

struct Frozen {
  const char* scene;
  int step;
};

ContactProblem problem_of(const Frozen& frozen) {
  scenes::Scene scene = scenes::make_scene(frozen.scene).value_or_throw();
  for (int i = 0; i < frozen.step; ++i) scene.world.step(scene.dt);
  return scene.world.problem();
}

SolveContext sweeps(int count, double tolerance = 0) {
  SolveContext context;
  context.stop = {tolerance, count, 0};
  return context;
}

/// Where thousands of sweeps do; cards that slide without friction need millions.
TEST(MassSplittingOnScenes, ComesToTheSolutionWithoutFriction) {
  for (const Frozen& frozen : {Frozen{"chain_25", 30}, Frozen{"chess_1000", 30}}) {
    ContactProblem problem = problem_of(frozen);
    ASSERT_GT(problem.contacts.size(), 500u);
    for (ContactBlock& contact : problem.contacts) contact.friction1 = contact.friction2 = 0;
    ContactSolution exact, split;
    SolveContext patient = sweeps(20000, 1e-13);
    make_solver("anderson")->solve(problem, exact, patient);
    if (residual(problem, exact).residual > 1e-13) make_solver("reference")->solve(problem, exact, patient);
    ASSERT_LT(residual(problem, exact).residual, 1e-11) << frozen.scene;
    SolveContext context = sweeps(20000);
    make_solver("block_mass_splitting")->solve(problem, split, context);
    EXPECT_LT(residual(problem, split, &exact.velocity).c8_kinetic_error, 1e-8) << frozen.scene;
  }
}

TEST(MassSplittingOnScenes, HasTheSameBitsForTenOrdersWhereGaussSeidelHasNot) {
  for (const Frozen& frozen : {Frozen{"chain_25", 30}, Frozen{"card_house_58", 20}, Frozen{"fracture_277", 20}}) {
    const ContactProblem problem = problem_of(frozen);
    const OrderSettings settings{.reference_sweeps = 200, .reference_contacts = 0};
    const auto split = make_solver("block_mass_splitting"), pgs = make_solver("pgs");
    EXPECT_EQ(order_sensitivity(problem, {}, *split, sweeps(30), settings).sensitivity, 0) << frozen.scene;
    EXPECT_GT(order_sensitivity(problem, {}, *pgs, sweeps(5), settings).sensitivity, 1e-4) << frozen.scene;
  }
}

}  // namespace
}  // namespace cairn
