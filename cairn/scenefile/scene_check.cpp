// SPDX-License-Identifier: MIT
// Warnings: what a scene may contain but is rarely meant to.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cairn/measures/jitter.h"
#include "cairn/scenefile/scene_file.h"
#include "cairn/world/limits.h"

namespace cairn {

namespace {

constexpr double kLightest = 1, kHeaviest = 25'000;  // kg/m^3, foam and osmium
constexpr double kSmallest = 1e-3, kLargest = 100;   // m, usual sizes of bodies that move
constexpr double kMassRatio = 1e4;                   // of touching bodies; above it iterative solvers are slow
constexpr std::size_t kMostOfAKind = 5;

/// Collects warnings. Those of one kind beyond the first few are only counted.
class Warnings {
 public:
  void add(const std::string& kind, const std::string& text) {
    if (++count_[kind] <= kMostOfAKind) list_.push_back(text);
  }
  std::vector<std::string> finish() {
    for (const auto& [kind, count] : count_)
      if (count > kMostOfAKind) list_.push_back(fmt::format("{} more {}", count - kMostOfAKind, kind));
    return std::move(list_);
  }

 private:
  std::map<std::string, std::size_t> count_;
  std::vector<std::string> list_;
};

/// The volume in m^3 of the box around the shapes of a body, in the body's axes. It is 0 if the box is not bounded.
double box_volume(const World& world, BodyId body) {
  Aabb box{{1e30, 1e30, 1e30}, {-1e30, -1e30, -1e30}};
  for (const ShapeId shape : world.shapes_of(body)) {
    const ShapeDef& def = world.shape_def(shape);
    box = unite(box, bounds(def.shape, def.pose));
  }
  const Vec3 side = box.upper - box.lower;
  const double volume = side.x * side.y * side.z;
  return side.x > 0 && std::isfinite(volume) ? volume : 0;
}

void look_at_body(const World& world, BodyId id, const std::string& name, double dt, Warnings& out) {
  const BodyView body = world.view(id);
  if (body.kind != BodyKind::dynamic) return;
  const double size = body_size(world, id), volume = box_volume(world, id);
  // A body fills only a part of its box: a cone about a quarter, a thin compound less.
  if (volume > 0 && (body.mass / volume > kHeaviest || body.mass / volume < 0.02 * kLightest))
    out.add("strange densities",
            fmt::format("{} has {:.3g} kg in a box of {:.3g} m^3: is that its mass?", name, body.mass, volume));
  if (size < kSmallest || size > kLargest)
    out.add("strange sizes", fmt::format("{} is {:.3g} m long: lengths are metres, is the scale right?", name, size));
  const double trace = body.inertia.xx + body.inertia.yy + body.inertia.zz;
  if (size > 0 && std::isfinite(size) && trace > 4 * body.mass * size * size)
    out.add("strange inertias", fmt::format("{} has an inertia of {:.3g} kg m^2, more than its mass at a distance of "
                                            "its size would have",
                                            name, trace / 2));
  if (norm(body.velocity.linear) * dt > size)
    out.add("fast bodies", fmt::format("{} moves {:.3g} m per step, more than its size of {:.3g} m: set \"continuous\" "
                                       "or a smaller dt",
                                       name, norm(body.velocity.linear) * dt, size));
}

void look_at_contacts(const World& world, const std::map<BodyId, std::string>& names, Warnings& out) {
  std::map<std::pair<BodyId, BodyId>, double> deepest;
  for (const ContactView& c : world.contacts()) {
    double& depth = deepest[std::minmax(c.body_a, c.body_b)];
    depth = std::min(depth, c.separation);
  }
  const double slop = world.settings().stabilisation.slop;
  for (const auto& [pair, separation] : deepest) {
    const std::string &a = names.at(pair.first), &b = names.at(pair.second);
    if (separation < -1.5 * slop)
      out.add("overlaps", fmt::format("{} and {} overlap by {:.3g} mm at the start: they will be pushed apart", a, b,
                                      -1e3 * separation));
    const double ma = world.view(pair.first).mass, mb = world.view(pair.second).mass;
    if (ma > 0 && mb > 0 && std::max(ma, mb) > kMassRatio * std::min(ma, mb))
      out.add("large mass ratios", fmt::format("{} ({:.3g} kg) touches {} ({:.3g} kg): such a mass ratio needs many "
                                               "iterations",
                                               a, ma, b, mb));
  }
}

void look_at_joints(const World& world, const LoadedScene& scene, Warnings& out) {
  for (const auto& [name, id] : scene.joints) {
    const JointView view = world.view(id);
    if (view.separation > 1e-3 || view.misalignment > 1e-2)
      out.add("joints apart",
              fmt::format("joint {} begins {:.3g} mm and {:.3g} rad apart: it will be pulled together",
                          name.empty() ? "without a name" : name, 1e3 * view.separation, view.misalignment));
  }
}

}  // namespace

std::vector<std::string> scene_warnings(const LoadedScene& scene) {
  Warnings out;
  std::map<BodyId, std::string> names;
  const std::vector<BodyId> bodies = scene.world.bodies();
  std::size_t moving = 0;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const std::string& name = scene.body_names[k];
    names[bodies[k]] = name.empty() ? fmt::format("body {}", k) : name;
    moving += scene.world.view(bodies[k]).kind == BodyKind::dynamic ? 1 : 0;
    look_at_body(scene.world, bodies[k], names[bodies[k]], scene.dt, out);
  }
  if (moving == 0) out.add("scenes", "nothing in this scene can move");
  World copy(scene.world.settings());
  if (copy.restore(scene.world.save())) return out.finish();
  WorldSettings settings = copy.settings();
  settings.joint_projection.use = JointProjection::off;  // the errors of joints are to be seen as they begin
  copy.set_settings(settings);
  copy.step(kShortestStep);
  look_at_contacts(copy, names, out);
  look_at_joints(copy, scene, out);
  return out.finish();
}

}  // namespace cairn
