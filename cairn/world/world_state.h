// SPDX-License-Identifier: MIT
// WorldState: what a World owns. Internal; the functions that work on it are in the files of cairn/world, one verb
// each.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "cairn/broad/broad_phase.h"
#include "cairn/problem/natural_map.h"
#include "cairn/world/assembly/assemble.h"
#include "cairn/world/assembly/project_joints.h"
#include "cairn/world/continuous.h"
#include "cairn/world/joints.h"
#include "cairn/world/query_index.h"
#include "cairn/world/world.h"

namespace cairn {

struct WorldState {
  // What decides the future: saved in snapshots.
  WorldSettings settings;
  HandlePool<BodyTag> body_ids;
  HandlePool<ShapeTag> shape_ids;
  HandlePool<JointTag> joint_ids;
  Bodies bodies;
  Shapes shapes;
  Joints joints;
  ContactCache cache;
  ContactGraph graph;
  std::vector<BroadPair> uncollided;  ///< pairs of bodies that never collide; sorted
  double time = 0;
  std::int64_t steps = 0;
  double last_dt = 0;  ///< of the last step; 0: none yet

  // Derived, or rebuilt when settings change.
  MaterialTable materials;
  std::unique_ptr<ThreadPool> pool;
  std::unique_ptr<BroadPhase> broad;
  QueryIndex queries;
  std::unique_ptr<Solver> solver;
  bool projects_joints = false;
  JointProjector joint_projector;
  JointProjectionReport joint_projection;  ///< of the last solve
  Assembly assembly;
  ContactRuler ruler;
  bool is_judging = false;    ///< the answer of this sub-step is measured
  double last_residual = -1;  ///< that was measured; -1: none

  // Since the last step.
  std::vector<std::uint8_t> removed_shape;  ///< per shape slot: removed, the cache must forget it
  std::vector<ShapeId> removed_shape_id;    ///< per shape slot: who that was
  std::vector<BodyId> removed_body_id;      ///< per shape slot: whose it was
  bool any_removed = false;
  bool exclusions_changed = false;

  // What the last step said.
  StepReport report;
  std::vector<ContactEvent> events;
  std::size_t first_event = 0;  ///< of the sub-step under way
  ContactListener listener;
  ContactFilter filter;                    ///< of the caller; empty: every pair may touch
  bool is_filtering = false;               ///< the filter is being asked: edits are refused
  std::exception_ptr filter_error;         ///< thrown by the filter on the way of a continuous body in this step
  std::atomic<std::uintptr_t> stepper{0};  ///< this_thread_mark() of the thread inside step(), events included; 0: none
  bool delivering = false;                 ///< events are being told: removals wait
  std::vector<BodyId> bodies_to_remove;
  std::vector<ShapeId> shapes_to_remove;
  std::vector<JointId> joints_to_remove;

  bool keeps_problem = false;
  bool keeps_warm_start = false;
  bool lanes_are_forgotten = false;  ///< the contacts of the last step were in lanes alone when something was edited
  bool measures_cpu_times = false;
  ContactSolution warm_start;  ///< the impulses that the last solve began from, where they are kept

  // Who moves. Found anew by every detection; nothing else writes them.
  std::vector<std::int32_t> moved;      ///< bodies that may have moved since the last detection, ascending
  std::vector<std::uint8_t> has_moved;  ///< per body: it is listed
  Movers movers;                        ///< those, and what moves in this sub-step
  bool any_entered = true;              ///< some of them had not moved at the detection before
  bool is_broken_off = false;           ///< a sub-step is under way, or threw: a solver may refuse the problem
  bool is_continued = false;            ///< the sub-step before this one came to its end
  bool slabs_rest = false;              ///< no body moves in this sub-step that had not moved at its detection
  bool all_may_wake = true;             ///< who sleeps may have to wake without having been touched: settings changed
  std::vector<std::int32_t> forced;     ///< bodies with a force or torque for the next step, or without one again

  // Scratch of a step.
  std::vector<double>
      partial_sums;  ///< of measure_state, per block of bodies; kept where no body stirred; may be empty
  std::vector<std::int32_t> found;
  std::vector<std::uint8_t> awake_islands;   ///< of update_sleep, per island: some body in it is not restful
  std::vector<std::uint8_t> broken_islands;  ///< of quarantine, per island: some body in it broke down
  std::vector<std::uint8_t> held_bodies;     ///< of correct_free_flight, per body: a contact or a joint holds it
  std::vector<std::uint8_t> stirred_blocks;  ///< of measure_state, per block of bodies: its sums are made anew
  ContinuousWork continuous;                 ///< of continuous collision
  std::vector<Edge> joint_edges;             ///< bodies that joints hold together, for the islands

