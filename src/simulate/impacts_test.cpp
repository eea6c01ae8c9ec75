// Several impacts at one instant: chains of balls that touch, hits from both sides, corners.
#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "pipeline.h"

namespace ananke::pipeline {
namespace {

/// Balls on a line, given by hand: what happens between them is found by times of contact alone.
class Balls {
  public:
    std::vector<double> mass, x, v;

    /// A step of the state from contact to contact up to the time `until`.
    void advance(double until) {
        double t = 0.0;
        std::vector<bool> touches(mass.size() - 1);
        for (std::size_t i = 0; i < touches.size(); ++i) {
            touches[i] = x[i] == x[i + 1];
        }
        while (true) {
            double first = until - t;
            for (std::size_t i = 0; i < touches.size(); ++i) {
                const double closing = v[i] - v[i + 1];
                if (!touches[i] && closing > 0.0) {
                    first = std::min(first, (x[i + 1] - x[i]) / closing);
                }
            }
            for (std::size_t i = 0; i < touches.size(); ++i) {
                const double closing = v[i] - v[i + 1];
                touches[i] = touches[i]
                                 ? std::abs(closing) < kNone
                                 : closing > 0.0 && (x[i + 1] - x[i]) / closing <= first + 1e-13;
            }
            for (std::size_t i = 0; i < x.size(); ++i) {
                x[i] += v[i] * first;
            }
            t += first;
            if (t >= until) {
                return;
            }
            hit(touches);
        }
    }

  private:
    static constexpr double kNone = 1e-13;

