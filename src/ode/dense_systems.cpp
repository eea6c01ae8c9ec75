#include "ode/dense_systems.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ode/finite.h"

namespace ananke::ode {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

Eigen::Index index(std::size_t i) {
    return static_cast<Eigen::Index>(i);
}

}  // namespace

DenseSystems::DenseSystems(std::size_t size, std::size_t pairs, const Structure& structure)
    : structure_(structure), pairs_(pairs), moved_(size), base_(size), slope_(size) {
    const std::size_t coupled = size - structure.integrals;
    jacobian_ = JacobianMatrix::Zero(index(size - structure.positions), index(coupled));
    // Once, for all memory to be there.
    factorise(1.0, std::vector<std::complex<double>>(pairs, 1.0));
    Eigen::VectorXd right = Eigen::VectorXd::Zero(index(size));
    Eigen::VectorXcd pair_right = Eigen::VectorXcd::Zero(index(size));
    solve(right);
    for (std::size_t k = 0; k < pairs; ++k) {
        solve_pair(k, pair_right);
    }
}

Status DenseSystems::linearize(double t, std::span<const double> y, Slope f) {
    const std::span<double> J(jacobian_.data(), static_cast<std::size_t>(jacobian_.size()));
    if (structure_.jacobian && structure_.jacobian(t, y, J) && all_finite(J)) {
        return Status::kOk;
    }
    return take_differences(t, y, f);
}

/// One evaluation for each column; where f is not defined on one side, on the other.
Status DenseSystems::take_differences(double t, std::span<const double> y, Slope f) {
    const std::size_t first_rate = structure_.positions;
    if (const Status status = f(t, y, base_); status != Status::kOk) {
        return status;
    }
    std::ranges::copy(y, moved_.begin());
    for (std::size_t j = 0; j < static_cast<std::size_t>(jacobian_.cols()); ++j) {
        Status status = Status::kOk;
        for (const double side : {1.0, -1.0}) {
            moved_[j] = y[j] + side * std::sqrt(kEpsilon * std::max(1e-5, std::abs(y[j])));
            status = f(t, moved_, slope_);
            if (status == Status::kOk || status == Status::kRhsFailed ||
                status == Status::kInterrupted) {
                break;
            }
        }
        if (status != Status::kOk) {
            return status;
        }
        const double difference = moved_[j] - y[j];
        for (Eigen::Index i = 0; i < jacobian_.rows(); ++i) {  // of v', then of w'
            const std::size_t rate = first_rate + static_cast<std::size_t>(i);
            jacobian_(i, index(j)) = (slope_[rate] - base_[rate]) / difference;
        }
        moved_[j] = y[j];
    }
    return Status::kOk;
}

void DenseSystems::factorise(double real, std::span<const std::complex<double>> pairs) {
    real_.factorise(real, jacobian_, structure_);
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
        pairs_[k].factorise(pairs[k], jacobian_, structure_);
    }
}

}  // namespace ananke::ode
