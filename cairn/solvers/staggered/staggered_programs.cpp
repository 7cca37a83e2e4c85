// SPDX-License-Identifier: MIT
#include "cairn/solvers/staggered/staggered_programs.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr double kHalfRoot = 0.70710678118654752440;  // of a diamond with corners at 1: half its side
constexpr double kSlides = 1 - 1e-6;                  // of the radius: friction that is taken to slide
constexpr double kFirstEps = 1, kEpsFactor = 0.1;     // of programs whose active sets do not end at once

PdasmSettings pdasm_of(const StaggeredSettings& settings) {
  return {.schur = settings.method != StaggeredMethod::staggered_direct};
}

void set_joint_bounds(const StaggeredRows& rows, std::size_t first, BoundedQp& qp) {
  for (std::size_t k = 0; k < rows.joints(); ++k)
    qp.lower[first + k] = rows.lower(k), qp.upper[first + k] = rows.upper(k);
}

BoundState joint_state(const StaggeredRows& rows, std::size_t k, double gamma) {
  return gamma == rows.lower(k) ? BoundState::lower : gamma == rows.upper(k) ? BoundState::upper : BoundState::free;
}

/// Rows that move nothing have a one on the diagonal and take no part.
double regularised(double weight, double eps) { return weight > 0 ? weight * (1 + eps) : 1.0; }

void add(const QpReport& part, QpReport& total) {
  total.end = part.end;
  total.iterations += part.iterations, total.factorisations += part.factorisations, total.solves += part.solves;
  total.schur_columns = std::max(total.schur_columns, part.schur_columns);
}

/// A quadratic program, where its answer goes, and its regularisation.
struct ProgramParts {
  Pdasm& pdasm;
  const BoundedQp& qp;
  QpSolution& solution;
  double eps;
};

/// As it is, or from a strong regularisation on. `prepare(eps)` writes matrix and target.
template <class Prepare>
QpReport solve_surely(const ProgramParts& parts, const QpContext& context, const Prepare& prepare) {
  QpSolution& solution = parts.solution;
  QpReport report = parts.pdasm.solve(parts.qp, solution, context);
  if (report.end != QpEnd::max_iterations && report.end != QpEnd::stalled) return report;
  std::fill(solution.state.begin(), solution.state.end(), BoundState::free);
  const auto again = [&](double now) {
    prepare(now);
    parts.pdasm.change();
    add(parts.pdasm.solve(parts.qp, solution, context), report);
    return report.end != QpEnd::interrupted && report.end != QpEnd::time_limit;
  };
  for (double now = kFirstEps; now > parts.eps; now *= kEpsFactor)
    if (!again(now)) break;
  again(parts.eps);
  return report;
}

}  // namespace

ContactProgram::ContactProgram(const StaggeredSettings& settings) : eps_(settings.eps), pdasm_(pdasm_of(settings)) {}

void ContactProgram::reset(const StaggeredRows& rows, const StaggeredIterate& at, bool is_cold) {
  rows_ = &rows;
  const std::size_t n = rows.contacts() + rows.joints();
  const std::span<double> values = matrix_.reset(static_cast<int>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) values[i * n + j] = rows.live(i, j);
  set_diagonal(eps_);
  pdasm_.change();
  qp_.h = &matrix_;
  qp_.c.resize(n), qp_.lower.assign(n, 0.0), qp_.upper.assign(n, INFINITY);
  set_joint_bounds(rows, rows.contacts(), qp_);
  solution_.state.assign(n, BoundState::free);
  for (std::size_t k = 0; k < rows.contacts(); ++k)
    if (!is_cold && at.alpha[k] == 0) solution_.state[k] = BoundState::lower;
  for (std::size_t k = 0; k < rows.joints(); ++k)
    solution_.state[rows.contacts() + k] = joint_state(rows, k, at.gamma[k]);
}

void ContactProgram::set_diagonal(double eps) {
  for (int i = 0; i < matrix_.size(); ++i) {
    const auto row = to_index(i);
    matrix_.set_diagonal(i, regularised(rows_->live(row, row), eps));
  }
}

