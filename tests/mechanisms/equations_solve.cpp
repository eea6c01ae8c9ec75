#include <algorithm>

#include "equations.h"

namespace mechanisms {

RowChoice choose_rows(const Equations& e) {
    // Gram and Schmidt with pivoting on rows of unit length; rows on positions come first, so that
    // positions can be projected by the chosen ones.
    constexpr double kIndependent = 1e-7;
    RowChoice choice;
    const double largest = e.A.rows() > 0 ? e.A.rowwise().norm().maxCoeff() : 0.0;
    MatrixXd rest = e.A;
    std::vector<int> open[2];
    for (int k = 0; k < e.A.rows(); ++k) {
        const double size = e.A.row(k).norm();
        if (size > 1e-12 * largest) {
            rest.row(k) /= size;
            open[e.on_velocities[static_cast<std::size_t>(k)] != 0 ? 1 : 0].push_back(k);
        }
    }
    for (std::vector<int>& candidates : open) {
        while (!candidates.empty()) {
            const auto best = std::max_element(
                candidates.begin(), candidates.end(),
                [&](int a, int b) { return rest.row(a).norm() < rest.row(b).norm(); });
            const double part = rest.row(*best).norm();
            if (part < kIndependent) {
                choice.largest_dropped = std::max(choice.largest_dropped, part);
                break;
            }
            choice.smallest_kept = std::min(choice.smallest_kept, part);
            choice.rows.push_back(*best);
            const Eigen::RowVectorXd unit = rest.row(*best) / part;
            candidates.erase(best);
            for (const std::vector<int>& group : open) {
                for (const int k : group) {
                    rest.row(k) -= rest.row(k).dot(unit) * unit;
                    rest.row(k) -= rest.row(k).dot(unit) * unit;
                }
            }
        }
    }
    return choice;
}

Solution solve(const Equations& e, const std::vector<int>& rows) {
    const Eigen::Index n = e.M.rows();
    const auto m = static_cast<Eigen::Index>(rows.size());
    MatrixXd K = MatrixXd::Zero(n + m, n + m);
    VectorXd right(n + m);
    VectorXd size(m);
    K.topLeftCorner(n, n) = e.M;
    right.head(n) = e.force + e.nonideal;
    for (Eigen::Index k = 0; k < m; ++k) {
        const int row = rows[static_cast<std::size_t>(k)];
        size[k] = e.A.row(row).norm();
        K.block(n + k, 0, 1, n) = e.A.row(row) / size[k];
        K.block(0, n + k, n, 1) = -e.D.col(row) / size[k];
        right[n + k] = e.b[row] / size[k];
    }
    const Eigen::PartialPivLU<MatrixXd> factors(K);
    VectorXd x = factors.solve(right);
    x += factors.solve(right - K * x);
    Solution solution;
    solution.rates = x.head(n);
    solution.lambda = VectorXd::Zero(e.A.rows());
    for (Eigen::Index k = 0; k < m; ++k) {
        solution.lambda[rows[static_cast<std::size_t>(k)]] = x[n + k] / size[k];
    }
    solution.condition = factors.rcond();
    return solution;
}

void displace(const Mechanism& m, const VectorXd& displacement, State& state) {
    for (const Coordinate& c : m.coordinates) {
        state.q[c.q] += displacement[c.w];
    }
    for (const SpatialBody& b : m.spatial) {
        state.q.segment<3>(b.q) += displacement.segment<3>(b.w);
        const Vector3d half = 0.5 * displacement.segment<3>(b.w + 3);
        const Eigen::Vector4d turn(1.0, half.x(), half.y(), half.z());
        state.q.segment<4>(b.q + 3) =
            quaternion_product(turn, state.q.segment<4>(b.q + 3)).normalized();
    }
}

namespace {

constexpr int kMostCorrections = 30;
constexpr double kSatisfied = 1e-14;

/// The smallest x with A x = right.
VectorXd shortest(const MatrixXd& A, const VectorXd& right) {
    return A.completeOrthogonalDecomposition().solve(right);
}

}  // namespace

bool project_positions(const Mechanism& mechanism, const Modes& modes, const std::vector<int>& rows,
                       State& state) {
    double before = HUGE_VAL;
    for (int i = 0; i < kMostCorrections; ++i) {
        const Equations e = equations_of(mechanism, state, modes);
        std::vector<int> kept;
        for (const int row : rows) {
            if (e.on_velocities[static_cast<std::size_t>(row)] == 0) {
                kept.push_back(row);
            }
        }
        if (kept.empty()) {
            return true;
        }
        const MatrixXd A = e.A(kept, Eigen::all);
        const VectorXd r = e.residual(kept).array() / A.rowwise().norm().array();
        const double worst = r.cwiseAbs().maxCoeff();
        if (worst < kSatisfied || (worst < 1e-11 && worst >= 0.5 * before)) {
            return true;
        }
        before = worst;
        const VectorXd sizes = A.rowwise().norm();
        displace(mechanism, shortest(sizes.cwiseInverse().asDiagonal() * A, -r), state);
    }
    return false;
}

bool project_velocities(const Mechanism& mechanism, const Modes& modes,
                        const std::vector<int>& rows, State& state) {
    if (rows.empty()) {
        return true;
    }
    double before = HUGE_VAL;
    for (int i = 0; i < kMostCorrections; ++i) {
        const Equations e = equations_of(mechanism, state, modes);
        const MatrixXd A = e.A(rows, Eigen::all);
        const VectorXd sizes = A.rowwise().norm();
        const VectorXd r = e.rate(rows).array() / sizes.array();
        const double worst = r.cwiseAbs().maxCoeff();
        if (worst < kSatisfied || (worst < 1e-11 && worst >= 0.5 * before)) {
            return true;
        }
        before = worst;
        state.w += shortest(sizes.cwiseInverse().asDiagonal() * A, -r);
    }
    return false;
}

}  // namespace mechanisms
