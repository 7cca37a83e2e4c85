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
#include "cairn/solvers/soft_step/swept_joints.h"

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
/// Few and not flat, as no other islands are: nothing touches, there are joints alone. The rows of a joint stay those
/// of the beginning of the step; with several sub-steps the displacement would run ahead of them, x' = x + dt (u +
/// u')/2, and a pendulum would gain energy. With one, x' = x + dt u', it keeps it (symplectic Euler).
constexpr int kFree = kFew;
constexpr int kFreeSweeps = 6;  // soft ones and rigid ones of such islands
/// The same and cold, which they never are: something touches, but there are more joints than manifolds.
constexpr int kJointed = kFew | kCold;
constexpr int kJointedSubSteps = 8;
constexpr double kJointHertz = 1.0;  // of swept joints, of the rate of sub-steps
constexpr double kJointDamping = 1;
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
  SweptJoints& swept;
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

  /// `ends`: one of the last of its kind in the sub-step.
  void sweep(const LanePass& pass, bool ends) {
    for_stages([&](std::int64_t begin, std::int64_t end) { kernels.sweep(view, pass, begin, end); });
    if (!swept.empty()) swept.sweep(pass.biased, pass.last, lanes, pool);
    if (!joints.empty() && ends)
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
    if (!swept.empty()) swept.warm_start(lanes, pool);
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
    const bool is_free = steps.batch == kFree;
    // Twice: velocities are float, and the second solve sees what the first one lost in rounding.
    for (int i = 0; i < settings.iterations; ++i) steps.sweep(soft, !is_free || i + 2 >= settings.iterations);
    steps.move(h);
    for (int i = 0; i < settings.relax; ++i) {
      if (settings.relax > 2) rigid.order = soft.order ^ kPointOrder[(i + 2) % 4];  // many sweeps take all orders
      rigid.refresh = i == 0, rigid.last = i + 1 == settings.relax;
      rigid.sum = rigid.last ? sum_in(k, settings.sub_steps, false) : LaneSum::none;
      rigid.bouncing_sum = rigid.last ? sum_in(k, settings.sub_steps, true) : LaneSum::none;
      steps.sweep(rigid, rigid.last);
    }
    steps.joints.add_up();
  }
}

}  // namespace

SoftStepSettings resolved(SoftStepSettings settings, int batch, double dt) {
  if (batch == kFree) {
    if (settings.sub_steps == 0) settings.sub_steps = 1;
    if (settings.relax == 0) settings.relax = kFreeSweeps;
    settings.iterations = std::max(settings.iterations, kFreeSweeps);
  }
  if (batch == kJointed && settings.sub_steps == 0) settings.sub_steps = kJointedSubSteps;
  if (settings.relax == 0) settings.relax = (batch & kFlat) != 0 ? 2 : 1;
  if ((batch & kCold) != 0 && batch != kJointed) settings.relax = std::max(settings.relax, settings.cold_relax);
  if (settings.sub_steps == 0) settings.sub_steps = (batch & kFew) != 0 ? 8 : 4;
  if (settings.hertz == 0) settings.hertz = 0.25 * settings.sub_steps / dt;
  return settings;
}

struct SoftStepSolver::Workspace {
  LaneProblem lanes;
  LaneManifolds manifolds;
  JointChoice choice;
  std::array<LaneJoints, kMostBatches> joints;                  ///< per batch, those solved directly
  std::array<SweptJoints, kMostBatches> swept;                  ///< per batch, those that are swept
  std::array<std::vector<std::int32_t>, kMostBatches> records;  ///< per batch: bodies that something acts on
  ContactRuler ruler;
};

SoftStepSolver::SoftStepSolver(const SoftStepSettings& settings)
    : settings_(settings), workspace_(std::make_unique<Workspace>()) {}
SoftStepSolver::~SoftStepSolver() = default;

LaneProblem& SoftStepSolver::lanes() { return workspace_->lanes; }

