// SPDX-License-Identifier: MIT
// The problem of a step, with what its solve began from, through a file and back: the same bits come out of the solver.
#include <gtest/gtest.h>

#include <cstring>

#include "cairn/io/problem_file.h"
#include "cairn/world/world.h"
#include "scenes/scene.h"
#include "tests/io/spoiler.h"
#include "tests/io/temporary_folder.h"

namespace cairn {
namespace {

/// A scene after some steps, of which the last kept its warm start.
World world_at(const char* scene, int steps, const char* solver = "gauss_seidel") {
  scenes::Scene made =
      scenes::make_scene(scene, {}, [&](WorldSettings& s) { s.solver = solver, s.iterations = 12; }).value_or_throw();
  made.world.keep_warm_start(true);
  for (int i = 0; i < steps; ++i) made.world.step(made.dt);
  return std::move(made.world);
}

ProblemFile captured(const World& world) {
  ProblemFile file{.problem = world.problem()};
  set_warm_start(file, world.warm_start());
  file.contact_colour.assign(world.contact_colours().begin(), world.contact_colours().end());
  return file;
}

/// A sliding block that cannot go sideways: contacts, and a joint row for the locked axis.
World locked_world() {
  World world;
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  world.add_body({.pose = {{0, 0, 0.5}, {}}, .velocity = {{1, 0, 0}, {}}, .locked_axes = kLockY},
                 {{.shape = make_box({0.5, 0.5, 0.5})}});
  world.keep_warm_start(true);
  for (int i = 0; i < 5; ++i) world.step(1.0 / 60);
  return world;
}

void expect_round_trip(const World& world) {
  const ProblemFile file = captured(world);
  ASSERT_FALSE(file.guess.empty());
  TemporaryFolder folder;
  const std::string path = folder.file("a.hdf5");
  ASSERT_TRUE(write_problem(file, path));
  for (const bool isolated : {false, true}) {
    const Expected<ProblemFile> back = isolated ? read_problem(path) : read_problem_in_process(path);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_TRUE(back->notes.empty());
    EXPECT_TRUE(back->problem == file.problem);
    EXPECT_EQ(back->contact_colour, file.contact_colour);
    EXPECT_EQ(warm_start(*back).contact_impulse, world.warm_start().contact_impulse);
    EXPECT_EQ(warm_start(*back).joint_impulse, world.warm_start().joint_impulse);
  }
}

TEST(WarmStart, OfAStepComesBackExactly) {
  expect_round_trip(world_at("pyramid_6", 20));
  expect_round_trip(world_at("chain_25", 3));
  expect_round_trip(world_at("rolling_sphere", 10));
  expect_round_trip(locked_world());
}

TEST(WarmStart, TheFileSolvesToTheVelocitiesOfTheStep) {
  for (const char* solver : {"gauss_seidel", "jacobi", "nesterov"})
    for (const char* scene : {"pyramid_6", "card_house_40", "chain_25"}) {
      SCOPED_TRACE(std::string(solver) + " on " + scene);
      const World world = world_at(scene, 25, solver);
      TemporaryFolder folder;
      ASSERT_TRUE(write_problem(captured(world), folder.file("a.hdf5")));
      const ProblemFile back = read_problem(folder.file("a.hdf5")).value_or_throw();
      ContactSolution solution = warm_start(back);
      SolveContext context;
      context.stop = {0, 12, 0};
      context.contact_colour = back.contact_colour;
      make_solver(solver)->solve(std::get<ContactProblem>(back.problem), solution, context);
      ASSERT_EQ(solution.velocity.size(), world.solution().velocity.size());
      EXPECT_EQ(std::memcmp(solution.velocity.data(), world.solution().velocity.data(),
                            solution.velocity.size() * sizeof(Velocity)),
                0);
      // From zero it is another answer, so the warm start did count.
      ContactSolution cold;
      make_solver(solver)->solve(std::get<ContactProblem>(back.problem), cold, context);
      EXPECT_NE(
          std::memcmp(cold.velocity.data(), world.solution().velocity.data(), cold.velocity.size() * sizeof(Velocity)),
          0);
    }
}

TEST(WarmStart, IsKeptOnlyWhenAskedFor) {
  World world = locked_world();
  EXPECT_EQ(world.warm_start().contact_impulse.size(), world.problem().contacts.size());
  world.step(1.0 / 60);
  EXPECT_GT(world.warm_start().contact_impulse[0][0], 0);
  const std::string state = world.save();
  ASSERT_FALSE(world.restore(state));
  world.step(1.0 / 60);
  EXPECT_FALSE(world.warm_start().contact_impulse.empty());
  world.keep_warm_start(false);
  EXPECT_TRUE(world.warm_start().contact_impulse.empty());
  world.step(1.0 / 60);
  EXPECT_TRUE(world.warm_start().contact_impulse.empty());
}

TEST(WarmStart, DoesNotChangeTheSteps) {
  World kept = world_at("pyramid_6", 20);
  scenes::Scene plain = scenes::make_scene("pyramid_6", {}, [](WorldSettings& s) {
                          s.solver = "gauss_seidel", s.iterations = 12;
                        }).value_or_throw();
  for (int i = 0; i < 20; ++i) plain.world.step(plain.dt);
  EXPECT_EQ(kept.state_hash(), plain.world.state_hash());
}

/// What is wrong with the parts a problem can do without is told, and they are left out.
void expect_note(const std::function<void(Spoiler&)>& spoil, const char* part) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.hdf5");
  ASSERT_TRUE(write_problem(captured(locked_world()), path));
  {
    Spoiler spoiler(path);
    spoil(spoiler);
  }
  for (const bool isolated : {false, true}) {
    const Expected<ProblemFile> back = isolated ? read_problem(path) : read_problem_in_process(path);
    ASSERT_TRUE(back) << back.error().message;
    ASSERT_EQ(back->notes.size(), 1u);
    EXPECT_NE(back->notes[0].find(part), std::string::npos) << back->notes[0];
    EXPECT_TRUE(back->joint_guess.empty() || back->contact_colour.empty());
  }
}

TEST(WarmStart, WhatDoesNotFitIsIgnoredAndTold) {
  expect_note([](Spoiler& s) { s.ints("/cairn/contact_colour", {0, 1}); }, "contact_colour is ignored");
  expect_note([](Spoiler& s) { s.ints("/cairn/contact_colour", {0, 0, 0, -2}); }, "colour [3] is -2");
  expect_note([](Spoiler& s) { s.ints("/cairn/contact_colour", {0, 0, 0, 1LL << 40}); }, "expected -1 to 4095");
  expect_note([](Spoiler& s) { s.reals("/cairn/joint_guess", {0, 0, 0}); }, "the joint guess is ignored");
  expect_note([](Spoiler& s) { s.entry("/cairn/joint_guess", 0, std::nan("")); }, "/cairn/joint_guess[0] is nan");
}

TEST(WarmStart, ColoursThatThreadsCouldNotRelyOnAreRefused) {
  // Three bodies in a row: 0-1, 0-1, 1-2, and the ground 3 below 0.
  ContactProblem problem;
  problem.bodies.resize(4);
  for (std::size_t i = 0; i < 3; ++i) problem.bodies[i].inverse_mass = 1;
  problem.contacts.resize(4);
  const std::array<std::pair<int, int>, 4> pairs{{{0, 1}, {1, 0}, {1, 2}, {3, 0}}};
  for (std::size_t k = 0; k < 4; ++k)
    problem.contacts[k].body_a = pairs[k].first, problem.contacts[k].body_b = pairs[k].second;
  const auto is_refused = [&](std::vector<std::int32_t> colour) {
    ProblemFile file{.problem = problem};
    file.contact_colour = std::move(colour);
    try {
      check_warm_start(file);
    } catch (const InputError&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(is_refused({}));
  EXPECT_FALSE(is_refused({0, 0, 1, 1}));  // 1-2 and ground-0 share nothing
  EXPECT_FALSE(is_refused({0, 1, 2, 3}));
  EXPECT_FALSE(is_refused({-1, -1, -1, -1}));
  EXPECT_FALSE(is_refused({0, 0, -1, 1}));
  EXPECT_TRUE(is_refused({0, 0, 0, 1}));  // body 1 in two pairs
  EXPECT_TRUE(is_refused({0, 0, 1, 0}));  // body 0 with body 1 and with the ground
  EXPECT_TRUE(is_refused({0, 0, 1}));
  EXPECT_TRUE(is_refused({0, 0, 1, 4096}));
  ProblemFile assembled{.problem = DelassusProblem{}};
  assembled.contact_colour = {0};
  EXPECT_THROW(check_warm_start(assembled), InputError);
}

}  // namespace
}  // namespace cairn
