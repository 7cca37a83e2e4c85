// SPDX-License-Identifier: MIT
#include "cairn/record/frame.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "cairn/core/index.h"
#include "cairn/dynamics/material.h"

namespace cairn {

namespace {

constexpr double kAtBound = 1 - 1e-3;  // of the friction bound: what counts as sliding

constexpr const char* kStatistics[] = {"kinetic_energy",
                                       "potential_energy",
                                       "residual",
                                       "iterations",
                                       "bodies",
                                       "awake_bodies",
                                       "pairs",
                                       "manifolds",
                                       "contacts",
                                       "islands",
                                       "sleeping_islands",
                                       "colours",
                                       "max_overlap",
                                       "mean_overlap",
                                       "joints",
                                       "max_joint_error",
                                       "max_joint_angle_error",
                                       "broken_joints",
                                       "quarantined",
                                       "ms_broad",
                                       "ms_narrow",
                                       "ms_cache",
                                       "ms_graph",
                                       "ms_assemble",
                                       "ms_solve",
                                       "ms_advance"};

static_assert(std::size(kStatistics) == 19 + kStageCount, "every stage of a step has its column");

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr Pose kNowhere{{kNaN, kNaN, kNaN}, {kNaN, kNaN, kNaN, kNaN}};  // of bodies that are not there

Vec3 in_world(const World& world, ShapeId shape, const Vec3& direction) {
  const Pose body = world.view(world.body_of(shape)).pose;
  return rotate(body.orientation, rotate(world.shape_def(shape).pose.orientation, direction));
}

Vec3 velocity_at(const World& world, BodyId body, const Vec3& point) {
  const BodyView view = world.view(body);
  return view.velocity.linear + cross(view.velocity.angular, point - view.centre);
}

}  // namespace

const char* to_string(ContactMode mode) {
  constexpr const char* kNames[] = {"open", "stick", "slide"};
  return kNames[to_index(mode)];
}

ContactMode contact_mode(const World& world, const ContactView& c) {
  const double normal = dot(c.impulse, c.normal);
  if (!(normal > 0)) return ContactMode::open;
  const Vec3 past = velocity_at(world, c.body_b, c.point) - velocity_at(world, c.body_a, c.point);
  if (norm(past - dot(past, c.normal) * c.normal) <= world.settings().slip_speed) return ContactMode::stick;
  const Material &a = world.shape_def(c.shape_a).material, &b = world.shape_def(c.shape_b).material;
  const ContactMaterial m = combine(a, b);
  Frame frame;
  if (m.grain_of == 0)
    frame = make_frame(c.normal);
  else
    frame = make_frame_along(
        c.normal, m.grain_of == 1 ? in_world(world, c.shape_a, a.grain) : in_world(world, c.shape_b, b.grain));
  // (along / friction1)^2 + (across / friction2)^2 = normal^2 on the bound; products, so that no friction is no trouble
  const double along = dot(c.impulse, frame.tangent1) * m.friction2,
               across = dot(c.impulse, frame.tangent2) * m.friction1;
  const double bound = kAtBound * m.friction1 * m.friction2 * normal;
  return along * along + across * across >= bound * bound ? ContactMode::slide : ContactMode::stick;
}

MotionFrame take_frame(const World& world, std::span<const BodyId> bodies, bool with_contacts,
                       std::span<const JointId> joints) {
  MotionFrame frame;
  frame.step = world.step_count(), frame.time = world.time();
  std::vector<std::int32_t> place;  // by slot
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    if (!world.contains(bodies[k])) {
      frame.pose.push_back(kNowhere), frame.velocity.push_back({kNowhere.position, kNowhere.position});
      frame.awake.push_back(0);
      continue;
    }
    const BodyView body = world.view(bodies[k]);
    frame.pose.push_back(body.pose);
    frame.velocity.push_back(body.velocity);
    frame.awake.push_back(body.asleep ? 0 : 1);
    place.resize(std::max<std::size_t>(place.size(), bodies[k].index + std::size_t{1}), -1);
    place[bodies[k].index] = static_cast<std::int32_t>(k);
  }
  for (const JointId joint : joints)
    frame.joints.push_back(world.contains(joint) ? read_joint(world, joint) : no_reading());
  if (!with_contacts) return frame;
  for (const ContactView& c : world.contacts()) {
    const auto place_of = [&](BodyId id) { return id.index < place.size() ? place[id.index] : -1; };
    if (place_of(c.body_a) < 0 || place_of(c.body_b) < 0) continue;
    frame.contacts.push_back({place_of(c.body_a), place_of(c.body_b), c.point, c.normal, c.impulse, c.separation,
                              contact_mode(world, c), c.colour});
  }
  return frame;
}

std::string shape_names(const World& world, BodyId body) {
  constexpr const char* kNames[] = {"sphere",     "box",  "capsule",      "cylinder", "cone",
                                    "half_space", "hull", "height_field", "mesh",     "compound"};
  static_assert(std::size(kNames) == std::variant_size_v<Shape>);
  std::string names;
  for (const ShapeId shape : world.shapes_of(body)) {
    if (names.size() > 60) return names + " ...";
    if (!names.empty()) names += " ";
    names += kNames[world.shape_def(shape).shape.index()];
  }
  return names;
}

std::span<const char* const> statistic_names() { return kStatistics; }

std::vector<double> statistics_of(const StepReport& r) {
  std::vector<double> values{r.kinetic_energy, r.potential_energy, r.solve.residual,
                             static_cast<double>(r.solve.iterations)};
  for (const std::int64_t count : {r.bodies, r.awake_bodies, r.pairs, r.manifolds, r.contacts, r.islands,
                                   r.sleeping_islands, std::int64_t{r.colours}})
    values.push_back(static_cast<double>(count));
  for (const double x :
       {r.max_overlap, r.mean_overlap, static_cast<double>(r.joints), r.max_joint_error, r.max_joint_angle_error,
        static_cast<double>(r.broken_joints.size()), static_cast<double>(r.quarantined.size())})
    values.push_back(x);
  for (const double seconds : r.times.wall) values.push_back(1e3 * seconds);
  CAIRN_ASSERT(values.size() == std::size(kStatistics));
  return values;
}

}  // namespace cairn
