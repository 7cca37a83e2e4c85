// SPDX-License-Identifier: MIT
#include "cairn/solvers/ldl/ldl_factor.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/simd/simd.h"
#include "cairn/solvers/ldl/ldl_kernels.h"

namespace cairn {

namespace {

constexpr std::int32_t kSlack = 8;  // products write whole chunks: zeros beyond the last value

/// M^-1 times a row of a Jacobian: (linear, angular) -> m^-1 linear, I^-1 angular.
template <class Entry>
inline void weigh_row(const Entry (&mass)[7], const Entry (&j)[6], Entry (&w)[6]) {
  for (int m = 0; m < 3; ++m) w[m] = mass[0] * j[m];
  w[3] = mass[1] * j[3] + mass[4] * j[4] + mass[5] * j[5];
  w[4] = mass[4] * j[3] + mass[2] * j[4] + mass[6] * j[5];
  w[5] = mass[5] * j[3] + mass[6] * j[4] + mass[3] * j[5];
}

inline void root(const double& value, double& result) { result = std::sqrt(std::max(value, 0.0)); }
inline void root(const Double8& value, Double8& result) {
  for (int i = 0; i < 8; ++i) result[i] = std::sqrt(std::max(value[i], 0.0));
}
/// a / b, or 0 where b is not positive.
inline void ratio(const double& a, const double& b, double& result) { result = b > 0 ? a / b : 0.0; }
inline void ratio(const Double8& a, const Double8& b, Double8& result) {
  const Double8 zero{};
  result = b > zero ? a / b : zero;
}

/// Most rows are rigid.
double softness_of(const JointProblem& problem, const JointRow& row) {
  return row.compliance > 0 ? joint_softness(*problem.law, row) : 0.0;
}

bool is_joint(LdlSideKind kind) { return kind == LdlSideKind::joint_a || kind == LdlSideKind::joint_b; }

}  // namespace

void LdlFactor::resize(Array& array, std::int64_t entries) const {
  array.assign(to_index(std::max<std::int64_t>(entries * lanes_, 1) + 7) / 8, Line{});
}

void LdlFactor::reset(std::shared_ptr<const LdlProgram> program, int lanes) {
  CAIRN_ASSERT(lanes == 1 || lanes == kLdlLanes);
  if (program == program_ && lanes == lanes_) return;
  program_ = std::move(program);
  lanes_ = lanes;
  const std::int64_t rows = program_->row_count(), bodies = program_->structure().body_count();
  const auto sides = static_cast<std::int64_t>(program_->sides().size());
  resize(jacobian_, sides * 6 * stride_of(lanes_));
  resize(mass_, bodies * 7);
  for (Array* array : {&softness_, &scale_, &active_, &rhs_, &impulse_, &rest_}) resize(*array, rows);
  resize(values_, program_->value_count() + kSlack);
  for (Array* array : {&inverse_, &threshold_}) resize(*array, program_->unknowns());
  resize(x_, program_->unknowns() + 1);
  resize(scratch_, std::int64_t{12} * program_->tallest() + kSlack);
  resize(wrench_, bodies * 6);
  resize(dropped_, 1);
  // Shards are glued by rows that are the same for every mechanism.
  for (std::size_t s = 0; s < program_->sides().size(); ++s) {
    const LdlSideKind kind = program_->sides()[s].kind;
    if (kind != LdlSideKind::shard_front && kind != LdlSideKind::shard_back) continue;
    for (int m = 0; m < 6; ++m)
      for (int lane = 0; lane < lanes_; ++lane)
        jacobian(static_cast<std::int32_t>(s))[(m * stride_of(lanes_) + m) * lanes_ + lane] =
            kind == LdlSideKind::shard_front ? 1.0 : -1.0;
  }
}

/// Lane by lane: what is read lies one behind the other, and what is written stays at hand.
template <class Mode>
void LdlFactor::load_lanes(const JointProblem& problem, const Lanes& lanes, std::span<const std::uint8_t> is_active) {
  constexpr int kLanes = Mode::kLanes;
  for (std::size_t b = 0; b < lanes[0]->bodies.size(); ++b)
    for (std::size_t lane = 0; lane < to_index(kLanes); ++lane) {
      const ProblemBody& body = problem.bodies[to_index(lanes[lane]->bodies[b])];
      const SymMat3& i = body.inverse_inertia;
      const double numbers[7] = {body.inverse_mass, i.xx, i.yy, i.zz, i.xy, i.xz, i.yz};
      double* to = data(mass_) + b * 7 * kLanes + lane;
      for (std::size_t m = 0; m < 7; ++m) to[m * kLanes] = numbers[m];
    }
  const auto put_side = [](double* to, const Vec3& linear, const Vec3& angular) {
    constexpr int kColumn = stride_of(kLanes) * kLanes;
    to[0] = linear.x, to[kColumn] = linear.y, to[2 * kColumn] = linear.z;
    to[3 * kColumn] = angular.x, to[4 * kColumn] = angular.y, to[5 * kColumn] = angular.z;
  };
  const ProblemBody still;
  const auto body_of = [&](std::int32_t side, std::size_t lane) -> const ProblemBody& {
    if (side < 0) return still;
    const std::int32_t body = program_->sides()[to_index(side)].body;
    return problem.bodies[to_index(lanes[lane]->bodies[to_index(body)])];
  };
  for (const LdlBlockSides& block : program_->block_sides())
    for (std::size_t lane = 0; lane < to_index(kLanes); ++lane) {
      const ProblemBody &body_a = body_of(block.side_a, lane), &body_b = body_of(block.side_b, lane);
      const std::int32_t* rows = &lanes[lane]->rows[to_index(block.first_row)];
      double* side_a = block.side_a >= 0 ? jacobian(block.side_a) + lane : nullptr;
      double* side_b = block.side_b >= 0 ? jacobian(block.side_b) + lane : nullptr;
      double* softness = data(softness_) + kLanes * std::ptrdiff_t{block.first_row} + lane;
      double* active = data(active_) + kLanes * std::ptrdiff_t{block.first_row} + lane;
      for (std::int32_t k = 0; k < block.degree; ++k) {
        const auto index = to_index(rows[k]);
        const JointRow& from = problem.joint_rows[index];
        softness[kLanes * k] = softness_of(problem, from);
        const bool acts = softness[kLanes * k] > 0 || moves_bodies(body_a, body_b, from);
        active[kLanes * k] = is_active[index] != 0 && acts ? 1.0 : 0.0;
        if (side_a != nullptr) put_side(side_a + kLanes * k, from.linear_a, from.angular_a);
        if (side_b != nullptr) put_side(side_b + kLanes * k, from.linear_b, from.angular_b);
      }
    }
}

void LdlFactor::load(const JointProblem& problem, std::span<const LdlMechanism* const> mechanisms,
                     std::span<const std::uint8_t> is_active) {
  CAIRN_ASSERT(!mechanisms.empty() && mechanisms.size() <= to_index(lanes_));
  Lanes lanes{};
  for (std::size_t lane = 0; lane < lanes.size(); ++lane)
    lanes[lane] = mechanisms[std::min(lane, mechanisms.size() - 1)];
  if (lanes_ == 1) return load_lanes<LdlSingle>(problem, lanes, is_active);
  load_lanes<LdlBatch>(problem, lanes, is_active);
}

/// S with S S^T = M^-1 of each hub, by rows of S^T; Cholesky that takes singular matrices.
template <class Mode>
void LdlFactor::find_hub_factors() {
  using Entry = typename Mode::Entry;
  constexpr int kLanes = Mode::kLanes;
  for (std::size_t s = 0; s < program_->sides().size(); ++s) {
    const LdlSide& side = program_->sides()[s];
    if (side.kind != LdlSideKind::hub) continue;
    Entry mass[7], linear, c[3][3], rest;
    for (int m = 0; m < 7; ++m) get_lanes(data(mass_) + kLanes * (side.body * 7 + m), mass[m]);
    root(mass[0], linear);
    root(mass[1], c[0][0]);
    ratio(mass[4], c[0][0], c[1][0]);
    ratio(mass[5], c[0][0], c[2][0]);
    rest = mass[2] - c[1][0] * c[1][0];
    root(rest, c[1][1]);
    rest = mass[6] - c[2][0] * c[1][0];
    ratio(rest, c[1][1], c[2][1]);
    rest = mass[3] - c[2][0] * c[2][0] - c[2][1] * c[2][1];
    root(rest, c[2][2]);
    double* to = jacobian(static_cast<std::int32_t>(s));
    for (int m = 0; m < 3; ++m) put_lanes(linear, to + kLanes * (m * stride_of(kLanes) + m));
    for (int m = 0; m < 3; ++m)
      for (int k = 0; k <= m; ++k) put_lanes(c[m][k], to + kLanes * ((3 + m) * stride_of(kLanes) + 3 + k));
  }
}

/// The right factor of a side, J M^-1 or J by rows of six, and its part of the diagonal of H.
template <class Mode>
inline void LdlFactor::weigh(std::int32_t side_index, double* right) {
  using Entry = typename Mode::Entry;
  constexpr int kLanes = Mode::kLanes;
  const LdlSide& side = program_->sides()[to_index(side_index)];
  const double* from = jacobian(side_index);
  Entry mass[7], j[6], w[6], scale;
  for (int m = 0; m < 7; ++m) get_lanes(data(mass_) + kLanes * (side.body * 7 + m), mass[m]);
  for (int i = 0; i < side.degree; ++i) {
    for (int m = 0; m < 6; ++m) get_lanes(from + kLanes * (m * stride_of(kLanes) + i), j[m]);
    weigh_row(mass, j, w);
    if (is_joint(side.kind)) {
      double* to = data(scale_) + kLanes * (side.first_row + i);
      get_lanes(to, scale);
      for (int m = 0; m < 6; ++m) scale += w[m] * j[m];
      put_lanes(scale, to);
    }
    for (int m = 0; m < 6; ++m) {
      const Entry value = side.is_weighted ? w[m] * side.weight : j[m];
      put_lanes(value, right + kLanes * (i * 6 + m));
    }
  }
}

/// H, one right factor after the other.
template <class Mode>
void LdlFactor::add_products() {
  constexpr int kLanes = Mode::kLanes;
  alignas(64) double right[36 * kLanes];
  typename Mode::Entry r[6];
  typename Mode::Chunk sum, part;
  std::fill(scale_.begin(), scale_.end(), Line{});
  const auto sides = static_cast<std::int32_t>(program_->sides().size());
  for (std::int32_t s = 0; s < sides; ++s) {
    weigh<Mode>(s, right);
    const std::int32_t columns = program_->sides()[to_index(s)].degree;
    const std::int32_t end = program_->first_product()[to_index(s) + 1];
    for (std::int32_t p = program_->first_product()[to_index(s)]; p < end; ++p) {
      const LdlProduct& product = program_->products()[to_index(p)];
      const std::int32_t rows = program_->sides()[to_index(product.left)].degree;
      const double* left = jacobian(product.left);
      for (std::int32_t k = 0; k < columns; ++k) {
        for (int m = 0; m < 6; ++m) get_lanes(right + kLanes * (k * 6 + m), r[m]);
        double* target = data(values_) + kLanes * (product.target + k * product.stride);
        for (std::int32_t i = product.is_diagonal ? k / Mode::kRows * Mode::kRows : 0; i < rows; i += Mode::kRows) {
          get_lanes(left + kLanes * i, part);
          sum = part * r[0];
          for (int m = 1; m < 6; ++m) {
            get_lanes(left + kLanes * (m * stride_of(kLanes) + i), part);
            sum += part * r[m];
          }
          get_lanes(target + kLanes * i, part);
          part += sum;
          put_lanes(part, target + kLanes * i);
        }
      }
    }
  }
}

/// Compliance, regularisation and thresholds; -1 for hubs.
template <class Mode>
void LdlFactor::finish_diagonal(const LdlRegularisation& regularisation) {
  using Entry = typename Mode::Entry;
  constexpr int kLanes = Mode::kLanes;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto [eps, drop] = regularisation;
  Entry value, threshold;
  for (std::size_t x = 0; x < program_->diagonal_of_x().size(); ++x) {  // what belongs to no joint: glue
    get_lanes(data(values_) + kLanes * program_->diagonal_of_x()[x], value);
    threshold = value * drop;
    put_lanes(threshold, data(threshold_) + kLanes * static_cast<std::ptrdiff_t>(x));
  }
  for (std::size_t row = 0; row < program_->row_x().size(); ++row) {
    const std::int32_t x = program_->row_x()[row];
    double* diagonal = data(values_) + kLanes * program_->diagonal_of_x()[to_index(x)];
    Entry softness, scale, active;
    const auto at = kLanes * static_cast<std::ptrdiff_t>(row);
    get_lanes(data(softness_) + at, softness);
    get_lanes(data(scale_) + at, scale);
    get_lanes(data(active_) + at, active);
    scale += softness;
    get_lanes(diagonal, value);
    value = value + softness + scale * eps;
    put_lanes(value, diagonal);
    // Infinite for masked rows. A row that moves nothing and yields to nothing has the threshold 0.
    threshold = scale * drop;
    for (int lane = 0; lane < kLanes; ++lane) {
      const bool is_active = data(active_)[at + lane] != 0;
      double& mine = reinterpret_cast<double*>(&threshold)[lane];
      if (!is_active) mine = kInfinity;
    }
    put_lanes(threshold, data(threshold_) + kLanes * x);
  }
  const Entry none{}, minus_infinity = none - kInfinity, minus_one = none - 1;
  for (const LdlPivot& pivot : program_->pivots())
    for (std::int32_t k = 0; pivot.is_hub && k < pivot.degree; ++k) {
      put_lanes(minus_one, data(values_) + kLanes * (pivot.diagonal + k * pivot.degree + k));
      put_lanes(minus_infinity, data(threshold_) + kLanes * (pivot.x + k));
    }
}

void LdlFactor::assemble(const LdlRegularisation& regularisation) {
  std::fill(values_.begin(), values_.end(), Line{});
  const auto work = [&]<class Mode>(Mode) {
    run_wide([&] {
      find_hub_factors<Mode>();
      add_products<Mode>();
      finish_diagonal<Mode>(regularisation);
    });
  };
  if (lanes_ == 1) return work(LdlSingle{});
  work(LdlBatch{});
}

void LdlFactor::decompose() {
  const LdlNumbers numbers{data(values_), data(inverse_), data(threshold_), data(x_), data(scratch_)};
  const auto work = [&]<class Mode>(Mode) {
    run_wide([&] {
      typename Mode::Entry dropped{};
      factor_all<Mode>(*program_, numbers, dropped);
      put_lanes(dropped, data(dropped_));
    });
  };
  if (lanes_ == 1) return work(LdlSingle{});
  work(LdlBatch{});
}

void LdlFactor::factor(const LdlRegularisation& regularisation) {
  assemble(regularisation);
  decompose();
}

std::int32_t LdlFactor::dropped_rows(int lane) const { return static_cast<std::int32_t>(dropped_[0].v[lane]); }

/// x <- (L D L^T)^-1 rhs. Unknowns that are no rows start from zero.
template <class Mode>
void LdlFactor::substitute(const double* rhs) {
  constexpr int kLanes = Mode::kLanes;
  typename Mode::Entry value;
  const std::vector<std::int32_t>& row_x = program_->row_x();
  if (program_->unknowns() > program_->row_count()) std::fill(x_.begin(), x_.end(), Line{});
  for (std::size_t row = 0; row < row_x.size(); ++row) {
    get_lanes(rhs + kLanes * static_cast<std::ptrdiff_t>(row), value);
    put_lanes(value, data(x_) + kLanes * row_x[row]);
  }
  solve_all<Mode>(*program_, {data(values_), data(inverse_), data(threshold_), data(x_), data(scratch_)});
}

/// impulse <- x, or impulse + x.
template <class Mode>
void LdlFactor::take_impulse(bool add, double* impulse) {
  constexpr int kLanes = Mode::kLanes;
  typename Mode::Entry value, old;
  for (std::int32_t row = 0; row < program_->row_count(); ++row) {
    get_lanes(data(x_) + kLanes * program_->row_x()[to_index(row)], value);
    get_lanes(impulse + kLanes * row, old);
    if (add) value += old;
    put_lanes(value, impulse + kLanes * row);
  }
}

/// rest = rhs - (J M^-1 J^T + G) impulse, over the rows of the joints.
template <class Mode>
void LdlFactor::subtract_product(const double* rhs, const double* impulse, double* rest) {
  using Entry = typename Mode::Entry;
  constexpr int kLanes = Mode::kLanes;
  std::fill(wrench_.begin(), wrench_.end(), Line{});
  const auto for_rows = [&](auto&& visit) {
    for (std::size_t s = 0; s < program_->sides().size(); ++s) {
      const LdlSide& side = program_->sides()[s];
      if (!is_joint(side.kind)) continue;
      const double* j = jacobian(static_cast<std::int32_t>(s));
      for (int i = 0; i < side.degree; ++i)
        visit(side.first_row + i, data(wrench_) + kLanes * side.body * 6, j + kLanes * i);
    }
  };
  Entry a, b, c;
  for_rows([&](int row, double* wrench, const double* j) {
    get_lanes(impulse + kLanes * row, a);
    for (int m = 0; m < 6; ++m) {
      get_lanes(j + kLanes * m * stride_of(kLanes), b);
      get_lanes(wrench + kLanes * m, c);
      c += a * b;
      put_lanes(c, wrench + kLanes * m);
    }
  });
  for (std::int32_t body = 0; body < program_->structure().body_count(); ++body) {
    Entry mass[7], p[6], w[6];
    for (int m = 0; m < 7; ++m) get_lanes(data(mass_) + kLanes * (body * 7 + m), mass[m]);
    for (int m = 0; m < 6; ++m) get_lanes(data(wrench_) + kLanes * (body * 6 + m), p[m]);
    weigh_row(mass, p, w);
    for (int m = 0; m < 6; ++m) put_lanes(w[m], data(wrench_) + kLanes * (body * 6 + m));
  }
  for (std::int32_t row = 0; row < program_->row_count(); ++row) {
    get_lanes(rhs + kLanes * row, a);
    get_lanes(data(softness_) + kLanes * row, b);
    get_lanes(impulse + kLanes * row, c);
    a -= b * c;
    put_lanes(a, rest + kLanes * row);
  }
  for_rows([&](int row, const double* wrench, const double* j) {
    get_lanes(rest + kLanes * row, a);
    for (int m = 0; m < 6; ++m) {
      get_lanes(j + kLanes * m * stride_of(kLanes), b);
      get_lanes(wrench + kLanes * m, c);
      a -= b * c;
    }
    put_lanes(a, rest + kLanes * row);
  });
}

template <class Mode>
void LdlFactor::solve_lanes(const double* rhs, double* impulse, int refinements) {
  substitute<Mode>(rhs);
  take_impulse<Mode>(false, impulse);
  for (int i = 0; i < refinements; ++i) {
    subtract_product<Mode>(rhs, impulse, data(rest_));
    substitute<Mode>(data(rest_));
    take_impulse<Mode>(true, impulse);
  }
}

void LdlFactor::solve(const double* rhs, double* impulse, int refinements) {
  const auto work = [&]<class Mode>(Mode) { run_wide([&] { solve_lanes<Mode>(rhs, impulse, refinements); }); };
  if (lanes_ == 1) return work(LdlSingle{});
  work(LdlBatch{});
}

}  // namespace cairn
