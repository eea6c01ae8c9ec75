#include "compile/roads.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "compile/compiled_model.h"

namespace ananke::compile {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

CompiledModel model_of_size(int n, int m) {
    CompiledModel model;
    model.layout.n = n;
    model.rows.resize(at(m));
    for (int i = 0; i < n; ++i) {
        model.mass_entries.push_back({i, i});
    }
    return model;
}

/// Each row over a few coordinates.
CompiledModel random_rows(std::mt19937& random, int n, int m, int most) {
    CompiledModel model = model_of_size(n, m);
    for (int row = 0; row < m; ++row) {
        std::set<int> columns;
        for (int k = std::uniform_int_distribution(1, most)(random); k > 0; --k) {
            columns.insert(std::uniform_int_distribution(0, n - 1)(random));
        }
        for (const int column : columns) {
            model.row_entries.push_back({row, column});
        }
    }
    return model;
}

std::vector<int> all_rows(const CompiledModel& model) {
    std::vector<int> rows(at(model.m()));
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

using Pattern = std::vector<std::vector<char>>;

/// Of A A^T, between these rows.
Pattern products_of_rows(const CompiledModel& model, const std::vector<int>& rows) {
    Pattern A(rows.size(), std::vector<char>(at(model.n()), 0));
    for (const Place& place : model.row_entries) {
        const auto row = std::find(rows.begin(), rows.end(), place.row);
        if (row != rows.end()) {
            A[static_cast<std::size_t>(row - rows.begin())][at(place.column)] = 1;
        }
    }
    Pattern H(rows.size(), std::vector<char>(rows.size(), 0));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t k = 0; k < rows.size(); ++k) {
            for (std::size_t j = 0; j < A[i].size(); ++j) {
                H[i][k] = static_cast<char>(H[i][k] | (A[i][j] & A[k][j]));
            }
        }
    }
    return H;
}

int neighbours(const Pattern& H, const std::vector<char>& gone, std::size_t pivot) {
    int count = 0;
    for (std::size_t k = 0; k < H.size(); ++k) {
        count += k != pivot && gone[k] == 0 && H[pivot][k] != 0 ? 1 : 0;
    }
    return count;
}

/// Carries out the elimination on the pattern and counts each product: one per factor l = h / pivot
/// and one per entry on or below the diagonal that changes. Each pivot must be one with the fewest
/// neighbours.
double count_products(Pattern H, const std::vector<std::size_t>& order) {
    double products = 0.0;
    std::vector<char> gone(H.size(), 0);
    for (const std::size_t pivot : order) {
        for (std::size_t k = 0; k < H.size(); ++k) {
            if (gone[k] == 0) {
                EXPECT_LE(neighbours(H, gone, pivot), neighbours(H, gone, k));
            }
        }
        gone[pivot] = 1;
        for (std::size_t i = 0; i < H.size(); ++i) {
            if (gone[i] != 0 || H[i][pivot] == 0) {
                continue;
            }
            products += 1.0;
            for (std::size_t k = 0; k <= i; ++k) {
                if (gone[k] == 0 && H[k][pivot] != 0) {
                    products += 1.0;
                    H[i][k] = H[k][i] = 1;
                }
            }
        }
    }
    return products;
}

TEST(RowSequence, ProductsAreThoseOfAnEliminationOfThePattern) {
    std::mt19937 random(1);
    for (int round = 0; round < 60; ++round) {
        const int n = std::uniform_int_distribution(3, 40)(random);
        const int m = std::uniform_int_distribution(1, n)(random);
        const CompiledModel model = random_rows(random, n, m, 4);
        std::vector<int> rows = all_rows(model);
        std::erase_if(rows, [&](int) { return random() % 4 == 0; });
        const RowSequence found = row_sequence(model, rows, kNoLimit);
        ASSERT_EQ(std::set(found.rows.begin(), found.rows.end()).size(), rows.size());
        ASSERT_EQ(found.rows.size(), rows.size());
        EXPECT_EQ(found.products, count_products(products_of_rows(model, rows), found.rows));
    }
}

TEST(RowSequence, EndsBeyondTheLimit) {
    std::mt19937 random(2);
    for (int round = 0; round < 60; ++round) {
        const CompiledModel model = random_rows(random, 30, 25, 4);
        const std::vector<int> rows = all_rows(model);
        const RowSequence all = row_sequence(model, rows, kNoLimit);
        const RowSequence exact = row_sequence(model, rows, all.products);
        EXPECT_EQ(exact.rows, all.rows);
        const RowSequence part = row_sequence(model, rows, 0.3 * all.products);
        EXPECT_GT(part.products, 0.3 * all.products);
        EXPECT_LE(part.products, all.products);
        EXPECT_LT(part.rows.size(), all.rows.size());
    }
}

// Rows that share a coordinate are all neighbours: known without an elimination.
TEST(RowSequence, AHubIsSeenAtOnce) {
    constexpr int kArms = 60;
    CompiledModel model = model_of_size(kArms + 1, kArms);
    for (int row = 0; row < kArms; ++row) {
        model.row_entries.push_back({row, 0});
        model.row_entries.push_back({row, row + 1});
    }
    const std::vector<int> rows = all_rows(model);
    const RowSequence all = row_sequence(model, rows, kNoLimit);
    EXPECT_EQ(all.products, count_products(products_of_rows(model, rows), all.rows));
    const double most = most_products_of_watch(model, rows);
    const RowSequence found = row_sequence(model, rows, most);
    EXPECT_GT(found.products, most);
    EXPECT_LE(found.products, all.products);
    EXPECT_TRUE(found.rows.empty());
}

