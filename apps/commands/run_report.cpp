// SPDX-License-Identifier: MIT
#include "apps/commands/run_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cairn/measures/energy.h"

namespace cairn::cli {

namespace {

constexpr int kDetectionStages = 4;  // broad, narrow, cache, graph: the first of enum Stage

// When something is worth a sentence.
constexpr double kApart = 1e-3;             // m, of joints
constexpr double kGain = 0.1;               // of the largest kinetic energy
constexpr double kPeak = 20, kPoor = 1e-2;  // of a residual: over the usual one, and at all

/// Mean over the steps and over the bodies that are still there at the end, J.
double kinetic_energy_per_body(const RunSummary& s) {
  const std::int64_t there = s.dynamic_bodies - s.fell_through - s.left;
  return s.means.kinetic_energy / static_cast<double>(std::max<std::int64_t>(s.means.steps, 1)) /
         static_cast<double>(std::max<std::int64_t>(there, 1));
}

/// JSON has no infinity and no NaN; a missing residual is null too.
nlohmann::json number_or_null(double value) {
  return std::isfinite(value) && value >= 0 ? nlohmann::json(value) : nlohmann::json(nullptr);
}

nlohmann::json stage_json(const double (&seconds)[kStageCount], double steps) {
  nlohmann::json json = nlohmann::json::object();
  for (int i = 0; i < kStageCount; ++i) json[to_string(static_cast<Stage>(i))] = 1e3 * seconds[i] / steps;
  return json;
}

double detection_cpu(const StageTimes& times) {
  double sum = 0;
  for (int i = 0; i < kDetectionStages; ++i) sum += times.cpu[i];
  return sum;
}

void add_contract(ContractSums& sums, const ContractReport& report) {
  if (report.islands == 0) return;
  ++sums.steps;
  sums.islands += report.islands, sums.missed += report.missed;
  sums.solved_again += report.solved_again, sums.still_missed += report.still_missed;
  sums.timed_out += report.timed_out ? 1 : 0;
  sums.worst = std::max(sums.worst, report.worst);
  sums.seconds += report.seconds, sums.most_seconds = std::max(sums.most_seconds, report.seconds);
  sums.timed = sums.timed || report.timed;
}

nlohmann::json contract_json(const ContractSums& c) {
  if (c.steps == 0) return nullptr;
  return {{"steps", c.steps},
          {"islands", c.islands},
          {"missed", c.missed},
          {"solved_again", c.solved_again},
          {"still_missed", c.still_missed},
          {"worst_residual", number_or_null(c.worst)},
          {"ms_per_step", 1e3 * c.seconds / static_cast<double>(c.steps)},
          {"most_ms", 1e3 * c.most_seconds},
          {"timed_out_steps", c.timed_out},
          {"depends_on_clock", c.timed}};
}

std::string contract_text(const ContractSums& c) {
  return fmt::format(
      "of {} islands in {} steps {} missed, {} solved again, {} missed in the end; worst {:.2e}; {:.3g} ms per step, "
      "at most {:.3g}{}",
      c.islands, c.steps, c.missed, c.solved_again, c.still_missed, c.worst,
      1e3 * c.seconds / static_cast<double>(c.steps), 1e3 * c.most_seconds,
      c.timed ? fmt::format("; {} steps out of time: results depend on the clock", c.timed_out) : "");
}

nlohmann::json redundant_json(const std::vector<RedundantMechanism>& mechanisms) {
  nlohmann::json list = nlohmann::json::array();
  for (const RedundantMechanism& m : mechanisms) {
    const nlohmann::json joint = m.joint == JointId{} ? nlohmann::json() : nlohmann::json(m.joint.index);
    list.push_back({{"joint", joint}, {"rows", m.rows}, {"redundant", m.redundant}});
  }
  return list;
}

std::string redundant_text(const JointSums& joints) {
  std::string text = fmt::format("{} joint rows that others imply", joints.redundant_rows);
  for (const RedundantMechanism& m : joints.redundant)
    text += fmt::format("; {} of {} in the mechanism of joint {}", m.redundant, m.rows, m.joint.index);
  return text;
}

void add_note(std::vector<std::string>& notes, const std::string& note) {
  constexpr std::size_t kMost = 20;
  if (notes.size() < kMost && std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

}  // namespace

void add(StepSums& sums, const StepReport& report, const StepCost& cost, double gone_energy) {
  ++sums.steps;
  sums.cost.wall += cost.wall;
  sums.cost.cpu += cost.cpu;
  for (int i = 0; i < kStageCount; ++i) {
    sums.stages.wall[i] += report.times.wall[i];
    sums.stages.cpu[i] += report.times.cpu[i];
  }
  sums.contacts += static_cast<double>(report.contacts);
  sums.manifolds += static_cast<double>(report.manifolds);
  sums.pairs += static_cast<double>(report.pairs);
  sums.recycled += static_cast<double>(report.recycled);
  sums.islands += static_cast<double>(report.islands);
  sums.sleeping_islands += static_cast<double>(report.sleeping_islands);
  sums.awake_bodies += static_cast<double>(report.awake_bodies);
  sums.iterations += report.solve.iterations;
  sums.kinetic_energy += report.kinetic_energy - gone_energy;
  sums.mean_overlap += report.mean_overlap;
  sums.max_overlap = std::max(sums.max_overlap, report.max_overlap);
  sums.colours = std::max(sums.colours, report.colours);
  if (report.solve.residual >= 0) sums.residuals.push_back(report.solve.residual);
  if (report.solve.residual > sums.worst_residual)
    sums.worst_residual = report.solve.residual, sums.worst_step = report.step;
}

BodyWatch::BodyWatch(const scenes::Scene& scene)
    : floor_(scene.floor), half_width_(scene.half_width), all_bodies_(scene.world.body_count()) {
  for (const BodyId body : scene.world.bodies()) {
    const BodyView view = scene.world.view(body);
    if (view.kind != BodyKind::dynamic) continue;
    bodies_.push_back(body);
    start_.push_back(view.pose.position);
  }
  gone_.assign(bodies_.size(), 0);
}

void BodyWatch::look(const World& world) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (gone_[i] != 0) continue;
    const Vec3 p = world.view(bodies_[i]).pose.position;
    const bool inside = std::fabs(p.x) <= half_width_ && std::fabs(p.y) <= half_width_;
    const bool above = p.z >= floor_;
    gone_[i] = inside && above ? 0 : 1;
    if (!inside && is_finite(p))
      ++left_;
    else if (!inside || !above)
      ++fell_through_;
  }
}

std::vector<BodyId> BodyWatch::gone() const {
  std::vector<BodyId> result;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (gone_[i] != 0) result.push_back(bodies_[i]);
  return result;
}

double BodyWatch::kinetic_energy_gone(const World& world) const {
  double energy = 0;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (gone_[i] != 0) energy += kinetic_energy(world.view(bodies_[i]));
  return energy;
}

bool BodyWatch::matches(const World& world) const {
  return world.body_count() == all_bodies_ &&
         std::all_of(bodies_.begin(), bodies_.end(), [&](BodyId body) { return world.contains(body); });
}

BodyWatch::Motion BodyWatch::motion(const World& world) const {
  Motion motion;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Vec3 moved = world.view(bodies_[i]).pose.position - start_[i];
    motion.drift = std::max(motion.drift, std::sqrt(moved.x * moved.x + moved.y * moved.y));
    motion.sag = std::max(motion.sag, -moved.z);
  }
  return motion;
}

