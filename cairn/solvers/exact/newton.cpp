// SPDX-License-Identifier: MIT
#include "cairn/solvers/exact/newton.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/solvers/exact/unit_law.h"

namespace cairn {

namespace {

constexpr int kHalvings = 10;       // of a Newton step
constexpr double kDecrease = 1e-4;  // part of the promised decrease that a step must bring
constexpr double kInner = 1e-2;     // of |R| at the start of an eps: solved well enough
constexpr double kRise = 10;        // of eps after a proximal point that was not reached
constexpr int kMostFailures = 4;    // in a row before Newton in velocities gives up

double length(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

bool is_finite(std::span<const double> x) { return std::isfinite(length(x)); }

/// use(unit, integral constant of its dim) with the dim known to the compiler.
template <class Use>
void for_each_unit(const ScaledLaw& law, Use&& use) {
  for (const LawUnit& unit : law.units) {
    if (unit.dim == 1) use(unit, std::integral_constant<int, 1>{});
    if (unit.dim == 2) use(unit, std::integral_constant<int, 2>{});
    if (unit.dim == 3) use(unit, std::integral_constant<int, 3>{});
    if (unit.dim == 4) use(unit, std::integral_constant<int, 4>{});
  }
}

template <int D>
void project(const LawUnit& unit, const double* tau, double* x, double* slope) {
  if constexpr (D == 1)
    project_row(tau[0], unit.lower, unit.upper, x, slope);
  else
    project_unit<D>(tau, x, slope);
}

}  // namespace

void ExactNewton::resize(const NewtonSpace& space) {
  const std::size_t rows = space.law().rows();
  for (auto* vector : {&f_, &h_, &z_, &dz_, &dx_, &trial_x_, &trial_z_, &centre_, &x_}) vector->resize(rows);
  for (auto* vector : {&s_, &ds_, &rest_, &trial_s_}) vector->resize(space.state_size());
  for (auto* vector : {&slope_, &inverse_, &response_}) vector->resize(space.law().block_entries);
}

/// z = A x + g x + q.
void ExactNewton::velocity(const NewtonSpace& space, std::span<const double> x, std::span<double> z) {
  const ScaledLaw& law = space.law();
  space.to_state(x, s_);
  space.to_velocity(s_, z);
  for (std::size_t i = 0; i < z.size(); ++i) z[i] += law.softness[i] * x[i] + law.q[i];
}

/// f = x - P(x - rho z), and S if asked for; returns |f|.
double ExactNewton::evaluate(const ScaledLaw& law, std::span<const double> x, std::span<const double> z, bool slopes) {
  for_each_unit(law, [&](const LawUnit& unit, auto dim) {
    constexpr int D = decltype(dim)::value;
    const auto first = to_index(unit.first);
    double tau[D], image[D];
    for (std::size_t i = 0; i < D; ++i) tau[i] = x[first + i] - law.rho[first + i] * z[first + i];
    project<D>(unit, tau, image, slopes ? slope_.data() + unit.block : nullptr);
    for (std::size_t i = 0; i < D; ++i) f_[first + i] = x[first + i] - image[i];
  });
  return length(f_);
}

/// B = 1 - S + S rho (g + eps): response D = B^-1 S rho, and B^-1.
bool ExactNewton::respond(const ScaledLaw& law, double eps) {
  bool ok = true;
  for_each_unit(law, [&](const LawUnit& unit, auto dim) {
    constexpr int D = decltype(dim)::value;
    const auto first = to_index(unit.first);
    const double* slope = slope_.data() + unit.block;
    double b[D * D], right[D * 2 * D];
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        const std::size_t at = first + to_index(j);
        const double one = i == j ? 1.0 : 0.0, slide = slope[i * D + j] * law.rho[at];
        b[i * D + j] = one - slope[i * D + j] + slide * (law.softness[at] + eps);
        right[i * 2 * D + j] = one, right[i * 2 * D + D + j] = slide;
      }
    ok = solve_small<D>(b, right, 2 * D) && ok;
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        inverse_[to_index(unit.block + i * D + j)] = right[i * 2 * D + j];
        response_[to_index(unit.block + i * D + j)] = right[i * 2 * D + D + j];
      }
  });
  return ok;
}

