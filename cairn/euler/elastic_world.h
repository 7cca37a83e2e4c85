// SPDX-License-Identifier: MIT
// ElasticWorld: elastic solids on one grid, in frictional contact with each other, with walls and with rigid bodies.
//
//   ElasticWorld world({.grid = {{0, 0, 0}, 0.05, {40, 40, 40}}});
//   world.add_wall({.shape = make_half_space({0, 0, 1}, 0.5)});
//   const int ball = world.add_body({.shape = make_sphere(0.3), .pose = {{1, 1, 1.2}}});
//   for (int i = 0; i < 60; ++i) world.step(1.0 / 60);
//
// Rigid bodies and their joints are those of `rigid()`, a World that moves with this one; contacts of both are one
// problem.
//
// docs/euler.md says what is solved, how to choose the grid, and what the method cannot do. Same bits for any number of
// threads.
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
  double cfl = 0.5;         ///< share of a cell that a wave may cross in a sub-step; above 0.9 it is not stable
  int sub_steps = 0;        ///< of a step; 0: as many as the limit asks for
  int max_sub_steps = 200;  ///< a step that needs more is refused
  bool contact = true;
  /// "staggered": two QPs in turn; or the name of any solver of solver_table() that takes assembled problems.
  std::string contact_solver = "staggered";
  NamedSettings contact_solver_settings{};  ///< of the latter
  AssembledStaggeredSettings staggered{};   ///< of the former
  int contact_iterations = 200;             ///< of the latter
  double contact_tolerance = 1e-8;          ///< on the residual, likewise
  bool measure_residual = false;            ///< judge every contact solve by the ruler; changes nothing else
  double overlap_rate = 0.1;                ///< of an overlap that contacts take back per sub-step
  bool warm_start = true;                   ///< begin from the impulses of the last sub-step
  int threads = 1;                          ///< 0: every processor; results do not depend on it
};

/// Refuses (InputError) what cannot be used.
void check_settings(const ElasticSettings& settings);

/// What contacts did, over the sub-steps of a step.
struct ElasticContactReport {
  std::int64_t rows = 0;      ///< of the last sub-step
  std::int64_t touching = 0;  ///< of these, with an impulse
  double overlap = 0;         ///< m, the deepest mean overlap of a row, of the last sub-step
  int staggered_max = 0;      ///< iterations of both QPs in turn: of the sub-step with most
  int not_settled = 0;        ///< sub-steps whose staggering ended at its limit, or whose solver did not converge
  int contact_sets_max = 0;   ///< active sets of a contact QP, and of a friction QP, that took most
  int friction_sets_max = 0;
  int factorisations_max = 0;  ///< of one of both QPs in a sub-step
  int refactored = 0;          ///< sub-steps in which one of both was factored more than once
  int rescues = 0;             ///< QPs whose active sets needed Gauss-Seidel again
  int unfinished = 0;          ///< QPs whose active sets did not end: best iterate
  double momentum_error = 0;   ///< made from nothing by a contact solve, over its impulses: round-off
  double residual = -1;        ///< worst, of the ruler; -1: not asked for
  double contact_seconds = 0, friction_seconds = 0;  ///< in QPs of the kind, set-up included
};

struct ElasticReport {
  std::int64_t step = 0;
  double time = 0;  ///< s
  int sub_steps = 0;
  double step_limit = 0;    ///< s, that the solids allowed at the start of the step; infinite without solids
  std::int64_t frozen = 0;  ///< solids that are not active any more
  double mass_error = 0;    ///< largest change of a solid's mass since its start, relative
  SolidMeasures total;      ///< of active solids; centre of all
  ElasticContactReport contact;
  double solid_seconds = 0, contact_seconds = 0;  ///< in stages of solids, in contacts
};

class ElasticWorld {
 public:
  explicit ElasticWorld(const ElasticSettings& settings);
  ~ElasticWorld();
  ElasticWorld(ElasticWorld&&) noexcept;
  ElasticWorld& operator=(ElasticWorld&&) noexcept;

  /// Returns the number of the solid: 0, 1, ... Refuses (InputError) what cannot be used, and changes nothing then.
  int add_body(const ElasticBodyDef& def);
  int add_wall(const WallDef& wall);

  /// Advances by dt, in sub-steps. Refuses a dt that is not positive, and one beyond what the settings' sub-steps can
  /// take stably; the message names the limit.
  const ElasticReport& step(double dt);

  const ElasticSettings& settings() const { return settings_; }
  const ElasticReport& last_report() const { return report_; }
  int body_count() const { return static_cast<int>(solids_.size()); }
  const GridSolid& body(int number) const;
  const SolidMeasures& measures(int number) const { return body(number).measures; }
  const std::vector<WallDef>& walls() const { return walls_; }

  /// The rigid bodies, with the same gravity at first. Add bodies and joints to it; it moves with `step` of this world,
  /// and its own is refused. Joints must hold without limits, drives and friction.
  World& rigid() { return rigid_->world; }
  const World& rigid() const { return rigid_->world; }

  /// Largest sub-step that is stable now, s.
  double step_limit() const;
  /// The contact problem of the last sub-step that had contacts, and its answer: values that any solver can be given.
  const DelassusProblem& problem() const { return problem_; }
  const DelassusSolution& solution() const { return solution_; }
  /// The impulses that its solve began with.
  const std::vector<double>& warm_start() const { return start_; }

  Hash128 state_hash() const;
  /// Everything that decides the future, as bytes. A restored world goes on bit for bit.
  std::string save() const;
  /// Threads stay those of this world. InputError for bytes that are no such state; nothing has changed then.
  void restore(std::string_view bytes);

 private:
  /// What a row starts from in the next sub-step.
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
  std::unique_ptr<Solver> solver_;  ///< none: staggered
  std::vector<GridSolid> solids_;
  std::vector<double> start_mass_;  ///< per solid
  std::vector<WallDef> walls_;
  std::unique_ptr<RigidSide> rigid_;  ///< there is always one
  std::vector<WarmRow> warm_;         ///< ascend by key
  DelassusProblem problem_;
  DelassusSolution solution_;
  std::vector<double> start_;  ///< impulses that the last solve began with
  ElasticReport report_;
};

}  // namespace cairn
