// SPDX-License-Identifier: MIT
#include "cairn/measures/jitter.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/core/index.h"
#include "cairn/measures/energy.h"

namespace cairn {

namespace {

constexpr double kEarth = 9.81;  // m/s^2, where a world has no gravity of its own

/// The value that 99 % of all do not exceed: the smallest with at least that many at or below it.
double percentile_99(std::vector<double> values) {
  if (values.empty()) return 0;
  const std::size_t rank = (values.size() * 99 + 99) / 100;  // ceil(0.99 n), from 1
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

double body_size(const World& world, BodyId body) {
  Aabb box;
  for (const ShapeId shape : world.shapes_of(body)) {
    const ShapeDef& def = world.shape_def(shape);
    box = unite(box, bounds(def.shape, def.pose));
  }
  const Vec3 side = box.upper - box.lower;
  const double longest = std::max({side.x, side.y, side.z});
  if (std::isfinite(longest) && longest > 0) return longest;
  // A ball of radius r has I = 2/5 m r^2 about every axis.
  const BodyView view = world.view(body);
  const double trace = view.inertia.xx + view.inertia.yy + view.inertia.zz;
  return view.mass > 0 && trace > 0 ? 2 * std::sqrt(trace / (1.2 * view.mass)) : 1.0;
}

void JitterMeter::begin(const World& world, double dt, std::int64_t steps) {
  require(dt > 0 && std::isfinite(dt), "JitterMeter: dt must be the length of a step, more than 0 s");
  require(steps >= 0, "JitterMeter: the number of steps must not be negative");
  const double gravity = norm(world.settings().gravity);
  dt_ = dt;
  gravity_ = gravity > 0 ? gravity : kEarth;
  squares_ = 0;
  square_count_ = 0;
  energy_ratio_.clear();
  energy_ratio_.reserve(to_index(steps));
  watched_.clear();
  for (const BodyId body : world.bodies()) {
    const BodyView view = world.view(body);
    if (view.kind != BodyKind::dynamic) continue;
    watched_.push_back({body, body_size(world, body), view.centre, view.centre, {}});
  }
}

void JitterMeter::add(const World& world) {
  const bool first = energy_ratio_.empty();
  double energy = 0, mass = 0;
  std::erase_if(watched_, [&](const Watched& w) { return !world.contains(w.body); });
  for (Watched& w : watched_) {
    const BodyView view = world.view(w.body);
    energy += kinetic_energy(view);
    mass += view.mass;
    const Vec3 move = view.centre - w.last;
    if (!first) {
      const Vec3 change = move - w.move;  // x_{n+1} - 2 x_n + x_{n-1}
      squares_ += dot(change, change);
      ++square_count_;
    }
    w.last = view.centre;
    w.move = move;
  }
  const double v_ref = gravity_ * dt_;
  const double ratio = mass > 0 ? energy / (0.5 * mass * v_ref * v_ref) : 0.0;
  energy_ratio_.push_back(std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio);
}

void JitterMeter::leave_out(BodyId body) {
  std::erase_if(watched_, [&](const Watched& w) { return w.body == body; });
}

JitterMeasures JitterMeter::result() const {
  JitterMeasures m;
  m.steps = static_cast<std::int64_t>(energy_ratio_.size());
  m.bodies = static_cast<std::int64_t>(watched_.size());
  for (const double ratio : energy_ratio_) {
    m.jitter += ratio / static_cast<double>(m.steps);
    m.jitter_max = std::max(m.jitter_max, ratio);
  }
  m.jitter_99 = percentile_99(energy_ratio_);
  if (square_count_ > 0) m.visible = std::sqrt(squares_ / static_cast<double>(square_count_)) / (gravity_ * dt_ * dt_);
  for (const Watched& w : watched_) m.creep = std::max(m.creep, norm(w.last - w.start) / w.size);
  return m;
}

}  // namespace cairn
