// SPDX-License-Identifier: MIT
// The description of a whole scene file: settings, generators, cameras, and the lists of everything else.
#include <fmt/format.h>

#include "cairn/scenefile/fields_json.h"
#include "cairn/scenefile/scene_file.h"
#include "cairn/world/limits.h"

namespace cairn {

namespace {

constexpr const char* kIntegrators[] = {"symplectic_euler", "velocity_verlet"};
constexpr const char* kProjections[] = {"automatic", "off", "on"};
constexpr const char* kGenerators[] = {"lattice", "pour"};
constexpr const char* kFormats[] = {kSceneFormat};
constexpr std::int64_t kMost = 1'000'000'000;
constexpr Range kSpeed{0, kLargestSpeed};

void describe_solver(Fields& f, WorldSettings& s) {
  f.text("name", s.solver, "one of `cairn solvers`");
  std::int64_t iterations = s.iterations;
  f.whole("iterations", iterations, 0, kMost, "sweeps per step");
  s.iterations = static_cast<int>(iterations);
  f.number("tolerance", s.tolerance, {0, 1e6}, "residual at which a solve stops; 0: all iterations are run");
  f.named_values("settings", s.solver_settings, "those that `cairn solvers` lists for it");
}

void describe_stabilisation(Fields& f, Stabilisation& s) {
  f.number("contact_rate", s.contact_rate, {0, 1}, "Baumgarte factor: fraction of an overlap removed per step");
  f.number("joint_rate", s.joint_rate, {0, 1}, "fraction of a joint's error removed per step");
  f.number("slop", s.slop, {0, 1}, "m of overlap that are left alone");
  f.number("max_push", s.max_push, kSpeed,
           "m/s, contact push velocity: limit of the speed that removes overlaps and joint errors");
  f.number("bounce_speed", s.bounce_speed, kSpeed, "m/s, slower impacts do not bounce");
}

void describe_sleep(Fields& f, SleepSettings& s) {
  f.flag("enabled", s.enabled, "whether islands at rest sleep");
  f.number("linear_speed", s.linear_speed, kSpeed, "m/s");
  f.number("angular_speed", s.angular_speed, kSpeed, "rad/s");
  f.number("time", s.time, {0, 1e9}, "s an island must be slower than that");
}

void describe_projection(Fields& f, JointProjectionSettings& s) {
  f.named("use", s.use, kProjections, "automatic: with ldl_pgs, soft_step and exact");
  f.number("tolerance", s.tolerance, {1e-12, 1}, "m or rad; what is apart by less is left alone");
  std::int64_t iterations = s.iterations;
  f.whole("iterations", iterations, 0, 1000, "Newton steps at most");
  s.iterations = static_cast<int>(iterations);
}

void describe_settings(Fields& f, WorldSettings& s) {
  std::int64_t sub_steps = s.sub_steps;
  f.whole("sub_steps", sub_steps, 1, kMostSubSteps, "parts that each step is done in, each with detection");
  s.sub_steps = static_cast<int>(sub_steps);
  f.flag("warm_start", s.warm_start, "begin every solve from the impulses of the last step");
  f.flag("measure_residual", s.measure_residual, "judge answers");
  std::int64_t every = s.measure_every;
  f.whole("measure_every", every, 0, 1000000000,
          "judge every so manieth step; 0: each, with soft_step every sixteenth");
  s.measure_every = static_cast<int>(every);
  f.text("broad_phase", s.broad_phase, "tree, sweep_and_prune, grid or exhaustive");
  f.named("integrator", s.integrator, kIntegrators, "how velocities become poses");
  f.object(
      "stabilisation", [&](Fields& x) { describe_stabilisation(x, s.stabilisation); },
      "how overlaps and joint errors are removed");
  f.object(
      "joint_projection", [&](Fields& x) { describe_projection(x, s.joint_projection); },
      "whether joints are closed on the level of positions");
  f.number("margin", s.margin, {0, 10}, "speculative margin: m ahead of touching at which contacts are made");
  f.flag("recycling", s.recycling, "keep the manifolds of bodies that barely moved");
  f.number("recycle_shift", s.recycle_shift, {0, 1}, "m that a body may move before its manifolds are made anew");
  f.number("recycle_turn", s.recycle_turn, {0, 1}, "rad that it may turn");
  f.number("slip_speed", s.slip_speed, kSpeed, "m/s, slower contacts stick with the static coefficient");
  f.object(
      "sleep", [&](Fields& x) { describe_sleep(x, s.sleep); }, "when islands fall asleep");
}

void describe_lattice(Fields& f, SceneGenerator& g) {
  double count[3] = {static_cast<double>(g.nx), static_cast<double>(g.ny), static_cast<double>(g.nz)};
  f.numbers("count", count, {1, static_cast<double>(kMostSceneBodies)}, "bodies along x, y, z", Need::required);
  for (const double n : count)
    if (n != static_cast<double>(static_cast<std::int64_t>(n))) f.refuse("count", "must be whole numbers");
  g.nx = static_cast<std::int64_t>(count[0]), g.ny = static_cast<std::int64_t>(count[1]),
  g.nz = static_cast<std::int64_t>(count[2]);
  f.vector("first", g.first, kLargestPosition, "m, place of the first body");
  f.vector("spacing", g.spacing, kLargestPosition, "m between neighbours along x, y, z", Need::required);
  f.number("shift", g.shift, {0, 1e6}, "m, most that each is moved along each axis, at random");
}

void describe_pour(Fields& f, SceneGenerator& g) {
  f.whole("count", g.count, 1, static_cast<std::int64_t>(kMostSceneBodies), "bodies", Need::required);
  f.vector("lower", g.lower, kLargestPosition, "m, lower corner of the box that is filled from below", Need::required);
  f.vector("upper", g.upper, kLargestPosition, "m, its upper corner", Need::required);
  f.number("speed", g.speed, kSpeed, "m/s, most of each component of the velocity, at random");
}

void describe_generator(Fields& f, SceneGenerator& g) {
  f.place(g.place);
  f.text("name", g.name, "bodies are called NAME.0, NAME.1, ...", Need::required);
  int type = static_cast<int>(g.type);
  f.variant(
      "type", type, kGenerators,
      [&](int k) {
        g.type = static_cast<GeneratorType>(k);
        g.type == GeneratorType::lattice ? describe_lattice(f, g) : describe_pour(f, g);
      },
      "a regular lattice, or bodies dropped at random without overlap");
  f.number("turn", g.turn, {0, 180}, "degrees, most that each is turned about a random axis");
  f.whole("seed", g.seed, 0, kMost, "of the random numbers");
  f.list(
      "bodies", g.bodies, 1, 1000, [](Fields& x, SceneBody& b) { describe(x, b); },
      "patterns; a lattice takes one after the other, a pour a random one; places are relative to the generated one");
}

void describe_camera(Fields& f, SceneCamera& c) {
  f.text("name", c.name, "what it is called");
  f.vector("position", c.position, kLargestPosition, "m");
  f.vector("target", c.target, kLargestPosition, "m, what it looks at");
  f.vector("up", c.up, 1e6, "direction");
  f.number("field_of_view", c.field_of_view, {1, 170}, "degrees, vertical");
}

}  // namespace

void describe(Fields& f, SceneFile& s) {
  int format = 0;
  f.text("$schema", s.schema, "address of the schema, for editors");
  f.choice("format", format, kFormats, "what this file is", Need::required);
  f.text("name", s.name, "of the scene; without: that of the file");
  f.text("description", s.description, "for people");
  f.number("dt", s.dt, {kShortestStep, kLongestStep}, "s per step");
  f.whole("steps", s.steps, 1, kMost, "that the scene is meant to be run for");
  f.number("floor", s.floor, {-kLargestPosition, kLargestPosition}, "m; a body below has fallen through something");
  f.vector("gravity", s.settings.gravity, 1e6, "m/s^2");
  f.object(
      "solver", [&](Fields& x) { describe_solver(x, s.settings); }, "what solves every step");
  f.object(
      "settings", [&](Fields& x) { describe_settings(x, s.settings); }, "everything else about a step");
  f.list(
      "materials", s.materials, 0, 100'000, [](Fields& x, SceneMaterial& m) { describe(x, m); }, "surfaces");
  f.list(
      "bodies", s.bodies, 0, kMostSceneBodies, [](Fields& x, SceneBody& b) { describe(x, b); }, "bodies");
  f.list("generators", s.generators, 0, 10'000, describe_generator, "many bodies from few words");
  f.list(
      "joints", s.joints, 0, kMostSceneJoints, [](Fields& x, SceneJoint& j) { describe(x, j); }, "joints");
  f.name_pairs("no_collision", s.no_collision, "pairs of bodies that never collide with each other");
  f.object(
      "elastic", [&](Fields& x) { describe(x, s.elastic); }, "elastic solids on a grid, in contact with the bodies");
  f.list("cameras", s.cameras, 0, 1000, describe_camera, "views; the first is the one to begin with");
}

std::string write_scene(const SceneFile& file) {
  SceneFile copy = file;
  const auto fresh = [](Fields& f) {
    SceneFile empty;
    describe(f, empty);
  };
  return to_text(write_fields([&](Fields& f) { describe(f, copy); }, fresh));
}

std::string scene_schema() {
  JsonValue schema = json_object();
  add_member(schema, "$schema", json_text("http://json-schema.org/draft-07/schema#"));
  add_member(schema, "title", json_text("Cairn scene"));
  SceneFile fresh;
  const JsonValue body = with_definitions(schema_of([&](Fields& f) { describe(f, fresh); }));
  schema.members.insert(schema.members.end(), body.members.begin(), body.members.end());
  return to_text(schema);
}

}  // namespace cairn
