// Bodies and joints of the gallery against closed forms, conserved quantities and published
// numbers.
#include <array>

#include <Eigen/Dense>

#include "pipeline.h"

namespace ananke::pipeline {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix4d;
using Eigen::Vector3d;
using Eigen::Vector4d;

Recording run_of(const std::string& name, double until, std::vector<std::string> settings = {}) {
    const Loaded loaded = load_model(name, std::move(settings));
    EXPECT_TRUE(loaded.prepared) << loaded.messages;
    if (!loaded.prepared) {
        return {};
    }
    Recording run = run_model(*loaded.prepared, {.times = even_times(until, 50)});
    EXPECT_FALSE(run.error) << name << ": " << run.error->message;
    return run;
}

Vector3d vector_at(const Recording& run, std::size_t row, const std::string& name) {
    return {run.at(row, name + ".x"), run.at(row, name + ".y"), run.at(row, name + ".z")};
}

// The output `miss` of a model is the distance from its closed form.
TEST(Mechanisms, ClosedFormsAreMet) {
    for (const auto& [name, until] :
         std::vector<std::pair<std::string, double>>{{"fast_top", 2.0},
                                                     {"rolling_sphere", 10.0},
                                                     {"slider_crank", 1.0},
                                                     {"stewart_platform", 4.0},
                                                     {"universal_shaft", 2.0},
                                                     {"gear_pair", 3.0},
                                                     {"screw_nut", 2.0},
                                                     {"rack_pinion", 5.0}}) {
        SCOPED_TRACE(name);
        const Recording run = run_of(name, until);
        for (std::size_t i = 0; i < run.rows.rows(); ++i) {
            ASSERT_LT(std::abs(run.at(i, "miss")), 1e-9) << "row " << i;
        }
    }
}

TEST(Mechanisms, WhatTheyConserveIsConstant) {
    for (const auto& [name, until, columns] :
         std::vector<std::tuple<std::string, double, std::vector<std::string>>>{
             {"heavy_top", 5.0, {"spin", "Lz", "energy"}},
             {"fast_top", 2.0, {"energy"}},
             {"tippe_ball", 3.0, {"jellett", "energy"}},
             {"flyball_governor", 3.0, {"Lz", "energy"}},
             {"rolling_disk", 5.0, {"energy"}},
             {"bicycle", 5.0, {"energy"}},
             {"bricard_square", 10.0, {"energy"}}}) {
        const Recording run = run_of(name, until);
        for (const std::string& column : columns) {
            const double start = run.at(0, column);
            for (std::size_t i = 0; i < run.rows.rows(); ++i) {
                ASSERT_LT(std::abs(run.at(i, column) - start), 1e-9 * std::abs(start))
                    << name << ": " << column << " in row " << i;
            }
        }
    }
}

// At this speed of the shaft the balls neither rise nor fall.
TEST(Mechanisms, GovernorStaysInItsSteadyState) {
    const double l = 0.3;
    const double b = 0.15;
    const double mb = 0.4;
    const double ms = 0.3;
    const double W = std::sqrt(9.81 * (mb * l + ms * b) /
                               (mb * l * l * std::cos(40.0 * std::acos(-1.0) / 180.0)));
    const Recording run = run_of("flyball_governor", 1.0, {setting("W", W)});
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        EXPECT_NEAR(run.at(i, "height"), run.at(0, "height"), 1e-9);
        EXPECT_NEAR(run.at(i, "speed"), W, 1e-9);
    }
}

// ---- Meijaard, Papadopoulos, Ruina & Schwab 2007: M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 for
// lean and steer, matrices as published for the benchmark.

Matrix4d linear_bicycle(double v) {
    Matrix2d M;
    Matrix2d C1;
    Matrix2d K0;
    Matrix2d K2;
    M << 80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686;
    K0 << -80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618;
    K2 << 0.0, 76.59734589573222, 0.0, 2.65431523794604;
    C1 << 0.0, 33.86641391492494, -0.85035641456978, 1.68540397397560;
    Matrix4d A = Matrix4d::Zero();
    A.topRightCorner<2, 2>().setIdentity();
    A.bottomLeftCorner<2, 2>() = -M.inverse() * (9.81 * K0 + v * v * K2);
    A.bottomRightCorner<2, 2>() = -v * (M.inverse() * C1);
    return A;
}

/// The motion of x' = A x over a time h, by its series.
Vector4d advance(const Matrix4d& A, const Vector4d& x, double h) {
    constexpr int kParts = 20;
    constexpr int kTerms = 16;
    Vector4d y = x;
    for (int part = 0; part < kParts; ++part) {
        Vector4d term = y;
        for (int k = 1; k <= kTerms; ++k) {
            term = (h / kParts / k) * (A * term);
            y += term;
        }
    }
    return y;
}

