// SPDX-License-Identifier: MIT
// Guide, chapter 1: a box falls on the ground and comes to rest.
#include <cstdio>

#include "cairn/cairn.h"

int main() {
  using namespace cairn;
  World world;  // gravity -9.81 m/s^2 along z, solver soft_step, one thread

  // A fixed body never moves. The half-space is solid below the plane z = 0.
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});

  // A dynamic body gets its mass from its shapes: 1 m^3 of 1000 kg/m^3.
  const BodyId box = world.add_body({.pose = {{0, 0, 2}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});

  for (int i = 0; i < 120; ++i) {
    world.step(1.0 / 60);
    if (i % 20 != 19) continue;
    const BodyView view = world.view(box);
    std::printf("%.2f s: z = %.2f m, speed %.2f m/s\n", world.time(), view.pose.position.z, norm(view.velocity.linear));
  }
  std::printf("mass %.0f kg\n", world.view(box).mass);
}
