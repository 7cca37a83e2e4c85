// SPDX-License-Identifier: MIT
#include "apps/cli/plot_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

/// A log axis shorter than two decades comes closer to the data: lines and ends at 1, 2, 5 times 10^k.
void fit_short_range(Axis& axis, const DataRange& range, int first, int last) {
  const bool plain = first >= -3 && last <= 6;
  std::vector<Tick> lines;
  for (int k = first; k <= last; ++k)
    for (const int factor : {1, 2, 5}) {
      const double value = factor * ten_to(k);
      Tick tick{value, short_number(value), ""};
      if (!plain) tick = {value, factor == 1 ? "10" : fmt::format("{}\u00b710", factor), with_minus(std::to_string(k))};
      lines.push_back(std::move(tick));
    }
  // One of the lines lies below and one above, because the powers of ten around the data are among them.
  std::size_t low = 0, high = lines.size() - 1;
  while (lines[low + 1].value <= range.lowest * (1 + 1e-9)) ++low;
  while (lines[high - 1].value >= range.highest * (1 - 1e-9)) --high;
  if (low >= high) {
    --low;
    high = low + 2;
  }
  axis.low = lines[low].value;
  axis.high = lines[high].value;
  axis.ticks.assign(lines.begin() + static_cast<std::ptrdiff_t>(low),
                    lines.begin() + static_cast<std::ptrdiff_t>(high) + 1);
  std::erase_if(axis.minor, [&](double value) { return value < axis.low || value > axis.high; });
}

/// Lines at powers of ten; only every n-th has a label when there are many.
void add_decades(Axis& axis, int first, int last) {
  const int stride = 1 + (last - first - 1) / 8;
  const bool plain = first >= -2 && last <= 3;
  for (int k = first; k <= last; ++k) {
    const double value = ten_to(k);
    // Counted from 10^0, so that labels are at even exponents whatever the range.
    if (k % stride != 0)
      axis.minor.push_back(value);
    else if (plain)
      axis.ticks.push_back({value, short_number(value), ""});
    else
      axis.ticks.push_back({value, "10", with_minus(std::to_string(k))});
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
  axis.low = ten_to(first);
  axis.high = ten_to(last);
  for (int k = first; k < last && last - first <= 8; ++k)
    for (int factor = 2; factor < 10; ++factor) axis.minor.push_back(factor * ten_to(k));
  if (last - first > 2)
    add_decades(axis, first, last);
  else
    fit_short_range(axis, range, first, last);
  return axis;
}

std::string short_number(double value) { return with_minus(fmt::format("{:.6g}", value)); }

}  // namespace cairn::cli
