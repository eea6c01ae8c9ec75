#include "solve/analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "solve/random_system.h"

namespace ananke::solve {
namespace {

using Eigen::VectorXd;

TEST(Analysis, DroppedRowsCarryTheCombinationThatReproducesThem) {
    Random random(3);
    for (int trial = 0; trial < 500; ++trial) {
        SCOPED_TRACE(trial);
        const int n = random.pick(2, 7);
        const int rank = random.pick(1, n - 1);
        SystemData s = random_system(random, n, rank + 3, rank, n, 0.1, 10.0);
        for (int k = 0; k < rank + 3; ++k) {
            const double factor = random.magnitude(1e-5, 1e5);
            s.A.row(k) *= factor;
            s.b[k] *= factor;
        }
        const Analysis analysis = analyse(s.view());
        ASSERT_FALSE(analysis.failure) << analysis.failure->message;
        EXPECT_EQ(analysis.rank, rank);
        ASSERT_EQ(analysis.dropped.size(), 3U);
        for (const DroppedRow& dropped : analysis.dropped) {
            VectorXd row = VectorXd::Zero(n);
            for (std::size_t i = 0; i < dropped.kept.size(); ++i) {
                row += dropped.coefficients[i] * s.A.row(dropped.kept[i]).transpose();
            }
            EXPECT_LE((row - s.A.row(dropped.row).transpose()).norm(),
                      1e-7 * s.A.row(dropped.row).norm());
            EXPECT_LE(dropped.inconsistency, 1e-12);
        }
    }
}

TEST(Analysis, GroupsDependentRowsAndFlagsTheirMultipliers) {
    SystemData s(4, 6);
    s.M.setIdentity();
    s.A << 1, 0, 0, 0,  //
        0, 1, 0, 0,     //
        2, 0, 0, 0,     // twice row 0
        0, 0, 1, 0,     //
        0, 1, 1, 0,     // rows 1 and 3
        0, 0, 0, 1;
    const Analysis analysis = analyse(s.view());
    EXPECT_EQ(analysis.rank, 4);
    EXPECT_EQ(analysis.dependent_sets, (std::vector<std::vector<int>>{{0, 2}, {1, 3, 4}}));
    EXPECT_EQ(analysis.lambda_unique, (std::vector<bool>{false, false, false, false, false, true}));
    EXPECT_FALSE(analysis.warning);
    EXPECT_FALSE(analysis.failure);
}

TEST(Analysis, NamesTheCoordinatesThatNothingDetermines) {
    SystemData s(4, 1);
    s.M.diagonal() << 1.0, 0.0, 2.0, 0.0;
    s.A << 1.0, 0.0, 1.0, 0.0;
    const Analysis analysis = analyse(s.view());
    EXPECT_FALSE(analysis.mass_positive_definite);
    EXPECT_FALSE(analysis.unique);
    EXPECT_EQ(analysis.free_coordinates, (std::vector<int>{1, 3}));
    ASSERT_TRUE(analysis.failure);
    EXPECT_EQ(analysis.failure->code, ErrorCode::kNotUnique);
    EXPECT_EQ(analysis.failure->coordinates, (std::vector<int>{1, 3}));
}

TEST(Analysis, MasslessCoordinateTiedByAConstraintIsUnique) {
    SystemData s(3, 1);
    s.M.diagonal() << 1.0, 0.0, 2.0;
    s.A << 1.0, -1.0, 0.0;
    const Analysis analysis = analyse(s.view());
    EXPECT_TRUE(analysis.unique);
    EXPECT_FALSE(analysis.mass_positive_definite);
    EXPECT_FALSE(analysis.failure);
}

TEST(Analysis, AppellAtRestIsVanishedNotContradictory) {
    SystemData s(3, 2);
    s.M.setIdentity();
    s.A << 1e-16, -1e-16, 0.0, 0.0, 0.0, 1.0;
    s.b << 0.0, 1.0;
    s.row_magnitude = VectorXd::Constant(2, 1.0);
    const Analysis analysis = analyse(s.view());
    EXPECT_EQ(analysis.rank, 1);
    EXPECT_EQ(analysis.vanished, (std::vector<int>{0}));
    EXPECT_FALSE(analysis.lambda_unique[0]);
    EXPECT_FALSE(analysis.failure);
}

TEST(Analysis, ReportsNotFiniteAndNegativeMass) {
    SystemData s(2, 1);
    s.M.setIdentity();
    s.A << 1.0, std::numeric_limits<double>::infinity();
    Analysis analysis = analyse(s.view());
    ASSERT_TRUE(analysis.failure);
    EXPECT_EQ(analysis.failure->code, ErrorCode::kNotFinite);
    EXPECT_EQ(analysis.failure->rows, (std::vector<int>{0}));
    EXPECT_EQ(analysis.failure->message, "a NaN or an infinity in a constraint");
    s.A << 1.0, 1.0;
    s.M << 1.0, 2.0, 2.0, 1.0;
    analysis = analyse(s.view());
    ASSERT_TRUE(analysis.failure);
    EXPECT_EQ(analysis.failure->code, ErrorCode::kInvalidInput);
}

// Ten rows of which three contradict each other, among consistent redundant ones; any order of
// rows, any scale of each.
TEST(Contradiction, ExactlyTheThreeOfTenInAnyOrder) {
    Random random(5);
    for (int trial = 0; trial < 300; ++trial) {
        SCOPED_TRACE(trial);
        const int n = 8;
        SystemData s(n, 10);
        s.M.setIdentity();
        const VectorXd x = random.vector(n);
        s.A.topRows(6) = random.matrix(6, n);
        s.b.head(6) = s.A.topRows(6) * x;
        s.A.row(6) = s.A.row(0) + 2.0 * s.A.row(1);  // contradicts 0 and 1
        s.b[6] = s.b[0] + 2.0 * s.b[1] + 0.5;
        s.A.row(7) = 3.0 * s.A.row(2);  // redundant, consistent
        s.b[7] = 3.0 * s.b[2];
        s.A.row(8) = s.A.row(3) - s.A.row(4);
        s.b[8] = s.b[3] - s.b[4];
        s.A.row(9) = -s.A.row(5);
        s.b[9] = -s.b[5];
        std::vector<int> order(10);
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(trial)));
        SystemData shuffled = s;
        std::vector<int> expected;
        for (int k = 0; k < 10; ++k) {
            const double factor = random.magnitude(1e-5, 1e5);
            shuffled.A.row(k) = factor * s.A.row(order[k]);
            shuffled.b[k] = factor * s.b[order[k]];
            if (order[k] == 0 || order[k] == 1 || order[k] == 6) {
                expected.push_back(k);
            }
        }
        const Analysis analysis = analyse(shuffled.view());
        ASSERT_TRUE(analysis.failure);
        EXPECT_EQ(analysis.failure->code, ErrorCode::kInconsistent);
        EXPECT_EQ(analysis.failure->rows, expected);
    }
}

