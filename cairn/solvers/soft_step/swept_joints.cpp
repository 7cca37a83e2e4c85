// SPDX-License-Identifier: MIT
#include "cairn/solvers/soft_step/swept_joints.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/simd/simd.h"
#include "cairn/solvers/ldl/ldl_structure.h"
#include "cairn/solvers/soft_step/joint_choice.h"
#include "cairn/solvers/soft_step/lane_joints.h"

namespace cairn {

namespace {

constexpr std::int64_t kGroupGrain = 8;
constexpr std::int32_t kFewGroups = 16;  // colours with fewer are done before another thread could help
constexpr double kRedundant = 1e-9;      // of a diagonal element: a row with a smaller pivot is implied by the others

// The twelve directions of a row, its error, target, compliance and damping are read as sixteen numbers in a row.
static_assert(offsetof(JointRow, linear_a) == 0 && offsetof(JointRow, linear_b) == 6 * sizeof(double));
static_assert(offsetof(JointRow, error) == 12 * sizeof(double) && offsetof(JointRow, damping) == 15 * sizeof(double));

constexpr JointRow kNoRow{};  // of lanes that are not in use

/// A body some of whose axes are locked: rows about them keep a rest that is rounding.
bool is_thin(const LaneMass& mass) { return mass.turn[0] == 0 || mass.turn[2] == 0 || mass.turn[5] == 0; }

/// L of eight bodies (LaneProblem::scale_row).
struct Root {
  Double8 number[kJointLanes];

  Root(const LaneProblem& lanes, const std::int32_t* records) {
    gather_lanes(
        records, [&](std::size_t i) { return lanes.masses[i].turn; }, number);
  }
  /// J L of one row, from its three linear and three angular directions.
  void scale(const Double8* linear, const Double8* angular, Double8* to) const {
    for (int k = 0; k < 3; ++k) to[k] = number[6] * linear[k];
    to[3] = number[0] * angular[0] + number[1] * angular[1] + number[3] * angular[2];
    to[4] = number[2] * angular[1] + number[4] * angular[2];
    to[5] = number[5] * angular[2];
  }
};
static_assert(offsetof(LaneMass, shift) == 6 * sizeof(float) && sizeof(LaneMass) == 8 * sizeof(float));

inline int triangle(int i, int j) { return i * (i + 1) / 2 + j; }

/// K^-1 in place, of its lower triangle by rows: the sweep operator, pivot by pivot. Rows that others imply get no
/// impulse.
template <int kRows>
inline void invert(Double8* k) {
  Double8 whole[kRows], row[kRows];
  for (int i = 0; i < kRows; ++i) whole[i] = k[triangle(i, i)];
  for (int p = 0; p < kRows; ++p) {
    const Double8 pivot = k[triangle(p, p)], zero{};
    const auto counts = pivot > kRedundant * whole[p];
    const Double8 inverse = counts ? 1.0 / (counts ? pivot : 1.0 - zero) : zero;
    for (int i = 0; i < kRows; ++i) row[i] = counts ? k[i >= p ? triangle(i, p) : triangle(p, i)] : zero;
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j <= i; ++j)
        if (i != p && j != p) k[triangle(i, j)] -= row[i] * inverse * row[j];
    for (int i = 0; i < kRows; ++i)
      if (i != p) k[i > p ? triangle(i, p) : triangle(p, i)] = row[i] * inverse;
    k[triangle(p, p)] = -inverse;
  }
  for (int i = 0; i < triangle(kRows, 0); ++i) k[i] = -k[i];
}

}  // namespace

/// True if the units are those for which the groups were formed.
bool SweptJoints::pick_units(const ContactProblem& problem, const JointChoice& choice, int batch,
                             const LaneProblem& lanes) {
  picked_.clear();
  for (std::size_t k = 0; k < problem.joints.size(); ++k) {
    const JointBlock& block = problem.joints[k];
    if (!choice.is_swept(k) || LaneJoints::batch_of(block, lanes) != batch) continue;
    const auto number = static_cast<std::int32_t>(k);
    const bool goes_on = !picked_.empty() && picked_.back().first_block + picked_.back().block_count == number &&
                         picked_.back().body_a == block.body_a && picked_.back().body_b == block.body_b;
    if (goes_on)
      ++picked_.back().block_count;
    else
      picked_.push_back({number, 1, block.body_a, block.body_b});
  }
  const bool same = generation_ == choice.generation() && picked_ == units_;
  generation_ = choice.generation();
  units_.swap(picked_);
  return same;
}

