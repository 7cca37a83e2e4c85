// SPDX-License-Identifier: MIT
#include "cairn/solvers/acceleration.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

namespace cairn {

namespace {

using Vector = std::vector<double>;
constexpr std::int64_t kChunk = 8192;

/// sum over i of term(i), in fixed chunks: the rounding depends on the length alone.
template <class Term>
double sum(ThreadPool* pool, std::size_t size, Term&& term) {
  return parallel_reduce(
      pool, static_cast<std::int64_t>(size), kChunk, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double total = 0;
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) total += term(i);
        return total;
      },
      [](double a, double b) { return a + b; });
}

/// work(i) for every i.
template <class Work>
void each(ThreadPool* pool, std::size_t size, Work&& work) {
  parallel_for(pool, static_cast<std::int64_t>(size), kChunk, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) work(i);
  });
}

class Nesterov : public Accelerator {
 public:
  bool propose(std::span<const double> y, std::span<const double> swept, std::span<double> next,
               ThreadPool* pool) override {
    if (std::exchange(is_first_, false)) {
      last_.assign(swept.begin(), swept.end());
      return false;
    }
    // The restart test (y - z') . (z' - z) > 0: the momentum leads away from where the sweep went.
    const double against =
        sum(pool, y.size(), [&](std::size_t i) { return weight_[i] * (y[i] - swept[i]) * (swept[i] - last_[i]); });
    const bool restart = against > 0;
    const double theta = restart ? 1.0 : 0.5 * (1 + std::sqrt(1 + 4 * theta_ * theta_));
    const double momentum = restart ? 0.0 : (theta_ - 1) / theta;
    each(pool, y.size(), [&](std::size_t i) {
      next[i] = swept[i] + momentum * (swept[i] - last_[i]);
      last_[i] = swept[i];
    });
    restarts_ += restart ? 1 : 0;
    theta_ = theta;
    return momentum > 0;
  }

 private:
  void forget() override {
    is_first_ = true;
    theta_ = 1;
  }

  Vector last_;  ///< the last swept iterate z
  bool is_first_ = true;
  double theta_ = 1;
};

class Anderson : public Accelerator {
 public:
  explicit Anderson(int depth) : columns_(static_cast<std::size_t>(std::clamp(depth, 1, kMostDepth))) {}

  bool propose(std::span<const double> x, std::span<const double> swept, std::span<double> next,
               ThreadPool* pool) override {
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
    return used_ > 0 && combine(next, pool);
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
      const Column& column = columns_[static_cast<std::size_t>(i)];
      for (Eigen::Index j = 0; j <= i; ++j) normal(i, j) = normal(j, i) = column.products[static_cast<std::size_t>(j)];
      right(i) = product(column.step, last_step_, pool);
    }
    // Tikhonov: keeps the fit bounded when the last steps are nearly parallel.
    normal.diagonal().array() += 1e-10 * normal.trace() / static_cast<double>(m);
    const SmallVector gamma = normal.ldlt().solve(right);
    if (!gamma.allFinite()) return false;
    each(pool, next.size(), [&](std::size_t i) {
      double value = last_swept_[i];
      for (Eigen::Index j = 0; j < m; ++j) value -= gamma(j) * columns_[static_cast<std::size_t>(j)].swept[i];
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
  bool propose(std::span<const double> x, std::span<const double> swept, std::span<double> next,
               ThreadPool* pool) override {
    const std::size_t size = x.size();
    const double length2 = sum(pool, size, [&](std::size_t i) {
      const double gradient = x[i] - swept[i];
      return weight_[i] * gradient * gradient;
    });
    const bool first = std::exchange(is_first_, false);
    const double beta = first ? 0.0 : (last_length2_ > 0 ? length2 / last_length2_ : 2.0);
    last_length2_ = length2;
    if (first) direction_.assign(size, 0.0);
    if (beta > 1) {
      std::fill(direction_.begin(), direction_.end(), 0.0);
      ++restarts_;
      return false;
    }
    each(pool, size, [&](std::size_t i) {
      next[i] = swept[i] + beta * direction_[i];
      direction_[i] = beta * direction_[i] + (swept[i] - x[i]);
    });
    return !first;
  }

 private:
  void forget() override {
    is_first_ = true;
    last_length2_ = 0;
  }

  Vector direction_;
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
