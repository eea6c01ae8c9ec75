#include "base/ranges.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace ananke {
namespace {

struct Item {
    std::string name;
    int size;
};

TEST(Ranges, ContainsLooksAtEveryItem) {
    const std::array list{3, 1, 2};
    EXPECT_TRUE(contains(list, 2));
    EXPECT_FALSE(contains(list, 4));
    EXPECT_FALSE(contains(std::vector<std::string>{}, "x"));
}

TEST(Ranges, TransformedKeepsTheOrder) {
    const std::vector<Item> items{{"b", 2}, {"a", 1}};
    EXPECT_EQ(transformed(items, &Item::name), (std::vector<std::string>{"b", "a"}));
    EXPECT_EQ(transformed(items, [](const Item& item) { return 2 * item.size; }),
              (std::vector{4, 2}));
}

TEST(Ranges, SortUniqueKeepsEachValueOnce) {
    std::vector<int> list{3, 1, 3, 2, 1};
    sort_unique(list);
    EXPECT_EQ(list, (std::vector{1, 2, 3}));
}

TEST(Ranges, AppendAddsAtTheEnd) {
    std::vector<int> list{1};
    append(list, std::array{2, 3});
    EXPECT_EQ(list, (std::vector{1, 2, 3}));
}

}  // namespace
}  // namespace ananke
