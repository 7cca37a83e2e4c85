// SPDX-License-Identifier: MIT
#include "scenes/elastic_scenes.h"

#include <algorithm>
#include <cmath>

#include "scenes/scene_family.h"

namespace cairn::scenes {

namespace {

/// One row of the table.
struct ElasticFamily {
  std::string name;
  std::string summary;
  std::vector<ParameterSpec> parameters;
  ElasticScene (*build)(const SceneValues& values, int threads) = nullptr;
};

/// A grid of that spacing that holds a box with room for the bands of solids.
Grid grid_around(const Aabb& box, double spacing) {
  const Vec3 margin = (kGridMargin + 1) * spacing * Vec3{1, 1, 1};
  const Vec3 lower = box.lower - margin, size = box.upper + margin - lower;
  const auto cells = [&](double length) { return static_cast<std::int32_t>(std::ceil(length / spacing)); };
  return {lower, spacing, {cells(size.x), cells(size.y), cells(size.z)}};
}

/// Litven 2013, 7.2: nine cylinders of length 5 m and diameter 3 m that meet at 4 m/s, friction 1, dt 0.005 s. The
/// thesis names no material and no grid.
ElasticScene build_cylinders(const SceneValues& values, int threads) {
  constexpr double kRadius = 1.5, kHalfLength = 2.5, kSpeed = 4, kGap = 0.1;
  const double spacing = values.get("spacing"), pitch = 2 * kRadius + kGap, half = pitch + kRadius + 0.4;
  ElasticSettings settings;
  settings.grid = grid_around({{-half, -half, -kHalfLength - 0.2}, {half, half, kHalfLength + 0.2}}, spacing);
  settings.gravity = {};
  settings.cfl = 0.9;
  settings.threads = threads;
  settings.staggered.schur = values.get("direct") == 0;
  const double dt = 0.02 * spacing;  // 0.005 s for 0.25 m
  ElasticScene scene{"cylinders_3x3", dt, static_cast<int>(std::ceil(0.5 / dt)), ElasticWorld(settings)};
  ElasticBodyDef def;
  def.shape = make_cylinder(kRadius, kHalfLength);
  def.material = {.density = 1000, .young = values.get("young"), .poisson = 0.3, .friction = values.get("friction")};
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j) {
      const double length = std::sqrt(static_cast<double>(i * i + j * j));
      def.pose.position = {i * pitch, j * pitch, 0};
      def.velocity.linear =
          length > 0 ? (-kSpeed / length) * Vec3{static_cast<double>(i), static_cast<double>(j), 0} : Vec3{};
      scene.world.add_body(def);
    }
  return scene;
}

/// Soft cubes in two layers that fall on a floor and on each other.
ElasticScene build_jelly(const SceneValues& values, int threads) {
  constexpr double kHalf = 0.25, kPitch = 0.62;
  const double spacing = values.get("spacing"), reach = 1.1;
  ElasticSettings settings;
  settings.grid = grid_around({{-reach, -reach, -0.1}, {reach, reach, 1.7}}, spacing);
  settings.cfl = 0.8;
  settings.threads = threads;
  ElasticScene scene{"jelly_cubes", 0.01, 100, ElasticWorld(settings)};
  const double friction = values.get("friction");
  scene.world.rigid().add_body({.kind = BodyKind::fixed},
                               {{.shape = make_half_space({0, 0, 1}, 0), .material = {.friction = friction}}});
  ElasticBodyDef def;
  def.shape = make_box({kHalf, kHalf, kHalf});
  def.material = {.young = values.get("young"), .viscosity = 20, .friction = friction};
  for (int layer = 0; layer < 2; ++layer)
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.5, 0.5}) {
        const double shift = layer == 0 ? 0 : 0.1;
        def.pose.position = {x * kPitch + shift, y * kPitch + shift, 0.4 + 0.7 * layer};
        scene.world.add_body(def);
      }
  return scene;
}

/// A block between two rigid boxes: the lower one stands, the upper one presses with its weight and slides along z.
ElasticScene build_squeeze(const SceneValues& values, int threads) {
  constexpr double kHalf = 0.15, kPlate = 0.25, kThick = 0.05, kGap = 0.01;
  const double spacing = values.get("spacing"), friction = values.get("friction");
  ElasticSettings settings;
  settings.grid = grid_around({{-0.3, -0.3, -kHalf - 0.1}, {0.3, 0.3, kHalf + 0.1}}, spacing);
  settings.cfl = 0.8;
  settings.threads = threads;
  ElasticScene scene{"squeeze", 0.005, 100, ElasticWorld(settings)};
  World& rigid = scene.world.rigid();
  const ShapeDef plate{.shape = make_box({kPlate, kPlate, kThick}), .material = {.friction = friction}};
  rigid.add_body({.kind = BodyKind::fixed, .pose = {{0, 0, -kHalf - kThick}}}, {plate});
  BodyDef press{.pose = {{0, 0, kHalf + kThick + kGap}}};
  const double volume = 8 * kPlate * kPlate * kThick;
  ShapeDef heavy = plate;
  heavy.density = values.get("load") / volume;
  const BodyId upper = rigid.add_body(press, {heavy});
  const Pose guide = frame_along(press.pose.position, {0, 0, 1});
  rigid.add_joint(rigid.joint_at({}, upper, guide, PrismaticJoint{}));
  ElasticBodyDef def;
  def.shape = make_box({kHalf, kHalf, kHalf});
  def.material = {.young = values.get("young"), .viscosity = 50, .friction = friction};
  scene.world.add_body(def);
  return scene;
}

