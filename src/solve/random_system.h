// Random systems of every rank, for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>

#include "dense/dense.h"
#include "solve/system.h"

namespace ananke::solve {

/// Owns what a System views.
struct SystemData {
    SystemData(int n, int m)
        : M(RowMatrix::Zero(n, n)),
          Q(Eigen::VectorXd::Zero(n)),
          A(RowMatrix::Zero(m, n)),
          b(Eigen::VectorXd::Zero(m)) {}

    RowMatrix M;
    Eigen::VectorXd Q;
    Eigen::VectorXd C;
    RowMatrix A;
    Eigen::VectorXd b;
    Eigen::VectorXd row_magnitude;
    Eigen::VectorXd b_magnitude;

    System view() const { return {M, Q, C, A, b, row_magnitude, b_magnitude}; }
};

class Random {
  public:
    explicit Random(unsigned seed) : engine_(seed) {}

    int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
    double uniform(double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(engine_);
    }
    /// Log-uniform in [low, high].
    double magnitude(double low, double high) {
        return std::exp(uniform(std::log(low), std::log(high)));
    }
    Eigen::MatrixXd matrix(int rows, int columns) {
        return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal_(engine_); });
    }
    Eigen::VectorXd vector(int size) { return matrix(size, 1); }
    Eigen::MatrixXd orthogonal(int n) {
        return n == 0 ? Eigen::MatrixXd(0, 0)
                      : Eigen::MatrixXd(matrix(n, n).householderQr().householderQ());
    }
    /// rows×columns of the given rank, nonzero singular values in [low, high].
    Eigen::MatrixXd of_rank(int rows, int columns, int rank, double low, double high) {
        Eigen::VectorXd sigma(rank);
        for (double& s : sigma) {
            s = magnitude(low, high);
        }
        return orthogonal(rows).leftCols(rank) * sigma.asDiagonal() *
               orthogonal(columns).leftCols(rank).transpose();
    }
    Eigen::MatrixXd symmetric_of_rank(int n, int rank, double low, double high) {
        Eigen::VectorXd lambda(rank);
        for (double& s : lambda) {
            s = magnitude(low, high);
        }
        const Eigen::MatrixXd V = orthogonal(n).leftCols(rank);
        const Eigen::MatrixXd X = V * lambda.asDiagonal() * V.transpose();
        return 0.5 * (X + X.transpose());
    }

  private:
    std::mt19937 engine_;
    std::normal_distribution<double> normal_;
};

/// Consistent, of the given ranks, nonzero singular values of M and A in [low, high]. Unique for
/// almost every draw when mass_rank + rank >= n.
inline SystemData random_system(Random& random, int n, int m, int rank, int mass_rank, double low,
                                double high) {
    SystemData s(n, m);
    s.M = random.symmetric_of_rank(n, mass_rank, low, high);
    s.A = random.of_rank(m, n, rank, low, high);
    s.Q = random.vector(n);
    s.b = s.A * random.vector(n);
    return s;
}

/// The same with the directions bounded too: nonzero singular values of A in [0.1, 10], of M in
/// [0.2, 10], and w^T M w >= 0.1 w^T w for every w with A w = 0. The space that carries mass holds
/// the null space of A tilted by at most 45 degrees. Requires mass_rank + rank >= n.
inline SystemData bounded_system(Random& random, int n, int m, int rank, int mass_rank) {
    const int open = n - rank;
    const Eigen::MatrixXd basis = random.orthogonal(n);  // null space of A first
    Eigen::MatrixXd tilted = basis;
    for (int i = 0; i < std::min(open, rank); ++i) {
        const double angle = random.uniform(-0.25 * M_PI, 0.25 * M_PI);
        tilted.col(i) = std::cos(angle) * basis.col(i) + std::sin(angle) * basis.col(open + i);
        tilted.col(open + i) =
            std::cos(angle) * basis.col(open + i) - std::sin(angle) * basis.col(i);
    }
    SystemData s(n, m);
    s.M = tilted.leftCols(mass_rank) * random.symmetric_of_rank(mass_rank, mass_rank, 0.2, 10.0) *
          tilted.leftCols(mass_rank).transpose();
    s.M = RowMatrix(0.5 * (s.M + s.M.transpose()));
    s.A = random.of_rank(m, rank, rank, 0.1, 10.0) * basis.rightCols(rank).transpose();
    s.Q = random.vector(n);
    s.b = s.A * random.vector(n);
    return s;
}

}  // namespace ananke::solve
