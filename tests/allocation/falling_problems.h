// SPDX-License-Identifier: MIT
// Problems of falling size, so that a warm solver refills every array with less.
#pragma once

#include <vector>

#include "scenes/ball_lattices.h"
#include "scenes/box_stacks.h"

namespace cairn {

/// Problems of falling size, some with spin or joints, so that every array is refilled with less.
inline std::vector<ContactProblem> falling_problems() {
  std::vector<ContactProblem> list{scenes::ball_grid(12), scenes::pyramid(8), scenes::ball_grid(5)};
  for (std::size_t i = 1; i < 5; ++i) {
    JointRow row;
    row.linear_a = {0, 0, -1}, row.linear_b = {0, 0, 1};
    list[0].joints.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(i + 7),
                              static_cast<std::int32_t>(list[0].joint_rows.size()), 1});
    list[0].joint_rows.push_back(row);
  }
  ContactProblem spinning = list[0];
  for (ContactBlock& c : spinning.contacts) c.spin_radius = 0.1;
  list.insert(list.begin() + 1, spinning);
  return list;
}

}  // namespace cairn
