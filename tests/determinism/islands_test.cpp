// SPDX-License-Identifier: MIT
// Islands never influence one another: two scenes in one world that do not meet have, body by body, the bits that each
// has in a world of its own. They stand at the same place in layers of their own, so that no number is rounded
// differently.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/solvers/solver_table.h"
#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

/// Adds to one world or the other, in the layer of one scene.
struct Stage {
  World& world;
  std::uint32_t layer = 1;
  std::vector<BodyId> bodies;

  BodyId add(const BodyDef& body, const Shape& shape, const Material& material = {}) {
    bodies.push_back(world.add_body(body, {{.shape = shape, .material = material, .layer = layer, .mask = layer}}));
    return bodies.back();
  }
  void add_ground(const Material& material = {}) {
    add({.kind = BodyKind::fixed}, make_half_space({0, 0, 1}, 0), material);
  }
};

void add_stack(Stage& stage) {
  stage.add_ground();
  for (int i = 0; i < 6; ++i) stage.add({.pose = {{0.02 * (i % 2), 0, 0.5 + i}, {}}}, make_box({0.5, 0.5, 0.5}));
}

/// More than 256 manifolds: fewer sub-steps than small islands.
void add_heap(Stage& stage) {
  stage.add_ground();
  for (int i = 0; i < 180; ++i)
    stage.add({.pose = {{0.97 * (i % 6), 0.97 * (i / 6 % 6), 0.49 + 0.97 * (i / 36)}, {}}}, make_sphere(0.5));
}

void add_flat_heap(Stage& stage) {
  stage.add_ground();
  for (int i = 0; i < 27; ++i)
    stage.add({.pose = {{0.8 * (i % 3), 0.8 * (i / 3 % 3), 0.5 + 0.9 * (i / 9)}, turn_about({0, 0, 1}, 0.1 * i)}},
              make_box({0.4, 0.4, 0.4}));
}

/// A chain of hinges with stops, which swings into them; with a drive that has a force limit.
void add_chain(Stage& stage, int links, double limit) {
  BodyId last{};
  for (int i = 0; i < links; ++i) {
    const BodyId link = stage.add({.pose = {{0.5 + i, 0, 3}, {}}}, make_box({0.4, 0.1, 0.1}));
    HingeJoint hinge;
    hinge.turn.lower = -limit, hinge.turn.upper = limit;
    hinge.turn.friction = 0.5;
    stage.world.add_joint(stage.world.joint_at(last, link, frame_along({double(i), 0, 3}, {0, 1, 0}), hinge));
    last = link;
  }
}
void add_short_chain(Stage& stage) { add_chain(stage, 4, 0.3); }
/// Three equal ones are factored together with those of the other scene, or not.
void add_equal_chains(Stage& stage) {
  for (int i = 0; i < 3; ++i) add_chain(stage, 4, 0.3);
}
/// A loop: turns under the load of its own weight, one joint is apart from the beginning.
void add_torn_loop(Stage& stage) {
  std::vector<BodyId> parts;
  for (int i = 0; i < 4; ++i)
    parts.push_back(stage.add({.pose = {{std::cos(i * 0.5 * kPi), std::sin(i * 0.5 * kPi), 4}, {}}}, make_sphere(0.2)));
  stage.world.add_joint(stage.world.joint_at({}, parts[0], {{1, 0, 4}, {}}, BallJoint{}));
  for (int i = 0; i < 4; ++i)
    stage.world.add_joint(
        stage.world.joint_at(parts[to_index(i)], parts[to_index((i + 1) % 4)],
                             {{std::cos((i + 0.5) * 0.5 * kPi), std::sin((i + 0.5) * 0.5 * kPi), 4}, {}}, BallJoint{}));
  stage.world.set_pose(parts[2], {{-1, 0.01, 4}, {}});
}

/// Balls on ball joints with friction that fall on the ground: too costly to be solved directly.
void add_net(Stage& stage) {
  constexpr int kSize = 4;
  stage.add_ground();
  std::vector<BodyId> balls;
  for (int k = 0; k < kSize * kSize; ++k) {
    const Vec3 at{double(k / kSize), double(k % kSize), 1};
    balls.push_back(stage.add({.pose = {at}, .velocity = {{0.2 * (k % 3), 0, -1}, {}}}, make_sphere(0.4)));
    const auto join = [&](int other, const Vec3& way) {
      stage.world.add_joint(stage.world.joint_at(balls[to_index(k - other)], balls.back(), {at - 0.5 * way, {}},
                                                 BallJoint{k == 7 ? 0.3 : kUnlimited, {}, 0.5}));
    };
    if (k % kSize > 0) join(1, {0, 1, 0});
    if (k / kSize > 0) join(kSize, {1, 0, 0});
  }
}

void add_locked(Stage& stage) {
  stage.add_ground();
  for (int i = 0; i < 3; ++i)
    stage.add({.pose = {{1.5 * i, 0, 0.5 + 0.1 * i}, turn_about({0, 0, 1}, 0.25)},
               .velocity = {{1, 0.3, 0}, {0.2, 0.1, 0.7}},
               .locked_axes = i == 1 ? kLockY | kLockTurnX : kLockY},
              make_box({0.5, 0.4, 0.5}));
}

