// SPDX-License-Identifier: MIT
// The impact of a continuous body within a step: one round (impacts.h) of all points at which the two shapes touch,
// with their restitution and friction. The impulse acts on both bodies at once, so that momentum is kept and energy
// never grows; what else holds the other body takes part in the next solve.
#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/world/assembly/impacts.h"
#include "cairn/world/continuous.h"
#include "cairn/world/limits.h"
#include "cairn/world/world_state.h"

namespace cairn {

namespace {

constexpr double kOpposite = -0.5;  ///< points with a normal so far from that of the touch push to the wrong side

/// The other side of a touch.
struct Other {
  std::size_t body;
  BodyPath path;
  FastBody* fast;  ///< if it is continuous
  bool keeps_path;
  bool is_asleep;
};

Other other_side(WorldState& world, std::size_t shape) {
  const Bodies& bodies = world.bodies;
  const auto body = to_index(world.shapes.body[shape]);
  const std::int32_t number = world.continuous.number[body];
  FastBody* fast = number >= 0 ? &world.continuous.bodies[to_index(number)] : nullptr;
  return {body, fast != nullptr ? fast->path : planned_path(world, body), fast,
          fast == nullptr || fast->is_tied || fast->meetings >= kMostMeetings, (bodies.status[body] & kAsleep) != 0};
}

Velocity velocity_at(const WorldState& world, const FastBody& fast, double time) {
  return {fast.velocity.linear + (time - fast.path.begin) * world.assembly.problem.dt * fast.acceleration,
          fast.velocity.angular};
}

Velocity velocity_at(const WorldState& world, const Other& other, double time) {
  const Bodies& bodies = world.bodies;
  if (other.fast != nullptr) return velocity_at(world, *other.fast, time);
  if (bodies.is_active(other.body)) return world.assembly.solution.velocity[other.body];
  return bodies.is_moving_kinematic(other.body) ? bodies.velocity[other.body] : Velocity{};
}

/// A body as the impact sees it.
ProblemBody impact_body(const WorldState& world, std::size_t body, const Quat& orientation, const Velocity& velocity) {
  ProblemBody result;
  result.velocity = velocity;
  if (!world.bodies.is_active(body)) return result;
  result.inverse_mass = world.bodies.mass[body].inverse_mass;
  result.inverse_inertia = world_inverse_inertia(world.bodies, body, orientation);
  return result;
}

/// Moments of a touch: where both bodies are.
struct Meeting {
  std::size_t shape_a, shape_b;
  Pose a, b;
  const Touch& touch;
};

void add_row(ContinuousWork& work, const Meeting& m, const Vec3& normal, const Vec3& point, double gap) {
  ImpactRow row;
  ContactBlock& c = row.contact;
  const Frame frame = make_frame(normal);
  c.body_a = 0, c.body_b = 1;
  c.normal = frame.normal, c.tangent1 = frame.tangent1, c.tangent2 = frame.tangent2;
  c.arm_a = point - m.a.position, c.arm_b = point - m.b.position;
  c.gap = gap;
  row.point = point, row.is_active = true;
  work.rows.push_back(row);
}

/// The points at which the shapes touch, or else the one that the sweep found.
void find_rows(WorldState& world, const Meeting& m) {
  ContinuousWork& work = world.continuous;
  const Shapes& shapes = world.shapes;
  work.rows.clear(), work.manifolds.clear();
  CollideMemory memory;
  collide(shapes.shape[m.shape_a], m.a * shapes.local[m.shape_a], shapes.shape[m.shape_b],
          m.b * shapes.local[m.shape_b], 2 * touch_skin(world, m.shape_a), memory, work.manifolds);
  for (const PartManifold& part : work.manifolds)
    for (int k = 0; k < part.manifold.count; ++k) {
      const ManifoldPoint& p = part.manifold.point[to_index(k)];
      if (dot(part.manifold.normal, m.touch.normal) > kOpposite)
        add_row(work, m, part.manifold.normal, 0.5 * (p.on_a + p.on_b), p.separation);
    }
}

/// Targets of the rows, and whether any of them approaches.
bool aim_rows(const WorldState& world, const ContactMaterial& material, ContinuousWork& work, double& fastest) {
  fastest = 0;
  for (ImpactRow& row : work.rows) {
    ContactBlock& c = row.contact;
    c.friction1 = c.friction2 = std::min(material.friction1, material.friction2);
    find_masses(work.pair, row);
    row.impulse = {};
    row.before = contact_velocity(c, work.pair.bodies[0].velocity, work.pair.bodies[1].velocity);
    const double v = row.before[0];
    row.target = v < -world.settings.stabilisation.bounce_speed ? -material.restitution * v : 0;
    fastest = std::max(fastest, -v);
  }
  return fastest > 0;
}

/// The impulses of the touch. Returns their sum along the normal.
double push(WorldState& world, const Meeting& m, const ContactMaterial& material) {
  ContinuousWork& work = world.continuous;
  double fastest = 0;
  find_rows(world, m);
  if (!aim_rows(world, material, work, fastest)) {
    work.rows.clear();
    add_row(work, m, m.touch.normal, m.touch.point, m.touch.distance);
    if (!aim_rows(world, material, work, fastest)) return 0;
  }
  solve_round(work.pair, fastest, work.rows);
  double sum = 0;
  for (const ImpactRow& row : work.rows) sum += row.impulse[0];
  return sum;
}

/// Bodies of extreme masses may get velocities that mean nothing.
bool is_sound(const ContinuousWork& work) {
  const auto is_within = [](const Vec3& v) { return dot(v, v) <= kBrokenSpeed * kBrokenSpeed; };  // false for NaN
  return std::all_of(work.pair.bodies.begin(), work.pair.bodies.end(), [&](const ProblemBody& body) {
    return is_within(body.velocity.linear) && is_within(body.velocity.angular);
  });
}

/// Locked ways stay as they were.
Velocity unlocked(const WorldState& world, std::size_t body, const Velocity& before, Velocity after) {
  const std::uint32_t locked = world.bodies.record[body].locked_axes;
  if ((locked & kLockX) != 0) after.linear.x = before.linear.x;
  if ((locked & kLockY) != 0) after.linear.y = before.linear.y;
  if ((locked & kLockZ) != 0) after.linear.z = before.linear.z;
  return after;
}

/// The path from a pose on, freely: s = v t + a t^2 / 2.
BodyPath free_path(const WorldState& world, const FastBody& fast, const Pose& start, double begin) {
  const double dt = world.assembly.problem.dt;
  return {start,
          {dt * (fast.velocity.linear + 0.5 * (1 - begin) * dt * fast.acceleration), dt * fast.velocity.angular},
          begin};
}

/// Along with another body: what it touches at x carries it to the image of x.
BodyPath path_along(const BodyPath& other, const Pose& start, double begin) {
  if (!(begin < 1)) return {start, {}, begin};
  const Vec3 end = transform(other.at(1), transform_back(other.at(begin), start.position));
  return {start, {(1 / (1 - begin)) * (end - start.position), other.way.angular}, begin};
}

/// The acceleration, m/s^2, with which a surface that turns comes nearer to a body that goes straight on: seen from
/// there the body is accelerated by -2 w x v - w x (w x r).
double turning_in(const ContactBlock& c, const Velocity& body, const Velocity& surface) {
  const Vec3& w = surface.angular;
  const Vec3 v = body.linear - surface.linear - cross(w, c.arm_b);
  return std::max(0.0, -dot(c.normal, 2 * cross(w, v) + cross(w, cross(w, c.arm_b))));
}

/// Until the end of the step a body must not get into the path of another that keeps it, whatever the velocities after
/// the impact are, and comes out of it if it is in. That changes its path alone, so that it costs and gives no speed.
void keep_off(WorldState& world, const Other& other, FastBody& fast) {
  ContinuousWork& work = world.continuous;
  const double dt = world.assembly.problem.dt, rest = (1 - fast.path.begin) * dt;
  const auto per_second = [&](const Velocity& way) { return Velocity{(1 / dt) * way.linear, (1 / dt) * way.angular}; };
  work.pair.bodies[0].velocity = per_second(fast.path.way);
  work.pair.bodies[1] = {};
  work.pair.bodies[1].velocity = per_second(other.path.way);
  double fastest = 0;
  aim_rows(world, {}, work, fastest);
  for (ImpactRow& row : work.rows) {
    if (row.contact.gap < 0 && rest > 0)
      row.target = std::min(world.settings.stabilisation.max_push, -row.contact.gap / rest);
    row.target += 0.5 * rest * turning_in(row.contact, work.pair.bodies[0].velocity, work.pair.bodies[1].velocity);
    fastest = std::max(fastest, row.target - row.before[0]);
  }
  if (!(fastest > 0)) return;
  sweep_round(work.pair, fastest, work.rows);
  const Velocity& v = work.pair.bodies[0].velocity;
  fast.path.way = unlocked(world, to_index(fast.body), fast.path.way, {dt * v.linear, dt * v.angular});
}

void change_path(WorldState& world, FastBody& fast, const BodyPath& path) {
  if (!fast.is_changed()) world.continuous.changed.push_back(world.continuous.number[to_index(fast.body)]);
  fast.path = path, ++fast.version;
}

/// The body waits where it is, until the end of the step.
void tie(WorldState& world, const Meeting& m, const Other& other, FastBody& fast) {
  fast.is_tied = true;
  change_path(world, fast, path_along(other.path, m.a, m.touch.time));
}

void tell_hit(ContinuousWork& work, const Meeting& m, double impulse) {
  Hit hit{static_cast<std::int32_t>(m.shape_a),
          static_cast<std::int32_t>(m.shape_b),
          m.touch.point,
          m.touch.normal,
          m.touch.time,
          impulse};
  if (hit.shape_a > hit.shape_b) std::swap(hit.shape_a, hit.shape_b), hit.normal = -hit.normal;
  work.hits.push_back(hit);
}

}  // namespace

BodyPath planned_path(const WorldState& world, std::size_t body) {
  const Bodies& bodies = world.bodies;
  const double dt = world.assembly.problem.dt;
  BodyPath path{bodies.pose[body], {}, 0};
  if (bodies.is_active(body))
    path.way = world.assembly.solution.displacement[body];
  else if (bodies.is_moving_kinematic(body))
    path.way = {dt * bodies.velocity[body].linear, dt * bodies.velocity[body].angular};
  return path;
}

void resolve_touch(WorldState& world, FastBody& fast) {
  ContinuousWork& work = world.continuous;
  const Touch touch = fast.next.touch;
  const Other other = other_side(world, to_index(fast.next.other));
  const auto body = to_index(fast.body);
  const Meeting m{to_index(fast.next.shape), to_index(fast.next.other), fast.path.at(touch.time),
                  other.path.at(touch.time), touch};
  fast.velocity = velocity_at(world, fast, touch.time);
  // The contact of the next step wakes it, and meets the whole speed.
  if (other.is_asleep) return tie(world, m, other, fast);
  Velocity& its_velocity = other.fast != nullptr ? other.fast->velocity : world.assembly.solution.velocity[other.body];
  const Velocity before = velocity_at(world, other, touch.time);
  work.pair.bodies.resize(2);
  work.pair.bodies[0] = impact_body(world, body, m.a.orientation, fast.velocity);
  work.pair.bodies[1] = impact_body(world, other.body, m.b.orientation, before);
  const auto a = m.shape_a, b = m.shape_b;
  const Shapes& shapes = world.shapes;
  const double impulse = push(
      world, m,
      world.materials.combined(shapes.material[a], shapes.material[b], shapes.def[a].material, shapes.def[b].material));
  if (!is_sound(work)) return tie(world, m, other, fast);
  tell_hit(work, m, impulse);
  fast.velocity = unlocked(world, body, fast.velocity, work.pair.bodies[0].velocity);
  change_path(world, fast, free_path(world, fast, m.a, touch.time));
  const Velocity after = unlocked(world, other.body, before, work.pair.bodies[1].velocity);
  if (!other.keeps_path) {
    other.fast->velocity = after;
    change_path(world, *other.fast, free_path(world, *other.fast, m.b, touch.time));
    ++other.fast->meetings, ++fast.meetings;
    return;
  }
  if (world.bodies.is_active(other.body))
    its_velocity.linear += after.linear - before.linear, its_velocity.angular += after.angular - before.angular;
  keep_off(world, other, fast);
  ++(other.fast != nullptr ? fast.meetings : fast.impacts);
  if (fast.impacts >= kMostImpacts) tie(world, m, other, fast);
}

}  // namespace cairn
