#include "solve/load_form.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solve/kernels.h"

namespace ananke::solve {
namespace {

/// Mass of what has none: the square of the weight of one aim against the next.
constexpr double kMassless = 1e-8;
/// Weight of rows by themselves against the metric.
constexpr double kAlone = 1e-4;
/// Weight of the largest compliance against the largest of the metric, where both are one problem:
/// its square is what rounding is magnified by, and what the metric moves the share by.
constexpr double kGiven = 1e4;

/// A diagonal entry of M this much smaller than the largest one is no mass at all.
constexpr double kNoMass = 1e-26;

std::size_t size(int n) {
    return static_cast<std::size_t>(n);
}

}  // namespace

void mean_masses(std::span<double> mass, std::span<const CoordinateGroup> groups) {
    const double heaviest = mass.empty() ? 0.0 : *std::max_element(mass.begin(), mass.end());
    for (double& one : mass) {
        one = one > kNoMass * heaviest ? one : 0.0;
    }
    for (const CoordinateGroup& group : groups) {
        double* first = mass.data() + group.first;
        std::fill_n(first, group.count,
                    std::accumulate(first, first + group.count, 0.0) / group.count);
    }
}

void LoadForm::begin(const LoadOwner& owner) {
    const std::size_t k = owner.rows.size();
    const std::size_t p = owner.coordinates.size();
    A.assign(k * p, 0.0);
    M.assign(p * p, 0.0);
    unit.assign(p, 0.0);
    norms.assign(4 * owner.quaternions.size(), 0.0);
    C.assign(size(owner.compliances) * k, 0.0);
    L_.resize(p * p);
    row_.resize(p);
}

void LoadForm::find(const LoadOwner& owner, double* K) {
    const int k = static_cast<int>(owner.rows.size());
    const int p = static_cast<int>(owner.coordinates.size());
    for (int i = 0; i < p; ++i) {
        M[size(i * p + i)] += kMassless * unit[size(i)];
    }
    for (std::size_t g = 0; g < owner.quaternions.size(); ++g) {
        const int first = owner.quaternions[g].first;
        const double* q = norms.data() + 4 * g;
        const double along = unit[size(first)] / dot(4, q, q);
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j <= i; ++j) {
                M[size((first + i) * p + first + j)] += along * q[i] * q[j];
            }
        }
    }
    cholesky(p, M.data(), L_.data());
    std::copy(C.begin(), C.end(), K);
    double* metric = K + C.size();
    double* alone = metric + p * k;
    std::fill(alone, alone + k * k, 0.0);
    for (int row = 0; row < k; ++row) {
        std::copy_n(A.data() + row * p, p, row_.data());
        solve_lower(p, L_.data(), row_.data());
        alone[row * k + row] = kAlone * std::sqrt(dot(p, row_.data(), row_.data()));
        std::copy_n(A.data() + row * p, p, row_.data());
        for (std::size_t g = 0; g < owner.quaternions.size(); ++g) {
            double* part = row_.data() + owner.quaternions[g].first;
            const double* q = norms.data() + 4 * g;
            const double along = dot(4, part, q) / dot(4, q, q);
            for (int i = 0; i < 4; ++i) {
                part[i] -= along * q[i];
            }
        }
        solve_lower(p, L_.data(), row_.data());
        for (int i = 0; i < p; ++i) {
            metric[i * k + row] = row_[size(i)];
        }
    }
}

void LoadForm::weigh_compliances(std::span<const LoadOwner> owners, double* K) {
    const auto each = [&](auto&& use) {
        double* next = K;
        for (const LoadOwner& owner : owners) {
            const std::size_t k = owner.rows.size();
            const std::size_t given = size(owner.compliances) * k;
            const std::size_t all = size(height(owner)) * k;
            use(std::span(next, given), std::span(next + given, all - given));
            next += all;
        }
    };
    const auto largest = [](std::span<const double> values, double least) {
        for (const double value : values) {
            least = std::max(least, std::abs(value));
        }
        return least;
    };
    double compliance = 0.0;
    double metric = 0.0;
    each([&](std::span<double> given, std::span<double> rest) {
        compliance = largest(given, compliance);
        metric = largest(rest, metric);
    });
    if (compliance > 0.0) {
        each([&](std::span<double> given, std::span<double> /*rest*/) {
            for (double& value : given) {
                value *= kGiven * metric / compliance;
            }
        });
    }
}

}  // namespace ananke::solve