  std::size_t slot(BodyId id, const char* function) const;
  std::size_t slot(ShapeId id, const char* function) const;
  std::size_t slot(JointId id, const char* function) const;

  /// InputError if another thread is inside step(): edits would change what it reads. To be called before anything is
  /// looked at. The thread of the step itself may edit in the contact listener, and not in the contact filter.
  void check_edit(const char* function) const;
  /// InputError if any thread is inside step(), the listener's too.
  void check_outside_step(const char* function) const;
};

/// Where assembly finds the contacts of this step, and what they start from.
inline ContactSource contact_source(const WorldState& world, double impulse_scale = 0) {
  return {world.shapes, world.materials, world.cache, world.graph, world.settings, world.slabs_rest, impulse_scale};
}
/// The problem of the last step with its contacts, which may not have been needed so far, and their impulses.
/// InputError if it can no longer be made.
void complete_problem(WorldState& world);
/// Before an edit: contacts that are in lanes alone cannot be told any more.
void forget_lanes(WorldState& world);

/// Puts islands whose bodies have all been slow for long enough to sleep, and wakes those that are not. Needs the
/// graph.
void update_sleep(WorldState& world);
/// Counts how long each mover has been slow. After the velocities of a step are known.
void update_rest_times(const SleepSettings& sleep, const Movers& movers, double dt, Bodies& bodies);
void wake_body(WorldState& world, std::size_t body);
/// Wakes what touched a body that was edited since the last step: its support may be gone.
void wake_neighbours(WorldState& world);

/// Bodies whose numbers broke down, or would: freezes them and all bodies of their islands, names them in the report
/// and returns true if there were any; the problem must then be assembled and solved again. Before the solve the
/// velocities without impulses are judged, after it those of the solution too.
bool quarantine(WorldState& world, bool solved_already);

/// Continuous bodies meet what is on their way: their velocities and those of what they hit change, and their paths.
void stop_at_first_touch(WorldState& world);
/// Puts those whose path changed where it ends. After the integration of all.
void place_continuous(WorldState& world);
/// Tells what continuous bodies met within the step, unless the contacts of the step tell of the same shapes.
void tell_hits(WorldState& world);

/// Takes the pairs that the caller's filter refuses out of those that the broad phase found.
void drop_refused_pairs(WorldState& world);
/// Whether it refuses two shapes, the first with the lower index, that a continuous body would bring together. The step
/// is nearly made then, so an exception waits: all pairs are refused until the end of the step.
bool is_refused_on_the_way(WorldState& world, const BroadPair& pair);
/// Throws the exception that waited.
void tell_filter_error(WorldState& world);
/// Drops contacts of shapes that were removed since the last step: tells their end and wakes what touched them.
void forget_removed(WorldState& world);
/// Compares touching now and before, and lists what began and ended.
void collect_events(WorldState& world);

/// InputError that names the solvers that take joints, unless this one does.
void check_joints_are_taken(const std::string& solver);
/// How many rows a definition makes; impulses are kept where that is as before. Also finds the turn.
void count_joint_rows(const Bodies& bodies, const JointDef& def, JointState& state);
/// Takes joints out of the arrays and wakes what they joined.
void drop_joint(WorldState& world, std::size_t joint);
void drop_joints_of(WorldState& world, std::size_t body);
/// Removes joints that carried more than they can, and names them in the report.
void break_joints(WorldState& world);

/// Kinetic and potential energy, overlaps: what the report says about the state.
void measure_state(WorldState& world);

/// As given with the body, or else that of its shapes.
MassProperties mass_of_body(const WorldState& world, std::size_t body);
MassState mass_state(const MassProperties& mass);
/// Derived parts of a body after its shapes, mass or kind changed.
void refresh_mass(WorldState& world, std::size_t body);
void refresh_shapes(WorldState& world, std::size_t body);
/// Proxies of pairs of bodies that never collide.
void refresh_exclusions(WorldState& world);
/// Pool, broad phase and solver as the settings say; throws before anything changes.
void apply_settings(WorldState& world, const WorldSettings& settings);

}  // namespace cairn
