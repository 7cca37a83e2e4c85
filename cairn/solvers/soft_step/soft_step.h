// SPDX-License-Identifier: MIT
// Soft step: sub-steps of soft, warm-started Gauss-Seidel by colours in wide lanes, each followed by a rigid pass that
// takes back the speed of the push-out. For time steps in real time.
//
//   n times, h = dt/n:  u <- u + h a + M^-1 J^T l                  the impulses of the last sub-step act again
//                       normals, soft:  l <- max(0, l - c_m K^-1 (J u + max(c_r (s + slop), -push)) - c_l l)
//                       d <- d + h u,  s = gap + J d
//                       normals, friction, normals of each manifold, rigid:  l <- proj( l - K^-1 J u )
//   Joints of a mechanism are swept with the contacts (swept_joints.h), or solved directly after the soft sweep and
//   after the last rigid one (lane_joints.h), whichever suits the mechanism (joint_choice.h).
//   How many sub-steps and sweeps an island gets depends on the island alone: islands that get the same make a batch.
//   An island of joints that nothing touches takes one sub-step, with several sweeps.
//   An island whose contacts have no impulses to start from gets more rigid sweeps: an arch would else fall before its
//   impulses have built up.
//   c_r = w/a1, c_m = a2/(1+a2), c_l = 1/(1+a2), a1 = 2 zeta + h w, a2 = h w a1, w = 2 pi hertz: a row is a damped
//   spring, integrated implicitly; at rest it gives way by (load / effective mass) / w^2. Points apart (s > 0) are
//   held rigidly to J u >= -s/h. Friction acts on whole manifolds: two rows at the middle of the points, one about the
//   normal.
//
// Source: Macklin et al. 2019 (small steps); soft rows and relaxing after E. Catto's Soft Step. Ours: mass-scaled lanes
// (lane_problem.h), the extrapolated warm start u <- 2 u - u_before, friction in the rigid pass alone, damping near
// one. Use: what games and robots run. Not to solve a given problem accurately: contacts yield by their softness.
#pragma once

#include <memory>
#include <string>

#include "cairn/solvers/lane_solver.h"
#include "cairn/solvers/soft_step/joint_choice.h"
#include "cairn/solvers/solver.h"

namespace cairn {

struct SoftStepSettings {
  int sub_steps = 0;   ///< 0: 1 if nothing touches, 8 if few and flat or more joints than manifolds, else 4
  int iterations = 1;  ///< soft sweeps per sub-step
  int relax = 0;       ///< rigid sweeps per sub-step; 0: 2 where most manifolds have several points, else 1
  int cold_relax = 4;  ///< the same for islands nearly none of whose contacts has an impulse; fewer: masonry falls
  double hertz = 0;    ///< of soft contacts; 0: a quarter of the rate of sub-steps. Higher: stacks begin to shake
  double damping_ratio = 1;  ///< higher: overlap is removed more slowly, tall stacks rock longer
  double still_factor = 1;   ///< contacts with bodies that cannot move have this times the frequency
  double push = 3;           ///< m/s, fastest push-out; lower: gentler, deep overlaps stay longer
  double slop = 0;           ///< m, overlap left alone; while bodies sink into it they rub too little
  JointSolve joint_solve = JointSolve::automatic;  ///< direct or by sweeps

  // A contract (contract.h), which make_solver puts around the solver; SoftStepSolver itself does not read it.
  double max_residual = 0;            ///< of every island, else `stronger` solves it again; 0: no contract
  double max_ms = 0;                  ///< of a step, after which no island is solved again; 0: no limit
  std::string stronger = "anderson";  ///< name of a solver
};

/// Sub-steps, sweeps and frequency of a batch where the settings leave them open.
SoftStepSettings resolved(SoftStepSettings settings, int batch, double dt);

class SoftStepSolver : public Solver, public LaneSolver {
 public:
  explicit SoftStepSolver(const SoftStepSettings& settings = {});
  ~SoftStepSolver() override;

  SolverTraits traits() const override { return {.holds_joints = true, .has_sub_steps = true, .is_local = true}; }
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) override;
  /// Throws InputError: sub-steps need bodies.
  SolveReport solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) override;

  LaneSolver* lane_solver() override { return this; }
  int batch_of(const IslandCounts& counts) const override;
  int sub_steps(int batch) const override;
  int fewest_sub_steps() const override;
  std::span<const std::uint8_t> choose_joints(const ContactProblem& problem, ThreadPool* pool) override;
  std::span<const std::uint8_t> swept_joints() const override;
  SolveReport solve_lanes(LaneProblem& lanes, const ContactProblem& problem, ContactSolution& solution,
                          SolveContext& context) override;

  LaneProblem& lanes();  ///< of the last `solve`

 private:
  struct Workspace;
  void load(const ContactProblem& problem, const ContactSolution& warm, SolveContext& context);
  unsigned load_joints(LaneProblem& lanes, const ContactProblem& problem, std::span<const double> impulse,
                       ThreadPool* pool);
  void keep_energies(LaneProblem& lanes, double dt, ThreadPool* pool);

  SoftStepSettings settings_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace cairn
