// The order conditions of all rooted trees, [HNW] II.2: a method has order p if and only if
//
//   sum_i b_i Phi_i(t) = 1 / gamma(t)   for every rooted tree t with at most p vertices,
//
// Phi_i(t) = prod over the children s of the root of (sum_j a_ij Phi_j(s)), gamma(t) = |t| prod
// gamma. A continuous extension has order p if sum_i b_i(x) Phi_i(t) = x^|t| / gamma(t) for every
// x.
#include "ode/dop853_tableau.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ananke::ode::dop853 {
namespace {

constexpr double kRounding = 2e-13;  // weights of up to 530 in size, rounded to double

struct Tree {
    std::size_t order;
    double gamma;
    Weights phi;
};

using Forest = std::vector<std::vector<Tree>>;  // by order

/// Appends every tree of `order` whose root carries subtrees that come at or after (size, index):
/// each multiset of subtrees once.
void grow(const Forest& smaller, std::size_t order, std::size_t remaining, std::size_t size,
          std::size_t index, const Tree& partial, std::vector<Tree>& grown) {
    if (remaining == 0) {
        Tree tree = partial;
        tree.gamma *= static_cast<double>(order);
        grown.push_back(tree);
        return;
    }
    for (std::size_t s = size; s <= remaining; ++s) {
        for (std::size_t k = s == size ? index : 0; k < smaller[s].size(); ++k) {
            const Tree& child = smaller[s][k];
            Tree extended{order, partial.gamma * child.gamma, partial.phi};
            for (std::size_t i = 0; i < kStages; ++i) {
                double sum = 0.0;
                for (std::size_t j = 0; j < i; ++j) {
                    sum += kA[i][j] * child.phi[j];
                }
                extended.phi[i] *= sum;
            }
            grow(smaller, order, remaining - s, s, k, extended, grown);
        }
    }
}

Forest rooted_trees(std::size_t largest) {
    Forest trees(largest + 1);
    Weights ones{};
    ones.fill(1.0);
    for (std::size_t order = 1; order <= largest; ++order) {
        std::vector<Tree> grown;
        grow(trees, order, order - 1, 1, 0, Tree{order, 1.0, ones}, grown);
        trees[order] = grown;
    }
    return trees;
}

double dot(const Weights& a, const Weights& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < kStages; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/// Largest |sum w Phi - target(tree)| over all trees of one order.
template <class Target>
double worst(const std::vector<Tree>& trees, const Weights& weights, const Target& target) {
    double largest = 0.0;
    for (const Tree& tree : trees) {
        largest = std::max(largest, std::abs(dot(weights, tree.phi) - target(tree)));
    }
    return largest;
}

double exact(const Tree& tree) {
    return 1.0 / tree.gamma;
}
double nothing(const Tree&) {
    return 0.0;
}

/// b_i(x): the weights of y_0 + h sum_i b_i(x) k_i that the interpolating polynomial stands for.
Weights dense_weights(double x) {
    const double z = 1.0 - x;
    const double z2 = z * z;
    const double x2 = x * x;
    Weights weights{};
    for (std::size_t i = 0; i < kStages; ++i) {
        const double b = kA[kMainStages][i];
        const double first = i == 0 ? 1.0 : 0.0;
        const double last = i == kMainStages ? 1.0 : 0.0;
        const double tail = kD[0][i] + x * (kD[1][i] + z * (kD[2][i] + x * kD[3][i]));
        weights[i] =
            x * b + x * z * (first - b) + x2 * z * (2.0 * b - last - first) + x2 * z2 * tail;
    }
    return weights;
}

TEST(Dop853Tableau, CountsOfRootedTreesAreKnown) {
    // Cayley's numbers, OEIS A000081: they show that the generator misses none and repeats none.
    const std::vector<std::size_t> counts{0, 1, 1, 2, 4, 9, 20, 48, 115, 286};
    const Forest trees = rooted_trees(9);
    for (std::size_t order = 1; order < counts.size(); ++order) {
        EXPECT_EQ(trees[order].size(), counts[order]);
    }
}

TEST(Dop853Tableau, RowSumsAreTheNodes) {
    for (std::size_t i = 0; i < kStages; ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < kStages; ++j) {
            sum += kA[i][j];
            EXPECT_TRUE(j < i || kA[i][j] == 0.0) << "stage " << i << " is not explicit";
        }
        EXPECT_NEAR(sum, kC[i], 1e-14) << "stage " << i;
    }
}

TEST(Dop853Tableau, FirstNodesAreTheirClosedForms) {
    const double root = std::sqrt(6.0);
    EXPECT_NEAR(kC[3], (6.0 - root) / 30.0, 1e-16);
    EXPECT_NEAR(kC[4], (6.0 + root) / 30.0, 1e-16);
    EXPECT_NEAR(kC[2], 2.0 / 3.0 * kC[3], 1e-16);
    EXPECT_NEAR(kC[1], 2.0 / 3.0 * kC[2], 1e-16);
}

TEST(Dop853Tableau, QuadratureConditionsHoldToOrder8) {
    for (int q = 1; q <= 8; ++q) {
        double sum = 0.0;
        for (std::size_t i = 0; i < kMainStages; ++i) {
            sum += kA[kMainStages][i] * std::pow(kC[i], q - 1);
        }
        EXPECT_NEAR(sum, 1.0 / q, 1e-15) << "q = " << q;
    }
}

TEST(Dop853Tableau, MethodHasOrder8AndNotMore) {
    const Forest trees = rooted_trees(9);
    for (std::size_t order = 1; order <= 8; ++order) {
        EXPECT_LT(worst(trees[order], kA[kMainStages], exact), kRounding) << "order " << order;
    }
    EXPECT_GT(worst(trees[9], kA[kMainStages], exact), 1e-7);
}

TEST(Dop853Tableau, ErrorWeightsSeeTheirOrderAndNothingBelow) {
    const Forest trees = rooted_trees(6);
    for (std::size_t order = 1; order <= 5; ++order) {
        EXPECT_LT(worst(trees[order], kError5, nothing), kRounding) << "order " << order;
    }
    EXPECT_GT(worst(trees[6], kError5, nothing), 1e-6);
    for (std::size_t order = 1; order <= 3; ++order) {
        EXPECT_LT(worst(trees[order], kThirdOrder, exact), kRounding) << "order " << order;
    }
    EXPECT_GT(worst(trees[4], kThirdOrder, exact), 1e-4);
}

TEST(Dop853Tableau, DenseOutputHasOrder7AndNotMore) {
    const Forest trees = rooted_trees(8);
    for (int sixteenth = 0; sixteenth <= 16; ++sixteenth) {
        const double x = sixteenth / 16.0;
        const Weights weights = dense_weights(x);
        const auto target = [x](const Tree& tree) {
            return std::pow(x, static_cast<double>(tree.order)) / tree.gamma;
        };
        for (std::size_t order = 1; order <= 7; ++order) {
            EXPECT_LT(worst(trees[order], weights, target), kRounding)
                << "order " << order << " at " << x;
        }
        if (x == 0.5) {
            EXPECT_GT(worst(trees[8], weights, target), 1e-8);
        }
    }
}

}  // namespace
}  // namespace ananke::ode::dop853
