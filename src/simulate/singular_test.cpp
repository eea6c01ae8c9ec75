// Singular configurations along a motion: reported, and passed on the smooth branch.
#include <cmath>
#include <numbers>

#include <nlohmann/json.hpp>

#include "pipeline.h"

namespace ananke::pipeline {
namespace {

using Json = nlohmann::json;

struct Flat {
    std::vector<double> times;
    std::vector<std::string> details;
};

Flat singular_events(const Recording& run) {
    Flat flat;
    for (const Event& event : run.rows.events) {
        if (event.kind == "singular") {
            flat.times.push_back(event.t);
            flat.details.push_back(event.detail);
        }
    }
    return flat;
}

Json reference(int links) {
    const fs::path path = source_directory() / "tests" / "reference" /
                          ("n_four_bar_" + std::to_string(links) + ".json");
    return Json::parse(contents(path));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// Largest difference of the angles of the vertical links: 0 on the branch of the parallelograms.
double spread(const Recording& run) {
    double largest = 0.0;
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        largest = std::max(largest, std::abs(run.at(i, "theta[1]") - run.at(i, "theta[0]")));
    }
    return largest;
}

TEST(Singular, AllFlatPositionsOfTheFourBarsAreReported) {
    for (const int links : {1, 2}) {
        const auto expected =
            reference(links).at("times_of_flat_configuration").get<std::vector<double>>();
        for (const double tolerance : {1e-12, 1e-9}) {
            const Recording run =
                run_text(model_text("n_four_bar"), {.times = {0.0, 10.0}, .tolerance = tolerance},
                         {setting("N", links)});
            ASSERT_FALSE(run.error) << run.error->message;
            const Flat flat = singular_events(run);
            ASSERT_EQ(flat.times.size(), expected.size());
            for (std::size_t i = 0; i < expected.size(); ++i) {
                EXPECT_NEAR(flat.times[i], expected[i], tolerance > 1e-10 ? 1e-6 : 1e-10);
            }
        }
    }
}

TEST(Singular, EventNamesTheConstraintsAndTheRank) {
    const Recording run = run_text(model_text("n_four_bar"), {.times = {0.0, 1.0}}, {"N=2"});
    ASSERT_FALSE(run.error);
    const Flat flat = singular_events(run);
    ASSERT_EQ(flat.details.size(), 1U);
    EXPECT_EQ(flat.details[0],
              "rank of the constraints 14 -> 12 -> 14: pin_x[0], pin_x[1], pin_x[2], left_x[1], "
              "right_x[1], left_x[2] and right_x[2] become dependent; passed on the smooth branch");
}

/// Many coordinates: rows are judged by sparse systems.
TEST(Singular, ManyLinksPassAllFlatPositions) {
    const Json expected = reference(40);
    const auto flat = expected.at("times_of_flat_configuration").get<std::vector<double>>();
    const Recording run =
        run_text(model_text("n_four_bar"), {.times = {0.0, 10.0}, .tolerance = 1e-12}, {"N=40"});
    ASSERT_FALSE(run.error) << run.error->message;
    const Flat found = singular_events(run);
    ASSERT_EQ(found.times.size(), flat.size());
    const std::string names = "rank of the constraints 242 -> 202 -> 242: pin_x[0], pin_x[1], ";
    for (std::size_t i = 0; i < flat.size(); ++i) {
        // Where all links are in line their angles are determined to the root of rounding only.
        EXPECT_NEAR(found.times[i], flat[i], 3e-8);
        EXPECT_EQ(found.details[i].substr(0, names.size()), names);
    }
    EXPECT_NEAR(run.at(1, "theta[0]"), expected.at("samples").back().at("theta")[0].get<double>(),
                1e-9);
    EXPECT_LT(spread(run), 1e-10);
}

/// theta(t) of theta'' = -pull cos(theta), by the method of Runge and Kutta.
double angle_at(double t, double theta, double omega, double pull) {
    const int steps = 200'000;
    const double h = t / steps;
    const auto slope = [&](double angle) { return -pull * std::cos(angle); };
    for (int i = 0; i < steps; ++i) {
        const double a1 = slope(theta);
        const double v2 = omega + 0.5 * h * a1;
        const double a2 = slope(theta + 0.5 * h * omega);
        const double v3 = omega + 0.5 * h * a2;
        const double a3 = slope(theta + 0.5 * h * v2);
        const double v4 = omega + h * a3;
        const double a4 = slope(theta + h * v3);
        theta += h / 6 * (omega + 2 * v2 + 2 * v3 + v4);
        omega += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return theta;
}

/// All links of N four-bars: ((N + 1)/3 + N) l theta'' = -((N + 1)/2 + N) g cos(theta).
double angle_of_links(int links, double t) {
    const double n = links;
    return angle_at(t, std::numbers::pi / 2, -1.0, ((n + 1) / 2 + n) / ((n + 1) / 3 + n) * 9.81);
}

// Rounding is magnified next to a flat position, the more the longer the row of links.
TEST(Singular, AHundredLinksPassAtTheFinestTolerances) {
    const double expected = angle_of_links(100, 10.0);
    for (const double tolerance : {1e-12, 1e-13}) {
        const Recording run = run_text(model_text("n_four_bar"),
                                       {.times = {0.0, 10.0}, .tolerance = tolerance}, {"N=100"});
        ASSERT_FALSE(run.error) << run.error->message;
        EXPECT_EQ(singular_events(run).times.size(), 10U);
        for (const char* angle : {"theta[0]", "theta[50]", "theta[100]"}) {
            EXPECT_NEAR(run.at(1, angle), expected, 1e-9);
        }
    }
}

// A parallelogram as on paper, in angles: where it is flat the gradient of the first equation
// vanishes, and the antiparallelogram branches off.
TEST(Singular, AVanishingGradientOfALinkageIsPassed) {
    const std::string text =
        "coordinate a, b, c\nkinetic (a'^2 + b'^2 + c'^2)/2\npotential 5*(sin(a) + sin(c))\n"
        "constraint across: cos(a) + 2*cos(b) - cos(c) = 2\n"
        "constraint along: sin(a) + 2*sin(b) - sin(c) = 0\n"
        "initial a ~ 0.3, b ~ 0, c ~ 0.3, a' = 5\n";
    const double free = angle_at(10.0, 0.3, 5.0, 5.0);
    for (const double tolerance : {1e-8, 1e-9, 1e-10, 1e-11, 1e-12}) {
        SCOPED_TRACE(tolerance);
        const Recording run = run_text(text, {.times = {0.0, 10.0}, .tolerance = tolerance});
        ASSERT_FALSE(run.error) << run.error->message;
        EXPECT_NEAR(run.at(1, "a"), free, 1e4 * tolerance);
        EXPECT_NEAR(run.at(1, "c"), run.at(1, "a"), 1e4 * tolerance);
        EXPECT_NEAR(run.at(1, "b"), 0.0, 1e4 * tolerance);
        const Flat flat = singular_events(run);
        EXPECT_EQ(flat.times.size(), std::floor(free / std::numbers::pi));
        EXPECT_EQ(flat.details[0],
                  "rank of the constraints 2 -> 1 -> 2: the gradient of across vanishes; passed on "
                  "the smooth branch");
    }
    // Driven: nothing is free.
    const std::string driven =
        replaced(replaced(text, "initial a ~", "constraint drive: a = t + 0.3\ninitial a ~"),
                 "a' = 5", "a' ~ 5");
    for (const double tolerance : {1e-6, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}) {
        SCOPED_TRACE(tolerance);
        const Recording run = run_text(driven, {.times = {0.0, 20.0}, .tolerance = tolerance});
        ASSERT_FALSE(run.error) << run.error->message;
        EXPECT_NEAR(run.at(1, "c"), 20.3, 1e4 * tolerance);
        EXPECT_NEAR(run.at(1, "b"), 0.0, 1e4 * tolerance);
    }
}

/// N four-bars with bodies and joints in three dimensions, tilted from upright, with velocities
/// that do not fit together as guesses.
std::string spatial_four_bars(int links) {
    std::string text = "parameter N = " + std::to_string(links) + R"(, c = cos(0.01), s = sin(0.01)
gravity (0, -9.81, 0)
for i in 0..N {
  body upright[i] mass 1 inertia (1/12, 0.001, 1/12) at (i + s/2, c/2, 0),
       orientation rotation((0, 0, 1), -0.01) velocity ~ (c/2, -s/2, 0) omega ~ (0, 0, -1 - sin(3*i + 1)/20)
  joint foot[i]: revolute(ground at (i, 0, 0), upright[i] at (0, -1/2, 0))
}
for i in 1..N {
  body level[i] mass 1 inertia (0.001, 1/12, 1/12) at (i - 1/2 + s, c, 0) velocity ~ (c + 0.01*i, -s, 0)
}
for i in 1..N {
  joint left[i]: revolute(upright[i-1] at (0, 1/2, 0), level[i] at (-1/2, 0, 0))
  joint right[i]: revolute(level[i] at (1/2, 0, 0), upright[i] at (0, 1/2, 0))
}
output first = position(upright[0] at (0, 1/2, 0))
output last = position(upright[N] at (0, 1/2, 0))
simulate until 5
)";
    return text;
}

TEST(Singular, SpatialFourBarsPassFromStartsThatAreNotSymmetric) {
    for (const int links : {2, 16}) {
        const Recording run =
            run_text(spatial_four_bars(links), {.times = even_times(5.0, 50), .tolerance = 1e-11});
        ASSERT_FALSE(run.error) << run.error->message;
        EXPECT_EQ(singular_events(run).times.size(), 5U);
        EXPECT_LT(largest_residual(run), 1e-12);
        for (std::size_t i = 0; i < run.rows.rows(); ++i) {
            EXPECT_NEAR(run.at(i, "last.x") - run.at(i, "first.x"), links, 1e-9);
            EXPECT_NEAR(run.at(i, "last.y"), run.at(i, "first.y"), 1e-9);
            EXPECT_NEAR(run.at(i, "last.z"), 0.0, 1e-9);
            EXPECT_NEAR(run.at(i, "energy"), run.at(0, "energy"), 1e-8);
        }
    }
}

TEST(Singular, CoarseTolerancesStayOnTheBranch) {
    for (const double tolerance : {1e-7, 1e-5}) {
        const Recording run = run_text(model_text("n_four_bar"),
                                       {.times = even_times(10.0, 100), .tolerance = tolerance});
        ASSERT_FALSE(run.error) << run.error->message;
        if (tolerance < 1e-6) {  // coarser steps turn by a right angle and more
            EXPECT_EQ(singular_events(run).times.size(), 10U);
        }
        EXPECT_LT(spread(run), 1e3 * tolerance);
    }
}

TEST(Singular, StartsThatAreNotExactlySymmetricPassToo) {
    // Guesses off by 1e-3, each in its own way: assembly finds a state between them.
    const std::string text = replaced(model_text("n_four_bar"), "theta[i] ~ pi/2",
                                      "theta[i] ~ pi/2 + 1e-3*sin(3*i + 1)");
    const Recording run = run_text(text, {.times = even_times(10.0, 200)}, {"N=2", "speed=1.001"});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_EQ(singular_events(run).times.size(), 10U);
    EXPECT_LT(spread(run), 1e-10);
    EXPECT_LT(largest_residual(run), 1e-12);
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        EXPECT_NEAR(run.at(i, "energy"), run.at(0, "energy"), 1e-9);
    }
}

TEST(Singular, RowsAtTheInstantItselfAreSound) {
    // The equation of the reference: (2/3 + 1) theta'' = -2 g cos(theta) for N = 1.
    const auto flat = reference(1).at("times_of_flat_configuration").get<std::vector<double>>();
    std::vector<double> times{0.0};
    for (const double offset : {-1e-3, -1e-6, -1e-9, 0.0, 1e-9, 1e-6, 1e-3}) {
        times.push_back(flat[0] + offset);
    }
    times.push_back(1.0);
    const Recording run = run_text(model_text("n_four_bar"), {.times = times});
    ASSERT_FALSE(run.error) << run.error->message;
    ASSERT_EQ(run.rows.rows(), times.size());
    const double rate = -std::sqrt(1.0 + 2.0 * 9.81 * 2.0 / (5.0 / 3.0));  // from the energy
    for (std::size_t i = 1; i + 1 < times.size(); ++i) {
        const double theta = run.at(i, "theta[0]");
        EXPECT_NEAR(run.at(i, "theta[1]"), theta, 1e-11);
        EXPECT_NEAR(run.at(i, "phi[1]"), 0.0, 1e-11);
        EXPECT_NEAR(theta, rate * (times[i] - flat[0]), 1e-4);
        EXPECT_NEAR(run.at(i, "theta[0]''"), -2.0 * 9.81 * std::cos(theta) / (5.0 / 3.0), 1e-8);
        EXPECT_NEAR(run.at(i, "phi[1]''"), 0.0, 1e-8);
    }
    EXPECT_LT(largest_residual(run), 1e-12);
}

TEST(Singular, RunsMayEndAtTheInstant) {
    const auto flat = reference(1).at("times_of_flat_configuration").get<std::vector<double>>();
    for (const double offset : {-1e-4, 0.0, 1e-4}) {
        const Recording run =
            run_text(model_text("n_four_bar"), {.times = {0.0, flat[1] + offset}});
        ASSERT_FALSE(run.error) << run.error->message;
        EXPECT_NEAR(run.at(1, "theta[0]"), run.at(1, "theta[1]"), 1e-11);
        EXPECT_NEAR(run.at(1, "energy"), run.at(0, "energy"), 1e-9);
    }
}

TEST(Singular, EventsAtTheInstantAreRecorded) {
    const std::string text = replaced(model_text("n_four_bar"), "simulate   until 10",
                                      "event flat: y[0] = 0 { record }\nsimulate until 10");
    const auto flat = reference(1).at("times_of_flat_configuration").get<std::vector<double>>();
    const Recording run = run_text(text, {.times = {0.0, 10.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    std::vector<double> recorded;
    for (const Event& event : run.rows.events) {
        if (event.name == "flat") {
            recorded.push_back(event.t);
        }
    }
    ASSERT_EQ(recorded.size(), flat.size());
    for (std::size_t i = 0; i < flat.size(); ++i) {
        EXPECT_NEAR(recorded[i], flat[i], 1e-10);
    }
    EXPECT_EQ(singular_events(run).times.size(), flat.size());
    EXPECT_NEAR(run.at(1, "energy"), run.at(0, "energy"), 1e-9);
}

TEST(Singular, RedundantRowsAndMasslessLinksPass) {
    // Every loop equation twice, and horizontal links that have no inertia of their own.
    std::string text = replaced(model_text("n_four_bar"), "kinetic    m*l^2/24*phi[i]'^2", "");
    text = replaced(text, "# Upright",
                    "for i in 1..N { constraint sum_x[i]: x[i] - x[i-1] + l/2*cos(theta[i]) "
                    "- l/2*cos(theta[i-1]) = l*cos(phi[i])\n"
                    "constraint sum_y[i]: y[i] - y[i-1] + l/2*sin(theta[i]) "
                    "- l/2*sin(theta[i-1]) = l*sin(phi[i]) }\n# Upright");
    const auto flat = reference(2).at("times_of_flat_configuration").get<std::vector<double>>();
    const Recording run = run_text(text, {.times = {0.0, 1.0, 2.0, 10.0}}, {"N=2"});
    ASSERT_FALSE(run.error) << run.error->message;
    const Flat found = singular_events(run);
    ASSERT_EQ(found.times.size(), flat.size());
    for (std::size_t i = 0; i < flat.size(); ++i) {
        EXPECT_NEAR(found.times[i], flat[i], 1e-9);
    }
    const Json samples = reference(2).at("samples");
    EXPECT_NEAR(run.at(1, "theta[0]"), samples[1].at("theta")[0].get<double>(), 1e-9);
    EXPECT_NEAR(run.at(3, "theta[0]"), samples.back().at("theta")[0].get<double>(), 1e-9);
}

/// N = 1 with a coupler that is longer by one per cent: no configuration is singular, and the
/// linkage cannot turn full circles.
TEST(Singular, NearlySingularMechanismsFollowTheirOwnMotion) {
    std::string text = model_text("n_four_bar");
    for (const char* row : {"X[i] - l/2*cos(phi[i])", "Y[i] - l/2*sin(phi[i])",
                            "X[i] + l/2*cos(phi[i])", "Y[i] + l/2*sin(phi[i])"}) {
        std::string longer = row;
        longer.replace(longer.find("l/2"), 3, "1.01*l/2");
        text = replaced(text, row, longer);
    }
    const Recording fine = run_text(text, {.times = even_times(3.0, 60), .tolerance = 1e-12});
    ASSERT_FALSE(fine.error) << fine.error->message;
    const Recording coarse = run_text(text, {.times = even_times(3.0, 60), .tolerance = 1e-9});
    ASSERT_FALSE(coarse.error) << coarse.error->message;
    EXPECT_TRUE(singular_events(fine).times.empty());
    EXPECT_TRUE(singular_events(coarse).times.empty());
    EXPECT_GT(spread(fine), 0.1);  // it left the neighbourhood of the parallelogram
    EXPECT_LT(largest_residual(fine), 1e-12);
    for (std::size_t i = 0; i < fine.rows.rows(); ++i) {
        EXPECT_NEAR(fine.at(i, "energy"), fine.at(0, "energy"), 1e-9);
        EXPECT_NEAR(fine.at(i, "theta[0]"), coarse.at(i, "theta[0]"), 1e-5);
        EXPECT_NEAR(fine.at(i, "theta[1]"), coarse.at(i, "theta[1]"), 1e-5);
    }
}

TEST(Singular, StartInASingularConfigurationIsAnError) {
    std::string text = model_text("n_four_bar");
    text = replaced(text, "x[i] ~ i*l, y[i] ~ l/2, theta[i] ~ pi/2, x[i]' ~ speed/2",
                    "x[i] ~ (i + 1/2)*l, y[i] ~ 0, theta[i] ~ 0, y[i]' ~ -speed/2");
    text = replaced(text, "X[i] ~ (i - 1/2)*l, Y[i] ~ l, X[i]' ~ speed",
                    "X[i] ~ (i + 1/2)*l, Y[i] ~ 0, Y[i]' ~ -speed");
    const Recording run = run_text(text, {.times = {0.0, 1.0}});
    ASSERT_TRUE(run.error);
    EXPECT_EQ(run.error->code, ErrorCode::kNotUnique);
    EXPECT_EQ(run.error->message,
              "at the start: the constraints pin_x[0], pin_x[1], left_x[1] and right_x[1] are "
              "dependent, but no longer beside it (rank 7, then 8); from such a singular "
              "configuration several motions branch off and the model does not choose between "
              "them; start before or behind it");
}

/// A crank that is turned at a constant rate and a rod too short to let it round: the motion ends.
// A parallelogram turned at a constant rate has no freedom: its steps are long, and its drive is
// the weakest row away from the flat positions, which come every pi/w.
// A search from guesses ends at a double root, which it knows to half of the digits only.
TEST(Singular, GuessesThatLeadIntoASingularConfigurationAreAnError) {
    const std::string angles =
        "coordinate a, b, c\nkinetic (a'^2 + b'^2 + c'^2)/2\n"
        "constraint across: cos(a) + 2*cos(b) - cos(c) = 2\n"
        "constraint along: sin(a) + 2*sin(b) - sin(c) = 0\n";
    for (const char* start :
         {"initial a = 0, b ~ 0, c ~ 1, a' = 8\n", "initial a = 0, b ~ 0, c ~ -1, a' = 8\n",
          "initial a = pi, b ~ 0, c ~ 2, a' = 8\n"}) {
        const Recording run = run_text(angles + start, {.times = {0.0, 0.1}});
        ASSERT_TRUE(run.error) << start;
        EXPECT_EQ(run.error->message.find("at the start: across has no gradient but for rounding"),
                  0U)
            << run.error->message;
    }
    const Recording bodies = run_text(
        "planar body A mass 1 inertia 1/12 at ~ (1/2, 0) angle 0 omega 8\n"
        "planar body B mass 2 inertia 2/3 at ~ (2, 0.3) angle ~ 0.2\n"
        "planar body C mass 1 inertia 1/12 at ~ (2.5, 0.3) angle ~ 0.6\n"
        "joint o: revolute(ground, A at (-1/2, 0, 0))\n"
        "joint p: revolute(A at (1/2, 0, 0), B at (-1, 0, 0))\n"
        "joint q: revolute(B at (1, 0, 0), C at (1/2, 0, 0))\n"
        "joint r: revolute(ground at (2, 0, 0), C at (-1/2, 0, 0))\n",
        {.times = {0.0, 0.1}});
    ASSERT_TRUE(bodies.error);
    EXPECT_NE(bodies.error->message.find("are dependent but for rounding"), std::string::npos)
        << bodies.error->message;
}

TEST(Singular, FlatPositionsOfADrivenParallelogramAreAllListed) {
    const std::string loop =
        "parameter l = 1, d = 2, w = 1.3\n"
        "planar body a mass 1 inertia 0.1 at (0, l/2) angle pi/2 omega w\n"
        "planar body c mass 2 inertia 0.3 at (d/2, l)\n"
        "planar body b mass 1.5 inertia 0.2 at (d, l/2) angle pi/2\n"
        "gravity (0, -9.81, 0)\n"
        "joint A: revolute(ground, a at (-l/2, 0, 0))\n"
        "joint B: revolute(a at (l/2, 0, 0), c at (-d/2, 0, 0))\n"
        "joint C: revolute(c at (d/2, 0, 0), b at (l/2, 0, 0))\n"
        "joint D: revolute(ground at (d, 0, 0), b at (-l/2, 0, 0))\n";
    for (const char* drive : {"constraint dr: a.angle = pi/2 + w*t\n",
                              "servo dr: a.angle = pi/2 + w*t actuators (torque on a about (0, 0, "
                              "1))\n"}) {
        const Recording run = run_text(loop + drive, {.times = {0.0, 30.0}, .tolerance = 1e-10});
        ASSERT_FALSE(run.error) << run.error->message;
        const Flat flat = singular_events(run);
        ASSERT_EQ(flat.times.size(), 12U) << drive;
        for (std::size_t k = 0; k < flat.times.size(); ++k) {
            const double expected = std::numbers::pi * (0.5 + static_cast<double>(k)) / 1.3;
            EXPECT_NEAR(flat.times[k], expected, 1e-3) << drive;
        }
        EXPECT_NEAR(run.at(1, "c.angle"), 0.0, 1e-6) << drive;
    }
}

// A flat start whose rates lie on no branch is no contradiction of the pins.
TEST(Singular, AFlatStartOffEveryBranchSaysSo) {
    const Loaded loaded = load_text("test.ank",
                                    "parameter l = 1, d = 2\n"
                                    "planar body a mass 1 inertia 0.1 at (l/2, 0) omega 1.3\n"
                                    "planar body c mass 2 inertia 0.3 at (l + d/2, 0)\n"
                                    "planar body b mass 1.5 inertia 0.2 at (d + l/2, 0)\n"
                                    "joint A: revolute(ground, a at (-l/2, 0, 0))\n"
                                    "joint B: revolute(a at (l/2, 0, 0), c at (-d/2, 0, 0))\n"
                                    "joint C: revolute(c at (d/2, 0, 0), b at (l/2, 0, 0))\n"
                                    "joint D: revolute(ground at (d, 0, 0), b at (-l/2, 0, 0))\n");
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    const Recording run = run_model(*loaded.prepared, {.times = {0.0, 1.0}});
    ASSERT_TRUE(run.error);
    EXPECT_NE(run.error->message.find("are dependent in this position, but not beside it (rank 7, "
                                      "then 8): from such a singular configuration several "
                                      "motions branch off"),
              std::string::npos)
        << run.error->message;
}

TEST(Singular, DeadEndsStillEndWithNames) {
    const std::string text =
        "model \"Lock\"\ncoordinate a, x, y\nkinetic (a'^2 + x'^2 + y'^2)/2\n"
        "constraint drive: a = t\nconstraint rod: (x - cos(a))^2 + (y - sin(a))^2 = 0.25\n"
        "constraint guide: y = 0\ninitial a = 0, x ~ 1.5, y ~ 0\nsimulate until 1\n";
    const Recording run = run_text(text, {.times = {0.0, 1.0}, .tolerance = 1e-9});
    ASSERT_TRUE(run.error);
    EXPECT_NEAR(run.summary.reached, std::asin(0.5), 1e-3);
    EXPECT_TRUE(singular_events(run).times.empty());
    EXPECT_NE(run.error->message.find("rod"), std::string::npos) << run.error->message;
}

/// A rhombus: at its flat positions the gradient of a constraint vanishes, and three motions branch
/// off. Crossings that begin too far off, or too near, have led onto another branch, or nowhere.
TEST(Singular, RhombusKeepsItsBranchAtAnySpeed) {
    const std::string text = R"(parameter L = 1, m = 1, w0 = 10
gravity (0, -9.81, 0)
coordinate th1, th2, th3
particle A mass m at (L/2*cos(th1), L/2*sin(th1), 0)
particle C mass m at (L*cos(th1) + L/2*cos(th2), L*sin(th1) + L/2*sin(th2), 0)
particle B mass m at (L + L/2*cos(th3), L/2*sin(th3), 0)
kinetic m*L^2/24*(th1'^2 + th2'^2 + th3'^2)
constraint close_x: L*cos(th1) + L*cos(th2) = L + L*cos(th3)
constraint close_y: L*sin(th1) + L*sin(th2) = L*sin(th3)
initial th1 = pi/2, th2 ~ 0, th3 ~ pi/2, th1' = w0, th2' ~ 0, th3' ~ w0
)";
    std::vector<double> speeds{12.017, 15.394, 10.863};
    for (int k = 0; k < 30; ++k) {
        speeds.push_back(3.0 + 0.57 * k);
    }
    for (const double speed : speeds) {
        SCOPED_TRACE(speed);
        const Recording run = run_text(text, {.times = {0.0, 1.5, 3.0}, .tolerance = 1e-9},
                                       {"w0=" + std::to_string(speed)});
        ASSERT_FALSE(run.error) << run.error->message;
        for (std::size_t i = 0; i < run.rows.rows(); ++i) {
            EXPECT_NEAR(run.at(i, "th3"), run.at(i, "th1"), 1e-7);
            EXPECT_NEAR(run.at(i, "th2"), 0.0, 1e-7);
        }
        EXPECT_GT(singular_events(run).times.size(), 2U);
    }
}

/// Rows of constraints turn with their mechanism. Where steps are long one that has turned by a
/// right angle must not be taken for one that vanishes: there is nothing to be crossed.
TEST(Singular, ARegularMechanismHasNoInstantsAtAnyTolerance) {
    const std::string text = model_text("slider_crank");
    const Recording fine = run_text(text, {.times = {0.0, 1.0, 2.0}, .tolerance = 1e-11});
    ASSERT_FALSE(fine.error) << fine.error->message;
    for (const double tolerance : {1e-5, 1e-6, 1e-7, 3e-8, 1e-8}) {
        SCOPED_TRACE(tolerance);
        const Recording run = run_text(text, {.times = {0.0, 1.0, 2.0}, .tolerance = tolerance});
        ASSERT_FALSE(run.error) << run.error->message;
        EXPECT_TRUE(singular_events(run).times.empty());
        for (std::size_t i = 0; i < 3; ++i) {
            const double scale = fine.at(i, "kinetic") + std::abs(fine.at(i, "potential"));
            EXPECT_NEAR(run.at(i, "kinetic"), fine.at(i, "kinetic"), 1e3 * tolerance * scale);
        }
    }
}

/// Beside an instant that no step has noticed a row is what the step says: putting it onto the
/// constraints, which are nearly dependent there, would take it to another branch.
TEST(Singular, RowsBesideUnnoticedInstantsStayOnTheMotion) {
    const std::string text = R"(parameter N = 7, b = 1.5, w = -3.939, th0 = 2.7
for i in 0..N { coordinate th[i]
                particle P[i] mass 1 at (i*b + cos(th[i]), sin(th[i]), 0) }
for i in 1..N { constraint k[i]: dot(position(P[i]) - position(P[i-1]), position(P[i]) - position(P[i-1])) = b^2 }
initial th[0] = th0, th[0]' = w
for i in 1..N { initial th[i] ~ th0, th[i]' ~ w }
)";
    std::vector<double> times;
    for (int k = 0; k <= 500; ++k) {
        times.push_back(0.02 * k);
    }
    const Recording run = run_text(text, {.times = times, .tolerance = 1e-6});
    ASSERT_FALSE(run.error) << run.error->message;
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        EXPECT_NEAR(run.at(i, "th[0]'"), -3.939, 1e-3) << times[i];
        EXPECT_NEAR(run.at(i, "th[7]'"), -3.939, 1e-3) << times[i];
    }
}

// The crank of a parallelogram turns by theta, x1 = sin(theta), y1 = cos(theta); behind its flat
// position at theta = pi/2 it is damped, 2 theta'' = -3 sin(theta)^2 theta'. Then theta' is a
// function of theta: 2 - 3/4 (theta - pi/2) + 3/8 sin(2 theta).
TEST(Singular, ALawThatSwitchesInsideACrossingActsAtOnce) {
    const std::string text =
        "coordinate x1, y1, x2, y2\n"
        "particle   A mass 1 at (x1, y1, 0)\n"
        "particle   B mass 1 at (x2, y2, 0)\n"
        "constraint a: x1^2 + y1^2 = 1\n"
        "constraint b: (x2 - x1)^2 + (y2 - y1)^2 = 4\n"
        "constraint c: (x2 - 2)^2 + y2^2 = 1\n"
        "initial    x1 = 0, y1 = 1, x2 ~ 2, y2 ~ 1, x1' = 2\n";
    for (const char* law : {"force on y1 = if y1 < 0 then -3*y1' else 0\n",
                            "force on y1 = if t > pi/4 then -3*y1' else 0\n",
                            "parameter on = 0\nforce on y1 = -3*on*y1'\n"
                            "event flat: y1 = 0 falling { on = 1 }\n"}) {
        for (const double tolerance : {1e-8, 1e-10}) {
            const Recording run = run_text(
                text + law, {.times = {0.0, 0.7, 0.8, 0.9, 1.0, 1.5}, .tolerance = tolerance});
            ASSERT_FALSE(run.error) << run.error->message;
            for (std::size_t row = 0; row < run.rows.rows(); ++row) {
                const double theta = std::atan2(run.at(row, "x1"), run.at(row, "y1"));
                const double rate =
                    run.at(row, "x1'") * std::cos(theta) - run.at(row, "y1'") * std::sin(theta);
                const double behind = theta - std::numbers::pi / 2.0;
                const double expected =
                    behind < 0.0 ? 2.0 : 2.0 - 0.75 * behind + 0.375 * std::sin(2.0 * theta);
                EXPECT_NEAR(rate, expected, 1e3 * tolerance) << law << run.at(row, "t");
                EXPECT_NEAR(run.at(row, "x2"), run.at(row, "x1") + 2.0, 1e3 * tolerance);
            }
        }
    }
}

}  // namespace
}  // namespace ananke::pipeline
