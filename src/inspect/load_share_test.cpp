// Statically indeterminate reactions: the share of each joint and constraint, THEORY section 9.
#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "inspect/check.h"
#include "large.h"
#include "pipeline.h"

namespace ananke::pipeline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Of all N with G N = f the one of least sum c N^2.
VectorXd least(const MatrixXd& G, const VectorXd& f, const VectorXd& c) {
    const MatrixXd weighted = c.cwiseInverse().asDiagonal() * G.transpose();
    return weighted * (G * weighted).ldlt().solve(f);
}

struct Table {
    double mass = 0.0, Jx = 0.0, Jy = 0.0;
    std::vector<std::array<double, 2>> legs;
    std::vector<double> scales;  // of the equations
    std::vector<double> compliances;
};

Table random_table(std::mt19937& random, int legs) {
    std::uniform_real_distribution<double> spread(-1.0, 1.0);
    std::uniform_real_distribution<double> exponent(-3.0, 3.0);
    Table table{5.0 + 4.0 * spread(random),
                1.0 + 0.5 * spread(random),
                1.0 + 0.5 * spread(random),
                {},
                {},
                {}};
    for (int k = 0; k < legs; ++k) {
        table.legs.push_back({spread(random), spread(random)});
        table.scales.push_back(std::pow(10.0, exponent(random)));
    }
    return table;
}

/// With lengths in units of 1/length m and masses in units of 1/mass kg; the plane of the table is
/// turned about x.
std::string text_of(const Table& table, double length = 1.0, double mass = 1.0, double turn = 0.0) {
    const double c = std::cos(turn);
    const double s = std::sin(turn);
    const auto up = [&](double size) {
        return fmt::format("(0, {}, {})", to_text(-s * size), to_text(c * size));
    };
    std::string text = fmt::format(
        "body T mass {0} inertia ({1}, {2}, {3}) at (0, 0, 0) orientation rotation((1, 0, 0), "
        "{4})\n"
        "gravity {5}\n",
        to_text(table.mass * mass), to_text(table.Jx * mass * length * length),
        to_text(table.Jy * mass * length * length),
        to_text((table.Jx + table.Jy) * mass * length * length), to_text(turn), up(-9.81 * length));
    for (std::size_t k = 0; k < table.legs.size(); ++k) {
        text += fmt::format(
            "point P{0} on T at ({1}, {2}, 0)\nconstraint l{0}: {3}*dot(position(P{0}), {4}) = 0\n",
            k, to_text(table.legs[k][0] * length), to_text(table.legs[k][1] * length),
            to_text(table.scales[k]), up(1.0));
        if (!table.compliances.empty()) {
            text += fmt::format("compliance on l{}: {}\n", k, to_text(table.compliances[k]));
        }
    }
    return text;
}

/// Forces of the legs at the start, in newtons.
VectorXd forces_of(const Recording& run, std::size_t legs, double length, double mass) {
    VectorXd forces(static_cast<Eigen::Index>(legs));
    for (std::size_t k = 0; k < legs; ++k) {
        double square = 0.0;
        for (const char* axis : {"y", "z"}) {
            const double part = run.at(0, fmt::format("force[l{0}:P{0}].{1}", k, axis));
            square += part * part;
        }
        const double sign = run.at(0, fmt::format("force[l{0}:P{0}].z", k)) < 0.0 ? -1.0 : 1.0;
        forces[static_cast<Eigen::Index>(k)] = sign * std::sqrt(square) / (length * mass);
    }
    return forces;
}

VectorXd expected_forces(const Table& table) {
    const auto legs = static_cast<Eigen::Index>(table.legs.size());
    MatrixXd G(3, legs);
    VectorXd c(legs);
    for (Eigen::Index k = 0; k < legs; ++k) {
        const auto [x, y] = table.legs[static_cast<std::size_t>(k)];
        G.col(k) << 1.0, x, y;
        c[k] = table.compliances.empty()
                   ? 1.0 / table.mass + y * y / table.Jx + x * x / table.Jy  // A W^-1 A^T
                   : table.compliances[static_cast<std::size_t>(k)];
    }
    return least(G, Eigen::Vector3d(9.81 * table.mass, 0.0, 0.0), c);
}

