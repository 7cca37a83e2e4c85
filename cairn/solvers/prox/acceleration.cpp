// SPDX-License-Identifier: MIT
#include "cairn/solvers/prox/acceleration.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cairn/core/index.h"

namespace cairn {

namespace {

using Vector = std::vector<double>;
using Kept = std::array<Vector, 2>;  ///< a remembered iterate
constexpr std::int64_t kChunk = 8192;

/// sum over i of term(i), in fixed chunks: the rounding depends on the length alone.
template <class Term>
double sum(ThreadPool* pool, std::size_t size, Term&& term) {
  return parallel_reduce(
      pool, static_cast<std::int64_t>(size), kChunk, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double total = 0;
        for (auto i = to_index(begin); i < to_index(end); ++i) total += term(i);
        return total;
      },
      [](double a, double b) { return a + b; });
}

/// work(i) for every i.
template <class Work>
void each(ThreadPool* pool, std::size_t size, Work&& work) {
  for_each_index(pool, size, kChunk, [&](std::size_t i) { work(i); });
}

class Nesterov : public Accelerator {
 public:
  bool propose(const ConstIterate& x, const Iterate& iterate, ThreadPool* pool) override {
    const auto& [y, swept] = std::pair(x[0], iterate[0]);
    if (std::exchange(is_first_, false)) {
      for (std::size_t part = 0; part < last_.size(); ++part)
        last_[part].assign(iterate[part].begin(), iterate[part].end());
      return false;
    }
    const Comparison c = compare(y, swept, pool);
    const bool grows = c.length2 > kGrowth * least_length2_;
    const bool restart = grows || c.against > 0;
    if (grows)
      most_theta_ = std::max(1.0, 0.5 * theta_);
    else if (c.length2 < least_ever_)
      least_ever_ = c.length2, most_theta_ *= kRecovery;
    least_length2_ = restart ? std::numeric_limits<double>::infinity() : std::min(least_length2_, c.length2);
    const double theta = restart ? 1.0 : std::min(most_theta_, 0.5 * (1 + std::sqrt(1 + 4 * theta_ * theta_)));
    const double momentum = restart ? 0.0 : (theta_ - 1) / theta;
    for (std::size_t part = 0; part < last_.size(); ++part) {
      each(pool, last_[part].size(), [next = iterate[part].data(), last = last_[part].data(), momentum](std::size_t i) {
        const double z = next[i];
        next[i] = z + momentum * (z - last[i]);
        last[i] = z;
      });
    }
    restarts_ += restart ? 1 : 0;
    theta_ = theta;
    return momentum > 0;
  }

 private:
  /// The restart tests. `against` = (y - z') . (z' - z) > 0: the momentum leads away from where the sweep went. It does
  /// not see all that goes wrong: with friction that slides the iterates can grow in step with the momentum for
  /// hundreds of sweeps. Then `length2` = |y - z'|^2, which should shrink, grows.
  struct Comparison {
    double against = 0, length2 = 0;
  };
  static constexpr double kGrowth = 4.0;  // of length2; 2 restarts too often on fracture_277, 16 too late on chess_1000

  static constexpr double kRecovery = 1.02;  // of most_theta_, per sweep that came closer than any before

  Comparison compare(std::span<const double> y, std::span<const double> swept, ThreadPool* pool) const {
    return parallel_reduce(
        pool, static_cast<std::int64_t>(y.size()), kChunk, Comparison{},
        [&](std::int64_t begin, std::int64_t end) {
          Comparison total;
          for (auto i = to_index(begin); i < to_index(end); ++i) {
            const double step = weight_[i] * (y[i] - swept[i]);
            total.against += step * (swept[i] - last_[0][i]);
            total.length2 += step * (y[i] - swept[i]);
          }
          return total;
        },
        [](const Comparison& a, const Comparison& b) {
          return Comparison{a.against + b.against, a.length2 + b.length2};
        });
  }

  void forget() override {
    is_first_ = true;
    least_length2_ = least_ever_ = most_theta_ = std::numeric_limits<double>::infinity();
    theta_ = 1;
  }

  Kept last_;  ///< the last swept iterate z
  bool is_first_ = true;
  double least_length2_ = 0;  ///< since the last restart
  double least_ever_ = 0;     ///< in this solve
  double most_theta_ = 0;     ///< half of where the steps last grew: they are to come to rest, not to grow in cycles
  double theta_ = 1;
};

class Anderson : public Accelerator {
 public:
  explicit Anderson(int depth) : columns_(to_index(std::clamp(depth, 1, kMostDepth))) {}

  // A combination of many iterates may leave the admissible set by far: it is projected, and nothing can follow it.
  bool is_followed() const override { return false; }

  bool propose(const ConstIterate& start, const Iterate& iterate, ThreadPool* pool) override {
    const std::span<const double> x = start[0];
    const std::span<double> swept = iterate[0];
    const std::size_t size = x.size();
    const double length2 = sum(pool, size, [&](std::size_t i) {
      const double step = swept[i] - x[i];
      return weight_[i] * step * step;
    });
    // A step much longer than the last means that the set of active contacts has changed: what was learned is stale.
    constexpr double kGrowth = 4.0;
    if (length2 > kGrowth * last_length2_ && used_ > 0) {
      used_ = 0;
      ++restarts_;
    } else if (!std::exchange(is_first_, false)) {
      remember(x, swept, pool);
    }
    last_length2_ = length2;
    last_step_.resize(size), last_swept_.resize(size);
    each(pool, size, [&](std::size_t i) {
      last_step_[i] = swept[i] - x[i];
      last_swept_[i] = swept[i];
    });
    return used_ > 0 && combine(swept, pool);
  }