/// Rows that hold come first, as many as make a block; what is left is swept with rows that have bounds.
void SweptJoints::place(const ContactProblem& problem, std::size_t number, Group& group) {
  const Unit& unit = units_[number];
  const int lane = group.count++;
  group.unit[lane] = static_cast<std::int32_t>(number);
  std::int32_t held = 0, bounded = 0;
  for (std::int32_t k = unit.first_block; k < unit.first_block + unit.block_count; ++k) {
    const JointBlock& block = problem.joints[to_index(k)];
    for (std::int32_t row = block.first_row; row < block.first_row + block.row_count; ++row) {
      const bool holds = !is_bounded(problem.joint_rows[to_index(row)]) && held < group.held;
      source_[to_index(group.first + (holds ? held++ : group.held + bounded++))][to_index(lane)] = row;
    }
  }
}

/// Colours depend on the joints of a mechanism alone, so that a body gets the impulses of its joints in the same order
/// whatever other mechanisms there are.
void SweptJoints::colour_units(const LaneProblem& lanes) {
  const auto vertex = [&](std::int32_t b) { return lanes.can_move(to_index(b)) ? b : kNoVertex; };
  edges_.clear();
  for (const Unit& unit : units_) edges_.push_back({vertex(unit.body_a), vertex(unit.body_b)});
  colour_edges_greedy(edges_, static_cast<std::int32_t>(lanes.body_of.size()), sets_, colouring_);
}

/// One with room for a unit of so many rows, from `first_group` on; a new one where there is none.
SweptJoints::Group& SweptJoints::group_for(const ContactProblem& problem, std::size_t number, std::size_t first_group) {
  const Unit& unit = units_[number];
  std::int32_t held = 0, bounded = 0;
  for (std::int32_t k = unit.first_block; k < unit.first_block + unit.block_count; ++k) {
    const JointBlock& block = problem.joints[to_index(k)];
    for (std::int32_t row = block.first_row; row < block.first_row + block.row_count; ++row)
      ++(is_bounded(problem.joint_rows[to_index(row)]) || held == kMostHeld ? bounded : held);
  }
  for (std::size_t g = first_group; g < groups_.size(); ++g)
    if (groups_[g].count < kJointLanes && groups_[g].held == held && groups_[g].bounded == bounded) return groups_[g];
  Group& group = groups_.emplace_back();
  group.held = held, group.bounded = bounded;
  group.first = static_cast<std::int32_t>(source_.size());
  std::array<std::int32_t, kJointLanes> none;
  none.fill(-1);
  source_.resize(source_.size() + to_index(held + bounded), none);
  return group;
}

void SweptJoints::form_groups(const ContactProblem& problem) {
  groups_.clear(), source_.clear(), first_of_colour_.clear();
  for (std::size_t c = 0; c < colouring_.sizes.size(); ++c) {
    const std::size_t first_group = groups_.size();
    first_of_colour_.push_back(static_cast<std::int32_t>(first_group));
    for (std::size_t i = 0; i < units_.size(); ++i)
      if (colouring_.colour[i] == static_cast<std::int32_t>(c)) place(problem, i, group_for(problem, i, first_group));
  }
  first_of_colour_.push_back(static_cast<std::int32_t>(groups_.size()));
  rows_.assign(source_.size(), Row{}), laws_.assign(source_.size(), Law{});
}

/// The numbers of one group, of the beginning of the step.
struct SweptJoints::Filling {
  SweptJoints& joints;
  const ContactProblem& problem;
  const std::span<const double> impulse;
  const LaneProblem& lanes;
  Group& group;

