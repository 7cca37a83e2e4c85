// SPDX-License-Identifier: MIT
// Elastic solids in a few lines: a soft ball falls on a stiffer block, and how the energy goes from one kind to
// another.
#include <cstdio>

#include "cairn/cairn.h"

int main() {
  using namespace cairn;
  ElasticSettings settings;  // gravity -9.81 along z; ElasticSettings has every choice
  settings.grid = {{0, 0, 0}, 0.05, {32, 32, 36}};
  ElasticWorld world(settings);
  world.add_wall({.shape = make_half_space({0, 0, 1}, 0.3)});
  world.add_body({.shape = make_box({0.3, 0.3, 0.15}), .pose = {{0.8, 0.8, 0.45}}, .material = {.young = 2e5}});
  const int ball = world.add_body(
      {.shape = make_sphere(0.25), .pose = {{0.8, 0.8, 0.95}}, .material = {.young = 3e4}, .velocity = {{0, 0, -1}}});

  for (int i = 0; i < 20; ++i) {
    const ElasticReport& report = world.step(0.01);
    std::printf("%.2f s  ball at %.3f m  kinetic %6.2f J  elastic %6.2f J  %3lld of %3lld contact rows\n", report.time,
                world.measures(ball).centre.z, report.total.kinetic_energy, report.total.elastic_energy,
                static_cast<long long>(report.contact.touching), static_cast<long long>(report.contact.rows));
  }
  std::printf("mass changed by %.1e, state %s\n", world.last_report().mass_error,
              world.state_hash().to_string().c_str());
}
