// SPDX-License-Identifier: MIT
// The parts of bench realtime: what is run, what is found, what is told of it.
#pragma once

#include <string>
#include <vector>

#include "apps/bench/pose_ruler.h"
#include "apps/cli/commands.h"
#include "apps/cli/progress.h"

namespace cairn::cli {

/// A scene and the steps that count.
struct RealtimeScene {
  std::string name;
  int settle = 0, measure = 0;  ///< steps before, and steps that count, shared by the numbers of threads
  double standing = 0;          ///< m; an engine whose highest body is above this after `settle` steps needs more time:
  int late_settle = 0;          ///< it goes on to this step
};

struct EngineTiming {
  int threads = 1;
  double median_ms = 0, mean_ms = 0;
  std::int64_t steps = 0;
};

/// What one engine made of one scene.
struct EngineResult {
  std::string scene, engine;  ///< engine with its version or solver
  bool peer = false;
  std::string cannot;       ///< why there is nothing else
  int first = 0, last = 0;  ///< steps that counted, from 1
  std::int64_t contacts = 0;
  std::vector<EngineTiming> timings;
  PoseQuality quality;

  const EngineTiming* timing(int threads) const;
};

/// How near the contact sweep comes to what the machine allows.
struct Roofline {
  std::string scene, simd;
  std::int64_t contacts = 0;
  double megabytes = 0;                                 ///< that a sweep touches
  double bytes_per_contact = 0, flops_per_contact = 0;  ///< per sweep, counted from the layout and the formulas
  struct Point {
    int threads = 1;
    double seconds = 0;                ///< per mean sweep
    double bandwidth = 0, peak = 0;    ///< of the machine, GB/s and GFLOP/s
    double gigabytes = 0, gflops = 0;  ///< reached, per second
    double fraction = 0;               ///< time that the nearer limit allows over the time taken
  };
  std::vector<Point> points;
};

struct RealtimeResults {
  std::vector<int> threads;
  std::vector<EngineResult> engines;
  std::vector<Roofline> rooflines;
};

std::vector<RealtimeScene> realtime_scenes(bool quick);

/// Every engine on one scene, taking turns.
std::vector<EngineResult> race_engines(const RealtimeScene& scene, const BenchRealtimeOptions& options,
                                       Progress& progress);

/// Of the contacts that the scene has after its first step.
Roofline measure_roofline(const std::string& scene, const std::vector<int>& threads);

/// How many times slower than the fastest of ours an engine is with so many threads, or with the most it has; 0 where
/// that cannot be said.
double times_slower(const RealtimeResults& results, const EngineResult& engine, int threads);

void print_scene(const RealtimeResults& results, const std::string& scene);
void print_rooflines(const RealtimeResults& results);
std::string realtime_csv(const RealtimeResults& results);
std::string realtime_json(const RealtimeResults& results);
std::string realtime_page(const RealtimeResults& results);

}  // namespace cairn::cli
