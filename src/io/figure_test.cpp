#include "io/figure.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include <gtest/gtest.h>

#include "io/test_run.h"

namespace ananke::io {
namespace {

struct Polyline {
    std::string color;
    std::vector<std::pair<double, double>> points;
};

/// The value of an attribute of the element that begins at `from`.
std::string attribute(const std::string& svg, std::size_t from, const std::string& name) {
    const std::string element = svg.substr(from, svg.find('>', from) - from);
    const std::size_t at = element.find(" " + name + "=\"");
    if (at == std::string::npos) {
        return "";
    }
    const std::size_t begin = at + name.size() + 3;
    return element.substr(begin, element.find('"', begin) - begin);
}

/// The lines that are drawn inside the axes.
std::vector<Polyline> curves_of(const std::string& svg) {
    std::vector<Polyline> curves;
    for (std::size_t at = svg.find("<polyline"); at != std::string::npos;
         at = svg.find("<polyline", at + 1)) {
        if (attribute(svg, at, "clip-path").empty()) {
            continue;
        }
        Polyline curve{attribute(svg, at, "stroke"), {}};
        std::istringstream points(attribute(svg, at, "points"));
        double x = 0;
        double y = 0;
        char comma = 0;
        while (points >> x >> comma >> y) {
            curve.points.emplace_back(x, y);
        }
        curves.push_back(std::move(curve));
    }
    return curves;
}

std::vector<std::string> texts_of(const std::string& svg) {
    std::vector<std::string> texts;
    for (std::size_t at = svg.find("<text"); at != std::string::npos;
         at = svg.find("<text", at + 1)) {
        const std::size_t begin = svg.find('>', at) + 1;
        texts.push_back(svg.substr(begin, svg.find('<', begin) - begin));
    }
    return texts;
}

bool has(const std::vector<std::string>& texts, const std::string& text) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
}

std::string drawn(const std::vector<Series>& curves, const FigureOptions& options = {}) {
    const TestFolder folder;
    const Result<void> done = draw(curves, folder.file("figure.svg"), options);
    EXPECT_TRUE(done) << done.error().message;
    return file_text(folder.file("figure.svg"));
}

TEST(Figure, PointsStandWhereTheAxesSay) {
    const std::string svg = drawn({{"x", {0, 5, 10}, {0, 1, 4}}});
    const std::vector<Polyline> curves = curves_of(svg);
    ASSERT_EQ(curves.size(), 1u);
    const auto& p = curves[0].points;
    ASSERT_EQ(p.size(), 3u);
    EXPECT_NEAR(p[1].first - p[0].first, p[2].first - p[1].first, 0.02);
    EXPECT_NEAR((p[0].second - p[1].second) * 4, p[0].second - p[2].second, 0.1);
    EXPECT_GT(p[0].second, p[2].second);  // upwards
    const std::vector<std::string> texts = texts_of(svg);
    EXPECT_TRUE(has(texts, "t [s]"));
    EXPECT_TRUE(has(texts, "x"));
    EXPECT_TRUE(has(texts, "10"));
}

TEST(Figure, CurvesHaveTheirOwnColoursAndNames) {
    const std::string svg =
        drawn({{"x", {0, 1}, {0, 1}}, {"y", {0, 1}, {1, 0}}, {"z", {0, 1}, {2, 0}}});
    const std::vector<Polyline> curves = curves_of(svg);
    ASSERT_EQ(curves.size(), 3u);
    EXPECT_EQ(curves[0].color, "#0072b2");
    EXPECT_EQ(curves[1].color, "#d55e00");
    EXPECT_EQ(curves[2].color, "#009e73");
    for (const char* name : {"x", "y", "z", "x, y, z"}) {
        EXPECT_TRUE(has(texts_of(svg), name)) << name;
    }
}

TEST(Figure, UnitsStandOnTheAxes) {
    EXPECT_EQ(unit_of("force[rod:bob].x"), "N");
    EXPECT_EQ(unit_of("torque[hinge:door].z"), "N m");
    EXPECT_EQ(unit_of("energy_balance"), "J");
    EXPECT_EQ(unit_of("x"), "");
    EXPECT_TRUE(has(texts_of(drawn({{"energy", {0, 1}, {0, 1}}})), "energy [J]"));
    EXPECT_TRUE(has(texts_of(drawn({{"energy", {0, 1}, {0, 1}}}, {.x_name = "x"})), "x"));
}

TEST(Figure, LogarithmsOfSizes) {
    const std::string svg =
        drawn({{"residual[c]", {0, 1, 2, 3, 4}, {1e-12, -1e-9, 0.0, 1e-6, 1e-6}}}, {.log = true});
    const std::vector<Polyline> curves = curves_of(svg);
    ASSERT_EQ(curves.size(), 2u);  // nothing is drawn at zero
    EXPECT_EQ(curves[0].points.size(), 2u);
    EXPECT_GT(curves[0].points[0].second, curves[0].points[1].second);
    for (const char* text : {"1e-12", "1e-6", "|residual[c]|"}) {
        EXPECT_TRUE(has(texts_of(svg), text)) << text;
    }
}

TEST(Figure, GapsStayGapsAndPeaksStayPeaks) {
    EXPECT_EQ(curves_of(drawn({{"x", {0, 1, 2, 3, 4}, {0, 1, std::nan(""), 1, 0}}})).size(), 2u);
    Series noise{"x", {}, {}};
    for (int i = 0; i < 200'000; ++i) {
        noise.x.push_back(i);
        noise.y.push_back(i == 123'456 ? 100.0 : std::sin(0.1 * i));
    }
    const std::string svg = drawn({noise});
    EXPECT_LT(svg.size(), 100'000u);
    const std::vector<Polyline> curves = curves_of(svg);
    ASSERT_EQ(curves.size(), 1u);
    const auto& points = curves[0].points;
    const auto highest = std::min_element(points.begin(), points.end(),
                                          [](auto a, auto b) { return a.second < b.second; });
    const double width = points.back().first - points.front().first;
    EXPECT_NEAR((highest->first - points.front().first) / width, 123'456.0 / 199'999.0, 1e-3);
}

TEST(Figure, NamesAreText) {
    const std::string svg = drawn({{"</text><script>alert(1)</script>", {0, 1}, {0, 1}}},
                                  {.title = "<b>&\"", .x_name = "x<y"});
    EXPECT_EQ(svg.find("<script"), std::string::npos);
    EXPECT_EQ(svg.find("<b>"), std::string::npos);
    EXPECT_TRUE(has(texts_of(svg), "x&lt;y"));
}

TEST(Figure, ConstantsAndNothingCanBeDrawn) {
    EXPECT_EQ(curves_of(drawn({{"x", {0, 1}, {3, 3}}})).size(), 1u);
    EXPECT_EQ(curves_of(drawn({{"x", {}, {}}})).size(), 0u);
    EXPECT_EQ(curves_of(drawn({{"x", {0, 1}, {0, 0}}}, {.log = true})).size(), 0u);
}

TEST(Figure, EqualScalesKeepACircleRound) {
    Series circle{"y", {}, {}};
    for (int i = 0; i <= 60; ++i) {
        const double angle = 2.0 * std::numbers::pi * i / 60.0;
        circle.x.push_back(0.2 + 0.1 * std::cos(angle));
        circle.y.push_back(0.1 * std::sin(angle));
    }
    const auto span = [&](bool equal) {
        const auto points =
            curves_of(drawn({circle}, {.x_name = "x", .equal = equal})).at(0).points;
        const auto [left, right] = std::minmax_element(points.begin(), points.end());
        const auto [top, bottom] = std::minmax_element(
            points.begin(), points.end(), [](auto a, auto b) { return a.second < b.second; });
        return std::pair(right->first - left->first, bottom->second - top->second);
    };
    EXPECT_NEAR(span(true).first, span(true).second, 0.5);
    EXPECT_GT(span(true).second, 200.0);
    EXPECT_GT(span(false).first, 1.3 * span(false).second);
}

TEST(Figure, CurvesKeepAwayFromTheFrame) {
    // 0 and 4 are ticks: without room the curve would lie on the edge.
    const std::string svg = drawn({{"y", {0, 1, 2}, {0, 4, 0}}}, {.x_name = "x"});
    const auto points = curves_of(svg).at(0).points;
    const std::size_t clip = svg.find("<rect", svg.find("<clipPath"));
    ASSERT_NE(clip, std::string::npos);
    const double left = std::stod(attribute(svg, clip, "x"));
    const double top = std::stod(attribute(svg, clip, "y"));
    const double right = left + std::stod(attribute(svg, clip, "width"));
    const double bottom = top + std::stod(attribute(svg, clip, "height"));
    EXPECT_GT(points[0].first, left + 8.0);
    EXPECT_LT(points[2].first, right - 8.0);
    EXPECT_LT(points[0].second, bottom - 8.0);
    EXPECT_GT(points[1].second, top + 8.0);
}

TEST(Figure, LegendTellsWhatHasNoLogarithm) {
    const std::string svg = drawn({{"e", {0, 1}, {0, 0}}}, {.log = true});
    EXPECT_TRUE(has(texts_of(svg), "e (0 throughout)"));
    EXPECT_FALSE(has(texts_of(drawn({{"e", {0, 1}, {0, 0}}})), "e (0 throughout)"));
}

TEST(Figure, PngHasTwoDotsPerPixel) {
    const TestFolder folder;
    const std::vector<Series> curves{{"x", {0, 1}, {0, 1}}};
    ASSERT_TRUE(draw(curves, folder.file("figure.png"), {.width = 300, .height = 200}));
    const std::string png = file_text(folder.file("figure.png"));
    ASSERT_GT(png.size(), 24u);
    EXPECT_EQ(png.substr(1, 3), "PNG");
    const auto size = [&](std::size_t at) {
        return static_cast<unsigned char>(png[at + 2]) * 256 +
               static_cast<unsigned char>(png[at + 3]);
    };
    EXPECT_EQ(size(16), 600);
    EXPECT_EQ(size(20), 400);
}

}  // namespace
}  // namespace ananke::io
