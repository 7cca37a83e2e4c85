// SPDX-License-Identifier: MIT
#include "cairn/world/assembly/impacts.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "cairn/core/index.h"
#include "cairn/world/assembly/contact_blocks.h"

namespace cairn {

namespace {

constexpr std::int64_t kSlabGrain = 4;
constexpr int kMostRounds = 8, kMostSweeps = 100;
constexpr double kSettled = 1e-12;  ///< of the largest speed of a round: a sweep that changes less was the last

double restitution_of(const ContactSource& from, const BroadPair& pair) {
  const auto a = to_index(pair.a), b = to_index(pair.b);
  const ContactMaterial* listed = from.materials.listed(from.shapes.material[a], from.shapes.material[b]);
  return listed != nullptr ? listed->restitution
                           : combine(from.shapes.def[a].material, from.shapes.def[b].material).restitution;
}

/// Who bounces in the solve: bodies of joint rows.
void find_joined(Assembly& out) {
  std::vector<std::uint8_t>& joined = out.impacts.joined;
  joined.assign(out.problem.bodies.size(), 0);
  for (const JointBlock& joint : out.problem.joints)
    for (const std::int32_t body : {joint.body_a, joint.body_b})
      if (out.problem.bodies[to_index(body)].is_dynamic()) joined[to_index(body)] = 1;
}

std::array<double, 4> velocity_of(const ContactProblem& problem, const ContactBlock& c) {
  return contact_velocity(c, problem.bodies[to_index(c.body_a)].velocity, problem.bodies[to_index(c.body_b)].velocity);
}
/// What external forces add to the velocity of b from a along the normal within the step.
double pull(const ContactProblem& problem, const ContactBlock& c) {
  return problem.dt * contact_velocity(c, problem.bodies[to_index(c.body_a)].acceleration,
                                       problem.bodies[to_index(c.body_b)].acceleration)[0];
}

bool bounces(const Assembly& assembly, double gap, double v, double pull) {
  return v < -assembly.problem.stabilisation.bounce_speed && gap + assembly.impacts.horizon * (v + pull) <= 0;
}

/// Marks the islands of a slab in which something bounces.
void find_hits(const ContactSource& from, const Assembly& assembly, std::size_t s, std::vector<std::uint8_t>& is_hit) {
  const Slab& slab = from.cache.slabs()[s];
  std::int64_t edge = from.graph.first_edge()[s] - 1;
  std::int32_t last_pair = -1;
  for (const ContactManifold& m : slab.manifolds) {
    if (m.pair != last_pair) ++edge;
    last_pair = m.pair;
    const BroadPair& pair = from.cache.pairs()[to_index(m.pair)];
    if (restitution_of(from, pair) == 0 || !takes_part(from, assembly, m)) continue;
    ContactBlock c;
    c.body_a = from.shapes.body[to_index(pair.a)], c.body_b = from.shapes.body[to_index(pair.b)];
    if (assembly.impacts.is_joined(c)) continue;
    c.normal = m.normal;
    for (std::int32_t j = 0; j < m.count; ++j) {
      const ContactPoint& point = slab.points[to_index(m.first_point + j)];
      c.arm_a = point.position - assembly.centre[to_index(c.body_a)];
      c.arm_b = point.position - assembly.centre[to_index(c.body_b)];
      if (!bounces(assembly, double{point.separation}, velocity_of(assembly.problem, c)[0], pull(assembly.problem, c)))
        continue;
      std::atomic_ref(is_hit[to_index(from.graph.islands().of_edge[to_index(edge)])])
          .store(1, std::memory_order_relaxed);
    }
  }
}

/// Lists the contacts of the islands in which something bounces, by island and in the order of the cache.
void gather_rows(const ContactSource& from, Assembly& out) {
  ImpactWork& work = out.impacts;
  work.rows.clear();
  for (std::size_t s = 0; s < from.cache.slabs().size(); ++s) {
    const Slab& slab = from.cache.slabs()[s];
    if (from.is_at_rest(slab)) continue;
    std::int64_t edge = from.graph.first_edge()[s] - 1;
    std::int32_t last_pair = -1;
    for (const ContactManifold& m : slab.manifolds) {
      if (m.pair != last_pair) ++edge;
      last_pair = m.pair;
      const std::int32_t island = from.graph.islands().of_edge[to_index(edge)];
      if (island < 0 || work.is_hit[to_index(island)] == 0 || !takes_part(from, out, m)) continue;
      const ManifoldContext context = manifold_context(from, m);
      for (std::int32_t j = 0; j < m.count; ++j) {
        ImpactRow row;
        const ContactPoint& point = slab.points[to_index(m.first_point + j)];
        fill_contact(from.settings, out, context, point, row.contact);
        row.restitution = out.impacts.is_joined(row.contact) ? 0 : context.material.restitution;
        row.island = island, row.pair = m.pair, row.point = point.position;
        row.order = static_cast<std::int32_t>(work.rows.size());
        find_masses(out.problem, row);
        row.pull = pull(out.problem, row.contact);
        work.rows.push_back(row);
      }
    }
  }
  std::sort(work.rows.begin(), work.rows.end(), [](const ImpactRow& x, const ImpactRow& y) {
    return std::pair(x.island, x.order) < std::pair(y.island, y.order);
  });
}

/// What of a change of impulse acts on bodies that can move: others are shared by islands.
void apply(ContactProblem& problem, const ContactBlock& c, const std::array<double, 4>& change) {
  ProblemBody &a = problem.bodies[to_index(c.body_a)], &b = problem.bodies[to_index(c.body_b)];
  Velocity va = a.velocity, vb = b.velocity;
  apply_contact_impulse(problem, c, change, va, vb);
  if (a.is_dynamic()) a.velocity = va;
  if (b.is_dynamic()) b.velocity = vb;
}

/// Which rows take part in a round, and their targets. Returns the fastest approach that bounces; 0: none does.
double begin_round(const Assembly& assembly, std::span<ImpactRow> rows) {
  double fastest = 0;
  for (ImpactRow& row : rows) {
    row.before = velocity_of(assembly.problem, row.contact);
    const double v = row.before[0];
    row.impulse = {};
    const bool bounce = row.restitution > 0 && bounces(assembly, row.contact.gap, v, row.pull);
    row.is_active = bounce || row.contact.gap <= kTouchingGap;
    row.target = bounce ? -row.restitution * v : -std::fabs(v);
    if (bounce) fastest = std::max(fastest, -v);
  }
  return fastest;
}

/// l_n <- max(0, l_n - (v_n - target) / K_nn), then friction: l_t <- its nearest in the ellipse of l_n along its ray.
/// Returns the speed that it changed.
double visit(ContactProblem& problem, ImpactRow& row) {
  const ContactBlock& c = row.contact;
  const auto velocity = [&] { return velocity_of(problem, c); };
  std::array<double, 4>& l = row.impulse;
  const double normal = std::max(0.0, l[0] - row.mass[0] * (velocity()[0] - row.target)), change = normal - l[0];
  l[0] = normal;
  if (change != 0) apply(problem, c, {change, 0, 0, 0});
  if (!(c.friction1 > 0 && c.friction2 > 0) || (l[0] == 0 && l[1] == 0 && l[2] == 0))
    return row.mass[0] > 0 ? std::fabs(change) / row.mass[0] : 0;
  const std::array<double, 4> v = velocity();
  double s = l[1] - row.mass[1] * v[1], t = l[2] - row.mass[2] * v[2];
  const double size = std::sqrt(s * s / (c.friction1 * c.friction1) + t * t / (c.friction2 * c.friction2));
  if (size > l[0]) s *= l[0] / size, t *= l[0] / size;
  const std::array<double, 4> rub{0, s - l[1], t - l[2], 0};
  l[1] = s, l[2] = t;
  apply(problem, c, rub);
  const double moved = std::max({std::fabs(change), std::fabs(rub[1]), std::fabs(rub[2])});
  return moved / std::max(row.mass[1], 1e-300);
}

/// Sweeps that ended too early may have added energy: then the impulses of the round are scaled until they have not.
/// With u + s du the kinetic energy changes by s b + s^2 c, b = sum of l . J u and c = sum of l . J du / 2.
void take_back_gain(ContactProblem& problem, std::span<ImpactRow> rows) {
  double b = 0, c = 0;
  for (const ImpactRow& row : rows) {
    if (!row.is_active) continue;
    const std::array<double, 4> after = velocity_of(problem, row.contact);
    for (std::size_t k = 0; k < 3; ++k)
      b += row.impulse[k] * row.before[k], c += 0.5 * row.impulse[k] * (after[k] - row.before[k]);
  }
  if (!(b + c > 0) || !(c > 0)) return;
  const double share = std::clamp(-b / c, 0.0, 1.0);
  for (ImpactRow& row : rows) {
    if (!row.is_active) continue;
    std::array<double, 4> back{};
    for (std::size_t k = 0; k < 3; ++k) back[k] = (share - 1) * row.impulse[k];
    apply(problem, row.contact, back);
    row.impulse[0] *= share;
  }
}

void bounce_island(Assembly& assembly, std::span<ImpactRow> rows) {
  for (int round = 0; round < kMostRounds; ++round) {
    const double fastest = begin_round(assembly, rows);
    if (fastest == 0) return;
    solve_round(assembly.problem, fastest, rows);
    for (ImpactRow& row : rows) row.total += row.impulse[0];
  }
}

/// Tells, pair by pair, where something bounced.
void list_impacts(ImpactWork& work) {
  work.impacts.clear();
  std::sort(work.rows.begin(), work.rows.end(), [](const ImpactRow& x, const ImpactRow& y) {
    return std::pair(x.pair, x.order) < std::pair(y.pair, y.order);
  });
  for (const ImpactRow& row : work.rows) {
    if (!(row.total > 0)) continue;
    if (work.impacts.empty() || work.impacts.back().pair != row.pair)
      work.impacts.push_back({row.pair, row.point, row.contact.normal, 0, 0});
    Impact& impact = work.impacts.back();
    impact.impulse += row.total;
    if (row.total > impact.largest) impact.largest = row.total, impact.point = row.point;
  }
}

}  // namespace

void find_masses(const ContactProblem& problem, ImpactRow& row) {
  double block[9];
  contact_diagonal_block(problem, row.contact, 3, block);
  for (std::size_t k = 0; k < 3; ++k) row.mass[k] = block[4 * k] > 0 ? 1 / block[4 * k] : 0;
  row.mass[1] = row.mass[2] = std::min(row.mass[1], row.mass[2]);
}

void sweep_round(ContactProblem& problem, double fastest, std::span<ImpactRow> rows) {
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double changed = 0;
    for (ImpactRow& row : rows)
      if (row.is_active) changed = std::max(changed, visit(problem, row));
    if (changed <= kSettled * fastest) break;
  }
}

