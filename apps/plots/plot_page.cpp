// SPDX-License-Identifier: MIT
#include "apps/plots/plot_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "cairn/core/errors.h"
#include "cairn/record/page_data.h"

namespace cairn::cli {
namespace {

// Line colours: Okabe and Ito's set for all kinds of colour vision, its yellow (invisible on white) replaced by brown
// and its black by the colour of text; lighter ones on dark.
constexpr const char* kStyle = R"css(
.contents { font-size: 14px; } .contents ul { columns: 3 220px; margin: 4px 0 16px; } a { color: var(--c0); }
.numbers { margin-left: 6px; }
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1b1f24; --soft: #5c6672; --rule: #d9dee4;
  --grid: #e3e7ec; --fine: #f1f3f6; --card: #fbfcfd; --stripe: #f5f7f9;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #cc79a7; --c4: #e69f00; --c5: #56b4e9; --c6: #1b1f24;
  --c7: #8c5a2b; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171b; --ink: #e4e8ec; --soft: #9aa5b1; --rule: #363d46;
  --grid: #2c323a; --fine: #20252b; --card: #191d22; --stripe: #1d2228;
  --c0: #4fa8e0; --c1: #f07f3c; --c2: #2fc49a; --c3: #e29cc4; --c4: #f2b53f; --c5: #97d4f7; --c6: #e4e8ec;
  --c7: #c79a6b; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 28px 24px 60px; max-width: 1440px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", Arial, sans-serif; }
h1 { font-size: 26px; line-height: 1.25; margin: 0; }
h2 { font-size: 20px; margin: 36px 0 8px; padding-bottom: 6px; border-bottom: 1px solid var(--rule); }
h3 { font-size: 15px; margin: 0 0 6px; }
p { max-width: 80ch; margin: 8px 0; }
.subtitle, .caption { color: var(--soft); }
.caption { font-size: 13px; margin: 6px 0 0; }
.caption:empty, .legend:empty { margin: 0; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 540px), 1fr));
  column-gap: 18px; margin: 18px 0 0; }
/* Title, legend, drawing and caption of neighbours start at the same heights. */
figure { display: grid; grid-row: span 4; grid-template-rows: subgrid; grid-template-columns: minmax(0, 1fr);
  margin: 0 0 18px; padding: 14px 16px 12px; background: var(--card); border: 1px solid var(--rule);
  border-radius: 8px; min-width: 0; }
.scroll { overflow: auto; }
svg { display: block; width: 100%; min-width: 420px; height: auto; font-size: 12px; }
img { display: block; width: 100%; height: auto; border-radius: 4px; }
.minor, .major, .axis, .line { fill: none; }
.minor { stroke: var(--fine); }
.major { stroke: var(--grid); }
.axis { stroke: var(--soft); }
.line { stroke: var(--c); stroke-width: 2; stroke-linejoin: round; }
.dot { fill: var(--c); stroke: var(--card); }
.spot { fill: transparent; }
.spot:hover { fill: var(--c); fill-opacity: 0.45; }
.ticks, .label, .nothing { fill: var(--soft); font-variant-numeric: tabular-nums; }
.label { fill: var(--ink); font-size: 13px; }
.nothing { font-size: 16px; }
.power { font-size: 9px; }
.legend { display: flex; flex-wrap: wrap; align-content: flex-start; gap: 2px 16px;
  margin: 0 0 6px; font-size: 13px; }
.legend label { display: inline-flex; align-items: center; gap: 6px; cursor: pointer; }
.legend input { position: absolute; opacity: 0; }
.legend input:focus-visible + svg { outline: 2px solid var(--c0); outline-offset: 2px; }
.legend input:not(:checked) ~ * { opacity: 0.35; }
.legend input:not(:checked) ~ span { text-decoration: line-through; }
.legend svg { width: 28px; min-width: 28px; height: 10px; flex: none; }
.table { margin: 18px 0; width: fit-content; max-width: 100%; }
.table .scroll { max-height: 80vh; border: 1px solid var(--rule); border-radius: 8px; }
table { border-collapse: separate; border-spacing: 0; font-size: 13.5px; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 9px; text-align: left; vertical-align: top; }
th { position: sticky; top: 0; background: var(--stripe); border-bottom: 1px solid var(--rule); vertical-align: bottom; }
tbody tr:nth-child(even) { background: var(--stripe); }
.number { text-align: right; }
td.number { white-space: nowrap; }
@media print { .scroll { max-height: none !important; overflow: visible; } figure, tr { break-inside: avoid; } }
)css";

