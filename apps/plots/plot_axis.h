// SPDX-License-Identifier: MIT
// One axis of a plot: its range in round numbers, where the grid lines go and what stands beside them.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace cairn::cli {

/// What the data need, gathered point by point; empty until the first.
struct DataRange {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();

  bool empty() const { return lowest > highest; }
  void include(double value);
};

/// A labelled grid line. Powers of ten are written as such: label "10", power "-8"; otherwise power is empty.
struct Tick {
  double value = 0;
  std::string label;
  std::string power;
};

struct Axis {
  bool log = false;
  double low = 0, high = 1;   ///< the range; low < high, both positive on a log axis
  std::vector<Tick> ticks;    ///< ascending, within the range
  std::vector<double> minor;  ///< grid lines without a label
  int exponent = 0;           ///< labels are in units of 10^exponent

  bool accepts(double value) const;  ///< finite, and positive on a log axis
  double place(double value) const;  ///< 0 at low, 1 at high; beyond them outside
};

/// The range widened to multiples of a step 1, 2 or 5 times a power of ten, with about `wanted` steps.
Axis linear_axis(DataRange range, int wanted = 6);

/// The range widened to 1, 2 or 5 times a power of ten; labels at powers of ten.
Axis log_axis(DataRange range);

/// A number of a data point for reading: up to six digits.
std::string short_number(double value);

}  // namespace cairn::cli
