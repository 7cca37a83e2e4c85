// SPDX-License-Identifier: MIT
// Material: what a surface is like to rub, roll and bounce on, and what two surfaces make of each other.
#pragma once

#include "cairn/math/vec3.h"

namespace cairn {

/// How the numbers of two surfaces become one. Where the two materials name different rules, the later one in this list
/// is used, so that the result does not depend on which body came first.
enum class CombineRule { geometric_mean, average, minimum, multiply, maximum };

/// Users write it, shapes keep it.
struct Material {
  double friction = 0.5;        ///< coefficient while sliding
  double static_friction = -1;  ///< coefficient while sticking; negative: the same as `friction`
  double friction_across = -1;  ///< anisotropic: coefficient across the grain; negative: the same in all directions
  Vec3 grain{1, 0, 0};          ///< direction in the shape's axes along which `friction` holds
  double spin_radius = 0;       ///< m, radius of the patch of contact that resists drilling (Contensou); 0: none
  double rolling_radius = 0;    ///< m, resisting torque over normal force when rolling; 0: none
  double restitution = 0;       ///< Newton's, 0..1
  CombineRule friction_rule = CombineRule::geometric_mean;
  CombineRule restitution_rule = CombineRule::maximum;
  friend bool operator==(const Material&, const Material&) = default;
};

/// What a contact needs to know of the two materials. Derived.
struct ContactMaterial {
  double friction1 = 0, friction2 = 0;                ///< sliding, along and across the grain
  double static_friction1 = 0, static_friction2 = 0;  ///< sticking
  double spin_radius = 0, rolling_radius = 0, restitution = 0;
  int grain_of = 0;  ///< 0: isotropic; 1: the grain is that of a; 2: that of b
};

/// InputError that names the field when a material cannot be used.
void check_material(const Material& material);

double combine(CombineRule rule, double a, double b);

/// Where both have a grain the directions are those of a, and b counts with the mean of its two coefficients.
ContactMaterial combine(const Material& a, const Material& b);

}  // namespace cairn
