// SPDX-License-Identifier: MIT
// Bad input (A1 to A38): every public function of World refuses what it cannot use with a message that names the field,
// and nothing has changed. A handle of another world with the same slot and generation cannot be told apart: handles
// are two numbers, and carry no world.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "cairn/core/parallel.h"
#include "cairn/geometry/hull_builder.h"
#include "tests/analytic/bench.h"
#include "tests/refusal.h"

namespace cairn {
namespace {

using namespace bench;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

struct Victim {
  World world;
  BodyId floor, body;
  ShapeId shape;

  Victim() {
    floor = world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
    body = world.add_body({.pose = {{0, 0, 0.5}, {}}}, {{.shape = make_sphere(0.5)}, {.shape = make_sphere(0.1)}});
    shape = world.shapes_of(body)[0];
    world.step(1.0 / 60);
  }
};

struct Call {
  std::string word;  ///< that the message must hold
  std::function<void(Victim&)> make;
};

/// Refused by an InputError whose message has the word; the world is as before and goes on.
void expect_refused(const std::vector<Call>& calls) {
  Victim calm;
  calm.world.step(1.0 / 60);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Victim victim;
    World& world = victim.world;
    const Hash128 before = world.state_hash();
    const BodyView view = world.view(victim.body);
    try {
      calls[i].make(victim);
      ADD_FAILURE() << "call " << i << " (" << calls[i].word << ") was not refused";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(calls[i].word), std::string::npos)
          << "call " << i << ": " << error.what();
    }
    EXPECT_EQ(world.state_hash(), before) << calls[i].word;
    EXPECT_EQ(world.body_count(), 2u) << calls[i].word;
    EXPECT_EQ(world.shapes_of(victim.body).size(), 2u) << calls[i].word;
    EXPECT_EQ(world.view(victim.body).mass, view.mass) << calls[i].word;
    EXPECT_EQ(world.view(victim.body).kind, view.kind) << calls[i].word;
    world.step(1.0 / 60);
    EXPECT_EQ(world.state_hash(), calm.world.state_hash()) << "the next step differs after " << calls[i].word;
  }
}

std::vector<double> bad_numbers(double largest) { return {kNan, kInf, -kInf, 1e308, 10 * largest, -10 * largest}; }