/// A rigid ball that falls on a soft bed.
ElasticScene build_bed(const SceneValues& values, int threads) {
  constexpr double kWidth = 0.5, kHalf = 0.125, kRadius = 0.15, kDrop = 0.15;
  const double spacing = values.get("spacing"), friction = values.get("friction");
  ElasticSettings settings;
  settings.grid = grid_around({{-0.6, -0.6, -0.1}, {0.6, 0.6, 0.4}}, spacing);
  settings.cfl = 0.8;
  settings.threads = threads;
  ElasticScene scene{"elastic_bed", 0.005, 200, ElasticWorld(settings)};
  World& rigid = scene.world.rigid();
  rigid.add_body({.kind = BodyKind::fixed},
                 {{.shape = make_half_space({0, 0, 1}, 0), .material = {.friction = friction}}});
  rigid.add_body(
      {.pose = {{0.05, 0, 2 * kHalf + kRadius + kDrop}}},
      {{.shape = make_sphere(kRadius), .material = {.friction = friction}, .density = values.get("density")}});
  ElasticBodyDef def;
  def.shape = make_box({kWidth, kWidth, kHalf});
  def.pose.position = {0, 0, kHalf};
  def.material = {.young = values.get("young"), .viscosity = 30, .friction = friction};
  scene.world.add_body(def);
  return scene;
}

/// A free bar that rings along its axis in its n-th mode: f = n sqrt(E/rho)/(2 L), nu = 0.
ElasticScene build_bar(const SceneValues& values, int threads) {
  constexpr double kLength = 0.5, kHalfWidth = 0.125, kYoung = 1e5, kDensity = 1000;
  const int mode = values.whole("mode");
  ElasticSettings settings;
  settings.grid = grid_around({{-0.3, -0.15, -0.15}, {0.3, 0.15, 0.15}}, values.get("spacing"));
  settings.gravity = {};
  settings.threads = threads;
  const double period = 2 * kLength / (mode * std::sqrt(kYoung / kDensity));
  ElasticScene scene{"bar_modes", period / 100, 200, ElasticWorld(settings)};
  ElasticBodyDef def;
  def.shape = make_box({kLength / 2, kHalfWidth, kHalfWidth});
  def.material = {.density = kDensity, .young = kYoung, .poisson = 0};
  def.velocity_field = [mode](const Vec3& x) {
    return Vec3{0.05 * std::cos(mode * kPi * (x.x / kLength + 0.5)), 0, 0};
  };
  scene.world.add_body(def);
  return scene;
}

ParameterSpec spacing_parameter(double value, double least, double most) {
  return {"spacing", value, least, most, "m, edge of a cell"};
}
ParameterSpec young_parameter(double value) { return {"young", value, 1e3, 1e8, "Pa, of the solids"}; }

const std::vector<ElasticFamily>& families() {
  static const std::vector<ElasticFamily> kFamilies{
      {"cylinders_3x3",
       "nine elastic cylinders that meet in the middle (Litven 2013, 7.2)",
       {spacing_parameter(0.25, 0.05, 0.5),
        young_parameter(1.19e6),
        friction_parameter(1),
        {"direct", 0, 0, 1, "1: a factorisation per active set instead of SCHURPA", true}},
       build_cylinders},
      {"jelly_cubes",
       "eight soft cubes that fall on a floor and on each other",
       {spacing_parameter(0.06, 0.01, 0.1), young_parameter(2e4), friction_parameter(0.4)},
       build_jelly},
      {"elastic_bed",
       "a rigid ball that falls on a soft bed",
       {spacing_parameter(0.05, 0.01, 0.08),
        young_parameter(5e4),
        friction_parameter(0.5),
        {"density", 800, 50, 5000, "kg/m^3, of the ball"}},
       build_bed},
      {"squeeze",
       "an elastic block between rigid boxes; the upper one slides in a joint",
       {spacing_parameter(0.0375, 0.01, 0.06),
        young_parameter(1e5),
        friction_parameter(0.5),
        {"load", 60, 1, 1000, "kg, of the upper box"}},
       build_squeeze},
      {"bar_modes",
       "a free bar that rings along its axis: f = mode sqrt(E/rho)/(2 L)",
       {spacing_parameter(0.0416666666666666666, 0.005, 0.06), {"mode", 1, 1, 3, "half waves along the bar", true}},
       build_bar},
  };
  return kFamilies;
}

}  // namespace

std::vector<SceneInfo> elastic_scene_table() {
  std::vector<SceneInfo> table;
  for (const ElasticFamily& f : families()) table.push_back({f.name, f.name, f.summary, describe(f.parameters)});
  return table;
}

bool is_elastic_scene(std::string_view name) {
  return std::any_of(families().begin(), families().end(), [&](const ElasticFamily& f) { return f.name == name; });
}

Expected<ElasticScene> make_elastic_scene(std::string_view name, const NamedSettings& parameters, int threads) {
  for (const ElasticFamily& family : families()) {
    if (family.name != name) continue;
    try {
      return family.build(parse_values(family.name, family.parameters, 0, parameters), threads);
    } catch (const InputError& problem) {
      return Error{problem.kind(), problem.what()};
    }
  }
  return Error{ErrorKind::bad_input, "there is no elastic scene of that name; `cairn scenes` lists them"};
}

}  // namespace cairn::scenes
