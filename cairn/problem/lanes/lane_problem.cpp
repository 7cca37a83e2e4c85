// SPDX-License-Identifier: MIT
#include "cairn/problem/lanes/lane_problem.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <utility>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::int64_t kBodyGrain = 1024;

constexpr std::array<LaneFields, kLaneKinds> kFields = [] {
  std::array<LaneFields, kLaneKinds> table{};
  for (int k = 0; k < kLaneKinds; ++k) table[to_index(k)] = lane_fields(lane_kind(k));
  return table;
}();

constexpr std::array<LaneInputs, kLaneKinds> kInputs = [] {
  std::array<LaneInputs, kLaneKinds> table{};
  for (int k = 0; k < kLaneKinds; ++k) table[to_index(k)] = lane_inputs(lane_kind(k));
  return table;
}();

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
void LaneProblem::load_bodies(std::span<const ProblemBody> from, ThreadPool* pool) {
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
bool LaneProblem::load_numbered(std::span<const ProblemBody> from, ThreadPool* pool) {
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

bool LaneProblem::lay_out(std::span<const std::uint32_t> keys) {
  if (keys.size() == keys_.size() && has_keys(0, keys)) {
    keep_layout();
    return true;
  }
  keys_.assign(keys.begin(), keys.end());
  // How many there are of each key, in the order of keys; those in stages of their own come last.
  std::uint32_t most = 0;
  for (const std::uint32_t k : keys)
    if (k < kOverflow) most = std::max(most, k);
  std::vector<std::uint32_t>& first = first_group_;
  first.assign(std::size_t{most} + 1, 0);
  for (const std::uint32_t k : keys)
    if (k < kOverflow) ++first[k];
  groups.clear(), stages.clear();
  std::uint32_t field = 0, record = 0, last_stage = ~0u;
  const auto batch_of_key = [](std::uint32_t key) {
    return static_cast<std::int32_t>(key >> kKindBits & (kMostBatches - 1));
  };
  const auto add_group = [&](std::uint32_t kind, std::uint32_t lanes) {
    groups.push_back({field, record, static_cast<std::uint16_t>(kind), static_cast<std::uint16_t>(lanes)});
    field += static_cast<std::uint32_t>(kFields[kind].size);
    record += static_cast<std::uint32_t>(kInputs[kind].size * kLanes);
    ++stages.back().count;
  };
  for (std::uint32_t k = 0; k <= most; ++k) {
    std::uint32_t left = first[k];
    if (left == 0) continue;
    if (k >> kKindBits != last_stage) stages.push_back({static_cast<std::int32_t>(groups.size()), 0, batch_of_key(k)});
    last_stage = k >> kKindBits;
    first[k] = static_cast<std::uint32_t>(groups.size()) * kLanes;
    for (; left > 0; left -= std::min<std::uint32_t>(left, kLanes))
      add_group(k & ((1u << kKindBits) - 1), std::min<std::uint32_t>(left, kLanes));
  }
  slots.resize(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] >= kOverflow) {
      stages.push_back({static_cast<std::int32_t>(groups.size()), 0, batch_of_key(keys[i])});
      const std::uint32_t kind = keys[i] & ((1u << kKindBits) - 1);
      slots[i] = {field * kLanes, record, kind};
      add_group(kind, 1);
    } else {
      const std::uint32_t at = first[keys[i]]++;
      const LaneGroup& group = groups[at / kLanes];
      const std::uint32_t lane = at % kLanes;
      slots[i] = {group.first * kLanes + lane,
                  group.record + lane * static_cast<std::uint32_t>(kInputs[group.kind].size), group.kind};
    }
  }
  data.resize(std::size_t{field} * kLanes), records.resize(record);
  point_at_nobody();
  return false;
}

/// Lanes that are not in use read a body that is nobody, and their numbers do no harm.
void LaneProblem::point_at_nobody() {
  nobody_ = bodies.size() - 1;
  const auto nobody = std::bit_cast<float>(static_cast<std::int32_t>(nobody_));
  for (const LaneGroup& group : groups) {
    const int size = kInputs[group.kind].size;
    for (int l = group.lanes; l < kLanes; ++l) {
      float* record = records.data() + group.record + l * size;
      std::fill_n(record, size, 0.0f);
      record[0] = nobody;
      if (lane_kind(group.kind).two_bodies) record[1] = nobody;
    }
  }
}

namespace {

/// The record of a manifold of one kind, by the fields of its lane.
template <LaneKind kKind>
struct Lane {
  static constexpr LaneInputs kIn = lane_inputs(kKind);
  float* record;

