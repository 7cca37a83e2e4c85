// SPDX-License-Identifier: MIT
#include "apps/plots/plot_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>

#include "apps/plots/plot_axis.h"
#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn::cli {
namespace {

// The drawing in its own units; the page scales it to the width of the column.
constexpr double kWidth = 640, kHeight = 400;
constexpr double kTop = 12, kRight = 22, kBottom = 52;
constexpr double kCharacter = 6.8;          // width of a digit of a tick label
constexpr std::size_t kMostTooltips = 120;  // per series: more would make the page heavy and the spots overlap

using Out = std::back_insert_iterator<std::string>;

/// The area between the axes and the way from numbers to places in it.
struct Frame {
  Axis x, y;
  double left = 60;

  double right() const { return kWidth - kRight; }
  double bottom() const { return kHeight - kBottom; }
  double place_x(double value) const { return left + x.place(value) * (right() - left); }
  double place_y(double value) const { return bottom() - y.place(value) * (bottom() - kTop); }
};

/// A point of a series that can be drawn; `gap` when the one before it could not.
struct Spot {
  double px, py;
  std::size_t index;
  bool gap;
};

/// Letters as seen, not bytes: continuation bytes of UTF-8 do not count.
double text_width(const Tick& tick) {
  const auto letters = [](const std::string& text) {
    return static_cast<double>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  };
  return kCharacter * (letters(tick.label) + 0.8 * letters(tick.power));
}

Frame make_frame(const Plot& plot) {
  DataRange x_range, y_range;
  Frame frame;
  frame.x.log = plot.log_x;
  frame.y.log = plot.log_y;
  for (const Series& series : plot.series)
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!frame.x.accepts(series.x[i]) || !frame.y.accepts(series.y[i])) continue;
      x_range.include(series.x[i]);
      y_range.include(series.y[i]);
    }
  for (const std::optional<double>& end : {plot.y_min, plot.y_max})
    if (end && frame.y.accepts(*end)) y_range.include(*end);
  frame.x = plot.log_x ? log_axis(x_range) : linear_axis(x_range, 7);
  frame.y = plot.log_y ? log_axis(y_range) : linear_axis(y_range, 6);

  double widest = 0;
  for (const Tick& tick : frame.y.ticks) widest = std::max(widest, text_width(tick));
  frame.left = 36 + widest;
  return frame;
}

std::vector<Spot> visible_spots(const Series& series, const Frame& frame) {
  std::vector<Spot> spots;
  bool gap = true;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!frame.x.accepts(series.x[i]) || !frame.y.accepts(series.y[i])) {
      gap = true;
      continue;
    }
    spots.push_back({frame.place_x(series.x[i]), frame.place_y(series.y[i]), i, gap});
    gap = false;
  }
  return spots;
}

std::string tick_text(const Tick& tick) {
  if (tick.power.empty()) return tick.label;
  return fmt::format("{}<tspan class=\"power\" dy=\"-5\">{}</tspan>", tick.label, tick.power);
}

/// "time (s)", or "time (s), in units of 10^6" when the labels are.
std::string axis_title(const std::string& label, const Axis& axis) {
  if (axis.exponent == 0) return escape_html(label);
  return fmt::format("{}{}\u00d710<tspan class=\"power\" dy=\"-5\">{}{}</tspan>", escape_html(label),
                     label.empty() ? "" : "  ", axis.exponent < 0 ? "\u2212" : "", std::abs(axis.exponent));
}

void draw_grid(const Frame& frame, Out out) {
  std::string minor, major;
  const auto vertical = [&](std::string& path, double value) {
    fmt::format_to(std::back_inserter(path), "M{:.1f} {:.1f}V{:.1f}", frame.place_x(value), kTop, frame.bottom());
  };
  const auto horizontal = [&](std::string& path, double value) {
    fmt::format_to(std::back_inserter(path), "M{:.1f} {:.1f}H{:.1f}", frame.left, frame.place_y(value), frame.right());
  };
  for (const double value : frame.x.minor) vertical(minor, value);
  for (const double value : frame.y.minor) horizontal(minor, value);
  for (const Tick& tick : frame.x.ticks) vertical(major, tick.value);
  for (const Tick& tick : frame.y.ticks) horizontal(major, tick.value);
  if (!minor.empty()) fmt::format_to(out, "<path class=\"minor\" d=\"{}\"/>\n", minor);
  fmt::format_to(out, "<path class=\"major\" d=\"{}\"/>\n", major);
  fmt::format_to(out, "<path class=\"axis\" d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\"/>\n", frame.left, kTop, frame.bottom(),
                 frame.right());
}

