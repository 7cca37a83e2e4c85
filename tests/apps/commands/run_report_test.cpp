// SPDX-License-Identifier: MIT
#include "apps/commands/run_report.h"
#include "cairn/core/index.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cairn::cli {
namespace {

StepReport step_report(std::int64_t step, double kinetic, double residual) {
  StepReport report;
  report.step = step;
  report.contacts = 10 * step;
  report.kinetic_energy = kinetic;
  report.max_overlap = 0.001 * static_cast<double>(step);
  report.joints = 3;
  report.max_joint_error = 0.01 / static_cast<double>(step), report.max_joint_angle_error = 0.02;
  report.drive_work = 0.5;
  report.solve.joints.redundant_rows = step;
  report.redundant = {{{7, 0}, 20, static_cast<std::int32_t>(step)}};
  report.solve.residual = residual;
  report.times.wall[static_cast<int>(Stage::solve)] = 0.002;
  return report;
}

TEST(Median, IsTheMiddle) {
  EXPECT_EQ(median({}), -1);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(Lengths, HaveTheUnitThatSuitsThem) {
  EXPECT_EQ(length_text(0), "0 m");
  EXPECT_EQ(length_text(1.06e-6), "1.06 um");
  EXPECT_EQ(length_text(0.0114), "11.4 mm");
  EXPECT_EQ(length_text(9.62), "9.62 m");
}

TEST(Verdicts, AreSilentWhenAllIsWellAndNameTheCureElse) {
  RunSummary summary;
  summary.solver = "soft_step", summary.source = "wall --param throw=20";
  EXPECT_TRUE(verdicts(summary).empty());
  summary.solver = "pgs:iterations=5";
  summary.joints.max_error = 9.6, summary.joints.worst_step = 212;
  summary.means.residuals = {1e-4, 1e-4, 0.3}, summary.means.worst_residual = 0.3, summary.means.worst_step = 88;
  const std::vector<std::string> told = verdicts(summary);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0], "joints came apart by 9.6 m at step 212: try --solver soft_step");
  EXPECT_NE(told[1].find("`cairn capture wall --param throw=20 step.hdf5 --step 88`"), std::string::npos) << told[1];
}

TEST(RunStatistics, MeansAreOverTheWindow) {
  RunStatistics statistics({2, 4}, {}, 1.0);
  for (std::int64_t step = 1; step <= 5; ++step)
    statistics.add(step_report(step, static_cast<double>(step) + 2, 0.1 * static_cast<double>(step)), {0.01, 0.02}, 2);
  RunSummary summary;
  statistics.summarise(summary);
  summary.dynamic_bodies = 9;
  summary.fell_through = summary.left = 1;
  EXPECT_EQ(summary.steps, 5);
  EXPECT_TRUE(summary.windowed);
  const nlohmann::json json = to_json(summary);
  EXPECT_DOUBLE_EQ(json["contacts"], 35);  // of steps 3 and 4
  EXPECT_DOUBLE_EQ(json["kinetic_energy_per_body"], 0.5);
  EXPECT_DOUBLE_EQ(json["max_overlap_m"], 0.004);
  EXPECT_EQ(json["joints"], 3);
  EXPECT_DOUBLE_EQ(json["max_joint_error_m"], 0.01);  // of all steps
  EXPECT_DOUBLE_EQ(json["max_joint_angle_error"], 0.02);
  EXPECT_DOUBLE_EQ(json["energy_drift"], -3.5 / 7);  // from 1 J to 0 though drives gave 2.5, at most 7 J of motion
  EXPECT_DOUBLE_EQ(json["drive_work_j"], 2.5);
  EXPECT_EQ(json["redundant_rows"], 5);  // of the worst step
  EXPECT_EQ(json["redundant_mechanisms"], nlohmann::json::parse(R"([{"joint": 7, "rows": 20, "redundant": 5}])"));
  EXPECT_DOUBLE_EQ(json["residual_median"], 0.35);
  EXPECT_DOUBLE_EQ(json["residual_worst"], 0.4);
  EXPECT_DOUBLE_EQ(json["wall_ms_per_step"], 10);
  EXPECT_DOUBLE_EQ(json["cpu_ms_per_step"], 20);
  EXPECT_DOUBLE_EQ(json["stage_ms"]["solve"], 2);
  EXPECT_DOUBLE_EQ(json["energy"]["largest_gain"], 6);  // of all steps and bodies
}

