// SPDX-License-Identifier: MIT
// One body on a slope through the origin that falls towards +x: Coulomb's law in its simplest forms.
#include <cmath>

#include "scenes/scene_family.h"
#include "scenes/scene_parts.h"

namespace cairn::scenes {

namespace {

/// The slope, and the normal to it.
Vec3 add_slope(World& world, double angle, const Material& material) {
  const Vec3 normal{std::sin(angle), 0, std::cos(angle)};
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space(normal, 0), .material = material}});
  return normal;
}

/// Sticks if and only if tan(angle) <= friction; else slides with g (sin - friction cos): 2.35629 m/s^2 by default.
void build_incline(World& world, const SceneValues& values) {
  constexpr Vec3 kHalf{0.5, 0.5, 0.25};
  const double angle = values.get("angle") * kDegree;
  const Material material = rubbing(values.get("friction"));
  const Vec3 normal = add_slope(world, angle, material);
  add_box(world, {kHalf.z * normal, turn({0, 1, 0}, angle)}, kHalf, material);
}

/// Rolls with 5/7 g sin(angle), 1.81358 m/s^2 by default, if friction is at least 2/7 tan(angle).
void build_rolling_sphere(World& world, const SceneValues& values) {
  constexpr double kRadius = 0.05, kMass = 0.1, kInertia = 0.4 * kMass * kRadius * kRadius;
  const Material material = rubbing(values.get("friction"));
  const Vec3 normal = add_slope(world, values.get("angle") * kDegree, material);
  world.add_body({.pose = {kRadius * normal, {}},
                  .mass = MassProperties{kMass, {}, SymMat3::diagonal(kInertia, kInertia, kInertia)}},
                 {{.shape = make_sphere(kRadius), .material = material}});
}

}  // namespace

std::vector<SceneFamily> incline_scenes() {
  const ParameterSpec angle{"angle", 30, 0, 44, "degrees from the horizontal"};
  ParameterSpec gentle = angle;
  gentle.value = 15;
  return {
      {.name = "incline",
       .summary = "a block on a slope: sticks if and only if tan(angle) <= friction",
       .parameters = {friction_parameter(0.3), angle},
       .build = build_incline,
       .steps = 60,
       .measure_from = 0,
       .measure_to = 60,
       .floor = -1000},
      {.name = "rolling_sphere",
       .summary = "a sphere of 5 cm rolls down a slope with 5/7 g sin(angle)",
       .parameters = {friction_parameter(), gentle},
       .build = build_rolling_sphere,
       .steps = 60,
       .measure_from = 0,
       .measure_to = 60,
       .floor = -1000},
  };
}

}  // namespace cairn::scenes
