// SPDX-License-Identifier: MIT
// Pose: where a body or a shape is. p_WA, q_WA map points of A to the world (or of a child to its parent).
#pragma once

#include "cairn/math/quat.h"

namespace cairn {

struct Pose {
  Vec3 position{};
  Quat orientation{};
  friend constexpr bool operator==(const Pose&, const Pose&) = default;
};

constexpr Vec3 transform(const Pose& pose, const Vec3& point) {
  return pose.position + rotate(pose.orientation, point);
}
constexpr Vec3 transform_back(const Pose& pose, const Vec3& point) {
  return rotate_back(pose.orientation, point - pose.position);
}
/// X_WB = X_WA X_AB.
constexpr Pose operator*(const Pose& a, const Pose& b) {
  return {transform(a, b.position), a.orientation * b.orientation};
}
constexpr Pose inverse(const Pose& pose) {
  return {rotate_back(pose.orientation, -pose.position), conjugate(pose.orientation)};
}
inline bool is_finite(const Pose& pose) { return is_finite(pose.position) && is_finite(pose.orientation); }

}  // namespace cairn