/// c = -(q_z + g) + eps D z.
void ContactProgram::set_target(std::span<const double> g, const StaggeredIterate& at, double eps) {
  const std::size_t contacts = rows_->contacts();
  for (std::size_t i = 0; i < qp_.c.size(); ++i) {
    const double last = i < contacts ? at.alpha[i] : at.gamma[i - contacts];
    qp_.c[i] = rows_->is_dead(i) ? last : eps * rows_->w(i, i) * last - rows_->q(i) - g[i];
  }
}

QpReport ContactProgram::solve(std::span<const double> g, StaggeredIterate& at, const QpContext& context) {
  const std::size_t contacts = rows_->contacts();
  set_target(g, at, eps_);
  const QpReport report = solve_surely({pdasm_, qp_, solution_, eps_}, context,
                                       [&](double eps) { set_diagonal(eps), set_target(g, at, eps); });
  std::copy_n(solution_.x.begin(), contacts, at.alpha.begin());
  std::copy_n(solution_.x.begin() + static_cast<std::ptrdiff_t>(contacts), rows_->joints(), at.gamma.begin());
  return report;
}

FrictionProgram::FrictionProgram(const StaggeredSettings& settings)
    : settings_(settings), segments_(to_index(settings.facets / 2)), turned_(matrix_), pdasm_(pdasm_of(settings)) {
  // Angles (k - (m - 1) / 2) pi / m: all segments together point along the first tangent.
  for (std::size_t k = 0; k < segments_; ++k) {
    const double count = static_cast<double>(segments_);
    const double angle = (static_cast<double>(k) - 0.5 * (count - 1)) * std::numbers::pi / count;
    sides_.push_back({std::cos(angle), std::sin(angle)});
  }
}

bool FrictionProgram::has_plane(std::size_t contact) const {
  return !rows_->is_dead(rows_->tangent(contact, 0)) && !rows_->is_dead(rows_->tangent(contact, 1));
}

FrictionProgram::Direction FrictionProgram::direction(std::size_t contact, std::size_t segment) const {
  if (!is_diamond()) return sides_[segment];
  const int k = static_cast<int>(contact);
  if (segment == 0) return {turned_.axis_x(k), turned_.axis_y(k)};
  return {-turned_.axis_y(k), turned_.axis_x(k)};
}

void FrictionProgram::fill_diamonds() {
  const std::size_t n = polygons() + rows_->joints();
  const std::span<double> values = matrix_.reset(static_cast<int>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) values[i * n + j] = rows_->live(rows_->friction_row(i), rows_->friction_row(j));
  turned_.reset(static_cast<int>(rows_->contacts()));
  for (std::size_t k = 0; k < rows_->contacts(); ++k)  // corners along the tangents
    if (has_plane(k)) turned_.set_axis(static_cast<int>(k), kHalfRoot, -kHalfRoot);
}

/// D^T W D, where D has the segments of every contact as columns.
void FrictionProgram::fill_polygons() {
  const std::size_t n = polygons() + rows_->joints(), first_joint = polygons();
  const std::span<double> values = matrix_.reset(static_cast<int>(n));
  const auto part = [&](std::size_t i, std::size_t axis) {  // row, and what it counts
    if (i >= first_joint) return std::pair{rows_->contacts() + i - first_joint, axis == 0 ? 1.0 : 0.0};
    return std::pair{rows_->tangent(i / segments_, axis), sides_[i % segments_][axis]};
  };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (const std::size_t a : {0, 1})
        for (const std::size_t b : {0, 1}) {
          const auto [row, x] = part(i, a);
          const auto [column, y] = part(j, b);
          sum += x * y * rows_->live(row, column);
        }
      values[i * n + j] = values[j * n + i] = sum;
    }
}

