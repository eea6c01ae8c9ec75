#include "solve/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "base/text.h"
#include "dense/dense.h"
#include "solve/acceleration.h"
#include "solve/kernels.h"

namespace ananke::solve {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Eigenvalues of the equilibrated mass matrix below this make it indefinite.
constexpr double kNegativeMass = -1e-10;

bool is_finite(const System& at) {
    return at.M.allFinite() && at.Q.allFinite() && at.C.allFinite() && at.A.allFinite() &&
           at.b.allFinite();
}

Failure not_finite(const System& at) {
    Failure failure{ErrorCode::kNotFinite, {}, {}, ""};
    std::vector<std::string> names;
    for (int k = 0; k < at.m(); ++k) {
        if (!at.A.row(k).allFinite() || !std::isfinite(at.b[k])) {
            failure.rows.push_back(k);
        }
    }
    for (int i = 0; i < at.n(); ++i) {
        if (!at.M.row(i).allFinite() || !std::isfinite(at.Q[i]) ||
            (at.C.size() > 0 && !std::isfinite(at.C[i]))) {
            failure.coordinates.push_back(i);
        }
    }
    if (!at.M.allFinite()) {
        names.emplace_back("the mass matrix");
    }
    if (!at.Q.allFinite()) {
        names.emplace_back("the given force");
    }
    if (!at.C.allFinite()) {
        names.emplace_back("the non-ideal force");
    }
    if (!failure.rows.empty()) {
        names.emplace_back("a constraint");
    }
    failure.message = fmt::format("a NaN or an infinity in {}", join_names(names));
    return failure;
}

// The symmetric scaling that makes the smallest eigenvalue a matter of directions, not of units. A
// coordinate without a diagonal entry stays as it is.
MatrixXd with_unit_diagonal(const RowMatrix& M) {
    VectorXd scale = VectorXd::Ones(M.rows());
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
        scale[i] = M(i, i) > 0.0 ? 1.0 / std::sqrt(M(i, i)) : 1.0;
    }
    return scale.asDiagonal() * M * scale.asDiagonal();
}

// The metric in which rows are compared: L of D M D, or of the auxiliary mass matrix.
struct Metric {
    RowMatrix L;
    VectorXd rho;  // row scale that goes before
};

Metric metric_of(const System& at, const RowMatrix& M, const RowMatrix& A,
                 const std::vector<int>& active, Analysis& result) {
    const int n = at.n();
    Metric metric{RowMatrix::Identity(n, n), VectorXd::Ones(at.m())};
    const Eigen::SelfAdjointEigenSolver<MatrixXd> spectrum(with_unit_diagonal(M));
    if (spectrum.eigenvalues()[0] < kNegativeMass) {
        result.failure =
            Failure{ErrorCode::kInvalidInput,
                    {},
                    {},
                    fmt::format("the mass matrix has a negative direction (scaled eigenvalue {})",
                                to_short_text(spectrum.eigenvalues()[0]))};
        for (int i = 0; i < n; ++i) {
            if (std::abs(spectrum.eigenvectors()(i, 0)) > kNoWeight) {
                result.failure->coordinates.push_back(i);
            }
        }
    }
    result.mass_positive_definite =
        spectrum.eigenvalues()[0] > kSingularMass && cholesky(n, M.data(), metric.L.data()) > 0.0;
    if (result.mass_positive_definite) {
        return metric;
    }
    RowMatrix M_A = M;
    for (const int k : active) {
        metric.rho[k] = 1.0 / A.row(k).norm();
        M_A += metric.rho[k] * metric.rho[k] * A.row(k).transpose() * A.row(k);
    }
    // UW13 lemma 3.1: positive definite if and only if rank [M; A] = n
    const Eigen::SelfAdjointEigenSolver<MatrixXd> auxiliary(with_unit_diagonal(M_A));
    VectorXd weight = VectorXd::Zero(n);
    for (int i = 0; i < n; ++i) {
        if (auxiliary.eigenvalues()[i] <= kNotDetermined * n) {
            result.unique = false;
            weight = weight.cwiseMax(auxiliary.eigenvectors().col(i).cwiseAbs());
        }
    }
    for (int i = 0; i < n; ++i) {
        if (weight[i] > kNoWeight) {
            result.free_coordinates.push_back(i);
        }
    }
    if (!result.unique || !(cholesky(n, M_A.data(), metric.L.data()) > 0.0)) {
        metric.L = RowMatrix::Identity(n, n);
    }
    return metric;
}

