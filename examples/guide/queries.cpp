// SPDX-License-Identifier: MIT
// Guide, chapter 5: rays, shape casts and overlaps, with filters.
#include <cstdio>

#include "cairn/cairn.h"

int main() {
  using namespace cairn;
  constexpr std::uint32_t kScenery = 1, kGlass = 2;
  World world;
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0), .layer = kScenery}});
  world.add_body({.kind = BodyKind::fixed, .pose = {{2, 0, 1}}, .user = 7},
                 {{.shape = make_box({0.1, 1, 1}), .layer = kGlass}});
  world.add_body({.kind = BodyKind::fixed, .pose = {{4, 0, 1}}, .user = 8},
                 {{.shape = make_box({0.1, 1, 1}), .layer = kScenery}});

  // The first hit, or none. The direction need not have length one.
  const std::optional<WorldHit> first = world.cast_ray({0, 0, 1}, {1, 0, 0}, 100);
  std::printf("ray: body %llu at %.2f m\n", static_cast<unsigned long long>(world.view(first->body).user),
              first->distance);

  // Through glass: only shapes of the layer kScenery are seen.
  const auto behind = world.cast_ray({0, 0, 1}, {1, 0, 0}, 100, {.mask = kScenery});
  std::printf("through glass: body %llu at %.2f m\n", static_cast<unsigned long long>(world.view(behind->body).user),
              behind->distance);
  std::printf("all hits: %zu\n", world.cast_ray_all({0, 0, 1}, {1, 0, 0}, 100).size());

  // A sphere of 0.5 m moved by 10 m along x: how far does it get?
  const auto swept = world.cast_shape(make_sphere(0.5), {{0, 0, 1}}, {10, 0, 0});
  std::printf("a sphere of 0.5 m gets %.2f m far\n", swept->distance);

  // Who overlaps a shape, or a box of the world?
  std::printf("overlap with a sphere: %zu shapes, with a box: %zu\n",
              world.overlap_shape(make_sphere(1), {{2, 0, 3}}).size(),
              world.overlap_box({{1, -1, -1}, {5, 1, 1}}).size());
}