/// A number, perhaps with a unit of one or two letters: "1.2e-8", "34 ms", "12 / 30", "-3", "99 %".
bool looks_numeric(std::string_view cell) {
  for (const std::string_view sign : {"-", "+", "\u2212", "<", ">", "~", "."})
    if (cell.starts_with(sign)) {
      cell.remove_prefix(sign.size());
      break;
    }
  while (cell.starts_with(' ')) cell.remove_prefix(1);
  if (cell.empty() || !std::isdigit(static_cast<unsigned char>(cell.front()))) return false;
  return std::count_if(cell.begin(), cell.end(), [](unsigned char c) { return std::isalpha(c) != 0; }) <= 2;
}

/// Words for "no number here" do not turn a column of numbers into text, unless they are the majority. Nothing but
/// dashes: numbers that nobody has.
bool numeric_column(const Table& table, std::size_t column) {
  std::size_t numbers = 0, filled = 0, dashes = 0;
  for (const auto& row : table.rows) {
    const bool dash = row[column] == "-" || row[column] == "\u2013";
    dashes += dash ? 1 : 0;
    filled += dash || row[column].empty() ? 0 : 1;
    numbers += looks_numeric(row[column]) ? 1 : 0;
  }
  return numbers + dashes > 0 && 2 * numbers >= filled;
}

std::string caption_of(const std::string& caption, const char* element, const std::string& link = "") {
  return fmt::format("<{0} class=\"caption\">{1}{2}</{0}>\n", element, escape_html(caption), link);
}

/// Letters that every folder takes.
std::string file_name(const std::string& title) {
  std::string name;
  for (const char c : title.substr(0, 60)) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name.empty() ? "plot" : name;
}

/// The numbers of a plot as a table of series, x and y, within the page.
std::string csv_link(const Plot& plot) {
  std::string csv = "series,x,y\n";
  for (const Series& series : plot.series) {
    std::string name;
    for (const char c : series.name) name += c == '"' ? std::string("\"\"") : std::string(1, c);
    for (std::size_t k = 0; k < series.x.size(); ++k)
      csv += fmt::format("\"{}\",{:.9g},{:.9g}\n", name, series.x[k], series.y[k]);
  }
  return fmt::format(" <a class=\"numbers\" download=\"{}.csv\" href=\"data:text/csv;base64,{}\">CSV</a>",
                     file_name(plot.title), to_base64(csv));
}

/// Without a script: the boxes of the legend are inputs, and a rule per series hides the lines of an empty box.
std::string hiding_rules(std::size_t most_series) {
  std::string rules;
  for (std::size_t i = 0; i < most_series; ++i)
    rules += fmt::format("figure:has(.x{0}:not(:checked)) .s{0} {{ display: none; }}\n", i);
  return rules;
}

}  // namespace

PlotPage::PlotPage(std::string title, std::string subtitle)
    : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

void PlotPage::open_plots() {
  if (!in_plots_) body_ += "<div class=\"plots\">\n";
  in_plots_ = true;
}

void PlotPage::close_plots() {
  if (in_plots_) body_ += "</div>\n";
  in_plots_ = false;
}

void PlotPage::heading(std::string_view text) {
  close_plots();
  headings_.emplace_back(text);
  body_ += fmt::format("<h2 id=\"part{}\">{}</h2>\n", headings_.size(), escape_html(text));
}

void PlotPage::paragraph(std::string_view text) {
  close_plots();
  body_ += fmt::format("<p>{}</p>\n", escape_html(text));
}

