// SPDX-License-Identifier: MIT
// Acceleration of a fixed-point iteration x <- S(x): from where to sweep next, given where the last sweeps led.
//
//   nesterov  y = z' + (theta-1)/theta' (z' - z), momentum dropped when it points against the last step
//             (O'Donoghue and Candes 2015, gradient-free form)
//   anderson  y = sum alpha_i S(x_i), the alpha_i (sum 1) that minimise |sum alpha_i (S(x_i) - x_i)| over the last
//             iterates (Walker and Ni 2011); history dropped when the step length grows
//   nncg      y = S(x) + beta p, p <- beta p - (x - S(x)), beta = |g'|^2/|g|^2 (Silcowitz, Niebe, Erleben 2010)
//
// An accelerator serves one solve after the other and keeps its memory.
// Inner products are weighted (Sweep::weights) and summed in a fixed order, so the result has the same bits for any
// number of threads.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/solvers/prox_settings.h"

namespace cairn {

class Accelerator {
 public:
  virtual ~Accelerator() = default;

  /// `x` is where the last sweep started, `swept` = S(x). Writes the start of the next sweep to `next` (which may leave
  /// the admissible set: project it) and returns true, or returns false when the next sweep should start from `swept`.
  virtual bool propose(std::span<const double> x, std::span<const double> swept, std::span<double> next,
                       ThreadPool* pool) = 0;

  /// Forgets everything but its memory; `weight` (copied) is that of the next iteration. Must precede it.
  void reset(std::span<const double> weight) {
    weight_.assign(weight.begin(), weight.end());
    restarts_ = 0;
    forget();
  }

  int restarts() const { return restarts_; }

 protected:
  virtual void forget() = 0;

  std::vector<double> weight_;
  int restarts_ = 0;
};

inline constexpr int kMostDepth = 50;  ///< of anderson

/// None for Acceleration::none.
std::unique_ptr<Accelerator> make_accelerator(Acceleration kind, int depth);

}  // namespace cairn
