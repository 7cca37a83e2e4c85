// SPDX-License-Identifier: MIT
#include "apps/cli/option_checks.h"

#include <fmt/core.h>

#include <charconv>
#include <cstdio>

#include "cairn/core/index.h"

namespace cairn::cli {

CLI::Validator number_in(double least, double most) {
  const auto check = [=](const std::string& text) -> std::string {
    double value = 0;
    const char *begin = text.data() + (text.starts_with('+') ? 1 : 0), *end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error == std::errc{} && stop == end && value >= least && value <= most) return "";
    return fmt::format("must be a number in [{:g}, {:g}], got {}", least, most, text);
  };
  return {check, fmt::format("NUMBER in [{:g} - {:g}]", least, most)};
}

CLI::Validator step_length(double least, double most) {
  const CLI::Validator plain = number_in(least, most);
  const auto check = [=](const std::string& text) -> std::string {
    const std::string wrong = plain(text);
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool milliseconds = error == std::errc{} && stop == text.data() + text.size() && value > most;
    if (wrong.empty() || !milliseconds) return wrong;
    return fmt::format("{}; it is in seconds: {} milliseconds are {:g}", wrong, text, value / 1000);
  };
  return {check, fmt::format("SECONDS in [{:g} - {:g}]", least, most)};
}

CLI::Validator thread_count(int least) { return CLI::Range(least, kMostThreads); }

CLI::Validator window() {
  const auto check = [](const std::string& text) -> std::string {
    long long from = -1, to = -1;
    int end = 0;
    const bool read = std::sscanf(text.c_str(), "%9lld:%9lld%n", &from, &to, &end) == 2;
    return read && to_index(end) == text.size() && from >= 0 && from < to
               ? ""
               : "write A:B with 0 <= A < B, for example 900:1200";
  };
  return {check, "A:B"};
}

}  // namespace cairn::cli
