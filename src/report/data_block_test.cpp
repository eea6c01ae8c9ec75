#include "report/data_block.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace ananke::report {
namespace {

// RFC 4648, section 10.
TEST(DataBlock, Base64OfTheStandard) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foo"), "Zm9v");
    EXPECT_EQ(base64("foob"), "Zm9vYg==");
    EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(base64("\xFB\xFF\xFE"), "+//+");
}

TEST(DataBlock, NumbersStandAtMultiplesOfEight) {
    DataBlock data;
    const std::size_t first = data.add_floats(std::vector<double>{1.0, 2.0, 3.0});
    const std::size_t second = data.add_doubles(std::vector<double>{0.1});
    const std::size_t third = data.add_floats(std::vector<double>{0.1});
    EXPECT_EQ(first, 0u);
    EXPECT_EQ(second, 16u);
    EXPECT_EQ(third, 24u);
    double wide = 0.0;
    std::memcpy(&wide, data.bytes().data() + second, sizeof wide);
    EXPECT_EQ(wide, 0.1);
    float narrow = 0.0F;
    std::memcpy(&narrow, data.bytes().data() + third, sizeof narrow);
    EXPECT_EQ(narrow, 0.1F);
}

}  // namespace
}  // namespace ananke::report