  /// Records of the bodies of its joints; true if a body is moved by itself or has locked axes.
  bool find_records() const {
    const auto nobody = static_cast<std::int32_t>(lanes.bodies.size()) - 1;
    bool is_special = false;
    const auto record = [&](std::int32_t body) {
      const std::int32_t mine = lanes.body_of[to_index(body)];
      is_special =
          is_special || lanes.moves_itself[to_index(body)] != 0 || (mine >= 0 && is_thin(lanes.masses[to_index(mine)]));
      return mine >= 0 ? mine : nobody;
    };
    std::fill_n(group.record_a, kJointLanes, nobody), std::fill_n(group.record_b, kJointLanes, nobody);
    for (int lane = 0; lane < group.count; ++lane) {
      const Unit& unit = joints.units_[to_index(group.unit[lane])];
      group.record_a[lane] = record(unit.body_a), group.record_b[lane] = record(unit.body_b);
    }
    return is_special;
  }

  /// J L, error, and how the row yields.
  void fill_row(const Root& root_a, const Root& root_b, std::size_t r) const {
    Lanes first[kJointLanes], second[kJointLanes];
    for (int lane = 0; lane < kJointLanes; ++lane) {
      const std::int32_t source = joints.source_[r][to_index(lane)];
      const auto* numbers =
          reinterpret_cast<const double*>(source >= 0 ? &problem.joint_rows[to_index(source)] : &kNoRow);
      get_lanes(numbers, first[lane]), get_lanes(numbers + kJointLanes, second[lane]);
    }
    transpose(first), transpose(second);
    Row& row = joints.rows_[r];
    const Lanes linear_b[3] = {first[6], first[7], second[0]};
    root_a.scale(first, first + 3, row.a), root_b.scale(linear_b, second + 1, row.b);
    const Lanes &error = second[4], &target = second[5], &compliance = second[6], &damping = second[7], zero{};
    row.fixed = -target, row.first_error = row.error = error, row.total = zero;
    Law& law = joints.laws_[r];
    const SweptLaw& of = joints.law_;
    const auto yields = compliance > 0;
    const Lanes spring = damping * compliance + of.h;
    law.rate = yields ? 1.0 / spring : zero + of.rate;
    law.cap = yields ? zero + std::numeric_limits<double>::infinity() : zero + of.push;
    law.softness = compliance / (of.h * spring);  // joint_softness
    law.stays = yields ? zero + 1 : zero;
    law.follows = (yields | (error != 0)) ? zero + 1 : zero;
  }

  /// Kinematic bodies move the rows of their joints; rows about locked axes do nothing.
  void fill_special(std::size_t r) const {
    for (int lane = 0; lane < group.count; ++lane) {
      const Unit& unit = joints.units_[to_index(group.unit[lane])];
      const auto a = to_index(unit.body_a), b = to_index(unit.body_b);
      const JointRow& from = problem.joint_rows[to_index(joints.source_[r][to_index(lane)])];
      Row& row = joints.rows_[r];
      if (lanes.moves_itself[a] != 0 || lanes.moves_itself[b] != 0)
        row.fixed[lane] += joint_velocity(from, lanes.still[a], lanes.still[b]);
      if (from.compliance == 0 && !moves_bodies(problem.bodies[a], problem.bodies[b], from))
        for (int k = 0; k < 6; ++k) row.a[k][lane] = row.b[k][lane] = 0;
    }
  }

  /// J~ = J_b - C J_h, and what it weighs. A joint with a compliant row that holds yields, and is not taken to hold.
  void couple(std::size_t r) const {
    Row& row = joints.rows_[r];
    Law& law = joints.laws_[r];
    const int held = group.held;
    Lanes k[kMostHeld];
    const Lanes whole = group.impulse_scale > 0 ? Lanes{} + 1 : Lanes{};
    for (int i = 0; i < held; ++i) {
      const Row& other = joints.rows_[to_index(group.first + i)];
      dot(row.a, other.a, row.b, other.b, k[i]);
    }
    for (int i = 0; i < held; ++i) {
      Lanes c{};
      for (int j = 0; j < held; ++j) c += group.inverse[i >= j ? triangle(i, j) : triangle(j, i)] * k[j];
      law.coupling[i] = whole * c;
    }
    for (int i = 0; i < held; ++i) {
      const Row& other = joints.rows_[to_index(group.first + i)];
      for (int n = 0; n < 6; ++n) row.a[n] -= law.coupling[i] * other.a[n], row.b[n] -= law.coupling[i] * other.b[n];
    }
  }

