// SPDX-License-Identifier: MIT
// Contact events: what is told, when, in which order, and what a listener may do.
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

constexpr double kStep = 1.0 / 60;

BodyId add_floor(World& world) {
  return world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
}
BodyId add_ball(World& world, const Vec3& p) {
  return world.add_body({.pose = {p, {}}}, {{.shape = make_sphere(0.5)}});
}

int count(const World& world, ContactEventKind kind) {
  int n = 0;
  for (const ContactEvent& event : world.events()) n += event.kind == kind ? 1 : 0;
  return n;
}

TEST(Events, BeginOnceAndEndOnce) {
  World world;
  const BodyId floor = add_floor(world), ball = add_ball(world, {0, 0, 1});
  int begins = 0, ends = 0;
  for (int i = 0; i < 120; ++i) {
    world.step(kStep);
    for (const ContactEvent& event : world.events()) {
      EXPECT_EQ(event.kind, ContactEventKind::begin);
      EXPECT_EQ(event.body_a, floor);
      EXPECT_EQ(event.body_b, ball);
      EXPECT_EQ(event.shape_b, world.shapes_of(ball)[0]);
      EXPECT_NEAR(event.normal.z, 1, 1e-12);
      EXPECT_NEAR(event.point.z, 0, 0.05);
      EXPECT_GT(event.impulse, 0);
      ++begins;
    }
  }
  EXPECT_EQ(begins, 1);
  world.set_velocity(ball, {{0, 0, 3}, {}});
  for (int i = 0; i < 20; ++i) {
    world.step(kStep);
    ends += count(world, ContactEventKind::end);
    EXPECT_EQ(count(world, ContactEventKind::begin), 0);
  }
  EXPECT_EQ(ends, 1);
}

TEST(Events, ImpulseIsThatOfTheStep) {
  WorldSettings settings = exact_settings();
  settings.gravity = {};
  World world(settings);
  add_floor(world);
  const BodyId ball =
      world.add_body({.pose = {{0, 0, 0.5}, {}}, .velocity = {{0, 0, -2}, {}}}, {{.shape = make_sphere(0.5)}});
  world.step(kStep);
  ASSERT_EQ(world.events().size(), 1u);
  EXPECT_NEAR(world.events()[0].impulse, 2 * world.view(ball).mass, 1e-3);
}

TEST(Events, PersistOnlyWhenAsked) {
  WorldSettings settings;
  settings.persist_events = true;
  World world(settings);
  add_floor(world);
  add_ball(world, {0, 0, 0.5});
  world.step(kStep);
  EXPECT_EQ(count(world, ContactEventKind::begin), 1);
  EXPECT_EQ(count(world, ContactEventKind::persist), 0);
  for (int i = 0; i < 5; ++i) {
    world.step(kStep);
    EXPECT_EQ(count(world, ContactEventKind::begin), 0);
    EXPECT_EQ(count(world, ContactEventKind::persist), 1);
  }
}

TEST(Events, ComeInOrderOfShapes) {
  World world;
  add_floor(world);
  for (int i = 0; i < 400; ++i) add_ball(world, {2.0 * (i % 20), 2.0 * (i / 20), 0.5});
  std::vector<ContactEvent> heard;
  world.set_contact_listener([&](const ContactEvent& event) { heard.push_back(event); });
  world.step(kStep);
  ASSERT_EQ(heard.size(), 400u);
  for (std::size_t i = 1; i < heard.size(); ++i) EXPECT_LT(heard[i - 1].shape_b, heard[i].shape_b);
  EXPECT_EQ(world.events().size(), 400u);
}

TEST(Events, EndWhenABodyIsRemoved) {
  World world;
  const BodyId floor = add_floor(world), ball = add_ball(world, {0, 0, 0.5});
  world.step(kStep);
  const ShapeId shape = world.shapes_of(ball)[0];
  world.remove_body(ball);
  world.step(kStep);
  ASSERT_EQ(world.events().size(), 1u);
  EXPECT_EQ(world.events()[0].kind, ContactEventKind::end);
  EXPECT_EQ(world.events()[0].body_a, floor);
  EXPECT_EQ(world.events()[0].body_b, ball);
  EXPECT_EQ(world.events()[0].shape_b, shape);
  world.step(kStep);
  EXPECT_TRUE(world.events().empty());
}

TEST(Events, TellTheOldBodyFromTheOneInItsSlot) {
  World world;
  add_floor(world);
  const BodyId old = add_ball(world, {0, 0, 0.5});
  world.step(kStep);
  world.remove_body(old);
  const BodyId next = add_ball(world, {0, 0, 0.5});
  ASSERT_EQ(next.index, old.index);
  world.step(kStep);
  ASSERT_EQ(world.events().size(), 2u);
  EXPECT_EQ(count(world, ContactEventKind::end), 1);
  EXPECT_EQ(count(world, ContactEventKind::begin), 1);
  for (const ContactEvent& event : world.events())
    EXPECT_EQ(event.body_b, event.kind == ContactEventKind::end ? old : next);
}

