// SPDX-License-Identifier: MIT
#include "cairn/world/world.h"

#include <fmt/core.h>

#include "cairn/core/index.h"
#include "cairn/solvers/island_solver.h"
#include "cairn/solvers/lane_solver.h"
#include "cairn/world/assembly/assemble_lanes.h"
#include "cairn/world/world_state.h"

namespace cairn {

std::size_t WorldState::slot(BodyId id, const char* function) const {
  if (!body_ids.is_valid(id))
    fail_input(fmt::format("{}: the body handle ({}, {}) names no body of this world; it was removed, or never was one",
                           function, id.index, id.generation));
  return id.index;
}

std::size_t WorldState::slot(ShapeId id, const char* function) const {
  if (!shape_ids.is_valid(id))
    fail_input(
        fmt::format("{}: the shape handle ({}, {}) names no shape of this world; it was removed, or never was one",
                    function, id.index, id.generation));
  return id.index;
}

std::size_t WorldState::slot(JointId id, const char* function) const {
  if (!joint_ids.is_valid(id))
    fail_input(fmt::format(
        "{}: the joint handle ({}, {}) names no joint of this world; it was removed, broke, or never was one", function,
        id.index, id.generation));
  return id.index;
}

void WorldState::check_edit(const char* function) const {
  const std::uintptr_t who = stepper.load(std::memory_order_acquire);
  if (who != 0 && who != this_thread_mark())
    fail_input(
        fmt::format("{}() was called while another thread is inside step(): wait until that has returned", function));
  if (is_filtering)
    fail_input(
        fmt::format("{}() was called by the contact filter, which may only read: note what to change and call it "
                    "after the step, or in the contact listener",
                    function));
}

void WorldState::check_outside_step(const char* function) const {
  check_edit(function);
  if (stepper.load(std::memory_order_acquire) != 0)
    fail_input(fmt::format("{}() was called from inside a step: leave the contact listener first", function));
}

void apply_settings(WorldState& world, const WorldSettings& settings) {
  check_settings(settings);
  // Everything that can fail first.
  const auto is_live = [](const JointState& joint) { return joint.live; };
  if (std::any_of(world.joints.state.begin(), world.joints.state.end(), is_live))
    check_joints_are_taken(settings.solver);
  std::unique_ptr<Solver> solver = make_solver(settings.solver, settings.solver_settings);
  // Islands never influence one another, whatever the solver.
  if (solver->lane_solver() == nullptr) solver = std::make_unique<IslandSolver>(std::move(solver));
  std::unique_ptr<BroadPhase> broad;
  if (world.broad == nullptr || settings.broad_phase != world.settings.broad_phase)
    broad = make_broad_phase(settings.broad_phase);
  std::unique_ptr<ThreadPool> pool;
  const bool other_pool = world.steps == 0 || settings.threads != world.settings.threads;
  if (other_pool) pool = make_pool(settings.threads);

  const WorldSettings& old = world.settings;
  const bool sleep_on = settings.sleep.enabled && settings.gravity == old.gravity;
  world.all_may_wake = true;
  const bool same_contacts = settings.margin == old.margin && settings.recycling == old.recycling;
  world.settings = settings;
  world.solver = std::move(solver);
  forget_lanes(world);
  world.assembly.lane_sources = {};
  const JointProjection use = settings.joint_projection.use;
  world.projects_joints =
      use == JointProjection::on || (use == JointProjection::automatic && world.solver->traits().holds_joints);
  if (broad != nullptr) world.broad = std::move(broad), world.exclusions_changed = true;
  if (other_pool) world.pool = std::move(pool);
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (!sleep_on) wake_body(world, i);
    if (!same_contacts) world.bodies.status[i] |= kTouched;
  }
}

World::World(const WorldSettings& settings) : state_(std::make_unique<WorldState>()) {
  apply_settings(*state_, settings);
}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

void World::set_settings(const WorldSettings& settings) {
  state_->check_outside_step("set_settings");
  apply_settings(*state_, settings);
}

