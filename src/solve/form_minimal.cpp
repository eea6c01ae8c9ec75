// Minimal equations (Kane), RH (8). M >= 0, rank [M; A] = n.
//
// Gauss-Jordan elimination with complete pivoting solves A a = b for r dependent accelerations:
//   a = N u' + a_p,   u' the independent accelerations,   A N = 0
// The columns of N are the partial accelerations. Projection on them leaves the constraint
// forces out, RH (23), (24):
//   N^T M N u' = N^T (Q + C - M a_p)
#include <cmath>
#include <utility>
#include <vector>

#include "solve/forms.h"
#include "solve/pseudo_inverse.h"

namespace ananke::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Partials {
    MatrixXd N;    // n×(n-r)
    VectorXd a_p;  // n, zero in the independent places
};

Partials partial_accelerations(const Normalized& at) {
    const Index n = at.n();
    MatrixXd T(at.m(), n + 1);  // [A | b], reduced in place
    T << at.A, at.b;
    std::vector<Index> place(static_cast<std::size_t>(n));  // column order: dependent ones first
    for (Index i = 0; i < n; ++i) {
        place[i] = i;
    }
    for (Index k = 0; k < at.rank; ++k) {
        Index row = 0;
        Index column = 0;
        T.block(k, k, T.rows() - k, n - k).cwiseAbs().maxCoeff(&row, &column);
        T.row(k).swap(T.row(k + row));
        T.col(k).swap(T.col(k + column));
        std::swap(place[k], place[k + column]);
        T.row(k) /= double{T(k, k)};
        for (Index i = 0; i < T.rows(); ++i) {
            if (i != k) {
                const double factor = T(i, k);
                T.row(i) -= factor * T.row(k);
            }
        }
    }
    Partials partials{MatrixXd::Zero(n, n - at.rank), VectorXd::Zero(n)};
    for (Index i = 0; i < at.rank; ++i) {
        // By elements: a row of a matrix without columns has no address to begin at.
        for (Index j = at.rank; j < n; ++j) {
            partials.N(place[i], j - at.rank) = -T(i, j);
        }
        partials.a_p[place[i]] = T(i, n);
    }
    for (Index j = at.rank; j < n; ++j) {
        partials.N(place[j], j - at.rank) = 1.0;
    }
    return partials;
}

}  // namespace

Result<Answer> minimal(const Normalized& at) {
    const auto [N, a_p] = partial_accelerations(at);
    Answer answer;
    answer.a = a_p;
    if (N.cols() > 0) {
        const Eigen::LLT<MatrixXd> mass(N.transpose() * at.M * N);
        if (mass.info() != Eigen::Success) {
            return Error{ErrorCode::kNotUnique,
                         "the mass matrix of the minimal equations is singular"};
        }
        answer.a += N * mass.solve(N.transpose() * (at.Q + at.C - at.M * a_p));  // RH (8)
    }
    answer.Qc = at.M * answer.a - at.Q;
    answer.lambda = pseudo_inverse(at.A, at.rank).transpose() * (answer.Qc - at.C);
    return answer;
}

}  // namespace ananke::solve