TEST(BadVectors, AreRefusedByEverySetter) {
  std::vector<Call> calls;
  const auto add = [&](const char* word, double largest, const std::function<void(Victim&, const Vec3&)>& act) {
    for (const double x : bad_numbers(largest))
      for (int k = 0; k < 3; ++k) {
        const Vec3 v{k == 0 ? x : 0, k == 1 ? x : 0, k == 2 ? x : 0};
        calls.push_back({word, [=](Victim& t) { act(t, v); }});
        calls.push_back({std::string(1, "xyz"[k]), [=](Victim& t) { act(t, v); }});  // the component, too
      }
  };
  add("pose", kLargestPosition, [](Victim& t, const Vec3& v) { t.world.set_pose(t.body, {v, {}}); });
  add("velocity", kLargestSpeed, [](Victim& t, const Vec3& v) { t.world.set_velocity(t.body, {v, {}}); });
  add("angular velocity", kLargestSpeed, [](Victim& t, const Vec3& v) { t.world.set_velocity(t.body, {{}, v}); });
  add("force", kLargestForce, [](Victim& t, const Vec3& v) { t.world.add_force(t.body, v); });
  add("force", kLargestForce, [](Victim& t, const Vec3& v) { t.world.add_force_at(t.body, v, {}); });
  add("point", kLargestPosition, [](Victim& t, const Vec3& v) { t.world.add_force_at(t.body, {}, v); });
  add("torque", kLargestForce, [](Victim& t, const Vec3& v) { t.world.add_torque(t.body, v); });
  add("impulse", kLargestForce, [](Victim& t, const Vec3& v) { t.world.add_impulse(t.body, v); });
  add("impulse", kLargestForce, [](Victim& t, const Vec3& v) { t.world.add_impulse_at(t.body, v, {}); });
  add("point", kLargestPosition, [](Victim& t, const Vec3& v) { t.world.add_impulse_at(t.body, {}, v); });
  add("impulse", kLargestForce, [](Victim& t, const Vec3& v) { t.world.add_angular_impulse(t.body, v); });
  add("gravity", 1e6, [](Victim& t, const Vec3& v) {
    WorldSettings s;
    s.gravity = v;
    t.world.set_settings(s);
  });
  add("centre of mass", kLargestPosition, [](Victim& t, const Vec3& v) {
    t.world.set_mass(t.body, {1, v, SymMat3::diagonal(1, 1, 1)});
  });
  add("pose", kLargestPosition, [](Victim& t, const Vec3& v) {
    t.world.add_body({.pose = {v, {}}}, {{.shape = make_sphere(1)}});
  });
  add("velocity", kLargestSpeed, [](Victim& t, const Vec3& v) {
    t.world.add_body({.velocity = {v, {}}}, {{.shape = make_sphere(1)}});
  });
  add("angular velocity", kLargestSpeed, [](Victim& t, const Vec3& v) {
    t.world.add_body({.velocity = {{}, v}}, {{.shape = make_sphere(1)}});
  });
  add("shape pose", kLargestPosition, [](Victim& t, const Vec3& v) {
    t.world.add_body({}, {{.shape = make_sphere(1), .pose = {v, {}}}});
  });
  add("shape pose", kLargestPosition, [](Victim& t, const Vec3& v) {
    t.world.add_shape(t.body, {.shape = make_sphere(1), .pose = {v, {}}});
  });
  add("origin", kLargestPosition, [](Victim& t, const Vec3& v) { t.world.cast_ray(v, {0, 0, 1}, 1); });
  add("direction", kLargestPosition, [](Victim& t, const Vec3& v) { t.world.cast_ray_all({}, v, 1); });
  add("pose", kLargestPosition, [](Victim& t, const Vec3& v) {
    t.world.cast_shape(make_sphere(1), {v, {}}, {0, 0, 1});
  });
  add("translation", kLargestPosition, [](Victim& t, const Vec3& v) { t.world.cast_shape_all(make_sphere(1), {}, v); });
  add("pose", kLargestPosition, [](Victim& t, const Vec3& v) { t.world.overlap_shape(make_sphere(1), {v, {}}); });
  add("corner", kLargestPosition, [](Victim& t, const Vec3& v) { t.world.overlap_box({v, {}}); });
  expect_refused(calls);
}

TEST(BadSums, AreRefusedToo) {
  expect_refused({
      {"sum of forces",
       [](Victim& t) {
         World copy;  // the sum is what counts: twice the largest force
         const BodyId b = copy.add_body({}, {{.shape = make_sphere(0.5)}});
         copy.add_force(b, {1e15, 0, 0});
         copy.add_force(b, {1e15, 0, 0});
         (void)t;
       }},
      {"velocity after the impulse",
       [](Victim& t) {
         t.world.add_impulse(t.body, {1e14, 0, 0});
       }},
      {"torques",
       [](Victim& t) {
         t.world.add_force_at(t.body, {1e15, 0, 0}, {0, 0, 1e8});
       }},
  });
}

