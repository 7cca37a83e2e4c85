// SPDX-License-Identifier: MIT
// Lines and words of mesh files written as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn {

/// Goes through a text line by line: ends of lines may be LF, CR or both. NUL bytes and endless lines are refused.
class MeshLines {
 public:
  /// `continued`: a backslash at the end joins the next line.
  MeshLines(std::string_view text, bool continued);

  /// The words of the next line that has any; false at the end.
  bool next(std::vector<std::string_view>& words);
  int line() const { return line_; }
  [[noreturn]] void fail(const std::string& what) const;  ///< InputError "line N: what"
  /// The word as a finite number.
  double number(std::string_view word) const;

 private:
  bool next_line(std::string_view& line);

  std::string_view rest_;
  bool continued_;
  int line_ = 0;
  std::string joined_;  ///< the current line where it was put together
};

}  // namespace cairn