void solve_round(ContactProblem& problem, double fastest, std::span<ImpactRow> rows) {
  sweep_round(problem, fastest, rows);
  take_back_gain(problem, rows);
}

void apply_impacts(const ContactSource& from, double horizon, ThreadPool* pool, Assembly& out) {
  ImpactWork& work = out.impacts;
  work.horizon = horizon;
  work.impacts.clear(), work.joined.clear();
  if (!from.materials.any_bounce()) return;
  find_joined(out);
  work.is_hit.assign(to_index(from.graph.islands().count), 0);
  parallel_for(pool, static_cast<std::int64_t>(from.cache.slabs().size()), kSlabGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto s = to_index(begin); s < to_index(end); ++s)
                   if (!from.is_at_rest(from.cache.slabs()[s])) find_hits(from, out, s, work.is_hit);
               });
  if (std::none_of(work.is_hit.begin(), work.is_hit.end(), [](std::uint8_t hit) { return hit != 0; })) return;
  gather_rows(from, out);
  work.first.clear();
  for (std::size_t i = 0; i < work.rows.size(); ++i)
    if (i == 0 || work.rows[i].island != work.rows[i - 1].island) work.first.push_back(i);
  work.first.push_back(work.rows.size());
  for_each_index(pool, work.first.size() - 1, 1, [&](std::size_t k) {
    bounce_island(out, std::span(work.rows).subspan(work.first[k], work.first[k + 1] - work.first[k]));
  });
  list_impacts(work);
}

}  // namespace cairn