  void set(int field, double value) const { record[kIn.number[field]] = static_cast<float>(value); }
  void set3(int field, const Vec3& v) const { set(field, v.x), set(field + 1, v.y), set(field + 2, v.z); }
};

/// Several threads may say of a body that it is touched.
void set_body(float* number, std::int32_t body, std::vector<std::uint8_t>& touched) {
  *number = std::bit_cast<float>(body);
  const std::atomic_ref flag(touched[to_index(body)]);
  if (flag.load(std::memory_order_relaxed) == 0) flag.store(1, std::memory_order_relaxed);
}

/// The mean of the arms.
struct Middle {
  Vec3 a, b;

  explicit Middle(const LaneManifold& m) {
    const double share = 1.0 / m.count;
    for (const LaneManifold::Point& p : m.points()) a += share * p.arm_a, b += share * p.arm_b;
  }
};

/// Where the second body cannot move the lane sees the manifold from there: b <-> a, normal and tangent reversed. The
/// impulses along them and about the normal stay; that along the second tangent, normal x tangent, changes its sign.
constexpr double side_of(bool turned) { return turned ? -1.0 : 1.0; }

/// All of a lane of one point without extras but its bodies.
template <LaneKind kKind>
inline void fill_single(const Lane<kKind>& lane, const LaneSingle& m, bool turned, double share) {
  constexpr LaneFields f = lane_fields(kKind);
  const double side = side_of(turned);
  lane.set3(f.normal, side * m.normal), lane.set3(f.tangent, side * m.tangent);
  lane.set(f.friction, m.friction);
  if constexpr (kKind.round) {
    lane.set(f.turn_b, side * dot(m.normal, turned ? m.arm_a : m.arm_b));
    if constexpr (kKind.two_bodies) lane.set(f.turn_a, dot(m.normal, m.arm_a));
  } else {
    lane.set3(f.point + f.row_b, turned ? m.arm_a : m.arm_b);
    if constexpr (kKind.two_bodies) lane.set3(f.point + f.row_a, m.arm_a);
  }
  if constexpr (!kKind.round) lane.set(f.point + f.mass, 1.0);
  lane.set(f.point + f.gap, m.gap), lane.set(f.point + f.impulse, share * std::max(0.0, m.impulse[0]));
  lane.set(f.tangent_impulse, share * m.impulse[1]), lane.set(f.tangent_impulse + 1, side * (share * m.impulse[2]));
}

/// The points of a manifold that may twist. Where a lane has fewer than its kind, their middle is repeated.
template <LaneKind kKind>
void fill_points(const Lane<kKind>& lane, const LaneManifold& m, bool turned, double share) {
  constexpr LaneFields f = lane_fields(kKind);
  const double side = side_of(turned);
  const auto set_arms = [&](int at, const Vec3& arm_a, const Vec3& arm_b) {
    lane.set3(at + f.row_b, turned ? arm_a : arm_b);
    if constexpr (kKind.two_bodies) lane.set3(at + f.row_a, arm_a);
  };
  for (int p = 0; p < m.count; ++p) {
    const int at = f.point + p * f.point_size;
    const LaneManifold::Point& point = m.point[to_index(p)];
    set_arms(at, point.arm_a, point.arm_b);
    lane.set(at + f.mass, 1.0), lane.set(at + f.gap, point.gap);
    lane.set(at + f.impulse, share * std::max(0.0, point.impulse[0]));
    lane.set(f.split + 2 * p, share * point.impulse[1]),
        lane.set(f.split + 2 * p + 1, side * (share * point.impulse[2]));
  }
  if (m.count == kKind.points) return;
  const Middle middle(m);
  for (int p = m.count; p < kKind.points; ++p) {
    const int at = f.point + p * f.point_size;
    set_arms(at, middle.a, middle.b);
    lane.set(at + f.mass, 0.0), lane.set(at + f.gap, 0.0), lane.set(at + f.impulse, 0.0);
    lane.set(f.split + 2 * p, 0.0), lane.set(f.split + 2 * p + 1, 0.0);
  }
}

/// Spin, offsets, restitution, anisotropic friction.
template <LaneKind kKind>
void fill_extra(const LaneProblem& lanes, const Lane<kKind>& lane, const LaneManifold& m, bool turned, double share) {
  constexpr LaneFields f = lane_fields(kKind);
  const Velocity& va = lanes.still[to_index(m.body_a)];
  const Velocity& vb = lanes.still[to_index(m.body_b)];
  const auto relative = [&](const Vec3& arm_a, const Vec3& arm_b) {
    return (vb.linear + cross(vb.angular, arm_b)) - (va.linear + cross(va.angular, arm_a));
  };
  double spin = 0;
  for (const LaneManifold::Point& p : m.points()) spin += m.spin_radius * p.impulse[3];
  lane.set(f.twist_impulse, share * spin), lane.set(f.twist_radius, kSpinBound * m.spin_radius);
  const Middle middle(m);
  const Vec3 v = relative(middle.a, middle.b);
  lane.set(f.tangent_offset, dot(m.tangent, v));
  lane.set(f.tangent_offset + 1, side_of(turned) * dot(cross(m.normal, m.tangent), v));
  lane.set(f.twist_offset, dot(m.normal, vb.angular - va.angular));
  // A direction without friction beside one that has some: the ellipse becomes very thin instead of a line.
  const double least = 1e-6 * std::max(m.friction1, m.friction2);
  lane.set(f.friction, std::max(m.friction1, least)), lane.set(f.anisotropy, std::max(m.friction2, least));
  for (std::size_t p = 0; p < to_index(kKind.points); ++p) {
    const int at = f.point + static_cast<int>(p) * f.point_size;
    const bool there = p < m.points().size();
    const LaneManifold::Point& point = m.point[p];
    lane.set(at + f.offset, there ? dot(m.normal, relative(point.arm_a, point.arm_b)) : 0.0);
    lane.set(at + f.restitution, there ? point.restitution : 0.0),
        lane.set(at + f.approach, there ? point.approach : 0.0);
  }
}

/// All of a record but its bodies. By kind, so that numbers stand at known places.
template <LaneKind kKind>
void fill_lane(const LaneProblem& lanes, float* record, const LaneManifold& m, bool turned, double share) {
  constexpr LaneFields f = lane_fields(kKind);
  const Lane<kKind> lane{record};
  if constexpr (!kKind.twists()) {
    const LaneManifold::Point& p = m.point[0];
    const LaneSingle single{m.body_a,    m.body_b, m.normal,
                            m.tangent,   p.arm_a,  p.arm_b,
                            m.friction1, p.gap,    {p.impulse[0], p.impulse[1], p.impulse[2]}};
    return fill_single<kKind>(lane, single, turned, share);
  }
  const double side = side_of(turned);
  lane.set3(f.normal, side * m.normal), lane.set3(f.tangent, side * m.tangent);
  lane.set(f.friction, m.friction1);
  if constexpr (kKind.twists()) fill_points<kKind>(lane, m, turned, share);
  if constexpr (kKind.extra) fill_extra<kKind>(lanes, lane, m, turned, share);
}

using FillLane = void (*)(const LaneProblem& lanes, float* record, const LaneManifold& m, bool turned, double share);
template <int... kIndex>
constexpr std::array<FillLane, kLaneKinds> fill_by_kind(std::integer_sequence<int, kIndex...>) {
  return {fill_lane<lane_kind(kIndex)>...};
}
constexpr std::array<FillLane, kLaneKinds> kFill = fill_by_kind(std::make_integer_sequence<int, kLaneKinds>{});

}  // namespace

