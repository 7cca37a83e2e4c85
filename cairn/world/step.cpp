// SPDX-License-Identifier: MIT
// The step and nothing else: detect, solve, advance.
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "cairn/core/index.h"
#include "cairn/core/timer.h"
#include "cairn/dynamics/integrate.h"
#include "cairn/solvers/lane_solver.h"
#include "cairn/world/assembly/assemble_lanes.h"
#include "cairn/world/assembly/assemble_rows.h"
#include "cairn/world/assembly/contact_blocks.h"
#include "cairn/world/assembly/impacts.h"
#include "cairn/world/limits.h"
#include "cairn/world/world_state.h"

namespace cairn {

namespace {

constexpr std::int64_t kBodyGrain = 512;

/// Adds the life time of a scope to one stage of the report.
class StageTimer {
 public:
  StageTimer(WorldState& world, Stage stage)
      : wall_(world.report.times.wall[static_cast<int>(stage)]), cpu_(world.report.times.cpu[static_cast<int>(stage)]) {
    if (world.measures_cpu_times) cpu_timer_.emplace();
  }
  ~StageTimer() {
    wall_ += timer_.seconds();
    if (cpu_timer_) cpu_ += cpu_timer_->seconds();
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  double &wall_, &cpu_;
  Timer timer_;
  std::optional<CpuTimer> cpu_timer_;
};

/// Where the contacts of a body were last made anew, it has a version; leaving that neighbourhood makes a new one.
void update_version(const WorldSettings& settings, Bodies& bodies, std::size_t i) {
  const Pose &pose = bodies.pose[i], &reference = bodies.reference[i];
  const Vec3 shift = pose.position - reference.position;
  const Quat turn = pose.orientation * conjugate(reference.orientation);
  const double half = 0.5 * settings.recycle_turn;  // the vector part is the sine of half the angle
  const bool near = dot(shift, shift) <= settings.recycle_shift * settings.recycle_shift &&
                    turn.x * turn.x + turn.y * turn.y + turn.z * turn.z <= half * half;
  if (near && (bodies.status[i] & kTouched) == 0) return;
  const bool edited = (bodies.status[i] & kTouched) != 0;
  bodies.reference[i] = pose;
  bodies.version[i] = edited ? edited_version(bodies.version[i]) : bodies.version[i] + 1;
}

/// work(i) for bodies of a list, side by side.
template <class Work>
void for_bodies(std::span<const std::int32_t> list, ThreadPool* pool, Work&& work) {
  for_each_index(pool, list.size(), kBodyGrain, [&](std::size_t k) { work(to_index(list[k])); });
}

/// Bodies that may have moved since the last detection: what is active or was edited, and kinematic bodies on their
/// way. Returns whether there are any that had not moved at that detection.
bool find_moved(WorldState& world) {
  Bodies& bodies = world.bodies;
  std::swap(world.moved, world.found);  // those of the last detection
  world.moved.clear();
  world.has_moved.resize(bodies.size(), 0);
  bool any_entered = false;
  for_each_stirred(bodies, [&](std::size_t i) {
    const bool rests = !bodies.is_active(i) && (bodies.status[i] & kTouched) == 0 && !bodies.is_moving_kinematic(i);
    if (rests) return;
    any_entered = any_entered || world.has_moved[i] == 0;
    world.moved.push_back(static_cast<std::int32_t>(i));
  });
  for (const std::int32_t i : world.found) world.has_moved[to_index(i)] = 0;
  for (const std::int32_t i : world.moved) world.has_moved[to_index(i)] = 1;
  for_bodies(world.moved, world.pool.get(), [&](std::size_t i) {
    update_version(world.settings, bodies, i);
    bodies.status[i] &= static_cast<std::uint8_t>(~kTouched);
  });
  return any_entered;
}

/// The shapes of all bodies that moved: one by one where these are few, else in the order of the arrays. Returns
/// whether they are few and known to be all that changed.
bool place_shapes(WorldState& world, double dt) {
  constexpr std::size_t kFew = 8;  // a body in so many
  Shapes& shapes = world.shapes;
  const auto place = [&](std::size_t s) { place_shape(world.bodies, shapes, s, world.settings.margin, dt); };
  if (kFew * world.moved.size() < world.bodies.size()) {
    for (const std::int32_t i : world.moved)
      for (const std::uint32_t s : world.bodies.record[to_index(i)].shapes)
        shapes.changed.push_back(static_cast<std::int32_t>(s));
    for_bodies(world.moved, world.pool.get(), [&](std::size_t i) {
      for (const std::uint32_t s : world.bodies.record[i].shapes) place(s);
    });
    return world.is_continued;
  }
  for_each_index(world.pool.get(), shapes.size(), kBodyGrain, [&](std::size_t i) {
    if (shapes.body[i] >= 0 && world.has_moved[to_index(shapes.body[i])] != 0) place(i);
  });
  return false;
}

/// After it is known who sleeps.
void list_movers(WorldState& world) {
  const Bodies& bodies = world.bodies;
  Movers& movers = world.movers;
  for (const std::int32_t i : movers.bodies) movers.is_listed[to_index(i)] = 0;
  movers.is_listed.resize(bodies.size(), 0);
  movers.bodies = world.moved;
  for (const std::int32_t i : movers.bodies) movers.is_listed[to_index(i)] = 1;
  world.slabs_rest = true;
  for_each_stirred(bodies, [&](std::size_t i) {
    if (movers.is_listed[i] != 0 || !bodies.is_active(i)) return;
    movers.bodies.push_back(static_cast<std::int32_t>(i)), movers.is_listed[i] = 1;
    world.slabs_rest = false;
  });
  if (!world.slabs_rest) std::sort(movers.bodies.begin(), movers.bodies.end());
}

void find_pairs(WorldState& world, double dt) {
  StageTimer timing(world, Stage::broad);
  world.any_entered = find_moved(world);
  Shapes& shapes = world.shapes;
  const bool changes_are_known = place_shapes(world, dt);
  if (world.exclusions_changed) refresh_exclusions(world);
  world.broad->find_pairs({shapes.bounds, shapes.filter, shapes.ball, changes_are_known ? &shapes.changed : nullptr},
                          world.pool.get(), world.cache.next_pairs());
  shapes.changed.clear();
  if (world.filter) drop_refused_pairs(world);
}

void update_contacts(WorldState& world, double dt) {
  {
    StageTimer timing(world, Stage::cache);
    forget_removed(world);
    world.cache.match(world.pool.get());
  }
  StageTimer timing(world, Stage::narrow);
  DetectSettings settings{world.settings.margin,
                          dt,
                          world.settings.recycling,
                          world.settings.recycle_shift,
                          world.settings.recycle_turn,
                          world.has_moved,
                          world.any_entered};
  if (!world.is_continued) settings.moved = {};
  world.cache.update(world.bodies, world.shapes, settings, world.pool.get());
}

/// Which bodies joints hold together; those that cannot move hold nothing.
void list_joint_edges(const Bodies& bodies, const Joints& joints, std::vector<Edge>& edges) {
  const auto vertex = [&](std::int32_t body) {
    return body >= 0 && bodies.is_dynamic(to_index(body)) ? body : kNoVertex;
  };
  edges.clear();
  for (const JointState& joint : joints.state)
    if (joint.live && joint.rows > 0) edges.push_back({vertex(joint.body_a), vertex(joint.body_b)});
}

void rebuild_graph(WorldState& world) {
  StageTimer timing(world, Stage::graph);
  list_joint_edges(world.bodies, world.joints, world.joint_edges);
  world.graph.rebuild(world.bodies, world.shapes, world.cache, world.joint_edges, world.pool.get());
  update_sleep(world);
  list_movers(world);
}

/// Where bodies may touch, and how they hang together.
void detect(WorldState& world, double dt) {
  wake_neighbours(world);
  find_pairs(world, dt);
  update_contacts(world, dt);
  rebuild_graph(world);
}

/// By what the impulses of the last step are multiplied. Forces that last act for longer in a longer step; those of an
/// impact do not, so that a step after a much shorter one must not start from many times them.
double step_ratio(const WorldState& world, double dt) {
  constexpr double kMostRatio = 2;
  return world.last_dt > 0 ? std::min(dt / world.last_dt, kMostRatio) : 0.0;
}

/// A solver with sub-steps holds contacts at their gap for one of them beyond the step.
double impact_horizon(const LaneSolver* lanes, double dt) {
  return lanes == nullptr ? dt : dt * (1 + 1.0 / lanes->fewest_sub_steps());
}

/// Contacts go straight from the cache into lanes if the solver takes them; in double they are made for solvers that do
/// not, and for whoever looks at the problem: that changes nothing in the lanes.
void assemble_problem(WorldState& world, double dt) {
  StageTimer timing(world, Stage::assemble);
  const double ratio = step_ratio(world, dt);
  const ContactSource source = contact_source(world, world.settings.warm_start ? ratio : 0.0);
  LaneSolver* lanes = world.solver->lane_solver();
  assemble_bodies({world.bodies, world.movers, world.settings}, dt, world.pool.get(), world.assembly);
  assemble_rows(source, world.bodies, world.settings, ratio, world.pool.get(), world.joints, world.assembly);
  apply_impacts(source, impact_horizon(lanes, dt), world.pool.get(), world.assembly);
  renew_accelerations(world.bodies, world.settings.gravity, world.assembly);
  if (lanes != nullptr) {
    assemble_lanes(source, *lanes, world.pool.get(), world.assembly);
    lanes->choose_joints(world.assembly.problem, world.pool.get());
    follow_curves(world.bodies, world.joints, *lanes, world.pool.get(), world.assembly);
  }
  if (lanes == nullptr || world.is_judging || world.keeps_problem || world.keeps_warm_start)
    assemble_contacts(source, world.pool.get(), world.assembly);
  if (world.projects_joints)
    world.joint_projector.begin(!world.solver->traits().has_sub_steps, world.bodies, world.joints,
                                world.settings.joint_projection, world.pool.get(), world.assembly);
}

void solve_problem(WorldState& world) {
  StageTimer timing(world, Stage::solve);
  Assembly& assembly = world.assembly;
  SolveContext context;
  context.pool = world.pool.get();
  context.stop = {world.settings.tolerance, world.settings.iterations, 0};
  context.contact_colour = assembly.contact_colour;
  context.details = false;
  if (world.keeps_warm_start) {
    world.warm_start.contact_impulse = assembly.solution.contact_impulse;
    world.warm_start.joint_impulse = assembly.solution.joint_impulse;
  }
  if (LaneSolver* lanes = world.solver->lane_solver()) {
    world.report.solve = lanes->solve_lanes(assembly.lanes, assembly.problem, assembly.solution, context);
    if (assembly.has_contacts) read_lanes(context.pool, assembly);
  } else {
    world.report.solve = world.solver->solve(assembly.problem, assembly.solution, context);
  }
}

/// How good the answer is; the one of an earlier step stays in the report until there is a new one.
void judge_answer(WorldState& world) {
  StepReport& report = world.report;
  if (!world.is_judging) {
    report.solve.residual = world.settings.measure_residual ? world.last_residual : -1;
    return;
  }
  StageTimer timing(world, Stage::solve);
  const Timer timer;
  world.ruler.reset(world.assembly.problem, world.pool.get());
  report.solve.residual = world.last_residual =
      world.ruler.residual(world.assembly.solution, world.solver->traits().has_sub_steps, world.pool.get());
  report.solve.measure_seconds += timer.seconds();
  report.measured_step = report.step;
}

void keep_impulses(WorldState& world) {
  if (const LaneSolver* lanes = world.solver->lane_solver())
    scatter_lanes(contact_source(world), *lanes, world.assembly, world.cache, world.pool.get());
  else
    scatter_impulses(world.assembly, contact_source(world), world.cache, world.pool.get());
}

/// Joints hold at the end of the step too, where that is asked for.
void project_joints(WorldState& world) {
  world.joint_projection = {};
  if (!world.projects_joints) return;
  StageTimer timing(world, Stage::solve);
  const LaneSolver* lanes = world.solver->lane_solver();
  world.joint_projection =
      world.joint_projector.run(lanes != nullptr ? lanes->swept_joints() : std::span<const std::uint8_t>{});
}

void report_projection(const JointProjectionReport& now, JointProjectionReport& sum) {
  sum.carried += now.carried, sum.projected += now.projected, sum.apart += now.apart;
  sum.iterations = std::max(sum.iterations, now.iterations);
}

/// Impulses, end-of-step velocities and displacements. Islands whose numbers break down are frozen and the others
/// solved without them.
void solve(WorldState& world, double dt) {
  assemble_problem(world, dt);
  if (quarantine(world, false)) assemble_problem(world, dt);
  solve_problem(world);
  judge_answer(world);
  project_joints(world);
  while (quarantine(world, true)) {
    assemble_problem(world, dt);
    solve_problem(world);
    judge_answer(world);
    project_joints(world);
  }
  report_projection(world.joint_projection, world.report.joint_projection);
  StageTimer timing(world, Stage::cache);
  keep_impulses(world);
  scatter_joint_impulses(world.assembly, world.pool.get(), world.joints);
  collect_events(world);
}

/// Whether the integrator moves a body by velocity Verlet while nothing holds it: by the settings, or because it may
/// bounce. The energy of symplectic Euler's free fall differs from the true one by dt g v / 2, which turns its sign in
/// a bounce: elastic bodies would lose dt g v each time.
bool falls_exactly(const WorldState& world, std::size_t body) {
  if (world.settings.integrator == Integrator::velocity_verlet) return true;
  const std::vector<std::uint32_t>& shapes = world.bodies.record[body].shapes;
  return std::any_of(shapes.begin(), shapes.end(),
                     [&](std::uint32_t s) { return world.shapes.def[s].material.restitution > 0; });
}

/// Bodies that nothing holds fall exactly: x' = x + dt v' - dt^2 a / 2 (velocity Verlet with constant a, as in the pe
/// thesis 2008). What bounces did so at the beginning of the step and flies on.
void correct_free_flight(WorldState& world, double dt) {
  if (world.settings.integrator != Integrator::velocity_verlet && !world.materials.any_bounce()) return;
  const ContactProblem& problem = world.assembly.problem;
  const ContactSource source = contact_source(world);
  ContactSolution& solution = world.assembly.solution;
  std::vector<std::uint8_t>& held = world.held_bodies;
  held.assign(world.bodies.size() + 1, 0);
  const auto hold = [&](std::int32_t a, std::int32_t b) { held[to_index(a)] = held[to_index(b)] = 1; };
  for (const Slab& slab : world.cache.slabs()) {
    if (source.is_at_rest(slab)) continue;
    for (const ContactManifold& m : slab.manifolds) {
      const ContactPoint* point = slab.points.data() + m.first_point;
      if (!std::any_of(point, point + m.count, [](const ContactPoint& p) { return p.normal_impulse > 0; })) continue;
      const BroadPair& pair = world.cache.pairs()[to_index(m.pair)];
      hold(world.shapes.body[to_index(pair.a)], world.shapes.body[to_index(pair.b)]);
    }
  }
  for (const JointBlock& j : problem.joints) hold(j.body_a, j.body_b);
  for (const std::int32_t mover : world.movers.bodies) {
    const auto i = to_index(mover);
    if (held[i] == 0 && world.bodies.is_active(i) && falls_exactly(world, i))
      solution.displacement[i].linear =
          dt * solution.velocity[i].linear - 0.5 * dt * dt * problem.bodies[i].acceleration.linear;
  }
}

void integrate(WorldState& world, double dt) {
  Bodies& bodies = world.bodies;
  const ContactSolution& solution = world.assembly.solution;
  world.queries.begin_marks(bodies.size());
  for_bodies(world.movers.bodies, world.pool.get(), [&](std::size_t i) {
    if (bodies.is_active(i)) {
      world.queries.mark_moved(i);
      bodies.velocity[i] = solution.velocity[i];
      bodies.pose[i] = moved(bodies.pose[i], solution.displacement[i]);
    } else if (bodies.is_moving_kinematic(i)) {
      const Velocity& v = bodies.velocity[i];
      world.queries.mark_moved(i);
      bodies.pose[i] = moved(bodies.pose[i], {dt * v.linear, dt * v.angular});
    }
  });
}

/// Forces from outside act for one step, all its sub-steps.
void forget_forces(std::vector<std::int32_t>& forced, Bodies& bodies) {
  for (const std::int32_t i : forced) {
    BodyRecord& record = bodies.record[to_index(i)];
    record.force = record.torque = {};
  }
  forced.clear();
}

/// Poses, rest times, measures.
void advance(WorldState& world, double dt) {
  StageTimer timing(world, Stage::advance);
  correct_free_flight(world, dt);
  stop_at_first_touch(world);
  integrate(world, dt);
  place_continuous(world);
  update_rest_times(world.settings.sleep, world.movers, dt, world.bodies);
  measure_state(world);
}

void begin_report(WorldState& world, double dt) {
  world.lanes_are_forgotten = false;
  StepReport& report = world.report;
  report.times = {};
  report.joint_projection = {};
  report.max_overlap = report.max_joint_error = report.max_joint_angle_error = report.drive_work = 0;
  report.quarantined.clear(), report.broken_joints.clear();
  world.events.clear();
  world.filter_error = nullptr;
  report.step = world.steps + 1;
  report.time = world.time + dt;
}

void commit_step(WorldState& world) {
  world.steps = world.report.step;
  world.time = world.report.time;
}

/// Whether the answer of this step is judged: a solver in lanes has no problem in double, and making one costs about as
/// much as solving it.
bool is_judged(const WorldState& world) {
  constexpr std::int64_t kSeldom = 16;
  const WorldSettings& settings = world.settings;
  std::int64_t every = settings.measure_every;
  if (every == 0) every = world.solver->lane_solver() != nullptr ? kSeldom : 1;
  return settings.measure_residual && world.steps % every == 0;
}

/// Detection included: contacts are those of the sub-step, and most of them are recycled.
void sub_step(WorldState& world, double dt, bool is_last) {
  // What the last sub-step left out because it was known is not, if that one never came to its end.
  // Nor is it where a filter may answer otherwise than before.
  world.is_continued = !world.is_broken_off && !world.filter;
  world.is_broken_off = true;
  if (!world.is_continued) world.assembly.problem.bodies.clear(), world.partial_sums.clear();
  world.first_event = world.events.size();
  world.is_judging = is_last && is_judged(world);
  detect(world, dt);
  solve(world, dt);
  advance(world, dt);
  world.is_broken_off = false;
  break_joints(world);
  world.last_dt = dt;
}

}  // namespace

const char* to_string(Stage stage) {
  constexpr const char* kNames[kStageCount] = {"broad", "narrow", "cache", "graph", "assemble", "solve", "advance"};
  return kNames[static_cast<int>(stage)];
}

const StepReport& World::step(double dt) {
  WorldState& world = *state_;
  world.check_outside_step("step");
  if (dt == 0) return world.report;
  if (!is_step(dt))
    fail_input(fmt::format("dt is {}, it must be 0 or lie in [{:g}, {:g}] seconds", dt, kShortestStep, kLongestStep));
  // Down again however the step ends: a solver may refuse the problem.
  struct Stepping {
    std::atomic<std::uintptr_t>& stepper;
    ~Stepping() { stepper.store(0, std::memory_order_release); }
  };
  std::uintptr_t none = 0;
  for (; !world.stepper.compare_exchange_strong(none, this_thread_mark()); none = 0) world.check_outside_step("step");
  const Stepping stepping{world.stepper};
  begin_report(world, dt);
  const int sub_steps = world.settings.sub_steps;
  for (int k = 0; k < sub_steps; ++k) sub_step(world, dt / sub_steps, k + 1 == sub_steps);
  forget_forces(world.forced, world.bodies);
  commit_step(world);
  deliver_events();
  tell_filter_error(world);
  return world.report;
}

}  // namespace cairn
