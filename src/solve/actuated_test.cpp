#include "solve/actuated.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/sanitizers.h"
#include "solve/allocation_count.h"
#include "solve/random_system.h"

namespace ananke::solve {
namespace {

using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

/// A system, the rows its actuators enforce, and what the actuators push.
struct Actuated {
    SystemData data;
    std::vector<int> servo;
    RowMatrix Dt;
};

/// rank: of the passive rows (redundant where there are more), then as many servo rows as
/// actuators. The actuators push obliquely to the servo rows.
Actuated random_actuated(Random& random, int n, int passive, int rank, int servo, int mass_rank) {
    Actuated a{bounded_system(random, n, rank + servo, rank + servo, mass_rank), {}, {}};
    const RowMatrix independent = a.data.A;
    const Eigen::VectorXd some = random.vector(n);
    a.data.A = RowMatrix(passive + servo, n);
    a.data.A.topRows(passive) =
        random.of_rank(passive, rank, rank, 0.3, 3.0) * independent.topRows(rank);
    a.data.A.bottomRows(servo) = independent.bottomRows(servo);
    a.data.b = a.data.A * some;
    for (int j = 0; j < servo; ++j) {
        a.servo.push_back(passive + j);
    }
    a.Dt = random.of_rank(servo, servo, servo, 0.3, 3.0) * independent.bottomRows(servo) +
           0.3 * random.matrix(servo, n);
    return a;
}

/// The same with sizes that are drawn too, and independent passive rows.
Actuated random_actuated(Random& random) {
    const int n = random.pick(2, 8);
    const int servo = random.pick(1, 2);
    const int rank = random.pick(0, n - servo);
    return random_actuated(random, n, rank, rank, servo, random.pick(n - rank - servo, n));
}

ActuatedSolver solver_for(const Actuated& s) {
    return {static_cast<int>(s.data.M.rows()), static_cast<int>(s.data.A.rows()), s.servo,
            static_cast<int>(s.Dt.rows())};
}

struct Oracle {
    Eigen::VectorXd a, u;
};

/// The whole matrix in long double, with full pivoting; redundant passive rows leave lambda open.
Oracle oracle(const Actuated& s) {
    const Eigen::Index n = s.data.M.rows();
    const Eigen::Index m = s.data.A.rows();
    const auto servo = static_cast<Eigen::Index>(s.servo.size());
    const Eigen::Index p = m - servo;
    Long K = Long::Zero(n + m, n + m);
    K.topLeftCorner(n, n) = s.data.M.cast<long double>();
    K.block(0, n, n, p) = -s.data.A.topRows(p).transpose().cast<long double>();
    K.topRightCorner(n, servo) = -s.Dt.transpose().cast<long double>();
    K.bottomLeftCorner(m, n) = s.data.A.cast<long double>();
    Eigen::VectorXd force = s.data.Q;
    if (s.data.C.size() > 0) {
        force += s.data.C;
    }
    LongVector right(n + m);
    right << force.cast<long double>(), s.data.b.cast<long double>();
    Eigen::FullPivLU<Long> lu(n + m, n + m);
    lu.setThreshold(1e-13L);
    lu.compute(K);
    const LongVector x = lu.solve(right);
    return {x.head(n).cast<double>(), x.tail(servo).cast<double>()};
}

TEST(Actuated, EqualsTheWholeMatrixOnRandomSystems) {
    int regular = 0;
    for (unsigned seed = 0; seed < 2000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const int n = random.pick(1, 9);
        const int servo = random.pick(1, std::min(3, n));
        const int rank = random.pick(0, n - servo);
        const int passive = rank == 0 ? 0 : random.pick(rank, rank + 2);
        const int mass_rank = random.pick(n - rank - servo, n);
        Actuated s = random_actuated(random, n, passive, rank, servo, mass_rank);
        if (random.pick(0, 2) == 0) {
            s.data.C = random.vector(n);
        }
        ActuatedSolver solver = solver_for(s);
        const SolveStatus status = solver.solve(s.data.view(), s.Dt);
        if (solver.regularity() < 1e-3) {
            continue;
        }
        ++regular;
        ASSERT_EQ(status, SolveStatus::kOk);
        EXPECT_EQ(solver.rank(), rank + servo);
        const Oracle expected = oracle(s);
        const double size = 1.0 + expected.a.norm() + expected.u.norm();
        const double tolerance = 1e-11 * size / solver.regularity();
        EXPECT_LE((solver.a() - expected.a).norm(), tolerance);
        EXPECT_LE((solver.u() - expected.u).norm(), tolerance);
        EXPECT_LE((s.data.M * solver.a() - s.data.Q - solver.Qc()).norm(), tolerance);
        Eigen::VectorXd carried =
            s.data.A.transpose() * solver.lambda() + s.Dt.transpose() * solver.u();
        if (s.data.C.size() > 0) {
            carried += s.data.C;
        }
        EXPECT_LE((carried - solver.Qc()).norm(), 10.0 * tolerance);
        for (const int row : s.servo) {
            EXPECT_EQ(solver.lambda()[row], 0.0);
        }
        ASSERT_EQ(solver.solve_again(s.data.view(), s.Dt), SolveStatus::kOk);
        EXPECT_LE((solver.a() - expected.a).norm(), tolerance);
    }
    EXPECT_GT(regular, 1500);
}

TEST(Actuated, NamedFormsAgree) {
    for (unsigned seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Actuated s = random_actuated(random);
        s.data.C = random.vector(static_cast<int>(s.data.M.rows()));
        ActuatedSolver solver = solver_for(s);
        if (solver.solve(s.data.view(), s.Dt) != SolveStatus::kOk || solver.regularity() < 1e-3) {
            continue;
        }
        for (const Form form : {Form::kMultipliers, Form::kMinimal}) {
            const Result<ActuatedMotion> motion =
                evaluate_actuated(form, s.data.view(), s.servo, s.Dt);
            ASSERT_TRUE(motion) << motion.error().message;
            const double tolerance =
                1e-10 * (1.0 + solver.a().norm() + solver.u().norm()) / solver.regularity();
            EXPECT_LE((motion.value().motion.a - solver.a()).norm(), tolerance);
            EXPECT_LE((motion.value().u - solver.u()).norm(), tolerance);
            EXPECT_LE((motion.value().motion.Qc - solver.Qc()).norm(), tolerance);
            EXPECT_LE((motion.value().motion.Qc_ideal - solver.Qc_ideal()).norm(), tolerance);
            EXPECT_LE((motion.value().motion.lambda - solver.lambda()).norm(), 10.0 * tolerance);
        }
        for (const Form form : {Form::kFundamental, Form::kGauss, Form::kSchutte}) {
            const Result<ActuatedMotion> motion =
                evaluate_actuated(form, s.data.view(), s.servo, s.Dt);
            ASSERT_FALSE(motion);
            EXPECT_EQ(motion.error().code, ErrorCode::kNotApplicable);
        }
    }
}

/// Actuators that push along the gradients of their servo rows are the ideal realisation.
TEST(Actuated, AlongTheGradientIsIdeal) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Actuated s = random_actuated(random);
        s.Dt = s.data.A.bottomRows(s.Dt.rows()).eval();
        ActuatedSolver solver = solver_for(s);
        AccelerationSolver ideal(static_cast<int>(s.data.M.rows()),
                                 static_cast<int>(s.data.A.rows()));
        ASSERT_EQ(solver.solve(s.data.view(), s.Dt), SolveStatus::kOk);
        ASSERT_EQ(ideal.solve(s.data.view()), SolveStatus::kOk);
        const double tolerance = 1e-10 * (1.0 + ideal.a().norm() + ideal.lambda().norm());
        EXPECT_LE((solver.a() - ideal.a()).norm(), tolerance);
        EXPECT_LE((solver.u() - ideal.lambda().tail(s.Dt.rows())).norm(), tolerance);
    }
}

