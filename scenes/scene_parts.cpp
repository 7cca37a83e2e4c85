// SPDX-License-Identifier: MIT
#include "scenes/scene_parts.h"

#include <array>
#include <cmath>

namespace cairn::scenes {

BodyId add_ground(World& world, const Material& material) {
  return world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0), .material = material}});
}

BodyId add_fixed_box(World& world, const Vec3& centre, const Vec3& half, const Material& material) {
  return world.add_body({.kind = BodyKind::fixed, .pose = {centre, {}}},
                        {{.shape = make_box(half), .material = material}});
}

BodyId add_box(World& world, const Pose& pose, const Vec3& half, const Material& material) {
  return world.add_body({.pose = pose}, {{.shape = make_box(half), .material = material}});
}

TriangleMesh make_hills(int quads, double half, const std::function<double(double, double)>& height) {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::int32_t, 3>> triangles;
  const double cell = 2 * half / quads;
  for (int j = 0; j <= quads; ++j)
    for (int i = 0; i <= quads; ++i) {
      const double x = cell * i - half, y = cell * j - half;
      vertices.push_back({x, y, height(x, y)});
    }
  for (std::int32_t j = 0; j < quads; ++j)
    for (std::int32_t i = 0; i < quads; ++i) {
      const std::int32_t corner = j * (quads + 1) + i, above = corner + quads + 1;
      triangles.push_back({corner, corner + 1, above + 1});
      triangles.push_back({corner, above + 1, above});
    }
  return make_mesh(vertices, triangles);
}

Quat turn(const Vec3& axis, double angle) { return from_axis(axis, std::sin(0.5 * angle), std::cos(0.5 * angle)); }

Vec3 random_vector(Random& random, double most) {
  const double x = random.uniform(-most, most), y = random.uniform(-most, most), z = random.uniform(-most, most);
  return {x, y, z};
}

Vec3 random_direction(Random& random) {
  for (;;) {  // a point of the cube, until one is in the ball and not too near its centre: three tries in six
    const Vec3 v = random_vector(random, 1);
    const double length2 = dot(v, v);
    if (length2 > 1e-4 && length2 <= 1) return normalised(v);
  }
}

Quat random_orientation(Random& random) {
  for (;;) {  // the same in four dimensions
    const Vec3 v = random_vector(random, 1);
    const Quat q{random.uniform(-1, 1), v.x, v.y, v.z};
    const double length2 = norm2(q);
    if (length2 > 1e-4 && length2 <= 1) return normalised(q);
  }
}

}  // namespace cairn::scenes
