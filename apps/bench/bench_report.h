// SPDX-License-Identifier: MIT
// How benchmarks tell their results: tables on the screen, and files.
#pragma once

#include <string>

#include "apps/plots/plot_page.h"

namespace cairn::cli {

enum class CellSide { left, right };

/// The title, the head and the rows of a table, its columns as wide as their longest cell.
std::string text_of(const Table& table, CellSide side);

/// Writes to a file and says so; to standard output where the name is "-", nowhere where it is empty. Throws where the
/// file exists, unless `force`.
void write_report(const std::string& file, const std::string& text, bool force);

}  // namespace cairn::cli
