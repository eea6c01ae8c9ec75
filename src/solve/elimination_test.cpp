#include <gtest/gtest.h>

#include "solve/elimination_order.h"
#include "solve/random_system.h"

namespace ananke::solve {
namespace {

SparseSystem sparse(const SystemData& s) {
    const auto n = static_cast<int>(s.M.rows());
    const auto m = static_cast<int>(s.A.rows());
    SparseSystem at{n, m, {}, {}, {}};
    const double mean = s.M.diagonal().maxCoeff() > 0.0 ? s.M.diagonal().mean() : 1.0;
    for (int i = 0; i < n; ++i) {
        at.scale.push_back(1.0 / std::sqrt(s.M(i, i) > 0.0 ? s.M(i, i) : mean));
        for (int k = i; k < n; ++k) {
            if (s.M(i, k) != 0.0) {
                at.mass.push_back({i, k, s.M(i, k)});
            }
        }
    }
    for (int r = 0; r < m; ++r) {
        for (int k = 0; k < n; ++k) {
            if (s.A(r, k) != 0.0) {
                at.rows.push_back({r, k, s.A(r, k)});
            }
        }
    }
    return at;
}

/// a, then -lambda.
Eigen::VectorXd solve_in(const SystemData& s, const EliminationOrder& order) {
    const auto n = static_cast<int>(s.M.rows());
    const auto m = static_cast<int>(s.A.rows());
    Elimination<double> numbers(n, m);
    const SparseSystem at = sparse(s);
    for (const SparseEntry& one : at.mass) {
        numbers.set(one.row, one.column, one.value);
    }
    for (const SparseEntry& one : at.rows) {
        numbers.set(n + one.row, one.column, one.value);
    }
    for (std::size_t i = 0; i < order.pivots.size(); ++i) {
        EXPECT_DOUBLE_EQ(std::abs(numbers.eliminate(order.pivots[i])), order.sizes[i]);
    }
    std::vector<double> x(s.Q.begin(), s.Q.end());
    x.insert(x.end(), s.b.begin(), s.b.end());
    numbers.solve(x);
    return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

/// Largest residual of M a - A^T lambda = Q and A a = b.
double residual(const SystemData& s, const Eigen::VectorXd& x) {
    const Eigen::Index n = s.M.rows();
    const Eigen::VectorXd a = x.head(n);
    const Eigen::VectorXd motion = s.M * a + s.A.transpose() * x.tail(s.A.rows()) - s.Q;
    const Eigen::VectorXd rows = s.A * a - s.b;
    return std::max(motion.size() > 0 ? motion.cwiseAbs().maxCoeff() : 0.0,
                    rows.size() > 0 ? rows.cwiseAbs().maxCoeff() : 0.0);
}

// The equations themselves are the judge: every rank of M that leaves the motion unique.
TEST(Elimination, SolvesRandomSystemsOfEveryRank) {
    Random random(20261116);
    int solved = 0;
    for (int n = 1; n <= 8; ++n) {
        for (int m = 0; m <= n; ++m) {
            for (int mass_rank = n - m; mass_rank <= n; ++mass_rank) {
                for (int draw = 0; draw < 10; ++draw) {
                    const SystemData s = bounded_system(random, n, m, m, mass_rank);
                    const std::optional<EliminationOrder> order = null_space_order(sparse(s));
                    ASSERT_TRUE(order) << n << ' ' << m << ' ' << mass_rank;
                    EXPECT_EQ(order->pivots.size(), static_cast<std::size_t>(n));
                    const Eigen::VectorXd x = solve_in(s, *order);
                    EXPECT_LT(residual(s, x), 1e-10 * (1.0 + x.cwiseAbs().maxCoeff()));
                    ++solved;
                }
            }
        }
    }
    EXPECT_GT(solved, 1500);
}

TEST(Elimination, BothOrdersAgreeWhereBothExist) {
    Random random(7);
    int both = 0;
    for (int draw = 0; draw < 500; ++draw) {
        const int n = random.pick(1, 8);
        const int m = random.pick(0, n);
        const SystemData s = bounded_system(random, n, m, m, n);
        const std::optional<EliminationOrder> by_rows = null_space_order(sparse(s));
        const std::optional<EliminationOrder> by_mass = range_space_order(sparse(s), 0.01);
        ASSERT_TRUE(by_rows);
        if (!by_mass) {
            continue;
        }
        ++both;
        const Eigen::VectorXd x = solve_in(s, *by_rows);
        const Eigen::VectorXd y = solve_in(s, *by_mass);
        EXPECT_LT((x - y).cwiseAbs().maxCoeff(), 1e-9 * (1.0 + x.cwiseAbs().maxCoeff()));
    }
    EXPECT_GT(both, 200);
}

// Such as the stretch of a quaternion: a row holds it well, and others may hold it as well.
TEST(Elimination, CoordinatesWithoutMassGoByTheirRowsInTheRangeSpace) {
    Random random(11);
    int solved = 0;
    for (int draw = 0; draw < 200; ++draw) {
        const int massive = random.pick(3, 7);
        const int massless = random.pick(1, 2);
        const int n = massive + massless;
        const SystemData with_mass = bounded_system(random, massive, 2, 2, massive);
        SystemData s(n, 2 + massless);
        s.M.setZero();
        s.M.topLeftCorner(massive, massive) = with_mass.M;
        s.A.setZero();
        s.A.topLeftCorner(2, massive) = with_mass.A;
        for (int k = 0; k < massless; ++k) {
            s.A(2 + k, massive + k) = 2.0;
            s.A(2 + k, k) = 0.3;
            s.A(0, massive + k) = 0.5;
        }
        s.Q.setOnes();
        s.b.setOnes();
        const std::optional<EliminationOrder> order = range_space_order(sparse(s), 0.01);
        if (!order) {
            continue;
        }
        ++solved;
        EXPECT_EQ(order->pivots.size(), static_cast<std::size_t>(n + 2));
        const Eigen::VectorXd x = solve_in(s, *order);
        EXPECT_LT(residual(s, x), 1e-10 * (1.0 + x.cwiseAbs().maxCoeff()));
    }
    EXPECT_GT(solved, 100);
}

// A chain of N masses tied to their neighbours: the work grows with N, not with its cube.
TEST(Elimination, CostOfAChainIsLinear) {
    const auto chain = [](int N) {
        SystemData s(2 * N, N);
        s.M.setIdentity();
        for (int i = 0; i < N; ++i) {
            s.A(i, 2 * i) = 0.6;
            s.A(i, 2 * i + 1) = 0.8;
            if (i > 0) {
                s.A(i, 2 * i - 2) = -0.6;
                s.A(i, 2 * i - 1) = -0.8;
            }
        }
        s.Q.setOnes();
        return s;
    };
    const std::optional<EliminationOrder> small = null_space_order(sparse(chain(20)));
    const SystemData large = chain(80);
    const std::optional<EliminationOrder> order = null_space_order(sparse(large));
    ASSERT_TRUE(small && order);
    EXPECT_LT(order->cost, 4.5 * small->cost);
    EXPECT_LT(residual(large, solve_in(large, *order)), 1e-12);
}

TEST(Elimination, DependentRowsAndFreeMasslessDirectionsHaveNoOrder) {
    Random random(3);
    for (int draw = 0; draw < 50; ++draw) {
        const SystemData dependent = bounded_system(random, 6, 4, 3, 6);
        EXPECT_FALSE(null_space_order(sparse(dependent)));
        EXPECT_FALSE(range_space_order(sparse(dependent), kSoundPart));
        const SystemData free = random_system(random, 6, 2, 2, 3, 0.5, 2.0);
        EXPECT_FALSE(null_space_order(sparse(free)));
        EXPECT_FALSE(range_space_order(sparse(free), kSoundPart));
    }
}

// Particles on a chain: each row has the coordinates of two of them, and rows first fills in.
TEST(EliminationOrder, SearchThatCostsTooMuchIsGivenUp) {
    constexpr int kLinks = 40;
    SparseSystem at{2 * kLinks, kLinks, {}, {}, {}};
    for (int j = 0; j < 2 * kLinks; ++j) {
        at.scale.push_back(1.0);
        at.mass.push_back({j, j, 1.0});
        at.block.push_back(j);
        const int link = j / 2;
        const double entry = 1.0 + 0.1 * j;
        at.rows.push_back({link, j, entry});
        if (link + 1 < kLinks) {
            at.rows.push_back({link + 1, j, -entry});
        }
    }
    at.most_cost = 1e6;
    at.many_blocks = true;
    EXPECT_TRUE(null_space_order(at));
    // The masses first costs less here.
    const std::optional<EliminationOrder> chosen = choose_order(at);
    ASSERT_TRUE(chosen);
    EXPECT_EQ(chosen->pivots.back().coordinate, -1);
    EXPECT_LT(chosen->cost, 20.0 * kLinks);
    at.most_cost = kLinks;
    EXPECT_FALSE(null_space_order(at));
    EXPECT_FALSE(choose_order(at));
}

}  // namespace
}  // namespace ananke::solve
