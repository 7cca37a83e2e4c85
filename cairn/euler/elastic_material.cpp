// SPDX-License-Identifier: MIT
#include "cairn/euler/elastic_material.h"

#include <cmath>

#include "cairn/core/errors.h"

namespace cairn {

namespace {

constexpr double kLn2 = 0.693147180559945309417232121458;
constexpr double kRootHalf = 0.707106781186547524400844362105;
constexpr int kPolarSteps = 30;
constexpr double kPolarEnd = 1e-14;  // squared relative change of a step; below it the next step is round-off

Stress neo_hookean(const LameConstants& lame, const Mat3& f, double j) {
  const SymMat3 b = times_transposed(f);
  const double log_j = natural_log(j);
  return {(lame.mu / j) * b + isotropic((lame.lambda * log_j - lame.mu) / j),
          0.5 * lame.mu * (trace(b) - 3) - lame.mu * log_j + 0.5 * lame.lambda * log_j * log_j};
}

Stress st_venant_kirchhoff(const LameConstants& lame, const Mat3& f, double j) {
  const SymMat3 e = 0.5 * (times_transposed(transposed(f)) + isotropic(-1));
  const SymMat3 second = isotropic(lame.lambda * trace(e)) + 2 * lame.mu * e;
  return {(1 / j) * rotate(f, second), 0.5 * lame.lambda * trace(e) * trace(e) + lame.mu * square_sum(e)};
}

Stress corotated(const LameConstants& lame, const Mat3& f, double j) {
  const Mat3 r = polar_rotation(f);
  const Mat3 s = transposed(r) * f;
  const SymMat3 strain{s.row0.x - 1,
                       s.row1.y - 1,
                       s.row2.z - 1,
                       0.5 * (s.row0.y + s.row1.x),
                       0.5 * (s.row0.z + s.row2.x),
                       0.5 * (s.row1.z + s.row2.y)};
  // P F^T = R (2 mu (S - 1) + lambda tr(S - 1) 1) S R^T. Both factors are functions of S, so they commute.
  const SymMat3 p = 2 * lame.mu * strain + isotropic(lame.lambda * trace(strain));
  const SymMat3 stretch = strain + isotropic(1);
  const Vec3 p0{p.xx, p.xy, p.xz}, p1{p.xy, p.yy, p.yz}, p2{p.xz, p.yz, p.zz};
  const Vec3 s0{stretch.xx, stretch.xy, stretch.xz}, s1{stretch.xy, stretch.yy, stretch.yz},
      s2{stretch.xz, stretch.yz, stretch.zz};
  const SymMat3 ps{dot(p0, s0), dot(p1, s1), dot(p2, s2), dot(p0, s1), dot(p0, s2), dot(p1, s2)};
  return {(1 / j) * rotate(r, ps), lame.mu * square_sum(strain) + 0.5 * lame.lambda * trace(strain) * trace(strain)};
}

}  // namespace

void check_material(const ElasticMaterial& m) {
  require(std::isfinite(m.density) && m.density > 0, "the density of an elastic material must be a positive number");
  require(std::isfinite(m.young) && m.young > 0,
          "Young's modulus of an elastic material must be a positive number of pascals");
  require(m.poisson > -1 && m.poisson < 0.5,
          "Poisson's ratio must lie between -1 and 0.5, both excluded: 0.5 is incompressible, take 0.45 instead");
  require(std::isfinite(m.viscosity) && m.viscosity >= 0, "the viscosity of an elastic material must not be negative");
  require(std::isfinite(m.friction) && m.friction >= 0, "the friction coefficient must not be negative");
}

LameConstants lame_constants(const ElasticMaterial& m) {
  return {m.young * m.poisson / ((1 + m.poisson) * (1 - 2 * m.poisson)), m.young / (2 * (1 + m.poisson))};
}

double wave_speed(const ElasticMaterial& material) {
  const LameConstants lame = lame_constants(material);
  return std::sqrt((lame.lambda + 2 * lame.mu) / material.density);
}

/// ln(m 2^e) = 2 atanh(s) + e ln 2 with s = (m - 1)/(m + 1), m in [sqrt(1/2), sqrt(2)): s^2 < 0.0295, twelve terms.
double natural_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < kRootHalf) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1), s2 = s * s;
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
  return 2 * s * sum + exponent * kLn2;
}

/// Newton's method on R^T R = 1: R <- (R + R^-T) / 2, quadratic in the end (Higham 1986).
Mat3 polar_rotation(const Mat3& f) {
  Mat3 r = f;
  for (int step = 0; step < kPolarSteps; ++step) {
    const Mat3 other = transposed(inverse(r, determinant(r)));
    const Mat3 next{0.5 * (r.row0 + other.row0), 0.5 * (r.row1 + other.row1), 0.5 * (r.row2 + other.row2)};
    const Vec3 d0 = next.row0 - r.row0, d1 = next.row1 - r.row1, d2 = next.row2 - r.row2;
    r = next;
    if (!(dot(d0, d0) + dot(d1, d1) + dot(d2, d2) > kPolarEnd)) break;
  }
  return r;
}

Stress elastic_stress(ElasticModel model, const LameConstants& lame, const Mat3& f, double j) {
  switch (model) {
    case ElasticModel::neo_hookean: return neo_hookean(lame, f, j);
    case ElasticModel::st_venant_kirchhoff: return st_venant_kirchhoff(lame, f, j);
    case ElasticModel::corotated: return corotated(lame, f, j);
  }
  return {};
}

}  // namespace cairn