double total_energy(const World& world) {
  double energy = 0;
  for (const BodyId id : world.bodies()) {
    const BodyView body = world.view(id);
    if (body.kind != BodyKind::dynamic) continue;
    energy += kinetic_energy(body) + potential_energy(body, world.settings().gravity);
  }
  return energy;
}

RunStatistics::RunStatistics(const MeasureWindow& window, const WorldSettings& settings, double energy_start)
    : window_(window), tolerance_(settings.tolerance), energy_start_(energy_start) {}

void RunStatistics::add(const StepReport& report, const StepCost& cost, double gone_energy) {
  cli::add(all_, report, cost, gone_energy);
  if (window_.contains(report.step)) cli::add(measured_, report, cost, gone_energy);
  energy_gain_ = std::max(energy_gain_, report.kinetic_energy + report.potential_energy - energy_start_);
  const StopReason reason = report.solve.reason;
  const bool missed = tolerance_ > 0 ? reason != StopReason::converged : reason == StopReason::diverged;
  if (missed && report.contacts > 0) ++not_converged_;
  joints_.joints = std::max(joints_.joints, report.joints);
  joints_.broken += static_cast<std::int64_t>(report.broken_joints.size());
  if (report.max_joint_error > joints_.max_error)
    joints_.max_error = report.max_joint_error, joints_.worst_step = report.step;
  joints_.max_angle_error = std::max(joints_.max_angle_error, report.max_joint_angle_error);
  joints_.max_kinetic_energy = std::max(joints_.max_kinetic_energy, report.kinetic_energy);
  joints_.drive_work += report.drive_work;
  joints_.direct = report.solve.joints.mechanisms, joints_.swept = report.solve.joints.swept_mechanisms;
  if (report.solve.joints.redundant_rows > joints_.redundant_rows)
    joints_.redundant_rows = report.solve.joints.redundant_rows, joints_.redundant = report.redundant;
  quarantined_ += static_cast<std::int64_t>(report.quarantined.size());
  add_contract(contract_, report.solve.contract);
  exact_.add(report);
  for (const std::string& note : report.solve.notes) add_note(notes_, note);
}

