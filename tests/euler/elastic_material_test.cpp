// SPDX-License-Identifier: MIT
#include "cairn/euler/elastic_material.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/refusal.h"

namespace cairn {
namespace {

constexpr ElasticModel kModels[] = {ElasticModel::neo_hookean, ElasticModel::st_venant_kirchhoff,
                                    ElasticModel::corotated};
const ElasticMaterial kRubber{.young = 2e5, .poisson = 0.3};
const Mat3 kTwisted{{1.1, 0.2, -0.1}, {0.05, 0.9, 0.15}, {-0.2, 0.1, 1.2}};

Stress stress_of(ElasticModel model, const Mat3& f) {
  return elastic_stress(model, lame_constants(kRubber), f, determinant(f));
}

TEST(ElasticMaterial, LogarithmIsThatOfTheLibraryToRoundOff) {
  for (double x = 0.05; x < 25; x *= 1.0137)
    EXPECT_NEAR(natural_log(x), std::log(x), 4e-16 * (1 + std::fabs(std::log(x))));
  EXPECT_EQ(natural_log(1), 0);
}

TEST(ElasticMaterial, LameConstantsAndWaveSpeed) {
  const LameConstants lame = lame_constants({.density = 1000, .young = 1e5, .poisson = 0.25});
  EXPECT_NEAR(lame.mu, 4e4, 1e-9);
  EXPECT_NEAR(lame.lambda, 4e4, 1e-9);
  EXPECT_NEAR(wave_speed({.density = 1000, .young = 1e5, .poisson = 0.25}), std::sqrt(120.0), 1e-12);
}

/// A turn alone makes no stress and stores no energy.
TEST(ElasticMaterial, RotationIsFree) {
  const Mat3 turn = to_matrix(normalised(Quat{0.8, 0.3, -0.4, 0.1}));
  for (const ElasticModel model : kModels) {
    const Stress s = stress_of(model, turn);
    EXPECT_NEAR(s.energy, 0, 1e-8);
    EXPECT_NEAR(std::sqrt(square_sum(s.cauchy)), 0, 1e-8);
  }
}

/// Small uniaxial strain: sigma_xx = (lambda + 2 mu) e, sigma_yy = lambda e.
TEST(ElasticMaterial, SmallStrainIsLinearElasticity) {
  constexpr double kStrain = 1e-7;
  const LameConstants lame = lame_constants(kRubber);
  const Mat3 f{{1 + kStrain, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const ElasticModel model : kModels) {
    const Stress s = stress_of(model, f);
    EXPECT_NEAR(s.cauchy.xx, (lame.lambda + 2 * lame.mu) * kStrain, 1e-8);
    EXPECT_NEAR(s.cauchy.yy, lame.lambda * kStrain, 1e-8);
    EXPECT_NEAR(s.cauchy.xy, 0, 1e-12);
  }
}

/// sigma = (1/J) (dW/dF) F^T, with dW/dF by central differences.
TEST(ElasticMaterial, StressIsTheDerivativeOfTheEnergy) {
  constexpr double kDelta = 1e-6;
  for (const ElasticModel model : kModels) {
    Mat3 p = kZeroMatrix;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const auto energy = [&](double d) {
          Mat3 f = kTwisted;
          Vec3& row = i == 0 ? f.row0 : i == 1 ? f.row1 : f.row2;
          (j == 0 ? row.x : j == 1 ? row.y : row.z) += d;
          return stress_of(model, f).energy;
        };
        Vec3& row = i == 0 ? p.row0 : i == 1 ? p.row1 : p.row2;
        (j == 0 ? row.x : j == 1 ? row.y : row.z) = (energy(kDelta) - energy(-kDelta)) / (2 * kDelta);
      }
    const Mat3 sigma = p * transposed(kTwisted);
    const double j = determinant(kTwisted);
    const Stress s = stress_of(model, kTwisted);
    EXPECT_NEAR(sigma.row0.x / j, s.cauchy.xx, 1e-2);
    EXPECT_NEAR(sigma.row1.y / j, s.cauchy.yy, 1e-2);
    EXPECT_NEAR(sigma.row2.z / j, s.cauchy.zz, 1e-2);
    EXPECT_NEAR(sigma.row0.y / j, s.cauchy.xy, 1e-2);
    EXPECT_NEAR(sigma.row0.z / j, s.cauchy.xz, 1e-2);
    EXPECT_NEAR(sigma.row1.z / j, s.cauchy.yz, 1e-2);
  }
}

TEST(ElasticMaterial, PolarRotationIsARotationAndLeavesAStretch) {
  const Mat3 r = polar_rotation(kTwisted), one = transposed(r) * r, stretch = transposed(r) * kTwisted;
  EXPECT_NEAR(norm(one.row0 - Vec3{1, 0, 0}) + norm(one.row1 - Vec3{0, 1, 0}) + norm(one.row2 - Vec3{0, 0, 1}), 0,
              1e-13);
  EXPECT_NEAR(determinant(r), 1, 1e-13);
  EXPECT_NEAR(stretch.row0.y, stretch.row1.x, 1e-13);
  EXPECT_NEAR(stretch.row0.z, stretch.row2.x, 1e-13);
  EXPECT_NEAR(stretch.row1.z, stretch.row2.y, 1e-13);
}

TEST(ElasticMaterial, BadNumbersAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const ElasticMaterial& bad :
       {ElasticMaterial{.density = 0}, ElasticMaterial{.density = nan}, ElasticMaterial{.young = -1},
        ElasticMaterial{.young = nan}, ElasticMaterial{.poisson = 0.5}, ElasticMaterial{.poisson = -1},
        ElasticMaterial{.poisson = nan}, ElasticMaterial{.viscosity = -1}, ElasticMaterial{.friction = -0.1}})
    EXPECT_THROW(check_material(bad), InputError);
  EXPECT_NE(refusal([] { check_material({.poisson = 0.5}); }).find("0.45"), std::string::npos);
}

}  // namespace
}  // namespace cairn
