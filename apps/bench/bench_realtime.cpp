// SPDX-License-Identifier: MIT
// cairn bench realtime: speed next to quality on the scenes that other engines were measured on, beside those engines
// where they are installed, and how near the contact sweep comes to the limits of the machine.
#include "apps/bench/bench_realtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "apps/cli/csv.h"
#include "cairn/core/names.h"

namespace cairn::cli {

namespace {

constexpr const char* kEndings[] = {".csv", ".json", ".html"};

/// Those that were asked for, in the order of the table.
std::vector<RealtimeScene> chosen_scenes(const BenchRealtimeOptions& options) {
  std::vector<RealtimeScene> scenes = realtime_scenes(options.quick);
  std::vector<std::string> known;
  for (const RealtimeScene& scene : scenes) known.push_back(scene.name);
  for (const std::string& name : options.scenes)
    if (std::find(known.begin(), known.end(), name) == known.end())
      fail_input(fmt::format("bench realtime has no scene '{}'{}; it has {}", name, did_you_mean(name, known),
                             fmt::join(known, ", ")));
  if (!options.scenes.empty())
    std::erase_if(scenes, [&](const RealtimeScene& scene) {
      return std::find(options.scenes.begin(), options.scenes.end(), scene.name) == options.scenes.end();
    });
  return scenes;
}

void name_missing_peers() {
  std::string packages;
  for (const peers::PeerInfo& info : peers::peer_table()) {
    if (info.found()) continue;
    fmt::print(stderr, "{} was not found when this program was configured\n", info.name);
    packages += " " + info.package;
  }
  if (!packages.empty())
    fmt::print(stderr, "as root: apt-get install{} (or tools/packages peers); then run cmake again and build\n",
               packages);
}

void check_outputs(const BenchRealtimeOptions& options) {
  const std::filesystem::path folder = std::filesystem::path(options.out).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder);
  for (const char* ending : kEndings)
    if (!options.force) check_can_write(options.out + ending).value_or_throw();
}

/// Ascending, each once; with one thread, because some engines have no more.
std::vector<int> thread_counts(std::vector<int> asked) {
  asked.push_back(1);
  std::sort(asked.begin(), asked.end());
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  return asked;
}

}  // namespace

int run_bench_realtime(const BenchRealtimeOptions& given) {
  BenchRealtimeOptions options = given;
  options.threads = thread_counts(given.threads);
  const std::vector<RealtimeScene> scenes = chosen_scenes(options);
  check_outputs(options);
  if (options.peers) name_missing_peers();
  RealtimeResults results;
  results.threads = options.threads;
  for (const RealtimeScene& scene : scenes) {
    {
      Progress progress("bench realtime");
      for (EngineResult& result : race_engines(scene, options, progress)) results.engines.push_back(std::move(result));
    }
    if (interrupted()) return kInterrupted;
    print_scene(results, scene.name);
  }
  for (const RealtimeScene& scene : scenes)
    if (scene.name.starts_with("ball_grid")) results.rooflines.push_back(measure_roofline(scene.name, options.threads));
  print_rooflines(results);
  const std::string texts[] = {realtime_csv(results), realtime_json(results), realtime_page(results)};
  for (std::size_t i = 0; i < std::size(texts); ++i)
    write_text_file(options.out + kEndings[i], texts[i], options.force).value_or_throw();
  fmt::print("\nwrote {0}.csv, {0}.json and {0}.html\n", options.out);
  return kDone;
}

}  // namespace cairn::cli