TEST(LoadShare, TablesStandAsByTheInverseMassInAnyUnitsScalesAndAxes) {
    std::mt19937 random(1);
    for (int legs = 4; legs <= 8; ++legs) {
        const Table table = random_table(random, legs);
        const VectorXd expected = expected_forces(table);
        for (const auto& [length, mass, turn] :
             {std::tuple(1.0, 1.0, 0.0), std::tuple(1e3, 1e-3, 0.0), std::tuple(1e6, 1e9, 0.4),
              std::tuple(1e-3, 1e-12, -0.7)}) {
            const Recording run = run_text(text_of(table, length, mass, turn), {.times = {0.0}});
            ASSERT_FALSE(run.error) << run.error->message;
            EXPECT_LT((forces_of(run, table.legs.size(), length, mass) - expected).norm(),
                      1e-7 * expected.norm())
                << legs << " legs, " << length << ", " << mass << ", " << turn;
        }
    }
}

TEST(LoadShare, CompliancesMakeTheShareThatOfStatics) {
    std::mt19937 random(2);
    std::uniform_real_distribution<double> exponent(-8.0, -5.0);
    for (int legs = 4; legs <= 8; ++legs) {
        Table table = random_table(random, legs);
        for (int k = 0; k < legs; ++k) {
            table.compliances.push_back(std::pow(10.0, exponent(random)));
        }
        const VectorXd expected = expected_forces(table);
        const Recording run = run_text(text_of(table), {.times = {0.0}});
        ASSERT_FALSE(run.error) << run.error->message;
        EXPECT_LT((forces_of(run, table.legs.size(), 1.0, 1.0) - expected).norm(),
                  1e-7 * expected.norm());
    }
}

const char* const kShaft =
    "parameter  c1 = 1e-8, c2 = 3e-8, c3 = 2e-8\n"
    "gravity    (0, -9.81, 0)\n"
    "body       shaft mass 20 inertia (2, 2, 0.1) at (0, 0, 0) omega (0, 0, 10)\n"
    "joint      left: spherical(ground at (0, 0, -1), shaft at (0, 0, -1))\n"
    "joint      mid: spherical(ground at (0, 0, 0.2), shaft at (0, 0, 0.2))\n"
    "joint      right: spherical(ground at (0, 0, 1), shaft at (0, 0, 1))\n"
    "force      on shaft at (0, 0, 0.5) = (0, -300*cos(10*t), 0)\n";

TEST(LoadShare, AShaftInThreeBearingsRestsAsItsBearingsGive) {
    const Recording run = run_text(std::string(kShaft) +
                                       "compliance on left: translation c1\n"
                                       "compliance on mid: translation c2\n"
                                       "compliance on right: translation c3\n",
                                   {.times = even_times(0.5, 10)});
    ASSERT_FALSE(run.error) << run.error->message;
    MatrixXd G(2, 3);
    G << 1.0, 1.0, 1.0, -1.0, 0.2, 1.0;
    for (std::size_t row = 0; row < run.rows.rows(); ++row) {
        const double load = 300.0 * std::cos(10.0 * run.at(row, "t"));
        // The force stands at a place of the shaft that does not turn away: it is on the axis.
        const VectorXd expected = least(G, Eigen::Vector2d(20.0 * 9.81 + load, 0.5 * load),
                                        Eigen::Vector3d(1e-8, 3e-8, 2e-8));
        EXPECT_NEAR(run.at(row, "force[left:shaft].y"), expected[0], 1e-5);
        EXPECT_NEAR(run.at(row, "force[mid:shaft].y"), expected[1], 1e-5);
        EXPECT_NEAR(run.at(row, "force[right:shaft].y"), expected[2], 1e-5);
    }
}