/// Cart-pole by hand: (M + m) x'' + m l th'' cos - m l th'^2 sin = u, m l^2 th'' + m l x'' cos =
/// m g l sin; th'' prescribed gives x'' and then u.
TEST(Actuated, CartPoleByHand) {
    const double cart = 1.0, bob = 0.3, l = 0.5, g = 9.81, th = 0.3, rate = -0.7, wanted = 1.9;
    SystemData s(2, 1);
    s.M << cart + bob, bob * l * std::cos(th), bob * l * std::cos(th), bob * l * l;
    s.Q << bob * l * rate * rate * std::sin(th), bob * g * l * std::sin(th);
    s.A << 0.0, 1.0;
    s.b << wanted;
    RowMatrix Dt(1, 2);
    Dt << 1.0, 0.0;
    ActuatedSolver solver(2, 1, {0}, 1);
    ASSERT_EQ(solver.solve(s.view(), Dt), SolveStatus::kOk);
    const double x = (g * std::sin(th) - l * wanted) / std::cos(th);
    const double u =
        (cart + bob) * x + bob * l * (wanted * std::cos(th) - rate * rate * std::sin(th));
    EXPECT_NEAR(solver.a()[0], x, 1e-13);
    EXPECT_NEAR(solver.a()[1], wanted, 1e-14);
    EXPECT_NEAR(solver.u()[0], u, 1e-13);
    EXPECT_NEAR(solver.Qc()[0], u, 1e-13);
    EXPECT_NEAR(solver.Qc()[1], 0.0, 1e-13);
    EXPECT_EQ(solver.lambda()[0], 0.0);
}

