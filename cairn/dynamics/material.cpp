// SPDX-License-Identifier: MIT
#include "cairn/dynamics/material.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/errors.h"

namespace cairn {

namespace {

constexpr double kLargestFriction = 1e6;

void check_range(double value, double least, double most, const char* field) {
  if (!(value >= least && value <= most))
    fail_input(fmt::format("material {} is {}, it must lie in [{}, {}]", field, value, least, most));
}

/// A coefficient that may be left out by a negative value.
void check_optional(double value, const char* field) {
  if (!std::isfinite(value) || value > kLargestFriction)
    fail_input(fmt::format("material {} is {}, it must be negative (not set) or lie in [0, {:g}]", field, value,
                           kLargestFriction));
}

double static_of(const Material& m) { return m.static_friction < 0 ? m.friction : m.static_friction; }
bool has_grain(const Material& m) { return m.friction_across >= 0 && m.friction_across != m.friction; }
double mean_of(const Material& m) { return has_grain(m) ? 0.5 * (m.friction + m.friction_across) : m.friction; }

}  // namespace

void check_material(const Material& m) {
  check_range(m.friction, 0, kLargestFriction, "friction");
  check_optional(m.static_friction, "static_friction");
  check_optional(m.friction_across, "friction_across");
  if (m.static_friction >= 0 && m.static_friction < m.friction)
    fail_input(
        fmt::format("material static_friction {} is below friction {}: sticking holds at least as well as sliding",
                    m.static_friction, m.friction));
  if (!is_finite(m.grain) || !(norm(m.grain) > 1e-9) || norm(m.grain) > 1e9)
    fail_input("material grain must be a finite direction, not zero");
  check_range(m.spin_radius, 0, 1e3, "spin_radius");
  check_range(m.rolling_radius, 0, 1e3, "rolling_radius");
  check_range(m.restitution, 0, 1, "restitution");
  const auto known = [](CombineRule rule) {
    return rule >= CombineRule::geometric_mean && rule <= CombineRule::maximum;
  };
  require(known(m.friction_rule) && known(m.restitution_rule), "material combine rule is none of CombineRule");
}

double combine(CombineRule rule, double a, double b) {
  switch (rule) {
    case CombineRule::geometric_mean: return std::sqrt(a * b);
    case CombineRule::average: return 0.5 * (a + b);
    case CombineRule::minimum: return std::min(a, b);
    case CombineRule::multiply: return a * b;
    case CombineRule::maximum: return std::max(a, b);
  }
  return 0;
}

ContactMaterial combine(const Material& a, const Material& b) {
  const CombineRule friction = std::max(a.friction_rule, b.friction_rule);
  const CombineRule bounce = std::max(a.restitution_rule, b.restitution_rule);
  ContactMaterial c;
  c.grain_of = has_grain(a) ? 1 : has_grain(b) ? 2 : 0;
  const double along_a = c.grain_of == 2 ? mean_of(a) : a.friction, along_b = c.grain_of == 1 ? mean_of(b) : b.friction;
  const double across_a = c.grain_of == 1 ? a.friction_across : along_a;
  const double across_b = c.grain_of == 2 ? b.friction_across : along_b;
  c.friction1 = combine(friction, along_a, along_b);
  c.friction2 = c.grain_of == 0 ? c.friction1 : combine(friction, across_a, across_b);
  // Sticking scales both directions alike.
  const double stick = combine(friction, static_of(a), static_of(b)), slide = combine(friction, a.friction, b.friction);
  const double ratio = slide > 0 ? std::max(1.0, stick / slide) : 1.0;
  c.static_friction1 = slide > 0 ? ratio * c.friction1 : stick;
  c.static_friction2 = slide > 0 ? ratio * c.friction2 : stick;
  c.spin_radius = std::max(a.spin_radius, b.spin_radius);
  c.rolling_radius = std::max(a.rolling_radius, b.rolling_radius);
  c.restitution = combine(bounce, a.restitution, b.restitution);
  return c;
}

}  // namespace cairn
