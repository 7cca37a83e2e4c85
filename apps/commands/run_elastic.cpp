// SPDX-License-Identifier: MIT
// cairn run with a scene of elastic solids.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "apps/cli/commands.h"
#include "apps/cli/csv.h"
#include "apps/cli/progress.h"
#include "apps/commands/solve_report.h"
#include "cairn/core/names.h"
#include "cairn/core/timer.h"
#include "cairn/record/elastic_recording.h"
#include "cairn/scenefile/elastic_scene.h"
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
  const bool has_other = !o.solver.empty() || !o.vtp.empty() || !o.pov.empty() || !o.checkpoint.empty() ||
                         !o.resume.empty() || !o.measure.empty() || o.sub_steps;
  if (has_other)
    fail_input(
        fmt::format(
            "{} is a scene of elastic solids: it takes --param, --steps, --dt, --threads, --out, --record-every, "
            "--csv, --json, --hashes, --save, --save-at and --restore",
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

std::string read_state(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    fail_input(fmt::format("cannot read {}: there is no such file", path), ErrorKind::io);
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The state of a file, which must be one of this scene.
void restore(ElasticWorld& world, const RunOptions& o) {
  if (o.restore.empty()) return;
  const Grid grid = world.settings().grid;
  const int bodies = world.body_count();
  world.restore(read_state(o.restore));
  if (!(world.settings().grid == grid) || world.body_count() != bodies)
    fail_input(fmt::format("{} was saved from another scene than {}, or with other parameters", o.restore, o.scene));
}

void write_result(const std::string& path, std::string_view text, bool force) {
  std::move(write_text_file(path, text, force)).value_or_throw();
  fmt::print(stderr, "wrote {}\n", path);
}

/// By name, or from a scene file.
scenes::ElasticScene open_scene(const RunOptions& o) {
  if (!scenes::is_elastic_scene(o.scene)) {
    if (!o.parameters.empty())
      fail_input("--param is for scenes by name: change the numbers in the scene file instead");
    LoadedElasticScene loaded = build_elastic_scene(read_scene(o.scene).value_or_throw(), o.threads).value_or_throw();
    for (const std::string& note : loaded.notes) fmt::print(stderr, "note: {}\n", printable(note));
    return {loaded.name, loaded.dt, loaded.steps, std::move(loaded.world)};
  }
  NamedSettings parameters;
  for (const std::string& text : o.parameters) parameters.push_back(split_setting(text));
  return scenes::make_elastic_scene(o.scene, parameters, o.threads).value_or_throw();
}

/// What a run leaves behind besides its report.
class ElasticFiles {
 public:
  ElasticFiles(const RunOptions& o, const scenes::ElasticScene& scene, double dt) : o_(o), statistics_(columns()) {
    if (o.out.empty()) return;
    RecordingMeta meta;
    meta.scene = scene.name;
    meta.parameters = fmt::format("{}", fmt::join(o.parameters, " "));
    meta.program = fmt::format("cairn {}, compiler {}", kProgramVersion, __VERSION__);
    meta.dt = dt;
    recorder_ = std::make_unique<ElasticRecorder>(o.out, scene.world, meta,
                                                  RecorderSettings{.every = o.record_every, .overwrite = o.force});
  }

  void add(const ElasticWorld& world, bool is_last) {
    const ElasticReport& report = world.last_report();
    if (!o_.hashes.empty() && (report.step % o_.hash_every == 0 || is_last)) {
      hashes_.cell(report.step).cell(world.state_hash().to_string());
      hashes_.end_row();
    }
    if (!o_.csv.empty()) {
      statistics_.cell(report.step).cell(report.time);
      for (const double number : statistics_of(report)) statistics_.cell(number);
      statistics_.end_row();
    }
    if (recorder_) recorder_->add(world);
    if (o_.save_at && report.step == *o_.save_at) write_result(o_.save, world.save(), o_.force);
  }

  void finish(const ElasticWorld& world) {
    if (!o_.hashes.empty()) write_result(o_.hashes, hashes_.text(), o_.force);
    if (!o_.csv.empty()) write_result(o_.csv, statistics_.text(), o_.force);
    if (!o_.save.empty() && !o_.save_at) write_result(o_.save, world.save(), o_.force);
    if (!recorder_) return;
    recorder_->close();
    fmt::print(stderr, "wrote {}\n", o_.out);
  }

 private:
  static std::vector<std::string> columns() {
    std::vector<std::string> names{"step", "time"};
    for (const char* name : elastic_statistic_names()) names.emplace_back(name);
    return names;
  }

  const RunOptions& o_;
  Csv hashes_{{"step", "hash"}};
  Csv statistics_;
  std::unique_ptr<ElasticRecorder> recorder_;
};

}  // namespace

bool is_elastic(const std::string& scene) {
  if (scenes::is_elastic_scene(scene)) return true;
  if (!scene.ends_with(".json")) return false;
  const Expected<SceneFile> file = read_scene(scene);
  return file && !file->elastic.bodies.empty();
}

int run_elastic(const RunOptions& o) {
  refuse_others(o);
  for (const std::string& path : {o.json, o.hashes, o.csv, o.save})
    if (!path.empty() && path != "-" && !o.force) check_can_write(path).value_or_throw();
  scenes::ElasticScene scene = open_scene(o);
  restore(scene.world, o);
  const double dt = o.dt.value_or(scene.dt), start = energy_of(scene.world);
  const std::int64_t done = scene.world.last_report().step, last = o.steps ? done + *o.steps : scene.steps;
  if (last <= done)
    fail_input(fmt::format("the saved state is already at step {}: say how many more with --steps", done));
  if (o.save_at && (o.save.empty() || *o.save_at <= done || *o.save_at > last))
    fail_input(fmt::format("--save-at needs --save FILE, and a step of this run: {} to {}", done + 1, last));
  ElasticSums sums;
  ElasticFiles files(o, scene, dt);
  Progress progress(scene.name);
  const Timer timer;
  for (std::int64_t step = done + 1; step <= last && !interrupted(); ++step) {
    const ElasticReport& report = scene.world.step(dt);
    sums.add(report);
    files.add(scene.world, step == last);
    progress.update(fmt::format("step {} of {}, {} contact rows", step, last, report.contact.rows));
  }
  sums.seconds = timer.seconds();
  print(o.json == "-" ? stderr : stdout, sums, scene, dt);
  files.finish(scene.world);
  const auto write = [&](const std::string& path, std::string_view text) { write_result(path, text, o.force); };
  const std::string text = to_json(sums, scene, dt, start).dump(2) + "\n";
  if (o.json == "-")
    fmt::print("{}", text);
  else if (!o.json.empty())
    write(o.json, text);
  if (interrupted()) return interrupt_code();
  return o.strict && sums.not_settled > 0 ? kNotConverged : kDone;
}

}  // namespace cairn::cli