/// A massless coordinate that only its servo row determines.
TEST(Actuated, ServoOnAMasslessCoordinate) {
    SystemData s(2, 1);
    s.M << 2.0, 0.0, 0.0, 0.0;
    s.Q << 3.0, 5.0;
    s.A << 0.0, 4.0;
    s.b << 8.0;
    RowMatrix Dt(1, 2);
    Dt << 0.0, 1.0;
    ActuatedSolver solver(2, 1, {0}, 1);
    ASSERT_EQ(solver.solve(s.view(), Dt), SolveStatus::kOk);
    EXPECT_NEAR(solver.a()[0], 1.5, 1e-14);
    EXPECT_NEAR(solver.a()[1], 2.0, 1e-14);
    EXPECT_NEAR(solver.u()[0], -5.0, 1e-13);
}

struct Crane {
    SystemData data{3, 2};
    RowMatrix Dt{2, 3};
    double th;
};

/// Coordinates x, l, theta; payload at (x + l sin, -l cos); forces on x and on l.
Crane crane(double th) {
    Crane c;
    c.th = th;
    const double cart = 10.0, load = 4.0, l = 3.0, s = std::sin(th), k = std::cos(th);
    Eigen::Matrix<double, 2, 3> J;
    J << 1.0, s, l * k, 0.0, -k, l * s;
    c.data.M = load * J.transpose() * J;
    c.data.M(0, 0) += cart;
    c.data.Q << 0.0, load * 9.81 * k, -load * 9.81 * l * s;
    c.data.A = J;
    c.data.b << 0.1, 0.2;
    c.Dt << 1.0, 0.0, 0.0, 0.0, 1.0, 0.0;
    return c;
}

TEST(Actuated, CraneMissesTheDirectionAcrossTheRope) {
    for (const double th : {0.0, 0.2, -0.9}) {
        const Crane c = crane(th);
        ActuatedSolver solver(3, 2, {0, 1}, 2);
        ASSERT_EQ(solver.solve(c.data.view(), c.Dt), SolveStatus::kNotControlled);
        EXPECT_EQ(solver.servo_rank(), 2);
        const ControlGap gap = solver.gap();
        ASSERT_EQ(gap.missing.cols(), 1);
        const Eigen::VectorXd across = gap.missing.col(0).normalized();
        EXPECT_NEAR(std::abs(across.dot(Eigen::Vector2d(std::cos(th), std::sin(th)))), 1.0, 1e-12);
        ASSERT_EQ(gap.reach.cols(), 1);  // along the rope
        EXPECT_NEAR(gap.reach.col(0).normalized().dot(across), 0.0, 1e-12);
        ASSERT_EQ(gap.idle.cols(), 1);  // the force on the cart
        EXPECT_NEAR(std::abs(gap.idle(1, 0)), 0.0, 1e-12 * std::abs(gap.idle(0, 0)));
        EXPECT_FALSE(evaluate_actuated(Form::kMultipliers, c.data.view(), std::vector{0, 1}, c.Dt));
        EXPECT_FALSE(evaluate_actuated(Form::kMinimal, c.data.view(), std::vector{0, 1}, c.Dt));
    }
}