void group_dependent_rows(const std::vector<int>& active, const RowFactor& factor,
                          const std::vector<std::vector<double>>& combinations, int m,
                          Analysis& result) {
    std::vector<int> parent(static_cast<std::size_t>(m));
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](int k) {
        while (parent[static_cast<std::size_t>(k)] != k) {
            k = parent[static_cast<std::size_t>(k)];
        }
        return k;
    };
    for (std::size_t p = 0; p < combinations.size(); ++p) {
        const int row = active[factor.order(factor.rank() + static_cast<int>(p))];
        result.lambda_unique[row] = false;
        for (int i = 0; i < factor.rank(); ++i) {
            if (std::abs(combinations[p][i]) > kNoWeight) {
                const int kept = active[factor.order(i)];
                result.lambda_unique[kept] = false;
                parent[root(kept)] = root(row);
            }
        }
    }
    for (int k = 0; k < m; ++k) {
        std::vector<int> set;
        for (int j = 0; j < m; ++j) {
            if (!result.lambda_unique[j] && root(j) == k) {
                set.push_back(j);
            }
        }
        if (!set.empty()) {
            result.dependent_sets.push_back(set);
        }
    }
    std::sort(result.dependent_sets.begin(), result.dependent_sets.end());
    for (const int k : result.vanished) {
        result.lambda_unique[k] = false;
    }
}

// Kept rows, dropped rows as combinations of them, and their mismatch in b.
void describe_rows(const System& at, const std::vector<int>& active, const RowFactor& factor,
                   double reach, Analysis& result) {
    const int r = factor.rank();
    for (int i = 0; i < r; ++i) {
        result.kept.push_back(active[factor.order(i)]);
    }
    double asked = 0.0;  // by all kept rows together: coefficients are known to rounding only
    for (int i = 0; i < r; ++i) {
        const int kept = active[factor.order(i)];
        asked = std::hypot(asked, result.row_scale[kept] * at.b[kept]);
    }
    std::vector<std::vector<double>> combinations;
    for (int place = r; place < factor.rows(); ++place) {
        std::vector<double> c(static_cast<std::size_t>(r));
        factor.combination(place, c.data());
        const int row = active[factor.order(place)];
        const double r_row = result.row_scale[row];
        DroppedRow dropped;
        dropped.row = row;
        double mismatch = r_row * at.b[row];
        double scale = reach + asked + std::abs(mismatch);
        for (int i = 0; i < r; ++i) {
            const int kept = active[factor.order(i)];
            const double term = c[i] * result.row_scale[kept] * at.b[kept];
            mismatch -= term;
            scale += std::abs(term);
            if (std::abs(c[i]) > kNoWeight) {
                dropped.kept.push_back(kept);
                dropped.coefficients.push_back(c[i] * result.row_scale[kept] / r_row);
            }
        }
        const double magnitude = at.b_magnitude.size() > 0 ? at.b_magnitude[row] : 0.0;
        scale += r_row * magnitude;
        dropped.inconsistency = mismatch != 0.0 ? std::abs(mismatch) / scale : 0.0;
        result.dropped.push_back(std::move(dropped));
        combinations.push_back(std::move(c));
    }
    group_dependent_rows(active, factor, combinations, at.m(), result);
    std::sort(result.kept.begin(), result.kept.end());
    std::sort(result.dropped.begin(), result.dropped.end(),
              [](const DroppedRow& x, const DroppedRow& y) { return x.row < y.row; });
}

