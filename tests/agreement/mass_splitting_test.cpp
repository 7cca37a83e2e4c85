// SPDX-License-Identifier: MIT
// Block mass splitting on steps of the scenes of doc 001, against other methods: without friction it comes to their
// solution, and it gives the same bits for any order of the contacts. `cairn bench mass-splitting --proof` does the
// same with twenty steps of all five scenes.
#include <gtest/gtest.h>

#include "cairn/problem/residual.h"
#include "cairn/solvers/order_sensitivity.h"
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

class MassSplittingOnScenes : public testing::TestWithParam<Frozen> {};

TEST_P(MassSplittingOnScenes, ComesToTheSolutionWithoutFriction) {
  ContactProblem problem = problem_of(GetParam());
  ASSERT_GT(problem.contacts.size(), 10u);
  for (ContactBlock& contact : problem.contacts) contact.friction1 = contact.friction2 = 0;
  ContactSolution exact, split;
  SolveContext patient = sweeps(20000, 1e-13);
  make_solver("anderson")->solve(problem, exact, patient);
  ASSERT_LT(residual(problem, exact).natural_map, 1e-11);
  SolveContext context = sweeps(20000);
  make_solver("block_mass_splitting")->solve(problem, split, context);
  EXPECT_LT(residual(problem, split, &exact.velocity).c8_kinetic_error, 1e-8);
}

TEST_P(MassSplittingOnScenes, HasTheSameBitsForTenOrdersWhereGaussSeidelHasNot) {
  const ContactProblem problem = problem_of(GetParam());
  const OrderSettings settings{.reference_sweeps = 200, .reference_contacts = 0};
  const auto split = make_solver("block_mass_splitting"), pgs = make_solver("pgs");
  EXPECT_EQ(order_sensitivity(problem, {}, *split, sweeps(30), settings).sensitivity, 0);
  EXPECT_GT(order_sensitivity(problem, {}, *pgs, sweeps(5), settings).sensitivity, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Scenes, MassSplittingOnScenes,
                         testing::Values(Frozen{"chain_25", 30}, Frozen{"card_house_58", 20},
                                         Frozen{"fracture_277", 20}),
                         [](const auto& each) { return std::string(each.param.scene); });

}  // namespace
}  // namespace cairn
