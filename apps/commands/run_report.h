// SPDX-License-Identifier: MIT
// What a run of a scene amounts to: sums over its steps, and what is told of them on the screen and in JSON.
#pragma once

#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/commands/exact_sums.h"
#include "cairn/measures/jitter.h"
#include "cairn/measures/order_sensitivity.h"
#include "cairn/world/world.h"
#include "scenes/scene.h"

namespace cairn::cli {

/// The steps that count for means: those after `from`, up to and with `to`.
struct MeasureWindow {
  std::int64_t from = 0, to = 0;
  bool contains(std::int64_t step) const { return step > from && step <= to; }
};

/// What one step cost as seen from outside, s.
struct StepCost {
  double wall = 0;
  double cpu = 0;  ///< of all threads
};

/// Sums over steps; `add` writes it.
struct StepSums {
  std::int64_t steps = 0;
  StepCost cost;
  StageTimes stages;
  double contacts = 0, manifolds = 0, pairs = 0, recycled = 0, islands = 0, sleeping_islands = 0, awake_bodies = 0;
  double iterations = 0;
  double kinetic_energy = 0;  ///< J, of the bodies that are still there
  double mean_overlap = 0;
  double max_overlap = 0;         ///< largest, not a sum
  int colours = 0;                ///< largest, not a sum
  std::vector<double> residuals;  ///< of the steps whose answer was judged
  double worst_residual = -1;     ///< the largest of them
  std::int64_t worst_step = 0;    ///< where that was
};
void add(StepSums& sums, const StepReport& report, const StepCost& cost, double gone_energy = 0);

/// Looks after the bodies of a scene: where each was built, how far it has gone, whether it is still there.
class BodyWatch {
 public:
  explicit BodyWatch(const scenes::Scene& scene);

  /// To be called after every step.
  void look(const World& world);
  /// Who fell through or left.
  std::vector<BodyId> gone() const;
  /// J of the bodies that are gone: they fall for ever and would hide what the others do.
  double kinetic_energy_gone(const World& world) const;

  struct Motion {
    double drift = 0;  ///< m, largest horizontal distance of a dynamic body from where it was built
    double sag = 0;    ///< m, farthest that one came down
  };
  Motion motion(const World& world) const;
  /// The same bodies still exist: false when the world was restored from another scene's file.
  bool matches(const World& world) const;

  std::int64_t dynamic_bodies() const { return static_cast<std::int64_t>(bodies_.size()); }
  std::int64_t fell_through() const { return fell_through_; }
  std::int64_t left() const { return left_; }

 private:
  double floor_, half_width_;  ///< m, of the scene
  std::size_t all_bodies_;
  std::vector<BodyId> bodies_;      ///< the dynamic ones
  std::vector<Vec3> start_;         ///< per body of bodies_
  std::vector<std::uint8_t> gone_;  ///< per body of bodies_: 1 since it fell through or left
  std::int64_t fell_through_ = 0, left_ = 0;
};

/// Kinetic energy and that of gravity, of all dynamic bodies, J.
double total_energy(const World& world);

/// What became of the joints, over all steps.
struct JointSums {
  std::int64_t joints = 0, broken = 0;        ///< joints: most at a time
  double max_error = 0;                       ///< m, largest separation
  std::int64_t worst_step = 0;                ///< where that was
  double max_angle_error = 0;                 ///< rad
  double max_kinetic_energy = 0;              ///< J
  double drive_work = 0;                      ///< J, of drives and springs, over all steps
  std::int64_t redundant_rows = 0;            ///< most in a step
  std::vector<RedundantMechanism> redundant;  ///< of that step, the worst
  std::int64_t direct = 0, swept = 0;         ///< mechanisms of the last step that were solved directly and by sweeps
};

/// What became of the contract of the solver (ContractReport), over all steps that had one.
struct ContractSums {
  std::int64_t steps = 0, islands = 0, missed = 0, solved_again = 0, still_missed = 0;
  std::int64_t timed_out = 0;  ///< steps
  double worst = 0;            ///< residual of an island in the end, largest
  double seconds = 0, most_seconds = 0;
  bool timed = false;
};

/// Everything about a run. `run` writes it.
struct RunSummary {
  std::string scene, solver;  ///< the solver with its settings
  std::string source;         ///< the scene and its parameters as words of the command line
  double dt = 0;
  int threads = 1;
  std::int64_t bodies = 0, dynamic_bodies = 0;
  std::int64_t steps = 0;
  bool windowed = false;  ///< the means are over the window; else over all steps, because none was in it
  MeasureWindow window;
  StepSums means;                                            ///< over the window
  double energy_start = 0, energy_end = 0, energy_gain = 0;  ///< J; gain: most above the start, after any step
  JointSums joints;
  ContractSums contract;
  ExactSums exact;
  BodyWatch::Motion motion;
  JitterMeasures jitter;
  std::optional<OrderReport> order;
  std::int64_t fell_through = 0;   ///< dynamic bodies that came below the floor, or are nowhere
  std::int64_t left = 0;           ///< dynamic bodies that went over the edge of the scene
  double tolerance = 0;            ///< that steps were to reach; 0: none
  std::int64_t not_converged = 0;  ///< steps that missed the tolerance; without one, steps that diverged
  std::int64_t quarantined = 0;
  std::string state_hash;
  std::vector<std::string> notes;  ///< of the solver, each once
};

/// Keeps the sums of a run, step by step, and makes the summary of them.
class RunStatistics {
 public:
  RunStatistics(const MeasureWindow& window, const WorldSettings& settings, double energy_start);

  /// `gone_energy` is what the bodies that are gone have of the report's kinetic energy, J.
  void add(const StepReport& report, const StepCost& cost, double gone_energy = 0);
  /// Fills what steps decide; the rest is the caller's.
  void summarise(RunSummary& summary) const;

 private:
  MeasureWindow window_;
  double tolerance_;
  double energy_start_, energy_gain_ = 0;
  StepSums all_, measured_;
  JointSums joints_;
  ContractSums contract_;
  ExactSums exact_;
  std::int64_t not_converged_ = 0, quarantined_ = 0;
  std::vector<std::string> notes_;
};

/// The middle of the values, the mean of the two middle ones where their number is even; -1 where there is none.
double median(std::vector<double> values);

/// Energy lost (negative) or gained from start to end, without what drives and springs of joints did, as a part of the
/// largest kinetic energy; 0 without motion.
double energy_drift(const RunSummary& summary);

/// A length with the unit that suits it: "1.06 um", "11.4 mm", "9.62 m".
std::string length_text(double metres);

/// What went wrong or is remarkable, a sentence each with what to do about it; empty: nothing is.
std::vector<std::string> verdicts(const RunSummary& summary);

nlohmann::json to_json(const RunSummary& summary);
void print_summary(std::FILE* out, const RunSummary& summary);

}  // namespace cairn::cli
