#include "solve/quaternion_basis.h"

#include <gtest/gtest.h>

#include "solve/random_system.h"

namespace ananke::solve {
namespace {

using Matrix4 = Eigen::Matrix4d;
using Matrix34 = Eigen::Matrix<double, 3, 4>;

/// US10 (80)
Matrix34 E_of(const Eigen::Vector4d& u) {
    Matrix34 E;
    E << -u[1], u[0], u[3], -u[2],  //
        -u[2], -u[3], u[0], u[1],   //
        -u[3], u[2], -u[1], u[0];
    return E;
}

std::array<double, 4> array_of(const Eigen::Vector4d& u) {
    return {u[0], u[1], u[2], u[3]};
}

std::vector<SparseEntry> upper(const Eigen::MatrixXd& M) {
    std::vector<SparseEntry> entries;
    for (int i = 0; i < M.rows(); ++i) {
        for (int k = i; k < M.cols(); ++k) {
            entries.push_back({i, k, M(i, k)});
        }
    }
    return entries;
}

Eigen::MatrixXd dense(const std::vector<SparseEntry>& entries, int rows, int columns,
                      bool symmetric) {
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(rows, columns);
    for (const SparseEntry& one : entries) {
        M(one.row, one.column) += one.value;
        if (symmetric && one.row != one.column) {
            M(one.column, one.row) += one.value;
        }
    }
    return M;
}

/// One free coordinate, then two quaternions.
constexpr int kCoordinates = 9;

struct Case {
    Eigen::Vector4d u, w;
    QuaternionBasis basis;
    Eigen::MatrixXd T;  ///< by the formula
};

Case draw(Random& random) {
    const Eigen::Vector4d u = random.vector(4);
    const Eigen::Vector4d w = random.vector(4);
    Eigen::MatrixXd T = Eigen::MatrixXd::Identity(kCoordinates, kCoordinates);
    T.block<4, 3>(1, 1) = 0.5 * E_of(u).transpose();
    T.block<4, 1>(1, 4) = u;
    T.block<4, 3>(5, 5) = 0.5 * E_of(w).transpose();
    T.block<4, 1>(5, 8) = w;
    return {u, w,
            QuaternionBasis(kCoordinates, {{1, -1, array_of(u), std::nullopt},
                                           {5, -1, array_of(w), std::nullopt}}),
            T};
}

TEST(QuaternionBasis, TurnsMassAndRows) {
    Random random(1116);
    for (int i = 0; i < 50; ++i) {
        const Case c = draw(random);
        const Eigen::MatrixXd M = random.symmetric_of_rank(kCoordinates, kCoordinates, 0.1, 10.0);
        const Eigen::MatrixXd turned =
            dense(c.basis.mass(upper(M)), kCoordinates, kCoordinates, true);
        EXPECT_LT((turned - c.T.transpose() * M * c.T).cwiseAbs().maxCoeff(), 1e-12);

        const Eigen::MatrixXd A = random.matrix(3, kCoordinates);
        std::vector<SparseEntry> entries;
        for (int r = 0; r < 3; ++r) {
            for (int k = 0; k < kCoordinates; ++k) {
                entries.push_back({r, k, A(r, k)});
            }
        }
        EXPECT_LT(
            (dense(c.basis.rows(entries), 3, kCoordinates, false) - A * c.T).cwiseAbs().maxCoeff(),
            1e-12);
    }
}

// What is known of a rigid body replaces the products: J |u|^4, and 2 |u|^2 for the norm.
TEST(QuaternionBasis, RigidBodiesHaveTheirInertiaAndNothingElse) {
    Random random(5);
    for (int i = 0; i < 50; ++i) {
        const Eigen::Vector4d u = random.vector(4);
        const Eigen::Matrix3d J = random.symmetric_of_rank(3, 3, 0.1, 10.0);
        const QuaternionBasis known(
            4, {{0, 0, array_of(u),
                 std::array<double, 6>{J(0, 0), J(0, 1), J(0, 2), J(1, 1), J(1, 2), J(2, 2)}}});
        const QuaternionBasis computed(4, {{0, -1, array_of(u), std::nullopt}});
        const Matrix4 M = 4.0 * E_of(u).transpose() * J * E_of(u);
        EXPECT_LT(
            (dense(known.mass(upper(M)), 4, 4, true) - dense(computed.mass(upper(M)), 4, 4, true))
                .cwiseAbs()
                .maxCoeff(),
            1e-11);
        std::vector<SparseEntry> norm;
        for (int k = 0; k < 4; ++k) {
            norm.push_back({0, k, 2.0 * u[k]});
        }
        EXPECT_LT((dense(known.rows(norm), 1, 4, false) - dense(computed.rows(norm), 1, 4, false))
                      .cwiseAbs()
                      .maxCoeff(),
                  1e-12);
        EXPECT_EQ(known.rows(norm).size(), 1U);
    }
}

}  // namespace
}  // namespace ananke::solve
