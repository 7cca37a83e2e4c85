// SPDX-License-Identifier: MIT
// One plot as an SVG drawing: lines and points over a grid, without a legend, which is the page's.
//
// Colours, fonts and line widths come from the style sheet of the page (plot_page.cpp), so that the same drawing
// serves light and dark; the drawing names classes only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::cli {

/// A line through points (x[i], y[i]). Points that cannot be drawn (not finite, or not positive on a log axis) leave a
/// gap; a point without neighbours is drawn as a dot. x and y have the same length.
struct Series {
  std::string name;
  std::vector<double> x, y;
  bool dashed = false;
  bool markers = false;  ///< a dot at every point
};

/// At most about `most` points, evenly picked with the last one kept: a curve of thousands looks the same and weighs
/// less.
Series thinned(const Series& series, std::size_t most = 300);

struct Plot {
  std::string title, x_label, y_label;  ///< labels with units: "time (s)"
  bool log_x = false, log_y = false;
  std::vector<Series> series;
  std::string caption;
  std::optional<double> y_min, y_max;  ///< included in the range of y whatever the data
};

/// Distinct looks: this many colours, then the same colours with other dashes.
inline constexpr int kColours = 8;

/// The classes that give series `index` its colour, and its dashes as an SVG attribute (empty when solid).
std::string series_class(int index);
std::string series_dashes(int index, bool dashed);

/// Text made safe inside elements and attributes; control characters are dropped.
std::string escape_html(std::string_view text);

/// The drawing. `id` must differ between the drawings of one page. Throws InputError when x and y of a series differ
/// in length.
std::string draw_plot(const Plot& plot, int id);

}  // namespace cairn::cli
