// SPDX-License-Identifier: MIT
// Guide, chapter 10: what the report of a step says, and how good the answer is.
#include <cstdio>

#include "cairn/cairn.h"

int main() {
  using namespace cairn;
  WorldSettings settings;
  settings.measure_every = 1;  // judge every step; with soft_step a world judges every sixteenth by default
  settings.sleep.enabled = true;
  World world(settings);
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  for (int tower = 0; tower < 2; ++tower)
    for (int i = 0; i < 3; ++i)
      world.add_body({.pose = {{3.0 * tower, 0, 0.5 + i}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});

  for (int i = 0; i < 30; ++i) world.step(1.0 / 60);
  const StepReport& report = world.last_report();
  std::printf("step %lld: %lld bodies awake, %lld contacts in %lld islands\n", static_cast<long long>(report.step),
              static_cast<long long>(report.awake_bodies), static_cast<long long>(report.contacts),
              static_cast<long long>(report.islands));
  std::printf("residual below 1e-3: %s, judged in step %lld\n", report.solve.residual < 1e-3 ? "yes" : "no",
              static_cast<long long>(report.measured_step));
  std::printf("deepest overlap below 1 mm: %s, quarantined: %zu\n", report.max_overlap < 1e-3 ? "yes" : "no",
              report.quarantined.size());

  // Seconds by part of the step, by the wall clock.
  double total = 0;
  for (int i = 0; i < kStageCount; ++i) total += report.times.wall[i];
  std::printf("the solve takes part of the time: %s\n",
              report.times.wall[static_cast<int>(Stage::solve)] <= total ? "yes" : "no");

  for (int i = 0; i < 60; ++i) world.step(1.0 / 60);
  std::printf("a second later %lld of %lld islands sleep\n", static_cast<long long>(report.sleeping_islands),
              static_cast<long long>(report.islands));
}
