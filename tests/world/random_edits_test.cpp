// SPDX-License-Identifier: MIT
// Random edits between steps: whatever is added, removed and changed, in any order, worlds with other threads and broad
// phases stay the same bit for bit, and nothing becomes infinite.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cairn/core/random.h"
#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

Vec3 random_vector(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

Shape random_shape(Random& random) {
  const double a = random.uniform(0.1, 0.5), b = random.uniform(0.1, 0.5), c = random.uniform(0.1, 0.5);
  switch (static_cast<int>(random.uniform(0, 5))) {
    case 0: return make_sphere(a);
    case 1: return make_capsule(a, b);
    case 2: return make_cylinder(a, b);
    case 3: return make_compound({{make_sphere(a), {{b, 0, 0}, {}}}, {make_box({a, b, c}), {{-b, 0, 0}, {}}}});
    default: return make_box({a, b, c});
  }
}

Pose random_pose(Random& random) {
  const Vec3 p = random_vector(random, 2.5);
  return {{p.x, p.y, 1 + 0.6 * (p.z + 2.5)}, turn_about(random_vector(random, 1), random.uniform(0, 3))};
}

Material random_material(Random& random) {
  return {.friction = random.uniform(0, 1),
          .spin_radius = random.uniform(0, 1) < 0.2 ? 0.05 : 0,
          .rolling_radius = random.uniform(0, 1) < 0.2 ? 0.01 : 0,
          .restitution = random.uniform(0, 0.5)};
}

JointKind random_joint(Random& random) {
  JointAxis axis{.lower = random.uniform(-1, 0), .upper = random.uniform(0, 1), .friction = random.uniform(0, 5)};
  axis.motion = random.uniform(0, 1) < 0.5 ? AxisMotion::limited : AxisMotion::free;
  if (random.uniform(0, 1) < 0.5) axis.drive = {DriveKind::velocity, random.uniform(-3, 3), 0, 0, 0, 100};
  switch (static_cast<int>(random.uniform(0, 8))) {
    case 0: return BallJoint{random.uniform(0, 1.5), axis, 1};
    case 1: return HingeJoint{axis};
    case 2: return PrismaticJoint{axis};
    case 3: return RopeJoint{random.uniform(0, 2), 0, 0};
    case 4: return SpringJoint{random.uniform(0, 2), random.uniform(1, 1e4), random.uniform(0, 100)};
    case 5: return UniversalJoint{axis, {}};
    case 6: return SixDofJoint{{axis}, {axis, {}, {.motion = AxisMotion::locked}}};
    default: return FixedJoint{};
  }
}

/// One random call; the same numbers are drawn whatever the world answers.
void edit(World& world, Random& random) {
  const std::vector<BodyId> bodies = world.bodies();
  const auto at = static_cast<std::size_t>(random.uniform(1, static_cast<double>(bodies.size())));  // never the floor
  const BodyId body = bodies.size() > 1 ? bodies[std::min(at, bodies.size() - 1)] : bodies[0];
  const int what = bodies.size() < 10 ? 0 : static_cast<int>(random.uniform(0, 24));
  const bool dynamic = world.view(body).kind == BodyKind::dynamic;
  const std::vector<ShapeId> shapes = world.shapes_of(body);
  switch (what) {
    case 0:
    case 1:
    case 2:
      world.add_body({.pose = random_pose(random),
                      .velocity = {random_vector(random, 2), random_vector(random, 2)},
                      .locked_axes = random.uniform(0, 1) < 0.1 ? static_cast<std::uint32_t>(random.uniform(0, 64)) : 0,
                      .continuous = random.uniform(0, 1) < 0.3},
                     {{.shape = random_shape(random), .material = random_material(random)}});
      break;
    case 3: world.remove_body(body); break;
    case 4: world.add_shape(body, {.shape = random_shape(random), .pose = {random_vector(random, 0.3), {}}}); break;
    case 5:
      if (shapes.size() > 1) world.remove_shape(shapes[0]);
      break;
    case 6: world.set_pose(body, random_pose(random)); break;
    case 7:
      if (world.view(body).kind != BodyKind::fixed)
        world.set_velocity(body, {random_vector(random, 9), random_vector(random, 9)});
      break;
    case 8: world.set_kind(body, static_cast<BodyKind>(static_cast<int>(random.uniform(0, 3)))); break;
    case 9:
      world.set_mass(body, {random.uniform(1, 500), random_vector(random, 0.2), SymMat3::diagonal(3, 4, 5)});
      break;
    case 10: world.set_damping(body, random.uniform(0, 2), random.uniform(0, 2)); break;
    case 11: world.set_gravity_scale(body, random.uniform(-1, 2)); break;
    case 12: world.set_material(shapes[0], random_material(random)); break;
    case 13: world.set_filter(shapes[0], random.uniform(0, 1) < 0.5 ? 1 : 2, 3); break;
    case 14:
      if (dynamic) world.add_force_at(body, random_vector(random, 1e4), random_vector(random, 3));
      break;
    case 15:
      if (dynamic) world.add_impulse(body, random_vector(random, 100));
      break;
    case 16:
      if (!(body == bodies[1])) world.set_collision(body, bodies[1], random.uniform(0, 1) < 0.5);
      break;
    case 17: world.set_may_sleep(body, random.uniform(0, 1) < 0.8); break;
    case 18: world.wake(body), world.release(body); break;
    case 19:
    case 20: {
      JointDef def = world.joint_at(random.uniform(0, 1) < 0.3 ? BodyId{} : bodies[1], body,
                                    frame_along(world.view(body).centre, {0.6, 0.8, 0}), random_joint(random));
      def.collide_connected = random.uniform(0, 1) < 0.5;
      def.break_force = random.uniform(0, 1) < 0.3 ? random.uniform(0, 1e5) : kUnlimited;
      if (!(body == def.body_a)) world.add_joint(def);
      break;
    }
    case 21:
      if (const auto joints = world.joints(); !joints.empty()) world.remove_joint(joints[joints.size() / 2]);
      break;
    case 22:
      if (const auto joints = world.joints(); !joints.empty())
        world.set_joint_enabled(joints.back(), random.uniform(0, 1) < 0.5);
      break;
    default: {
      WorldSettings settings = world.settings();
      settings.margin = random.uniform(0.005, 0.03);
      settings.recycling = random.uniform(0, 1) < 0.5;
      settings.sleep.enabled = random.uniform(0, 1) < 0.7;
      world.set_settings(settings);
    }
  }
}

WorldSettings make_settings(int threads, const char* broad_phase) {
  WorldSettings settings;
  settings.iterations = 10;
  settings.threads = threads;
  settings.broad_phase = broad_phase;
  settings.sleep.enabled = true;
  settings.sleep.time = 0.1;
  return settings;
}

TEST(RandomEdits, LeaveEqualWorldsEqual) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    World a(make_settings(1, "tree")), b(make_settings(3, "grid"));
    Random random_a(seed), random_b(seed);
    for (World* world : {&a, &b})
      world->add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0), .material = rough(0.5)}});
    for (int i = 0; i < 400; ++i) {
      edit(a, random_a), edit(b, random_b);
      if (i % 2 == 0) continue;
      a.step(1.0 / 60), b.step(1.0 / 60);
      ASSERT_EQ(a.state_hash(), b.state_hash()) << "seed " << seed << ", edit " << i;
      ASSERT_EQ(a.events().size(), b.events().size()) << "seed " << seed << ", edit " << i;
      EXPECT_TRUE(a.last_report().quarantined.empty()) << "seed " << seed << ", edit " << i;
    }
    for (const BodyId id : a.bodies()) ASSERT_TRUE(is_finite(a.view(id).pose) && is_finite(a.view(id).velocity));
  }
}

