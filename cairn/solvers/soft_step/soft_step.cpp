// SPDX-License-Identifier: MIT
#include "cairn/solvers/soft_step/soft_step.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/core/timer.h"
#include "cairn/problem/lanes/lane_manifolds.h"
#include "cairn/problem/lanes/lane_problem.h"
#include "cairn/problem/natural_map.h"
#include "cairn/solvers/soft_step/lane_joints.h"
#include "cairn/solvers/soft_step/lane_kernels.h"

namespace cairn {

namespace {

constexpr std::int64_t kGroupGrain = 4;  ///< groups of lanes per block of work
constexpr std::int32_t kFewGroups = 16;  ///< stages with fewer are done before another thread could help
constexpr std::int64_t kBodyGrain = 512;
constexpr std::int64_t kManifoldGrain = 512;
constexpr std::int32_t kFewManifolds = 256;
// What the islands of a batch have in common, as bits of its number.
constexpr int kFew = 1;   // few manifolds, mostly of several points: more sub-steps
constexpr int kFlat = 2;  // most manifolds have several points: more rigid sweeps
constexpr int kCold = 4;  // nearly no contact has an impulse to start from: still more of them
/// Which point of a manifold comes first and which way they go, sub-step by sub-step; rigid passes begin on the other
/// side. What is solved first pushes most: always in the same order, a stack is tilted and sways as long as it stands.
constexpr int kPointOrder[4] = {0, 3, 2, 1};

/// A row as a damped spring, integrated implicitly over h.
struct Softness {
  double rate = 0, mass_scale = 1, impulse_scale = 0;

  Softness(double hertz, double damping_ratio, double h) {
    const double omega = 2 * std::numbers::pi * hertz;
    const double a1 = 2 * damping_ratio + h * omega, a2 = h * omega * a1;
    rate = omega / a1;
    mass_scale = a2 / (1 + a2);
    impulse_scale = 1 / (1 + a2);
  }
};

LanePass soft_pass(const SoftStepSettings& settings, double h) {
  LanePass pass;
  pass.inverse_h = static_cast<float>(1 / h);
  const Softness soft[2] = {
      {settings.hertz, settings.damping_ratio, h},
      {settings.still_factor * settings.hertz, settings.damping_ratio / settings.still_factor, h}};
  for (int i = 0; i < 2; ++i) {
    pass.rate[i] = static_cast<float>(soft[i].rate);
    pass.mass_scale[i] = static_cast<float>(soft[i].mass_scale);
    pass.impulse_scale[i] = static_cast<float>(soft[i].impulse_scale);
  }
  pass.slop = static_cast<float>(settings.slop), pass.push = static_cast<float>(settings.push);
  pass.biased = true;
  return pass;
}

/// The sub-steps of one batch.
struct SubSteps {
  LaneProblem& lanes;
  LaneJoints& joints;
  const LaneKernels& kernels;
  ThreadPool* pool;
  const int batch;
  const std::span<const std::int32_t> records;  ///< bodies of the batch; empty: those of all records
  const LaneView view{lanes.groups.data(), lanes.data.data(), lanes.bodies.data(), lanes.masses.data(),
                      lanes.records.data()};

  template <class Work>
  void for_stages(Work&& work) {
    for (const LaneStage& stage : lanes.stages)
      if (stage.batch == batch)
        parallel_for(stage.count < kFewGroups ? nullptr : pool, stage.count, kGroupGrain,
                     [&](std::int64_t begin, std::int64_t end) { work(stage.first + begin, stage.first + end); });
  }
  template <class Work>
  void for_bodies(Work&& work) {
    const bool all = records.empty();
    const auto count = static_cast<std::int64_t>(all ? lanes.bodies.size() - 1 : records.size());
    parallel_for(pool, count, kBodyGrain, [&](std::int64_t begin, std::int64_t end) {
      if (all)
        for (auto i = to_index(begin); i < to_index(end); ++i) work(i);
      else
        for (auto i = to_index(begin); i < to_index(end); ++i) work(to_index(records[i]));
    });
  }

