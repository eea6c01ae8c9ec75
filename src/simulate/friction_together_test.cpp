// Frictions that depend on each other or on the constraints: slips that a drive takes through
// zero, feet of one body that break away or come to rest together. Closed forms, and the kinematic
// bound of limit analysis.
#include <fmt/format.h>

#include "pipeline.h"

namespace ananke::pipeline {
namespace {

const std::string kDriven =
    "coordinate x, z\n"
    "particle P mass 1 at (x, 0, z)\n"
    "gravity (0, 0, -10)\n"
    "constraint floor: z = 0\n"
    "friction on floor: coulomb(mu = 0.3)\n";

// x' changes its sign as the drive says, and the friction -3 sign(x') with it: nothing can stick.
// The drive carries x'' + 3 sign(x').
TEST(FrictionTogether, DriveTakesTheSlipThroughZero) {
    struct Drive {
        const char* x;
        double (*slip)(double t);
        double first_turn;
    };
    for (const Drive& drive : {Drive{"sin(t)", [](double t) { return std::cos(t); }, M_PI / 2.0},
                               Drive{"1 - cos(t)", [](double t) { return std::sin(t); }, M_PI}}) {
        for (const char* by :
             {"constraint drive: x = ", "servo drive: x = ", "constraint drive: 7*x = 7*"}) {
            SCOPED_TRACE(std::string(by) + drive.x);
            const bool scaled = std::string_view(by).ends_with("7*");
            const std::string x = scaled ? std::string("(") + drive.x + ")" : drive.x;
            const Recording run =
                run_text(kDriven + by + x + "\n", {.times = even_times(10.0, 97)});
            ASSERT_FALSE(run.error) << run.error->message;
            const std::vector<Event> turns = events_of(run, "slip");
            ASSERT_EQ(turns.size(), 3U);
            EXPECT_TRUE(events_of(run, "stick").empty());
            for (std::size_t k = 0; k < turns.size(); ++k) {
                EXPECT_NEAR(turns[k].t, drive.first_turn + static_cast<double>(k) * M_PI, 1e-9);
            }
            for (std::size_t row = 1; row < run.rows.rows(); ++row) {
                const double sign = drive.slip(run.at(row, "t")) > 0.0 ? 1.0 : -1.0;
                EXPECT_NEAR(run.at(row, "friction[floor]"), -3.0 * sign, 1e-12);
                EXPECT_NEAR(run.at(row, "Qc[x]"), run.at(row, "x''"), 1e-12);
            }
            EXPECT_NEAR(run.at(0, "friction[floor]"), -3.0, 1e-12);
        }
    }
}

// A slip that the drive only touches zero with keeps its direction; one that the drive holds at
// zero leaves the friction nothing to do, until the drive moves it.
TEST(FrictionTogether, SlipHeldByTheDriveIsNotHeldByFriction) {
    const Recording touches =
        run_text(kDriven + "constraint drive: x = (t - 1)^3\n", {.times = even_times(2.0, 20)});
    ASSERT_FALSE(touches.error) << touches.error->message;
    EXPECT_TRUE(touches.rows.events.empty());
    EXPECT_NEAR(touches.at(20, "friction[floor]"), -3.0, 1e-12);
    const Recording held =
        run_text(kDriven + "constraint drive: x = 2\n", {.times = even_times(1.0, 4)});
    ASSERT_FALSE(held.error) << held.error->message;
    EXPECT_EQ(held.at(4, "friction[floor]"), 0.0);
    // x' = t^2: at the start neither slip nor its acceleration has a sign.
    const Recording begins =
        run_text(kDriven + "constraint drive: x = -t^3/3\n", {.times = even_times(1.0, 4)});
    ASSERT_FALSE(begins.error) << begins.error->message;
    EXPECT_NEAR(begins.at(1, "friction[floor]"), 3.0, 1e-12);
}

// Piston of a slider-crank without masses but its own: x = r cos w t + sqrt(l^2 - r^2 sin^2 w t).
// The crank turns at w by a servo torque; N of the bore is that of the rod, sideways.
TEST(FrictionTogether, PistonPassesItsDeadCentres) {
    const std::string crank =
        "coordinate a, x\n"
        "initial a = 0, x = 4\n"
        "particle K mass 0 at (cos(a), sin(a), 0)\n"
        "particle B mass 2 at (x, 0, 0)\n"
        "constraint rod: (x - cos(a))^2 + sin(a)^2 = 9\n"
        "constraint turn: a = t\n"
        "friction on rod: coulomb(mu = 1, slip = x', load = 5)\n";
    const Recording run = run_text(crank, {.times = even_times(7.0, 70)});
    ASSERT_FALSE(run.error) << run.error->message;
    const std::vector<Event> turns = events_of(run, "slip");
    ASSERT_EQ(turns.size(), 2U);
    EXPECT_NEAR(turns[0].t, M_PI, 1e-9);
    EXPECT_NEAR(turns[1].t, 2.0 * M_PI, 1e-9);
    for (std::size_t row = 1; row < run.rows.rows(); ++row) {
        const double t = run.at(row, "t");
        EXPECT_NEAR(run.at(row, "friction[rod]"), std::sin(t) > 0.0 ? 5.0 : -5.0, 1e-12);
    }
}

// Coasting slider-crank (crank and rod light): the friction of the bore takes energy at every
// stroke, mu N |x'|, and the balance of energy holds across the dead centres.
TEST(FrictionTogether, CrankCoastsThroughItsDeadCentres) {
    for (const char* start : {"at (r/2, 0, 0) omega 20", "at (0, r/2, 0) angle pi/2 omega 20"}) {
        SCOPED_TRACE(start);
        const bool centre = start[4] == 'r';
        const std::string guess = centre ? "at (r + l/2, 0, 0)\n"
                                         : "at ~ (0.14, r/2, 0) angle ~ "
                                           "-0.34\n";
        const Recording run =
            run_text(std::string("parameter r = 0.1, l = 0.3\ngravity (0, -9.81, 0)\n") +
                         "planar body crank mass 1 inertia 0.01 " + start +
                         "\nplanar body rod mass 0.8 inertia 0.006 " + guess +
                         "planar body piston mass 0.5 inertia 0.001 at " +
                         (centre ? "(r + l, 0, 0)" : "~ (0.28, 0, 0)") +
                         "\njoint main: revolute(ground, crank at (-r/2, 0, 0))\n"
                         "joint big: revolute(crank at (r/2, 0, 0), rod at (-l/2, 0, 0))\n"
                         "joint small: revolute(rod at (l/2, 0, 0), piston)\n"
                         "joint bore: prismatic(ground, piston, axis = (1, 0, 0))\n"
                         "friction on bore: coulomb(mu = 0.2)\n",
                     {.times = even_times(8.0, 400)});
        ASSERT_FALSE(run.error) << run.error->message;
        EXPECT_GE(events_of(run, "slip").size(), 10U);
        EXPECT_LT(run.summary.largest_energy_imbalance, 1e-7);
        for (std::size_t row = 0; row < run.rows.rows(); ++row) {
            EXPECT_LE(run.at(row, "friction[bore]") * run.at(row, "piston.x'"), 1e-9);
        }
    }
}

const std::string kTwoFeet =
    "coordinate x, z, u, w\n"
    "particle P mass 1 at (x, 0, z)\n"
    "particle Q mass 1 at (u, 0, w)\n"
    "gravity (0, 0, -10)\n"
    "constraint rod: u - x = 1\n"
    "constraint f1: z = 0\n"
    "constraint f2: w = 0\n"
    "friction on f1: coulomb(mu = 0.2)\n"
    "friction on f2: coulomb(mu = 0.2)\n"
    "initial x = 0, u = 1\n";

// The force 4 t is carried by both, as 2 t and 2 t, up to the limits 2 and 2; then 2 x'' = 4 t - 4.
TEST(FrictionTogether, TwoFeetOnARodBreakAwayTogether) {
    const Recording run =
        run_text(kTwoFeet + "force on P = (4*t, 0, 0)\n", {.times = even_times(4.0, 40)});
    ASSERT_FALSE(run.error) << run.error->message;
    const std::vector<Event> slips = events_of(run, "slip");
    ASSERT_EQ(slips.size(), 2U);
    EXPECT_NEAR(slips[0].t, 1.0, 1e-9);
    EXPECT_EQ(slips[1].t, slips[0].t);
    for (std::size_t row = 0; row < run.rows.rows(); ++row) {
        const double t = run.at(row, "t");
        const double s = std::max(0.0, t - 1.0);
        EXPECT_NEAR(run.at(row, "x"), s * s * s / 3.0, 1e-8);
        EXPECT_NEAR(run.at(row, "friction[f1]"), -std::min(2.0, 2.0 * t), 1e-9);
        EXPECT_NEAR(run.at(row, "friction[f2]"), -std::min(2.0, 2.0 * t), 1e-9);
        // The rod pulls Q: u'' + friction = 2 s + min(2, 2 t)
        EXPECT_NEAR(run.at(row, "Qc[u]"), 2.0 * s, 1e-9);
    }
}

// Both stop at t = 1, and then neither has anything to hold.
TEST(FrictionTogether, TwoFeetOnARodStopTogetherWithoutSelfStress) {
    const Recording run =
        run_text(kTwoFeet + "initial x' = 2, u' = 2\n", {.times = even_times(2.0, 20)});
    ASSERT_FALSE(run.error) << run.error->message;
    const std::vector<Event> sticks = events_of(run, "stick");
    ASSERT_EQ(sticks.size(), 2U);
    EXPECT_NEAR(sticks[0].t, 1.0, 1e-12);
    EXPECT_EQ(sticks[1].t, sticks[0].t);
    for (const char* column : {"friction[f1]", "friction[f2]", "lambda[rod]", "x'", "u'"}) {
        EXPECT_LT(std::abs(run.at(20, column)), 1e-12) << column;
    }
}

// N = 60 and 20: breakaway of F = 20 t at 0.2*80/20, shared 3 : 1.
TEST(FrictionTogether, BlockOnTwoFeetSharesByTheLimits) {
    const Recording run = run_text(
        "gravity (0, -10, 0)\nplanar body b mass 8 inertia 1\n"
        "joint l1: point_on_line(ground, b at (1, 0, 0), axis = (1, 0, 0))\n"
        "joint l2: point_on_line(ground, b at (-3, 0, 0), axis = (1, 0, 0))\n"
        "friction on l1: coulomb(mu = 0.2)\nfriction on l2: coulomb(mu = 0.2)\n"
        "force on b = (20*t, 0, 0)\n",
        {.times = even_times(2.0, 20)});
    ASSERT_FALSE(run.error) << run.error->message;
    const std::vector<Event> slips = events_of(run, "slip");
    ASSERT_EQ(slips.size(), 2U);
    EXPECT_NEAR(slips[0].t, 0.8, 1e-9);
    EXPECT_NEAR(run.at(5, "friction[l1]"), -7.5, 1e-9);
    EXPECT_NEAR(run.at(5, "friction[l2]"), -2.5, 1e-9);
    EXPECT_NEAR(run.at(20, "b.x'"), 20.0 * 1.2 * 1.2 / 16.0, 1e-7);
}

/// Three feet with N = 40, 20, 20 under a mass of 8.
std::string table(const std::string& velocity, const std::string& more, double mu_static = 0.3) {
    std::string text = "gravity (0, 0, -10)\nbody table mass 8 inertia (1, 1, 2) " + velocity +
                       "\njoint l1: point_on_plane(ground, table at (1, 0, 0))\n"
                       "joint l2: point_on_plane(ground, table at (-1, 1, 0))\n"
                       "joint l3: point_on_plane(ground, table at (-1, -1, 0))\n";
    for (const char* foot : {"l1", "l2", "l3"}) {
        text += fmt::format("friction on {}: coulomb(mu = 0.3, mu_static = {})\n", foot, mu_static);
    }
    return text + more;
}

// 30 t = 0.3*80 at t = 0.8, or mu_static*80.
TEST(FrictionTogether, TableBreaksAway) {
    for (const double mu_static : {0.3, 0.4}) {
        const Recording run = run_text(table("", "force on table = (30*t, 0, 0)\n", mu_static),
                                       {.times = even_times(1.5, 15), .tolerance = 1e-9});
        ASSERT_FALSE(run.error) << run.error->message;
        const std::vector<Event> slips = events_of(run, "slip");
        ASSERT_EQ(slips.size(), 3U);
        const double begin = mu_static * 80.0 / 30.0;
        EXPECT_NEAR(slips[0].t, begin, 1e-9);
        EXPECT_EQ(slips[2].t, slips[0].t);
        // 8 v' = 30 t - 24
        const double v = (15.0 * (1.5 * 1.5 - begin * begin) - 24.0 * (1.5 - begin)) / 8.0;
        EXPECT_NEAR(run.at(15, "table.x'"), v, 1e-7);
    }
}

// A push beside the centre turns the table too. It gives way at the least, over all centres of
// rotation c, of sum of mu N_i |p_i - c| / (moment about c of the unit push): the kinematic bound.
TEST(FrictionTogether, TablePushedBesideItsCentreGivesWayAtTheLeastBound) {
    const auto bound = [](double cx, double cy) {
        const double dissipation = 12.0 * std::hypot(1.0 - cx, cy) +
                                   6.0 * std::hypot(-1.0 - cx, 1.0 - cy) +
                                   6.0 * std::hypot(-1.0 - cx, -1.0 - cy);
        return dissipation / std::abs(1.0 - cy);  // the push (1, 0) acts at (0, 1)
    };
    double x = 0.0;
    double y = 0.0;
    for (double step = 0.5; step > 1e-9;) {
        const double before = bound(x, y);
        for (const auto& [dx, dy] : {std::pair{step, 0.0},
                                     {-step, 0.0},
                                     {0.0, step},
                                     {0.0, -step},
                                     {step, step},
                                     {-step, -step},
                                     {step, -step},
                                     {-step, step}}) {
            if (bound(x + dx, y + dy) < bound(x, y)) {
                x += dx;
                y += dy;
            }
        }
        step *= bound(x, y) < before ? 1.0 : 0.5;
    }
    const Recording run = run_text(table("", "force on table at (0, 1, 0) = (30*t, 0, 0)\n"),
                                   {.times = even_times(0.6, 10), .tolerance = 1e-9});
    ASSERT_FALSE(run.error) << run.error->message;
    const std::vector<Event> slips = events_of(run, "slip");
    ASSERT_EQ(slips.size(), 3U);
    EXPECT_NEAR(slips[0].t, bound(x, y) / 30.0, 1e-9);
}

TEST(FrictionTogether, TableComesToRest) {
    const Recording straight =
        run_text(table("velocity (3, 0, 0)", ""), {.times = even_times(2.0, 20)});
    ASSERT_FALSE(straight.error) << straight.error->message;
    const std::vector<Event> sticks = events_of(straight, "stick");
    ASSERT_EQ(sticks.size(), 3U);
    EXPECT_NEAR(sticks[0].t, 1.0, 1e-9);
    EXPECT_EQ(sticks[2].t, sticks[0].t);
    EXPECT_NEAR(straight.at(20, "table.x"), 1.5, 1e-9);
    EXPECT_LT(std::abs(straight.at(20, "table.x'")), 1e-15);
    EXPECT_LT(std::abs(straight.at(20, "friction[l1].2")), 1e-9);
    // With spin there is no closed form, but rest and the energy gone.
    const Recording spinning = run_text(table("velocity (3, 0.1, 0) omega (0, 0, 0.5)", ""),
                                        {.times = even_times(2.0, 20)});
    ASSERT_FALSE(spinning.error) << spinning.error->message;
    EXPECT_EQ(events_of(spinning, "stick").size(), 3U);
    EXPECT_LT(spinning.at(20, "kinetic"), 1e-25);
    EXPECT_LT(spinning.summary.largest_energy_imbalance, 1e-8);
}

// J w' = -mu m g R: rest at 2*5/(0.3*80*1).
TEST(FrictionTogether, DiscOnThreeFeetStopsSpinning) {
    std::string text = "gravity (0, 0, -10)\nbody d mass 8 inertia (1, 1, 2) omega (0, 0, 5)\n";
    for (int k = 0; k < 3; ++k) {
        text += fmt::format(
            "joint l{0}: point_on_plane(ground, d at (cos({0}*120*deg), sin({0}*120*deg), 0))\n"
            "friction on l{0}: coulomb(mu = 0.3)\n",
            k);
    }
    const Recording run =
        run_text(text + "output w = omega(d).z\n", {.times = even_times(1.0, 20)});
    ASSERT_FALSE(run.error) << run.error->message;
    const std::vector<Event> sticks = events_of(run, "stick");
    ASSERT_EQ(sticks.size(), 3U);
    EXPECT_NEAR(sticks[0].t, 10.0 / 24.0, 1e-9);
    for (std::size_t row = 0; row < run.rows.rows(); ++row) {
        EXPECT_NEAR(run.at(row, "w"), std::max(0.0, 5.0 - 12.0 * run.at(row, "t")), 1e-8);
    }
}

// Four feet, whose loads are a choice: by symmetry they are equal.
TEST(FrictionTogether, TableOnFourFeetComesToRest) {
    std::string text =
        "gravity (0, 0, -10)\nbody table mass 8 inertia (1, 1, 2) at (0, 0, 1) velocity (2, 0, "
        "0)\n";
    int k = 0;
    for (const char* foot : {"(1, 1, 0)", "(-1, 1, 0)", "(-1, -1, 0)", "(1, -1, 0)"}) {
        text += fmt::format(
            "joint l{0}: point_on_plane(ground at (0, 0, 1), table at {1})\n"
            "friction on l{0}: coulomb(mu = 0.2)\n",
            ++k, foot);
    }
    const Recording run = run_text(text, {.times = even_times(2.0, 20)});
    ASSERT_FALSE(run.error) << run.error->message;
    const std::vector<Event> sticks = events_of(run, "stick");
    ASSERT_EQ(sticks.size(), 4U);
    EXPECT_NEAR(sticks[0].t, 1.0, 1e-9);
    EXPECT_EQ(sticks[3].t, sticks[0].t);
}

}  // namespace
}  // namespace ananke::pipeline
