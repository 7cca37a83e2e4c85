// SPDX-License-Identifier: MIT
// Convex hull from points, with coplanar triangles merged into polygons; or from its parts.
#pragma once

#include <span>

#include "cairn/geometry/hull.h"

namespace cairn {

struct HullSettings {
  /// Most vertices of the hull, 4 to 4096. More make contacts slower; where more would be needed, the points that lie
  /// least far outside are left out and counted in HullData::points_outside.
  std::int32_t vertex_limit = 255;
  /// Relative to the longest side of the set's box. Points nearer to the hull than this are not added and faces flatter
  /// than this are merged. Coordinates that went through single precision need at least 1e-7.
  double tolerance = 1e-6;
};

/// Refuses (InputError) fewer than 4 points, coordinates that are not finite or beyond 1e6 m, and sets without volume:
/// all equal (rank 0), on a line (rank 1), in a plane (rank 2).
ConvexHull make_hull(std::span<const Vec3> points, const HullSettings& settings = {});

/// Takes over the parts of a hull that make_hull has built, bit for bit; what is derived is computed anew. Refuses
/// (InputError) parts that are no closed convex polyhedron.
ConvexHull restore_hull(HullData data);

/// Computes what of HullData is derived.
void derive_data(HullData& data);

}  // namespace cairn