TEST(BadOrientations, AreRefusedOrNormalised) {
  std::vector<Call> calls;
  for (const Quat& q : {Quat{0, 0, 0, 0}, Quat{1.5, 0, 0, 0}, Quat{0.5, 0, 0, 0}, Quat{kNan, 0, 0, 0},
                        Quat{kInf, 0, 0, 0}, Quat{1e308, 1e308, 0, 0}}) {
    calls.push_back({"orientation", [=](Victim& t) { t.world.set_pose(t.body, {{}, q}); }});
    calls.push_back({"orientation", [=](Victim& t) {
                       t.world.add_body({.pose = {{}, q}}, {{.shape = make_sphere(1)}});
                     }});
    calls.push_back({"orientation", [=](Victim& t) {
                       t.world.add_shape(t.body, {.shape = make_sphere(1), .pose = {{}, q}});
                     }});
    calls.push_back({"orientation", [=](Victim& t) { t.world.overlap_shape(make_sphere(1), {{}, q}); }});
    calls.push_back({"orientation", [=](Victim& t) { t.world.cast_shape(make_sphere(1), {{}, q}, {1, 0, 0}); }});
  }
  expect_refused(calls);
  Victim victim;  // A6
  for (const double off : {0.999, 1.001}) {
    victim.world.set_pose(victim.body, {{0, 0, 3}, {off, 0, 0, 0}});
    EXPECT_DOUBLE_EQ(norm2(victim.world.view(victim.body).pose.orientation), 1);
  }
}

TEST(BadTimeSteps, AreRefused) {
  std::vector<Call> calls;
  for (const double dt : {kNan, kInf, -kInf, -1.0, -1e-3, 1e-12, 9.9e-8, 1.0001, 1e3, 1e308})
    calls.push_back({"dt", [=](Victim& t) { t.world.step(dt); }});
  expect_refused(calls);
  for (const double dt : {1e-7, 1.0}) {  // the ends of the range are fine
    Victim victim;
    for (int i = 0; i < 10; ++i) victim.world.step(dt);
    EXPECT_TRUE(is_finite(victim.world.view(victim.body).pose));
  }
}

TEST(BadMasses, AreRefused) {
  std::vector<Call> calls;
  const SymMat3 fine = SymMat3::diagonal(1, 1, 1);
  const auto both = [&](const char* word, const MassProperties& mass) {
    calls.push_back({word, [=](Victim& t) { t.world.set_mass(t.body, mass); }});
    calls.push_back({word, [=](Victim& t) { t.world.add_body({.mass = mass}); }});
  };
  for (const double m : {0.0, -1.0, kNan, kInf, 1e-10, 1e16}) both("mass", {m, {}, fine});
  for (const SymMat3& inertia :
       {SymMat3{}, SymMat3::diagonal(-1, 1, 1), SymMat3::diagonal(1, 1, 2.1), SymMat3::diagonal(kNan, 1, 1),
        SymMat3::diagonal(kInf, kInf, kInf), SymMat3{1, 1, 1, 2, 0, 0}, SymMat3{1, 1, 1, kNan, 0, 0}})
    both("inertia", {1, {}, inertia});
  calls.push_back({"mass", [](Victim& t) { t.world.add_body({}); }});
  calls.push_back({"mass", [](Victim& t) { t.world.add_body({}, {{.shape = make_sphere(1), .density = 0}}); }});
  calls.push_back({"mass", [](Victim& t) { t.world.add_body({}, {{.shape = make_sphere(1e-6)}}); }});
  calls.push_back({"mass", [](Victim& t) { t.world.add_body({}, {{.shape = make_half_space({0, 0, 1}, 0)}}); }});
  calls.push_back({"mass", [](Victim& t) { t.world.set_kind(t.floor, BodyKind::dynamic); }});
  for (const double density : {-1.0, kNan, kInf})
    calls.push_back(
        {"density", [=](Victim& t) { t.world.add_body({}, {{.shape = make_sphere(1), .density = density}}); }});
  calls.push_back(
      {"repaired", [](Victim& t) {
         t.world.add_body({.mass = MassProperties{1, {}, SymMat3::diagonal(-1, -1, -1)}, .repair_inertia = true});
       }});
  expect_refused(calls);
}

TEST(BadInertia, IsRepairedWhenAsked) {
  World world;
  const BodyId body =
      world.add_body({.mass = MassProperties{1, {}, SymMat3::diagonal(1, 1, 3)}, .repair_inertia = true});
  const SymMat3 i = world.view(body).inertia;
  EXPECT_NEAR(i.xx, 1.5, 1e-12);
  EXPECT_NEAR(i.yy, 1.5, 1e-12);
  EXPECT_NEAR(i.zz, 3, 1e-12);
}