void add_rolling(Stage& stage) {
  const Material material{.friction = 0.6, .spin_radius = 0.02, .rolling_radius = 0.01};
  stage.add_ground(material);
  for (int i = 0; i < 5; ++i)
    stage.add({.pose = {{0.9 * i, 0, 0.3 + 0.05 * i}, {}}, .velocity = {{1 - 0.5 * i, 0.2, 0}, {0, 0, 5}}},
              make_sphere(0.3), material);
}

void add_bouncing(Stage& stage) {
  const Material material{.friction = 0.4, .friction_across = 0.1, .restitution = 0.6};
  stage.add_ground(material);
  for (int i = 0; i < 6; ++i)
    stage.add({.pose = {{0.7 * i, 0, 0.5 + 0.3 * i}, turn_about({1, 1, 0}, 0.3 * i)}}, make_box({0.3, 0.2, 0.2}),
              material);
}

void add_bullets(Stage& stage) {
  stage.add_ground();
  stage.add({.pose = {{6, 0, 1}, {}}}, make_box({0.05, 1, 1}));
  for (int i = 0; i < 3; ++i)
    stage.add({.pose = {{0, 0.5 * (i - 1), 1}, {}}, .velocity = {{100.0 + 60 * i, 0, 0}, {}}, .continuous = true},
              make_sphere(0.1));
  stage.add({.pose = {{3, 0, 1}, {}}, .velocity = {{-150, 0, 0}, {}}, .continuous = true}, make_sphere(0.1));
}

/// Pose and velocity of every body of a scene.
using State = std::vector<std::pair<Pose, Velocity>>;

State state_of(const Stage& stage) {
  State state;
  for (const BodyId id : stage.bodies) {
    const BodyView view = stage.world.view(id);
    state.emplace_back(view.pose, view.velocity);
  }
  return state;
}

struct Scene {
  const char* name;
  void (*add)(Stage&);
  bool joints = false;
};
const Scene kScenes[] = {{"stack", add_stack},
                         {"heap", add_heap},
                         {"flat_heap", add_flat_heap},
                         {"short_chain", add_short_chain, true},
                         {"equal_chains", add_equal_chains, true},
                         {"torn_loop", add_torn_loop, true},
                         {"net", add_net, true},
                         {"locked", add_locked, true},
                         {"rolling", add_rolling, true},
                         {"bouncing", add_bouncing},
                         {"bullets", add_bullets}};

class Islands : public testing::TestWithParam<std::string> {
 protected:
  static WorldSettings settings() {
    WorldSettings s;
    s.solver = GetParam(), s.iterations = 10;
    return s;
  }
  static void expect_same(const State& alone, const Stage& together, const std::string& where) {
    const State now = state_of(together);
    ASSERT_EQ(alone.size(), now.size());
    for (std::size_t i = 0; i < alone.size(); ++i) ASSERT_TRUE(alone[i] == now[i]) << where << ", body " << i;
  }
  /// The state of a scene in a world of its own after every step.
  static std::vector<State> run_alone(const Scene& scene, int steps) {
    World world(settings());
    Stage stage{world, 1, {}};
    scene.add(stage);
    std::vector<State> states;
    for (int step = 0; step < steps; ++step) {
      world.step(1.0 / 60);
      states.push_back(state_of(stage));
    }
    return states;
  }
};

TEST_P(Islands, HaveTheBitsThatTheyHaveAlone) {
  bool takes_joints = false;
  for (const SolverInfo& info : solver_table())
    if (info.name == GetParam()) takes_joints = info.joints;
  const bool is_slow = GetParam() == "reference";
  const int steps = is_slow ? 4 : 12;
  std::vector<std::pair<const Scene*, std::vector<State>>> alone;
  for (const Scene& scene : kScenes)
    if ((takes_joints || !scene.joints) && !(is_slow && scene.add == add_heap))
      alone.emplace_back(&scene, run_alone(scene, steps));
  for (const auto& [a, states_a] : alone)
    for (const auto& [b, states_b] : alone) {
      if (a == b) continue;
      World both(settings());
      Stage with_b{both, 1, {}}, with_a{both, 2, {}};
      a->add(with_b), b->add(with_a);
      for (int step = 0; step < steps; ++step) {
        both.step(1.0 / 60);
        const std::string where = std::string(a->name) + " with " + b->name + ", step " + std::to_string(step);
        expect_same(states_a[to_index(step)], with_b, where), expect_same(states_b[to_index(step)], with_a, where);
        if (HasFatalFailure()) return;
      }
    }
}

/// A body whose numbers break down is frozen, the others do not notice.
TEST_P(Islands, GoOnWhenOneBreaksDown) {
  World alone(settings()), both(settings());
  Stage calm{alone, 1, {}}, with_broken{both, 1, {}}, broken{both, 2, {}};
  add_stack(calm), add_stack(with_broken), add_stack(broken);
  for (int step = 0; step < 10; ++step) {
    if (step == 5) both.add_force(broken.bodies[3], {1e15, 0, 0});
    alone.step(1.0 / 60), both.step(1.0 / 60);
    expect_same(state_of(calm), with_broken, "step " + std::to_string(step));
  }
  EXPECT_TRUE(both.view(broken.bodies[3]).quarantined);
}

std::vector<std::string> solver_names() {
  std::vector<std::string> names;
  for (const SolverInfo& info : solver_table()) names.push_back(info.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Solvers, Islands, testing::ValuesIn(solver_names()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace cairn
