#include "ode/radau_tableau.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace ananke::ode {
namespace {

using Real = long double;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

/// P_(s-1)(x) - P_s(x), Legendre polynomials: zero at the Radau points of [-1, 1].
Real radau_polynomial(std::size_t s, Real x) {
    Real before = 1.0L;
    Real p = x;
    for (std::size_t k = 1; k < s; ++k) {
        const auto order = static_cast<Real>(k);
        const Real next = ((2.0L * order + 1.0L) * x * p - order * before) / (order + 1.0L);
        before = p;
        p = next;
    }
    return before - p;
}

/// In (0, 1], by bisection between the changes of sign on a fine grid.
Vector radau_points(std::size_t s) {
    constexpr int kGrid = 400;
    constexpr int kHalvings = 70;
    Vector c(static_cast<Eigen::Index>(s));
    Eigen::Index found = 0;
    for (int i = 0; i + 1 < kGrid; ++i) {  // the last cell holds the point 1 itself
        Real low = -1.0L + 2.0L * i / kGrid;
        Real high = -1.0L + 2.0L * (i + 1) / kGrid;
        const bool sign = radau_polynomial(s, low) > 0.0L;
        if (sign == (radau_polynomial(s, high) > 0.0L)) {
            continue;
        }
        for (int k = 0; k < kHalvings; ++k) {
            const Real middle = 0.5L * (low + high);
            ((radau_polynomial(s, middle) > 0.0L) == sign ? low : high) = middle;
        }
        c[found++] = 0.5L * (1.0L + low);
    }
    ANANKE_REQUIRE(found + 1 == c.size());
    c[found] = 1.0L;
    return c;
}

/// Row k: c_i^k
Matrix powers(const Vector& c) {
    Matrix V(c.size(), c.size());
    V.row(0).setOnes();
    for (Eigen::Index k = 1; k < c.size(); ++k) {
        V.row(k) = V.row(k - 1).cwiseProduct(c.transpose());
    }
    return V;
}

/// sum_j a_ij c_j^(k-1) = c_i^k / k
Matrix collocation(const Matrix& V, const Vector& c) {
    Matrix right(c.size(), c.size());
    for (Eigen::Index k = 0; k < c.size(); ++k) {
        right.row(k) = V.row(k).cwiseProduct(c.transpose()) / static_cast<Real>(k + 1);
    }
    return V.fullPivLu().solve(right).transpose();
}

}  // namespace

RadauTableau::RadauTableau(std::size_t s)
    : stages(s), real(0.0), largest_product(0.0), largest_lower_product(0.0) {
    ANANKE_REQUIRE(s >= 3 && s <= 9 && s % 2 == 1);
    const auto size = static_cast<Eigen::Index>(s);
    const Vector points = radau_points(s);
    const Matrix V = powers(points);
    const Matrix exact = collocation(V, points);
    const Matrix inverse = exact.fullPivLu().inverse();
    A = exact.cast<double>();

    const Eigen::EigenSolver<Matrix> eigen(inverse);
    Matrix basis(size, size);
    for (Eigen::Index k = 0; k < size; ++k) {
        const std::complex<Real> value = eigen.eigenvalues()[k];
        // The last component is that of the end of the step.
        const auto vector =
            (eigen.eigenvectors().col(k) / eigen.eigenvectors()(size - 1, k)).eval();
        if (value.imag() == 0.0L) {
            real = static_cast<double>(value.real());
            basis.col(0) = vector.real();
        } else if (value.imag() > 0.0L) {
            const auto column = static_cast<Eigen::Index>(1 + 2 * pairs.size());
            basis.col(column) = vector.real();
            basis.col(column + 1) = vector.imag();
            pairs.emplace_back(static_cast<double>(value.real()),
                               static_cast<double>(value.imag()));
        }
    }
    ANANKE_REQUIRE(2 * pairs.size() + 1 == s);
    T = basis.cast<double>();
    T_inverse = basis.fullPivLu().inverse().cast<double>();

    // An embedded formula of order s with the weight 1/real at the start of the step.
    const Vector difference = V.fullPivLu().solve(-Vector::Unit(size, 0));
    const Vector of_Z = inverse.transpose() * difference;
    for (Eigen::Index i = 0; i < size; ++i) {
        c.push_back(static_cast<double>(points[i]));
        error.push_back(static_cast<double>(of_Z[i]));
        Real product = points[i];
        for (Eigen::Index j = 0; j < size; ++j) {
            product *= j == i ? 1.0L : points[i] - points[j];
        }
        leading.push_back(static_cast<double>(1.0L / product));
    }
    for (std::size_t i = 0; i < s; ++i) {
        double product = leading[i];
        for (std::size_t j = 0; j < s; ++j) {
            product *= j == i ? 1.0 : -c[j];
        }
        slope.push_back(product);
    }
    constexpr int kGrid = 1000;
    for (int i = 0; i < kGrid; ++i) {
        const double x = static_cast<double>(i) / kGrid;
        const double product = std::abs(node_product(x));
        largest_product = std::max(largest_product, product);
        largest_lower_product = std::max(largest_lower_product, product / (1.0 - x));
    }
}

double RadauTableau::node_product(double x) const {
    double product = x;
    for (const double place : c) {
        product *= x - place;
    }
    return product;
}

void RadauTableau::weights(double x, double* w) const {
    for (std::size_t i = 0; i < stages; ++i) {
        double product = x * leading[i];
        for (std::size_t j = 0; j < stages; ++j) {
            product *= j == i ? 1.0 : x - c[j];
        }
        w[i] = product;
    }
}

void RadauTableau::weight_slopes(double x, double* w) const {
    for (std::size_t i = 0; i < stages; ++i) {
        double product = x;
        double rate = 1.0;
        for (std::size_t j = 0; j < stages; ++j) {
            if (j != i) {
                rate = rate * (x - c[j]) + product;
                product *= x - c[j];
            }
        }
        w[i] = leading[i] * rate;
    }
}

}  // namespace ananke::ode