void FrictionProgram::reset(const StaggeredRows& rows, const StaggeredIterate& at, bool is_cold) {
  rows_ = &rows, is_cold_ = is_cold;
  if (is_diamond())
    fill_diamonds();
  else
    fill_polygons();
  const std::size_t n = polygons() + rows.joints();
  weight_.resize(n);
  for (std::size_t i = 0; i < n; ++i) weight_[i] = matrix_.diagonal(static_cast<int>(i));
  set_diagonal(settings_.eps);
  pdasm_.change();
  qp_.h = is_diamond() ? static_cast<const QpMatrix*>(&turned_) : &matrix_;
  qp_.c.resize(n), qp_.lower.assign(n, 0.0), qp_.upper.assign(n, 0.0);
  set_joint_bounds(rows, polygons(), qp_);
  solution_.state.assign(n, BoundState::free);
  solution_.x.assign(n, 0.0);
  for (std::size_t k = 0; k < rows.contacts(); ++k) {
    const Direction beta{at.beta[2 * k], at.beta[2 * k + 1]};
    // The shortest b with D b = beta: D D^T = m / 2.
    for (std::size_t s = 0; s < segments_; ++s) {
      const Direction d = direction(k, s);
      solution_.x[segments_ * k + s] = 2.0 / static_cast<double>(segments_) * (d[0] * beta[0] + d[1] * beta[1]);
    }
    if (std::hypot(beta[0], beta[1]) < kSlides * at.alpha[k]) continue;
    // A diamond will be turned there; the sides of a polygon that stays are where they are.
    for (std::size_t s = 0; s < segments_; ++s) solution_.state[segments_ * k + s] = BoundState::upper;
    if (!settings_.realign || !is_diamond()) guess_sliding(k, beta);
  }
  for (std::size_t k = 0; k < rows.joints(); ++k) solution_.state[polygons() + k] = joint_state(rows, k, at.gamma[k]);
}

/// beta - rho y_t: where friction would push.
FrictionProgram::Direction FrictionProgram::find_aim(const StaggeredIterate& at, std::size_t contact) const {
  const StaggeredRows& rows = *rows_;
  const std::size_t first = rows.tangent(contact, 0), second = rows.tangent(contact, 1);
  const double stiffness = 0.5 * (rows.w(first, first) + rows.w(second, second));
  Direction aim{};
  for (const std::size_t axis : {0, 1}) {
    const std::size_t row = rows.tangent(contact, axis);
    double y = rows.q(row);
    for (std::size_t i = 0; i < rows.contacts(); ++i)
      y += rows.w(row, i) * at.alpha[i] + rows.w(row, rows.tangent(i, 0)) * at.beta[2 * i] +
           rows.w(row, rows.tangent(i, 1)) * at.beta[2 * i + 1];
    for (std::size_t i = 0; i < rows.joints(); ++i) y += rows.w(row, rows.contacts() + i) * at.gamma[i];
    aim[axis] = stiffness > 0 ? at.beta[2 * contact + axis] - y / stiffness : 0.0;
  }
  return aim;
}

/// The side of the polygon that faces `aim`: its own segment is free, all others are at their ends.
void FrictionProgram::guess_sliding(std::size_t contact, const Direction& aim) {
  std::size_t free = 0;
  double least = INFINITY;
  for (std::size_t s = 0; s < segments_; ++s) {
    const Direction d = direction(contact, s);
    const double along = d[0] * aim[0] + d[1] * aim[1];
    solution_.state[segments_ * contact + s] = along > 0 ? BoundState::upper : BoundState::lower;
    if (std::fabs(along) < least) least = std::fabs(along), free = s;
  }
  solution_.state[segments_ * contact + free] = BoundState::free;
}

/// Every corner to where friction would push. Diamonds that hold it anyway stay. From a cold start that is also the
/// first guess of who slides: with all free, active sets may take thousands of exchanges.
void FrictionProgram::realign(const StaggeredIterate& at) {
  for (std::size_t k = 0; k < rows_->contacts(); ++k) {
    if (!has_plane(k)) continue;  // friction along one axis, or none
    const Direction aim = find_aim(at, k);
    const double size = std::hypot(aim[0], aim[1]);
    if (is_cold_)
      solution_.state[2 * k] = solution_.state[2 * k + 1] = size > at.alpha[k] ? BoundState::upper : BoundState::free;
    if (!(size > kHalfRoot * at.alpha[k]) || size == 0) continue;
    // The corner is at 45 degrees between the axes.
    const double x = kHalfRoot * (aim[0] + aim[1]) / size, y = kHalfRoot * (aim[1] - aim[0]) / size;
    const int pair = static_cast<int>(k);
    const double ax = turned_.axis_x(pair), ay = turned_.axis_y(pair);
    if (x == ax && y == ay) continue;
    turned_.set_axis(pair, x, y);
    if (settings_.method == StaggeredMethod::staggered_schurpa)
      static_cast<SchurSaddle&>(pdasm_.saddle()).turn(2 * pair, ax * x + ay * y, ax * y - ay * x);
  }
}