std::string PlotPage::legend(const Plot& plot) const {
  const auto unnamed = [](const Series& series) { return series.name.empty(); };
  std::string text = "<div class=\"legend\">";
  if (std::all_of(plot.series.begin(), plot.series.end(), unnamed)) return text + "</div>\n";
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    const int index = static_cast<int>(i);
    text +=
        fmt::format("<label class=\"c{}\"><input type=\"checkbox\" class=\"x{}\" checked>", index % kColours, index);
    text +=
        fmt::format("<svg viewBox=\"0 0 28 10\" aria-hidden=\"true\"><path class=\"line\"{} d=\"M1 5H27\"/>{}</svg>",
                    series_dashes(index, series.dashed),
                    series.markers ? "<circle class=\"dot\" cx=\"14\" cy=\"5\" r=\"3.5\"/>" : "");
    text += fmt::format("<span>{}</span></label>\n", escape_html(series.name));
  }
  return text + "</div>\n";
}

void PlotPage::add(const Plot& plot) {
  const std::string drawing = draw_plot(plot, plot_count_);
  ++plot_count_;
  most_series_ = std::max(most_series_, plot.series.size());
  open_plots();
  body_ += "<figure>\n";
  // Always four children: the rows of the grid are counted.
  body_ += fmt::format("<h3>{}</h3>\n", escape_html(plot.title));
  body_ += legend(plot);
  body_ += fmt::format("<div class=\"scroll\">{}</div>\n{}</figure>\n", drawing,
                       caption_of(plot.caption, "figcaption", csv_link(plot)));
}

void PlotPage::add(const Picture& picture) {
  open_plots();
  body_ += fmt::format("<figure>\n<h3>{0}</h3>\n<div class=\"legend\"></div>\n", escape_html(picture.title));
  body_ += fmt::format("<img alt=\"{}\" src=\"data:image/png;base64,{}\">\n{}</figure>\n", escape_html(picture.title),
                       picture.png, caption_of(picture.caption, "figcaption"));
}

void PlotPage::add(const Table& table) {
  for (const auto& row : table.rows)
    require(row.size() == table.head.size(), "every row of a table needs as many cells as its head");
  close_plots();
  std::vector<const char*> classes;
  for (std::size_t k = 0; k < table.head.size(); ++k)
    classes.push_back(numeric_column(table, k) ? " class=\"number\"" : "");

  body_ += "<section class=\"table\">\n";
  if (!table.title.empty()) body_ += fmt::format("<h3>{}</h3>\n", escape_html(table.title));
  body_ += "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>";
  for (std::size_t k = 0; k < table.head.size(); ++k)
    body_ += fmt::format("<th{}>{}</th>", classes[k], escape_html(table.head[k]));
  body_ += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    body_ += "<tr>";
    for (std::size_t k = 0; k < row.size(); ++k) body_ += fmt::format("<td{}>{}</td>", classes[k], escape_html(row[k]));
    body_ += "</tr>\n";
  }
  body_ += fmt::format("</tbody></table></div>\n{}</section>\n", caption_of(table.caption, "p"));
}

/// Links to the headings, where there are several.
std::string PlotPage::contents() const {
  if (headings_.size() < 2) return {};
  std::string text = "<nav class=\"contents\"><b>Contents</b><ul>\n";
  for (std::size_t k = 0; k < headings_.size(); ++k)
    text += fmt::format("<li><a href=\"#part{}\">{}</a></li>\n", k + 1, escape_html(headings_[k]));
  return text + "</ul></nav>\n";
}

std::string PlotPage::html() const {
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  page += fmt::format("<title>{}</title>\n<style>{}", escape_html(title_), kStyle);
  for (int i = 0; i < kColours; ++i) page += fmt::format(".c{0} {{ --c: var(--c{0}); }}\n", i);
  page += fmt::format("{}</style>\n</head>\n<body>\n", hiding_rules(most_series_));
  page += fmt::format("<header><h1>{}</h1>\n", escape_html(title_));
  if (!subtitle_.empty()) page += fmt::format("<p class=\"subtitle\">{}</p>\n", escape_html(subtitle_));
  page += fmt::format("</header>\n<main>\n{}{}{}</main>\n</body>\n</html>\n", contents(), body_,
                      in_plots_ ? "</div>\n" : "");
  return page;
}

}  // namespace cairn::cli
