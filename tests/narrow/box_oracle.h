// SPDX-License-Identifier: MIT
// collide_box_box written one axis, one corner and one number at a time: slow and plain, what the fast way must agree
// with.
#pragma once

#include "cairn/narrow/collide_box.h"

namespace cairn {

Manifold collide_box_oracle(const Box& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double margin,
                            BoxAxis& cached);

}  // namespace cairn
