// SPDX-License-Identifier: MIT
#include "cairn/problem/lanes/lane_bodies.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::int64_t kBodyGrain = 1024;

/// As a ball does: W is a number times the identity.
bool turns_alike(const SymMat3& w) {
  return w.xx > 0 && w.xx == w.yy && w.yy == w.zz && w.xy == 0 && w.xz == 0 && w.yz == 0;
}

/// W = L L^T for a positive semidefinite W; columns whose pivot is lost in rounding are zero.
struct Triangle {
  double l00 = 0, l10 = 0, l11 = 0, l20 = 0, l21 = 0, l22 = 0;

  explicit Triangle(const SymMat3& w) {
    if (turns_alike(w)) {  // what follows, in short
      l00 = l11 = l22 = std::sqrt(w.xx);
      return;
    }
    const double tiny = 1e-12 * std::max({w.xx, w.yy, w.zz});
    if (w.xx > tiny) l00 = std::sqrt(w.xx), l10 = w.xy / l00, l20 = w.xz / l00;
    const double d1 = w.yy - l10 * l10;
    if (d1 > tiny) l11 = std::sqrt(d1), l21 = (w.yz - l20 * l10) / l11;
    const double d2 = w.zz - l20 * l20 - l21 * l21;
    if (d2 > tiny) l22 = std::sqrt(d2);
  }
  /// x with L x = v, as far as L reaches.
  Vec3 solve(const Vec3& v) const {
    Vec3 x;
    if (l00 > 0) x.x = v.x / l00;
    if (l11 > 0) x.y = (v.y - l10 * x.x) / l11;
    if (l22 > 0) x.z = (v.z - l20 * x.x - l21 * x.y) / l22;
    return x;
  }
};

Vec3 turn(const LaneMass& m, const Vec3& x) {
  return {double{m.turn[0]} * x.x, double{m.turn[1]} * x.x + double{m.turn[2]} * x.y,
          double{m.turn[3]} * x.x + double{m.turn[4]} * x.y + double{m.turn[5]} * x.z};
}

void put(float* to, const Vec3& v) {
  to[0] = static_cast<float>(v.x), to[1] = static_cast<float>(v.y), to[2] = static_cast<float>(v.z);
}
Vec3 take(const float* from) { return {double{from[0]}, double{from[1]}, double{from[2]}}; }

/// L, u' and a' of a body that can move; returns what of its velocity they do not hold.
Velocity load_body(const ProblemBody& body, LaneBody& record, LaneMass& mass, LaneMotion& pull) {
  const Triangle l(body.inverse_inertia);
  const double shift = std::sqrt(body.inverse_mass), inverse = shift > 0 ? 1.0 / shift : 0.0;
  const double numbers[6] = {l.l00, l.l10, l.l11, l.l20, l.l21, l.l22};
  for (int k = 0; k < 6; ++k) mass.turn[k] = static_cast<float>(numbers[k]);
  mass.shift = static_cast<float>(shift);
  record = {}, pull = {};
  put(record.velocity, inverse * body.velocity.linear), put(record.velocity + 3, l.solve(body.velocity.angular));
  put(pull.value, inverse * body.acceleration.linear), put(pull.value + 3, l.solve(body.acceleration.angular));
  Velocity still;
  if (!(shift > 0)) still.linear = body.velocity.linear;
  if (!(l.l00 > 0)) still.angular.x = body.velocity.angular.x;
  if (!(l.l11 > 0)) still.angular.y = body.velocity.angular.y - l.l10 * l.solve(body.velocity.angular).x;
  if (!(l.l22 > 0)) still.angular.z = body.velocity.angular.z - dot({l.l20, l.l21, 0}, l.solve(body.velocity.angular));
  return still;
}

}  // namespace

/// Who moves is mostly who moved: bodies are loaded by the numbers they had, which need not be counted through.
void LaneBodies::load_bodies(std::span<const ProblemBody> from, ThreadPool* pool) {
  if (body_of.size() == from.size() && !bodies.empty() && load_numbered(from, pool)) return;
  body_of.resize(from.size()), still.resize(from.size());
  moves_itself.resize(from.size()), turns_alike.resize(from.size());
  std::int32_t count = 0;
  for (std::size_t i = 0; i < from.size(); ++i) body_of[i] = from[i].is_dynamic() ? count++ : -1;
  const auto movers = to_index(count) + 1;
  bodies.resize(movers), masses.resize(movers), previous.resize(movers), pull.resize(movers);
  load_numbered(from, pool);
  ++body_set;
}

/// False if a body is not what its number says: then nothing of it is of use.
bool LaneBodies::load_numbered(std::span<const ProblemBody> from, ThreadPool* pool) {
  touched.assign(bodies.size(), 0);
  bodies.back() = {}, masses.back() = {}, previous.back() = {}, pull.back() = {};
  std::atomic<bool> same = true, alike = true;
  const auto set = [&](std::uint8_t& to, bool value) {
    if (to == static_cast<std::uint8_t>(value)) return;
    to = static_cast<std::uint8_t>(value);
    alike.store(false, std::memory_order_relaxed);
  };
  parallel_for(pool, static_cast<std::int64_t>(from.size()), kBodyGrain, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = to_index(begin); i < to_index(end); ++i) {
      const bool moves = body_of[i] >= 0;
      if (moves != from[i].is_dynamic()) return same.store(false, std::memory_order_relaxed);
      const auto k = to_index(body_of[i]);
      still[i] = moves ? load_body(from[i], bodies[k], masses[k], pull[k]) : from[i].velocity;
      set(moves_itself[i], !(still[i] == Velocity{}));
      set(turns_alike[i], !moves || cairn::turns_alike(from[i].inverse_inertia));
    }
  });
  if (!alike) ++body_set;
  return same;
}

BodyStep LaneBodies::read_body(std::size_t i, const ProblemBody& body, double dt, int sub_steps) const {
  const Velocity &u = body.velocity, &a = body.acceleration;
  if (!can_move(i)) return {u, {dt * u.linear, dt * u.angular}};
  const auto k = to_index(body_of[i]);
  if (touched[k] == 0) {
    const Velocity end{u.linear + dt * a.linear, u.angular + dt * a.angular};
    // d = sum over k of h (u + k h a) = dt u + dt^2 a (n + 1) / (2 n). Free turning is kept by the end velocity.
    const double fall = dt * dt * (sub_steps + 1) / (2.0 * sub_steps);
    return {end, {dt * u.linear + fall * a.linear, dt * end.angular}};
  }
  const float *scaled_u = bodies[k].velocity, *scaled_d = bodies[k].displacement;
  const double shift = double{masses[k].shift};
  return {{still[i].linear + shift * take(scaled_u), still[i].angular + turn(masses[k], take(scaled_u + 3))},
          {dt * still[i].linear + shift * take(scaled_d), dt * still[i].angular + turn(masses[k], take(scaled_d + 3))}};
}

Velocity LaneBodies::scale_row(std::size_t i, const Velocity& row) const {
  if (body_of[i] < 0) return {};
  const LaneMass& mass = masses[to_index(body_of[i])];
  const float* l = mass.turn;
  const Vec3& t = row.angular;
  return {double{mass.shift} * row.linear,
          {double{l[0]} * t.x + double{l[1]} * t.y + double{l[3]} * t.z, double{l[2]} * t.y + double{l[4]} * t.z,
           double{l[5]} * t.z}};
}

}  // namespace cairn
