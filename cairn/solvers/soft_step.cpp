// SPDX-License-Identifier: MIT
#include "cairn/solvers/soft_step.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cairn/core/errors.h"
#include "cairn/core/timer.h"
#include "cairn/problem/lane_manifolds.h"
#include "cairn/problem/lane_problem.h"
#include "cairn/problem/natural_map.h"
#include "cairn/solvers/lane_joints.h"
#include "cairn/solvers/lane_kernels.h"

namespace cairn {

namespace {

constexpr std::int64_t kGroupGrain = 4;  ///< groups of lanes per block of work
constexpr std::int32_t kFewGroups = 16;  ///< stages with fewer are done before another thread could help
constexpr std::int64_t kBodyGrain = 512;
constexpr std::int64_t kManifoldGrain = 512;
constexpr std::size_t kFewManifolds = 256;
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

/// What the sub-steps work on.
struct SubSteps {
  LaneProblem& lanes;
  LaneJoints& joints;
  const LaneKernels& kernels;
  ThreadPool* pool;
  const LaneView view{lanes.groups.data(), lanes.data.data(), lanes.bodies.data(), lanes.masses.data(),
                      lanes.records.data()};

  template <class Work>
  void for_stages(Work&& work) {
    for (const LaneStage& stage : lanes.stages)
      parallel_for(stage.count < kFewGroups ? nullptr : pool, stage.count, kGroupGrain,
                   [&](std::int64_t begin, std::int64_t end) { work(stage.first + begin, stage.first + end); });
  }
  template <class Work>
  void for_bodies(Work&& work) {
    parallel_for(pool, static_cast<std::int64_t>(lanes.bodies.size()) - 1, kBodyGrain,
                 [&](std::int64_t begin, std::int64_t end) {
                   for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) work(i);
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

void run_sub_steps(SubSteps& steps, const SoftStepSettings& settings, double dt, bool totals) {
  const double step = dt / settings.sub_steps;
  const auto h = static_cast<float>(step);
  LanePass soft = soft_pass(settings, step);
  soft.totals = totals;
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
      rigid.refresh = i == 0, rigid.last = i + 1 == settings.relax;
      steps.sweep(rigid);
    }
    steps.joints.add_up();
  }
}

}  // namespace

SoftStepSettings settled(SoftStepSettings settings, std::size_t manifolds, std::size_t flat, double dt) {
  if (settings.relax == 0) settings.relax = 2 * flat > manifolds ? 2 : 1;
  if (settings.sub_steps == 0) settings.sub_steps = manifolds <= kFewManifolds ? 8 : 4;
  if (settings.hertz == 0) settings.hertz = 0.25 * settings.sub_steps / dt;
  return settings;
}

struct SoftStepSolver::Workspace {
  LaneProblem lanes;
  LaneJoints joints;
  LaneManifolds manifolds;
  ContactRuler ruler;
};

SoftStepSolver::SoftStepSolver(const SoftStepSettings& settings)
    : settings_(settings), workspace_(std::make_unique<Workspace>()) {}
SoftStepSolver::~SoftStepSolver() = default;

LaneProblem& SoftStepSolver::lanes() { return workspace_->lanes; }
int SoftStepSolver::sub_steps(std::size_t manifolds) const { return settled(settings_, manifolds, 0, 1.0).sub_steps; }

SolveReport SoftStepSolver::solve_lanes(const ContactProblem& problem, bool totals, ContactSolution& solution,
                                        SolveContext& context) {
  LaneProblem& lanes = workspace_->lanes;
  const std::span<const ProblemBody> bodies = problem.bodies;
  const double dt = problem.dt;
  const SoftStepSettings settings = settled(settings_, lanes.slots.size(), lanes.flat_manifolds, dt);
  SolveReport report;
  Timer timer;
  LaneJoints& joints = workspace_->joints;
  joints.load(problem, solution.joint_impulse, settings.sub_steps, lanes, context.pool);
  SubSteps steps{lanes, joints, lane_kernels(), context.pool};
  run_sub_steps(steps, settings, dt, totals);
  steps.bounce(static_cast<float>(problem.stabilisation.bounce_speed));
  joints.read_total(solution.joint_impulse);
  if (!joints.empty()) joints.describe(report);
  solution.velocity.resize(bodies.size()), solution.displacement.resize(bodies.size());
  parallel_for(
      context.pool, static_cast<std::int64_t>(bodies.size()), kBodyGrain, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
          lanes.read_body(i, bodies[i], dt, settings.sub_steps, solution.velocity[i], solution.displacement[i]);
      });
  report.seconds = timer.seconds();
  report.iterations = settings.sub_steps * (settings.iterations + settings.relax);
  report.reason = StopReason::max_iterations;
  report.colours = static_cast<int>(lanes.stages.size());
  report.bytes_per_contact = lanes.slots.empty() ? 0
                                                 : static_cast<double>(lanes.data.size() * sizeof(float)) /
                                                       static_cast<double>(lanes.slots.size());
  return report;
}

void SoftStepSolver::load(const ContactProblem& problem, const ContactSolution& warm, SolveContext& context) {
  Workspace& w = *workspace_;
  w.lanes.load_bodies(problem.bodies, context.pool);
  w.manifolds.find(problem, context.contact_colour, w.lanes);
  const std::size_t count = w.manifolds.size();
  w.lanes.lay_out(w.manifolds.keys());
  const int spread = sub_steps(count);
  parallel_for(context.pool, static_cast<std::int64_t>(count), kManifoldGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
                   w.lanes.fill(i, w.manifolds.gather(problem, warm, i), spread);
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
  SolveReport report = solve_lanes(problem, true, solution, context);
  report.setup_seconds = setup;
  solution.contact_impulse.resize(problem.contacts.size()), solution.contact_carry.resize(problem.contacts.size());
  const int spread = sub_steps(w.manifolds.size());
  parallel_for(context.pool, static_cast<std::int64_t>(w.manifolds.size()), kManifoldGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
                   LaneManifold m = w.manifolds.gather(problem, {}, i);
                   w.lanes.read(i, LaneProblem::Impulses::total, 1, m);
                   w.manifolds.scatter(problem, m, i, solution.contact_impulse);
                   w.lanes.read(i, LaneProblem::Impulses::last, spread, m);
                   w.manifolds.scatter(problem, m, i, solution.contact_carry);
                 }
               });
  if (context.measure_end) {
    timer = {};
    w.ruler.reset(problem, context.pool);
    report.residual = w.ruler.natural_map(solution, context.pool);
    report.measure_seconds = timer.seconds();
  }
  return report;
}

SolveReport SoftStepSolver::solve(const DelassusProblem&, DelassusSolution&, SolveContext&) {
  fail_input("soft_step takes sub-steps of bodies and this problem has none: use gauss_seidel", ErrorKind::unsupported);
}

}  // namespace cairn
