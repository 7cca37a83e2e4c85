// SPDX-License-Identifier: MIT
// MaterialTable: the materials of a world, each once, and what every two of them make of each other. Scenes have few
// materials and many contacts; a look-up costs less than combining anew.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/dynamics/material.h"

namespace cairn {

class MaterialTable {
 public:
  static constexpr std::size_t kMost = 64;  ///< further materials are combined where they meet
  static constexpr std::uint8_t kNotListed = 255;

  /// The number of a material, listed if there is room.
  std::uint8_t add(const Material& material);

  /// What two surfaces make of each other; `a` and `b` are used where one of the numbers is kNotListed.
  ContactMaterial combined(std::uint8_t number_a, std::uint8_t number_b, const Material& a, const Material& b) const {
    if (number_a == kNotListed || number_b == kNotListed) return combine(a, b);
    return table_[number_a * kMost + number_b];
  }

  /// The same where both are listed, else none.
  const ContactMaterial* listed(std::uint8_t number_a, std::uint8_t number_b) const {
    if (number_a == kNotListed || number_b == kNotListed) return nullptr;
    return &table_[number_a * kMost + number_b];
  }

  bool any_rolling() const { return any_rolling_; }
  bool any_grain() const { return any_grain_; }
  bool any_bounce() const { return any_bounce_; }
  /// For snapshots: there were such materials, though no shape may have them any more. Impulses are turned to their
  /// frame or not by it, which may change a last bit.
  void remember(bool any_rolling, bool any_grain) {
    any_rolling_ = any_rolling_ || any_rolling;
    any_grain_ = any_grain_ || any_grain;
  }

 private:
  std::vector<Material> materials_;
  std::vector<ContactMaterial> table_;  ///< [a * kMost + b]
  bool any_rolling_ = false, any_grain_ = false, any_bounce_ = false;
};

}  // namespace cairn
