// SPDX-License-Identifier: MIT
#include "cairn/solvers/ldl_joints.h"

#include <algorithm>
#include <array>

#include "cairn/core/errors.h"

namespace cairn {

namespace {

constexpr int kFewest = 3;  // mechanisms that are worth a batch with empty lanes

}  // namespace

void LdlJoints::prepare(const ContactProblem& problem, std::span<const std::uint8_t> is_active, ThreadPool* pool,
                        std::span<const std::uint8_t> is_picked) {
  require(is_active.empty() || is_active.size() == problem.joint_rows.size(),
          "is_active: give one flag per joint row, or none");
  const auto [eps, redundant] = settings_.regularisation;
  require(eps >= 0 && eps <= 0.1 && redundant >= 0 && redundant <= 0.1, "eps and redundant must lie in [0, 0.1]");
  if (finder_.find(problem, pool, mechanisms_, mechanism_count_)) {
    find_programs();
    form_units();
  }
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
  const auto id = [&](std::size_t position) { return programs_[static_cast<std::size_t>(members_[position])].id; };
  std::sort(members_.begin(), members_.end(), [&](std::int32_t a, std::int32_t b) {
    const std::int64_t id_a = programs_[static_cast<std::size_t>(a)].id;
    const std::int64_t id_b = programs_[static_cast<std::size_t>(b)].id;
    return id_a != id_b ? id_a < id_b : a < b;
  });
  units_.clear();
  places_.resize(mechanism_count_);
  for (std::size_t first = 0; first < members_.size();) {
    int count = 1;
    const auto alike = [&](int n) {
      return first + static_cast<std::size_t>(n) < members_.size() &&
             id(first + static_cast<std::size_t>(n)) == id(first);
    };
    while (settings_.batching && count < kLdlLanes && alike(count)) ++count;
    if (count < kFewest) count = 1;
    for (int lane = 0; lane < count; ++lane)
      places_[static_cast<std::size_t>(members_[first + static_cast<std::size_t>(lane)])] = {
          static_cast<std::int32_t>(units_.size()), lane};
    units_.push_back({first, count, count > 1 ? kLdlLanes : 1, true, true});
    first += static_cast<std::size_t>(count);
  }
  if (factors_.size() < units_.size()) factors_.resize(units_.size());
  for (std::size_t u = 0; u < units_.size(); ++u)
    factors_[u].reset(programs_[static_cast<std::size_t>(members_[units_[u].first])].program, units_[u].lanes);
}

void LdlJoints::pick_units(std::span<const std::uint8_t> is_picked) {
  require(is_picked.empty() || is_picked.size() == mechanism_count_, "is_picked: give one flag per mechanism, or none");
  for (Unit& unit : units_) {
    unit.is_picked = is_picked.empty();
    for (std::size_t i = unit.first; i < unit.first + static_cast<std::size_t>(unit.count) && !unit.is_picked; ++i)
      unit.is_picked = is_picked[static_cast<std::size_t>(members_[i])] != 0;
    unit.is_dirty = unit.is_picked;
  }
}

void LdlJoints::factor_dirty(const ContactProblem& problem, ThreadPool* pool) {
  for (const Unit& unit : units_) factorisations_ += unit.is_dirty ? unit.count : 0;
  parallel_for(pool, static_cast<std::int64_t>(units_.size()), 1, [&](std::int64_t begin, std::int64_t) {
    Unit& unit = units_[static_cast<std::size_t>(begin)];
    LdlFactor& factor = factors_[static_cast<std::size_t>(begin)];
    if (!unit.is_dirty) return;
    std::array<const LdlMechanism*, kLdlLanes> lanes{};
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(unit.count); ++lane)
      lanes[lane] = &mechanisms_[static_cast<std::size_t>(members_[unit.first + lane])];
    factor.load(problem, std::span(lanes).first(static_cast<std::size_t>(unit.count)), is_active_);
    factor.factor(settings_.regularisation);
    unit.is_dirty = false;
  });
}

void LdlJoints::change_active(const ContactProblem& problem, std::span<const std::uint8_t> is_active,
                              ThreadPool* pool) {
  CAIRN_ASSERT(is_active.size() == is_active_.size());
  for (std::size_t i = 0; i < mechanism_count_; ++i)
    for (const std::int32_t row : mechanisms_[i].rows)
      if ((is_active[static_cast<std::size_t>(row)] != 0) != (is_active_[static_cast<std::size_t>(row)] != 0))
        units_[static_cast<std::size_t>(places_[i].unit)].is_dirty = true;
  is_active_.assign(is_active.begin(), is_active.end());
  factor_dirty(problem, pool);
}

void LdlJoints::solve_joints(std::span<const double> rhs, std::span<double> impulse, int refinements,
                             ThreadPool* pool) {
  require(rhs.size() == is_active_.size() && impulse.size() == is_active_.size(),
          "solve_joints: give one number per joint row of the problem that was prepared");
  std::fill(impulse.begin(), impulse.end(), 0.0);
  parallel_for(pool, static_cast<std::int64_t>(units_.size()), 1, [&](std::int64_t begin, std::int64_t) {
    const Unit& unit = units_[static_cast<std::size_t>(begin)];
    if (!unit.is_picked) return;
    LdlFactor& factor = factors_[static_cast<std::size_t>(begin)];
    const auto for_rows = [&](auto&& visit) {
      for (int lane = 0; lane < unit.count; ++lane) {
        const auto member = static_cast<std::size_t>(members_[unit.first + static_cast<std::size_t>(lane)]);
        const std::vector<std::int32_t>& rows = mechanisms_[member].rows;
        for (std::size_t r = 0; r < rows.size(); ++r)
          visit(lane, static_cast<std::int32_t>(r), static_cast<std::size_t>(rows[r]));
      }
    };
    for_rows([&](int lane, std::int32_t row, std::size_t index) {
      factor.set_rhs(lane, row, is_active_[index] != 0 ? rhs[index] : 0.0);
    });
    factor.solve(refinements);
    for_rows([&](int lane, std::int32_t row, std::size_t index) { impulse[index] = factor.impulse(lane, row); });
  });
}

std::int32_t LdlJoints::redundant_rows(std::size_t mechanism) const {
  const Place& place = places_[mechanism];
  return factors_[static_cast<std::size_t>(place.unit)].dropped_rows(place.lane);
}

std::int64_t LdlJoints::redundant_rows() const {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < mechanism_count_; ++i) sum += redundant_rows(i);
  return sum;
}

}  // namespace cairn