  void fill_bounds(std::size_t r) const {
    Law& law = joints.laws_[r];
    const double share = 1.0 / joints.law_.sub_steps;
    law.lower = law.upper = Lanes{};
    for (int lane = 0; lane < group.count; ++lane) {
      const JointRow& from = problem.joint_rows[to_index(joints.source_[r][to_index(lane)])];
      law.lower[lane] = share * from.lower, law.upper[lane] = share * from.upper;
    }
    const Row& row = joints.rows_[r];
    Lanes stiffness;
    dot(row.a, row.a, row.b, row.b, stiffness);
    stiffness += law.softness;
    const auto counts = stiffness > 0;
    law.mass = counts ? 1.0 / (counts ? stiffness : 1.0 - Lanes{}) : Lanes{};
  }

  void fill_impulses(std::size_t r, bool is_bounded) const {
    const double share = 1.0 / joints.law_.sub_steps;
    Lanes& to = joints.rows_[r].impulse;
    to = Lanes{};
    for (int lane = 0; lane < group.count && !impulse.empty(); ++lane)
      to[lane] = share * impulse[to_index(joints.source_[r][to_index(lane)])];
    if (!is_bounded) return;
    const Law& law = joints.laws_[r];
    to = to > law.lower ? to : law.lower;
    to = to < law.upper ? to : law.upper;
  }

  /// A joint with a compliant row yields by that alone.
  void soften(const Lanes& softness) const {
    const auto yields = softness > 0;
    group.mass_scale = yields ? Lanes{} + 1 : group.mass_scale;
    group.impulse_scale = yields ? Lanes{} : group.impulse_scale;
    for (int lane = 0; lane < group.count; ++lane) group.is_rigid = group.is_rigid && softness[lane] == 0;
  }

  template <int kHeld>
  void fill_inverse() const {
    const auto first = to_index(group.first);
    Lanes* k = group.inverse;
    for (int i = 0; i < kHeld; ++i)
      for (int j = 0; j <= i; ++j) {
        const Row &left = joints.rows_[first + to_index(i)], &right = joints.rows_[first + to_index(j)];
        dot(left.a, right.a, left.b, right.b, k[triangle(i, j)]);
        if (i == j) k[triangle(i, i)] += joints.laws_[first + to_index(i)].softness;
      }
    invert<kHeld>(k);
  }

  void invert_held() const {
    switch (group.held) {
      case 1: return fill_inverse<1>();
      case 2: return fill_inverse<2>();
      case 3: return fill_inverse<3>();
      case 4: return fill_inverse<4>();
      case 5: return fill_inverse<5>();
      case 6: return fill_inverse<6>();
      default: return;
    }
  }

  void run() const {
    const bool is_special = find_records();
    const Root root_a(lanes, group.record_a), root_b(lanes, group.record_b);
    group.is_rigid = true;
    group.mass_scale = Lanes{} + joints.law_.mass_scale, group.impulse_scale = Lanes{} + joints.law_.impulse_scale;
    const auto first = to_index(group.first), held = to_index(group.held), bounded = to_index(group.bounded);
    for (std::size_t r = first; r < first + held + bounded; ++r) {
      fill_row(root_a, root_b, r);
      if (is_special) fill_special(r);
      if (r >= first + held) continue;
      joints.laws_[r].follows = Lanes{} + 1;
      soften(joints.laws_[r].softness), fill_impulses(r, false);
    }
    invert_held();
    for (std::size_t r = first + held; r < first + held + bounded; ++r)
      couple(r), fill_bounds(r), fill_impulses(r, true);
  }
};

