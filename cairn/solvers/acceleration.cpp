// SPDX-License-Identifier: MIT
#include "cairn/solvers/acceleration.h"

#include <Eigen/Dense>
#include <cmath>

namespace cairn {

namespace {

/// sum_i weight_i a_i b_i, in fixed chunks so that the rounding does not depend on anything but the length.
double dot(std::span<const double> weight, std::span<const double> a, std::span<const double> b) {
  constexpr std::size_t kChunk = 4096;
  double total = 0;
  for (std::size_t start = 0; start < a.size(); start += kChunk) {
    double sum = 0;
    const std::size_t end = std::min(a.size(), start + kChunk);
    for (std::size_t i = start; i < end; ++i) sum += weight[i] * a[i] * b[i];
    total += sum;
  }
  return total;
}

class Nesterov : public Accelerator {
 public:
  explicit Nesterov(std::span<const double> weight) : weight_(weight.begin(), weight.end()) {}

  bool propose(std::span<const double> y, std::span<const double> swept, std::span<double> next) override {
    const std::size_t size = y.size();
    if (last_.empty()) {
      last_.assign(swept.begin(), swept.end());
      return false;
    }
    // The restart test (y - z') . (z' - z) > 0: the momentum leads away from where the sweep went.
    double against = 0;
    for (std::size_t i = 0; i < size; ++i) against += weight_[i] * (y[i] - swept[i]) * (swept[i] - last_[i]);
    const bool restart = against > 0;
    const double theta = restart ? 1.0 : 0.5 * (1 + std::sqrt(1 + 4 * theta_ * theta_));
    const double momentum = restart ? 0.0 : (theta_ - 1) / theta;
    for (std::size_t i = 0; i < size; ++i) next[i] = swept[i] + momentum * (swept[i] - last_[i]);
    restarts_ += restart ? 1 : 0;
    theta_ = theta;
    last_.assign(swept.begin(), swept.end());
    return momentum > 0;
  }

 private:
  std::vector<double> weight_, last_;  ///< last_: the last swept iterate z
  double theta_ = 1;
};

class Anderson : public Accelerator {
 public:
  Anderson(std::span<const double> weight, int depth) : weight_(weight.begin(), weight.end()), depth_(depth) {}

  bool propose(std::span<const double> x, std::span<const double> swept, std::span<double> next) override {
    std::vector<double> step(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) step[i] = swept[i] - x[i];
    const double length2 = dot(weight_, step, step);
    // A step much longer than the last means that the set of active contacts has changed: what was learned is stale.
    constexpr double kGrowth = 4.0;
    if (length2 > kGrowth * last_length2_ && !step_change_.empty()) {
      step_change_.clear(), swept_change_.clear();
      ++restarts_;
    } else if (!last_step_.empty()) {
      remember(step, swept);
    }
    last_step_ = step;
    last_swept_.assign(swept.begin(), swept.end());
    last_length2_ = length2;
    if (step_change_.empty()) return false;
    combine(step, swept, next);
    return true;
  }

 private:
  void remember(std::span<const double> step, std::span<const double> swept) {
    if (static_cast<int>(step_change_.size()) == depth_) {
      step_change_.erase(step_change_.begin());
      swept_change_.erase(swept_change_.begin());
    }
    std::vector<double> df(step.size()), dg(step.size());
    for (std::size_t i = 0; i < step.size(); ++i) {
      df[i] = step[i] - last_step_[i];
      dg[i] = swept[i] - last_swept_[i];
    }
    step_change_.push_back(std::move(df));
    swept_change_.push_back(std::move(dg));
  }

  /// next = swept - sum gamma_j (change of swept)_j with gamma = argmin |step - sum gamma_j (change of step)_j|.
  void combine(std::span<const double> step, std::span<const double> swept, std::span<double> next) const {
    const auto m = static_cast<Eigen::Index>(step_change_.size());
    Eigen::MatrixXd normal(m, m);
    Eigen::VectorXd right(m);
    for (Eigen::Index i = 0; i < m; ++i) {
      const auto& fi = step_change_[static_cast<std::size_t>(i)];
      for (Eigen::Index j = 0; j <= i; ++j)
        normal(i, j) = normal(j, i) = dot(weight_, fi, step_change_[static_cast<std::size_t>(j)]);
      right(i) = dot(weight_, fi, step);
    }
    // Tikhonov: keeps the fit bounded when the last steps are nearly parallel.
    normal.diagonal().array() += 1e-10 * normal.trace() / static_cast<double>(m);
    const Eigen::VectorXd gamma = normal.ldlt().solve(right);
    std::copy(swept.begin(), swept.end(), next.begin());
    if (!gamma.allFinite()) return;
    for (Eigen::Index j = 0; j < m; ++j) {
      const auto& dg = swept_change_[static_cast<std::size_t>(j)];
      for (std::size_t i = 0; i < next.size(); ++i) next[i] -= gamma(j) * dg[i];
    }
  }

  std::vector<double> weight_, last_step_, last_swept_;
  std::vector<std::vector<double>> step_change_, swept_change_;  ///< at most depth_ columns
  double last_length2_ = 0;
  int depth_;
};

class Nncg : public Accelerator {
 public:
  explicit Nncg(std::span<const double> weight) : weight_(weight.begin(), weight.end()) {}

  bool propose(std::span<const double> x, std::span<const double> swept, std::span<double> next) override {
    const std::size_t size = x.size();
    std::vector<double> gradient(size);
    for (std::size_t i = 0; i < size; ++i) gradient[i] = x[i] - swept[i];
    const double length2 = dot(weight_, gradient, gradient);
    if (direction_.empty()) {
      direction_.resize(size);
      for (std::size_t i = 0; i < size; ++i) direction_[i] = -gradient[i];
      last_length2_ = length2;
      return false;
    }
    const double beta = last_length2_ > 0 ? length2 / last_length2_ : 2.0;
    last_length2_ = length2;
    if (beta > 1) {
      std::fill(direction_.begin(), direction_.end(), 0.0);
      ++restarts_;
      return false;
    }
    for (std::size_t i = 0; i < size; ++i) {
      next[i] = swept[i] + beta * direction_[i];
      direction_[i] = beta * direction_[i] - gradient[i];
    }
    return true;
  }

 private:
  std::vector<double> weight_, direction_;
  double last_length2_ = 0;
};

}  // namespace

std::unique_ptr<Accelerator> make_accelerator(Acceleration kind, int depth, std::span<const double> weight) {
  switch (kind) {
    case Acceleration::none: return nullptr;
    case Acceleration::nesterov: return std::make_unique<Nesterov>(weight);
    case Acceleration::anderson: return std::make_unique<Anderson>(weight, depth);
    case Acceleration::nncg: return std::make_unique<Nncg>(weight);
  }
  return nullptr;
}

}  // namespace cairn