/// dx += the solution for the right side in h_: with h <- B^-1 h, (1 + G^T D G) ds = G^T h and dx = h - D G ds.
void ExactNewton::add_solution(NewtonSpace& space, bool& ok) {
  const ScaledLaw& law = space.law();
  for_each_unit(law, [&](const LawUnit& unit, auto dim) {
    constexpr int D = decltype(dim)::value;
    double* h = h_.data() + unit.first;
    const double* inverse = inverse_.data() + unit.block;
    double result[D];
    for (int i = 0; i < D; ++i) {
      result[i] = 0;
      for (int j = 0; j < D; ++j) result[i] += inverse[i * D + j] * h[j];
    }
    std::copy(result, result + D, h);
  });
  space.to_state(h_, ds_);
  ok = space.solve(ds_, ds_) && ok;
  space.to_velocity(ds_, dz_);
  for_each_unit(law, [&](const LawUnit& unit, auto dim) {
    constexpr int D = decltype(dim)::value;
    const double* response = response_.data() + unit.block;
    for (int i = 0; i < D; ++i) {
      double sum = h_[to_index(unit.first + i)];
      for (int j = 0; j < D; ++j) sum -= response[i * D + j] * dz_[to_index(unit.first + j)];
      dx_[to_index(unit.first + i)] += sum;
    }
  });
}

/// h = -f - [(1 - S) dx + S rho (A + g) dx]: what the step leaves of the system without eps. dz becomes (A + g) dx.
void ExactNewton::refine(NewtonSpace& space) {
  const ScaledLaw& law = space.law();
  space.to_state(dx_, ds_);
  space.to_velocity(ds_, dz_);
  for (std::size_t i = 0; i < dz_.size(); ++i) dz_[i] += law.softness[i] * dx_[i];
  for_each_unit(law, [&](const LawUnit& unit, auto dim) {
    constexpr int D = decltype(dim)::value;
    const auto first = to_index(unit.first);
    const double* slope = slope_.data() + unit.block;
    for (std::size_t i = 0; i < D; ++i) {
      double sum = -f_[first + i] - dx_[first + i];
      for (std::size_t j = 0; j < D; ++j)
        sum += slope[i * D + j] * (dx_[first + j] - law.rho[first + j] * dz_[first + j]);
      h_[first + i] = sum;
    }
  });
}

/// dx_ and dz_ = (A + g) dx from f_ and the slopes.
bool ExactNewton::impulse_step(NewtonSpace& space, const ImpulseNewtonSettings& settings) {
  if (!respond(space.law(), settings.eps) || !space.factorise(response_)) return false;
  std::fill(dx_.begin(), dx_.end(), 0.0);
  for (std::size_t i = 0; i < h_.size(); ++i) h_[i] = -f_[i];
  bool ok = true;
  add_solution(space, ok);
  for (int k = 0; k < settings.refinements && ok; ++k) {
    refine(space);
    add_solution(space, ok);
  }
  if (ok) refine(space);  // dz_ of the step as it is
  return ok;
}

/// Halves the step until |f| <= (1 - 1e-4 t) reference; if it never is, the best of those tried is taken.
void ExactNewton::search_impulses(const ScaledLaw& law, double reference, std::span<double> x) {
  double t = 1, best_t = 1, best = std::numeric_limits<double>::infinity();
  for (int halving = 0; halving < kHalvings; ++halving, t *= 0.5) {
    for (std::size_t i = 0; i < dx_.size(); ++i) {
      trial_x_[i] = x[i] + t * dx_[i];
      trial_z_[i] = z_[i] + t * dz_[i];
    }
    const double residual = evaluate(law, trial_x_, trial_z_, false);
    if (residual < best) best = residual, best_t = t;
    if (residual <= (1 - kDecrease * t) * reference) {
      best_t = t;
      break;
    }
  }
  for (std::size_t i = 0; i < dx_.size(); ++i) x[i] += best_t * dx_[i];
}

bool ExactNewton::solve_impulses(NewtonSpace& space, const ImpulseNewtonSettings& settings, std::span<double> x,
                                 BestIterate& best) {
  resize(space);
  std::array<double, kWindow> window{};
  for (int step = 0; step < settings.max_steps && !best.done(); ++step) {
    velocity(space, x, z_);
    const double residual = evaluate(space.law(), x, z_, true);
    if (!std::isfinite(residual)) return best.done();
    window[to_index(step) % kWindow] = residual;
    best.count_factorisation();
    if (!impulse_step(space, settings)) return best.done();
    search_impulses(space.law(), *std::max_element(window.begin(), window.end()), x);
    best.record(x);
  }
  return best.done();
}