int SoftStepSolver::batch_of(const IslandCounts& counts) const {
  if (counts.manifolds == 0 && (counts.joints == 0 || counts.anchors > 0)) return kFree;
  if (counts.joints > counts.manifolds) return kJointed;
  const bool is_flat = 2 * std::int64_t{counts.flat} > counts.manifolds;
  // Columns of balls do not rock: a lattice of thousands would pay twice for nothing.
  const bool few = settings_.sub_steps == 0 && counts.manifolds <= kFewManifolds && is_flat;
  // Nearly all: in a lattice of balls two thirds of the contacts touch for ever without a load.
  const bool cold = settings_.cold_relax > 0 && 10 * std::int64_t{counts.bare} > 9 * std::int64_t{counts.touching};
  return (few ? kFew : 0) | (is_flat ? kFlat : 0) | (cold ? kCold : 0);
}

int SoftStepSolver::sub_steps(int batch) const { return resolved(settings_, batch, 1.0).sub_steps; }

int SoftStepSolver::fewest_sub_steps() const {
  int fewest = sub_steps(0);
  for (int batch = 1; batch < kMostBatches; ++batch)
    if (batch != kFree) fewest = std::min(fewest, sub_steps(batch));
  return fewest;
}

namespace {

/// Of the joints that are swept in one batch.
SweptLaw swept_law(const SoftStepSettings& settings, int batch, const ContactProblem& problem) {
  const double h = problem.dt / settings.sub_steps;
  const Softness soft(kJointHertz * settings.sub_steps / problem.dt, kJointDamping, h);
  return {batch, settings.sub_steps, h, soft.rate, soft.mass_scale, soft.impulse_scale, problem.stabilisation.max_push};
}

/// Which batches have joints, and which have joints that are swept, as bits.
struct JointBatches {
  unsigned direct = 0, swept = 0;

