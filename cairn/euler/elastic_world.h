// SPDX-License-Identifier: MIT
// ElasticWorld: elastic solids on one grid, in frictional contact with each other, with walls and with rigid bodies.
//
//   ElasticWorld world({.grid = {{0, 0, 0}, 0.05, {40, 40, 40}}});
//   world.add_wall({.shape = make_half_space({0, 0, 1}, 0.5)});
//   const int ball = world.add_body({.shape = make_sphere(0.3), .pose = {{1, 1, 1.2}}});
//   for (int i = 0; i < 60; ++i) world.step(1.0 / 60);
//
// Rigid bodies and joints are added to `rigid()`, a World that moves together with this one. Contacts between solids
// and rigid bodies are solved in one problem.
//
// docs/euler.md says what is solved, how to choose the grid, and what the method cannot do. The bits are the same for
// any number of threads.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cairn/core/hash.h"
#include "cairn/euler/contact_rows.h"
#include "cairn/euler/rigid_side.h"
#include "cairn/solvers/solver_table.h"
#include "cairn/solvers/staggered/assembled_staggered_settings.h"

namespace cairn {

struct ElasticSettings {
  Grid grid{};
  Vec3 gravity{0, 0, -9.81};
  SolidSettings solid{};
  double cfl = 0.5;         ///< share of a cell that a wave may cross in a sub-step; not stable above 0.9
  int sub_steps = 0;        ///< per step; 0: as many as are needed for stability
  int max_sub_steps = 200;  ///< a step that needs more is refused
  bool contact = true;
  /// "staggered" solves a contact QP and a friction QP in turn. Any other name is that of a solver of solver_table()
  /// that takes assembled problems.
  std::string contact_solver = "staggered";
  NamedSettings contact_solver_settings{};  ///< settings of a solver from the table
  AssembledStaggeredSettings staggered{};   ///< settings of "staggered"
  int contact_iterations = 200;             ///< limit of a solver from the table
  double contact_tolerance = 1e-8;          ///< residual at which a solver from the table stops
  bool measure_residual = false;            ///< measure the residual of every contact solve; changes nothing else
  double overlap_rate = 0.1;                ///< part of an overlap that contacts remove per sub-step
  bool warm_start = true;                   ///< begin from the impulses of the last sub-step
  int threads = 1;                          ///< 0: every processor; results do not depend on it
};

/// Throws InputError for settings that cannot be used.
void check_settings(const ElasticSettings& settings);

/// What contacts did in the sub-steps of a step.
struct ElasticContactReport {
  std::int64_t rows = 0;       ///< in the last sub-step
  std::int64_t touching = 0;   ///< rows with an impulse, in the last sub-step
  double overlap = 0;          ///< m, largest mean overlap of a row in the last sub-step
  int staggered_max = 0;       ///< most turns of the two QPs in one sub-step
  int not_settled = 0;         ///< sub-steps whose turns ended at their limit, or whose solver did not converge
  int contact_sets_max = 0;    ///< most active sets of one contact QP
  int friction_sets_max = 0;   ///< most active sets of one friction QP
  int factorisations_max = 0;  ///< most factorisations of one of the two QPs in a sub-step
  int refactored = 0;          ///< sub-steps in which one of the two QPs was factored more than once
  int rescues = 0;             ///< QPs whose active sets needed Gauss-Seidel again
  int unfinished = 0;          ///< QPs whose search for active sets did not end; the best iterate was taken
  double momentum_error = 0;   ///< largest error in the total momentum of a contact solve, relative to its impulses
  double residual = -1;        ///< the worst; -1: not asked for
  double contact_seconds = 0, friction_seconds = 0;  ///< spent in contact QPs and in friction QPs, set-up included
};

struct ElasticReport {
  std::int64_t step = 0;
  double time = 0;  ///< s
  int sub_steps = 0;
  double step_limit = 0;    ///< s, largest stable sub-step at the start of the step; infinite without solids
  std::int64_t frozen = 0;  ///< solids that are not active any more
  double mass_error = 0;    ///< largest relative change of a solid's mass since its start
  SolidMeasures total;      ///< sums over the active solids, and their common centre
  ElasticContactReport contact;
  double solid_seconds = 0, contact_seconds = 0;  ///< spent on the solids themselves, and on contacts
};

class ElasticWorld {
 public:
  explicit ElasticWorld(const ElasticSettings& settings);
  ~ElasticWorld();
  ElasticWorld(ElasticWorld&&) noexcept;
  ElasticWorld& operator=(ElasticWorld&&) noexcept;

  /// Adds a solid and returns its number: 0, 1, ... Throws InputError for a definition that cannot be used; nothing has
  /// changed then.
  int add_body(const ElasticBodyDef& def);
  int add_wall(const WallDef& wall);

  /// Advances by dt, in sub-steps. Throws InputError if dt is not positive, or if it is too large to be stable with the
  /// sub-steps that the settings allow. The message names the limit.
  const ElasticReport& step(double dt);

  const ElasticSettings& settings() const { return settings_; }
  const ElasticReport& last_report() const { return report_; }
  int body_count() const { return static_cast<int>(solids_.size()); }
  const GridSolid& body(int number) const;
  const SolidMeasures& measures(int number) const { return body(number).measures; }
  const std::vector<WallDef>& walls() const { return walls_; }

  /// The world of the rigid bodies. It begins with the same gravity. Add bodies and joints to it. It moves with `step`
  /// of this world; its own `step` is refused. Its joints must have neither limits nor drives nor friction.
  World& rigid() { return rigid_->world; }
  const World& rigid() const { return rigid_->world; }

  /// The largest sub-step in s that is stable now.
  double step_limit() const;
  /// The contact problem of the last sub-step that had contacts, and its answer. Any solver can be given the problem.
  const DelassusProblem& problem() const { return problem_; }
  const DelassusSolution& solution() const { return solution_; }
  /// The impulses with which the solve of that problem began.
  const std::vector<double>& warm_start() const { return start_; }

  Hash128 state_hash() const;
  /// Everything that decides the future, as bytes. A restored world goes on bit for bit.
  std::string save() const;
  /// Replaces this world by a saved one; the threads stay. Throws InputError for bytes that are no such state; nothing
  /// has changed then.
  void restore(std::string_view bytes);

 private:
  /// The impulse from which a row starts in the next sub-step.
  struct WarmRow {
    RowKey key;
    double normal = 0;
    Vec3 tangential;
  };
  template <class Archive, class Self>
  static void archive(Archive& archive, Self& world);

  void sub_step(double h);
  void solve_contacts(double h);
  void solve_coupled(const ContactProblem& rigid, ContactSolution& answer, std::span<Obstacle> obstacles,
                     ContactRows& rows);
  void finish_contacts(const ContactRows& rows);
  void read_warm_start(const ContactRows& rows);
  void keep_warm_start(const ContactRows& rows);
  void solve_problem();
  void judge_problem();
  void advance_solid(GridSolid& solid, double h);
  void finish_report(double dt, int sub_steps);
  int choose_sub_steps(double dt) const;

  ElasticSettings settings_;
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<Solver> solver_;  ///< null: "staggered"
  std::vector<GridSolid> solids_;
  std::vector<double> start_mass_;  ///< per solid
  std::vector<WallDef> walls_;
  std::unique_ptr<RigidSide> rigid_;  ///< there is always one
  std::vector<WarmRow> warm_;         ///< sorted by key
  DelassusProblem problem_;
  DelassusSolution solution_;
  std::vector<double> start_;  ///< impulses with which the last solve began
  ElasticReport report_;
};

}  // namespace cairn