TEST(Events, EndWhenOnlyTheShapeIsRemoved) {
  World world;
  add_floor(world);
  const BodyId body = world.add_body(
      {.pose = {{0, 0, 0.5}, {}}}, {{.shape = make_sphere(0.5)}, {.shape = make_sphere(0.1), .pose = {{0, 0, 2}, {}}}});
  world.step(kStep);
  EXPECT_EQ(count(world, ContactEventKind::begin), 1);
  world.remove_shape(world.shapes_of(body)[0]);
  world.step(kStep);
  EXPECT_EQ(count(world, ContactEventKind::end), 1);
}

TEST(Listener, MayEditBodies) {
  // A29: added at once, removed when the last event has been told; the same on every run.
  Hash128 hash[2];
  for (Hash128& h : hash) {
    World world;
    add_floor(world);
    BodyId balls[3];
    for (int i = 0; i < 3; ++i) balls[i] = add_ball(world, {2.0 * i, 0, 0.5});
    int heard = 0;
    BodyId added;
    world.set_contact_listener([&](const ContactEvent& event) {
      ++heard;
      if (event.body_b == balls[0]) {
        world.remove_body(balls[1]);
        EXPECT_TRUE(world.contains(balls[1])) << "removals wait";
        world.remove_body(balls[1]);
        added = add_ball(world, {0, 0, 4});
        world.set_pose(balls[2], {{9, 0, 0.5}, {}});
        world.set_velocity(balls[0], {{1, 0, 0}, {}});
      }
    });
    world.step(kStep);
    EXPECT_EQ(heard, 3) << "every event of the step is told";
    EXPECT_FALSE(world.contains(balls[1]));
    EXPECT_TRUE(world.contains(added));
    world.set_contact_listener({});
    run(world, 10, kStep);
    EXPECT_NEAR(world.view(balls[2]).pose.position.x, 9, 1e-3);
    h = world.state_hash();
  }
  EXPECT_EQ(hash[0], hash[1]);
}

TEST(Listener, MayRemoveAllShapesButNotTheLastMass) {
  World world;
  add_floor(world);
  const BodyId body =
      world.add_body({.pose = {{0, 0, 0.5}, {}}}, {{.shape = make_sphere(0.5)}, {.shape = make_sphere(0.5)}});
  int refused = 0;
  world.set_contact_listener([&](const ContactEvent&) {
    for (const ShapeId shape : world.shapes_of(body)) {
      try {
        world.remove_shape(shape);
      } catch (const InputError&) {
        ++refused;
      }
    }
  });
  world.step(kStep);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(world.shapes_of(body).size(), 1u);
  world.set_contact_listener({});
  world.step(kStep);
  EXPECT_GT(world.view(body).mass, 0);
}

TEST(Listener, ThatThrowsLeavesTheWorldWhole) {
  // A30: the step is complete, the exception reaches the caller, removals asked for before it are made.
  World world, calm;
  BodyId balls[2];
  for (World* w : {&world, &calm}) {
    add_floor(*w);
    balls[0] = add_ball(*w, {0, 0, 0.5}), balls[1] = add_ball(*w, {3, 0, 0.5});
  }
  world.set_contact_listener([&](const ContactEvent&) {
    world.remove_body(balls[1]);
    throw std::runtime_error("from the listener");
  });
  EXPECT_THROW(world.step(kStep), std::runtime_error);
  EXPECT_EQ(world.step_count(), 1);
  EXPECT_FALSE(world.contains(balls[1]));
  calm.step(kStep);
  EXPECT_EQ(world.view(balls[0]).pose, calm.view(balls[0]).pose);
  world.set_contact_listener({});
  world.step(kStep);
  EXPECT_EQ(world.step_count(), 2);
}

TEST(Listener, MayNotStepOrReplaceItself) {
  // A31.
  World world;
  add_floor(world);
  add_ball(world, {0, 0, 0.5});
  int refused = 0;
  world.set_contact_listener([&](const ContactEvent&) {
    for (const auto& call : std::initializer_list<std::function<void()>>{
             [&] { world.step(kStep); }, [&] { world.set_contact_listener({}); }, [&] { world.set_settings({}); }}) {
      try {
        call();
      } catch (const InputError&) {
        ++refused;
      }
    }
  });
  world.step(kStep);
  EXPECT_EQ(refused, 3);
  EXPECT_EQ(world.step_count(), 1);
  world.step(kStep);
  EXPECT_EQ(world.step_count(), 2);
}

}  // namespace
}  // namespace cairn
