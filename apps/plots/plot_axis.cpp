// SPDX-License-Identifier: MIT
#include "apps/plots/plot_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cairn::cli {
namespace {

/// U+2212, as wide as a plus sign; a hyphen is too short to be seen beside a digit.
constexpr const char* kMinus = "\u2212";

std::string with_minus(std::string text) {
  if (text.starts_with('-')) text.replace(0, 1, kMinus);
  return text;
}

/// 10^k without the last-digit errors of pow.
double ten_to(int k) { return std::stod(fmt::format("1e{}", k)); }

/// The smallest of 1, 2, 5 times a power of ten that is not below `rough` > 0.
double round_step(double rough, int& exponent) {
  exponent = static_cast<int>(std::floor(std::log10(rough)));
  const double unit = ten_to(exponent);
  for (const int factor : {1, 2, 5})
    if (factor * unit >= rough * (1 - 1e-9)) return factor * unit;
  ++exponent;
  return ten_to(exponent);
}

/// A range that can be divided: finite, and wider than rounding errors.
DataRange usable(DataRange range) {
  if (range.empty()) return {0, 1};
  constexpr double kLargest = 1e300;  // the difference of two ends must be a number
  range.lowest = std::clamp(range.lowest, -kLargest, kLargest);
  range.highest = std::clamp(range.highest, -kLargest, kLargest);
  const double size = std::max(std::fabs(range.lowest), std::fabs(range.highest));
  if (size < 1e-290) return {-1, 1};
  if (range.highest - range.lowest > 1e-9 * size) return range;
  return {range.lowest - 0.5 * size, range.highest + 0.5 * size};
}

/// Thousands and millions are taken out of the labels when numbers are very large or very small.
int common_exponent(double size) {
  if (size >= 1e-3 && size < 1e6) return 0;
  return 3 * static_cast<int>(std::floor(std::log10(size) / 3));
}

/// A line of a log axis at factor * 10^k, with its label.
Tick log_tick(int factor, int k, bool plain) {
  const double value = factor * ten_to(k);
  if (plain) return {value, short_number(value), ""};
  return {value, factor == 1 ? "10" : fmt::format("{}\u00b710", factor), with_minus(std::to_string(k))};
}

/// Ends at 1, 2 or 5 times a power of ten; 10^first and 10^last lie around the data.
void fit_ends(Axis& axis, const DataRange& range, int first, int last) {
  std::vector<double> ends;
  for (int k = first; k <= last; ++k)
    for (const int factor : {1, 2, 5}) ends.push_back(factor * ten_to(k));
  std::size_t low = 0, high = ends.size() - 1;
  while (ends[low + 1] <= range.lowest * (1 + 1e-9)) ++low;
  while (ends[high - 1] >= range.highest * (1 - 1e-9)) --high;
  if (low >= high) {  // all data at one of them
    --low;
    high = low + 2;
  }
  axis.low = ends[low];
  axis.high = ends[high];
}

/// Labels at powers of ten, at every n-th of them when there are many, or also at 2 and 5 times one when there are few.
void add_log_ticks(Axis& axis, int first, int last) {
  const int decades = last - first, stride = 1 + (decades - 1) / 8;
  const bool few = decades <= 2, plain = few ? first >= -3 && last <= 6 : first >= -2 && last <= 3;
  for (int k = first; k <= last; ++k)
    for (int factor = 1; factor < 10; ++factor) {
      const double value = factor * ten_to(k);
      if (value < axis.low || value > axis.high) continue;
      // Strides are counted from 10^0, so that the same powers have labels whatever the range.
      const bool labelled = factor == 1 ? k % stride == 0 : few && (factor == 2 || factor == 5);
      if (labelled) axis.ticks.push_back(log_tick(factor, k, plain));
      if (!labelled && (factor == 1 || decades <= 8)) axis.minor.push_back(value);
    }
}

}  // namespace

void DataRange::include(double value) {
  lowest = std::min(lowest, value);
  highest = std::max(highest, value);
}

bool Axis::accepts(double value) const { return std::isfinite(value) && (!log || value > 0); }

double Axis::place(double value) const {
  if (log) return std::log(value / low) / std::log(high / low);
  return (value - low) / (high - low);
}

Axis linear_axis(DataRange range, int wanted) {
  range = usable(range);
  int exponent = 0;
  const double step = round_step((range.highest - range.lowest) / std::max(1, wanted), exponent);
  // Counted in whole steps: adding the step again and again would drift. The slack keeps an end that is a multiple
  // but for rounding from getting another step.
  const double first = std::floor(range.lowest / step + 1e-9), last = std::ceil(range.highest / step - 1e-9);

  Axis axis;
  axis.low = first * step;
  axis.high = last * step;
  axis.exponent = common_exponent(std::max(std::fabs(axis.low), std::fabs(axis.high)));
  const int decimals = std::max(0, axis.exponent - exponent);
  const double unit = ten_to(axis.exponent);
  for (double k = first; k <= last; ++k) {
    const double value = k * step;
    axis.ticks.push_back({value, with_minus(fmt::format("{:.{}f}", value / unit + 0.0, decimals)), ""});
  }
  return axis;
}

Axis log_axis(DataRange range) {
  Axis axis;
  axis.log = true;
  if (range.empty() || !(range.lowest > 0)) range = {1, 10};
  // Ends of the range of doubles have no power of ten beyond them.
  range.lowest = std::clamp(range.lowest, 1e-300, 1e300);
  range.highest = std::clamp(range.highest, range.lowest, 1e300);
  int first = static_cast<int>(std::floor(std::log10(range.lowest) + 1e-9));
  int last = static_cast<int>(std::ceil(std::log10(range.highest) - 1e-9));
  if (first >= last) {  // one power of ten exactly
    --first;
    ++last;
  }
  fit_ends(axis, range, first, last);
  add_log_ticks(axis, first, last);
  return axis;
}

std::string short_number(double value) { return with_minus(fmt::format("{:.6g}", value)); }

}  // namespace cairn::cli
