// SPDX-License-Identifier: MIT
// Residual curves of a live step.
#include "apps/view/view_curves.h"

#include <gtest/gtest.h>

#include "cairn/core/errors.h"
#include "tests/live/live_scene.h"

namespace cairn::cli {
namespace {

World touching_heap() {
  LiveRun run(live_heap(), kLiveDt);
  for (int k = 0; k < 40; ++k) run.step();
  return stepped_copy({run.world().save(), run.dt(), {}});
}

TEST(ViewCurves, ResidualsFallWithSweeps) {
  const World world = touching_heap();
  const JsonValue result = view_curves(world, {"pgs", "jacobi"}, 50);
  EXPECT_EQ(result.find("contacts")->value.number, static_cast<double>(world.problem().contacts.size()));
  const std::vector<JsonValue>& curves = result.find("curves")->value.items;
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves[0].find("solver")->value.text, "pgs");
  for (const JsonValue& curve : curves) {
    const auto &sweeps = curve.find("sweeps")->value.items, &residual = curve.find("residual")->value.items;
    ASSERT_EQ(sweeps.size(), residual.size());
    ASSERT_EQ(sweeps.size(), curve.find("ms")->value.items.size());
    EXPECT_EQ(sweeps.back().number, 50);
    EXPECT_LT(residual.back().number, residual.front().number);
  }
}

TEST(ViewCurves, AllSolversAreThereOrSayWhyNot) {
  const JsonValue result = view_curves(touching_heap(), {}, 5);
  EXPECT_EQ(result.find("curves")->value.items.size(), solver_table().size());
  for (const JsonValue& curve : result.find("curves")->value.items)
    EXPECT_TRUE(curve.find("residual") != nullptr || curve.find("error") != nullptr);
}

TEST(ViewCurves, OneThatRefusesDoesNotStopTheOthers) {
  const JsonValue result = view_curves(touching_heap(), {"gauss_seidel:local=exact", "pgs"}, 5);
  const std::vector<JsonValue>& curves = result.find("curves")->value.items;
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_NE(curves[0].find("error")->value.text.find("operator=A"), std::string::npos);
  EXPECT_FALSE(curves[1].find("residual")->value.items.empty());
}

TEST(ViewCurves, UnknownSolversAndEmptyStepsAreRefused) {
  EXPECT_THROW(view_curves(touching_heap(), {"pgz"}, 5), InputError);
  World empty;
  empty.add_body({}, {{.shape = make_sphere(1)}});
  empty.step(kLiveDt);
  EXPECT_THROW(view_curves(empty, {"pgs"}, 5), InputError);
}

}  // namespace
}  // namespace cairn::cli