// Which rows contradict each other, if any do.
std::optional<Failure> find_contradiction(const System& at, std::span<const std::string> keys,
                                          const Analysis& result) {
    double worst = 0.0;
    for (const DroppedRow& dropped : result.dropped) {
        worst = std::max(worst, dropped.inconsistency);
    }
    for (const int k : result.vanished) {
        const double magnitude = at.b_magnitude.size() > 0 ? at.b_magnitude[k] : 0.0;
        if (std::abs(at.b[k]) > kContradiction * magnitude) {
            return Failure{ErrorCode::kInconsistent,
                           {k},
                           {},
                           fmt::format("a constraint has lost its gradient but asks for {}",
                                       to_short_text(at.b[k]))};
        }
    }
    if (worst <= kContradiction) {
        return std::nullopt;
    }
    VectorXd scale = at.b_magnitude.size() > 0 ? VectorXd(at.b_magnitude) : VectorXd::Zero(at.m());
    RowMatrix A = at.A;
    VectorXd b = at.b;
    for (const int k : result.vanished) {
        A.row(k).setZero();
        b[k] = 0.0;
    }
    Failure failure{ErrorCode::kInconsistent, contradictory_rows(A, b, keys, scale), {}, ""};
    if (failure.rows.empty()) {
        // Too close for exact arithmetic on the rows to tell: name the dependence that fails.
        for (const DroppedRow& dropped : result.dropped) {
            if (dropped.inconsistency == worst) {
                failure.rows = dropped.kept;
                failure.rows.push_back(dropped.row);
                std::sort(failure.rows.begin(), failure.rows.end());
            }
        }
    }
    failure.message =
        fmt::format("{} constraints contradict each other (scaled mismatch {}, tolerated {})",
                    failure.rows.size(), to_short_text(worst), to_short_text(kContradiction));
    return failure;
}

}  // namespace

Analysis analyse(const System& at, RankPolicy policy, std::span<const std::string> keys) {
    const int n = at.n();
    const int m = at.m();
    ANANKE_REQUIRE(n >= 1 && at.M.cols() == n && at.Q.size() == n && at.b.size() == m);
    ANANKE_REQUIRE(m == 0 || at.A.cols() == n);
    Analysis result;
    result.lambda_unique.assign(static_cast<std::size_t>(m), true);
    result.coordinate_scale = VectorXd::Ones(n);
    result.row_scale = VectorXd::Zero(m);
    if (!is_finite(at)) {
        result.failure = not_finite(at);
        return result;
    }

    std::vector<int> active;
    for (int k = 0; k < m; ++k) {
        const double magnitude = at.row_magnitude.size() > 0 ? at.row_magnitude[k] : 0.0;
        (at.A.row(k).norm() > kVanished * magnitude ? active : result.vanished).push_back(k);
    }
    const RowMatrix raw_M = at.M;
    const RowMatrix raw_A = at.A;
    VectorXd row_balance(m);
    VectorXd work(n + m);
    equilibrate(n, raw_M.data(), raw_A.data(), static_cast<int>(active.size()), active.data(),
                result.coordinate_scale.data(), row_balance.data(), work.data(), at.groups);
    const auto D = result.coordinate_scale.asDiagonal();
    const RowMatrix M = D * raw_M * D;
    const RowMatrix A = m > 0 ? RowMatrix(raw_A * D) : RowMatrix(0, n);
    const Metric metric = metric_of(at, M, A, active, result);

    RowFactor factor(n, std::max(1, m));
    factor.begin(static_cast<int>(active.size()));
    for (int k = 0; k < factor.rows(); ++k) {
        for (int i = 0; i < n; ++i) {
            factor.row(k)[i] = metric.rho[active[k]] * A(active[k], i);
        }
        solve_lower(n, metric.L.data(), factor.row(k));
    }
    factor.normalize();
    for (int k = 0; k < factor.rows(); ++k) {
        result.row_scale[active[k]] = factor.unit(k) * metric.rho[active[k]];
    }
    factor.factor(policy);
    result.rank = factor.rank();
    result.warning = factor.warning();
    result.smallest_kept_pivot = factor.smallest_kept();
    result.largest_dropped_pivot = factor.largest_dropped();

    VectorXd y0 = D * at.Q;
    solve_lower(n, metric.L.data(), y0.data());
    describe_rows(at, active, factor, y0.norm(), result);
    if (result.failure) {
        return result;
    }
    const bool asks_more =
        std::any_of(result.dropped.begin(), result.dropped.end(),
                    [](const DroppedRow& row) { return row.inconsistency > kNoMismatch; });
    if (asks_more && result.largest_dropped_pivot > policy.drop) {
        Analysis all = analyse(at, {policy.drop, policy.drop}, keys);
        all.warning = true;
        return all;
    }
    result.failure = find_contradiction(at, keys, result);
    if (!result.failure && !result.unique) {
        result.failure = Failure{ErrorCode::kNotUnique,
                                 {},
                                 result.free_coordinates,
                                 fmt::format("{} coordinates have neither mass nor a constraint "
                                             "that determines their acceleration",
                                             result.free_coordinates.size())};
    }
    return result;
}

}  // namespace ananke::solve
