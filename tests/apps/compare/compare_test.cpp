// SPDX-License-Identifier: MIT
#include "apps/compare/compare.h"

#include <gtest/gtest.h>

#include <set>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cairn/core/errors.h"
#include "cairn/problem/residual.h"
#include "tests/refusal.h"

namespace cairn::cli {
namespace {

using Texts = std::vector<std::string>;

std::string message_of(const std::vector<std::string>& lists) {
  return refusal([&] { parse_rivals(lists); });
}

TEST(CompareSolvers, CommasSeparateSolversAndSettings) {
  EXPECT_EQ(split_solver_list("pgs"), (Texts{"pgs"}));
  EXPECT_EQ(split_solver_list("pgs,jacobi:relaxation=0.5,nu=0.7,soft_step"),
            (Texts{"pgs", "jacobi:relaxation=0.5,nu=0.7", "soft_step"}));
  EXPECT_EQ(split_solver_list("a:x=1,b:y=2"), (Texts{"a:x=1", "b:y=2"}));
  EXPECT_THROW(split_solver_list("pgs,,jacobi"), InputError);
  EXPECT_THROW(split_solver_list(""), InputError);
  EXPECT_THROW(split_solver_list("pgs,nu=0.7"), InputError);
}

TEST(CompareSolvers, NamesAreCheckedAndAllIsTheTable) {
  EXPECT_NE(message_of({"jacobbi"}).find("'jacobi'"), std::string::npos);
  EXPECT_NE(message_of({"pgs,jacobi", "pgs"}).find("twice"), std::string::npos);
  const std::vector<Rival> rivals = parse_rivals({"jacobi:relaxation=0.5,all,pgs"});
  EXPECT_EQ(rivals.size(), solver_table().size() + 1);
  EXPECT_EQ(rivals[0].spec.settings, (NamedSettings{{"relaxation", "0.5"}}));
  EXPECT_FALSE(rivals[1].from_all);
  const std::set<std::string> own{"soft_step", "exact", "ffd", "schurpa", "staggered_schurpa", "staggered_direct"};
  for (const Rival& r : rivals) EXPECT_EQ(r.own_sweeps, own.count(r.spec.name) > 0) << r.spec.label;
  EXPECT_TRUE(parse_rivals({"pgs:iterations=7"})[0].own_sweeps);
}

/// Two captured steps with chosen numbers.
Comparison by_hand() {
  Comparison c;
  c.rivals = parse_rivals({"pgs,jacobi"});
  c.captures = {{10, 2, 4, 0}, {20, 2, 4, 0}};
  c.plan.qualities = {1e-2};
  for (const std::size_t rival : {0u, 1u})
    for (const std::size_t capture : {0u, 1u}) {
      CompareCurve curve;
      curve.capture = capture, curve.rival = rival;
      curve.points = {{5, 1e-3, capture == 0 ? 1e-2 : 1e-4, 0}};
      curve.stopped = rival == 0 && capture == 1;
      if (rival == 0 || capture == 0) curve.in_budget = ComparePoint{capture == 0 ? 4 : 6, 1e-3, 1e-3, 0};
      curve.quality.push_back({1e-2, std::nullopt});
      if (rival == 0 || capture == 1) curve.quality[0].reached = ComparePoint{rival == 0 ? 5 : 20, 2e-3, 1e-2, 0};
      c.curves.push_back(curve);
    }
  return c;
}

TEST(CompareSummary, MeansOverCapturedSteps) {
  const Comparison c = by_hand();
  const CompareSummary pgs = summarise(c, 0, false), jacobi = summarise(c, 1, false);
  EXPECT_NEAR(pgs.at_sweeps(5), 1e-3, 1e-15);  // sqrt(1e-2 1e-4)
  EXPECT_TRUE(std::isnan(pgs.at_sweeps(10)));
  EXPECT_EQ(pgs.budget_sweeps, 5);
  EXPECT_NEAR(pgs.budget_residual, 1e-3, 1e-15);
  EXPECT_TRUE(std::isnan(jacobi.budget_residual));  // one step does not fit
  EXPECT_NEAR(pgs.lowest, 1e-3, 1e-15);
  EXPECT_EQ(pgs.lowest_sweeps, 5);
  EXPECT_EQ(pgs.stopped, 1);
  EXPECT_EQ(jacobi.stopped, 0);
  EXPECT_NE(compare_text(c).find("stopped at the limit, 1 of 2"), std::string::npos);
  EXPECT_NE(compare_page(c).find("stopped at the limit, 1 of 2"), std::string::npos);
  EXPECT_EQ(pgs.reached, (std::vector<int>{2}));
  EXPECT_EQ(jacobi.reached, (std::vector<int>{1}));
  EXPECT_EQ(jacobi.sweeps_to[0], 20);
  EXPECT_NEAR(jacobi.ms_to[0], 2, 1e-12);
  EXPECT_TRUE(std::isnan(summarise(c, 0, true).at_sweeps(5)));  // no warm starts
}

TEST(CompareSummary, ProfilesCountStepsTimesQualities) {
  const ProfileInput input = compare_profile(by_hand(), false, true);
  ASSERT_EQ(input.cost.size(), 2u);
  EXPECT_EQ(input.cost[0][0], 5);
  EXPECT_TRUE(std::isinf(input.cost[0][1]));
  EXPECT_EQ(input.cost[1][1], 20);
}

TEST(CompareRuns, AFewSlowOnesDoNotShortenAllOthers) {
  EXPECT_EQ(steps_within({1, 1, 2}, 100, 1, 1000), 25);   // 25 (1 + 1 + 2) = 100
  EXPECT_EQ(steps_within({1, 1, 2}, 100, 1, 20), 20);     // more are not wanted
  EXPECT_EQ(steps_within({1, 1, 100}, 90, 1, 1000), 15);  // the third is stopped at 2 * 90 / 3 = 60: 15 + 15 + 60 = 90
  EXPECT_EQ(steps_within({1, 1, 1}, 3e-3, 30, 1000), 30);
  EXPECT_EQ(steps_within({1, 1}, std::numeric_limits<double>::infinity(), 1, 1000), 1000);
}

CompareOptions small(const std::string& scene, const std::string& solvers) {
  CompareOptions options;
  options.scene = scene;
  options.solvers = {solvers};
  options.steps = 30;
  options.quick = true;
  return options;
}

TEST(Compare, ReachedQualityIsTheFirst) {
  const CompareOptions options = small("pyramid_4", "pgs,jacobi");
  scenes::Scene scene = scene_for(options, "", 0, 1);
  Progress progress("test");
  const FrozenProblem frozen = freeze_steps(scene, {20}, progress).front();
  MeasurePlan plan;
  plan.most_sweeps = 200, plan.turns = 1, plan.qualities = {1e-1, 1e-2};
  const auto judge = [&](const char* solver, int sweeps) {
    return residual(frozen.problem, solve_frozen(frozen, *make_solver(solver), {.sweeps = sweeps}).solution).c1_rms;
  };
  int reached = 0;
  for (const CompareCurve& curve :
       compare_frozen(frozen, {0, false, plan, nullptr}, parse_rivals(options.solvers), progress)) {
    const char* solver = curve.rival == 0 ? "pgs" : "jacobi";
    for (const ComparePoint& p : curve.points) EXPECT_EQ(p.residual, judge(solver, p.sweeps));
    for (const QualityPoint& q : curve.quality) {
      if (!q.reached) continue;
      ++reached;
      EXPECT_EQ(q.reached->residual, judge(solver, q.reached->sweeps));
      EXPECT_LE(q.reached->residual, q.quality);
      if (q.reached->sweeps > 1 && q.reached->sweeps <= 20) {
        EXPECT_GT(judge(solver, q.reached->sweeps - 1), q.quality) << solver;
      }
    }
  }
  EXPECT_GE(reached, 2);
}

TEST(Compare, WhoUsesUpItsShareIsStoppedAndKept) {
  const CompareOptions options = small("pyramid_4", "pgs,jacobi,soft_step");
  scenes::Scene scene = scene_for(options, "", 0, 1);
  Progress progress("test");
  // The time is up before the first step: that one is captured, and no other.
  const std::vector<FrozenProblem> frozen = freeze_steps(scene, {20, 25}, progress, 0);
  ASSERT_EQ(frozen.size(), 1u);
  EXPECT_EQ(frozen[0].step, 1);
  std::vector<Rival> rivals = parse_rivals(options.solvers);
  rivals[1].first_solve = 1;  // longer than the share: never begun
  const MeasurePlan plan;
  const std::vector<CompareCurve> curves = compare_frozen(frozen[0], {0, false, plan, nullptr, 1e-9}, rivals, progress);
  ASSERT_EQ(curves.size(), 3u);
  ASSERT_EQ(curves[0].points.size(), 1u);
  EXPECT_EQ(curves[0].points[0].sweeps, 1);
  EXPECT_TRUE(curves[0].stopped);
  EXPECT_TRUE(curves[1].points.empty());
  EXPECT_TRUE(curves[1].stopped);
  EXPECT_EQ(curves[2].points.size(), 1u);  // its sweeps are its own: there is nothing more to come
  EXPECT_FALSE(curves[2].stopped);
}

TEST(Compare, RunsThatWouldTakeTooLongBeginFromTheSameState) {
  Comparison c;
  const CompareOptions options = small("pyramid_3", "pgs,jacobi");
  scenes::Scene scene = scene_for(options, "", 0, 1);
  for (int k = 0; k < 20; ++k) scene.world.step(scene.dt);
  c.rivals = parse_rivals(options.solvers);
  c.steps = 1000000, c.run_sweeps = 7;
  c.last_state = scene.world.save(), c.last_step = 20;
  for (const std::size_t rival : {0u, 1u}) {
    CompareCurve curve;
    curve.rival = rival;
    curve.points = {{1, 1, 1e-2, 0}};  // 1 s per solve: not one run of two fits into 10 s
    c.curves.push_back(curve);
  }
  Progress progress("test");
  compare_runs(c, options, 10, progress);
  EXPECT_EQ(c.run_from, 20);
  EXPECT_EQ(c.run_steps, 30);  // never fewer
  ASSERT_EQ(c.runs.size(), 6u);
  for (const CompareRun& r : c.runs) EXPECT_EQ(r.protocol == Protocol::sweeps, r.jitter.size() == 30) << r.why_not;
  // The first step is that of the captured run under the same solver.
  scenes::Scene same = scene_for(options, "pgs", 7, 1);
  const WorldSettings settings = same.world.settings();
  ASSERT_FALSE(same.world.restore(c.last_state));
  same.world.set_settings(settings);
  EXPECT_EQ(c.runs[0].overlap[0], same.world.step(same.dt).max_overlap);
}

TEST(Compare, ThreeSolversUnderThreeProtocols) {
  const Comparison c = compare(small("pyramid_3", "pgs,jacobi,soft_step"));
  EXPECT_EQ(c.captures.size(), 2u);
  EXPECT_EQ(c.curves.size(), 2u * 2 * 3);
  ASSERT_EQ(c.runs.size(), 9u);
  for (const CompareCurve& curve : c.curves) EXPECT_EQ(curve.points.size() == 1, curve.rival == 2);
  for (const CompareRun& r : c.runs) {
    EXPECT_EQ(r.jitter.empty(), !r.why_not.empty());
    if (!r.why_not.empty()) continue;
    EXPECT_EQ(r.jitter.size(), 30u);
    EXPECT_EQ(r.overlap.size(), 30u);
    EXPECT_EQ(r.gone, 0);
    EXPECT_EQ(r.sweeps == 0, r.rival == 2);
  }
  EXPECT_EQ(c.runs[0].sweeps, c.run_sweeps);
  EXPECT_TRUE(c.runs[0].why_not.empty());
  // The mean of J1 over the last frames, once by the meter and once by the curve.
  double mean = 0;
  for (std::size_t i = 15; i < 30; ++i) mean += c.runs[0].jitter[i] / 15;
  EXPECT_NEAR(mean, c.runs[0].measures.jitter, 1e-9 * (1 + mean));

  const nlohmann::json json = to_json(c);
  EXPECT_EQ(json["runs"].size(), 9u);
  EXPECT_EQ(json["curves"][0]["start"], "cold");
  const std::string text = compare_text(c), page = compare_page(c);
  for (const char* part : {"pgs", "jacobi", "soft_step", "equal sweeps", "equal time", "equal quality"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_NE(page.find("data:image/png;base64,iVBORw0KGgo"), std::string::npos);
}

TEST(Compare, AllLeavesOutWhatCannotTakeTheScene) {
  CompareOptions options = small("four_bar", "pgs,all");
  options.steps = 3;
  const Comparison c = compare(options);
  ASSERT_EQ(c.refusals.size(), 2u);
  EXPECT_EQ(c.refusals[0].solver, "ffd");
  EXPECT_EQ(c.refusals[1].solver, "reference");
  for (const auto& refused : c.refusals) EXPECT_NE(refused.reason.find("joints"), std::string::npos);
  EXPECT_EQ(c.rivals.size(), solver_table().size() - 2);
  EXPECT_NE(compare_text(c).find("reference cannot: "), std::string::npos);
  options.solvers = {"reference"};
  EXPECT_THROW(compare(options), InputError);
}

TEST(Compare, UnknownScenesAreRefused) {
  CompareOptions options = small("pyramid_3", "pgs");
  options.scene = "no_such_scene";
  EXPECT_THROW(compare(options), InputError);
}

}  // namespace
}  // namespace cairn::cli