TEST(BadBodies, AreRefused) {
  std::vector<Call> calls;
  const auto add = [&](const char* word, const std::function<void(BodyDef&)>& spoil) {
    calls.push_back({word, [=](Victim& t) {
                       BodyDef def;
                       spoil(def);
                       t.world.add_body(def, {{.shape = make_sphere(1)}});
                     }});
  };
  for (const double x : {kNan, kInf, -1.0, 1e7}) {
    add("linear damping", [=](BodyDef& d) { d.linear_damping = x; });
    add("angular damping", [=](BodyDef& d) { d.angular_damping = x; });
    calls.push_back({"linear damping", [=](Victim& t) { t.world.set_damping(t.body, x, 0); }});
    calls.push_back({"angular damping", [=](Victim& t) { t.world.set_damping(t.body, 0, x); }});
  }
  for (const double x : {kNan, kInf, -kInf, 1e7, -1e7}) {
    add("gravity scale", [=](BodyDef& d) { d.gravity_scale = x; });
    calls.push_back({"gravity scale", [=](Victim& t) { t.world.set_gravity_scale(t.body, x); }});
  }
  add("locked axes", [](BodyDef& d) { d.locked_axes = 64; });
  add("kind", [](BodyDef& d) { d.kind = static_cast<BodyKind>(7); });
  calls.push_back({"locked axes", [](Victim& t) { t.world.set_locked_axes(t.body, ~0u); }});
  calls.push_back({"kind", [](Victim& t) { t.world.set_kind(t.body, static_cast<BodyKind>(-1)); }});
  calls.push_back({"fixed", [](Victim& t) { t.world.set_velocity(t.floor, {{1, 0, 0}, {}}); }});
  calls.push_back({"fixed", [](Victim& t) { t.world.add_force(t.floor, {1, 0, 0}); }});
  calls.push_back({"fixed", [](Victim& t) { t.world.add_impulse_at(t.floor, {1, 0, 0}, {}); }});
  calls.push_back({"itself", [](Victim& t) { t.world.set_collision(t.body, t.body, false); }});
  expect_refused(calls);
}

TEST(BadMaterials, AreRefused) {
  std::vector<Call> calls;
  const auto add = [&](const char* word, const std::function<void(Material&)>& spoil) {
    Material material;
    spoil(material);
    calls.push_back({word, [=](Victim& t) { t.world.set_material(t.shape, material); }});
    calls.push_back(
        {word, [=](Victim& t) { t.world.add_shape(t.body, {.shape = make_sphere(1), .material = material}); }});
    calls.push_back(
        {word, [=](Victim& t) { t.world.add_body({}, {{.shape = make_sphere(1), .material = material}}); }});
  };
  for (const double x : {kNan, kInf, -0.1, 1.1e6}) {
    add("friction", [=](Material& m) { m.friction = x; });
    add("spin_radius", [=](Material& m) { m.spin_radius = x; });
    add("rolling_radius", [=](Material& m) { m.rolling_radius = x; });
  }
  for (const double x : {kNan, kInf, -0.1, 1.01}) add("restitution", [=](Material& m) { m.restitution = x; });
  for (const double x : {kNan, kInf, 1.1e6}) {
    add("static_friction", [=](Material& m) { m.static_friction = x; });
    add("friction_across", [=](Material& m) { m.friction_across = x; });
  }
  add("static_friction", [](Material& m) { m.static_friction = 0.1; });
  for (const Vec3& grain : {Vec3{}, Vec3{kNan, 0, 0}, Vec3{1e300, 0, 0}})
    add("grain", [=](Material& m) { m.grain = grain; });
  add("rule", [](Material& m) { m.friction_rule = static_cast<CombineRule>(9); });
  add("rule", [](Material& m) { m.restitution_rule = static_cast<CombineRule>(-1); });
  expect_refused(calls);
}

