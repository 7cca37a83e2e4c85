// SPDX-License-Identifier: MIT
// ElasticMaterial: what a solid on a grid is made of, and the Cauchy stress of a deformation gradient F, J = det F.
//
//   Neo-Hookean           sigma = (mu/J)(F F^T - 1) + (lambda/J) ln(J) 1      (compressible; Bonet, Wood 2008, 6.4)
//   St Venant-Kirchhoff   sigma = F (lambda tr(E) 1 + 2 mu E) F^T / J,   E = (F^T F - 1)/2
//   corotated             sigma = (2 mu (F - R) + lambda tr(S - 1) R) F^T / J,   F = R S
//
// For small strains all three are linear elasticity with the Lame constants lambda and mu. St Venant-Kirchhoff weakens
// under compression and inverts when it is compressed to less than 1/sqrt(3) of its length. It is there for comparison.
#pragma once

#include "cairn/euler/tensor.h"

namespace cairn {

enum class ElasticModel { neo_hookean, st_venant_kirchhoff, corotated };

struct ElasticMaterial {
  ElasticModel model = ElasticModel::neo_hookean;
  double density = 1000;  ///< kg/m^3, undeformed
  double young = 1e5;     ///< Pa; the time step shrinks with its root
  double poisson = 0.3;   ///< in (-1, 0.5)
  double viscosity = 0;   ///< Pa s (Kelvin-Voigt): stress viscosity * (grad v + grad v^T)
  double friction = 0.5;  ///< coefficient; two materials have the geometric mean

  friend constexpr bool operator==(const ElasticMaterial&, const ElasticMaterial&) = default;
};

/// Lame constants, Pa.
struct LameConstants {
  double lambda = 0, mu = 0;
};

/// Throws InputError unless all numbers are finite, density and Young's modulus positive, viscosity and friction not
/// negative, and Poisson's ratio within (-1, 0.5).
void check_material(const ElasticMaterial& material);

LameConstants lame_constants(const ElasticMaterial& material);

/// The speed of pressure waves in m/s: sqrt((lambda + 2 mu) / density).
double wave_speed(const ElasticMaterial& material);

struct Stress {
  SymMat3 cauchy;     ///< Pa
  double energy = 0;  ///< J per undeformed m^3
};

/// Stress and energy of the deformation gradient f. `j` is its determinant, which must be positive.
Stress elastic_stress(ElasticModel model, const LameConstants& lame, const Mat3& f, double j);

/// The natural logarithm of a finite positive x. It uses sums and products only, so it has the same bits on every
/// machine.
double natural_log(double x);

/// The rotation R of the polar decomposition F = R S; det F must be positive.
Mat3 polar_rotation(const Mat3& f);

}  // namespace cairn
