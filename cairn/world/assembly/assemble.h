// SPDX-License-Identifier: MIT
// Assembly: from a world to the problem of a step and back. The only place that knows both.
//
//   assemble_bodies     bodies, dt, stabilisation
//   assemble_rows       locked axes, rolling resistance, joints, with what they start from (assemble_rows.h)
//   apply_impacts       what meets and bounces does so before the solve (impacts.h)
//   assemble_lanes      contacts in lanes, for solvers that take them (assemble_lanes.h)
//   assemble_contacts   contacts in double, for the other solvers, for judging an answer, and for whoever asks
//
// Bodies of the problem are the slots of the world, in order; those that are asleep, frozen, fixed or absent have no
// inverse mass. One more body stands at the end: the fixed frame.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/problem/contact_problem.h"
#include "cairn/problem/lanes/lane_problem.h"
#include "cairn/world/assembly/lane_sources.h"
#include "cairn/world/contacts/contact_cache.h"
#include "cairn/world/contacts/contact_graph.h"
#include "cairn/world/material_table.h"
#include "cairn/world/settings.h"

namespace cairn {

/// Sums over the contact points of a slab.
struct OverlapSums {
  double deepest = 0, sum = 0;  ///< m
  std::int64_t points = 0;
};

/// A contact of an island in which something bounces (impacts.h).
struct ImpactRow {
  ContactBlock contact;
  Vec3 point;                        ///< world
  double restitution = 0, pull = 0;  ///< pull: m/s that external forces add along the normal within the step
  std::array<double, 3> mass{};      ///< inverses of the diagonal of J M^-1 J^T; the smaller one for both tangents
  double target = 0;                 ///< m/s, of a round
  std::array<double, 4> impulse{};   ///< of a round
  std::array<double, 4> before{};    ///< m/s, J u before a round
  double total = 0;                  ///< N s, along the normal over all rounds
  std::int32_t island = 0, pair = 0;
  std::int32_t order = 0;  ///< its number in the order of the cache
  bool is_active = false;  ///< in a round
};

/// A pair that bounced before the solve.
struct Impact {
  std::int32_t pair = 0;
  Vec3 point, normal;               ///< where it pushed most
  double impulse = 0, largest = 0;  ///< N s: of all points, of one
};

struct ImpactWork {
  std::vector<std::uint8_t> joined;  ///< per body of the problem: joint rows act on it; empty: nothing bounces
  std::vector<std::uint8_t> is_hit;  ///< per island
  std::vector<ImpactRow> rows;
  std::vector<std::size_t> first;  ///< of each island in `rows`, one more at the end
  std::vector<Impact> impacts;     ///< by pair
  double horizon = 0;              ///< s: contacts that would close by then are impacts

  /// Whether a contact bounces in the solve.
  bool is_joined(std::int32_t body_a, std::int32_t body_b) const {
    return !joined.empty() && (joined[to_index(body_a)] | joined[to_index(body_b)]) != 0;
  }
  bool is_joined(const ContactBlock& c) const { return is_joined(c.body_a, c.body_b); }
};

struct Assembly {
  ContactProblem problem;
  ContactSolution solution;  ///< warm start on entry of the solver, the answer after it
  std::vector<Vec3> centre;  ///< per body of the problem: its centre of mass at the beginning of the step
  std::vector<std::int32_t> contact_colour;  ///< per contact
  std::vector<std::int64_t> first_contact;   ///< per slab of the cache, one more at the end
  std::vector<OverlapSums> overlaps;         ///< per slab
  std::vector<std::uint64_t> summed;         ///< per slab: Slab::computed of what was summed up; 0: nothing
  std::vector<std::int32_t> filled;          ///< bodies that assemble_bodies last wrote
  std::vector<JointBlock> held_blocks;       ///< of locked axes and rolling resistance, before those of joints
  std::vector<JointRow> held_rows;           ///< their rows
  bool has_contacts = false;                 ///< contacts are in the problem, and their impulses in the solution
  bool is_in_lanes = false;                  ///< contacts are in the lanes alone
  bool all_take_part = false;  ///< no body is asleep or frozen: every contact of the cache is in the problem
  bool any_locked = false;     ///< some body has an axis that is held
  ImpactWork impacts;          ///< of this step
  LaneProblem lanes;
  LaneSources lane_sources;
};

/// Where contacts come from.
struct ContactSource {
  const Shapes& shapes;
  const MaterialTable& materials;
  const ContactCache& cache;
  const ContactGraph& graph;
  const WorldSettings& settings;
  bool slabs_rest = false;   ///< no body of a slab that is still moves in this step
  double impulse_scale = 0;  ///< solvers start from the impulses of the last step times this

  /// None of its contacts takes part.
  bool is_at_rest(const Slab& slab) const { return slabs_rest && slab.is_still(); }
};

/// Overlaps of slab s, summed up again only if something was written there; `count_overlaps` first, with all slabs.
void count_overlaps(std::size_t slabs, Assembly& out);
void sum_overlaps(const Slab& slab, std::size_t s, Assembly& out);

/// Who has to be looked at in a step.
struct Movers {
  std::vector<std::int32_t> bodies;     ///< that may have moved since the step before or move in this one, ascending
  std::vector<std::uint8_t> is_listed;  ///< per body
};

/// Where bodies come from.
struct BodySource {
  const Bodies& bodies;
  const Movers& movers;
  const WorldSettings& settings;
};

/// Bodies, dt and stabilisation: the problem without contacts and joints. Bodies that are not among the movers are
/// those that they were.
void assemble_bodies(const BodySource& from, double dt, ThreadPool* pool, Assembly& out);

/// Contacts in double, with their colours and what they start from. After assemble_bodies; later too, while the cache
/// is that of the step.
void assemble_contacts(const ContactSource& from, ThreadPool* pool, Assembly& out);

/// Impulses of the solution back to the points they belong to.
void scatter_impulses(const Assembly& assembly, const ContactSource& from, ContactCache& cache, ThreadPool* pool);

}  // namespace cairn
