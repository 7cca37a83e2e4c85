// SPDX-License-Identifier: MIT
// Guide, chapter 6: threads. The same pile with one, two and four threads ends in the same bits.
#include <cstdio>

#include "cairn/cairn.h"

namespace {

cairn::Hash128 run_pile(int threads) {
  using namespace cairn;
  WorldSettings settings;
  settings.threads = threads;  // 0: as many as there are processors
  World world(settings);
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  for (int i = 0; i < 200; ++i) {
    const double x = 0.6 * (i % 5), y = 0.6 * (i / 5 % 5), z = 0.5 + 0.7 * (i / 25);
    world.add_body({.pose = {{x + 0.01 * (i % 3), y, z}}}, {{.shape = make_box({0.25, 0.25, 0.25})}});
  }
  for (int i = 0; i < 120; ++i) world.step(1.0 / 60);
  return world.state_hash();
}

}  // namespace

int main() {
  const cairn::Hash128 one = run_pile(1), two = run_pile(2), four = run_pile(4);
  std::printf("two threads: %s, four threads: %s\n", one == two ? "the same bits" : "other bits",
              one == four ? "the same bits" : "other bits");
}
