// SPDX-License-Identifier: MIT
#include "cairn/io/mesh_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/io/mesh_file.h"

namespace cairn {

MeshLines::MeshLines(std::string_view text, bool continued) : rest_(text), continued_(continued) {
  if (rest_.substr(0, 3) == "\xef\xbb\xbf") rest_.remove_prefix(3);  // byte order mark
}

void MeshLines::fail(const std::string& what) const { fail_input(fmt::format("line {}: {}", line_, what)); }

bool MeshLines::next_line(std::string_view& line) {
  if (rest_.empty()) return false;
  const std::size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
  line = rest_.substr(0, end);
  rest_.remove_prefix(end);
  if (rest_.substr(0, 2) == "\r\n")
    rest_.remove_prefix(2);
  else if (!rest_.empty())
    rest_.remove_prefix(1);
  ++line_;
  if (line.size() > kMostMeshLine)
    fail_input(fmt::format("line {}: it has {} bytes, the limit is {}", line_, line.size(), kMostMeshLine),
               ErrorKind::limit);
  if (line.find('\0') != std::string_view::npos) fail("it contains a NUL byte: this is no text");
  return true;
}

bool MeshLines::next(std::vector<std::string_view>& words) {
  std::string_view line;
  words.clear();
  while (words.empty()) {
    if (!next_line(line)) return false;
    if (continued_ && !line.empty() && line.back() == '\\') {
      joined_.clear();
      while (!line.empty() && line.back() == '\\') {
        joined_.append(line.substr(0, line.size() - 1));
        if (joined_.size() > kMostMeshLine)
          fail_input(fmt::format("line {}: continued to more than {} bytes, which is the limit", line_, kMostMeshLine),
                     ErrorKind::limit);
        if (!next_line(line)) line = {};
      }
      joined_.append(line);
      line = joined_;
    }
    constexpr std::string_view kBlank = " \t\v\f";
    for (std::size_t at = line.find_first_not_of(kBlank); at != std::string_view::npos;) {
      const std::size_t end = std::min(line.find_first_of(kBlank, at), line.size());
      words.push_back(line.substr(at, end - at));
      at = line.find_first_not_of(kBlank, end);
    }
  }
  return true;
}

double MeshLines::number(std::string_view word) const {
  std::string_view digits = word;
  if (digits.size() > 1 && digits[0] == '+') digits.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range && end == digits.data() + digits.size() &&
      digits.find("e-") != digits.npos)
    return 0;  // smaller than any double
  if (error != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(value))
    fail(fmt::format("'{}' must be a finite number", word.substr(0, 40)));
  return value;
}

}  // namespace cairn
