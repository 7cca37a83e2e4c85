// SPDX-License-Identifier: MIT
// Generators make lattices, and pour bodies at random without overlap. The same seed gives the same scene.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/random.h"
#include "cairn/scenefile/scene_builder.h"

namespace cairn {

namespace {

Vec3 random_vector(Random& random, double most) {
  const double x = random.uniform(-most, most), y = random.uniform(-most, most), z = random.uniform(-most, most);
  return {x, y, z};
}

/// A random turn by at most `degrees`, about an axis that is uniform on the sphere.
Quat random_turn(Random& random, double degrees) {
  if (degrees == 0) return {};
  for (;;) {  // draws points of the cube until one is in the ball and not too near its centre
    const Vec3 v = random_vector(random, 1);
    const double length2 = dot(v, v);
    if (!(length2 > 1e-4 && length2 <= 1)) continue;
    const double half = 0.5 * random.uniform(0, degrees) * kPi / 180;  // set-up only
    return from_axis(normalised(v), std::sin(half), std::cos(half));
  }
}

/// A copy of the pattern at another pose.
PreparedBody moved(const PreparedBody& pattern, const Pose& to) {
  PreparedBody body = pattern;
  body.def.pose = to * pattern.def.pose;
  body.def.pose.orientation = normalised(body.def.pose.orientation);
  return body;
}

/// The radius of a ball about the origin of a pattern that holds all of its shapes.
double reach_of(const PreparedBody& pattern) {
  double reach = 0;
  for (const ShapeDef& shape : pattern.shapes) {
    const Aabb box = bounds(shape.shape, Pose{});
    const Sphere* sphere = std::get_if<Sphere>(&shape.shape);
    const Vec3 middle = transform(pattern.def.pose * shape.pose, centre(box));
    const double radius = sphere != nullptr ? sphere->radius : 0.5 * norm(box.upper - box.lower);
    reach = std::max(reach, norm(middle) + radius);
    if (!std::isfinite(radius)) reach = kLargestSize;
  }
  if (!(reach > 0 && reach < kLargestSize)) fail_input("bodies: what is poured must have bounded shapes");
  return reach;
}

}  // namespace

void SceneBuilder::generate_lattice(const SceneGenerator& g, const std::vector<PreparedBody>& patterns) {
  const double total = static_cast<double>(g.nx) * static_cast<double>(g.ny) * static_cast<double>(g.nz);
  if (total > static_cast<double>(kMostSceneBodies))
    fail_input(fmt::format("count: {} bodies, the limit is {}", total, kMostSceneBodies), ErrorKind::limit);
  Random random(static_cast<std::uint64_t>(g.seed));
  std::size_t made = 0;
  for (std::int64_t k = 0; k < g.nz; ++k)
    for (std::int64_t j = 0; j < g.ny; ++j)
      for (std::int64_t i = 0; i < g.nx; ++i) {
        const Vec3 step{static_cast<double>(i) * g.spacing.x, static_cast<double>(j) * g.spacing.y,
                        static_cast<double>(k) * g.spacing.z};
        const Vec3 shift = g.shift > 0 ? random_vector(random, g.shift) : Vec3{};
        const Pose to{g.first + step + shift, random_turn(random, g.turn)};
        add_body(g.place, fmt::format("{}.{}", g.name, made), moved(patterns[made % patterns.size()], to));
        ++made;
      }
}

/// Fills cells layer by layer from below. A cell is as large as the largest pattern in any orientation. Each body is
/// shifted at random within the room that its own size leaves in its cell, so nothing overlaps.
void SceneBuilder::generate_pour(const SceneGenerator& g, const std::vector<PreparedBody>& patterns) {
  double cell = 0;
  for (const PreparedBody& pattern : patterns) cell = std::max(cell, 2.02 * reach_of(pattern));
  const auto along = [&](double lower, double upper) { return std::floor((upper - lower) / cell); };
  const double nx = along(g.lower.x, g.upper.x), ny = along(g.lower.y, g.upper.y), nz = along(g.lower.z, g.upper.z);
  const double room = nx > 0 && ny > 0 && nz > 0 ? nx * ny * nz : 0;
  if (room < static_cast<double>(g.count))
    fail_input(
        fmt::format("count: the box from lower to upper has room for {} bodies of this size ({:.3g} m), got {}; "
                    "make it larger",
                    room, cell, g.count));
  Random random(static_cast<std::uint64_t>(g.seed));
  const auto across = static_cast<std::int64_t>(nx), layer = across * static_cast<std::int64_t>(ny);
  for (std::int64_t n = 0; n < g.count; ++n) {
    const PreparedBody& pattern = patterns[random.below(patterns.size())];
    const Vec3 corner{static_cast<double>(n % across), static_cast<double>(n % layer / across),
                      static_cast<double>(n / layer)};
    const double play = 0.5 * cell - 1.005 * reach_of(pattern);
    const Vec3 centre = g.lower + cell * (corner + Vec3{0.5, 0.5, 0.5}) + random_vector(random, play);
    PreparedBody body = moved(pattern, {centre, random_turn(random, g.turn)});
    if (g.speed > 0) body.def.velocity.linear += random_vector(random, g.speed);
    add_body(g.place, fmt::format("{}.{}", g.name, n), body);
  }
}

void SceneBuilder::generate(const SceneGenerator& g) {
  std::vector<PreparedBody> patterns;
  for (const SceneBody& body : g.bodies) {
    if (!body.name.empty()) fail_at(body.place, "a pattern must have no name: its bodies get that of the generator");
    patterns.push_back(prepare(body));
  }
  within(g.place, [&] {
    if (g.type == GeneratorType::lattice)
      generate_lattice(g, patterns);
    else
      generate_pour(g, patterns);
  });
}

}  // namespace cairn
