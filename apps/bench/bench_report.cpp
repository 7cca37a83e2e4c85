// SPDX-License-Identifier: MIT
#include "apps/bench/bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "apps/cli/csv.h"

namespace cairn::cli {

std::string text_of(const Table& table, CellSide side) {
  std::vector<std::size_t> width(table.head.size());
  for (std::size_t c = 0; c < width.size(); ++c) {
    width[c] = table.head[c].size();
    for (const auto& row : table.rows) width[c] = std::max(width[c], row[c].size());
  }
  std::string text = table.title + "\n";
  const auto line = [&](const std::vector<std::string>& cells) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string space(width[c] - cells[c].size(), ' ');
      text += side == CellSide::left ? cells[c] + space : space + cells[c];
      text += "  ";
    }
    text += "\n";
  };
  line(table.head);
  for (const auto& row : table.rows) line(row);
  return text;
}

void write_report(const std::string& file, const std::string& text, bool force) {
  if (file.empty()) return;
  if (file == "-") {
    fmt::print("{}", text);
    return;
  }
  write_text_file(file, text, force).value_or_throw();
  fmt::print("wrote {}\n", file);
}

}  // namespace cairn::cli
