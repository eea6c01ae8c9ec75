#include "solve/weak_rows.h"
#include "dense/dense.h"

#include <gtest/gtest.h>

#include <random>

#include "solve/independent_rows.h"
#include "solve/least_norm.h"

namespace ananke::solve {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Rows with a few entries each over n coordinates.
MatrixXd sparse_rows(int m, int n, std::mt19937& random) {
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    MatrixXd A = MatrixXd::Zero(m, n);
    for (int k = 0; k < m; ++k) {
        for (int i = 0; i < 4; ++i) {
            A(k, std::uniform_int_distribution<int>(0, n - 1)(random)) = value(random);
        }
        A(k, k % n) += 2.0;
    }
    return A;
}

struct Loaded {
    std::vector<RowPlace> places;
    std::vector<double> values, units;
    MatrixXd B;  ///< in units, of unit length
};

Loaded load(const MatrixXd& A, std::mt19937& random) {
    std::uniform_real_distribution<double> size(0.1, 10.0);
    Loaded loaded;
    for (int k = 0; k < A.rows(); ++k) {
        for (int j = 0; j < A.cols(); ++j) {
            if (A(k, j) != 0.0) {
                loaded.places.push_back({k, j});
                loaded.values.push_back(A(k, j));
            }
        }
    }
    for (int j = 0; j < A.cols(); ++j) {
        loaded.units.push_back(size(random));
    }
    loaded.B = A * VectorXd::Map(loaded.units.data(), A.cols()).asDiagonal();
    loaded.B.rowwise().normalize();
    return loaded;
}

/// What is left of x besides these rows.
VectorXd besides(const MatrixXd& rows, const VectorXd& x) {
    const VectorXd c = rows.transpose().colPivHouseholderQr().solve(x);
    return x - rows.transpose() * c;
}

MatrixXd without(const MatrixXd& B, int row) {
    MatrixXd rest(B.rows() - 1, B.cols());
    rest << B.topRows(row), B.bottomRows(B.rows() - 1 - row);
    return rest;
}

TEST(WeakRows, RemaindersAreThoseOfLeastSquares) {
    std::mt19937 random(1);
    for (int draw = 0; draw < 50; ++draw) {
        const Loaded at = load(sparse_rows(12, 20, random), random);
        WeakRows rows(20, 12, at.places);
        ASSERT_TRUE(rows.factor(at.values, at.units));
        std::vector<double> x(20);
        for (int k = 0; k < 12; ++k) {
            const double length = rows.remainder(k, x);
            const VectorXd expected = besides(without(at.B, k), at.B.row(k).transpose());
            EXPECT_NEAR(length, expected.norm(), 1e-12);
            EXPECT_LT((VectorXd::Map(x.data(), 20) - expected).norm(), 1e-12);
        }
    }
}

TEST(WeakRows, WeakestRowHasLeastBesidesTheOthers) {
    std::mt19937 random(2);
    for (int draw = 0; draw < 50; ++draw) {
        MatrixXd A = sparse_rows(12, 20, random);
        A.row(7) = A.row(2) + 0.5 * A.row(4) + 1e-5 * A.row(7);
        const Loaded at = load(A, random);
        WeakRows rows(20, 12, at.places);
        ASSERT_TRUE(rows.factor(at.values, at.units));
        std::vector<double> x(20);
        double least = 1.0;
        for (int k = 0; k < 12; ++k) {
            least = std::min(least, rows.remainder(k, x));
        }
        const int weakest = rows.weakest();
        EXPECT_LT(rows.remainder(weakest, x), 1.5 * least);
        EXPECT_LT(least, 1e-3);
        EXPECT_EQ(rows.weakest(weakest), weakest);
    }
}

TEST(WeakRows, NearestCombinationIsThatOfLeastSquares) {
    std::mt19937 random(3);
    const Loaded at = load(sparse_rows(12, 20, random), random);
    WeakRows rows(20, 12, at.places);
    ASSERT_TRUE(rows.factor(at.values, at.units));
    const VectorXd x = VectorXd::Random(20);
    std::vector<double> c(12);
    const double distance = rows.nearest({x.data(), 20}, c);
    const VectorXd expected = besides(at.B, x);
    EXPECT_NEAR(distance, expected.norm(), 1e-13);
    EXPECT_LT((x - at.B.transpose() * VectorXd::Map(c.data(), 12) - expected).norm(), 1e-13);
}

TEST(WeakRows, DependentRowsHaveNoFactor) {
    std::mt19937 random(4);
    MatrixXd A = sparse_rows(6, 9, random);
    A.row(5) = A.row(1);
    const Loaded at = load(A, random);
    EXPECT_FALSE(WeakRows(9, 6, at.places).factor(at.values, at.units));
    A.row(5).setZero();
    A(5, 0) = 1.0;
    Loaded vanished = load(A, random);
    vanished.values.back() = 0.0;
    EXPECT_FALSE(WeakRows(9, 6, vanished.places).factor(vanished.values, vanished.units));
}

TEST(LeastNorm, IsThatOfThePseudoInverse) {
    std::mt19937 random(5);
    for (int draw = 0; draw < 50; ++draw) {
        const int n = 15;
        const int m = 18;
        MatrixXd B = sparse_rows(m, n, random);
        for (int k = 12; k < m; ++k) {  // rank 12 at most
            B.row(k) = B.row(k - 12) - 2.0 * B.row(k - 10);
        }
        SparseSystem system{n, m, {}, {}, std::vector<double>(n, 1.0), {}};
        for (int k = 0; k < m; ++k) {
            for (int j = 0; j < n; ++j) {
                if (B(k, j) != 0.0) {
                    system.rows.push_back({k, j, B(k, j)});
                }
            }
        }
        const RowChoice choice = independent_rows(system);
        ASSERT_EQ(choice.kept.size(), 12U);
        const VectorXd f = B.transpose() * VectorXd::Random(m);
        std::vector<SparseEntry> identity;
        for (int k = 0; k < m; ++k) {
            identity.push_back({k, k, 1.0});
        }
        const std::vector<double> l =
            least_norm(n, m, system.rows, choice.kept, {f.data(), std::size_t{n}}, identity);
        ASSERT_EQ(l.size(), std::size_t{m});
        const VectorXd expected =
            B.transpose().completeOrthogonalDecomposition().pseudoInverse() * f;
        EXPECT_LT((VectorXd::Map(l.data(), m) - expected).norm(), 1e-10 * expected.norm());
    }
}

}  // namespace
}  // namespace ananke::solve
