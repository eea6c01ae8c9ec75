#include "classify/semidefinite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ananke::classify {
namespace {

using Real = SymmetricMatrix::Real;

/// sum of sign_k x_k x_k^T with random x_k.
SymmetricMatrix sum_of_squares(std::mt19937& random, std::size_t n,
                               const std::vector<Real>& signs) {
    std::normal_distribution<double> draw;
    SymmetricMatrix S(n);
    for (const Real sign : signs) {
        std::vector<Real> x(n);
        for (Real& component : x) {
            component = draw(random);
        }
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                S.set(i, j, S(i, j) + sign * x[i] * x[j]);
            }
        }
    }
    return S;
}

TEST(NegativeDirection, AbsentForSumsOfSquaresOfEveryRank) {
    std::mt19937 random(1);
    for (std::size_t n = 1; n <= 12; ++n) {
        for (std::size_t rank = 0; rank <= n + 2; ++rank) {
            const auto S = sum_of_squares(random, n, std::vector<Real>(rank, 1));
            EXPECT_FALSE(negative_direction(S).has_value()) << n << " " << rank;
        }
    }
}

TEST(NegativeDirection, FoundWhereOneSquareIsSubtracted) {
    std::mt19937 random(2);
    for (std::size_t n = 2; n <= 12; ++n) {
        for (std::size_t rank = 0; rank < n; ++rank) {
            std::vector<Real> signs(rank, 1);
            signs.push_back(-1);
            const SymmetricMatrix S = sum_of_squares(random, n, signs);
            const auto w = negative_direction(S);
            ASSERT_TRUE(w.has_value()) << n << " " << rank;
            EXPECT_LT(S.quadratic_form(*w), 0);
            Real largest = 0;
            for (const Real component : *w) {
                largest = std::max(largest, std::abs(component));
            }
            EXPECT_EQ(largest, 1);
        }
    }
}

TEST(NegativeDirection, FoundInCouplingWithoutDiagonal) {
    SymmetricMatrix S(3);
    S.set(0, 0, 4);
    S.set(1, 2, 1e-3L);
    const auto w = negative_direction(S);
    ASSERT_TRUE(w.has_value());
    EXPECT_LT(S.quadratic_form(*w), 0);
}

TEST(NegativeDirection, DoesNotDependOnUnits) {
    std::mt19937 random(3);
    for (const bool negative : {false, true}) {
        const SymmetricMatrix S = sum_of_squares(random, 4, {1, 1, negative ? Real(-1) : Real(1)});
        SymmetricMatrix scaled(4);
        for (std::size_t i = 0; i < 4; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                scaled.set(i, j, S(i, j) * std::pow(Real(10), -6 * static_cast<int>(i + j)));
            }
        }
        EXPECT_EQ(negative_direction(scaled).has_value(), negative);
    }
}

}  // namespace
}  // namespace ananke::classify
