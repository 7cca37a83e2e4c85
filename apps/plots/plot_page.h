// SPDX-License-Identifier: MIT
// One HTML page of plots and tables that stands alone: no network, no scripts, opens from disk and can be mailed.
//
// Two plots side by side where the window is wide, light or dark as the reader's system is set, a click on a name in
// the legend hides the line, a link below a plot keeps its numbers. The same input gives the same bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/plots/plot_svg.h"

namespace cairn::cli {

/// Columns whose cells are mostly numbers are aligned to the right.
struct Table {
  std::string title;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  ///< each as long as head
  std::string caption;
};

/// A picture that the page carries within it; pictures and plots that follow each other share a grid.
struct Picture {
  std::string title;
  std::string png;  ///< base64
  std::string caption;
};

class PlotPage {
 public:
  PlotPage(std::string title, std::string subtitle);

  void heading(std::string_view text);
  void paragraph(std::string_view text);
  void add(const Plot& plot);
  void add(const Picture& picture);
  void add(const Table& table);  ///< throws InputError when a row is not as long as the head

  std::string html() const;

 private:
  void open_plots();
  void close_plots();
  std::string legend(const Plot& plot) const;
  std::string contents() const;

  std::string title_, subtitle_;
  std::vector<std::string> headings_;
  std::string body_;
  int plot_count_ = 0;
  std::size_t most_series_ = 0;  ///< in one plot: as many rules hide lines
  bool in_plots_ = false;        ///< plots that follow each other share a grid
};

}  // namespace cairn::cli
