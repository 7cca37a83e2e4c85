// SPDX-License-Identifier: MIT
#include "cairn/core/names.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>

#include "cairn/core/errors.h"

namespace cairn {

namespace {

/// Letters left out, put in, replaced, or that changed places with their neighbour (Damerau 1964).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least = std::string::npos;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < least) least = distance, best = candidate;
  }
  if (best.empty() || least <= (std::max(name.size(), best.size()) + 1) / 3) return best;
  const auto begins = [&](const std::string& candidate) { return candidate.starts_with(name); };
  const auto longer = std::find_if(candidates.begin(), candidates.end(), begins);
  return name.size() >= 3 && longer != candidates.end() ? *longer : "";
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates, char quote) {
  const std::string near = nearest_name(name, candidates);
  return near.empty() ? "" : fmt::format(" (did you mean {1}{0}{1}?)", near, quote);
}

template <class T>
T parse_number(const std::string& name, const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // from_chars takes inf and nan too.
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(static_cast<double>(value)))
    fail_input(fmt::format("setting {}={}: the value must be a {} number", name, text,
                           std::is_integral_v<T> ? "whole" : "finite"));
  return value;
}
template int parse_number<int>(const std::string&, const std::string&);
template std::int64_t parse_number<std::int64_t>(const std::string&, const std::string&);
template double parse_number<double>(const std::string&, const std::string&);

}  // namespace cairn