void LaneProblem::fill(std::size_t i, const LaneManifold& m, int sub_steps) {
  const bool turned = body_of[to_index(m.body_b)] < 0;
  const LaneSlot& slot = slots[i];
  float* record = records.data() + slot.record;
  set_body(record, body_of[to_index(turned ? m.body_a : m.body_b)], touched);
  if (lane_kind(static_cast<int>(slot.kind)).two_bodies) set_body(record + 1, body_of[to_index(m.body_a)], touched);
  kFill[slot.kind](*this, record, m, turned, 1.0 / sub_steps);
}

void LaneProblem::fill(std::size_t i, const LaneSingle& m, int sub_steps) {
  const std::int32_t a = body_of[to_index(m.body_a)], b = body_of[to_index(m.body_b)];
  float* record = records.data() + slots[i].record;
  const double share = 1.0 / sub_steps;
  const auto fill_as = [&]<LaneKind kKind>() {
    set_body(record, b < 0 ? a : b, touched);
    if constexpr (kKind.two_bodies) set_body(record + 1, a, touched);
    fill_single<kKind>({record}, m, b < 0, share);
  };
  if (const LaneKind kind = lane_kind(static_cast<int>(slots[i].kind)); kind.two_bodies)
    kind.round ? fill_as.operator()<LaneKind{1, true, false, true}>() : fill_as.operator()<LaneKind{1, true}>();
  else
    kind.round ? fill_as.operator()<LaneKind{1, false, false, true}>() : fill_as.operator()<LaneKind{1, false}>();
}

