// SPDX-License-Identifier: MIT
#include "cairn/geometry/query.h"

#include <fmt/format.h>

#include "cairn/core/errors.h"

namespace cairn {

double checked_size(double value, const char* what) {
  if (!(value >= kSmallestSize && value <= kLargestSize)) {
    fail_input(fmt::format("{} is {}; give a length from {} m to {} m (scale the scene if its unit is not the metre)",
                           what, value, kSmallestSize, kLargestSize));
  }
  return value;
}

void check_density(double density) {
  if (!(density > 0 && std::isfinite(density)))
    fail_input(fmt::format("density is {}; give a positive, finite number of kg/m^3", density));
}

}  // namespace cairn
