// The checker itself: its derivatives against differences, its motions against what they conserve,
// and its verdicts on runs that were changed.
#include <gtest/gtest.h>

#include "generate.h"
#include "judge.h"

namespace mechanisms {
namespace {

Modes modes_of(const Mechanism& m) {
    return modes_at(m, m.start);
}

/// The state a time h later on a path with these speeds and accelerations; of third order in h.
State moved(const Mechanism& m, const State& from, const VectorXd& rates, double h) {
    State to = from;
    to.t += h;
    displace(m, h * from.w + 0.5 * h * h * rates, to);
    to.w += h * rates;
    return to;
}

TEST(Checker, RowsAreTheDerivativesOfTheirConstraints) {
    constexpr double h = 1e-4;
    for (std::uint64_t seed = 1; seed <= 130; ++seed) {
        const Mechanism m = generate(seed);
        const Modes modes = modes_of(m);
        const Equations now = equations_of(m, m.start, modes);
        const Solution solution = solve(now, choose_rows(now).rows);
        const Equations later = equations_of(m, moved(m, m.start, solution.rates, h), modes);
        const Equations before = equations_of(m, moved(m, m.start, solution.rates, -h), modes);
        const Eigen::Index rows = now.A.rows() - static_cast<Eigen::Index>(m.frictions.size());
        for (Eigen::Index k = 0; k < rows; ++k) {
            const double size = std::max({1.0, now.A.row(k).norm(), std::abs(now.b[k])});
            const double slope = (later.residual[k] - before.residual[k]) / (2.0 * h);
            if (now.on_velocities[static_cast<std::size_t>(k)] == 0) {
                EXPECT_NEAR(slope, now.rate[k], 1e-4 * size) << m.family << " " << seed;
            }
            const double bend = (later.rate[k] - before.rate[k]) / (2.0 * h);
            EXPECT_NEAR(bend, now.A.row(k).dot(solution.rates) - now.b[k], 1e-3 * size)
                << m.family << " " << seed << ", row " << k;
        }
    }
}

TEST(Checker, AFreeBodyKeepsItsAngularMomentumAndEnergy) {
    Sketch s(5);
    const Matrix3d J = draw_inertia(s.draw, 2.0, 0.7);
    s.spatial(2.0, J, {0.0, 0.0, 0.0});
    s.velocity = 3.0;
    ASSERT_TRUE(s.finish());
    const Motion motion = integrate(s.m, {0.0, 0.5, 1.0, 2.0}, 1e-12);
    ASSERT_EQ(motion.samples.size(), 4U);
    const auto momentum = [&](const Sample& at) {
        const Matrix3d R = rotation_of(at.q.segment<4>(3));
        // omega = 2 u' u*
        Eigen::Vector4d inverse = at.q.segment<4>(3);
        inverse.tail<3>() *= -1.0;
        const Vector3d omega = 2.0 * quaternion_product(at.v.segment<4>(3), inverse).tail<3>();
        return Vector3d(R * J * R.transpose() * omega);
    };
    for (const Sample& at : motion.samples) {
        EXPECT_LT((momentum(at) - momentum(motion.samples[0])).norm(), 1e-10);
        EXPECT_NEAR(at.kinetic, motion.samples[0].kinetic, 1e-10);
    }
}

/// theta'' = -g sin(theta): a quarter of the period is K(sin(theta0/2))/sqrt(g), by Gauss' mean.
TEST(Checker, APendulumSwingsWithItsPeriod) {
    Sketch s(1);
    const Place bob = s.particle("xy", 1.0, {0.6, -0.8, 0.0});
    s.hold("rod", distance_squared({}, bob), kArea);
    add_gravity(s, {0.0, -9.81, 0.0});
    s.velocity = 0.0;
    ASSERT_TRUE(s.finish());
    double a = 1.0;
    double b = std::cos(0.5 * std::asin(0.6));
    for (int i = 0; i < 6; ++i) {
        const double mean = 0.5 * (a + b);
        b = std::sqrt(a * b);
        a = mean;
    }
    const double quarter = std::acos(-1.0) / (2.0 * a) / std::sqrt(9.81);
    const Motion motion = integrate(s.m, {0.0, quarter, 2.0 * quarter}, 1e-12);
    ASSERT_EQ(motion.samples.size(), 3U);
    EXPECT_NEAR(motion.samples[1].q[0], 0.0, 1e-10);
    EXPECT_NEAR(motion.samples[2].q[0], -0.6, 1e-10);
}

TEST(Checker, ABallBouncesWhereItShould) {
    Sketch s(1);
    const Place ball = s.particle("xy", 1.0, {0.0, 1.0, 0.0});
    add_gravity(s, {0.0, -10.0, 0.0});
    Event bounce{"bounce", position(ball, 1), Ex(0.0), Crossing::kFalling, {}};
    bounce.actions.push_back({false, 1, Ex(-0.8) * speed(1)});
    s.m.events.push_back(bounce);
    s.velocity = 0.0;
    ASSERT_TRUE(s.finish());
    const double fall = std::sqrt(0.2);
    const Motion motion = integrate(s.m, {0.0, 1.8 * fall, 2.5 * fall}, 1e-12);
    ASSERT_EQ(motion.samples.size(), 3U);
    ASSERT_EQ(motion.instants.size(), 1U);
    EXPECT_NEAR(motion.instants[0], fall, 1e-11);
    EXPECT_NEAR(motion.samples[1].q[1], 0.64, 1e-10);  // at rest on top
    EXPECT_NEAR(motion.samples[1].v[1], 0.0, 1e-9);
    EXPECT_NEAR(motion.samples[2].q[1], 0.15, 1e-9);
}

TEST(Checker, AChangedNumberIsFound) {
    const std::vector<double> times{0.0, 0.3, 0.7};
    const Mechanism m = generate_of("particles", 8);
    const Reference reference = refer(m, times, 1e-9);
    const ProgramRun run = run_mechanism(m, {}, times, 1e-9);
    ASSERT_EQ(judge(m, reference, run, {}, 1e-9).verdict, Verdict::kRight);
    for (const std::string& column : {std::string("x1"), std::string("x1'"), std::string("x1''"),
                                      std::string("Qc[x1]"), std::string("kinetic")}) {
        ProgramRun changed = run;
        changed.table.rows[1][run.table.columns.at(column)] += 1e-5;
        EXPECT_EQ(judge(m, reference, changed, {}, 1e-9).verdict, Verdict::kWrong) << column;
    }
    ProgramRun ended = run;
    ended.exit_code = 2;
    ended.table.rows.pop_back();
    EXPECT_EQ(judge(m, reference, ended, {}, 1e-9).verdict, Verdict::kRefused);
}

}  // namespace
}  // namespace mechanisms