 private:
  /// One remembered pair of iterates: the change of the step f = S(x) - x and of S(x), and the products of the former
  /// with those of the columns before it.
  struct Column {
    Vector step, swept, products;
  };

  /// All columns get their memory now: how many a solve uses depends on its restarts, and a later one may use more.
  void forget() override {
    used_ = 0;
    is_first_ = true;
    last_length2_ = 0;
    for (Column& column : columns_) {
      column.step.reserve(weight_.size()), column.swept.reserve(weight_.size());
      column.products.reserve(columns_.size());
    }
  }

  void remember(std::span<const double> x, std::span<const double> swept, ThreadPool* pool) {
    if (used_ == columns_.size()) {
      std::rotate(columns_.begin(), columns_.begin() + 1, columns_.end());  // the oldest becomes the newest
      --used_;
      for (std::size_t i = 0; i < used_; ++i) columns_[i].products.erase(columns_[i].products.begin());
    }
    Column& column = columns_[used_];
    column.step.resize(x.size()), column.swept.resize(x.size());
    each(pool, x.size(), [&](std::size_t i) {
      column.step[i] = swept[i] - x[i] - last_step_[i];
      column.swept[i] = swept[i] - last_swept_[i];
    });
    column.products.clear();
    column.products.reserve(columns_.size());
    for (std::size_t i = 0; i < used_; ++i) column.products.push_back(product(column.step, columns_[i].step, pool));
    column.products.push_back(product(column.step, column.step, pool));
    ++used_;
  }

  double product(const Vector& a, const Vector& b, ThreadPool* pool) const {
    return sum(pool, a.size(), [&](std::size_t i) { return weight_[i] * a[i] * b[i]; });
  }

  /// next = S(x) - sum gamma_j dS_j with gamma = argmin |f - sum gamma_j df_j|. False when the fit breaks down.
  bool combine(std::span<double> next, ThreadPool* pool) const {
    // Of any size up to the largest, on the stack.
    using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostDepth, kMostDepth>;
    using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostDepth, 1>;
    const auto m = static_cast<Eigen::Index>(used_);
    SmallMatrix normal(m, m);
    SmallVector right(m);
    for (Eigen::Index i = 0; i < m; ++i) {
      const Column& column = columns_[to_index(i)];
      for (Eigen::Index j = 0; j <= i; ++j) normal(i, j) = normal(j, i) = column.products[to_index(j)];
      right(i) = product(column.step, last_step_, pool);
    }
    // Tikhonov: keeps the fit bounded when the last steps are nearly parallel.
    normal.diagonal().array() += 1e-10 * normal.trace() / static_cast<double>(m);
    const SmallVector gamma = normal.ldlt().solve(right);
    if (!gamma.allFinite()) return false;
    each(pool, next.size(), [&](std::size_t i) {
      double value = last_swept_[i];
      for (Eigen::Index j = 0; j < m; ++j) value -= gamma(j) * columns_[to_index(j)].swept[i];
      next[i] = value;
    });
    return true;
  }

  Vector last_step_, last_swept_;
  std::vector<Column> columns_;  ///< `depth` of them, the oldest first; those from used_ on only keep their memory
  std::size_t used_ = 0;
  bool is_first_ = true;
  double last_length2_ = 0;
};

class Nncg : public Accelerator {
 public:
  bool propose(const ConstIterate& x, const Iterate& iterate, ThreadPool* pool) override {
    const double length2 = sum(pool, x[0].size(), [&](std::size_t i) {
      const double gradient = x[0][i] - iterate[0][i];
      return weight_[i] * gradient * gradient;
    });
    const bool first = std::exchange(is_first_, false);
    const double beta = first ? 0.0 : (last_length2_ > 0 ? length2 / last_length2_ : 2.0);
    last_length2_ = length2;
    if (first || beta > 1)
      for (std::size_t part = 0; part < iterate.size(); ++part) direction_[part].assign(iterate[part].size(), 0.0);
    if (beta > 1) {
      ++restarts_;
      return false;
    }
    for (std::size_t part = 0; part < iterate.size(); ++part) {
      each(pool, iterate[part].size(),
           [&, next = iterate[part].data(), direction = direction_[part].data()](std::size_t i) {
             const double swept = next[i];
             next[i] = swept + beta * direction[i];
             direction[i] = beta * direction[i] + (swept - x[part][i]);
           });
    }
    return !first;
  }

 private:
  void forget() override {
    is_first_ = true;
    last_length2_ = 0;
  }

  Kept direction_;
  bool is_first_ = true;
  double last_length2_ = 0;
};

}  // namespace

std::unique_ptr<Accelerator> make_accelerator(Acceleration kind, int depth) {
  switch (kind) {
    case Acceleration::none: return nullptr;
    case Acceleration::nesterov: return std::make_unique<Nesterov>();
    case Acceleration::anderson: return std::make_unique<Anderson>(depth);
    case Acceleration::nncg: return std::make_unique<Nncg>();
  }
  return nullptr;
}

}  // namespace cairn
