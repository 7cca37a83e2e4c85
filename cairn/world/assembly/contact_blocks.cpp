// SPDX-License-Identifier: MIT
#include "cairn/world/assembly/contact_blocks.h"

#include <algorithm>

#include "cairn/core/index.h"
#include "cairn/world/limits.h"

namespace cairn {

ManifoldContext manifold_context(const ContactSource& from, const ContactManifold& m) {
  const BroadPair& pair = from.cache.pairs()[to_index(m.pair)];
  const auto a = to_index(pair.a), b = to_index(pair.b);
  ManifoldContext c;
  c.material = from.materials.combined(from.shapes.material[a], from.shapes.material[b], from.shapes.def[a].material,
                                       from.shapes.def[b].material);
  c.stored = make_frame(m.normal);
  Frame frame = c.stored;
  if (c.material.grain_of != 0) {
    const std::size_t owner = c.material.grain_of == 1 ? a : b;
    frame =
        make_frame_along(m.normal, rotate(from.shapes.pose[owner].orientation, from.shapes.def[owner].material.grain));
    c.turned = true;
  }
  c.block.body_a = from.shapes.body[a], c.block.body_b = from.shapes.body[b];
  c.block.normal = frame.normal, c.block.tangent1 = frame.tangent1, c.block.tangent2 = frame.tangent2;
  c.block.spin_radius = c.material.spin_radius;
  c.block.restitution = c.material.restitution;
  return c;
}

namespace {

/// Newton's law holds at the moment of impact, here the beginning of the step; what pulls acts on the rebound, too:
/// u' = -e u + dt a. A rebound that gives way to the pull within the step is none.
void prepare_bounce(const ContactProblem& problem, double approach, ContactBlock& block) {
  const Velocity& pull_a = problem.bodies[to_index(block.body_a)].acceleration;
  const Velocity& pull_b = problem.bodies[to_index(block.body_b)].acceleration;
  const double change = problem.dt * contact_velocity(block, pull_a, pull_b)[0];
  // A body that bounces within this step bounces now: waiting at the surface would lose its speed.
  if (block.gap > 0 && block.gap + problem.dt * (approach + change) <= 0) block.gap = 0;
  block.restitution = std::clamp(block.restitution - change / approach, 0.0, 1.0);
}

/// How much overlap of a contact that bounces is seen: what push-out gives to bodies in flight they keep, so that
/// elastic ones may be pushed at kGentle only.
double least_gap(const ContactProblem& problem, double restitution) {
  constexpr double kGentle = 0.02;  // m/s
  const Stabilisation& s = problem.stabilisation;
  const double fastest = (1 - restitution) * s.max_push + restitution * kGentle;
  return s.contact_rate > 0 ? -(s.slop + problem.dt * fastest / s.contact_rate) : -kLargestPosition;
}

}  // namespace

void fill_contact(const WorldSettings& settings, const Assembly& assembly, const ManifoldContext& c,
                  const ContactPoint& point, ContactBlock& block) {
  const ContactProblem& problem = assembly.problem;
  block = c.block;
  const auto a = to_index(block.body_a), b = to_index(block.body_b);
  block.arm_a = point.position - assembly.centre[a];
  block.arm_b = point.position - assembly.centre[b];
  block.gap = double{point.separation};
  block.friction1 = c.material.friction1, block.friction2 = c.material.friction2;
  if (block.restitution > 0 && !assembly.impacts.is_joined(block)) {
    block.gap = std::max(block.gap, least_gap(problem, block.restitution));
    block.restitution = 0;  // what bounces has done so (impacts.h)
  }
  const bool may_stick = c.material.static_friction1 != c.material.friction1;
  if (!may_stick && block.restitution == 0) return;
  const std::array<double, 4> v = contact_velocity(block, problem.bodies[a].velocity, problem.bodies[b].velocity);
  if (may_stick && v[1] * v[1] + v[2] * v[2] < settings.slip_speed * settings.slip_speed)
    block.friction1 = c.material.static_friction1, block.friction2 = c.material.static_friction2;
  if (block.restitution > 0 && v[0] < -settings.stabilisation.bounce_speed) prepare_bounce(problem, v[0], block);
}

std::array<double, 4> warm_impulse(const ManifoldContext& c, const ContactPoint& point, double scale) {
  double s = double{point.tangent_impulse[0]}, t = double{point.tangent_impulse[1]};
  if (c.turned) {
    const Vec3 tangential = s * c.stored.tangent1 + t * c.stored.tangent2;
    s = dot(c.block.tangent1, tangential), t = dot(c.block.tangent2, tangential);
  }
  return {scale * double{point.normal_impulse}, scale * s, scale * t, scale * double{point.spin_impulse}};
}

namespace {

/// The tangential part of an impulse in the frame in which the cache keeps it.
void turn_to_stored(const ContactManifold& m, const ContactBlock& c, std::array<double, 4>& impulse) {
  const Frame stored = make_frame(m.normal);
  const Vec3 tangential = impulse[1] * c.tangent1 + impulse[2] * c.tangent2;
  impulse[1] = dot(stored.tangent1, tangential);
  impulse[2] = dot(stored.tangent2, tangential);
}

}  // namespace

void keep_impulse(const ContactSource& from, const ContactManifold& manifold, const ContactBlock& block,
                  std::array<double, 4> impulse, ContactPoint& point) {
  if (from.materials.any_grain()) turn_to_stored(manifold, block, impulse);
  point.normal_impulse = static_cast<float>(kept_impulse(impulse[0]));
  point.tangent_impulse[0] = static_cast<float>(kept_impulse(impulse[1]));
  point.tangent_impulse[1] = static_cast<float>(kept_impulse(impulse[2]));
  point.spin_impulse = static_cast<float>(kept_impulse(impulse[3]));
}

}  // namespace cairn
