// SPDX-License-Identifier: MIT
// Files the program leaves behind: text written safely, and tables as CSV.
//
// A result of an hour's run must never be half a file or overwrite another by accident: text goes to a temporary name
// in the same folder and is renamed when complete, and a file that exists is kept unless `force` is set.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/core/errors.h"

namespace cairn::cli {

/// Writes `text` to `path`, all or nothing; true when done. Errors are of kind io and name the path, the reason and
/// the cure. Devices and pipes (/dev/stdout) are written to directly; links are followed.
Expected<bool> write_text_file(const std::string& path, std::string_view text, bool force);

/// Whether there is a file with results that this program wrote as JSON: such a file may be written again.
bool is_json_result(const std::string& path);

/// True when `path` can be written later: its folder exists and no file is there. Asked before long work,
/// so that nothing is computed in vain.
Expected<bool> check_can_write(const std::string& path);

/// The shortest decimal that reads back to the same double; "nan", "inf", "-inf" for those.
std::string exact_number(double value);

/// A table as CSV (RFC 4180 quoting, lines end with a single \n). Every row must have as many cells as the head.
class Csv {
 public:
  explicit Csv(const std::vector<std::string>& head);

  /// Appends a cell to the current row.
  Csv& cell(std::string_view text);
  Csv& cell(double value) { return raw(exact_number(value)); }
  Csv& cell(std::integral auto value) { return raw(std::to_string(value)); }

  /// Ends the current row; throws InputError when it has not as many cells as the head.
  void end_row();

  /// Everything up to the last ended row.
  std::string_view text() const { return std::string_view(text_).substr(0, complete_); }

 private:
  Csv& raw(std::string_view text);

  std::size_t columns_;
  std::size_t cells_ = 0;     ///< in the current row
  std::size_t complete_ = 0;  ///< length of text_ at the end of the last row
  std::string text_;
};

}  // namespace cairn::cli
