// SPDX-License-Identifier: MIT
// Guide, chapter 7: snapshots. Save, go on, go back, and come to the same state again.
#include <cstdio>
#include <string>

#include "cairn/cairn.h"

int main() {
  using namespace cairn;
  World world;
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  BodyId top{};
  for (int i = 0; i < 5; ++i)
    top = world.add_body({.pose = {{0.05 * i, 0, 0.5 + 1.1 * i}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  const auto run = [](World& which, int steps) {
    for (int i = 0; i < steps; ++i) which.step(1.0 / 60);
  };

  run(world, 30);
  const std::string snapshot = world.save();  // bytes, for a file or a socket
  run(world, 60);
  const Hash128 end = world.state_hash();

  // Back in time, in this world or in another one. Handles stay valid.
  World other;
  if (const std::optional<Error> error = other.restore(snapshot)) {
    std::printf("not restored: %s\n", error->message.c_str());
    return 1;
  }
  std::printf("restored at step %lld, the top box is there: %s\n", static_cast<long long>(other.step_count()),
              other.contains(top) ? "yes" : "no");
  run(other, 60);
  std::printf("the same state again: %s\n", other.state_hash() == end ? "yes" : "no");

  // A damaged snapshot is refused whole, and the world stays as it is.
  std::string damaged = snapshot;
  damaged[damaged.size() / 2] ^= 1;
  std::printf("damaged: %s\n", other.restore(damaged) ? "refused" : "accepted");
  std::printf("unchanged: %s\n", other.state_hash() == end ? "yes" : "no");
}
