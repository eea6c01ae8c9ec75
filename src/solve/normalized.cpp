#include "solve/normalized.h"

#include "base/check.h"

namespace ananke::solve {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<int> rows_present(const Analysis& analysis, int m) {
    std::vector<int> rows;
    for (int k = 0; k < m; ++k) {
        if (analysis.row_scale[k] > 0.0) {
            rows.push_back(k);
        }
    }
    return rows;
}

// Rows judged dependent are replaced by the combination they were judged to be, so that noise below
// the threshold means the same to every form.
RowMatrix with_exact_dependences(const System& at, const Analysis& analysis, VectorXd& b) {
    RowMatrix A = at.A;
    b = at.b;
    for (const DroppedRow& dropped : analysis.dropped) {
        A.row(dropped.row).setZero();
        b[dropped.row] = 0.0;
        for (std::size_t i = 0; i < dropped.kept.size(); ++i) {
            A.row(dropped.row) += dropped.coefficients[i] * at.A.row(dropped.kept[i]);
            b[dropped.row] += dropped.coefficients[i] * at.b[dropped.kept[i]];
        }
    }
    return A;
}

}  // namespace

Normalized normalize(const System& at, const Gauge& gauge, const Analysis& analysis) {
    ANANKE_REQUIRE(!analysis.failure);
    const int n = at.n();
    const int m = at.m();
    ANANKE_REQUIRE(gauge.G.size() == 0 || (gauge.G.rows() == m && gauge.G.cols() == m));
    ANANKE_REQUIRE(gauge.z.size() == 0 || gauge.z.size() == m);

    const auto D = analysis.coordinate_scale.asDiagonal();
    Normalized to;
    to.M = D * at.M * D;
    to.Q = D * at.Q;
    to.C = at.C.size() > 0 ? VectorXd(D * at.C) : VectorXd::Zero(n);
    to.rank = analysis.rank;
    to.mass_positive_definite = analysis.mass_positive_definite;

    VectorXd b;
    const RowMatrix A = with_exact_dependences(at, analysis, b);
    const std::vector<int> rows = rows_present(analysis, m);
    const auto present = static_cast<Eigen::Index>(rows.size());
    to.A = MatrixXd(present, n);
    to.b = VectorXd(present);
    for (Eigen::Index k = 0; k < present; ++k) {
        to.A.row(k) = analysis.row_scale[rows[k]] * A.row(rows[k]) * D;
        to.b[k] = analysis.row_scale[rows[k]] * b[rows[k]];
    }

    to.alpha = gauge.alpha;
    to.G =
        gauge.G.size() > 0 ? MatrixXd(gauge.G(rows, rows)) : MatrixXd::Identity(present, present);
    to.z = gauge.z.size() > 0 ? VectorXd(gauge.z(rows)) : VectorXd(to.alpha * to.alpha * to.b);
    return to;
}

}  // namespace ananke::solve