  void sweep(const LanePass& pass) {
    for_stages([&](std::int64_t begin, std::int64_t end) { kernels.sweep(view, pass, begin, end); });
    if (!joints.empty() && (pass.biased || pass.last))
      joints.solve(pass.biased ? LaneJoints::Pass::biased : LaneJoints::Pass::rigid, lanes, pool);
  }
  /// u <- u + h a, then rows and effective masses, and the impulses of the last step while a group is at hand.
  void begin_first(float h) {
    for_bodies([&](std::size_t i) {
      float* u = lanes.bodies[i].velocity;
      for (int k = 0; k < 8; ++k) {
        lanes.previous[i].value[k] = u[k];
        u[k] += h * lanes.pull[i].value[k];
      }
    });
    for_stages([&](std::int64_t begin, std::int64_t end) { kernels.prepare(view, begin, end); });
    if (!joints.empty()) joints.warm_start(lanes);
  }
  /// What changed the velocity over the last sub-step, pull and impulses, does so again: arms and normals are the same.
  void begin_next() {
    for_bodies([&](std::size_t i) {
      float* u = lanes.bodies[i].velocity;
      for (int k = 0; k < 8; ++k) {
        const float now = u[k];
        u[k] = 2 * now - lanes.previous[i].value[k];
        lanes.previous[i].value[k] = now;
      }
    });
  }
  void move(float h) {
    for_bodies([&](std::size_t i) {
      LaneBody& body = lanes.bodies[i];
      for (int k = 0; k < 8; ++k) body.displacement[k] += h * body.velocity[k];
    });
  }
  void bounce(float speed) {
    for_stages([&](std::int64_t begin, std::int64_t end) { kernels.bounce(view, speed, begin, end); });
  }
};

/// The sum over sub-steps 0 to n - 1 in sub-step k; `all`: the last one too.
LaneSum sum_in(int k, int n, bool all) {
  if (k == 0) return n == 1 && !all ? LaneSum::clear : LaneSum::begin;
  return k + 1 == n && !all ? LaneSum::none : LaneSum::add;
}

void run_sub_steps(SubSteps& steps, const SoftStepSettings& settings, double dt) {
  const double step = dt / settings.sub_steps;
  const auto h = static_cast<float>(step);
  LanePass soft = soft_pass(settings, step);
  LanePass rigid = soft;
  rigid.biased = false;
  for (int k = 0; k < settings.sub_steps; ++k) {
    soft.order = kPointOrder[k % 4], rigid.order = soft.order ^ 2;
    if (k == 0)
      steps.begin_first(h);
    else
      steps.begin_next();
    for (int i = 0; i < settings.iterations; ++i) steps.sweep(soft);
    steps.move(h);
    for (int i = 0; i < settings.relax; ++i) {
      if (settings.relax > 2) rigid.order = soft.order ^ kPointOrder[(i + 2) % 4];  // many sweeps take all orders
      rigid.refresh = i == 0, rigid.last = i + 1 == settings.relax;
      rigid.sum = rigid.last ? sum_in(k, settings.sub_steps, false) : LaneSum::none;
      rigid.bouncing_sum = rigid.last ? sum_in(k, settings.sub_steps, true) : LaneSum::none;
      steps.sweep(rigid);
    }
    steps.joints.add_up();
  }
}

}  // namespace

SoftStepSettings resolved(SoftStepSettings settings, int batch, double dt) {
  if (settings.relax == 0) settings.relax = (batch & kFlat) != 0 ? 2 : 1;
  if ((batch & kCold) != 0) settings.relax = std::max(settings.relax, settings.cold_relax);
  if (settings.sub_steps == 0) settings.sub_steps = (batch & kFew) != 0 ? 8 : 4;
  if (settings.hertz == 0) settings.hertz = 0.25 * settings.sub_steps / dt;
  return settings;
}

struct SoftStepSolver::Workspace {
  LaneProblem lanes;
  LaneManifolds manifolds;
  std::array<LaneJoints, kMostBatches> joints;                  ///< per batch
  std::array<std::vector<std::int32_t>, kMostBatches> records;  ///< per batch: bodies that something acts on
  ContactRuler ruler;
};

SoftStepSolver::SoftStepSolver(const SoftStepSettings& settings)
    : settings_(settings), workspace_(std::make_unique<Workspace>()) {}
SoftStepSolver::~SoftStepSolver() = default;

LaneProblem& SoftStepSolver::lanes() { return workspace_->lanes; }

int SoftStepSolver::batch_of(const IslandCounts& counts) const {
  const bool is_flat = 2 * std::int64_t{counts.flat} > counts.manifolds;
  // Columns of balls do not rock: a lattice of thousands would pay twice for nothing.
  const bool few = settings_.sub_steps == 0 && counts.manifolds <= kFewManifolds && (counts.manifolds == 0 || is_flat);
  const bool flat = settings_.relax == 0 && is_flat;
  // Nearly all: in a lattice of balls two thirds of the contacts touch for ever without a load.
  const bool cold = settings_.cold_relax > 0 && 10 * std::int64_t{counts.bare} > 9 * std::int64_t{counts.touching};
  return (few ? kFew : 0) | (flat ? kFlat : 0) | (cold ? kCold : 0);
}

int SoftStepSolver::sub_steps(int batch) const { return resolved(settings_, batch, 1.0).sub_steps; }

namespace {

/// Loads the joints of each batch and returns the batches that have something to solve, as bits.
unsigned load_joints(const ContactProblem& problem, std::span<const double> impulse, const LaneBatching& batching,
                     ThreadPool* pool, LaneProblem& lanes, std::array<LaneJoints, kMostBatches>& joints) {
  unsigned joined = 0, touching = 0;
  for (const JointBlock& joint : problem.joints)
    if (const int batch = LaneJoints::batch_of(joint, lanes); batch >= 0) joined |= 1u << batch;
  for (int batch = 0; batch < kMostBatches; ++batch) {
    LaneJoints& mine = joints[to_index(batch)];
    if ((joined >> batch & 1u) != 0)
      mine.load(problem, impulse, batching.sub_steps(batch), batch, lanes, pool);
    else
      mine.clear();
  }
  for (const LaneStage& stage : lanes.stages) touching |= 1u << stage.batch;
  return joined | touching;
}

/// Records by batch, of bodies that something acts on. A batch that is alone need not know them: what nothing acts on
/// is not read.
void list_records(const LaneProblem& lanes, unsigned used,
                  std::array<std::vector<std::int32_t>, kMostBatches>& records) {
  for (std::vector<std::int32_t>& list : records) list.clear();
  if (std::has_single_bit(used)) return;
  for (std::size_t i = 0; i < lanes.body_of.size(); ++i) {
    const std::int32_t record = lanes.body_of[i];
    if (record >= 0 && lanes.touched[to_index(record)] != 0) records[lanes.batch_of[i]].push_back(record);
  }
}

}  // namespace

SolveReport SoftStepSolver::solve_lanes(LaneProblem& lanes, const ContactProblem& problem, ContactSolution& solution,
                                        SolveContext& context) {
  Workspace& w = *workspace_;
  const std::span<const ProblemBody> bodies = problem.bodies;
  const double dt = problem.dt;
  SolveReport report;
  Timer timer;
  const unsigned used = load_joints(problem, solution.joint_impulse, *this, context.pool, lanes, w.joints);
  list_records(lanes, used, w.records);
  solution.joint_impulse.assign(problem.joint_rows.size(), 0.0);
  for (int batch = 0; batch < kMostBatches; ++batch) {
    if ((used >> batch & 1u) == 0) continue;
    const SoftStepSettings settings = resolved(settings_, batch, dt);
    LaneJoints& joints = w.joints[to_index(batch)];
    SubSteps steps{lanes, joints, lane_kernels(), context.pool, batch, w.records[to_index(batch)]};
    run_sub_steps(steps, settings, dt);
    steps.bounce(static_cast<float>(problem.stabilisation.bounce_speed));
    joints.read_total(solution.joint_impulse);
    if (!joints.empty()) joints.describe(report);
    report.iterations = std::max(report.iterations, settings.sub_steps * (settings.iterations + settings.relax));
  }
  solution.velocity.resize(bodies.size()), solution.displacement.resize(bodies.size());
  std::array<int, kMostBatches> spread{};
  for (int batch = 0; batch < kMostBatches; ++batch) spread[to_index(batch)] = sub_steps(batch);
  for_each_index(context.pool, bodies.size(), kBodyGrain, [&](std::size_t i) {
    const BodyStep step = lanes.read_body(i, bodies[i], dt, spread[lanes.batch_of[i]]);
    solution.velocity[i] = step.velocity, solution.displacement[i] = step.displacement;
  });
  report.seconds = timer.seconds();
  report.reason = StopReason::max_iterations;
  report.sweep.colours = static_cast<int>(lanes.stages.size());
  report.bytes_per_contact = lanes.slots.empty() ? 0
                                                 : static_cast<double>(lanes.data.size() * sizeof(float)) /
                                                       static_cast<double>(lanes.slots.size());
  return report;
}

void SoftStepSolver::load(const ContactProblem& problem, const ContactSolution& warm, SolveContext& context) {
  Workspace& w = *workspace_;
  w.lanes.load_bodies(problem.bodies, context.pool);
  w.manifolds.find({problem, warm, context.contact_colour}, *this, context.pool, w.lanes);
  w.lanes.lay_out(w.manifolds.keys());
  for_each_index(context.pool, w.manifolds.size(), kManifoldGrain, [&](std::size_t i) {
    w.lanes.fill(i, w.manifolds.gather(problem, warm, i), sub_steps(w.manifolds.batch(i)));
  });
}

SolveReport SoftStepSolver::solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) {
  validate(problem, context.pool);
  require(solution.contact_impulse.empty() || solution.contact_impulse.size() == problem.contacts.size(),
          "the warm start has another number of contacts than the problem: pass an empty one");
  require(context.contact_colour.empty() || context.contact_colour.size() == problem.contacts.size(),
          "contact_colour: give one colour per contact, or none");
  require(solution.joint_impulse.empty() || solution.joint_impulse.size() == problem.joint_rows.size(),
          "the warm start has another number of joint rows than the problem: pass an empty one");
  Workspace& w = *workspace_;
  Timer timer;
  load(problem, solution, context);
  const double setup = timer.seconds();
  SolveReport report = solve_lanes(w.lanes, problem, solution, context);
  report.setup_seconds = setup;
  for (auto* impulse : {&solution.contact_impulse, &solution.contact_carry})
    impulse->assign(problem.contacts.size(), {});
  for_each_index(context.pool, w.manifolds.size(), kManifoldGrain, [&](std::size_t i) {
    LaneManifold m = w.manifolds.gather(problem, {}, i);
    w.lanes.read(i, LaneProblem::Impulses::total, 1, m);
    w.manifolds.scatter(problem, m, i, solution.contact_impulse);
    w.manifolds.share_by_load(problem, i, solution.contact_impulse);
    w.lanes.read(i, LaneProblem::Impulses::last, sub_steps(w.manifolds.batch(i)), m);
    w.manifolds.scatter(problem, m, i, solution.contact_carry);
  });
  if (context.measure_end) {
    timer = {};
    w.ruler.reset(problem, context.pool);
    report.residual = w.ruler.residual(solution, true, context.pool);
    report.measure_seconds = timer.seconds();
  }
  return report;
}

SolveReport SoftStepSolver::solve(const DelassusProblem&, DelassusSolution&, SolveContext&) {
  fail_input("soft_step takes sub-steps of bodies and this problem has none: use gauss_seidel", ErrorKind::unsupported);
}

}  // namespace cairn