  JointBatches(const ContactProblem& problem, const JointChoice& choice, const LaneProblem& lanes) {
    for (std::size_t k = 0; k < problem.joints.size(); ++k)
      if (const int batch = LaneJoints::batch_of(problem.joints[k], lanes); batch >= 0)
        (choice.is_swept(k) ? swept : direct) |= 1u << batch;
  }
};

/// Taking back position errors moves bodies for nothing, maybe upwards. So a mechanism that hangs on something, that
/// nothing touches and nothing drives is slowed down where it would have more energy than gravity gave it. In scaled
/// coordinates, with the velocities in the middle of two steps:
///   |u1|^2 / 2 <= |u0|^2 / 2 + a.d + dt/2 a.(u0 - u1)
void keep_energy(const LdlMechanism& mechanism, double dt, LaneProblem& lanes) {
  double before = 0, after = 0, work = 0;
  const auto for_bodies = [&](auto&& visit) {
    for (const std::int32_t body : mechanism.bodies)
      if (lanes.can_move(to_index(body))) visit(to_index(lanes.body_of[to_index(body)]));
  };
  for_bodies([&](std::size_t i) {
    for (int k = 0; k < 6; ++k) {
      const double u0 = lanes.previous[i].value[k], u1 = lanes.bodies[i].velocity[k], a = lanes.pull[i].value[k];
      before += 0.5 * u0 * u0, after += 0.5 * u1 * u1;
      work += a * (lanes.bodies[i].displacement[k] + 0.5 * dt * (u0 - u1));
    }
  });
  const double most = std::max(before + work, 0.0);
  if (!(after > most)) return;
  const auto scale = static_cast<float>(std::sqrt(most / after));
  for_bodies([&](std::size_t i) {
    for (float& u : lanes.bodies[i].velocity) u *= scale;
  });
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

/// Loads the joints of each batch and returns the batches that have something to solve, as bits.
unsigned SoftStepSolver::load_joints(LaneProblem& lanes, const ContactProblem& problem, std::span<const double> impulse,
                                     ThreadPool* pool) {
  Workspace& w = *workspace_;
  const JointBatches has(problem, w.choice, lanes);
  for (int batch = 0; batch < kMostBatches; ++batch) {
    LaneJoints& joints = w.joints[to_index(batch)];
    SweptJoints& swept = w.swept[to_index(batch)];
    const SoftStepSettings settings = resolved(settings_, batch, problem.dt);
    if ((has.direct >> batch & 1u) != 0)
      joints.load(problem, w.choice, impulse, {batch, settings.sub_steps}, lanes, pool);
    else
      joints.clear();
    if ((has.swept >> batch & 1u) != 0)
      swept.load(problem, w.choice, impulse, swept_law(settings, batch, problem), lanes, pool);
    else
      swept.clear();
  }
  unsigned touching = 0;
  for (const LaneStage& stage : lanes.stages) touching |= 1u << stage.batch;
  return has.direct | has.swept | touching;
}

std::span<const std::uint8_t> SoftStepSolver::choose_joints(const ContactProblem& problem, ThreadPool* pool) {
  workspace_->choice.choose(problem, settings_.joint_solve, pool);
  return swept_joints();
}

std::span<const std::uint8_t> SoftStepSolver::swept_joints() const { return workspace_->choice.is_swept(); }

void SoftStepSolver::keep_energies(LaneProblem& lanes, double dt, ThreadPool* pool) {
  const JointChoice& choice = workspace_->choice;
  parallel_for(pool, static_cast<std::int64_t>(choice.passive().size()), 1, [&](std::int64_t begin, std::int64_t) {
    const LdlMechanism& mechanism = choice.mechanism(choice.passive()[to_index(begin)]);
    if (lanes.batch_of[to_index(mechanism.bodies.front())] == kFree) keep_energy(mechanism, dt, lanes);
  });
}

SolveReport SoftStepSolver::solve_lanes(LaneProblem& lanes, const ContactProblem& problem, ContactSolution& solution,
                                        SolveContext& context) {
  Workspace& w = *workspace_;
  const std::span<const ProblemBody> bodies = problem.bodies;
  const double dt = problem.dt;
  SolveReport report;
  Timer timer;
  const unsigned used = load_joints(lanes, problem, solution.joint_impulse, context.pool);
  list_records(lanes, used, w.records);
  solution.joint_impulse.assign(problem.joint_rows.size(), 0.0);
  for (int batch = 0; batch < kMostBatches; ++batch) {
    if ((used >> batch & 1u) == 0) continue;
    const SoftStepSettings settings = resolved(settings_, batch, dt);
    LaneJoints& joints = w.joints[to_index(batch)];
    SweptJoints& swept = w.swept[to_index(batch)];
    SubSteps steps{lanes, joints, swept, lane_kernels(), context.pool, batch, w.records[to_index(batch)]};
    run_sub_steps(steps, settings, dt);
    steps.bounce(static_cast<float>(problem.stabilisation.bounce_speed));
    joints.read_total(solution.joint_impulse), swept.read_total(solution.joint_impulse);
    if (batch == kFree && settings.sub_steps == 1 && !swept.empty()) keep_energies(lanes, dt, context.pool);
    if (!joints.empty()) joints.describe(report);
    report.iterations = std::max(report.iterations, settings.sub_steps * (settings.iterations + settings.relax));
  }
  solution.velocity.resize(bodies.size()), solution.displacement.resize(bodies.size());
  std::array<int, kMostBatches> spread{};
  for (int batch = 0; batch < kMostBatches; ++batch) spread[to_index(batch)] = sub_steps(batch);
  // Of bodies on which nothing acts: they fall as if in the sub-steps of a small island.
  if (settings_.sub_steps == 0) spread[kFree] = sub_steps(kFew | kFlat);
  for_each_index(context.pool, bodies.size(), kBodyGrain, [&](std::size_t i) {
    const BodyStep step = lanes.read_body(i, bodies[i], dt, spread[lanes.batch_of[i]]);
    solution.velocity[i] = step.velocity, solution.displacement[i] = step.displacement;
  });
  report.joints.swept_mechanisms = static_cast<std::int32_t>(w.choice.swept_mechanisms());
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
  choose_joints(problem, context.pool);
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
