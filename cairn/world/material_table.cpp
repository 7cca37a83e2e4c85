// SPDX-License-Identifier: MIT
#include "cairn/world/material_table.h"

#include <algorithm>

namespace cairn {

std::uint8_t MaterialTable::add(const Material& material) {
  any_rolling_ = any_rolling_ || material.rolling_radius > 0;
  any_bounce_ = any_bounce_ || material.restitution > 0;
  any_grain_ = any_grain_ || combine(material, material).grain_of != 0;
  const auto found = std::find(materials_.begin(), materials_.end(), material);
  if (found != materials_.end()) return static_cast<std::uint8_t>(found - materials_.begin());
  if (materials_.size() == kMost) return kNotListed;
  materials_.push_back(material);
  table_.resize(kMost * kMost);
  const std::size_t n = materials_.size() - 1;
  for (std::size_t i = 0; i <= n; ++i) {
    table_[n * kMost + i] = combine(material, materials_[i]);
    table_[i * kMost + n] = combine(materials_[i], material);
  }
  return static_cast<std::uint8_t>(n);
}

}  // namespace cairn
