// SPDX-License-Identifier: MIT
// Every scene with every solver that takes it, told in five stories, gives the same bits in every step: judged or not,
// with any number of threads and any instruction set, restored from a snapshot or not.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cairn/simd/simd.h"
#include "tests/determinism/every_way_scenes.h"

namespace cairn {
namespace {

constexpr int kSteps = 40;
constexpr double kDt = 1.0 / 60;

/// What happens on the way, besides the steps.
enum class Story { plain, snapshots, edits, breaking, sleeping };
constexpr Story kStories[] = {Story::plain, Story::snapshots, Story::edits, Story::breaking, Story::sleeping};
constexpr const char* kStoryNames[] = {"plain", "snapshots", "edits", "breaking", "sleeping"};

/// How a story is computed; none of it may matter.
struct Way {
  bool judged;
  int threads;
  std::string simd;
};

std::string text_of(const Way& way) {
  return (way.judged ? "judged, " : "not judged, ") + std::to_string(way.threads) + " threads, " + way.simd;
}

/// All of them: the scenes are small enough.
std::vector<Way> every_way() {
  std::vector<Way> ways;
  for (const bool judged : {true, false})
    for (const int threads : {1, 2, 3, 8})
      for (const std::string& simd : simd_names()) ways.push_back({judged, threads, simd});
  return ways;
}

void edit(World& world, int step) {
  const std::vector<BodyId> bodies = world.bodies();
  switch (step) {
    case 6: world.remove_body(bodies[bodies.size() / 2]); break;
    case 9:
      world.add_body({.pose = {{0.1, 0.05, 1.5}}, .velocity = {{0, 0, -3}}}, {{.shape = make_box({0.1, 0.1, 0.1})}});
      break;
    case 12: world.set_velocity(bodies.back(), {{0.5, 0, 1}, {0, 1, 0}}); break;
    case 15: world.set_material(world.shapes_of(bodies[1])[0], {.friction = 0.9, .restitution = 0.2}); break;
    case 18: world.set_kind(bodies[1], BodyKind::fixed); break;
    case 21: world.set_settings(world.settings()); break;
    case 24: world.remove_body(bodies[2]); break;
    case 27: world.set_kind(bodies[1], BodyKind::dynamic); break;
    case 30: world.set_pose(bodies.back(), {{0, 0.1, 1}}); break;
    default: break;
  }
  const bool takes_rows = world.settings().solver != "reference" && world.settings().solver != "ffd";
  if (step == 10 && takes_rows) world.set_locked_axes(bodies.back(), kLockX);
  if (step == 13 && !world.joints().empty()) world.remove_joint(world.joints().front());
  if (step == 16 && !world.joints().empty()) world.set_joint_enabled(world.joints().back(), false);
}

/// Joints give way one after the other.
void overload(World& world, int step) {
  if (step % 9 != 5 || world.joints().empty()) return;
  JointDef def = world.joint_def(world.joints().front());
  def.break_force = 1e-3;
  world.set_joint(world.joints().front(), def);
}

/// Everything may sleep soon; one body is woken again.
void rest(World& world, int step) {
  if (step == 0) {
    WorldSettings settings = world.settings();
    settings.sleep = {.enabled = true, .linear_speed = 0.5, .angular_speed = 2, .time = 0.05};
    world.set_settings(settings);
  }
  if (step == 25) world.wake(world.bodies().back());
}

void restore_itself(World& world) {
  const std::optional<Error> error = world.restore(world.save());
  EXPECT_FALSE(error.has_value()) << error->message;
}

void tell(Story story, World& world, int step) {
  switch (story) {
    case Story::plain: break;
    case Story::snapshots:
      if (step % 10 == 9) restore_itself(world);
      break;
    case Story::edits: edit(world, step); break;
    case Story::breaking: overload(world, step); break;
    case Story::sleeping: rest(world, step); break;
  }
}

/// Solvers that go on until they have an exact answer take a hundred times as long: every fifth way, among which every
/// number of threads and every instruction set still occurs.
std::vector<Way> ways_for(const std::string& solver) {
  const std::vector<Way> all = every_way();
  if (solver != "exact" && !solver.starts_with("staggered")) return all;
  std::vector<Way> some;
  for (std::size_t i = 0; i < all.size(); i += 5) some.push_back(all[i]);
  return some;
}

class EveryWay : public testing::TestWithParam<std::tuple<WayScene, std::string>> {
 protected:
  static WorldSettings settings_of(const Way& way) {
    const auto& [scene, solver] = GetParam();
    WorldSettings settings;
    if (scene.settle != nullptr) scene.settle(settings);
    settings.solver = solver;
    settings.iterations = 10;
    settings.threads = way.threads, settings.measure_residual = way.judged;
    return settings;
  }