TEST(Contradiction, TiesAreBrokenByNameNotByOrder) {
    RowMatrix A(3, 1);
    A << 1.0, 2.0, 1.0;  // x = 1 (b), 2x = 2 (c), x = 3 (a): a contradicts b, and a contradicts c
    const std::vector<std::string> names{"b", "c", "a"};
    EXPECT_EQ(contradictory_rows(A, Eigen::Vector3d(1.0, 2.0, 3.0), names),
              (std::vector<int>{0, 2}));
    RowMatrix B(3, 1);
    B << 2.0, 1.0, 1.0;
    const std::vector<std::string> other{"c", "a", "b"};
    EXPECT_EQ(contradictory_rows(B, Eigen::Vector3d(2.0, 3.0, 1.0), other),
              (std::vector<int>{1, 2}));  // again a and b
}

// x_1 = 0, x_2 - x_1 = 1, ..., x_120 = 5: all of them together, and none of the rows about y, in
// any order. More sets than can be tried: the rows are those of the combination that vanishes.
TEST(Contradiction, ALongChainIsFoundAmongOtherRows) {
    const int links = 120;
    for (unsigned trial = 0; trial < 3; ++trial) {
        SCOPED_TRACE(trial);
        Random random(trial);
        std::vector<int> order(static_cast<std::size_t>(2 * links));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), std::mt19937(trial));
        RowMatrix A = RowMatrix::Zero(2 * links, 2 * links);
        VectorXd r = VectorXd::Zero(2 * links);
        const VectorXd y = random.vector(links);
        for (int k = 0; k < 2 * links; ++k) {
            const int row = order[static_cast<std::size_t>(k)];
            if (k <= links) {  // of the chain
                A(row, std::min(k, links - 1)) = 1.0;
                r[row] = k == 0 ? 0.0 : k == links ? 5.0 : 1.0;
                if (k > 0 && k < links) {
                    A(row, k - 1) = -1.0;
                }
            } else {
                A.row(row).tail(links) = random.vector(links).transpose();
                r[row] = A.row(row).tail(links).dot(y);
            }
        }
        std::vector<int> expected(order.begin(), order.begin() + links + 1);
        std::sort(expected.begin(), expected.end());
        EXPECT_EQ(contradictory_rows(A, r), expected);
    }
}

TEST(Contradiction, ConsistentRowsHaveNone) {
    Random random(6);
    for (int trial = 0; trial < 200; ++trial) {
        const SystemData s = random_system(random, 6, 9, 4, 6, 0.1, 10.0);
        EXPECT_TRUE(contradictory_rows(s.A, s.b).empty());
    }
}

TEST(Contradiction, ZeroRowThatAsksForSomethingStandsAlone) {
    RowMatrix A = RowMatrix::Zero(2, 2);
    A(0, 0) = 1.0;
    EXPECT_EQ(contradictory_rows(A, Eigen::Vector2d(1.0, 0.5)), (std::vector<int>{1}));
}

}  // namespace
}  // namespace ananke::solve
