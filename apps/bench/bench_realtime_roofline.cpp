// SPDX-License-Identifier: MIT
// The roofline of the contact sweep: bytes and flops counted (lane_work.h), the machine's limits measured beside it.
#include <algorithm>
#include <limits>

#include "apps/bench/bench_realtime.h"
#include "cairn/core/index.h"
#include "cairn/core/timer.h"
#include "cairn/simd/simd.h"
#include "cairn/simd/vectors.h"
#include "cairn/solvers/soft_step/lane_kernels.h"
#include "cairn/solvers/soft_step/lane_work.h"
#include "cairn/solvers/soft_step/soft_step.h"

namespace cairn::cli {

namespace {

constexpr int kTurns = 7;  // of which the best counts, for sweep and limits alike
constexpr std::int64_t kGroupGrain =
    16;  // groups per block of work; soft_step has 4, since it does more between the sweeps

template <class Work>
double best_seconds(Work&& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < kTurns; ++turn) {
    const Timer timer;
    work();
    best = std::min(best, timer.seconds());
  }
  return best;
}

/// Multiplications and additions by turns, not fused, on registers: GFLOP/s.
double measure_peak(ThreadPool* pool, int threads) {
  constexpr int kChains = 12, kSteps = 200000;
  AlignedVector<float> results(to_index(threads) * 16);
  const double seconds = best_seconds([&] {
    parallel_for(pool, threads, 1, [&](std::int64_t begin, std::int64_t) {
      run_wide([&] {
        const Float16 factor = Float16{} + 0.999f, summand = Float16{} + 0.001f;
        Float16 x[kChains];
        for (int k = 0; k < kChains; ++k) x[k] = Float16{} + static_cast<float>(k);
        for (int i = 0; i < kSteps; ++i)
          for (Float16& value : x) value = value * factor + summand;
        Float16 sum{};
        for (const Float16& value : x) sum += value;
        *reinterpret_cast<Float16*>(&results[to_index(begin) * 16]) = sum;
      });
    });
  });
  return 1e-9 * 2.0 * 16 * kChains * kSteps * threads / seconds;
}

/// A stream over `bytes` of which one line in `lines_per_write` is written back: GB/s, read and written.
double measure_bandwidth(ThreadPool* pool, std::size_t bytes, int lines_per_write) {
  constexpr std::int64_t kLine = 16, kGrain = 4096;  // floats; lines
  const auto lines = static_cast<std::int64_t>(bytes / sizeof(float)) / kLine;
  AlignedVector<float> data(to_index(lines * kLine), 1.0f);
  AlignedVector<float> sums(to_index((lines + kGrain - 1) / kGrain * kLine));
  const auto stream = [&](std::int64_t begin, std::int64_t end) {
    run_wide([&] {
      Float16 sum[4]{};
      auto* at = reinterpret_cast<Float16*>(data.data());
      for (std::int64_t i = begin; i < end; i += lines_per_write) {
        const std::int64_t stop = std::min<std::int64_t>(i + lines_per_write, end);
        for (std::int64_t k = i; k < stop; ++k) sum[k % 4] += at[k];
        at[i] = sum[0];
      }
      reinterpret_cast<Float16*>(sums.data())[begin / kGrain] = sum[0] + sum[1] + sum[2] + sum[3];
    });
  };
  const double seconds = best_seconds([&] { parallel_for(pool, lines, kGrain, stream); });
  return 1e-9 * static_cast<double>(bytes) * (1 + 1.0 / lines_per_write) / seconds;
}

/// The lanes of a scene after its first step, ready to be swept.
struct LaneCase {
  SoftStepSolver solver;
  LaneProblem& lanes = solver.lanes();
  std::int64_t contacts = 0;
  double bytes = 0, flops = 0;  ///< of a soft and a rigid sweep together
  double written = 0, read = 0;
  std::size_t size = 0;  ///< bytes that are touched

  explicit LaneCase(const std::string& name) {
    scenes::Scene scene = scenes::make_scene(name).value_or_throw();
    scene.world.keep_warm_start(true);
    scene.world.step(scene.dt);
    ContactSolution solution = scene.world.warm_start();
    SolveContext context;
    context.contact_colour = scene.world.contact_colours();
    solver.solve(scene.world.problem(), solution, context);
    contacts = static_cast<std::int64_t>(scene.world.problem().contacts.size());
    for (const LaneGroup& group : lanes.groups)
      for (const LaneSweep sweep : {LaneSweep::soft, LaneSweep::rigid}) {
        const LaneWork work = lane_work(lane_kind(group.kind), sweep);
        bytes += static_cast<double>(group.lanes) * work.bytes();
        flops += static_cast<double>(group.lanes) * work.flops;
        read += static_cast<double>(group.lanes) * work.fields_read;
        written += static_cast<double>(group.lanes) * work.fields_written;
      }
    size = lanes.data.size() * sizeof(float) + lanes.bodies.size() * sizeof(LaneBody);
  }

  void sweep(const LanePass& pass, ThreadPool* pool) {
    const LaneView view{lanes.groups.data(), lanes.data.data(), lanes.bodies.data(), lanes.masses.data()};
    const LaneKernels& kernels = lane_kernels();
    for (const LaneStage& stage : lanes.stages)
      parallel_for(pool, stage.count, kGroupGrain, [&](std::int64_t begin, std::int64_t end) {
        kernels.sweep(view, pass, stage.first + begin, stage.first + end);
      });
  }
};

/// Numbers such as soft_step has with four sub-steps of 1/60 s.
LanePass soft_pass() {
  LanePass pass;
  pass.inverse_h = 240, pass.push = 3;
  for (int side = 0; side < 2; ++side)
    pass.rate[side] = 80, pass.mass_scale[side] = 0.8f, pass.impulse_scale[side] = 0.2f;
  pass.biased = true;
  return pass;
}

}  // namespace

Roofline measure_roofline(const std::string& scene, const std::vector<int>& threads) {
  LaneCase c(scene);
  Roofline result;
  result.scene = scene, result.simd = lane_kernels().name, result.contacts = c.contacts;
  result.megabytes = 1e-6 * static_cast<double>(c.size);
  result.bytes_per_contact = 0.5 * c.bytes / static_cast<double>(c.contacts);
  result.flops_per_contact = 0.5 * c.flops / static_cast<double>(c.contacts);
  const LanePass soft = soft_pass();
  LanePass rigid = soft;
  rigid.biased = false, rigid.refresh = rigid.last = true;
  rigid.sum = rigid.bouncing_sum = LaneSum::add;
  for (const int count : threads) {
    const std::unique_ptr<ThreadPool> pool = make_pool(count);
    Roofline::Point point;
    point.threads = count;
    point.bandwidth = measure_bandwidth(pool.get(), c.size, std::max(1, static_cast<int>(c.read / c.written)));
    point.peak = measure_peak(pool.get(), count);
    point.seconds = 0.5 * best_seconds([&] { c.sweep(soft, pool.get()), c.sweep(rigid, pool.get()); });
    point.gigabytes = 0.5e-9 * c.bytes / point.seconds;
    point.gflops = 0.5e-9 * c.flops / point.seconds;
    point.fraction = std::max(point.gigabytes / point.bandwidth, point.gflops / point.peak);
    result.points.push_back(point);
  }
  return result;
}

}  // namespace cairn::cli