void SweptJoints::load(const ContactProblem& problem, const JointChoice& choice, std::span<const double> impulse,
                       const SweptLaw& law, LaneProblem& lanes, ThreadPool* pool) {
  law_ = law;
  if (!pick_units(problem, choice, law.batch, lanes)) colour_units(lanes), form_groups(problem);
  for (const Unit& unit : units_) lanes.touch(unit.body_a), lanes.touch(unit.body_b);
  parallel_for(pool, static_cast<std::int64_t>(groups_.size()), kGroupGrain, [&](std::int64_t begin, std::int64_t end) {
    run_wide([&] {
      for (auto g = to_index(begin); g < to_index(end); ++g) Filling{*this, problem, impulse, lanes, groups_[g]}.run();
    });
  });
}

/// Colour by colour, groups of one side by side.
template <class Work>
void SweptJoints::for_groups(ThreadPool* pool, Work&& work) {
  for (std::size_t c = 0; c + 1 < first_of_colour_.size(); ++c) {
    const std::int32_t first = first_of_colour_[c], count = first_of_colour_[c + 1] - first;
    parallel_for(count < kFewGroups ? nullptr : pool, count, kGroupGrain, [&](std::int64_t begin, std::int64_t end) {
      run_wide([&] {
        for (std::int64_t g = first + begin; g < first + end; ++g) work(groups_[to_index(g)]);
      });
    });
  }
}

namespace {

/// The way back; lanes of nobody are not written, since several threads would.
inline void scatter_velocities(Double8 (&u)[kJointLanes], const std::int32_t* records, int count, LaneProblem& lanes) {
  transpose(u);
  const auto nobody = static_cast<std::int32_t>(lanes.bodies.size()) - 1;
  for (int lane = 0; lane < count; ++lane) {
    if (records[lane] == nobody) continue;
    Float8 to;
    convert(u[lane], to);
    put_lanes(to, lanes.bodies[to_index(records[lane])].velocity);
  }
}

}  // namespace

/// One visit of one group: what its bodies have while it is solved.
struct SweptJoints::Visit {
  SweptJoints& joints;
  const Group& group;
  LaneProblem& lanes;
  Row* const rows = joints.rows_.data() + group.first;
  const Law* const laws = joints.laws_.data() + group.first;
  Lanes u[kJointLanes]{}, w[kJointLanes]{};              ///< velocities of a and b
  Lanes moved_a[kJointLanes]{}, moved_b[kJointLanes]{};  ///< displacements

  Visit(SweptJoints& all, const Group& of, LaneProblem& in, bool biased) : joints(all), group(of), lanes(in) {
    gather_velocities(lanes, group.record_a, u), gather_velocities(lanes, group.record_b, w);
    if (!biased) return;
    gather_displacements(lanes, group.record_a, moved_a), gather_displacements(lanes, group.record_b, moved_b);
  }
  void push(const Row& row, const Lanes& change) {
    for (int k = 0; k < 6; ++k) u[k] += row.a[k] * change, w[k] += row.b[k] * change;
  }
  void end() {
    scatter_velocities(u, group.record_a, group.count, lanes);
    scatter_velocities(w, group.record_b, group.count, lanes);
  }

  /// Impulses of rows with bounds come with those of the rows that hold.
  void warm_start() {
    for (std::int32_t r = 0; r < group.held; ++r) {
      Lanes sum = rows[r].impulse;
      for (std::int32_t b = group.held; b < group.held + group.bounded; ++b)
        sum += laws[b].coupling[r] * rows[b].impulse;
      push(rows[r], sum);
    }
    for (std::int32_t b = group.held; b < group.held + group.bounded; ++b) push(rows[b], rows[b].impulse);
  }

  template <bool kBiased>
  void find_bias(Row& row, const Law& law, Lanes& bias) {
    if constexpr (kBiased) {
      Lanes way;
      dot(row.a, moved_a, row.b, moved_b, way);
      row.error = row.first_error + law.follows * way;
    }
    bias = law.rate * row.error;
    bias = bias > -law.cap ? bias : -law.cap;
    bias = bias < law.cap ? bias : law.cap;
    if constexpr (!kBiased) bias *= law.stays;
  }

