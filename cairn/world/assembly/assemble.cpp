// SPDX-License-Identifier: MIT
#include "cairn/world/assembly/assemble.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/dynamics/integrate.h"
#include "cairn/world/assembly/contact_blocks.h"
#include "cairn/world/assembly/impacts.h"

namespace cairn {

namespace {

constexpr std::int64_t kBodyGrain = 512;
constexpr std::int64_t kSlabGrain = 4;

/// v -> v / (1 + c dt): damping by the implicit Euler rule, never reverses a motion.
Vec3 damped(const Vec3& v, double rate, double dt) { return (1.0 / (1.0 + rate * dt)) * v; }

/// The velocity of a body without the turning that is locked: it has no inverse inertia there to be stopped by.
Velocity held_velocity(const Bodies& bodies, std::size_t i) {
  Velocity v = bodies.velocity[i];
  const std::uint32_t locked = bodies.record[i].locked_axes;
  if ((locked & kLockTurnX) != 0) v.angular.x = 0;
  if ((locked & kLockTurnY) != 0) v.angular.y = 0;
  if ((locked & kLockTurnZ) != 0) v.angular.z = 0;
  return v;
}

/// External accelerations: gravity, forces, free turning, damping.
Velocity external_acceleration(const Bodies& bodies, std::size_t i, const ProblemBody& body, const Vec3& gravity,
                               double dt) {
  const MassState& mass = bodies.mass[i];
  const BodyRecord& record = bodies.record[i];
  const Velocity& v = body.velocity;
  Velocity a{record.gravity_scale * gravity + mass.inverse_mass * record.force, body.inverse_inertia * record.torque};
  if ((record.locked_axes & kLockTurns) == 0 && !is_isotropic(mass.inertia)) {  // balls and cubes just turn on
    const Quat& q = bodies.pose[i].orientation;
    const Vec3 before = rotate_back(q, v.angular);
    const Vec3 after = turn_freely(mass.inertia, mass.inverse_inertia, before, dt);
    if (!(after == before)) a.angular += (1.0 / dt) * rotate(q, after - before);
  }
  if (record.linear_damping > 0)
    a.linear = (1.0 / dt) * (damped(v.linear + dt * a.linear, record.linear_damping, dt) - v.linear);
  if (record.angular_damping > 0)
    a.angular = (1.0 / dt) * (damped(v.angular + dt * a.angular, record.angular_damping, dt) - v.angular);
  return a;
}

/// Returns whether it has an axis that is held.
bool fill_body(const Bodies& bodies, std::size_t i, const Vec3& gravity, double dt, Assembly& out) {
  ProblemBody& body = out.problem.bodies[i];
  body = {};
  out.centre[i] = bodies.pose[i].position;
  if ((bodies.status[i] & kKinematic) != 0) body.velocity = bodies.velocity[i];
  if (!bodies.is_active(i)) return false;
  body.inverse_mass = bodies.mass[i].inverse_mass;
  body.inverse_inertia = world_inverse_inertia(bodies, i);
  body.velocity = held_velocity(bodies, i);
  body.acceleration = external_acceleration(bodies, i, body, gravity, dt);
  return (bodies.record[i].locked_axes & (kLockX | kLockY | kLockZ)) != 0;
}

/// Fills the movers, and those of the step before that are none any more; all if there are more or fewer bodies than
/// then. Returns whether any has an axis that is held.
bool fill_bodies(const BodySource& from, double dt, ThreadPool* pool, Assembly& out) {
  const Bodies& bodies = from.bodies;
  const Movers& movers = from.movers;
  std::atomic<bool> any_held = false;
  const auto fill_all = [&](std::size_t count, auto&& body_at) {
    for_each_index(pool, count, kBodyGrain, [&](std::size_t k) {
      if (const std::int64_t i = body_at(k); i >= 0 && fill_body(bodies, to_index(i), from.settings.gravity, dt, out))
        any_held.store(true);
    });
  };
  const bool all = out.problem.bodies.size() != bodies.size() + 1;
  out.problem.bodies.resize(bodies.size() + 1), out.centre.resize(bodies.size() + 1);
  out.problem.bodies.back() = {}, out.centre.back() = {};
  if (all) {
    fill_all(bodies.size(), [](std::size_t k) { return static_cast<std::int64_t>(k); });
  } else {
    fill_all(out.filled.size(), [&](std::size_t k) -> std::int64_t {
      return movers.is_listed[to_index(out.filled[k])] != 0 ? -1 : out.filled[k];
    });
    fill_all(movers.bodies.size(), [&](std::size_t k) -> std::int64_t { return movers.bodies[k]; });
  }
  out.filled = movers.bodies;
  return any_held.load();
}

bool all_are_active(const Bodies& bodies) {
  return std::none_of(bodies.status.begin(), bodies.status.end(), [](std::uint8_t status) {
    return (status & kDynamic) != 0 && (status & (kAsleep | kQuarantined)) != 0;
  });
}

}  // namespace

namespace {

OverlapSums overlaps_of(const Slab& slab) {
  OverlapSums sums;
  // Four sums side by side: one would wait for each addition before the next.
  constexpr std::size_t kSide = 4;
  double sum[kSide] = {}, deepest[kSide] = {};
  const auto add = [&](const ContactPoint& p, std::size_t k) {
    const double depth = std::max(0.0, -double{p.separation});
    deepest[k] = std::max(deepest[k], depth);
    sum[k] += depth;
  };
  const std::size_t whole = slab.points.size() / kSide * kSide;
  for (std::size_t i = 0; i < whole; i += kSide)
    for (std::size_t k = 0; k < kSide; ++k) add(slab.points[i + k], k);
  for (std::size_t i = whole; i < slab.points.size(); ++i) add(slab.points[i], i - whole);
  sums.sum = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  sums.deepest = std::max({deepest[0], deepest[1], deepest[2], deepest[3]});
  sums.points = static_cast<std::int64_t>(slab.points.size());
  return sums;
}

}  // namespace

void count_overlaps(std::size_t slabs, Assembly& out) { out.overlaps.resize(slabs), out.summed.resize(slabs, 0); }

void sum_overlaps(const Slab& slab, std::size_t s, Assembly& out) {
  if (out.summed[s] == slab.computed && slab.is_still()) return;
  out.overlaps[s] = overlaps_of(slab);
  out.summed[s] = slab.computed;
}

namespace {

/// Contacts per slab and how deep they are.
void count_contacts(const ContactSource& from, ThreadPool* pool, Assembly& out) {
  const std::span<const Slab> slabs = from.cache.slabs();
  out.first_contact.assign(slabs.size() + 1, 0);
  count_overlaps(slabs.size(), out);
  parallel_for(pool, static_cast<std::int64_t>(slabs.size()), kSlabGrain, [&](std::int64_t begin, std::int64_t end) {
    for (auto s = to_index(begin); s < to_index(end); ++s) {
      sum_overlaps(slabs[s], s, out);
      if (from.is_at_rest(slabs[s])) continue;
      for (const ContactManifold& m : slabs[s].manifolds)
        if (takes_part(from, out, m)) out.first_contact[s + 1] += m.count;
    }
  });
  for (std::size_t s = 0; s < slabs.size(); ++s) out.first_contact[s + 1] += out.first_contact[s];
}

void fill_slab(const ContactSource& from, std::size_t s, Assembly& out) {
  const Slab& slab = from.cache.slabs()[s];
  if (from.is_at_rest(slab)) return;
  auto k = to_index(out.first_contact[s]);
  std::int64_t edge = from.graph.first_edge()[s] - 1;
  std::int32_t last_pair = -1;
  for (const ContactManifold& m : slab.manifolds) {
    if (m.pair != last_pair) ++edge;
    last_pair = m.pair;
    if (!takes_part(from, out, m)) continue;
    const ManifoldContext context = manifold_context(from, m);
    for (std::int32_t j = 0; j < m.count; ++j, ++k) {
      const ContactPoint& point = slab.points[to_index(m.first_point + j)];
      fill_contact(from.settings, out, context, point, out.problem.contacts[k]);
      out.solution.contact_impulse[k] = warm_impulse(context, point, from.impulse_scale);
      out.contact_colour[k] = from.graph.colour()[to_index(edge)];
    }
  }
}

}  // namespace

void assemble_bodies(const BodySource& from, double dt, ThreadPool* pool, Assembly& out) {
  out.problem.dt = dt;
  out.problem.stabilisation = from.settings.stabilisation;
  out.any_locked = fill_bodies(from, dt, pool, out);
  out.all_take_part = all_are_active(from.bodies);
  out.has_contacts = out.is_in_lanes = false;
  out.problem.contacts.clear(), out.solution.contact_impulse.clear(), out.solution.contact_carry.clear();
}

void renew_accelerations(const Bodies& bodies, const Vec3& gravity, Assembly& out) {
  if (out.impacts.impacts.empty()) return;
  for (const ImpactRow& row : out.impacts.rows)
    for (const std::int32_t i : {row.contact.body_a, row.contact.body_b}) {
      ProblemBody& body = out.problem.bodies[to_index(i)];
      if (row.total > 0 && body.is_dynamic())
        body.acceleration = external_acceleration(bodies, to_index(i), body, gravity, out.problem.dt);
    }
}

void assemble_contacts(const ContactSource& from, ThreadPool* pool, Assembly& out) {
  ContactProblem& problem = out.problem;
  count_contacts(from, pool, out);
  const auto contacts = to_index(out.first_contact.back());
  problem.contacts.resize(contacts);
  out.solution.contact_impulse.resize(contacts), out.solution.contact_carry.clear();
  out.contact_colour.resize(contacts);
  for_each_index(pool, from.cache.slabs().size(), kSlabGrain, [&](std::size_t s) { fill_slab(from, s, out); });
  out.has_contacts = true, out.is_in_lanes = false;
}

void scatter_impulses(const Assembly& assembly, const ContactSource& from, ContactCache& cache, ThreadPool* pool) {
  const std::span<Slab> slabs = cache.slabs();
  const auto& carried =
      assembly.solution.contact_carry.empty() ? assembly.solution.contact_impulse : assembly.solution.contact_carry;
  parallel_for(pool, static_cast<std::int64_t>(slabs.size()), kSlabGrain, [&](std::int64_t begin, std::int64_t end) {
    for (auto s = to_index(begin); s < to_index(end); ++s) {
      if (from.is_at_rest(slabs[s])) continue;
      auto k = to_index(assembly.first_contact[s]);
      for (const ContactManifold& m : slabs[s].manifolds) {
        if (!takes_part(from, assembly, m)) continue;
        for (std::int32_t j = 0; j < m.count; ++j, ++k) {
          ContactPoint& point = slabs[s].points[to_index(m.first_point + j)];
          keep_impulse(from, m, assembly.problem.contacts[k], carried[k], point);
        }
      }
    }
  });
}

}  // namespace cairn