TEST(BadShapes, AreRefusedByTheirFactories) {
  const Vec3 flat[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}},
             line[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
  const Vec3 point[] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
  EXPECT_THROW(make_hull(flat), InputError);
  EXPECT_THROW(make_hull(line), InputError);
  EXPECT_THROW(make_hull(point), InputError);
  for (const double x : {0.0, -1.0, kNan, kInf, 1e-9, 1e9}) {
    EXPECT_THROW(make_sphere(x), InputError) << x;
    EXPECT_THROW(make_box({1, x, 1}), InputError) << x;
    EXPECT_THROW(make_capsule(x, 1), InputError) << x;
    EXPECT_THROW(make_capsule(1, x), InputError) << x;
    EXPECT_THROW(make_cylinder(x, 1), InputError) << x;
    EXPECT_THROW(make_cylinder(1, x), InputError) << x;
    EXPECT_THROW(make_cone(x, 1), InputError) << x;
    EXPECT_THROW(make_cone(1, x), InputError) << x;
    EXPECT_THROW(make_height_field(2, 2, x, {0, 0, 0, 0}), InputError) << x;
  }
  for (const double x : {kNan, kInf, 1e9}) {
    EXPECT_THROW(make_half_space({0, 0, 1}, x), InputError);
    EXPECT_THROW(make_height_field(2, 2, 1, {0, x, 0, 0}), InputError);
  }
  EXPECT_THROW(make_half_space({}, 0), InputError);
  EXPECT_THROW(make_half_space({kNan, 0, 1}, 0), InputError);
  EXPECT_THROW(make_height_field(2, 2, 1, {0, 0, 0}), InputError);
  EXPECT_THROW(make_height_field(1, 2, 1, {0, 0}), InputError);
  EXPECT_THROW(make_compound({}), InputError);
  const std::array<std::int32_t, 3> outside[] = {{0, 1, 9}}, repeated[] = {{0, 0, 1}};
  EXPECT_THROW(make_mesh(flat, outside), InputError);
  EXPECT_THROW(make_mesh(flat, repeated), InputError);
}

TEST(BadShapes, MadeByHandAreRefusedAtTheDoor) {
  std::vector<Call> calls;
  const auto add = [&](const char* word, const Shape& shape) {
    calls.push_back({word, [=](Victim& t) { t.world.add_body({.kind = BodyKind::fixed}, {{.shape = shape}}); }});
    calls.push_back({word, [=](Victim& t) { t.world.add_shape(t.floor, {.shape = shape}); }});
    calls.push_back({word, [=](Victim& t) { t.world.overlap_shape(shape, {}); }});
    calls.push_back({word, [=](Victim& t) { t.world.cast_shape(shape, {}, {1, 0, 0}); }});
  };
  add("radius", Sphere{-1});
  add("radius", Sphere{kNan});
  add("box", Box{{1, kInf, 1}});
  add("capsule", Capsule{0, 1});
  add("cylinder", Cylinder{1, -1});
  add("cone", Cone{1, kNan});
  add("half-space", HalfSpace{{0, 0, 2}, 0});
  add("no data", ConvexHull{});
  add("no data", TriangleMesh{});
  add("no data", HeightField{});
  add("no data", Compound{});
  expect_refused(calls);
}

TEST(BadQueries, AreRefused) {
  std::vector<Call> calls;
  for (const double x : {kNan, kInf, -1.0, 1e9})
    calls.push_back({"length", [=](Victim& t) { t.world.cast_ray({}, {1, 0, 0}, x); }});
  calls.push_back({"direction", [](Victim& t) { t.world.cast_ray({}, {}, 1); }});
  calls.push_back({"lower corner", [](Victim& t) { t.world.overlap_box({{1, 0, 0}, {0, 1, 1}}); }});
  calls.push_back({"solid", [](Victim& t) { t.world.cast_shape(make_half_space({0, 0, 1}, 0), {}, {1, 0, 0}); }});
  calls.push_back({"solid", [](Victim& t) { t.world.overlap_shape(make_half_space({0, 0, 1}, 0), {}); }});
  expect_refused(calls);
}