/// x(s), rest = G^T x - s, and D if asked for; returns |rest|. z = G s + q.
double ExactNewton::follow(const NewtonSpace& space, std::span<const double> s, std::span<const double> z, double eps,
                           bool slopes) {
  const ScaledLaw& law = space.law();
  for_each_unit(law, [&](const LawUnit& unit, auto dim) {
    constexpr int D = decltype(dim)::value;
    const auto first = to_index(unit.first);
    double tau[D];
    const double inverse = 1 / (eps + law.softness[first]);
    for (std::size_t i = 0; i < D; ++i) tau[i] = (eps * centre_[first + i] - z[first + i]) * inverse;
    double* response = slopes ? response_.data() + unit.block : nullptr;
    project<D>(unit, tau, x_.data() + first, response);
    if (slopes)
      for (int i = 0; i < D * D; ++i) response[i] *= inverse;
  });
  space.to_state(x_, rest_);
  for (std::size_t i = 0; i < s.size(); ++i) rest_[i] -= s[i];
  return length(rest_);
}

/// The same for Newton in velocities, on |rest|; returns the step taken.
double ExactNewton::search_velocities(const NewtonSpace& space, double eps, double reference) {
  double t = 1, best_t = 1, best = std::numeric_limits<double>::infinity();
  for (int halving = 0; halving < kHalvings; ++halving, t *= 0.5) {
    for (std::size_t i = 0; i < s_.size(); ++i) trial_s_[i] = s_[i] + t * ds_[i];
    for (std::size_t i = 0; i < z_.size(); ++i) trial_z_[i] = z_[i] + t * dz_[i];
    const double residual = follow(space, trial_s_, trial_z_, eps, false);
    if (residual < best) best = residual, best_t = t;
    if (residual <= (1 - kDecrease * t) * reference) {
      best_t = t;
      break;
    }
  }
  return best_t;
}

/// Newton in velocities for one eps and centre. True when |rest| has fallen enough.
bool ExactNewton::solve_inner(NewtonSpace& space, double eps, int max_steps, BestIterate& best) {
  const ScaledLaw& law = space.law();
  std::array<double, kWindow> window{};
  double target = 0;
  for (int step = 0;; ++step) {
    space.to_velocity(s_, z_);
    for (std::size_t i = 0; i < z_.size(); ++i) z_[i] += law.q[i];
    const double residual = follow(space, s_, z_, eps, true);
    if (step == 0) target = kInner * residual;
    if ((step > 0 && best.record(x_)) || !std::isfinite(residual)) return false;
    if (step > 0 && residual <= target) return true;
    if (step == max_steps) return false;
    window[to_index(step) % kWindow] = residual;
    best.count_factorisation();
    if (!space.factorise(response_) || !space.solve(rest_, ds_)) return false;
    space.to_velocity(ds_, dz_);
    const double t = search_velocities(space, eps, *std::max_element(window.begin(), window.end()));
    for (std::size_t i = 0; i < s_.size(); ++i) s_[i] += t * ds_[i];
  }
}

/// A proximal point that was reached lets eps fall. One that was not is left as it is in a hurry, else given up: back
/// to the one before, with a larger eps, and from there down by smaller steps.
bool ExactNewton::solve_velocities(NewtonSpace& space, const VelocityNewtonSettings& settings, std::span<double> x,
                                   BestIterate& best) {
  resize(space);
  std::copy(x.begin(), x.end(), centre_.begin());
  space.to_state(x, s_);
  double eps = settings.first_eps, factor = settings.factor;
  for (int failures = 0; failures < kMostFailures && !best.done();) {
    const bool reached = solve_inner(space, eps, settings.max_inner, best);
    if (best.done()) break;
    if (reached || !settings.is_careful) {
      if (!is_finite(x_)) break;
      std::copy(x_.begin(), x_.end(), centre_.begin());
      if (eps <= settings.last_eps) break;
      eps = std::max(eps * factor, settings.last_eps);
      failures = 0;
    } else {
      space.to_state(centre_, s_);
      eps *= kRise, factor = std::sqrt(factor);
      ++failures;
    }
  }
  std::copy(centre_.begin(), centre_.end(), x.begin());
  return best.done();
}

}  // namespace cairn