void World::set_solver(std::unique_ptr<Solver> solver) {
  WorldState& world = *state_;
  world.check_outside_step("set_solver");
  require(solver != nullptr, "set_solver() was given no solver: set_settings goes back to that of the settings");
  require(solver->lane_solver() == nullptr, "set_solver() takes no solver of lanes: name it in the settings");
  world.all_may_wake = true;
  world.solver = std::move(solver);
  forget_lanes(world);
  world.assembly.lane_sources = {};
  const JointProjection use = world.settings.joint_projection.use;
  world.projects_joints =
      use == JointProjection::on || (use == JointProjection::automatic && world.solver->traits().holds_joints);
}

const WorldSettings& World::settings() const { return state_->settings; }
const StepReport& World::last_report() const { return state_->report; }
double World::time() const { return state_->time; }
std::int64_t World::step_count() const { return state_->steps; }
bool World::contains(BodyId body) const { return state_->body_ids.is_valid(body); }
bool World::contains(ShapeId shape) const { return state_->shape_ids.is_valid(shape); }
std::span<const ContactEvent> World::events() const { return state_->events; }
void World::set_contact_listener(ContactListener listener) {
  state_->check_edit("set_contact_listener");
  require(!state_->delivering, "set_contact_listener() was called by the listener itself: leave it first");
  state_->listener = std::move(listener);
}
void forget_lanes(WorldState& world) {
  world.lanes_are_forgotten = world.lanes_are_forgotten || world.assembly.is_in_lanes;
  world.assembly.is_in_lanes = false;
}

void complete_problem(WorldState& world) {
  Assembly& assembly = world.assembly;
  require(
      !world.lanes_are_forgotten,
      "the world was edited since its last step, whose contacts were not kept: ask for the problem before the edit, "
      "or call keep_problem(true) before the step");
  if (!assembly.is_in_lanes) return;
  assemble_contacts(contact_source(world), world.pool.get(), assembly);
  read_lanes(world.pool.get(), assembly);
}

const ContactProblem& World::problem() const {
  complete_problem(*state_);
  return state_->assembly.problem;
}
const ContactSolution& World::solution() const {
  complete_problem(*state_);
  return state_->assembly.solution;
}
std::span<const std::int32_t> World::contact_colours() const {
  complete_problem(*state_);
  return state_->assembly.contact_colour;
}
const ContactSolution& World::warm_start() const { return state_->warm_start; }
void World::keep_warm_start(bool keep) {
  state_->check_edit("keep_warm_start");
  state_->keeps_warm_start = keep;
  if (!keep) state_->warm_start = {};
}
void World::keep_problem(bool keep) {
  state_->check_outside_step("keep_problem");
  state_->keeps_problem = keep;
}
void World::measure_cpu_times(bool measure) {
  state_->check_edit("measure_cpu_times");
  state_->measures_cpu_times = measure;
}

std::size_t World::body_count() const { return bodies().size(); }

std::vector<BodyId> World::bodies() const {
  std::vector<BodyId> result;
  for (std::size_t i = 0; i < state_->bodies.size(); ++i)
    if (state_->bodies.is_live(i)) result.push_back(state_->body_ids.at(i));
  return result;
}

std::vector<ShapeId> World::shapes_of(BodyId body) const {
  std::vector<ShapeId> result;
  for (const std::uint32_t i : state_->bodies.record[state_->slot(body, "shapes_of")].shapes)
    result.push_back(state_->shape_ids.at(i));
  return result;
}

BodyView World::view(BodyId body) const {
  const std::size_t i = state_->slot(body, "view");
  const Bodies& bodies = state_->bodies;
  BodyView view;
  view.kind = kind_of(bodies, i);
  view.pose = frame_of(bodies, i);
  view.centre = bodies.pose[i].position;
  view.velocity = bodies.velocity[i];
  view.mass = bodies.mass[i].mass;
  view.inertia = bodies.mass[i].inertia;
  view.gravity_scale = bodies.record[i].gravity_scale;
  view.asleep = (bodies.status[i] & kAsleep) != 0;
  view.quarantined = (bodies.status[i] & kQuarantined) != 0;
  view.user = bodies.record[i].user;
  return view;
}