TEST(BadSettings, AreRefused) {
  std::vector<Call> calls;
  const auto add = [&](const char* word, const std::function<void(WorldSettings&)>& spoil) {
    WorldSettings settings;
    spoil(settings);
    calls.push_back({word, [=](Victim& t) { t.world.set_settings(settings); }});
    calls.push_back({word, [=](Victim&) { World world(settings); }});
  };
  add("iterations", [](WorldSettings& s) { s.iterations = -1; });
  add("integrator", [](WorldSettings& s) { s.integrator = static_cast<Integrator>(5); });
  add("solver", [](WorldSettings& s) { s.solver = "gaus_seidel"; });
  add("there is no solver", [](WorldSettings& s) { s.solver = ""; });
  add("setting", [](WorldSettings& s) { s.solver_settings = {{"relaxatoin", "1"}}; });
  add("relaxation", [](WorldSettings& s) { s.solver_settings = {{"relaxation", "nan"}}; });
  add("broad phase", [](WorldSettings& s) { s.broad_phase = "trie"; });
  for (const double x : {kNan, kInf, -1.0}) {
    add("tolerance", [=](WorldSettings& s) { s.tolerance = x; });
    add("contact_rate", [=](WorldSettings& s) { s.stabilisation.contact_rate = x; });
    add("joint_rate", [=](WorldSettings& s) { s.stabilisation.joint_rate = x; });
    add("slop", [=](WorldSettings& s) { s.stabilisation.slop = x; });
    add("max_push", [=](WorldSettings& s) { s.stabilisation.max_push = x; });
    add("bounce_speed", [=](WorldSettings& s) { s.stabilisation.bounce_speed = x; });
    add("margin", [=](WorldSettings& s) { s.margin = x; });
    add("recycle_shift", [=](WorldSettings& s) { s.recycle_shift = x; });
    add("recycle_turn", [=](WorldSettings& s) { s.recycle_turn = x; });
    add("slip_speed", [=](WorldSettings& s) { s.slip_speed = x; });
    add("linear_speed", [=](WorldSettings& s) { s.sleep.linear_speed = x; });
    add("angular_speed", [=](WorldSettings& s) { s.sleep.angular_speed = x; });
    add("sleep.time", [=](WorldSettings& s) { s.sleep.time = x; });
  }
  expect_refused(calls);
}

/// Every function that takes a body, and every one that takes a shape.
std::vector<std::function<void(World&, BodyId)>> body_functions() {
  static const auto other = [](World& w) { return w.bodies()[0]; };
  return {
      [](World& w, BodyId b) { w.remove_body(b); },
      [](World& w, BodyId b) { w.add_shape(b, {.shape = make_sphere(1)}); },
      [](World& w, BodyId b) { w.shapes_of(b); },
      [](World& w, BodyId b) { w.view(b); },
      [](World& w, BodyId b) { w.set_pose(b, {}); },
      [](World& w, BodyId b) { w.set_velocity(b, {}); },
      [](World& w, BodyId b) { w.set_kind(b, BodyKind::fixed); },
      [](World& w, BodyId b) {
        w.set_mass(b, {1, {}, SymMat3::diagonal(1, 1, 1)});
      },
      [](World& w, BodyId b) { w.set_damping(b, 0, 0); },
      [](World& w, BodyId b) { w.set_gravity_scale(b, 1); },
      [](World& w, BodyId b) { w.set_locked_axes(b, 0); },
      [](World& w, BodyId b) { w.set_continuous(b, true); },
      [](World& w, BodyId b) { w.set_may_sleep(b, true); },
      [](World& w, BodyId b) { w.add_force(b, {}); },
      [](World& w, BodyId b) { w.add_force_at(b, {}, {}); },
      [](World& w, BodyId b) { w.add_torque(b, {}); },
      [](World& w, BodyId b) { w.add_impulse(b, {}); },
      [](World& w, BodyId b) { w.add_impulse_at(b, {}, {}); },
      [](World& w, BodyId b) { w.add_angular_impulse(b, {}); },
      [](World& w, BodyId b) { w.wake(b); },
      [](World& w, BodyId b) { w.release(b); },
      [](World& w, BodyId b) { w.set_collision(b, other(w), false); },
      [](World& w, BodyId b) { w.set_collision(other(w), b, false); },
      [](World& w, BodyId b) {
        w.cast_ray({}, {1, 0, 0}, 1, {.ignore = b});
      },
      [](World& w, BodyId b) {
        w.cast_shape(make_sphere(1), {}, {1, 0, 0}, {.ignore = b});
      },
      [](World& w, BodyId b) { w.overlap_shape(make_sphere(1), {}, {.ignore = b}); },
      [](World& w, BodyId b) {
        w.overlap_box({{}, {}}, {.ignore = b});
      },
  };
}

