#pragma once
#include <optional>
#include "cairn/geometry/shape.h"
namespace cairn {
struct CastHit { double fraction = 0; Vec3 normal; Vec3 point; };
inline std::optional<CastHit> cast(const Shape&, const Pose&, const Vec3&, const Shape&, const Pose&) { return {}; }
inline bool overlaps(const Shape&, const Pose&, const Shape&, const Pose&) { return false; }
}
