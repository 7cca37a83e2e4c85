// SPDX-License-Identifier: MIT
// Assembly: from a world to a ContactProblem and back. The only place that knows both.
//
// Bodies of the problem are the slots of the world, in order; those that are asleep, frozen, fixed or absent have no
// inverse mass. Where axes are locked, one more body stands at the end: the fixed frame that holds them.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/problem/contact_problem.h"
#include "cairn/world/contact_cache.h"
#include "cairn/world/contact_graph.h"
#include "cairn/world/material_table.h"
#include "cairn/world/settings.h"

namespace cairn {

/// Sums over the contact points of a slab.
struct OverlapSums {
  double deepest = 0, sum = 0;  ///< m
  std::int64_t points = 0;
};

struct Assembly {
  ContactProblem problem;
  ContactSolution solution;                  ///< warm start on entry of the solver, the answer after it
  std::vector<std::int32_t> contact_colour;  ///< per contact
  std::vector<std::int64_t> first_contact;   ///< per slab of the cache, one more at the end
  std::vector<OverlapSums> overlaps;         ///< per slab
  std::vector<JointRow> kept_rows;           ///< memory for joint rows, between assemble_bodies and assemble_joints
  bool all_take_part = false;  ///< no body is asleep or frozen: every contact of the cache is in the problem
};

/// Where contacts come from.
struct ContactSource {
  const Bodies& bodies;
  const Shapes& shapes;
  const MaterialTable& materials;
  const ContactCache& cache;
  const ContactGraph& graph;
};

OverlapSums sum_overlaps(const Slab& slab);

/// Bodies, their locked axes, dt and stabilisation: the problem without contacts.
void assemble_bodies(const ContactSource& from, const WorldSettings& settings, double dt, ThreadPool* pool,
                     Assembly& out);

/// `step_ratio` is dt over the dt of the last step, by which impulses scale; 0 if there was none.
void assemble(const ContactSource& from, const WorldSettings& settings, double dt, double step_ratio, ThreadPool* pool,
              Assembly& out);

/// Impulses of the solution back to the points they belong to.
void scatter_impulses(const Assembly& assembly, const ContactSource& from, ContactCache& cache, ThreadPool* pool);

}  // namespace cairn
