// SPDX-License-Identifier: MIT
// A world in a few lines: a tower of boxes, a ball thrown at it, who was hit, and how good the answers were.
#include <cstdio>

#include "cairn/cairn.h"

int main() {
  using namespace cairn;
  World world;  // gravity -9.81 along z, solver soft_step; WorldSettings has every choice
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  for (int i = 0; i < 8; ++i)
    world.add_body({.pose = {{0, 0, 0.25 + 0.5 * i}}}, {{.shape = make_box({0.25, 0.25, 0.25})}});
  const BodyId ball = world.add_body({.pose = {{-3, 0, 2.5}}, .velocity = {{12, 0, 2}}, .continuous = true},
                                     {{.shape = make_sphere(0.3), .density = 3000}});

  int hits = 0;
  world.set_contact_listener([&](const ContactEvent& event) {
    const bool ball_met_something = event.body_a == ball || event.body_b == ball;
    if (event.kind == ContactEventKind::begin && ball_met_something) ++hits;
  });

  double worst = 0;
  for (int i = 0; i < 180; ++i) worst = std::max(worst, world.step(1.0 / 60).solve.residual);

  const StepReport& report = world.last_report();
  const auto below = world.cast_ray(world.view(ball).centre, {0, 0, -1}, 10, {.ignore = ball});
  std::printf("the ball met %d things and is %.2f m above what lies under it\n", hits, below ? below->distance : -1.0);
  std::printf("%lld contacts, deepest overlap %.2f mm, worst residual %.1e, state %s\n",
              static_cast<long long>(report.contacts), 1e3 * report.max_overlap, worst,
              world.state_hash().to_string().c_str());
}
