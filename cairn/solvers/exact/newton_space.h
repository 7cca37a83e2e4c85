// SPDX-License-Identifier: MIT
// NewtonSpace: one island in scaled variables, as the Newton methods of `exact` see it.
//
//   r = D x,   z = D y,   z = A x + g x + q,   A = G G^T            rows; g: softness of joint rows
//   contacts:  x_n >= 0 orthogonal to z_n >= 0,  |x_t| <= x_n,  x_t opposite to z_t      (unit_cone.h)
//   joints:    x in [lower, upper],  z = 0 inside,  z >= 0 at lower,  z <= 0 at upper
//
// The state s stands for A x: with bodies s = G^T x, the change of their velocities in the metric of kinetic energy,
// six numbers per body; without bodies s = A x itself. Every Newton step of either method is one local response
// dx = h - D dz per contact or joint row, and one linear system in the state,
//
//   (1 + G^T D G) ds = G^T h,   dz = G ds,
//
// whose pattern is the graph of the bodies.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace cairn {

/// Rows that obey one law together: a contact, or a single joint row.
struct LawUnit {
  std::int32_t first = 0;  ///< its first row
  std::int32_t block = 0;  ///< where its dim x dim numbers begin in arrays of blocks
  std::int32_t dim = 3;    ///< 2 to 4: a contact; 1: a joint row
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();  ///< of a joint row, scaled
};

/// What the law needs to know, all scaled.
struct ScaledLaw {
  std::vector<LawUnit> units;
  std::vector<double> q, scale;  ///< per row; scale: the diagonal of D
  std::vector<double> softness;  ///< per row: g
  std::vector<double> rho;       ///< per row: 1 / (A + g) of its unit, the step length of projections
  std::size_t block_entries = 0;

  std::size_t rows() const { return q.size(); }
  void clear() {
    units.clear(), q.clear(), scale.clear(), softness.clear(), rho.clear();
    block_entries = 0;
  }
};

class NewtonSpace {
 public:
  virtual ~NewtonSpace() = default;

  const ScaledLaw& law() const { return law_; }
  virtual std::size_t state_size() const = 0;

  /// s = G^T x.
  virtual void to_state(std::span<const double> x, std::span<double> s) const = 0;
  /// dz = G ds: without q, without softness.
  virtual void to_velocity(std::span<const double> s, std::span<double> dz) const = 0;

  /// 1 + G^T D G, D of dim x dim numbers per unit, row major. False where it is singular or not finite.
  virtual bool factorise(std::span<const double> response) = 0;
  /// (1 + G^T D G) ds = rhs; both may be the same. False where the result is not finite.
  virtual bool solve(std::span<const double> rhs, std::span<double> ds) = 0;

  /// The residual of the whole island (natural_map.h) with impulses D x.
  virtual double measure(std::span<const double> x) = 0;

 protected:
  ScaledLaw law_;
};

}  // namespace cairn
