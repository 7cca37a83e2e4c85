// SPDX-License-Identifier: MIT
// cairn run with a scene of elastic solids.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/cli/commands.h"
#include "apps/cli/csv.h"
#include "apps/cli/progress.h"
#include "apps/commands/solve_report.h"
#include "cairn/core/names.h"
#include "cairn/core/timer.h"
#include "scenes/elastic_scenes.h"

namespace cairn::cli {

namespace {

constexpr double kNoEnergy = 1e-6;  // of the largest: a start at rest has no energy to compare with

/// What the steps of a run amount to.
struct ElasticSums {
  std::int64_t steps = 0, cells = 0, rows = 0, frozen = 0;
  int staggered = 0, contact_sets = 0, friction_sets = 0, factorisations = 0, refactored_steps = 0, sub_steps = 0;
  std::int64_t staggered_sum = 0, steps_with_contact = 0, not_settled = 0, unfinished = 0;
  double mass_error = 0, momentum_error = 0, most_energy = 0, contact_seconds = 0, friction_seconds = 0,
         solid_seconds = 0, seconds = 0;

  void add(const ElasticReport& r) {
    const ElasticContactReport& c = r.contact;
    ++steps;
    cells = std::max(cells, r.total.cells);
    rows = std::max(rows, c.rows);
    frozen = r.frozen;
    sub_steps = std::max(sub_steps, r.sub_steps);
    staggered = std::max(staggered, c.staggered_max);
    contact_sets = std::max(contact_sets, c.contact_sets_max);
    friction_sets = std::max(friction_sets, c.friction_sets_max);
    factorisations = std::max(factorisations, c.factorisations_max);
    refactored_steps += c.refactored > 0 ? 1 : 0;
    staggered_sum += c.staggered_max;
    steps_with_contact += c.staggered_max > 0 ? 1 : 0;
    not_settled += c.not_settled;
    unfinished += c.unfinished;
    mass_error = std::max(mass_error, r.mass_error);
    momentum_error = std::max(momentum_error, c.momentum_error);
    most_energy = std::max(most_energy, r.total.kinetic_energy + r.total.elastic_energy);
    contact_seconds += c.contact_seconds;
    friction_seconds += c.friction_seconds;
    solid_seconds += r.solid_seconds;
  }
};

void refuse_others(const RunOptions& o) {
  const bool has_other = !o.solver.empty() || !o.out.empty() || !o.csv.empty() || !o.vtp.empty() || !o.pov.empty() ||
                         !o.checkpoint.empty() || !o.resume.empty() || !o.measure.empty() || o.save_at || o.sub_steps ||
                         !o.save.empty() || !o.restore.empty();
  if (has_other)
    fail_input(fmt::format("{} is a scene of elastic solids: it takes --param, --steps, --dt, --threads, --json and "
                           "--hashes",
                           o.scene),
               ErrorKind::unsupported);
}

double energy_of(const ElasticWorld& world) {
  double sum = 0;
  for (int i = 0; i < world.body_count(); ++i)
    sum += world.measures(i).kinetic_energy + world.measures(i).elastic_energy;
  return sum;
}

nlohmann::json to_json(const ElasticSums& s, const scenes::ElasticScene& scene, double dt, double start_energy) {
  const SolidMeasures& total = scene.world.last_report().total;
  return {{"scene", scene.name},
          {"steps", s.steps},
          {"dt", dt},
          {"seconds", s.seconds},
          {"state_hash", scene.world.state_hash().to_string()},
          {"euler",
           {{"objects", scene.world.body_count()},
            {"cells", s.cells},
            {"frozen", s.frozen},
            {"sub_steps_max", s.sub_steps},
            {"rows_max", s.rows},
            {"staggered_max", s.staggered},
            {"staggered_mean", s.steps_with_contact > 0
                                   ? static_cast<double>(s.staggered_sum) / static_cast<double>(s.steps_with_contact)
                                   : 0.0},
            {"active_set_iterations_contact_max", s.contact_sets},
            {"active_set_iterations_friction_max", s.friction_sets},
            {"factorisations_per_step_max", s.factorisations},
            {"refactored_steps", s.refactored_steps},
            {"not_settled", s.not_settled},
            {"unfinished", s.unfinished},
            {"mass_error", s.mass_error},
            {"momentum_error", s.momentum_error},
            {"energy_max_over_start",
             start_energy > kNoEnergy * s.most_energy ? nlohmann::json(s.most_energy / start_energy) : nullptr},
            {"kinetic_energy", total.kinetic_energy},
            {"elastic_energy", total.elastic_energy},
            {"volume", total.volume},
            {"mass", total.mass},
            {"solid_seconds", s.solid_seconds},
            {"contact_qp_seconds", s.contact_seconds},
            {"friction_qp_seconds", s.friction_seconds}}}};
}

void print(std::FILE* out, const ElasticSums& s, const scenes::ElasticScene& scene, double dt) {
  const SolidMeasures& total = scene.world.last_report().total;
  fmt::print(out, "{}: {} steps of {:g} s, {} solids, up to {} cells and {} contact rows\n", scene.name, s.steps, dt,
             scene.world.body_count(), s.cells, s.rows);
  fmt::print(out, "staggering {} at most; active sets {} (contact), {} (friction); factorisations {}; {} not settled\n",
             s.staggered, s.contact_sets, s.friction_sets, s.factorisations, s.not_settled);
  fmt::print(out,
             "energy {:.6g} J kinetic, {:.6g} J elastic; mass changed by {:.2e}; momentum made by contact {:.1e}\n",
             total.kinetic_energy, total.elastic_energy, s.mass_error, s.momentum_error);
  if (s.frozen > 0) fmt::print(out, "{} solids broke down and are frozen\n", s.frozen);
  fmt::print(out, "{:.3g} s, state {}\n", s.seconds, scene.world.state_hash().to_string());
}

}  // namespace

int run_elastic(const RunOptions& o) {
  refuse_others(o);
  for (const std::string& path : {o.json, o.hashes})
    if (!path.empty() && path != "-" && !o.force) check_can_write(path).value_or_throw();
  NamedSettings parameters;
  for (const std::string& text : o.parameters) parameters.push_back(split_setting(text));
  scenes::ElasticScene scene = scenes::make_elastic_scene(o.scene, parameters, o.threads).value_or_throw();
  const double dt = o.dt.value_or(scene.dt), start = energy_of(scene.world);
  const int steps = o.steps.value_or(scene.steps);
  ElasticSums sums;
  Csv hashes({"step", "hash"});
  Progress progress(scene.name);
  const Timer timer;
  for (int i = 0; i < steps && !interrupted(); ++i) {
    const ElasticReport& report = scene.world.step(dt);
    sums.add(report);
    if (!o.hashes.empty() && (report.step % o.hash_every == 0 || i + 1 == steps)) {
      hashes.cell(report.step).cell(scene.world.state_hash().to_string());
      hashes.end_row();
    }
    progress.update(fmt::format("step {} of {}, {} contact rows", i + 1, steps, report.contact.rows));
  }
  sums.seconds = timer.seconds();
  print(o.json == "-" ? stderr : stdout, sums, scene, dt);
  const auto write = [&](const std::string& path, std::string_view text) {
    std::move(write_text_file(path, text, o.force)).value_or_throw();
    fmt::print(stderr, "wrote {}\n", path);
  };
  if (!o.hashes.empty()) write(o.hashes, hashes.text());
  const std::string text = to_json(sums, scene, dt, start).dump(2) + "\n";
  if (o.json == "-")
    fmt::print("{}", text);
  else if (!o.json.empty())
    write(o.json, text);
  if (interrupted()) return interrupt_code();
  return o.strict && sums.not_settled > 0 ? kNotConverged : kDone;
}

}  // namespace cairn::cli