bool LaneProblem::was_pushed(std::size_t i) const {
  const LaneSlot& slot = slots[i];
  const LaneFields& f = kFields[slot.kind];
  const float* lane = data.data() + slot.first;
  for (int p = 0; p < lane_kind(static_cast<int>(slot.kind)).points; ++p)
    if (lane[(f.point + p * f.point_size + f.total) * kLanes] > 0 ||
        lane[(f.point + p * f.point_size + f.impulse) * kLanes] > 0)
      return true;
  return false;
}

LaneProblem::SingleImpulse LaneProblem::read_single(std::size_t i, double factor, std::int32_t b) const {
  const LaneSlot& slot = slots[i];
  const LaneFields& f = kFields[slot.kind];
  const float* lane = data.data() + slot.first;
  const auto get = [&](int field) { return factor * double{lane[field * kLanes]}; };
  const double side = side_of(body_of[to_index(b)] < 0);
  const float normal = lane[(f.point + f.impulse) * kLanes];
  return {{factor * double{normal}, get(f.tangent_impulse), side * get(f.tangent_impulse + 1)},
          normal > 0 || lane[(f.point + f.total) * kLanes] > 0};
}

void LaneProblem::read(std::size_t i, Impulses which, double factor, LaneManifold& m) const {
  which == Impulses::last ? read_as<Impulses::last>(i, factor, m) : read_as<Impulses::total>(i, factor, m);
}

template <LaneProblem::Impulses kWhich>
void LaneProblem::read_as(std::size_t i, double factor, LaneManifold& m) const {
  const bool turned = body_of[to_index(m.body_b)] < 0;
  const LaneSlot& slot = slots[i];
  const LaneFields& f = kFields[slot.kind];
  const LaneKind kind = lane_kind(static_cast<int>(slot.kind));
  const float* lane = data.data() + slot.first;
  // Sums hold all sub-steps of what may bounce, and of all others those before the last.
  const auto get = [&](int impulse, int total) {
    if constexpr (kWhich == Impulses::last) return factor * double{lane[impulse * kLanes]};
    return factor * (double{lane[total * kLanes]} + (kind.extra ? 0.0 : double{lane[impulse * kLanes]}));
  };
  const double twist = kind.twists() ? get(f.twist_impulse, f.twist_total) : 0.0;
  const double share = 1.0 / m.count, side = side_of(turned);
  const double force1 = share * get(f.tangent_impulse, f.tangent_total);
  const double force2 = share * get(f.tangent_impulse + 1, f.tangent_total + 1);
  // The force at the middle and the twist as forces at the points: equal shares, and a part that goes round.
  for (int p = 0; p < m.count; ++p) {
    const auto around = [&](int k) {
      return kind.twists() ? twist * double{lane[(f.split + 2 * p + k) * kLanes]} : 0.0;
    };
    const int at = f.point + p * f.point_size;
    m.point[to_index(p)].impulse = {get(at + f.impulse, at + f.total), force1 + around(0), side * (force2 + around(1)),
                                    m.count == 1 && m.spin_radius > 0 ? twist / m.spin_radius : 0.0};
  }
}

void LaneProblem::read_body(std::size_t i, const ProblemBody& body, double dt, int sub_steps, Velocity& velocity,
                            Velocity& displacement) const {
  if (body_of[i] < 0) {
    velocity = body.velocity;
    displacement = {dt * velocity.linear, dt * velocity.angular};
    return;
  }
  const auto k = to_index(body_of[i]);
  if (touched[k] == 0) {
    const Velocity &u = body.velocity, &a = body.acceleration;
    velocity = {u.linear + dt * a.linear, u.angular + dt * a.angular};
    // d = sum over k of h (u + k h a) = dt u + dt^2 a (n + 1) / (2 n). Free turning is kept by the end velocity.
    const double fall = dt * dt * (sub_steps + 1) / (2.0 * sub_steps);
    displacement = {dt * u.linear + fall * a.linear, dt * velocity.angular};
    return;
  }
  const float *u = bodies[k].velocity, *d = bodies[k].displacement;
  const double shift = double{masses[k].shift};
  velocity = {still[i].linear + shift * take(u), still[i].angular + turn(masses[k], take(u + 3))};
  displacement = {dt * still[i].linear + shift * take(d), dt * still[i].angular + turn(masses[k], take(d + 3))};
}

Velocity LaneProblem::scale_row(std::size_t i, const Velocity& row) const {
  if (body_of[i] < 0) return {};
  const LaneMass& mass = masses[to_index(body_of[i])];
  const float* l = mass.turn;
  const Vec3& t = row.angular;
  return {double{mass.shift} * row.linear,
          {double{l[0]} * t.x + double{l[1]} * t.y + double{l[3]} * t.z, double{l[2]} * t.y + double{l[4]} * t.z,
           double{l[5]} * t.z}};
}

}  // namespace cairn