  /// `held`: at what speed the rows that hold are to be, with the opposite sign.
  template <int kHeld, bool kBiased>
  void solve_bounded(const Lanes* held) {
    for (std::int32_t r = kHeld; r < kHeld + group.bounded; ++r) {
      Row& row = rows[r];
      const Law& law = laws[r];
      Lanes y, bias;
      find_bias<kBiased>(row, law, bias);
      dot(row.a, u, row.b, w, y);
      y = y + row.fixed + bias + law.softness * row.impulse;
      for (int i = 0; i < kHeld; ++i) y -= law.coupling[i] * held[i];
      Lanes next = row.impulse - law.mass * y;
      next = next > law.lower ? next : law.lower;
      next = next < law.upper ? next : law.upper;
      const Lanes change = next - row.impulse;
      row.impulse = next;
      push(row, change);
      for (int i = 0; i < kHeld; ++i) rows[i].impulse -= law.coupling[i] * change;
    }
  }

  template <int kHeld, bool kBiased>
  void solve(bool last) {
    Lanes y[kHeld + 1];
    for (int i = 0; i < kHeld; ++i) {
      y[i] = rows[i].fixed;
      if (!kBiased && group.is_rigid) continue;
      Lanes bias;
      find_bias<kBiased>(rows[i], laws[i], bias);
      y[i] += bias;
    }
    solve_bounded<kHeld, kBiased>(y);
    for (int i = 0; i < kHeld; ++i) {
      Lanes v;
      dot(rows[i].a, u, rows[i].b, w, v);
      y[i] += v;
      if (!group.is_rigid) y[i] += laws[i].softness * rows[i].impulse;
    }
    for (int i = 0; i < kHeld; ++i) {
      Lanes change = group.inverse[triangle(i, 0)] * y[0];
      for (int j = 1; j < kHeld; ++j) change += group.inverse[i >= j ? triangle(i, j) : triangle(j, i)] * y[j];
      change = kBiased ? -group.mass_scale * change - group.impulse_scale * rows[i].impulse : -change;
      rows[i].impulse += change;
      push(rows[i], change);
    }
    for (std::int32_t r = 0; last && r < kHeld + group.bounded; ++r) rows[r].total += rows[r].impulse;
    end();
  }
};

void SweptJoints::warm_start(LaneProblem& lanes, ThreadPool* pool) {
  for_groups(pool, [&](const Group& group) {
    Visit visit(*this, group, lanes, false);
    visit.warm_start();
    visit.end();
  });
}

template <bool kBiased>
inline void SweptJoints::visit_any(const Group& group, bool last, LaneProblem& lanes) {
  Visit visit(*this, group, lanes, kBiased);
  switch (group.held) {
    case 0: return visit.solve<0, kBiased>(last);
    case 1: return visit.solve<1, kBiased>(last);
    case 2: return visit.solve<2, kBiased>(last);
    case 3: return visit.solve<3, kBiased>(last);
    case 4: return visit.solve<4, kBiased>(last);
    case 5: return visit.solve<5, kBiased>(last);
    default: return visit.solve<6, kBiased>(last);
  }
}

void SweptJoints::sweep(bool biased, bool last, LaneProblem& lanes, ThreadPool* pool) {
  if (biased)
    for_groups(pool, [&](const Group& group) { visit_any<true>(group, last, lanes); });
  else
    for_groups(pool, [&](const Group& group) { visit_any<false>(group, last, lanes); });
}

void SweptJoints::read_total(std::span<double> impulse) const {
  for (const Group& group : groups_)
    for (std::int32_t r = group.first; r < group.first + group.held + group.bounded; ++r)
      for (int lane = 0; lane < group.count; ++lane)
        impulse[to_index(source_[to_index(r)][to_index(lane)])] = rows_[to_index(r)].total[lane];
}

}  // namespace cairn
