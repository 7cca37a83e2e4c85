// SPDX-License-Identifier: MIT
// cairn bench mass-splitting: Tonge et al. 2012 on its five scenes, its published figures beside ours; the parts are
// declared in bench_mass_splitting.h.
#include "apps/bench/bench_mass_splitting.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "apps/cli/commands.h"
#include "apps/cli/csv.h"
#include "cairn/core/errors.h"
#include "cairn/core/names.h"

namespace cairn::cli {

namespace {

/// The scenes asked for, in the order of the table.
std::vector<SplitScene> chosen_scenes(const BenchMassSplittingOptions& options) {
  const std::vector<SplitScene> all = options.proof && !options.quick ? proof_scenes() : split_scenes(options.quick);
  std::vector<std::string> names;
  for (const SplitScene& scene : all) names.push_back(scene.name);
  for (const std::string& name : options.scenes)
    if (std::find(names.begin(), names.end(), name) == names.end())
      fail_input(fmt::format("'{}' is no scene of this benchmark{}; it has {}", name, did_you_mean(name, names),
                             fmt::join(names, ", ")));
  if (options.scenes.empty()) return all;
  std::vector<SplitScene> chosen;
  for (const SplitScene& scene : all)
    if (std::find(options.scenes.begin(), options.scenes.end(), scene.name) != options.scenes.end())
      chosen.push_back(scene);
  return chosen;
}

std::string path_in(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

void print_convergence(const std::vector<Convergence>& measured) {
  const Convergence& first = measured.front();
  fmt::print("  step {}, {} contacts\n", first.step, first.contacts);
  fmt::print("    {:<22} {:>10} {:>8} {:>10} {:>10} {:>10} {:>8}\n", "solver", "ns/contact", "set-up", "C1 at 5",
             "C1 at 50", "C1 at 200", "to 1/100");
  for (const Convergence& c : measured) {
    const auto at = [&](int sweeps) {
      return std::find_if(c.points.begin(), c.points.end(), [&](const auto& p) { return p.sweeps == sweeps; })
          ->residual;
    };
    fmt::print("    {:<22} {:>10.1f} {:>8.1f} {:>10.2e} {:>10.2e} {:>10.2e} {:>8}\n", c.method,
               1e9 * c.cost.sweep / static_cast<double>(std::max<std::int64_t>(1, c.contacts)),
               c.cost.setup / c.cost.sweep, at(5), at(50), at(200),
               c.sweeps_to_hundredth > 0 ? std::to_string(c.sweeps_to_hundredth) : "-");
  }
}

void print_orders(const std::vector<OrderRow>& orders) {
  for (const OrderRow& row : orders)
    fmt::print("  D3 of {:<22} {:>3} sweeps, step {}: {:.3g}\n", row.method, row.sweeps, row.step, row.sensitivity);
}

void print_frames(const std::vector<FrameRun>& runs) {
  for (const FrameRun& run : runs)
    fmt::print("  J1 of {:<30} {:>3} sweeps: {:>9.3g}, at most {:>9.3g}; {:.3g} ms per frame, solve {:.3g}\n",
               run.method, run.sweeps, run.jitter.jitter, run.jitter.jitter_max, run.frame_ms, run.solve_ms);
}

template <class Row>
void append(std::vector<Row>& all, const std::vector<Row>& rows) {
  all.insert(all.end(), rows.begin(), rows.end());
}

/// Everything about one scene.
void measure_scene(const SplitScene& scene, bool quick, SplitResults& results) {
  constexpr int kMostSweeps = 1000, kMostQuick = 300;
  Progress progress("bench mass-splitting");
  const std::vector<FrozenProblem> frozen = freeze(scene, results.threads, progress);
  for (const FrozenProblem& problem : frozen) {
    if (interrupted()) return;
    const auto measured = converge(problem, results.threads, quick ? kMostQuick : kMostSweeps, progress);
    if (interrupted()) return;
    print_convergence(measured);
    append(results.convergence, measured);
    append(results.equal_time, compare_equal_time(problem, measured, results.threads));
  }
  const std::vector<OrderRow> orders = compare_orders(frozen.back(), results.threads, quick, progress);
  print_orders(orders);
  append(results.orders, orders);
  results.colours.push_back(colour_histogram(frozen.back()));
  if (scene.frames == 0) return;
  const std::vector<FrameRun> runs = run_frames(scene, results.convergence, results.threads, progress);
  print_frames(runs);
  append(results.frames, runs);
}

/// Problems whose solution block mass splitting did not come to; accelerated, since plain sweeps may need millions.
int prove_scene(const SplitScene& scene, SplitResults& results) {
  Progress progress("bench mass-splitting --proof");
  int failures = 0;
  for (const FrozenProblem& problem : freeze(scene, results.threads, progress)) {
    if (interrupted()) break;
    const ProofRow row = prove(problem, results.threads, progress);
    fmt::print(
        "  step {:>3}, {:>5} contacts, u* in {} steps, gap {:.0e}, violated by {:.0e} m/s: C8 {:.2e} after {} sweeps, "
        "with Anderson({}) "
        "{:.2e} after {}\n",
        row.step, row.contacts, row.reference_steps, row.reference_gap, row.violation, row.error, row.sweeps,
        row.accelerated_depth, row.accelerated_error, row.accelerated_sweeps);
    std::fflush(stdout);
    failures += row.accelerated_error < kProofError ? 0 : 1;
    results.proof.push_back(row);
  }
  return failures;
}

}  // namespace

int run_bench_mass_splitting(const BenchMassSplittingOptions& options) {
  SplitResults results;
  results.scenes = chosen_scenes(options);
  results.threads = options.threads > 0 ? options.threads : available_processors();
  std::filesystem::create_directories(options.out);
  if (!options.force)
    for (const ResultFile& file : split_files(results, options.proof))
      check_can_write(path_in(options.out, file.name)).value_or_throw();
  int failures = 0;
  for (const SplitScene& scene : results.scenes) {
    fmt::print("{}\n", scene.name);
    if (options.proof)
      failures += prove_scene(scene, results);
    else
      measure_scene(scene, options.quick, results);
    if (interrupted()) return kInterrupted;
    std::fflush(stdout);
  }
  for (const ResultFile& file : split_files(results, options.proof))
    write_text_file(path_in(options.out, file.name), file.text, options.force).value_or_throw();
  fmt::print("wrote {}\n", path_in(options.out, options.proof ? "proof.html" : "mass_splitting.html"));
  if (failures > 0) fmt::print("{} problems were not solved to C8 < {}\n", failures, kProofError);
  return failures > 0 ? kCheckFailed : kDone;
}

}  // namespace cairn::cli
