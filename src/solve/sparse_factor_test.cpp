#include "solve/sparse_factor.h"
#include "dense/dense.h"

#include <gtest/gtest.h>

#include <complex>
#include <random>

#include "solve/allocation_count.h"

namespace ananke::solve {
namespace {

double random_value(std::mt19937_64& rng, double) {
    return std::uniform_real_distribution<double>(-1.0, 1.0)(rng);
}
std::complex<double> random_value(std::mt19937_64& rng, std::complex<double>) {
    const double real = random_value(rng, 0.0);
    return {real, random_value(rng, 0.0)};
}

/// A band with a few entries far from it, some places named twice.
std::vector<SparsePlace> some_places(int size) {
    std::vector<SparsePlace> places;
    for (int i = 0; i < size; ++i) {
        for (int k = std::max(0, i - 2); k < std::min(size, i + 2); ++k) {
            places.push_back({i, k});
        }
        places.push_back({i, (7 * i + 3) % size});
        places.push_back({i, i});
    }
    return places;
}

template <class Scalar>
class SparseFactorTest : public testing::Test {};
using Scalars = testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(SparseFactorTest, Scalars);

TYPED_TEST(SparseFactorTest, SolvesAsFullMatricesDo) {
    using Matrix = Eigen::Matrix<TypeParam, Eigen::Dynamic, Eigen::Dynamic>;
    using Vector = Eigen::Matrix<TypeParam, Eigen::Dynamic, 1>;
    std::mt19937_64 rng(3);
    for (const int size : {1, 2, 8, 60}) {
        const std::vector<SparsePlace> places = some_places(size);
        const auto pattern = std::make_shared<const SparsePattern>(size, places);
        SparseFactor<TypeParam> factor(pattern);
        for (int round = 0; round < 3; ++round) {
            Matrix S = Matrix::Zero(size, size);
            std::fill(factor.values().begin(), factor.values().end(), TypeParam(0.0));
            for (std::size_t i = 0; i < places.size(); ++i) {
                const TypeParam value = random_value(rng, TypeParam{}) +
                                        (places[i].row == places[i].column ? 2.0 : 0.0);
                S(places[i].row, places[i].column) += value;
                factor.values()[static_cast<std::size_t>(pattern->where()[i])] += value;
            }
            ASSERT_TRUE(round == 0 ? factor.factor() : factor.factor_again());
            Vector x = Vector::Random(size);
            const Vector expected = S.partialPivLu().solve(x);
            factor.solve({x.data(), static_cast<std::size_t>(size)});
            EXPECT_LT((x - expected).norm(), 1e-12 * (1.0 + expected.norm()) / factor.regularity());
        }
    }
}

TYPED_TEST(SparseFactorTest, SaysWhatIsSingular) {
    const std::vector<SparsePlace> places{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    const auto pattern = std::make_shared<const SparsePattern>(2, places);
    SparseFactor<TypeParam> factor(pattern);
    std::fill(factor.values().begin(), factor.values().end(), TypeParam(1.0));
    EXPECT_FALSE(factor.factor());
    EXPECT_EQ(factor.regularity(), 0.0);
    factor.values()[0] = 2.0;
    EXPECT_TRUE(factor.factor_again());
    EXPECT_GT(factor.regularity(), 0.0);
}

TYPED_TEST(SparseFactorTest, PivotsThatServeCostNoMemory) {
    const std::vector<SparsePlace> places = some_places(40);
    SparseFactor<TypeParam> factor(std::make_shared<const SparsePattern>(40, places));
    std::mt19937_64 rng(4);
    for (TypeParam& value : factor.values()) {
        value = random_value(rng, TypeParam{});
    }
    ASSERT_TRUE(factor.factor());
    std::vector<TypeParam> x(40, TypeParam(1.0));
    factor.values()[0] *= 1.001;
    const long before = allocation_count();
    ASSERT_TRUE(factor.factor_again());
    factor.solve(x);
    EXPECT_EQ(allocation_count(), before);
}

}  // namespace
}  // namespace ananke::solve