void RunStatistics::summarise(RunSummary& summary) const {
  summary.steps = all_.steps;
  summary.window = window_;
  summary.windowed = measured_.steps > 0;
  summary.means = summary.windowed ? measured_ : all_;
  summary.energy_start = energy_start_;
  summary.energy_gain = energy_gain_;
  summary.not_converged = not_converged_;
  summary.quarantined = quarantined_;
  summary.joints = joints_;
  summary.contract = contract_;
  summary.exact = exact_;
  summary.notes = notes_;
}

double energy_drift(const RunSummary& s) {
  const double gained = s.energy_end - s.energy_start - s.joints.drive_work;
  return s.joints.max_kinetic_energy > 0 ? gained / s.joints.max_kinetic_energy : 0;
}

double median(std::vector<double> values) {
  if (values.empty()) return -1;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

std::string length_text(double metres) {
  const double size = std::fabs(metres);
  if (!(size > 0)) return "0 m";
  if (size < 1e-6) return fmt::format("{:.3g} nm", 1e9 * metres);
  if (size < 1e-3) return fmt::format("{:.3g} um", 1e6 * metres);
  if (size < 1) return fmt::format("{:.3g} mm", 1e3 * metres);
  return fmt::format("{:.3g} m", metres);
}

std::vector<std::string> verdicts(const RunSummary& s) {
  std::vector<std::string> list;
  const std::string solver = s.solver.substr(0, s.solver.find(':'));
  const bool holds = solver == "soft_step" || solver == "ldl_pgs" || solver == "exact";
  if (s.joints.max_error > kApart)
    list.push_back(fmt::format("joints came apart by {} at step {}: try {}", length_text(s.joints.max_error),
                               s.joints.worst_step, holds ? "a smaller --dt" : "--solver soft_step"));
  if (s.joints.broken > 0) list.push_back(fmt::format("{} joints broke under their load", s.joints.broken));
  if (s.quarantined > 0)
    list.push_back(
        fmt::format("the numbers of {} bodies broke down, they stand still now: try a smaller --dt", s.quarantined));
  if (s.fell_through > 0)
    list.push_back(
        fmt::format("{} bodies fell through the floor: try --sub-steps 4, a smaller --dt, or \"continuous\" "
                    "for fast bodies of a scene file",
                    s.fell_through));
  const double gain = s.energy_gain - std::max(0.0, s.joints.drive_work);
  if (gain > kGain * s.joints.max_kinetic_energy && s.joints.max_kinetic_energy > 0)
    list.push_back(
        fmt::format("the energy rose by {:.3g} J above that of the start, {:.0f}% of the largest kinetic energy: "
                    "try a smaller --dt or --solver soft_step",
                    gain, 100 * gain / s.joints.max_kinetic_energy));
  if (s.not_converged > 0)
    list.push_back(s.tolerance > 0
                       ? fmt::format("{} steps missed the tolerance: give more --set iterations=N", s.not_converged)
                       : fmt::format("{} steps diverged: try another --solver", s.not_converged));
  const double usual = median(s.means.residuals);
  if (s.means.worst_residual > kPeak * usual && s.means.worst_residual > kPoor)
    list.push_back(
        fmt::format("the residual was worst at step {} ({:.1e}, usually {:.1e}): `cairn capture {} step.hdf5 "
                    "--step {}` keeps that problem",
                    s.means.worst_step, s.means.worst_residual, usual, s.source, s.means.worst_step));
  return list;
}

nlohmann::json to_json(const RunSummary& s) {
  const double steps = static_cast<double>(std::max<std::int64_t>(s.means.steps, 1));
  nlohmann::json json{
      {"scene", s.scene},
      {"bodies", s.bodies},
      {"dynamic_bodies", s.dynamic_bodies},
      {"contacts", s.means.contacts / steps},
      {"manifolds", s.means.manifolds / steps},
      {"pairs", s.means.pairs / steps},
      {"recycled", s.means.recycled / steps},
      {"islands", s.means.islands / steps},
      {"sleeping_islands", s.means.sleeping_islands / steps},
      {"awake_bodies", s.means.awake_bodies / steps},
      {"colours", s.means.colours},
      {"iterations", s.means.iterations / steps},
      {"steps", s.steps},
      {"measured_steps", s.means.steps},
      {"dt", s.dt},
      {"solver", s.solver},
      {"threads", s.threads},
      {"wall_ms_per_step", 1e3 * s.means.cost.wall / steps},
      {"cpu_ms_per_step", 1e3 * s.means.cost.cpu / steps},
      {"stage_ms", stage_json(s.means.stages.wall, steps)},
      {"stage_cpu_ms", stage_json(s.means.stages.cpu, steps)},
      {"detection_cpu_ms", 1e3 * detection_cpu(s.means.stages) / steps},
      {"kinetic_energy_per_body", kinetic_energy_per_body(s)},
      {"energy", {{"start", s.energy_start}, {"end", s.energy_end}, {"largest_gain", s.energy_gain}}},
      {"energy_drift", energy_drift(s)},
      {"drive_work_j", s.joints.drive_work},
      {"joints", s.joints.joints},
      {"broken_joints", s.joints.broken},
      {"max_joint_error_m", s.joints.max_error},
      {"max_joint_angle_error", s.joints.max_angle_error},
      {"mechanisms", {{"direct", s.joints.direct}, {"swept", s.joints.swept}}},
      {"redundant_rows", s.joints.redundant_rows},
      {"redundant_mechanisms", redundant_json(s.joints.redundant)},
      {"max_overlap_m", s.means.max_overlap},
      {"mean_overlap_m", s.means.mean_overlap / steps},
      {"max_drift_m", s.motion.drift},
      {"max_sag_m", s.motion.sag},
      {"jitter_steps", s.jitter.steps},
      {"jitter", number_or_null(s.jitter.jitter)},
      {"jitter_max", number_or_null(s.jitter.jitter_max)},
      {"jitter_99", number_or_null(s.jitter.jitter_99)},
      {"visible_jitter", number_or_null(s.jitter.visible)},
      {"creep", number_or_null(s.jitter.creep)},
      {"order_sensitivity", number_or_null(s.order ? s.order->sensitivity : -1)},
      {"residual_median", number_or_null(median(s.means.residuals))},
      {"residual_worst", number_or_null(s.means.worst_residual)},
      {"contract", contract_json(s.contract)},
      {"not_converged_steps", s.not_converged},
      {"fell_through", s.fell_through},
      {"left_scene", s.left},
      {"quarantined", s.quarantined},
      {"state_hash", s.state_hash},
      {"notes", s.notes},
      {"verdicts", verdicts(s)},
  };
  add_json(s.exact, json);
  return json;
}

void print_summary(std::FILE* out, const RunSummary& s) {
  const double steps = static_cast<double>(std::max<std::int64_t>(s.means.steps, 1));
  const auto mean = [&](double sum) { return sum / steps; };
  fmt::print(out, "\n{}: {} moving bodies, {} steps of {:.6g} s, {}, {} thread{}\n", s.scene, s.dynamic_bodies, s.steps,
             s.dt, s.solver, s.threads, s.threads == 1 ? "" : "s");
  if (s.windowed) fmt::print(out, "means over steps {} to {}\n", s.window.from + 1, s.window.from + s.means.steps);
  fmt::print(out, "\n  {:<10} {:>10} {:>10}\n", "ms/step", "wall", "cpu");
  for (int i = 0; i < kStageCount; ++i)
    fmt::print(out, "  {:<10} {:>10.3f} {:>10.3f}\n", to_string(static_cast<Stage>(i)),
               1e3 * mean(s.means.stages.wall[i]), 1e3 * mean(s.means.stages.cpu[i]));
  fmt::print(out, "  {:<10} {:>10.3f} {:>10.3f}\n\n", "step", 1e3 * mean(s.means.cost.wall),
             1e3 * mean(s.means.cost.cpu));
  const auto row = [&](const char* name, const std::string& text) { fmt::print(out, "  {:<15} {}\n", name, text); };
  row("contacts", fmt::format("{:.0f} in {:.0f} manifolds, {:.0f} kept from earlier", mean(s.means.contacts),
                              mean(s.means.manifolds), mean(s.means.recycled)));
  row("islands", fmt::format("{:.0f}, {:.0f} asleep; at most {} colours", mean(s.means.islands),
                             mean(s.means.sleeping_islands), s.means.colours));
  row("residual", s.means.residuals.empty()
                      ? "not measured"
                      : fmt::format("median {:.2e}, worst {:.2e}", median(s.means.residuals), s.means.worst_residual));
  if (s.contract.steps > 0) row("contract", contract_text(s.contract));
  if (s.exact.is_used()) row("exact", to_text(s.exact));
  row("energy", fmt::format("{:.6g} J at first, {:.6g} J at last, never more than {:.3g} J above the first; kinetic "
                            "{:.3g} J per body",
                            s.energy_start, s.energy_end, s.energy_gain, kinetic_energy_per_body(s)));
  if (s.joints.joints > 0)
    row("joints",
        fmt::format("{}, at most {} and {:.3g} rad apart, {} broke; energy drift {:.3g}", s.joints.joints,
                    length_text(s.joints.max_error), s.joints.max_angle_error, s.joints.broken, energy_drift(s)));
  if (s.joints.direct + s.joints.swept > 0)
    row("mechanisms", fmt::format("{} solved directly, {} by sweeps", s.joints.direct, s.joints.swept));
  if (s.joints.redundant_rows > 0) row("redundant", redundant_text(s.joints));
  row("overlap",
      fmt::format("at most {}, mean {}", length_text(s.means.max_overlap), length_text(mean(s.means.mean_overlap))));
  row("motion", fmt::format("at most {:.4g} m sideways and {:.4g} m down", s.motion.drift, s.motion.sag));
  row("jitter", fmt::format("{:.3g}, at most {:.3g}; visible {:.3g}; creep {:.3g} over {} steps", s.jitter.jitter,
                            s.jitter.jitter_max, s.jitter.visible, s.jitter.creep, s.jitter.steps));
  if (s.order)
    row("order", fmt::format("sensitivity {:.3g} (residual of the reference {:.1e})", s.order->sensitivity,
                             s.order->reference_residual));
  if (s.tolerance > 0)
    row("not converged", fmt::format("{} steps missed the tolerance of {:g}", s.not_converged, s.tolerance));
  else
    row("diverged", fmt::format("{} steps; no tolerance is set (--set tolerance=R)", s.not_converged));
  row("fell through", fmt::format("{} bodies; {} left over the edge", s.fell_through, s.left));
  if (s.quarantined > 0) row("quarantined", fmt::format("{} bodies", s.quarantined));
  row("state", s.state_hash);
  for (const std::string& note : s.notes) fmt::print(out, "  note: {}\n", note);
  for (const std::string& verdict : verdicts(s)) fmt::print(out, "  ! {}\n", verdict);
}

}  // namespace cairn::cli
