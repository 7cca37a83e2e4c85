// SPDX-License-Identifier: MIT
// Shapes as triangles: closed, facing out, and of the shape's volume as the segments become many.
#include "cairn/geometry/tessellate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/geometry/hull_builder.h"

namespace cairn {
namespace {

/// By the divergence theorem; positive where triangles face out.
double volume(const Tessellation& t) {
  double six = 0;
  for (const auto& k : t.triangles) {
    const auto corner = [&](std::size_t i) { return t.vertices[to_index(k[i])]; };
    six += dot(corner(0), cross(corner(1), corner(2)));
  }
  return six / 6;
}

bool is_closed(const Tessellation& t) {
  const MeshReport report = make_mesh(t.vertices, t.triangles).data->report;
  return report.closed && report.degenerate == 0 && report.duplicate == 0;
}

TEST(Tessellate, SolidsAreClosedAndHaveTheirVolume) {
  const std::vector<Vec3> corners{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}, {1, 2, 0.5}};
  const Shape shapes[] = {make_sphere(0.7),        make_box({0.1, 0.2, 0.3}), make_capsule(0.3, 0.5),
                          make_cylinder(0.4, 0.6), make_cone(0.5, 1.2),       make_hull(corners)};
  for (const Shape& shape : shapes) {
    const double exact = mass_properties(shape, 1).mass;
    const Tessellation coarse = tessellate(shape), fine = tessellate(shape, {.segments = 256});
    EXPECT_TRUE(is_closed(coarse)) << shape.index();
    EXPECT_LE(volume(coarse), exact * (1 + 1e-12)) << shape.index();  // inscribed
    EXPECT_NEAR(volume(fine), exact, 3e-4 * exact) << shape.index();
  }
}

TEST(Tessellate, SurfacesAndCompounds) {
  const HeightField field = make_height_field(3, 4, 0.5, std::vector<double>(12, 0.25));
  const Tessellation ground = tessellate(field);
  EXPECT_EQ(ground.triangles.size(), to_index(field.triangle_count()));
  for (std::int32_t k = 0; k < field.triangle_count(); ++k)
    EXPECT_EQ(ground.vertices[to_index(ground.triangles[to_index(k)][0])], field.triangle(k).a);
  const Tessellation plane = tessellate(make_half_space({0, 1, 0}, 2), {.half_space = 3});
  for (const Vec3& v : plane.vertices) EXPECT_NEAR(v.y, 2, 1e-12);
  const Tessellation two = tessellate(make_compound({{make_box({1, 1, 1}), {}}, {make_box({1, 1, 1}), {{5, 0, 0}}}}));
  EXPECT_NEAR(volume(two), 16, 1e-12);
  EXPECT_THROW(tessellate(make_sphere(1), {.segments = 2}), InputError);
}

}  // namespace
}  // namespace cairn
