#include "solve/acceleration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "solve/allocation_count.h"
#include "solve/analysis.h"
#include "solve/random_system.h"

namespace ananke::solve {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// A a = b, M a = Q + Qc, Qc = C + A^T lambda: together they determine a when it is unique.
void expect_defining_properties(const SystemData& s, const AccelerationSolver& solver,
                                double tolerance) {
    const VectorXd C = s.C.size() > 0 ? s.C : VectorXd(VectorXd::Zero(s.Q.size()));
    const double size = 1.0 + s.M.norm() * solver.a().norm() + s.Q.norm();
    EXPECT_LE((s.A * solver.a() - s.b).norm(), tolerance * (1.0 + s.A.norm() * solver.a().norm()));
    EXPECT_LE((s.M * solver.a() - s.Q - solver.Qc()).norm(), tolerance * size);
    EXPECT_LE((C + s.A.transpose() * solver.lambda() - solver.Qc()).norm(), tolerance * size);
    EXPECT_LE((solver.Qc_ideal() + solver.Qc_nonideal() - solver.Qc()).norm(), tolerance * size);
}

TEST(AccelerationSolver, HoldsItsDefiningProperties) {
    Random random(7);
    for (int trial = 0; trial < 5000; ++trial) {
        SCOPED_TRACE(trial);
        const int n = random.pick(1, 9);
        const int rank = random.pick(0, n);
        const int m = rank == 0 ? 0 : random.pick(rank, rank + 3);
        SystemData s = random_system(random, n, m, rank, n, 0.1, 10.0);
        if (random.pick(0, 1) == 1) {
            s.C = random.vector(n);
        }
        AccelerationSolver solver(n, m);
        ASSERT_EQ(solver.solve(s.view()), SolveStatus::kOk);
        EXPECT_EQ(solver.rank(), rank);
        EXPECT_FALSE(solver.rank_warning());
        EXPECT_FALSE(solver.auxiliary());
        expect_defining_properties(s, solver, 1e-11);
    }
}

TEST(AccelerationSolver, HoldsItsDefiningPropertiesForSingularMass) {
    Random random(8);
    for (int trial = 0; trial < 3000; ++trial) {
        SCOPED_TRACE(trial);
        const int n = random.pick(2, 7);
        const int rank = random.pick(1, n);
        const int m = random.pick(rank, rank + 2);
        const SystemData s =
            random_system(random, n, m, rank, random.pick(n - rank, n - 1), 0.1, 10.0);
        AccelerationSolver solver(n, m);
        const SolveStatus status = solver.solve(s.view());
        if (status == SolveStatus::kNotUnique) {
            continue;  // the rows all but miss the massless directions
        }
        ASSERT_EQ(status, SolveStatus::kOk);
        EXPECT_TRUE(solver.auxiliary());
        EXPECT_EQ(solver.rank(), rank);
        expect_defining_properties(s, solver, 1e-9);
    }
}

// Against the analysis, which finds the same dependences for its reports.
TEST(AccelerationSolver, TiedRowsAreThoseWhoseMultipliersAreOneOfMany) {
    Random random(31);
    int tied = 0;
    for (int trial = 0; trial < 500; ++trial) {
        SCOPED_TRACE(trial);
        const int n = random.pick(2, 7);
        const int rank = random.pick(1, n);
        const int m = random.pick(rank, rank + 2);
        SystemData s = random_system(random, n, m, rank, n, 0.1, 10.0);
        if (m > rank) {  // a plain copy, so that not all rows are tied
            s.A.row(m - 1) = 3.0 * s.A.row(0);
            s.b[m - 1] = 3.0 * s.b[0];
        }
        AccelerationSolver solver(n, m);
        ASSERT_EQ(solver.solve(s.view()), SolveStatus::kOk);
        std::vector<bool> unique = analyse(s.view()).lambda_unique;
        unique.flip();
        EXPECT_EQ(solver.tied(), unique);
        tied += static_cast<int>(std::count(unique.begin(), unique.end(), true));
    }
    EXPECT_GT(tied, 500);
}

TEST(AccelerationSolver, RedundantCopiesOfAnyScaleChangeNothing) {
    Random random(9);
    for (int trial = 0; trial < 1000; ++trial) {
        SCOPED_TRACE(trial);
        const int n = random.pick(2, 7);
        const int rank = random.pick(1, n - 1);
        const SystemData s = random_system(random, n, rank, rank, n, 0.1, 10.0);
        SystemData copies = s;
        const int extra = random.pick(1, 4);
        copies.A.conservativeResize(rank + extra, n);
        copies.b.conservativeResize(rank + extra);
        for (int k = 0; k < extra; ++k) {
            const double factor = random.magnitude(1e-5, 1e5) * (k % 2 == 0 ? 1.0 : -1.0);
            const int of = random.pick(0, rank - 1);
            copies.A.row(rank + k) = factor * s.A.row(of);
            copies.b[rank + k] = factor * s.b[of];
        }
        AccelerationSolver plain(n, rank);
        AccelerationSolver redundant(n, rank + extra);
        ASSERT_EQ(plain.solve(s.view()), SolveStatus::kOk);
        ASSERT_EQ(redundant.solve(copies.view()), SolveStatus::kOk);
        EXPECT_EQ(redundant.rank(), rank);
        EXPECT_LE((plain.a() - redundant.a()).norm(), 1e-11 * (1.0 + plain.a().norm()));
        EXPECT_LE((plain.Qc() - redundant.Qc()).norm(), 1e-11 * (1.0 + plain.Qc().norm()));
    }
}

TEST(AccelerationSolver, CopiesShareTheForceEquallyWhateverTheirScale) {
    SystemData s(1, 2);
    s.M << 2.0;
    s.Q << 6.0;
    s.A << 1.0, 1000.0;
    s.b << 0.0, 0.0;
    AccelerationSolver solver(1, 2);
    ASSERT_EQ(solver.solve(s.view()), SolveStatus::kOk);
    EXPECT_NEAR(solver.lambda()[0] * 1.0, -3.0, 1e-14);
    EXPECT_NEAR(solver.lambda()[1] * 1000.0, -3.0, 1e-14);
}

TEST(AccelerationSolver, KeepsItsRowsWhereStagesLeaveTheSurface) {
    // The third row is the sum of the others at the start and deviates by 1e-4 in a stage: taken as
    // a new row it would demand an acceleration of order 1.
    SystemData s(3, 3);
    s.M.setIdentity();
    s.Q << 0.0, 0.0, -9.81;
    s.A << 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0;
    s.b << 1.0, 2.0, 3.0;
    AccelerationSolver solver(3, 3);
    ASSERT_EQ(solver.solve(s.view()), SolveStatus::kOk);
    s.A(2, 2) = 1e-4;
    s.b[2] += 1e-4;
    ASSERT_EQ(solver.solve_again(s.view()), SolveStatus::kOk);
    EXPECT_EQ(solver.rank(), 2);
    EXPECT_NEAR(solver.a()[2], -9.81, 1e-12);
    EXPECT_NEAR(solver.pivot_ratio(), 1.0, 1e-3);
    s.A(1, 1) = 1e-9;
    s.A(1, 0) = 1.0;
    ASSERT_EQ(solver.solve_again(s.view()), SolveStatus::kOk);
    EXPECT_LT(solver.pivot_ratio(), 1e-3);
}

TEST(AccelerationSolver, WarnsBetweenTheThresholdsAndTakesTheLargestGap) {
    const auto with_angle = [](double angle) {
        SystemData s(2, 2);
        s.M.setIdentity();
        s.A << 1.0, 0.0, 1.0, angle;
        AccelerationSolver solver(2, 2);
        EXPECT_EQ(solver.solve(s.view()), SolveStatus::kOk);
        return std::make_pair(solver.rank(), solver.rank_warning());
    };
    EXPECT_EQ(with_angle(1e-5), std::make_pair(2, false));
    EXPECT_EQ(with_angle(1e-7), std::make_pair(2, true));   // gap 1e7 above, 1e9 below
    EXPECT_EQ(with_angle(1e-10), std::make_pair(1, true));  // gap 1e10 above, 1e6 below
    EXPECT_EQ(with_angle(1e-12), std::make_pair(1, false));
}

TEST(AccelerationSolver, VanishedRowIsNoConstraint) {
    SystemData s(3, 1);  // Appell's particle at rest: A = 2 (-a^2 u1, -a^2 u2, u3) = 0
    s.M.setIdentity();
    s.Q << 0.0, 0.0, -9.81;
    s.A << 1e-17, 0.0, 0.0;
    s.row_magnitude = VectorXd::Constant(1, 1.0);
    AccelerationSolver solver(3, 1);
    ASSERT_EQ(solver.solve(s.view()), SolveStatus::kOk);
    EXPECT_EQ(solver.rank(), 0);
    EXPECT_DOUBLE_EQ(solver.a()[2], -9.81);
    s.b << 0.5;
    EXPECT_EQ(solver.solve(s.view()), SolveStatus::kInconsistent);
    EXPECT_EQ(solver.inconsistent_row(), 0);
}

TEST(AccelerationSolver, ReportsWhatHasNoAnswer) {
    SystemData s(2, 2);
    s.M.setIdentity();
    s.A << 1.0, 1.0, 2.0, 2.0;
    s.b << 1.0, 2.5;
    AccelerationSolver solver(2, 2);
    EXPECT_EQ(solver.solve(s.view()), SolveStatus::kInconsistent);
    EXPECT_EQ(solver.inconsistent_row(), 1);
    s.b << 1.0, 2.0;
    EXPECT_EQ(solver.solve(s.view()), SolveStatus::kOk);
    s.M.setZero();
    EXPECT_EQ(solver.solve(s.view()), SolveStatus::kNotUnique);
    s.Q[1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(solver.solve(s.view()), SolveStatus::kNotFinite);
}

TEST(AccelerationSolver, TakesNoMemory) {
    Random random(11);
    for (const int mass_rank : {7, 5}) {
        SystemData s = random_system(random, 7, 6, 5, mass_rank, 0.1, 10.0);
        s.C = random.vector(7);
        AccelerationSolver solver(7, 6);
        const System view = s.view();
        EXPECT_EQ(solver.solve(view), SolveStatus::kOk);  // memory of the share
        const long before = allocation_count();
        for (int i = 0; i < 10; ++i) {
            EXPECT_EQ(solver.solve(view), SolveStatus::kOk);
            EXPECT_EQ(solver.solve_again(view), SolveStatus::kOk);
        }
        EXPECT_EQ(allocation_count(), before);
    }
}

}  // namespace
}  // namespace ananke::solve
