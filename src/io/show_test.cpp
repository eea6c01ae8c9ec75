// What a person sees in the terminal: the table and the plot.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "ananke/show.h"

namespace ananke::io {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Trajectory oscillator(std::size_t rows) {
    Trajectory trajectory;
    trajectory.header.columns = {{"t", ColumnKind::kTime},
                                 {"residual[rod]", ColumnKind::kResidual},
                                 {"x'", ColumnKind::kVelocity},
                                 {"θ", ColumnKind::kPosition}};
    for (std::size_t i = 0; i < rows; ++i) {
        const double t = 0.25 * static_cast<double>(i);
        trajectory.values.insert(trajectory.values.end(),
                                 {t, 1e-15 * t, i == 2 ? kNan : -200.0 * std::sin(t), std::cos(t)});
    }
    return trajectory;
}

TEST(Table, ExactText) {
    EXPECT_EQ(table(oscillator(9), {.rows = 5, .width = 100}),
              "    t         θ        x'  residual[rod]\n"
              "  0.0   1.00000     0.000              0\n"
              "  0.5   0.87758       nan    5.00000e-16\n"
              "  1.0   0.54030  -168.294    1.00000e-15\n"
              "  1.5   0.07074  -199.499    1.50000e-15\n"
              "  2.0  -0.41615  -181.859    2.00000e-15\n");
}

TEST(Table, ColumnsThatDoNotFitAreCounted) {
    EXPECT_EQ(table(oscillator(2), {.rows = 11, .width = 20}),
              "     t        θ\n"
              "  0.00  1.00000\n"
              "  0.25  0.96891\n"
              "  and 2 more columns\n");
}

TEST(Table, SmallNumbersAreNeverShownAsZero) {
    Trajectory trajectory;
    trajectory.header.columns = {{"x", ColumnKind::kPosition}};
    trajectory.values = {1.0, 3e-17, 0.0};
    EXPECT_EQ(table(trajectory),
              "        x\n"
              "      1.0\n"
              "  3.0e-17\n"
              "      0.0\n");
}

TEST(Table, NoRows) {
    EXPECT_EQ(table(oscillator(0)), "  no rows\n");
}

Series wave(const std::string& name, double phase) {
    Series curve{name, {}, {}};
    for (int i = 0; i <= 200; ++i) {
        const double t = 0.05 * i;
        curve.x.push_back(t);
        curve.y.push_back(std::cos(t + phase));
    }
    return curve;
}

TEST(Plot, TwoCurvesInBraille) {
    const std::vector<Series> curves{wave("θ", 0.0), wave("θ'", std::acos(0.0))};
    EXPECT_EQ(plot(curves, {.width = 40, .height = 9, .title = "Pendulum"}),
              "Pendulum\n"
              " 1 ┤⠉●⣄             ⣠⠖⠉⠉⠢⡀⢠⠔●⠉⠲⣄\n"
              "   │  ⠈⢣⡀          ⡔○    ○⢅    ⠈⢆\n"
              "   │    ⢣         ⡜     ⡰⠁⠘⢆    ⠈⢇        ⢀○\n"
              "   │     ⢣       ⡜     ⡰⠃  ⠘⢆     ●      ⢀⠜\n"
              " 0 ┤⢄     ⢣     ⡜⠁    ⣠●    ⠘⡄    ⠈⢆     ⡜\n"
              "   │⠈⡆    ⠈●   ⣰⠁    ⢠⠃      ⠘⡄    ⠈⣆   ⡜\n"
              "   │ ⠈⣆    ⠈⢦ ⣰⠁    ⢠⠃        ⠘⡄    ⠈⣆ ⡜\n"
              "   │  ⠈⢆    ⠈⣳○    ⡠⠃          ○⣄    ⢈⣞⠁\n"
              "-1 ┤    ○⢄⣀⡠⠚ ⠙⢤⣀●⠞⠁            ⠈⠣⣄⣀⡤○ ⠳●⣀⡠⠚\n"
              "   └┬───────────────────┬──────────────────┬ t\n"
              "    0                   5                 10\n"
              "    ● θ   ○ θ'\n");
}

TEST(Plot, TwoCurvesInPlainText) {
    const std::vector<Series> curves{wave("θ", 0.0), wave("θ'", std::acos(0.0))};
    EXPECT_EQ(plot(curves, {.width = 40, .height = 9, .title = "Pendulum", .unicode = false}),
              "Pendulum\n"
              " 1 +***              oooo  ****\n"
              "   |  **           oo   ooo    **\n"
              "   |    *         oo    **oo    **        oo\n"
              "   |     *       oo    **  oo    **      oo\n"
              " 0 +o     *     oo    **    oo    **    oo\n"
              "   | o     **  oo    **      oo    **  oo\n"
              "   |  oo    **oo    **        oo    **oo\n"
              "   |   oo   ooo   ***          oo    oo*   *\n"
              "-1 +    ooooo *****              ooooo *****\n"
              "   ++-------------------+------------------+ t\n"
              "    0                   5                 10\n"
              "    * θ   o θ'\n");
}

TEST(Plot, ConstantCurveHasRoomOnBothSides) {
    const std::vector<Series> curves{{"c", {0, 1, 2}, {5, 5, 5}}};
    EXPECT_EQ(plot(curves, {.width = 20, .height = 5}),
              "10 ┤\n"
              "   │\n"
              " 5 ┤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤●⠤⠤⠤⠤⠤⠤⠤⠤●\n"
              "   │\n"
              " 0 ┤\n"
              "   └┬─────────┬────────┬ t\n"
              "    0         1        2\n"
              "    ● c\n");
}

TEST(Plot, NanIsAGap) {
    const std::vector<Series> curves{{"gap", {0, 1, 2, 3, 4}, {0, 1, kNan, 1, 0}}};
    EXPECT_EQ(plot(curves, {.width = 21, .height = 5, .unicode = false}),
              "1 +     *         *\n"
              "  |    *           *\n"
              "  |  **             **\n"
              "  | *                 *\n"
              "0 +*                   *\n"
              "  ++---------+---------+ t\n"
              "   0         2         4\n"
              "   * gap\n");
}

TEST(Plot, OnePointIsAMark) {
    const std::vector<Series> curves{{"one", {3}, {-2e-9}}};
    EXPECT_EQ(plot(curves, {.width = 20, .height = 5}),
              "     0 ┤\n"
              "       │\n"
              "-2e-09 ┤          ●\n"
              "       │\n"
              "-4e-09 ┤\n"
              "       └───┬──────┬─────┬─── t\n"
              "           2      3     4\n"
              "        ● one\n");
}

TEST(Plot, NothingToPlot) {
    const std::vector<Series> curves{{"none", {kNan}, {1.0}}};
    EXPECT_EQ(plot(curves, {.title = "Empty"}), "Empty\n  nothing to plot\n");
}

}  // namespace
}  // namespace ananke::io
