// SPDX-License-Identifier: MIT
// The tests of elastic solids with known answers: fall, revolution, bar, collision, incline. Solids are 0.4 m wide, the
// bar is 0.5 m long.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/bench/bench_euler.h"
#include "cairn/core/index.h"

namespace cairn::cli {

namespace {

constexpr double kCfl = 0.3, kFastCfl = 0.8;

/// One test at one resolution.
struct Bench {
  int cells = 0, threads = 1;
  std::string test;
  std::vector<VerificationRow>& rows;

  void at_most(const char* quantity, double value, double limit) {
    rows.push_back({test, quantity, cells, value, limit, false});
  }
  void at_least(const char* quantity, double value, double limit) {
    rows.push_back({test, quantity, cells, value, limit, true});
  }
  /// A grid of that size in metres.
  ElasticSettings settings(const Vec3& size, double cfl) const {
    ElasticSettings s;
    const auto count = [&](double metres) { return static_cast<std::int32_t>(std::ceil(metres * cells - 1e-9)); };
    s.grid = {{0, 0, 0}, 1.0 / cells, {count(size.x), count(size.y), count(size.z)}};
    s.gravity = {};
    s.cfl = cfl;
    s.max_sub_steps = 1 << 20;
    s.threads = threads;
    return s;
  }
};

ElasticBodyDef box_of(const Vec3& half, const Vec3& place) {
  ElasticBodyDef def;
  def.shape = make_box(half);
  def.pose.position = place;
  return def;
}

/// v = g t, z = g t^2/2 with the offset g h t/2 of the symplectic rule inside the limit.
void verify_fall(Bench bench) {
  constexpr double kTime = 0.25, kGravity = 9.81;
  ElasticSettings settings = bench.settings({1, 1, 7.0 / 6}, kCfl);
  settings.gravity = {0, 0, -kGravity};
  ElasticWorld world(settings);
  world.add_body(box_of({0.2, 0.2, 0.2}, {0.5, 0.5, 0.75}));
  const SolidMeasures start = world.measures(0);
  world.step(kTime);
  const SolidMeasures& m = world.measures(0);
  const double fallen = 0.5 * kGravity * kTime * kTime;
  bench.at_most("velocity, relative error", std::fabs(m.momentum.z / m.mass / (kGravity * kTime) + 1), 1e-4);
  bench.at_most("displacement, relative error", std::fabs((start.centre.z - m.centre.z) / fallen - 1), 3e-3);
  bench.at_most("mass, relative change", std::fabs(m.mass / start.mass - 1), 1e-3);
}

void verify_revolution(Bench bench) {
  constexpr double kSpin = 5;
  ElasticWorld world(bench.settings({1, 1, 1}, kFastCfl));
  ElasticBodyDef def = box_of({0.2, 0.2, 0.1}, {0.5, 0.5, 0.5});
  def.velocity.angular = {0, 0, kSpin};
  world.add_body(def);
  const SolidMeasures start = world.measures(0);
  world.step(2 * kPi / kSpin);
  const SolidMeasures& m = world.measures(0);
  const auto spin = [](const SolidMeasures& s) { return (s.angular_momentum - cross(s.centre, s.momentum)).z; };
  bench.at_least("angular momentum over the start", spin(m) / spin(start), 0.96);
  bench.at_least("kinetic energy over the start", m.kinetic_energy / start.kinetic_energy, 0.93);
  bench.at_most("kinetic energy over the start", m.kinetic_energy / start.kinetic_energy, 1);
  bench.at_most("volume, relative change", std::fabs(m.volume / start.volume - 1), 0.01);
}

/// How much of the first longitudinal mode is in the velocity.
double mode_of(const GridSolid& s, double middle, double length) {
  double sum = 0;
  for (std::size_t i = 0; i < s.flags.size(); ++i)
    if ((s.flags[i] & kIsDynamic) != 0)
      sum += s.mass[i] * s.velocity[i].x *
             std::sin(kPi * (s.grid.position(s.blocks.node_index(static_cast<std::int32_t>(i))).x - middle) / length);
  return sum;
}

/// f = sqrt(E/rho)/(2 L) for nu = 0, measured between two zeros of the mode.
void verify_bar(Bench bench) {
  constexpr double kLength = 0.5, kMiddle = 0.5;
  ElasticWorld world(bench.settings({1, 1, 1}, kCfl));
  ElasticBodyDef def = box_of({kLength / 2, 0.125, 0.125}, {kMiddle, 0.5, 0.5});
  def.material.poisson = 0;
  def.velocity_field = [](const Vec3& x) { return Vec3{-0.05 * std::sin(kPi * (x.x - kMiddle) / kLength), 0, 0}; };
  world.add_body(def);
  const double period = 2 * kLength / std::sqrt(def.material.young / def.material.density), h = period / 100;
  const double start = mode_of(world.body(0), kMiddle, kLength);
  double last = start, lowest = 0;
  std::vector<double> zeros;
  for (int i = 0; i < 82 && !interrupted(); ++i) {
    world.step(h);
    const double now = mode_of(world.body(0), kMiddle, kLength);
    if (last * now < 0) zeros.push_back(h * (i + last / (last - now)));
    lowest = std::min(lowest, now / start);
    last = now;
  }
  const double ratio = zeros.size() == 2 ? period / (2 * (zeros[1] - zeros[0])) : 0;
  bench.at_most("frequency, relative error", std::fabs(ratio - 1), 0.01);
  bench.at_least("amplitude after half a period", -lowest, 0.98);
}

/// Two cylinders at 1 m/s each, 0.1 m apart.
void verify_collision(Bench bench) {
  constexpr double kStep = 0.002, kSpeed = 1, kFirst = 0.05;
  ElasticWorld world(bench.settings({1.5, 7.0 / 6, 1}, kCfl));
  ElasticBodyDef def;
  def.shape = make_cylinder(0.2, 0.12);
  def.material.friction = 0;
  for (const double side : {-1.0, 1.0}) {
    def.pose.position = {0.75 + 0.25 * side, 0.55, 0.5};
    def.velocity.linear = {-side * kSpeed, 0, 0};
    world.add_body(def);
  }
  const double energy = world.measures(0).kinetic_energy + world.measures(1).kinetic_energy;
  const double momentum = world.measures(0).momentum.x;
  double first = 0, made = 0, drift = 0, most = 0;
  for (int i = 0; i < 100 && !interrupted(); ++i) {
    const ElasticReport& r = world.step(kStep);
    if (first == 0 && r.contact.touching > 0) first = r.time;
    made = std::max(made, r.contact.momentum_error);
    drift = std::max(drift, norm(r.total.momentum) / momentum);
    most = std::max(most, (r.total.kinetic_energy + r.total.elastic_energy) / energy);
  }
  const double rebound = -world.measures(0).momentum.x / momentum;
  bench.at_most("first contact, error in s", std::fabs(first - kFirst), 1.5 / bench.cells / (2 * kSpeed));
  bench.at_least("rebound speed over the start", rebound, 0.85);
  bench.at_most("rebound speed over the start", rebound, 1);
  bench.at_most("momentum made by the projection", made, 1e-12);
  bench.at_most("drift of momentum over that of one", drift, 0.02);
  bench.at_most("largest energy over the start", most, 1.001);
}

/// A block slides if and only if tan(angle) > mu: three degrees to both sides of the angle of friction, at 24 cells
/// per metre whatever the others have. The block is put down without the strain of its own weight, so it rings and
/// creeps at first: the last tenth of a second counts. docs/euler.md tells of finer grids.
void verify_incline(Bench bench) {
  constexpr double kFriction = 0.5, kTime = 0.4, kLast = 0.1, kGravity = 9.81;
  bench.cells = 24;
  for (const double degrees : {-3.0, 3.0}) {
    const double angle = std::atan(kFriction) + degrees * kPi / 180;
    ElasticSettings settings = bench.settings({1.5, 1, 1}, kFastCfl);
    settings.gravity = {kGravity * std::sin(angle), 0, -kGravity * std::cos(angle)};
    ElasticWorld world(settings);
    WallDef floor;
    floor.shape = make_half_space({0, 0, 1}, 0.3);
    floor.friction = kFriction;
    world.add_wall(floor);
    ElasticBodyDef def = box_of({0.2, 0.2, 0.1}, {0.6, 0.5, 0.4});
    def.material = {.young = 1e5, .viscosity = 100, .friction = kFriction};
    world.add_body(def);
    world.step(kTime);
    const double before = world.measures(0).centre.x;
    world.step(kLast);
    const double moved = world.measures(0).centre.x - before;
    const double pull = kGravity * (std::sin(angle) - kFriction * std::cos(angle));  // m/s^2 of one that slides
    const double way = pull * kLast * (kTime + 0.5 * kLast);                         // from rest at time 0
    if (degrees < 0)
      bench.at_most("3 degrees below: way in m in 0.1 s", std::fabs(moved), 1e-3);
    else
      bench.at_least("3 degrees above: way over that of free sliding", moved / way, 2.0 / 3);
  }
}

}  // namespace

void verify_solids(int cells, int threads, Progress& progress, std::vector<VerificationRow>& rows) {
  const auto run = [&](const char* test, void (*verify)(Bench)) {
    progress.update(fmt::format("{}, {} cells per metre", test, cells));
    std::vector<VerificationRow> found;
    verify({cells, threads, test, found});
    if (!interrupted()) rows.insert(rows.end(), found.begin(), found.end());
  };
  run("fall", verify_fall);
  run("revolution", verify_revolution);
  run("bar", verify_bar);
  run("collision", verify_collision);
  run("incline", verify_incline);
}

}  // namespace cairn::cli
