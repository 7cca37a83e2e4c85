// SPDX-License-Identifier: MIT
// A small heap that tests of live runs act on.
#pragma once

#include "cairn/live/run.h"

namespace cairn {

inline constexpr double kLiveDt = 1.0 / 60;

/// A floor and a heap of 4 x 4 boxes; the bodies after the floor are the boxes.
inline World live_heap(int threads = 1) {
  WorldSettings settings;
  settings.threads = threads;
  settings.iterations = 10;
  World world(settings);
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  for (int k = 0; k < 16; ++k)
    world.add_body({.pose = {{0.3 * (k % 2), 0.02 * k, 0.2 + 0.35 * (k / 2)}}},
                   {{.shape = make_box({0.14, 0.15, 0.16})}});
  return world;
}

inline LiveInput solver_change(const LiveRun& run, const char* name, const NamedSettings& named = {}) {
  WorldSettings next = run.world().settings();
  choose_solver(next, name, named);
  return LiveChange{std::make_shared<WorldSettings>(next), run.dt()};
}

/// One step of a run on which something is done now and then: drags, shots, a removal, another solver, another gravity.
inline void eventful_step(LiveRun& run) {
  const std::int64_t k = run.here();
  const BodyId body = run.world().bodies()[5];
  if (k >= 8 && k < 25)
    run.act(LiveDrag{.body = body, .anchor = {0.1, 0, 0}, .target = {0.05 * static_cast<double>(k), 1, 2}});
  if (k == 25) run.act(LiveRelease{});
  if (k == 12 || k == 30) run.act(LiveShot{{-3, 0.1, 1}, {15, 0, 0.1 * static_cast<double>(k)}, 0.2, 800});
  if (k == 33) run.act(LiveRemoval{run.world().bodies()[3]});
  if (k == 36) run.act(LiveShot{{3, 0.1, 1}, {-15, 0, 0}, 0.1, 800});  // takes the place of what was removed
  if (k == 40) run.act(solver_change(run, "block_mass_splitting"));
  if (k == 50) {
    WorldSettings next = run.world().settings();
    next.gravity = {0.5, 0, -5};
    run.act(LiveChange{std::make_shared<WorldSettings>(next), 1.0 / 120});
  }
  run.step();
}

}  // namespace cairn
