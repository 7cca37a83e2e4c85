// SPDX-License-Identifier: MIT
#include "cairn/solvers/ldl/ldl_joints.h"

#include <algorithm>
#include <array>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr int kFewest = 3;  // mechanisms that are worth a batch with empty lanes

}  // namespace

void LdlJoints::prepare(const JointProblem& problem, std::span<const std::uint8_t> is_active, ThreadPool* pool,
                        std::span<const std::uint8_t> is_picked) {
  find(problem, pool);
  factor(problem, is_active, pool, is_picked);
}

void LdlJoints::find(const JointProblem& problem, ThreadPool* pool) {
  if (!finder_.find(problem, pool, mechanisms_, mechanism_count_)) return;
  find_programs();
  form_units();
  number_slots(problem.joint_rows.size());
}

void LdlJoints::factor(const JointProblem& problem, std::span<const std::uint8_t> is_active, ThreadPool* pool,
                       std::span<const std::uint8_t> is_picked) {
  require(is_active.empty() || is_active.size() == problem.joint_rows.size(),
          "is_active: give one flag per joint row, or none");
  const auto [eps, redundant] = settings_.regularisation;
  require(eps >= 0 && eps <= 0.1 && redundant >= 0 && redundant <= 0.1, "eps and redundant must lie in [0, 0.1]");
  pick_units(is_picked);
  is_active_.assign(is_active.begin(), is_active.end());
  if (is_active.empty())
    for (const JointRow& row : problem.joint_rows) is_active_.push_back(is_bounded(row) ? 0 : 1);
  factor_dirty(problem, pool);
}

void LdlJoints::find_programs() {
  cache_.begin_round();
  if (programs_.size() < mechanism_count_) programs_.resize(mechanism_count_);
  for (std::size_t i = 0; i < mechanism_count_; ++i) cache_.find(mechanisms_[i].structure, programs_[i]);
}

/// Mechanisms sorted by program; each program's in eights, the rest one by one or as a batch that is not full.
void LdlJoints::form_units() {
  members_.resize(mechanism_count_);
  for (std::size_t i = 0; i < mechanism_count_; ++i) members_[i] = static_cast<std::int32_t>(i);
  const auto id = [&](std::size_t position) { return programs_[to_index(members_[position])].id; };
  std::sort(members_.begin(), members_.end(), [&](std::int32_t a, std::int32_t b) {
    const std::int64_t id_a = programs_[to_index(a)].id;
    const std::int64_t id_b = programs_[to_index(b)].id;
    return id_a != id_b ? id_a < id_b : a < b;
  });
  units_.clear();
  places_.resize(mechanism_count_);
  for (std::size_t first = 0; first < members_.size();) {
    int count = 1;
    const auto alike = [&](int n) {
      return first + to_index(n) < members_.size() && id(first + to_index(n)) == id(first);
    };
    while (settings_.batching && count < kLdlLanes && alike(count)) ++count;
    if (count < kFewest) count = 1;
    for (int lane = 0; lane < count; ++lane)
      places_[to_index(members_[first + to_index(lane)])] = {static_cast<std::int32_t>(units_.size()), lane};
    units_.push_back({first, count, count > 1 ? kLdlLanes : 1});
    first += to_index(count);
  }
  if (factors_.size() < units_.size()) factors_.resize(units_.size());
  for (std::size_t u = 0; u < units_.size(); ++u)
    factors_[u].reset(programs_[to_index(members_[units_[u].first])].program, units_[u].lanes);
}

/// Unit by unit, row by row, lane by lane; rows of no mechanism come last.
void LdlJoints::number_slots(std::size_t rows) {
  slots_.assign(rows, -1);
  slot_count_ = 0;
  for (Unit& unit : units_) {
    unit.first_slot = slot_count_;
    const auto lanes = to_index(unit.lanes);
    for (std::size_t lane = 0; lane < to_index(unit.count); ++lane) {
      const LdlMechanism& mechanism = mechanisms_[to_index(members_[unit.first + lane])];
      for (std::size_t r = 0; r < mechanism.rows.size(); ++r)
        slots_[to_index(mechanism.rows[r])] = static_cast<std::int32_t>(unit.first_slot + r * lanes + lane);
    }
    const std::size_t count = mechanisms_[to_index(members_[unit.first])].rows.size() * lanes;
    slot_count_ += (count + kLdlLanes - 1) / kLdlLanes * kLdlLanes;
  }
  for (std::int32_t& slot : slots_)
    if (slot < 0) slot = static_cast<std::int32_t>(slot_count_++);
  rhs_.assign(slot_count_, 0.0), impulse_.assign(slot_count_, 0.0);
}