    /// From the left to the right, again and again, until no two that touch approach each other.
    void hit(const std::vector<bool>& touches) {
        bool again = true;
        while (again) {
            again = false;
            for (std::size_t i = 0; i < touches.size(); ++i) {
                if (touches[i] && v[i] - v[i + 1] > kNone) {
                    const double sum = mass[i] + mass[i + 1];
                    const double common = (mass[i] * v[i] + mass[i + 1] * v[i + 1]) / sum;
                    v[i] = 2.0 * common - v[i];
                    v[i + 1] = 2.0 * common - v[i + 1];
                    again = true;
                }
            }
        }
    }
};

/// The same as a model.
std::string chain(const Balls& balls) {
    std::string text;
    for (std::size_t i = 0; i < balls.mass.size(); ++i) {
        text +=
            fmt::format("coordinate x{0}\nkinetic {1}/2*x{0}'^2\ninitial x{0} = {2}, x{0}' = {3}\n",
                        i, to_text(balls.mass[i]), to_text(balls.x[i]), to_text(balls.v[i]));
    }
    for (std::size_t i = 0; i + 1 < balls.mass.size(); ++i) {
        text += fmt::format(
            "event h{0}: x{1} = x{0} falling {{\n"
            "  x{0}' = (2*({2}*x{0}' + {3}*x{1}')/({2} + {3})) - x{0}'\n"
            "  x{1}' = (2*({2}*x{0}' + {3}*x{1}')/({2} + {3})) - x{1}'\n}}\n",
            i, i + 1, to_text(balls.mass[i]), to_text(balls.mass[i + 1]));
    }
    return text;
}

void expect_like(Balls balls, double until) {
    const Recording run = run_text(chain(balls), {.times = {0.0, until}});
    ASSERT_FALSE(run.error) << run.error->message;
    double energy = 0.0;
    for (std::size_t i = 0; i < balls.mass.size(); ++i) {
        energy += balls.mass[i] * balls.v[i] * balls.v[i];
    }
    balls.advance(until);
    double after = 0.0;
    for (std::size_t i = 0; i < balls.mass.size(); ++i) {
        const double x = run.at(1, fmt::format("x{}", i));
        EXPECT_NEAR(x, balls.x[i], 1e-9) << i;
        EXPECT_NEAR(run.at(1, fmt::format("x{}'", i)), balls.v[i], 1e-9) << i;
        after += balls.mass[i] * std::pow(run.at(1, fmt::format("x{}'", i)), 2);
        if (i > 0) {
            EXPECT_GE(x - run.at(1, fmt::format("x{}", i - 1)), -1e-10) << i;
        }
    }
    EXPECT_NEAR(after, energy, 1e-10 * energy);
}

TEST(Impacts, ACradleHandsTheVelocityOn) {
    for (const std::size_t count : {3U, 5U, 12U}) {
        SCOPED_TRACE(count);
        Balls balls{std::vector<double>(count, 1.0), std::vector<double>(count, 1.0),
                    std::vector<double>(count, 0.0)};
        balls.x[0] = 0.0;
        balls.v[0] = 1.0;
        const Recording run = run_text(chain(balls), {.times = {0.0, 3.0}});
        ASSERT_FALSE(run.error) << run.error->message;
        for (std::size_t i = 0; i + 1 < count; ++i) {
            EXPECT_NEAR(run.at(1, fmt::format("x{}", i)), 1.0, 1e-12) << i;
        }
        EXPECT_NEAR(run.at(1, fmt::format("x{}", count - 1)), 3.0, 1e-12);
        EXPECT_EQ(run.rows.events.size(), count - 1);
    }
}

// Two and three balls come in: as many leave at the other end.
TEST(Impacts, AsManyLeaveACradleAsCome) {
    for (const std::size_t come : {2U, 3U}) {
        Balls balls{std::vector<double>(5, 1.0), std::vector<double>(5, 1.0),
                    std::vector<double>(5, 0.0)};
        for (std::size_t i = 0; i < come; ++i) {
            balls.x[i] = 0.0;
            balls.v[i] = 1.0;
        }
        const Recording run = run_text(chain(balls), {.times = {0.0, 3.0}});
        ASSERT_FALSE(run.error) << run.error->message;
        for (std::size_t i = 0; i < 5; ++i) {
            EXPECT_NEAR(run.at(1, fmt::format("x{}'", i)), i + come >= 5 ? 1.0 : 0.0, 1e-12) << i;
        }
    }
}

TEST(Impacts, HitsFromBothSidesAtOnce) {
    expect_like({{1, 1, 1}, {-1, 0, 1}, {1, 0, -1}}, 3.0);
    expect_like({{1, 5, 1}, {-1, 0, 1}, {1, 0, -1}}, 3.0);
    expect_like({{3, 1, 3}, {-1, 0, 1}, {1, 0, -1}}, 3.0);
    expect_like({{1, 2, 2, 1}, {-1, 0, 0, 1}, {1, 0, 0, -1}}, 3.0);
}

// Gaps of zero and others, masses and velocities at random.
TEST(Impacts, RandomChains) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> draw(0.0, 1.0);
    for (int trial = 0; trial < 150; ++trial) {
        SCOPED_TRACE(trial);
        Balls balls;
        const int count = 2 + static_cast<int>(draw(random) * 6);
        double x = 0.0;
        for (int i = 0; i < count; ++i) {
            balls.mass.push_back(draw(random) < 0.3 ? 1.0 : 0.2 + 3.0 * draw(random));
            x += i > 0 && draw(random) < 0.5 ? 0.0 : 0.1 + draw(random);
            balls.x.push_back(x);
            balls.v.push_back(i > 0 && balls.x[balls.x.size() - 2] == x ? balls.v.back()
                                                                        : 4.0 * draw(random) - 2.0);
        }
        expect_like(balls, 3.0);
    }
}

// A ball that runs into the corner of two walls is reflected by both, whatever their angle: as the
// walls take it in turn, until it leaves both.
TEST(Impacts, CornersOfAnyAngle) {
    for (const double angle : {90.0, 60.0, 45.0, 36.0, 50.0, 77.0, 25.0, 130.0}) {
        for (const double restitution : {1.0, 0.7}) {
            SCOPED_TRACE(angle);
            const double a = angle * std::acos(-1.0) / 180.0;
            // Inside: y >= 0 and sin(a) x - cos(a) y >= 0; along the bisector, and a little aside.
            const double n[2][2] = {{0.0, 1.0}, {std::sin(a), -std::cos(a)}};
            const double way[2] = {std::cos(0.4 * a), std::sin(0.4 * a)};
            std::string text =
                "coordinate x, y\nkinetic (x'^2 + y'^2)/2\n"
                "initial x = " +
                to_text(way[0]) + ", y = " + to_text(way[1]) + ", x' = " + to_text(-way[0]) +
                ", y' = " + to_text(-way[1]) + "\n";
            for (int k = 0; k < 2; ++k) {
                text += fmt::format(
                    "event wall{0}: {1}*x + {2}*y = 0 falling {{\n"
                    "  x' = x' - {3}*({1}*x' + {2}*y')*{1}\n"
                    "  y' = y' - {3}*({1}*x' + {2}*y')*{2}\n}}\n",
                    k, to_text(n[k][0]), to_text(n[k][1]), to_text(1.0 + restitution));
            }
            // Rounding decides which wall comes first; where energy is lost that matters.
            std::array<std::array<double, 2>, 2> ends{};
            for (std::size_t first = 0; first < 2; ++first) {
                std::array<double, 2>& v = ends[first];
                v = {-way[0], -way[1]};
                for (std::size_t turn = first; turn < 1000; ++turn) {
                    const double* normal = n[turn % 2];
                    const double along = normal[0] * v[0] + normal[1] * v[1];
                    if (along < -1e-14) {
                        v[0] -= (1.0 + restitution) * along * normal[0];
                        v[1] -= (1.0 + restitution) * along * normal[1];
                    }
                }
            }
            const Recording run = run_text(text, {.times = {0.0, 3.0}});
            ASSERT_FALSE(run.error) << run.error->message;
            double distance = 1.0;
            for (const auto& v : ends) {
                distance =
                    std::min(distance, std::hypot(run.at(1, "x'") - v[0], run.at(1, "y'") - v[1]));
            }
            EXPECT_LT(distance, 1e-12);
            for (const auto& normal : n) {
                EXPECT_GE(normal[0] * run.at(1, "x") + normal[1] * run.at(1, "y"), -1e-12);
            }
        }
    }
}

// What others have turned away does not happen, unless it is the same condition.
TEST(Impacts, AnEventThatIsTurnedAwayDoesNotHappen) {
    const std::string ball =
        "coordinate x, y\nkinetic (x'^2 + y'^2)/2\ninitial x = 1, y = 1, x' = -1, y' = -1\n";
    const Recording both = run_text(ball +
                                        "event first: x = 0 falling { x' = -x', y' = -y' }\n"
                                        "event second: y = 0 falling { y' = -0.5*y' }\n",
                                    {.times = {0.0, 2.0}});
    ASSERT_FALSE(both.error) << both.error->message;
    EXPECT_EQ(both.rows.events.size(), 1U);
    EXPECT_NEAR(both.at(1, "y"), 1.0, 1e-12);
    const Recording same = run_text(ball +
                                        "event first: x = 0 falling { x' = -x' }\n"
                                        "event second: x = 0 falling { y' = -0.5*y' }\n"
                                        "event third: y = 0 falling { record }\n",
                                    {.times = {0.0, 2.0}});
    ASSERT_FALSE(same.error) << same.error->message;
    EXPECT_EQ(same.rows.events.size(), 3U);
    EXPECT_NEAR(same.at(1, "y"), 0.5, 1e-12);
}

TEST(Impacts, EventsThatSetEachOtherOffForEverEndTheRun) {
    const Recording run = run_text(
        "coordinate a, b\nkinetic (a'^2 + b'^2)/2\ninitial a = 1, a' = -1, b = 0\n"
        "event left: a = 0 falling { a' = 1, b' = -1 }\n"
        "event right: b = 0 falling { b' = 1, a' = -1 }\n",
        {.times = {0.0, 2.0}});
    ASSERT_TRUE(run.error);
    EXPECT_EQ(
        run.error->message,
        "at t = 1: the events left and right set each other off again and again at this time, "
        "without an end; let one event express what they do together");
}

}  // namespace
}  // namespace ananke::pipeline