TEST(RandomEdits, BeginAndEndTakeTurns) {
  // For every pair of shapes: begin, end, begin, ...; whatever happens to their bodies.
  for (std::uint64_t seed = 21; seed <= 24; ++seed) {
    World world(make_settings(1, "tree"));
    Random random(seed);
    world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0), .material = rough(0.5)}});
    std::vector<std::pair<ShapeId, ShapeId>> touching;  // sorted
    for (int i = 0; i < 400; ++i) {
      edit(world, random);
      world.step(1.0 / 60);
      for (const ContactEvent& event : world.events()) {
        const std::pair<ShapeId, ShapeId> pair{event.shape_a, event.shape_b};
        const auto found = std::lower_bound(touching.begin(), touching.end(), pair);
        const bool known = found != touching.end() && *found == pair;
        ASSERT_EQ(known, event.kind == ContactEventKind::end) << "seed " << seed << ", edit " << i;
        if (known)
          touching.erase(found);
        else
          touching.insert(found, pair);
      }
      for (const auto& [a, b] : touching) ASSERT_TRUE(world.contains(a) && world.contains(b)) << "an end was not told";
    }
    EXPECT_FALSE(touching.empty());
  }
}

/// Shapes on a ray, by asking each; in order of their handles.
std::vector<ShapeId> on_ray(const World& world, const Vec3& origin, const Vec3& direction, double length) {
  std::vector<ShapeId> result;
  for (const BodyId body : world.bodies())
    for (const ShapeId shape : world.shapes_of(body)) {
      const Pose pose = world.view(body).pose * world.shape_def(shape).pose;
      if (ray(world.shape_def(shape).shape, transform_back(pose, origin),
              normalised(rotate_back(pose.orientation, direction)), length))
        result.push_back(shape);
    }
  std::sort(result.begin(), result.end());
  return result;
}

TEST(RandomEdits, AreSeenByQueriesAtOnce) {
  // Before and after every step, whatever was edited: rays find what asking every shape finds.
  std::size_t met = 0;
  for (std::uint64_t seed = 31; seed <= 34; ++seed) {
    World world(make_settings(1, seed % 2 == 0 ? "tree" : "grid"));
    Random random(seed), rays(seed);
    world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0), .material = rough(0.5)}});
    for (int i = 0; i < 300; ++i) {
      edit(world, random);
      for (const bool step : {false, true}) {
        if (step) world.step(1.0 / 60);
        const Vec3 origin = random_vector(rays, 4) + Vec3{0, 0, 4.5}, direction = normalised(random_vector(rays, 1));
        std::vector<ShapeId> found;
        for (const WorldHit& hit : world.cast_ray_all(origin, direction, 6)) found.push_back(hit.shape);
        std::sort(found.begin(), found.end());
        ASSERT_EQ(found, on_ray(world, origin, direction, 6)) << "seed " << seed << ", edit " << i << ", step " << step;
        met += found.size();
      }
    }
  }
  EXPECT_GT(met, 500u);
}

}  // namespace
}  // namespace cairn