void draw_labels(const Plot& plot, const Frame& frame, Out out) {
  // Labels of a crowded log axis are left out where they would touch their neighbour.
  double free_from = -1e9;
  fmt::format_to(out, "<g class=\"ticks\" text-anchor=\"middle\">");
  for (const Tick& tick : frame.x.ticks) {
    const double x = frame.place_x(tick.value), half = 0.5 * text_width(tick);
    if (x - half < free_from) continue;
    free_from = x + half + 8;
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", x, frame.bottom() + 18, tick_text(tick));
  }
  fmt::format_to(out, "</g>\n<g class=\"ticks\" text-anchor=\"end\">");
  for (const Tick& tick : frame.y.ticks)
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", frame.left - 7, frame.place_y(tick.value) + 4,
                   tick_text(tick));
  const double middle_x = 0.5 * (frame.left + frame.right()), middle_y = 0.5 * (kTop + frame.bottom());
  fmt::format_to(out, "</g>\n<g class=\"label\" text-anchor=\"middle\"><text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
                 middle_x, kHeight - 10, axis_title(plot.x_label, frame.x));
  fmt::format_to(out, "<text transform=\"translate(15 {:.1f}) rotate(-90)\">{}</text></g>\n", middle_y,
                 axis_title(plot.y_label, frame.y));
}

/// The line, in tenths of a unit; points that fall on the same tenth as the one before are left out.
std::string line_path(const std::vector<Spot>& spots) {
  std::string path, last;
  for (const Spot& spot : spots) {
    std::string place = fmt::format("{:.1f} {:.1f}", spot.px, spot.py);
    if (!spot.gap && place == last) continue;
    path += (spot.gap ? "M" : "L") + place;
    last = std::move(place);
  }
  return path;
}

/// Dots where they are wanted, and round some of the points a spot that shows its numbers under the mouse.
void draw_points(const Series& series, const std::vector<Spot>& spots, Out out) {
  const std::size_t stride = 1 + spots.size() / kMostTooltips;
  for (std::size_t i = 0; i < spots.size(); ++i) {
    const bool lonely = spots[i].gap && (i + 1 == spots.size() || spots[i + 1].gap);
    const bool dot = series.markers || lonely;
    const bool tooltip = i % stride == 0 || i + 1 == spots.size();
    if (dot)
      fmt::format_to(out, "<circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>", spots[i].px, spots[i].py);
    if (!tooltip) continue;
    const std::size_t k = spots[i].index;
    fmt::format_to(
        out, "<circle class=\"spot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\"><title>{}{}x = {}\ny = {}</title></circle>",
        spots[i].px, spots[i].py, escape_html(series.name), series.name.empty() ? "" : "\n", short_number(series.x[k]),
        short_number(series.y[k]));
  }
}

void draw_series(const Series& series, int index, const Frame& frame, Out out) {
  const std::vector<Spot> spots = visible_spots(series, frame);
  fmt::format_to(out, "<g class=\"{}\"><title>{}</title><path class=\"line\"{} d=\"{}\"/>", series_class(index),
                 escape_html(series.name), series_dashes(index, series.dashed), line_path(spots));
  draw_points(series, spots, out);
  fmt::format_to(out, "</g>\n");
}

bool has_data(const Plot& plot, const Frame& frame) {
  return std::any_of(plot.series.begin(), plot.series.end(),
                     [&](const Series& series) { return !visible_spots(series, frame).empty(); });
}

}  // namespace

std::string series_class(int index) { return fmt::format("s{} c{}", index, index % kColours); }

std::string series_dashes(int index, bool dashed) {
  constexpr std::array<const char*, 4> kDashes{"", "2 3", "11 3 2 3", "13 5"};
  const char* dashes = kDashes[to_index(index / kColours) % kDashes.size()];
  if (dashed) dashes = "6 4";
  return *dashes ? fmt::format(" stroke-dasharray=\"{}\"", dashes) : "";
}

std::string escape_html(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      case '\'': safe += "&#39;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') safe += c;
    }
  }
  return safe;
}

std::string draw_plot(const Plot& plot, int id) {
  for (const Series& series : plot.series)
    require(series.x.size() == series.y.size(), "a series of a plot needs as many y as x");
  const Frame frame = make_frame(plot);
  std::string svg;
  const Out out = std::back_inserter(svg);
  fmt::format_to(out, "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", kWidth, kHeight,
                 escape_html(plot.title));
  // Lines end at the frame; half a unit more lets a line on the edge keep its width.
  fmt::format_to(
      out, "<clipPath id=\"clip{}\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/></clipPath>\n",
      id, frame.left - 4, kTop - 4, frame.right() - frame.left + 8, frame.bottom() - kTop + 8);
  draw_grid(frame, out);
  draw_labels(plot, frame, out);
  fmt::format_to(out, "<g clip-path=\"url(#clip{})\">\n", id);
  for (std::size_t i = 0; i < plot.series.size(); ++i) draw_series(plot.series[i], static_cast<int>(i), frame, out);
  fmt::format_to(out, "</g>\n");
  if (!has_data(plot, frame))
    fmt::format_to(out, "<text class=\"nothing\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">no data</text>\n",
                   0.5 * (frame.left + frame.right()), 0.5 * (kTop + frame.bottom()));
  return svg + "</svg>\n";
}

Series thinned(const Series& series, std::size_t most) {
  const std::size_t count = series.x.size(), stride = std::max<std::size_t>(1, count / std::max<std::size_t>(1, most));
  if (stride == 1) return series;
  Series result = series;
  result.x.clear(), result.y.clear();
  for (std::size_t i = 0; i < count; i += stride) {
    const std::size_t k = i + stride < count ? i : count - 1;
    result.x.push_back(series.x[k]), result.y.push_back(series.y[k]);
  }
  return result;
}

}  // namespace cairn::cli