// Two feet of a block rub in one line, so that what holds them at rest is shared; their loads are
// not.
TEST(LoadShare, CompliancesDoNotDisturbARest) {
    const Recording run = run_text(
        "gravity (0, -10, 0)\n"
        "planar body b mass 10 inertia 1 at (0, 0)\n"
        "constraint f1: position(b at (-1, -0.2, 0)).y = -0.2\n"
        "constraint f2: position(b at (0.3, -0.2, 0)).y = -0.2\n"
        "friction on f1: coulomb(mu = 0.3)\n"
        "friction on f2: coulomb(mu = 0.3)\n"
        "compliance on f1: 1e-6\n"
        "compliance on f2: 1e-6\n",
        {.times = even_times(2.0, 20), .tolerance = 1e-9});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_LT(run.summary.steps.steps, 200U);
    for (std::size_t row = 0; row < run.rows.rows(); ++row) {
        EXPECT_NEAR(run.at(row, "b.x"), 0.0, 1e-12);
        EXPECT_NEAR(run.at(row, "lambda[f1]"), 100.0 * 0.3 / 1.3, 1e-9);
    }
}

// A door on three hinges: each holds by its force and, less so, by its torque.
TEST(LoadShare, ADoorOnThreeHingesHangsAsByRigidBodyStatics) {
    const std::array<double, 3> z{-0.8, 0.1, 0.9};
    const std::array<double, 3> translation{1e-7, 2e-7, 4e-7};
    const std::array<double, 3> rotation{1e-5, 3e-5, 2e-5};
    std::string text =
        "gravity (0, 0, -9.81)\n"
        "body door mass 30 inertia (8, 5, 3) at (0.5, 0, 0)\n";
    for (std::size_t k = 0; k < 3; ++k) {
        text += fmt::format(
            "joint h{0}: revolute(ground at (0, 0, {1}), door at (-0.5, 0, {1}), axis = (0, 0, "
            "1))\n"
            "compliance on h{0}: translation {2} rotation {3}\n",
            k, to_text(z[k]), to_text(translation[k]), to_text(rotation[k]));
    }
    const Recording run = run_text(text, {.times = {0.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    // Forces x, y, z and torques x, y of each hinge; equilibrium of forces and of torques about the
    // mass centre, x and y.
    MatrixXd G = MatrixXd::Zero(5, 15);
    VectorXd c(15);
    for (int k = 0; k < 3; ++k) {
        const auto i = static_cast<std::size_t>(k);
        const Eigen::Vector3d arm(-0.5, 0.0, z[i]);
        for (int j = 0; j < 3; ++j) {
            const Eigen::Vector3d torque = arm.cross(Eigen::Vector3d::Unit(j));
            G(j, 5 * k + j) = 1.0;
            G.block<2, 1>(3, 5 * k + j) = torque.head<2>();
            c[5 * k + j] = translation[i];
        }
        G(3, 5 * k + 3) = 1.0;
        G(4, 5 * k + 4) = 1.0;
        c[5 * k + 3] = rotation[i];
        c[5 * k + 4] = rotation[i];
    }
    VectorXd load = VectorXd::Zero(5);
    load[2] = 30.0 * 9.81;
    const VectorXd expected = least(G, load, c);
    for (int k = 0; k < 3; ++k) {
        const auto column = [&](const char* what, const char* axis) {
            return run.at(0, fmt::format("{}[h{}:door].{}", what, k, axis));
        };
        for (int j = 0; j < 3; ++j) {
            EXPECT_NEAR(column("force", j == 0   ? "x"
                                        : j == 1 ? "y"
                                                 : "z"),
                        expected[5 * k + j], 1e-4);
        }
        EXPECT_NEAR(column("torque", "x"), expected[5 * k + 3], 1e-4);
        EXPECT_NEAR(column("torque", "y"), expected[5 * k + 4], 1e-4);
    }
}

TEST(LoadShare, TheStifferHingeOfTheGallerysDoorCarriesMore) {
    const Loaded loaded = load_model("door_three_hinges");
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    const Recording run = run_model(*loaded.prepared, {.times = even_times(3.0, 6)});
    ASSERT_FALSE(run.error) << run.error->message;
    for (std::size_t row = 0; row < run.rows.rows(); ++row) {
        const double weight = 30.0 * 9.81;
        EXPECT_NEAR(run.at(row, "force[low:door].z"), weight / 4.0, 1e-5);
        EXPECT_NEAR(run.at(row, "force[mid:door].z"), weight / 2.0, 1e-5);
        EXPECT_NEAR(run.at(row, "force[high:door].z"), weight / 4.0, 1e-5);
    }
}

/// The largest difference of the columns of reactions, relative to their largest value.
double reactions_apart(const Recording& one, const Recording& other) {
    double apart = 0.0;
    double size = 0.0;
    for (const Column& column : one.rows.header.columns) {
        const std::string& name = column.name;
        if (name.rfind("force[", 0) != 0 && name.rfind("torque[", 0) != 0) {
            continue;
        }
        for (std::size_t row = 0; row < one.rows.rows(); ++row) {
            apart = std::max(apart, std::abs(one.at(row, name) - other.at(row, name)));
            size = std::max(size, std::abs(one.at(row, name)));
        }
    }
    return apart / size;
}

class SharedModels : public testing::TestWithParam<const char*> {};

TEST_P(SharedModels, FormsAgreeAndReactionsAreSmooth) {
    const Loaded loaded = load_model(GetParam());
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    const std::vector<double> times = even_times(0.5, 250);
    const Recording run = run_model(*loaded.prepared, {.times = times});
    ASSERT_FALSE(run.error) << run.error->message;
    const Recording few = run_model(*loaded.prepared, {.times = even_times(0.5, 10)});
    for (const solve::Form form : {solve::Form::kPhohomsiri, solve::Form::kSchutte,
                                   solve::Form::kMultipliers, solve::Form::kMinimal}) {
        Settings settings{.times = even_times(0.5, 10)};
        settings.form = form;
        const Recording other = run_model(*loaded.prepared, settings);
        ASSERT_FALSE(other.error) << other.error->message;
        EXPECT_LT(reactions_apart(few, other), 1e-7) << solve::form_name(form);
    }
    // A kink would stand out of the fourth differences, which are of h^4 elsewhere.
    double size = 0.0;
    double most = 0.0;
    for (const Column& column : run.rows.header.columns) {
        const std::string& name = column.name;
        if (name.rfind("force[", 0) != 0) {
            continue;
        }
        for (std::size_t row = 4; row < run.rows.rows(); ++row) {
            const auto f = [&](std::size_t back) { return run.at(row - back, name); };
            size = std::max(size, std::abs(f(0)));
            most = std::max(most, std::abs(f(0) - 4.0 * f(1) + 6.0 * f(2) - 4.0 * f(3) + f(4)));
        }
    }
    EXPECT_LT(most, 2e-4 * size);
}

TEST_P(SharedModels, FullAndSparseMatricesShareAlike) {
    const Loaded loaded = load_model(GetParam());
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    dynamics::Evaluator dense(as_full(*loaded.prepared), loaded.prepared->parameters);
    dynamics::Evaluator sparse(as_large(*loaded.prepared), loaded.prepared->parameters);
    const Result<dynamics::StartState> start = dynamics::assemble(dense, loaded.prepared->initial);
    ASSERT_TRUE(start) << start.error().message;
    const double* q = start.value().q.data();
    const double* v = start.value().v.data();
    dynamics::MotionSolver one(dense, {});
    dynamics::MotionSolver other(sparse, {});
    ASSERT_EQ(one.accelerate(0.0, q, v), solve::SolveStatus::kOk);
    ASSERT_EQ(other.accelerate(0.0, q, v), solve::SolveStatus::kOk);
    EXPECT_LT(difference(span(other.lambda()), span(one.lambda())), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(LoadShare, SharedModels,
                         testing::Values("bricard_square", "slider_crank", "door_three_hinges"));

TEST(LoadShare, WhatHasNoComplianceIsNamed) {
    const Loaded loaded = load_text("test.ank", std::string(kShaft) +
                                                    "compliance on left: translation c1\n"
                                                    "compliance on mid: translation c2\n");
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    const Result<inspect::CheckReport> report = inspect::check(*loaded.prepared);
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_EQ(report.value().warnings.size(), 3U);  // x, y and z are shared by themselves
    EXPECT_EQ(
        report.value().warnings[0],
        "right.pin[3] has no compliance and counts as rigid beside the constraints that share "
        "their load and have one; what that leaves open is shared by the masses");
}

}  // namespace
}  // namespace ananke::pipeline