std::vector<std::function<void(World&, ShapeId)>> shape_functions() {
  return {
      [](World& w, ShapeId s) { w.remove_shape(s); },     [](World& w, ShapeId s) { w.set_material(s, {}); },
      [](World& w, ShapeId s) { w.set_filter(s, 1, 1); }, [](World& w, ShapeId s) { w.shape_def(s); },
      [](World& w, ShapeId s) { w.body_of(s); },
  };
}

TEST(BadHandles, AreRefusedByEveryFunction) {
  // Stale, forged (a slot or a generation that never was), and of a larger world.
  Victim large;
  for (int i = 0; i < 5; ++i) large.world.add_body({.pose = {{3.0 * i, 9, 9}, {}}}, {{.shape = make_sphere(0.1)}});
  const BodyId foreign = large.world.bodies().back();
  const ShapeId foreign_shape = large.world.shapes_of(foreign)[0];
  std::vector<Call> calls;
  const auto add_body_call = [&](const auto& act, BodyId id) {
    calls.push_back({"names no body", [=](Victim& t) { act(t.world, id); }});
  };
  const auto functions = body_functions();
  for (std::size_t i = 0; i < functions.size(); ++i) {
    for (const BodyId id : {BodyId{1, 7}, BodyId{99, 0}, BodyId{0xfffffffe, 0xffffffff}, foreign})
      add_body_call(functions[i], id);
    if (i < 23) add_body_call(functions[i], BodyId{});  // a null `ignore` means none
  }
  for (const auto& act : shape_functions())
    for (const ShapeId id : {ShapeId{}, ShapeId{1, 7}, ShapeId{99, 0}, foreign_shape})
      calls.push_back({"names no shape", [=](Victim& t) { act(t.world, id); }});
  expect_refused(calls);
}

TEST(StaleHandles, AreRefusedAfterRemovalAndReuse) {
  Victim victim;
  World& world = victim.world;
  world.remove_body(victim.body);
  for (int round = 0; round < 2; ++round) {
    for (const auto& act : body_functions()) EXPECT_THROW(act(world, victim.body), InputError);
    for (const auto& act : shape_functions()) EXPECT_THROW(act(world, victim.shape), InputError);
    EXPECT_FALSE(world.contains(victim.body));
    EXPECT_FALSE(world.contains(victim.shape));
    world.add_body({}, {{.shape = make_sphere(1)}, {.shape = make_sphere(1)}});  // takes the slots
  }
}

TEST(AStep, ThatASolverRefusesLeavesAWorldThatGoesOn) {
  // The reference solver takes no joints, and locked axes are some.
  WorldSettings settings;
  settings.solver = "reference";
  World world(settings);
  const BodyId body = world.add_body({.locked_axes = kLockX}, {{.shape = make_sphere(1)}});
  const Hash128 before = world.state_hash();
  EXPECT_THROW(world.step(0.01), InputError);
  EXPECT_EQ(world.state_hash(), before);
  EXPECT_EQ(world.step_count(), 0);
  settings.solver = "gauss_seidel";
  world.set_settings(settings);
  world.step(0.01);
  EXPECT_LT(world.view(body).velocity.linear.z, 0);
}