/// |b_k| <= alpha sin(pi / 2m); along a single axis the radius itself.
void FrictionProgram::set_bounds(const StaggeredIterate& at) {
  const double half = is_diamond() ? kHalfRoot : std::sin(std::numbers::pi / static_cast<double>(2 * segments_));
  for (std::size_t k = 0; k < rows_->contacts(); ++k) {
    const bool first = rows_->is_dead(rows_->tangent(k, 0)), second = rows_->is_dead(rows_->tangent(k, 1));
    for (std::size_t s = 0; s < segments_; ++s) {
      const std::size_t i = segments_ * k + s;
      const bool is_dead = (first && second) || (is_diamond() && first != second && (s == 0 ? first : second));
      const double size = is_dead ? 0.0 : is_diamond() && first != second ? at.alpha[k] : half * at.alpha[k];
      qp_.lower[i] = -size, qp_.upper[i] = size;
    }
  }
}

void FrictionProgram::set_diagonal(double eps) {
  for (std::size_t i = 0; i < weight_.size(); ++i)
    matrix_.set_diagonal(static_cast<int>(i), regularised(weight_[i], eps));
}

/// c = -(q_s + W_sn alpha) + eps D s, along the segments.
void FrictionProgram::set_target(const StaggeredIterate& at, double eps) {
  const StaggeredRows& rows = *rows_;
  const std::size_t tangents = 2 * rows.contacts();
  fixed_.resize(tangents + rows.joints());
  for (std::size_t i = 0; i < fixed_.size(); ++i) {
    const std::size_t row = rows.friction_row(i);
    const double last = i < tangents ? at.beta[i] : at.gamma[i - tangents];
    const bool is_segment = i < tangents && !is_diamond();
    double sum = (is_segment ? 0.0 : eps * rows.w(row, row) * last) - rows.q(row);
    for (std::size_t k = 0; k < rows.contacts(); ++k) sum -= rows.w(row, k) * at.alpha[k];
    fixed_[i] = !rows.is_dead(row) ? sum : is_segment ? 0.0 : last;
  }
  if (is_diamond()) {
    qp_.c = fixed_;
    turned_.to_turned(qp_.c);
    return;
  }
  for (std::size_t i = 0; i < polygons(); ++i) {
    const std::size_t k = i / segments_;
    const Direction& d = sides_[i % segments_];
    qp_.c[i] = d[0] * fixed_[2 * k] + d[1] * fixed_[2 * k + 1] + eps * weight_[i] * last_[i];
  }
  std::copy(fixed_.begin() + static_cast<std::ptrdiff_t>(tangents), fixed_.end(),
            qp_.c.begin() + static_cast<std::ptrdiff_t>(polygons()));
}

/// beta = sum_k b_k d_k.
void FrictionProgram::read_answer(StaggeredIterate& at) {
  for (std::size_t k = 0; k < rows_->contacts(); ++k) {
    double x = 0, y = 0;
    for (std::size_t s = 0; s < segments_; ++s) {
      const Direction d = direction(k, s);
      const double b = solution_.x[segments_ * k + s];
      x += d[0] * b, y += d[1] * b;
    }
    at.beta[2 * k] = rows_->is_dead(rows_->tangent(k, 0)) ? 0.0 : x;
    at.beta[2 * k + 1] = rows_->is_dead(rows_->tangent(k, 1)) ? 0.0 : y;
  }
  std::copy_n(solution_.x.begin() + static_cast<std::ptrdiff_t>(polygons()), rows_->joints(), at.gamma.begin());
}

QpReport FrictionProgram::solve(StaggeredIterate& at, const QpContext& context) {
  if (is_diamond() && settings_.realign)
    realign(at);
  else if (is_cold_)
    for (std::size_t k = 0; k < rows_->contacts(); ++k) {
      const Direction aim = find_aim(at, k);
      if (has_plane(k) && std::hypot(aim[0], aim[1]) > at.alpha[k]) guess_sliding(k, aim);
    }
  is_cold_ = false;
  last_ = solution_.x;
  set_target(at, settings_.eps);
  set_bounds(at);
  const QpReport report = solve_surely({pdasm_, qp_, solution_, settings_.eps}, context,
                                       [&](double eps) { set_diagonal(eps), set_target(at, eps); });
  read_answer(at);
  return report;
}

}  // namespace cairn