TEST(Mechanisms, BicycleFollowsThePublishedLinearEquations) {
    constexpr double kPush = 1e-4;
    for (const double v : {3.5, 4.6, 7.0}) {
        SCOPED_TRACE(v);
        const Recording run = run_of("bicycle", 2.0, {setting("v", v), setting("push", kPush)});
        const Matrix4d A = linear_bicycle(v);
        Vector4d x(0.0, 0.0, kPush, 0.0);
        for (std::size_t i = 1; i < run.rows.rows(); ++i) {
            x = advance(A, x, run.at(i, "t") - run.at(i - 1, "t"));
            // The neglected terms are of the third order in the push.
            EXPECT_NEAR(run.at(i, "lean"), x[0], 1e-6 * kPush);
            EXPECT_NEAR(run.at(i, "steer.value"), x[1], 1e-6 * kPush);
        }
    }
}

TEST(Mechanisms, BicycleIsSelfStableInItsRangeOfSpeeds) {
    const Recording stable = run_of("bicycle", 5.0);
    const Recording weaving = run_of("bicycle", 3.0, {"v=3.5"});
    const auto largest_lean = [](const Recording& run, std::size_t from, std::size_t to) {
        double largest = 0.0;
        for (std::size_t i = from; i <= to; ++i) {
            largest = std::max(largest, std::abs(run.at(i, "lean")));
        }
        return largest;
    };
    EXPECT_LT(largest_lean(stable, 40, 50), 0.3 * largest_lean(stable, 0, 10));
    EXPECT_GT(largest_lean(weaving, 40, 50), 2.0 * largest_lean(weaving, 0, 10));
}

// The hinge pulls with m omega^2 d, carries m g and holds with m g d.
TEST(Mechanisms, DoorHingeCarriesTheDoor) {
    const Recording run = run_of("door_hinge", 3.0);
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        const Vector3d force = vector_at(run, i, "force[hinge:door in door]");
        const Vector3d torque = vector_at(run, i, "torque[hinge:door in door]");
        EXPECT_LT((force - Vector3d(-20.0 * 4.0 * 0.5, 0.0, 196.2)).norm(), 1e-8);
        EXPECT_LT((torque - Vector3d(0.0, -98.1, 0.0)).norm(), 1e-8);
        EXPECT_LT(
            (vector_at(run, i, "force[hinge:ground]") + vector_at(run, i, "force[hinge:door]"))
                .norm(),
            1e-12 * force.norm());
    }
}

// RH (60), (65) for a force and an axis of any direction.
TEST(Mechanisms, AppellUnderAnArbitraryForce) {
    const Recording run = run_of("appell_force", 3.0);
    const Vector3d n(0.36, 0.48, 0.8);
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        EXPECT_NEAR(vector_at(run, i, "force[appell:P]").dot(n), run.at(i, "formula"), 1e-12);
    }
}

// RH (27), (55) in space.
TEST(Mechanisms, ForcesBetweenTwoParticlesInSpace) {
    const auto velocity = [](const Recording& run, std::size_t row, const std::string& k) {
        return Vector3d(run.at(row, "x" + k + "'"), run.at(row, "y" + k + "'"),
                        run.at(row, "z" + k + "'"));
    };
    const Recording across = run_of("perpendicular_in_space", 5.0);
    const Recording equal = run_of("equal_speed_in_space", 5.0);
    for (std::size_t i = 0; i < across.rows.rows(); ++i) {
        const double lambda = across.at(i, "lambda[perpendicular]");
        EXPECT_LT(
            (vector_at(across, i, "force[perpendicular:P1]") - lambda * velocity(across, i, "2"))
                .norm(),
            1e-13);
        EXPECT_LT(
            (vector_at(across, i, "force[perpendicular:P2]") - lambda * velocity(across, i, "1"))
                .norm(),
            1e-13);
        const Vector3d on_first = vector_at(equal, i, "force[equal:P1]");
        const Vector3d on_second = vector_at(equal, i, "force[equal:P2]");
        EXPECT_LT(on_first.cross(velocity(equal, i, "1")).norm(), 1e-12);
        EXPECT_LT(on_second.cross(velocity(equal, i, "2")).norm(), 1e-12);
        EXPECT_NEAR(on_first.dot(velocity(equal, i, "1")), -on_second.dot(velocity(equal, i, "2")),
                    1e-12);
    }
}

// (1 + sin alpha)(1 + sin beta) = 1 between neighbouring joints of the Bricard mechanism.
TEST(Mechanisms, BricardAnglesCloseTheLoop) {
    const Recording run = run_of("bricard_square", 10.0);
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        EXPECT_NEAR((1.0 + std::sin(run.at(i, "alpha"))) * (1.0 + std::sin(run.at(i, "beta"))), 1.0,
                    1e-12);
    }
}

}  // namespace
}  // namespace ananke::pipeline
