// SPDX-License-Identifier: MIT
// JitterMeter: how still a world stands that should be at rest (measures J1-J3, docs/solvers.md).
//
//   JitterMeter meter;
//   meter.begin(world, dt, 120);
//   for (int i = 0; i < 120; ++i) world.step(dt), meter.add(world);
//   const JitterMeasures jitter = meter.result();
//
// With v_ref = |g| dt, the speed gained in one step, H = dt, and sums over the dynamic bodies b that are watched:
//
//   J1 = sum_b (m v^2 / 2 + w.I w / 2) / sum_b (m v_ref^2 / 2), per step: mean, largest, and 99 % of the steps are
//   below J2 = rms over bodies and steps of |x_{n+1} - 2 x_n + x_{n-1}| / (|g| H^2), x the centre of mass: what the eye
//   sees J3 = largest over bodies of |x_end - x_begin| / size: what creeps without jittering
//
// A body in free fall has J2 = 1. Sleep hides jitter: measure without it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cairn/world/world.h"

namespace cairn {

struct JitterMeasures {
  std::int64_t steps = 0;   ///< that were added; without any, all measures are 0
  std::int64_t bodies = 0;  ///< still watched at the end
  double jitter = 0;        ///< J1, mean over steps
  double jitter_max = 0;    ///< largest of a step
  double jitter_99 = 0;     ///< 99 % of the steps are not above
  double visible = 0;       ///< J2
  double creep = 0;         ///< J3
};

class JitterMeter {
 public:
  /// Watches all dynamic bodies that exist now, from where they are now. `steps` is how many are expected: so many are
  /// added without allocating. Where there is no gravity, 9.81 m/s^2 takes its place. InputError unless dt > 0.
  void begin(const World& world, double dt, std::int64_t steps);
  /// After every step. Bodies that were removed are no longer watched.
  void add(const World& world);
  /// This body no longer counts: it left the scene, say.
  void leave_out(BodyId body);

  JitterMeasures result() const;

 private:
  struct Watched {
    BodyId body;
    double size;             ///< m
    Vec3 start, last, move;  ///< positions at begin() and after the last step, and the way between the last two
  };

  std::vector<Watched> watched_;
  std::vector<double> energy_ratio_;  ///< J1 per step
  double dt_ = 0, gravity_ = 0;       ///< s, m/s^2
  double squares_ = 0;                ///< of second differences, m^2
  std::int64_t square_count_ = 0;
};

/// The longest side of the box around a body's shapes, in its own axes, m. Without a bounded shape: the diameter of the
/// solid ball that has the body's mass and the trace of its inertia.
double body_size(const World& world, BodyId body);

}  // namespace cairn
