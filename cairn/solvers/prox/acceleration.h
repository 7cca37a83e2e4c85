// SPDX-License-Identifier: MIT
// Acceleration of a fixed-point iteration x <- S(x): from where to sweep next, given where the last sweeps led.
//
//   nesterov  y = z' + (theta-1)/theta' (z' - z), momentum dropped when it points against the last step
//             (O'Donoghue and Candes 2015, gradient-free form) or the steps grow
//   anderson  y = sum alpha_i S(x_i), the alpha_i (sum 1) that minimise |sum alpha_i (S(x_i) - x_i)| over the last
//             iterates (Walker and Ni 2011); history dropped when the step length grows
//   nncg      y = S(x) + beta p, p <- beta p - (x - S(x)), beta = |g'|^2/|g|^2 (Silcowitz, Niebe, Erleben 2010)
//
// Every proposal is a linear combination of iterates, and what depends linearly on lambda can follow it: w = M^-1 J^T
// lambda is combined with the same factors instead of being computed anew, which costs half a sweep. That needs
// proposals that are not projected on the admissible set; the sweep that starts there does so. An accelerator serves
// one solve after the other and keeps its memory. Inner products are weighted (Sweep::weights) and summed in a fixed
// order, so the result has the same bits for any number of threads.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/solvers/prox/prox_settings.h"

namespace cairn {

/// lambda and what follows it linearly; the second may be empty.
using Iterate = std::array<std::span<double>, 2>;
using ConstIterate = std::array<std::span<const double>, 2>;

class Accelerator {
 public:
  virtual ~Accelerator() = default;

  /// `x` is where the last sweep started, `iterate` = S(x). Moves it to the start of the next sweep, which may leave
  /// the admissible set, and returns true; or leaves it as it is and returns false.
  virtual bool propose(const ConstIterate& x, const Iterate& iterate, ThreadPool* pool) = 0;

  /// Whether the second part of an iterate is moved too; else lambda is to be projected and the rest computed anew.
  virtual bool is_followed() const { return true; }

  /// Forgets everything but its memory; `weight` (copied) is that of lambda in the next iteration. Must precede it.
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