  /// The hash after every step.
  static std::vector<Hash128> run(Story story, const Way& way) {
    force_simd(way.simd);
    World world(settings_of(way));
    std::get<0>(GetParam()).add(world);
    std::vector<Hash128> hashes;
    for (int step = 0; step < kSteps; ++step) {
      tell(story, world, step);
      world.step(kDt);
      hashes.push_back(world.state_hash());
    }
    force_simd("auto");
    return hashes;
  }

  static void expect_same(const std::vector<Hash128>& a, const std::vector<Hash128>& b, const std::string& what) {
    for (std::size_t step = 0; step < kSteps; ++step)
      if (!(a[step] == b[step])) {
        ADD_FAILURE() << what << ": another state from step " << step << " on";
        return;
      }
  }

  void TearDown() override { force_simd("auto"); }
};

TEST_P(EveryWay, GivesTheSameBits) {
  const std::vector<Hash128> plain = run(Story::plain, {true, 1, "auto"});
  for (const Story story : kStories) {
    SCOPED_TRACE(kStoryNames[static_cast<int>(story)]);
    const std::vector<Hash128> first = story == Story::plain ? plain : run(story, {true, 1, "auto"});
    if (story == Story::snapshots) expect_same(plain, first, "restored at every tenth step");
    for (const Way& way : ways_for(std::get<1>(GetParam()))) expect_same(first, run(story, way), text_of(way));
  }
}

/// The scenes do what their names say, or they would test nothing.
TEST(EveryWayScenes, TouchBreakAndSleep) {
  for (const WayScene& scene : every_way_scenes()) {
    WorldSettings settings;
    if (scene.settle != nullptr) scene.settle(settings);
    World world(settings);
    scene.add(world);
    std::int64_t contacts = 0, asleep = 0, swept = 0;
    std::size_t broken = 0;
    for (int step = 0; step < kSteps; ++step) {
      const StepReport& report = world.step(kDt);
      contacts += report.contacts, broken += report.broken_joints.size(), asleep += report.sleeping_islands;
      swept += report.solve.joints.swept_mechanisms;
    }
    const std::string name = scene.name;
    EXPECT_GT(contacts, 20) << name;
    EXPECT_EQ(broken > 1, name == "breaking" || name == "net") << name;
    EXPECT_EQ(swept >= kSteps, name == "net") << name;
    EXPECT_EQ(asleep > 1, name == "sleepers") << name;
    EXPECT_TRUE(world.last_report().quarantined.empty()) << name;
  }
}

std::vector<std::tuple<WayScene, std::string>> every_row() {
  std::vector<std::tuple<WayScene, std::string>> rows;
  for (const WayScene& scene : every_way_scenes())
    for (const SolverInfo& solver : solver_table())
      if (solver.joints || !scene.joint_rows) rows.emplace_back(scene, solver.name);
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Rows, EveryWay, testing::ValuesIn(every_row()), [](const auto& row) {
  return std::string(std::get<0>(row.param).name) + "_" + std::get<1>(row.param);
});

}  // namespace
}  // namespace cairn
