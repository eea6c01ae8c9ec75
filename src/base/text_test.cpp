#include "base/text.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"

namespace ananke {
namespace {

TEST(Text, NumbersReadBackExactly) {
    EXPECT_EQ(to_text(0.1), "0.1");
    EXPECT_EQ(to_text(3.0), "3");
    EXPECT_EQ(std::stod(to_text(0.1 + 0.2)), 0.1 + 0.2);
}

TEST(Text, NearestNameIsALikelySlipOrNothing) {
    const std::vector<std::string> known{"length", "mass", "theta"};
    EXPECT_EQ(nearest_name("lenght", known), "length");
    EXPECT_EQ(nearest_name("Mass", known), "mass");
    EXPECT_EQ(nearest_name("stiffness", known), "");
}

TEST(Text, WildcardIsTheOnlySpecialCharacter) {
    EXPECT_TRUE(matches_wildcard("force[hinge:*", "force[hinge:P].x"));
    EXPECT_TRUE(matches_wildcard("x*", "x"));
    EXPECT_TRUE(matches_wildcard("*'", "x'"));
    EXPECT_FALSE(matches_wildcard("x", "x'"));
    EXPECT_FALSE(matches_wildcard("q[1]", "q1"));
    EXPECT_TRUE(matches_wildcard("*a*b*", "xxaxxbxx"));
}

TEST(Diagnostic, PointsAtThePlaceAndKeepsGreekLettersAligned) {
    Sources sources;
    const std::uint32_t file = sources.add("p.ank", "parameter g = 1\nlet ω = lenght*θ\n");
    const auto at = static_cast<std::uint32_t>(sources.text(file).find("lenght"));
    const Diagnostic d{
        {file, at, at + 6}, Severity::kError, "unknown name 'lenght'", {"did you mean 'length'?"}};
    EXPECT_EQ(render(d, sources),
              "p.ank:2:9: error: unknown name 'lenght'\n"
              "    2 | let ω = lenght*θ\n"
              "      |         ^~~~~~\n"
              "      = did you mean 'length'?\n");
}

TEST(Text, HtmlKeepsNoMarkup) {
    EXPECT_EQ(html_escaped("<a href=\"x\">1 & 2</a>"),
              "&lt;a href=&quot;x&quot;&gt;1 &amp; 2&lt;/a&gt;");
    EXPECT_EQ(html_escaped("θ' = 1"), "θ' = 1");
}

}  // namespace
}  // namespace ananke