TEST(WorkerCounts, ChangeNothingAndHaveALimit) {
  // A38: 0 means every processor. The limit is the same on every machine.
  Hash128 hash[3];
  const int counts[3] = {1, 0, kMostThreads};
  for (int k = 0; k < 3; ++k) {
    WorldSettings settings;
    settings.threads = counts[k];
    World world(settings);
    add_ramp(world, 0, rough(0.5));
    for (int i = 0; i < 30; ++i) world.add_body({.pose = {{0.1 * i, 0, 1.0 + i}, {}}}, {{.shape = make_sphere(0.5)}});
    run(world, 3, 1.0 / 60);
    hash[k] = world.state_hash();
  }
  for (int k = 1; k < 3; ++k) EXPECT_EQ(hash[k], hash[0]) << counts[k] << " threads";
  for (const int bad : {-1, kMostThreads + 1, 1000, 10000}) {
    WorldSettings settings;
    settings.threads = bad;
    World world;
    EXPECT_NE(refusal([&] { world.set_settings(settings); }).find("threads is " + std::to_string(bad)),
              std::string::npos);
    EXPECT_NE(refusal([&] { World other(settings); }).find("[0, 256]"), std::string::npos);
    EXPECT_NE(refusal([&] { make_pool(bad); }).find("threads"), std::string::npos);
    EXPECT_EQ(world.settings().threads, 1);
  }
}

/// Identical balls in one place, at rest; the state after some steps.
Hash128 run_coincident(int count, int steps, int threads) {
  WorldSettings settings;
  settings.threads = threads;
  settings.iterations = 2;
  settings.measure_residual = false;
  World world(settings);
  for (int i = 0; i < count; ++i) world.add_body({.pose = {{1, 2, 3}, {}}}, {{.shape = make_sphere(0.5)}});
  run(world, steps, 1.0 / 60);
  for (const BodyId id : world.bodies())
    EXPECT_TRUE(is_finite(world.view(id).pose) && is_finite(world.view(id).velocity));
  return world.state_hash();
}

TEST(ManyBodiesAtOnePoint, RunFiniteAndDeterministic) {
  // A35: 700,000 contacts among 1,200 balls for one step, in more than a thousand colours; fewer balls
  // for longer.
  EXPECT_EQ(run_coincident(1200, 1, 1), run_coincident(1200, 1, 2));
  EXPECT_EQ(run_coincident(300, 20, 1), run_coincident(300, 20, 2));
}

TEST(ExtremeMassRatio, StaysFinite) {
  // A13: 1e9 between touching bodies, the heavy one on top.
  World world;
  add_ramp(world, 0, rough(0.5));
  const SymMat3 light = SymMat3::diagonal(1e-3, 1e-3, 1e-3), heavy = SymMat3::diagonal(1e6, 1e6, 1e6);
  world.add_body({.pose = {{0, 0, 0.5}, {}}, .mass = MassProperties{1e-2, {}, light}},
                 {{.shape = make_box({0.5, 0.5, 0.5})}});
  world.add_body({.pose = {{0, 0, 1.5}, {}}, .mass = MassProperties{1e7, {}, heavy}},
                 {{.shape = make_box({0.5, 0.5, 0.5})}});
  for (int i = 0; i < 1000; ++i) {
    world.step(1.0 / 60);
    for (const BodyId id : world.bodies())
      ASSERT_TRUE(is_finite(world.view(id).pose) && is_finite(world.view(id).velocity));
  }
  for (const BodyId id : world.bodies()) EXPECT_LT(norm(world.view(id).pose.position), 100);
}

}  // namespace
}  // namespace cairn