BodyArrays World::arrays() const {
  const Bodies& bodies = state_->bodies;
  struct Memory {
    std::shared_ptr<const void> pose, velocity;
  };
  return {bodies.pose, bodies.velocity,
          std::make_shared<const Memory>(Memory{keep_memory(bodies.pose), keep_memory(bodies.velocity)})};
}

const ShapeDef& World::shape_def(ShapeId shape) const { return state_->shapes.def[state_->slot(shape, "shape_def")]; }

BodyId World::body_of(ShapeId shape) const {
  return state_->body_ids.at(to_index(state_->shapes.body[state_->slot(shape, "body_of")]));
}

namespace {

/// Impulses of a manifold, friction shared by load: lanes keep it in equal shares.
void impulses_of(const Slab& slab, const ContactManifold& m, const Frame& frame,
                 std::vector<std::array<double, 4>>& impulse) {
  const auto count = to_index(m.count);
  std::vector<double> x(count), y(count);
  impulse.resize(count);
  for (std::size_t j = 0; j < count; ++j) {
    const ContactPoint& p = slab.points[to_index(m.first_point) + j];
    const Vec3 from_first = p.position - slab.points[to_index(m.first_point)].position;
    impulse[j] = {double{p.normal_impulse}, double{p.tangent_impulse[0]}, double{p.tangent_impulse[1]}, 0};
    x[j] = dot(frame.tangent1, from_first), y[j] = dot(frame.tangent2, from_first);
  }
  share_friction_by_load(x, y, impulse);
}

}  // namespace

std::vector<ContactView> World::contacts() const {
  std::vector<ContactView> result;
  std::vector<std::array<double, 4>> impulse;
  const WorldState& world = *state_;
  // Edges of the graph are the pairs that have manifolds, in order; a restored world has none yet.
  const std::span<const std::int32_t> colours = world.graph.colour();
  const bool coloured = !world.graph.edges().empty() && colours.size() == world.graph.edges().size();
  std::size_t edge = 0;
  for (const Slab& slab : world.cache.slabs()) {
    std::int32_t last_pair = -1;
    for (const ContactManifold& m : slab.manifolds) {
      if (m.pair != last_pair) last_pair = m.pair, ++edge;
      const BroadPair& pair = world.cache.pairs()[to_index(m.pair)];
      const auto a = to_index(pair.a), b = to_index(pair.b);
      if (world.shapes.body[a] < 0 || world.shapes.body[b] < 0) continue;  // removed since the step
      const Frame frame = make_frame(m.normal);
      impulses_of(slab, m, frame, impulse);
      for (std::int32_t j = 0; j < m.count; ++j) {
        const ContactPoint& p = slab.points[to_index(m.first_point + j)];
        ContactView view;
        view.shape_a = world.shape_ids.at(a), view.shape_b = world.shape_ids.at(b);
        view.body_a = world.body_ids.at(to_index(world.shapes.body[a]));
        view.body_b = world.body_ids.at(to_index(world.shapes.body[b]));
        view.point = p.position, view.normal = m.normal;
        view.separation = double{p.separation};
        if (coloured && edge <= colours.size()) view.colour = colours[edge - 1];
        const std::array<double, 4>& l = impulse[to_index(j)];
        view.impulse = l[0] * frame.normal + l[1] * frame.tangent1 + l[2] * frame.tangent2;
        result.push_back(view);
      }
    }
  }
  return result;
}

Hash128 World::state_hash() const {
  StateHasher hasher;
  const Bodies& bodies = state_->bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies.is_live(i)) continue;
    hasher.add(static_cast<std::uint64_t>(i));
    const Pose& p = bodies.pose[i];
    const Velocity& v = bodies.velocity[i];
    const double words[] = {p.position.x,    p.position.y,    p.position.z, p.orientation.w, p.orientation.x,
                            p.orientation.y, p.orientation.z, v.linear.x,   v.linear.y,      v.linear.z,
                            v.angular.x,     v.angular.y,     v.angular.z};
    hasher.add(std::span<const double>(words));
  }
  return hasher.finish();
}

}  // namespace cairn