void LdlJoints::pick_units(std::span<const std::uint8_t> is_picked) {
  require(is_picked.empty() || is_picked.size() == mechanism_count_, "is_picked: give one flag per mechanism, or none");
  for (Unit& unit : units_) {
    unit.is_picked = is_picked.empty();
    for (std::size_t i = unit.first; i < unit.first + to_index(unit.count) && !unit.is_picked; ++i)
      unit.is_picked = is_picked[to_index(members_[i])] != 0;
    unit.is_dirty = unit.is_picked;
  }
}

void LdlJoints::factor_dirty(const JointProblem& problem, ThreadPool* pool) {
  for (const Unit& unit : units_) factorisations_ += unit.is_dirty ? unit.count : 0;
  parallel_for(pool, static_cast<std::int64_t>(units_.size()), 1, [&](std::int64_t begin, std::int64_t) {
    Unit& unit = units_[to_index(begin)];
    LdlFactor& factor = factors_[to_index(begin)];
    if (!unit.is_dirty) return;
    std::array<const LdlMechanism*, kLdlLanes> lanes{};
    for (std::size_t lane = 0; lane < to_index(unit.count); ++lane)
      lanes[lane] = &mechanisms_[to_index(members_[unit.first + lane])];
    factor.load(problem, std::span(lanes).first(to_index(unit.count)), is_active_);
    factor.factor(settings_.regularisation);
    unit.is_dirty = false;
  });
}

void LdlJoints::change_active(const JointProblem& problem, std::span<const std::uint8_t> is_active, ThreadPool* pool) {
  CAIRN_ASSERT(is_active.size() == is_active_.size());
  for (std::size_t i = 0; i < mechanism_count_; ++i)
    for (const std::int32_t row : mechanisms_[i].rows)
      if ((is_active[to_index(row)] != 0) != (is_active_[to_index(row)] != 0))
        units_[to_index(places_[i].unit)].is_dirty = true;
  is_active_.assign(is_active.begin(), is_active.end());
  factor_dirty(problem, pool);
}

void LdlJoints::solve_joints(std::span<const double> rhs, std::span<double> impulse, int refinements,
                             ThreadPool* pool) {
  require(rhs.size() == is_active_.size() && impulse.size() == is_active_.size(),
          "solve_joints: give one number per joint row of the problem that was prepared");
  for (std::size_t k = 0; k < rhs.size(); ++k) rhs_[to_index(slots_[k])] = is_active_[k] != 0 ? rhs[k] : 0.0;
  solve_slots(rhs_, impulse_, refinements, pool);
  for (std::size_t k = 0; k < rhs.size(); ++k) impulse[k] = impulse_[to_index(slots_[k])];
}

void LdlJoints::solve_slots(std::span<const double> rhs, std::span<double> impulse, int refinements, ThreadPool* pool) {
  CAIRN_ASSERT(rhs.size() == slot_count_ && impulse.size() == slot_count_);
  std::fill(impulse.begin(), impulse.end(), 0.0);
  parallel_for(pool, static_cast<std::int64_t>(units_.size()), 1, [&](std::int64_t begin, std::int64_t) {
    const Unit& unit = units_[to_index(begin)];
    if (!unit.is_picked) return;
    factors_[to_index(begin)].solve(rhs.data() + unit.first_slot, impulse.data() + unit.first_slot, refinements);
  });
}

std::int32_t LdlJoints::redundant_rows(std::size_t mechanism) const {
  const Place& place = places_[mechanism];
  return factors_[to_index(place.unit)].dropped_rows(place.lane);
}

std::int64_t LdlJoints::redundant_rows() const {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < mechanism_count_; ++i) sum += redundant_rows(i);
  return sum;
}

}  // namespace cairn