TEST(RunSummary, JitterAndOrderSensitivityAreToldWhereTheyAreKnown) {
  RunSummary summary;
  summary.jitter = {
      .steps = 120, .bodies = 3, .jitter = 0.25, .jitter_max = 0.5, .jitter_99 = 0.4, .visible = 2, .creep = 3};
  nlohmann::json json = to_json(summary);
  EXPECT_DOUBLE_EQ(json["jitter"], 0.25);
  EXPECT_DOUBLE_EQ(json["jitter_max"], 0.5);
  EXPECT_DOUBLE_EQ(json["jitter_99"], 0.4);
  EXPECT_DOUBLE_EQ(json["visible_jitter"], 2);
  EXPECT_DOUBLE_EQ(json["creep"], 3);
  EXPECT_TRUE(json["order_sensitivity"].is_null());
  summary.order = OrderReport{0.125, 0};
  EXPECT_DOUBLE_EQ(to_json(summary)["order_sensitivity"], 0.125);
}

TEST(RunStatistics, WithoutAStepInTheWindowAllCount) {
  RunStatistics statistics({900, 1200}, {}, 0);
  statistics.add(step_report(1, 1, -1), {0.01, 0.01});
  RunSummary summary;
  statistics.summarise(summary);
  EXPECT_FALSE(summary.windowed);
  EXPECT_DOUBLE_EQ(to_json(summary)["contacts"], 10);
  EXPECT_TRUE(to_json(summary)["residual_median"].is_null());
}

TEST(RunStatistics, CountsStepsThatMissTheTolerance) {
  WorldSettings strict;
  strict.tolerance = 1e-3;
  RunStatistics with_tolerance({0, 10}, strict, 0), without({0, 10}, {}, 0);
  for (const StopReason reason : {StopReason::converged, StopReason::max_iterations, StopReason::diverged}) {
    StepReport report = step_report(1, 0, 0);
    report.solve.reason = reason;
    with_tolerance.add(report, {});
    without.add(report, {});
  }
  RunSummary summary;
  with_tolerance.summarise(summary);
  EXPECT_EQ(summary.not_converged, 2);
  without.summarise(summary);
  EXPECT_EQ(summary.not_converged, 1);
}

/// Two spheres over a fixed one, in a scene that ends 10 m from the middle and 1 m below.
scenes::Scene watched_scene(BodyId& a, BodyId& b) {
  scenes::Scene scene;
  scene.half_width = 10;
  scene.world.add_body({.kind = BodyKind::fixed}, {{.shape = make_sphere(1)}});
  a = scene.world.add_body({}, {{.shape = make_sphere(1)}});
  b = scene.world.add_body({}, {{.shape = make_sphere(1)}});
  return scene;
}

TEST(RunStatistics, CountsExactStepsAndIslands) {
  RunStatistics statistics({}, {}, 0);
  statistics.add(step_report(1, 0, 0), {});  // nothing touches yet
  for (std::int64_t step = 2; step <= 5; ++step) {
    StepReport report = step_report(step, 0, step == 3 ? 1e-5 : 1e-10);
    ExactReport& exact = report.solve.exact;
    exact.is_given = true, exact.islands = 4, exact.exact = step == 3 ? 3 : 4, exact.small = 3, exact.small_exact = 3;
    exact.newton_steps = exact.turns = step,
    exact.worst = {200, 0, ExactStage::sweeps, StopReason::stalled, 2e-5, 50, 50, 100};
    exact.ended[to_index(ExactStage::impulses)] = 4;
    statistics.add(report, {});
  }
  RunSummary summary;
  statistics.summarise(summary);
  const nlohmann::json json = to_json(summary);
  EXPECT_EQ(json["exact_steps"], 4);
  EXPECT_DOUBLE_EQ(json["exact_worst"], 1e-5);
  EXPECT_DOUBLE_EQ(json["exact_islands"], 15.0 / 16);
  EXPECT_DOUBLE_EQ(json["exact_small_islands"], 1);
  EXPECT_EQ(json["exact_first_newton_steps"], 2);
  EXPECT_EQ(json["exact_first_turns"], 2);
  EXPECT_EQ(json["exact_stages"]["impulses"], 16);
  ASSERT_EQ(json["exact_misses"].size(), 1u);
  EXPECT_EQ(json["exact_misses"][0]["step"], 3);
  EXPECT_EQ(json["exact_misses"][0]["stage"], "sweeps");
}