/// Additions and multiplications of a Cholesky factor, of L^-1 A^T and of m Householder
/// reflections, loop by loop.
double count_full(int n, int m) {
    double operations = 0.0;
    for (int j = 0; j < n; ++j) {
        for (int i = j; i < n; ++i) {
            operations += 2.0 * j;
        }
    }
    for (int k = 0; k < m; ++k) {
        for (int i = 0; i < n; ++i) {
            operations += 2.0 * i;
        }
    }
    for (int k = 0; k < std::min(n, m); ++k) {
        for (int i = k; i < m; ++i) {
            operations += 4.0 * (n - k);
        }
    }
    return operations;
}

TEST(PredictCosts, FullMatricesTakeAboutTheOperationsOfTheirLoops) {
    for (const auto& [n, m] : {std::pair{100, 0}, {100, 5}, {100, 30}, {60, 40}, {200, 100}}) {
        const double counted = count_full(n, m);
        const double predicted = predict_costs(model_of_size(n, m)).full;
        EXPECT_GT(predicted, 0.9 * counted) << n << " " << m;
        EXPECT_LT(predicted, 1.3 * counted) << n << " " << m;
    }
}

/// M with `band` entries beside the diagonal in each row: neighbours, or anywhere.
CompiledModel coupled(int n, int band, std::mt19937* random) {
    CompiledModel model = model_of_size(n, 0);
    std::set<std::pair<int, int>> places;
    for (int k = 1; k <= band; ++k) {
        for (int i = 0; i < n; ++i) {
            places.insert(std::minmax(i, (i + k) % n));
        }
    }
    const std::size_t count = places.size();
    if (random != nullptr) {
        std::uniform_int_distribution<int> any(0, n - 1);
        places.clear();
        while (places.size() < count) {
            const int i = any(*random);
            const int k = any(*random);
            if (i != k) {
                places.insert(std::minmax(i, k));
            }
        }
    }
    for (const auto& [row, column] : places) {
        model.mass_entries.push_back({row, column});
    }
    return model;
}

TEST(ChooseRoads, FillAndNotSizeDecides) {
    std::mt19937 random(3);
    for (const int n : {155, 160, 165}) {
        CompiledModel band = coupled(n, 5, nullptr);
        CompiledModel mixed = coupled(n, 5, &random);
        ASSERT_EQ(band.mass_entries.size(), mixed.mass_entries.size());
        choose_roads(band);
        choose_roads(mixed);
        EXPECT_TRUE(band.sparse) << n;
        EXPECT_FALSE(mixed.sparse) << n;
    }
}

TEST(ChooseRoads, TheCheaperIsTaken) {
    std::mt19937 random(4);
    int sparse = 0;
    int large = 0;
    constexpr int kRounds = 200;
    for (int round = 0; round < kRounds; ++round) {
        const int n = std::uniform_int_distribution(20, 500)(random);
        const int m = std::uniform_int_distribution(0, n)(random);
        CompiledModel model = random_rows(random, n, m, 5);
        const RoadCosts costs = predict_costs(model);
        choose_roads(model);
        EXPECT_EQ(model.sparse, costs.sparse < costs.full);
        EXPECT_EQ(model.large, model.sparse && costs.segments < costs.one_piece);
        sparse += model.sparse ? 1 : 0;
        large += model.large ? 1 : 0;
    }
    // Each road is taken by many of them.
    EXPECT_GT(sparse, kRounds / 20);
    EXPECT_LT(sparse, kRounds - kRounds / 20);
    EXPECT_GT(large, kRounds / 20);
    EXPECT_LT(large, sparse);
}

TEST(ChooseRoads, FrictionImpactsAndActuatorsAreNotTreatedAsLarge) {
    std::mt19937 random(5);
    const CompiledModel free = random_rows(random, 600, 500, 5);
    CompiledModel model = free;
    EXPECT_TRUE(may_be_large(model));
    choose_roads(model);
    EXPECT_TRUE(model.sparse);
    EXPECT_TRUE(model.large);
    CompiledModel rough = free;
    rough.frictions.emplace_back();
    CompiledModel hit = free;
    hit.events.list.emplace_back();
    hit.events.list.back().coordinates.push_back(0);
    CompiledModel driven = free;
    driven.controls.emplace_back();
    for (CompiledModel* one : {&rough, &hit, &driven}) {
        choose_roads(*one);
        EXPECT_TRUE(one->sparse);
        EXPECT_FALSE(one->large);
    }
    EXPECT_FALSE(may_be_large(rough));
    EXPECT_FALSE(may_be_large(hit));
    EXPECT_FALSE(may_be_large(driven));
}

TEST(Roads, TheWatchTakesTheCheaperMethod) {
    // Rows of their own coordinates: their products have no entries off the diagonal.
    CompiledModel apart = model_of_size(40, 20);
    for (int row = 0; row < 20; ++row) {
        apart.row_entries.push_back({row, 2 * row});
        apart.row_entries.push_back({row, 2 * row + 1});
    }
    const WatchCosts few = predict_watch(apart, all_rows(apart));
    EXPECT_LT(few.program, few.sparse);
    // One coordinate in all rows: their products fill in, the sparse system does not.
    CompiledModel together = model_of_size(2000, 1000);
    for (int row = 0; row < 1000; ++row) {
        together.row_entries.push_back({row, 0});
        together.row_entries.push_back({row, 1 + row});
    }
    const WatchCosts many = predict_watch(together, all_rows(together));
    EXPECT_GT(many.program, many.sparse);
    together.large = true;
    EXPECT_EQ(predict_watch(together, all_rows(together)).program, kNoLimit);
}

}  // namespace
}  // namespace ananke::compile