TEST(Actuated, TooFewAndTooManyActuators) {
    const Crane c = crane(0.2);
    ActuatedSolver few(3, 2, {0, 1}, 1);
    ASSERT_EQ(few.solve(c.data.view(), c.Dt.bottomRows(1)), SolveStatus::kNotControlled);
    EXPECT_EQ(few.gap().missing.cols(), 1);
    EXPECT_EQ(few.gap().idle.cols(), 0);
    RowMatrix many(3, 3);
    many << 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0;
    ActuatedSolver three(3, 2, {0, 1}, 3);
    ASSERT_EQ(three.solve(c.data.view(), many), SolveStatus::kNotControlled);
    EXPECT_EQ(three.gap().missing.cols(), 0);
    EXPECT_EQ(three.gap().idle.cols(), 1);
}

TEST(Actuated, ServoRowsThatRepeatPassiveOnesAreLeftOut) {
    SystemData s(2, 3);
    s.M << 1.0, 0.0, 0.0, 2.0;
    s.Q << 1.0, 1.0;
    s.A << 1.0, 0.0, 2.0, 0.0, 0.0, 1.0;
    s.b << 0.5, 1.0, 3.0;
    RowMatrix Dt(1, 2);
    Dt << 0.5, 2.0;
    ActuatedSolver solver(2, 3, {1, 2}, 1);
    ASSERT_EQ(solver.solve(s.view(), Dt), SolveStatus::kOk);
    EXPECT_NEAR(solver.u()[0], 2.5, 1e-13);
    EXPECT_NEAR(solver.lambda()[0], 0.5 - 1.0 - 1.25, 1e-13);
    s.b[1] = 1.1;
    EXPECT_EQ(solver.solve(s.view(), Dt), SolveStatus::kInconsistent);
}

TEST(Actuated, OrientationTurnsWhereRegularityIsLost) {
    const auto orientation = [](double th) {
        SystemData s(2, 1);
        s.M << 1.3, 0.15 * std::cos(th), 0.15 * std::cos(th), 0.075;
        s.A << 0.0, 1.0;
        RowMatrix Dt(1, 2);
        Dt << 1.0, 0.0;
        ActuatedSolver solver(2, 1, {0}, 1);
        static_cast<void>(solver.solve(s.view(), Dt));
        return solver.orientation();
    };
    EXPECT_EQ(orientation(1.5) * orientation(1.6), -1);
    EXPECT_EQ(orientation(1.0), orientation(1.5));
}

#if !ANANKE_ADDRESS_SANITIZER
TEST(Actuated, TakesNoMemoryWhenItSolves) {
    Random random(7);
    for (const int mass_rank : {3, 6}) {
        Actuated s = random_actuated(random, 6, 3, 2, 2, mass_rank);
        s.data.C = random.vector(6);
        ActuatedSolver solver(6, 5, s.servo, 2);
        const System at = s.data.view();
        const Eigen::Ref<const RowMatrix> Dt(s.Dt);
        static_cast<void>(solver.solve(at, Dt));  // memory of the share
        const long before = allocation_count();
        static_cast<void>(solver.solve(at, Dt));
        static_cast<void>(solver.solve_again(at, Dt));
        EXPECT_EQ(allocation_count(), before);
    }
}
#endif

}  // namespace
}  // namespace ananke::solve