TEST(RunStatistics, StepsInWhichNothingTouchesAreExact) {
  RunStatistics statistics({}, {}, 0);
  StepReport report = step_report(1, 0, 0);
  report.solve.exact.is_given = true;
  statistics.add(report, {});
  RunSummary summary;
  statistics.summarise(summary);
  const nlohmann::json json = to_json(summary);
  EXPECT_EQ(json["exact_steps"], 1);
  EXPECT_EQ(json["exact_worst"], 0);
  EXPECT_EQ(json["exact_islands"], 1);
}

TEST(RunStatistics, OtherSolversAreNotCalledExact) {
  RunStatistics statistics({}, {}, 0);
  statistics.add(step_report(1, 0, 1e-12), {});
  RunSummary summary;
  statistics.summarise(summary);
  EXPECT_FALSE(to_json(summary).contains("exact_steps"));
}

TEST(BodyWatch, SeesDriftAndSag) {
  BodyId a, b;
  scenes::Scene scene = watched_scene(a, b);
  BodyWatch watch(scene);
  EXPECT_EQ(watch.dynamic_bodies(), 2);
  scene.world.set_pose(a, {{3, 4, 1}, {}});
  scene.world.set_pose(b, {{1, 0, -0.5}, {}});
  watch.look(scene.world);
  EXPECT_DOUBLE_EQ(watch.motion(scene.world).drift, 5);
  EXPECT_DOUBLE_EQ(watch.motion(scene.world).sag, 0.5);
  EXPECT_EQ(watch.fell_through(), 0);
  EXPECT_EQ(watch.left(), 0);
  EXPECT_TRUE(watch.matches(scene.world));
  scene.world.remove_body(b);
  EXPECT_FALSE(watch.matches(scene.world));
}

TEST(BodyWatch, TellsThroughTheFloorFromOverTheEdge) {
  BodyId a, b;
  scenes::Scene scene = watched_scene(a, b);
  BodyWatch watch(scene);
  scene.world.set_velocity(a, {{0, 0, -2}, {}});
  scene.world.set_pose(a, {{0, 0, -2}, {}});
  scene.world.set_pose(b, {{0, 11, 0}, {}});
  watch.look(scene.world);
  scene.world.set_pose(b, {{0, 11, -50}, {}});  // left before it fell
  watch.look(scene.world);
  EXPECT_EQ(watch.fell_through(), 1);
  EXPECT_EQ(watch.left(), 1);
  EXPECT_EQ(watch.gone(), (std::vector<BodyId>{a, b}));
  EXPECT_DOUBLE_EQ(watch.kinetic_energy_gone(scene.world), 0.5 * scene.world.view(a).mass * 4);
}

TEST(TotalEnergy, OfAFallingSpinningBody) {
  World world;
  const MassProperties mass{2, {}, SymMat3::diagonal(1, 2, 3)};
  // Turned by 90 degrees about z: its own x axis lies along y of the world.
  const double half_root = std::sqrt(0.5);
  world.add_body({.pose = {{0, 0, 5}, {half_root, 0, 0, half_root}}, .velocity = {{3, 0, 0}, {0, 4, 0}}, .mass = mass});
  EXPECT_NEAR(total_energy(world), 0.5 * 2 * 9 + 0.5 * 1 * 16 + 2 * 9.81 * 5, 1e-12);
}

}  // namespace
}  // namespace cairn::cli
