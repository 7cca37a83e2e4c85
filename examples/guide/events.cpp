// SPDX-License-Identifier: MIT
// Guide, chapter 4: contact events, by a listener that removes what a bullet hits, and as a list after each step.
#include <cstdio>

#include "cairn/cairn.h"

int main() {
  using namespace cairn;
  World world;
  const BodyId ground = world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  const BodyId target = world.add_body({.pose = {{2, 0, 0.5}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  const BodyId bullet = world.add_body({.pose = {{-2, 0, 0.5}}, .velocity = {{100, 0, 0}}, .continuous = true},
                                       {{.shape = make_sphere(0.05), .density = 7800}});

  // Called after the step, in a fixed order. A removal waits until all events have been delivered.
  world.set_contact_listener([&](const ContactEvent& event) {
    if (event.kind != ContactEventKind::begin) return;
    const bool is_shot = event.body_a == bullet || event.body_b == bullet;
    const BodyId other = event.body_a == bullet ? event.body_b : event.body_a;
    if (is_shot && other == target) world.remove_body(target);
  });

  for (int i = 0; i < 60; ++i) {
    world.step(1.0 / 60);
    for (const ContactEvent& event : world.events()) {  // the same events, without a listener
      const bool is_ground = event.body_a == ground || event.body_b == ground;
      const bool is_bullet = event.body_a == bullet || event.body_b == bullet;
      std::printf("%s: %s and %s\n", event.kind == ContactEventKind::begin ? "begin" : "end",
                  is_bullet ? "bullet" : "target", is_ground ? "ground" : "target");
    }
  }
  std::printf("the target is there: %s\n", world.contains(target) ? "yes" : "no");
}
