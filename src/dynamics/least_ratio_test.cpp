#include "dynamics/least_ratio.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ananke::dynamics {
namespace {

double largest_ratio(const Eigen::VectorXd& f, const std::vector<Support>& supports) {
    double largest = 0.0;
    for (const Support& one : supports) {
        largest = std::max(largest, f.segment(one.first, one.components).norm() / one.limit);
    }
    return largest;
}

// f1 + f2 + f3 = F is shared in proportion to the limits, whoever carries it at first.
TEST(LeastRatio, ParallelSupportsShareByTheirLimits) {
    const std::vector<Support> supports{{0, 1, 12.0}, {1, 1, 4.0}, {2, 1, 0.5}};
    Eigen::MatrixXd Z(3, 2);
    Z << -1.0, 0.0, 1.0, -1.0, 0.0, 1.0;
    for (const double F : {-7.0, 1e-8, 30.0}) {
        Eigen::VectorXd f = Eigen::Vector3d(F, 0.0, 0.0);
        f += Z * least_ratio(f, Z, supports);
        EXPECT_NEAR(f.sum(), F, 1e-14 * std::abs(F));
        for (Eigen::Index i = 0; i < 3; ++i) {
            EXPECT_NEAR(f[i], F * supports[static_cast<std::size_t>(i)].limit / 16.5,
                        1e-10 * std::abs(F));
        }
    }
}

TEST(LeastRatio, NothingToCarryIsCarriedByNobody) {
    const std::vector<Support> supports{{0, 1, 2.0}, {1, 1, 3.0}};
    Eigen::MatrixXd Z(2, 1);
    Z << 1.0, -1.0;
    const Eigen::VectorXd self_stress = Eigen::Vector2d(5.0, -5.0);
    EXPECT_LT((self_stress + Z * least_ratio(self_stress, Z, supports)).norm(), 1e-14);
}

// No other share is better, and the bound from below holds: for every w with Z^T w = 0,
//   f0 . w = f . w <= ratio * sum of l_i |w_i|,
// with equality for some w. Random feet of a stiff plate.
TEST(LeastRatio, IsTheLeast) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> spread(-1.0, 1.0);
    for (int draw = 0; draw < 50; ++draw) {
        SCOPED_TRACE(draw);
        const int feet = 3 + draw % 4;
        std::vector<Support> supports;
        Eigen::MatrixXd W(2 * feet, 3);  // slips of the plate's three motions
        Eigen::VectorXd f(2 * feet);
        for (int i = 0; i < feet; ++i) {
            supports.push_back({2 * i, 2, 1.5 + spread(random)});
            const double x = spread(random);
            const double y = spread(random);
            W.middleRows(2 * i, 2) << 1.0, 0.0, -y, 0.0, 1.0, x;
            f.segment(2 * i, 2) << spread(random), spread(random);
        }
        const Eigen::MatrixXd Q = Eigen::HouseholderQR<Eigen::MatrixXd>(W).householderQ() *
                                  Eigen::MatrixXd::Identity(2 * feet, 2 * feet);
        const Eigen::MatrixXd Z = Q.rightCols(2 * feet - 3);
        const Eigen::VectorXd shared = f + Z * least_ratio(f, Z, supports);
        const double ratio = largest_ratio(shared, supports);
        for (int k = 0; k < 200; ++k) {
            const Eigen::VectorXd other =
                shared + std::pow(10.0, -k % 7) * Z * Eigen::VectorXd::Random(Z.cols());
            EXPECT_GE(largest_ratio(other, supports), ratio * (1.0 - 1e-9));
        }
    }
}

}  // namespace
}  // namespace ananke::dynamics
