// SPDX-License-Identifier: MIT
#include "apps/plots/plot_page.h"

#include <gtest/gtest.h>

#include <cmath>

#include "apps/plots/plot_axis.h"
#include "cairn/core/errors.h"
#include "cairn/record/page_data.h"

namespace cairn::cli {
namespace {

std::vector<double> places(const Axis& axis) {
  std::vector<double> values;
  for (const Tick& tick : axis.ticks) values.push_back(tick.value);
  return values;
}

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> texts;
  for (const Tick& tick : axis.ticks) texts.push_back(tick.label + (tick.power.empty() ? "" : "^" + tick.power));
  return texts;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

using Texts = std::vector<std::string>;

TEST(PlotAxis, LinearTicksAreRound) {
  const Axis axis = linear_axis({0.3, 9.7}, 6);
  EXPECT_EQ(places(axis), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(labels(axis), (Texts{"0", "2", "4", "6", "8", "10"}));
  EXPECT_EQ(axis.place(0), 0);
  EXPECT_EQ(axis.place(10), 1);
  EXPECT_EQ(labels(linear_axis({-0.1, 0.25}, 4)), (Texts{"\u22120.1", "0.0", "0.1", "0.2", "0.3"}));
  EXPECT_EQ(labels(linear_axis({0, 1}, 5)), (Texts{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
}

TEST(PlotAxis, LargeAndSmallNumbersShareAnExponent) {
  const Axis large = linear_axis({0, 4e6}, 4);
  EXPECT_EQ(large.exponent, 6);
  EXPECT_EQ(labels(large), (Texts{"0", "1", "2", "3", "4"}));
  const Axis small = linear_axis({0, 3e-5}, 6);
  EXPECT_EQ(small.exponent, -6);
  EXPECT_EQ(labels(small), (Texts{"0", "5", "10", "15", "20", "25", "30"}));
}

TEST(PlotAxis, DegenerateRangesStillHaveTwoEnds) {
  for (const DataRange range : {DataRange{}, DataRange{0, 0}, DataRange{5, 5}, DataRange{1, 1 + 1e-15},
                                DataRange{-1.7e308, 1.7e308}, DataRange{-5e-324, 5e-324}}) {
    const Axis axis = linear_axis(range);
    EXPECT_LT(axis.low, axis.high);
    EXPECT_TRUE(std::isfinite(axis.high - axis.low));
    EXPECT_GE(axis.ticks.size(), 2u);
    EXPECT_LE(axis.ticks.size(), 12u);
  }
  for (const DataRange range :
       {DataRange{}, DataRange{1, 1}, DataRange{3, 3}, DataRange{2, 2}, DataRange{5e-324, 1.7e308}}) {
    const Axis axis = log_axis(range);
    EXPECT_LT(axis.low, axis.high);
    EXPECT_GT(axis.low, 0);
    EXPECT_GE(axis.ticks.size(), 2u);
    EXPECT_LE(axis.ticks.size(), 12u);
  }
}

TEST(PlotAxis, LogTicksAreDecadesWithLinesBetween) {
  const Axis axis = log_axis({1e-8, 1});
  EXPECT_EQ(axis.low, 1e-8);
  EXPECT_EQ(axis.high, 1);
  EXPECT_EQ(labels(axis).front(), "10^\u22128");
  EXPECT_EQ(axis.ticks.size(), 9u);
  EXPECT_EQ(axis.minor.size(), 8u * 8u);
  EXPECT_NEAR(axis.place(1e-4), 0.5, 1e-12);
  EXPECT_FALSE(axis.accepts(0));
  EXPECT_FALSE(axis.accepts(-1));
  EXPECT_FALSE(axis.accepts(std::nan("")));
  EXPECT_EQ(labels(log_axis({1, 1000})), (Texts{"1", "10", "100", "1000"}));
  // Sixteen decades: every second one has a label, the others only a line.
  const Axis wide = log_axis({1e-16, 1});
  EXPECT_EQ(labels(wide), (Texts{"10^\u221216", "10^\u221214", "10^\u221212", "10^\u221210", "10^\u22128", "10^\u22126",
                                 "10^\u22124", "10^\u22122", "10^0"}));
  EXPECT_EQ(wide.minor.size(), 8u);
}

TEST(PlotAxis, LogAxesEndCloseToTheData) {
  const Axis axis = log_axis({3e-8, 0.15});
  EXPECT_EQ(axis.low, 2e-8);
  EXPECT_EQ(axis.high, 0.2);
  EXPECT_EQ(axis.ticks.front().value, 1e-7);
  EXPECT_EQ(axis.ticks.back().value, 0.1);
  EXPECT_EQ(places(log_axis({1, 8})), (std::vector<double>{1, 2, 5, 10}));
  EXPECT_EQ(places(log_axis({2.5, 4})), (std::vector<double>{2, 5}));
  EXPECT_EQ(places(log_axis({1, 1})), (std::vector<double>{0.5, 1, 2}));
  EXPECT_EQ(labels(log_axis({2e-8, 9e-8})), (Texts{"2\u00b710^\u22128", "5\u00b710^\u22128", "10^\u22127"}));
}

TEST(PlotPage, EscapesEverything) {
  EXPECT_EQ(escape_html("a<b> & \"c\" 'd'\x01"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  const std::string evil = "<script>alert('&\"')</script>";
  PlotPage page(evil, evil);
  page.heading(evil);
  page.paragraph(evil);
  page.add(Plot{evil, evil, evil, false, false, {{evil, {1, 2}, {1, 2}}}, evil, {}, {}});
  page.add(Table{evil, {evil}, {{evil}}, evil});
  EXPECT_EQ(page.html().find("<script"), std::string::npos);
  EXPECT_EQ(page.html().find("alert('"), std::string::npos);
}

TEST(PlotPage, SameInputSameBytesAndNothingFromOutside) {
  const auto make = [] {
    PlotPage page("Title", "sub");
    page.add(Plot{"t", "x", "y", true, true, {{"a", {1, 10, 100}, {1e-3, 1e-6, 1e-9}}}, "", {}, {}});
    page.add(Table{"t", {"name", "n"}, {{"a", "1"}}, ""});
    return page.html();
  };
  EXPECT_EQ(make(), make());
  for (const char* outside : {"http", "src=", "@import", "url(//"})
    EXPECT_EQ(make().find(outside), std::string::npos) << outside;
  // Links lead to the numbers that the page carries, or to a place of the page.
  const std::string html = make();
  for (std::size_t at = html.find("href="); at != std::string::npos; at = html.find("href=", at + 1))
    EXPECT_TRUE(html.compare(at, 11, "href=\"data:") == 0 || html.compare(at, 7, "href=\"#") == 0)
        << html.substr(at, 40);
}

TEST(PlotPage, NumbersAndContentsAreLinked) {
  PlotPage page("Title", "");
  page.heading("First <part>");
  page.add(Plot{"a b", "x", "y", false, false, {{"s", {1, 2}, {3, 4.5}}}, "", {}, {}});
  EXPECT_EQ(page.html().find("<nav"), std::string::npos);  // one heading needs no list
  page.heading("Second");
  const std::string html = page.html();
  EXPECT_NE(html.find("<a href=\"#part1\">First &lt;part&gt;</a>"), std::string::npos);
  EXPECT_NE(html.find("<h2 id=\"part2\">Second</h2>"), std::string::npos);
  const std::string csv = to_base64("series,x,y\n\"s\",1,3\n\"s\",2,4.5\n");
  EXPECT_NE(html.find("download=\"a_b.csv\" href=\"data:text/csv;base64," + csv), std::string::npos);
}

TEST(PlotPage, PointsThatCannotBeDrawnLeaveAGap) {
  const double nan = std::nan("");
  Plot plot;
  plot.log_y = true;
  plot.series = {{"a", {1, 2, 3, 4, 5, 6}, {1, 2, 0, 4, nan, -1}}};
  const std::string svg = draw_plot(plot, 0);
  const std::size_t start = svg.find("class=\"line\" d=\"") + 16;
  const std::string path = svg.substr(start, svg.find('"', start) - start);
  EXPECT_EQ(count(path, "M"), 2u);
  EXPECT_EQ(count(path, "L"), 1u);
  EXPECT_EQ(count(svg, "class=\"dot\""), 1u) << "the lonely point (4, 4)";
  EXPECT_EQ(count(svg, "class=\"spot\""), 3u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(PlotPage, EmptyPlotsSaySo) {
  Plot plot;
  EXPECT_NE(draw_plot(plot, 0).find("no data"), std::string::npos);
  plot.log_x = plot.log_y = true;
  plot.series = {{"a", {}, {}}, {"b", {1}, {-1}}};
  EXPECT_NE(draw_plot(plot, 0).find("no data"), std::string::npos);
  plot.series.push_back({"c", {1}, {1}});
  EXPECT_EQ(draw_plot(plot, 0).find("no data"), std::string::npos);
  plot.series.push_back({"d", {1, 2}, {1}});
  EXPECT_THROW(draw_plot(plot, 0), InputError);
}

TEST(PlotPage, ManySeriesLookDifferent) {
  EXPECT_NE(series_class(0), series_class(1));
  EXPECT_EQ(series_dashes(0, false), "");
  EXPECT_NE(series_dashes(8, false), series_dashes(0, false));
  EXPECT_NE(series_dashes(16, false), series_dashes(8, false));
  EXPECT_NE(series_dashes(0, true), "");
}

TEST(PlotPage, LongSeriesStayLight) {
  Plot plot;
  plot.series.resize(1);
  for (int i = 0; i < 100000; ++i) {
    plot.series[0].x.push_back(i);
    plot.series[0].y.push_back(i < 50000 ? 0 : 1);
  }
  EXPECT_LT(draw_plot(plot, 0).size(), 200000u);
}

TEST(PlotPage, NumbersAreAlignedToTheRight) {
  PlotPage page("t", "");
  page.add(Table{"", {"name", "time", "note"}, {{"3 balls", "1.5 ms", "ok"}, {"b", "timeout", "2 of 3 fail"}}, ""});
  const std::string html = page.html();
  EXPECT_NE(html.find("<th>name</th><th class=\"number\">time</th><th>note</th>"), std::string::npos);
  EXPECT_NE(html.find("<td class=\"number\">timeout</td>"), std::string::npos);
  EXPECT_THROW(page.add(Table{"", {"a"}, {{"1", "2"}}, ""}), InputError);
}

}  // namespace
}  // namespace cairn::cli
