#include "report/json.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ananke::report {
namespace {

TEST(Json, NestsAndSeparates) {
    JsonWriter json;
    json.begin_object().field("a", 1).key("b").begin_array();
    json.value(0.1).value("x").value(true).null().begin_object().end_object();
    json.end_array().field("c", std::vector<double>{1.5, -2.0}).end_object();
    EXPECT_EQ(json.text(), R"({"a":1,"b":[0.1,"x",true,null,{}],"c":[1.5,-2]})");
}

TEST(Json, WritesListsOfObjectsAndOfLists) {
    JsonWriter json;
    json.begin_object();
    json.objects("a", std::vector<int>{1, 2}, [&](int n) { json.field("n", n); });
    json.field("b", std::vector<std::vector<std::string>>{{"x"}, {}});
    json.field_unless_empty("c", "").field_unless_empty("d", "y").end_object();
    EXPECT_EQ(json.text(), R"({"a":[{"n":1},{"n":2}],"b":[["x"],[]],"d":"y"})");
}

TEST(Json, HostileTextsComeBackAsTheyWere) {
    const std::vector<std::string> texts{"</script><script>alert(1)</script>", "<!-- <script>",
                                         "a\"b\\c\n\t\r\x01\x7f", "θ' = ½·x₁ 🚲",
                                         "]]> &amp; \xE2\x80\xA8"};
    for (const std::string& text : texts) {
        JsonWriter json;
        json.begin_object().field(text, text).end_object();
        EXPECT_EQ(json.text().find_first_of("<>&"), std::string::npos) << json.text();
        const nlohmann::json read = nlohmann::json::parse(json.text());
        EXPECT_EQ(read.at(text).get<std::string>(), text);
    }
}

TEST(Json, BytesThatAreNoTextAreReplaced) {
    for (const char* text : {"\xFFx", "x\xC3", "\xE2\x82", "\xED\xA0\x80", "\xF5\x80\x80\x80",
                             "\xC0\xAF", "\xE0\x80\xAF"}) {
        JsonWriter json;
        json.value(text);
        EXPECT_TRUE(nlohmann::json::accept(json.text())) << json.text();
        EXPECT_NE(json.text().find("\\ufffd"), std::string::npos) << json.text();
    }
}

TEST(Json, NumbersReadBackExactly) {
    for (const double number : {0.1, 1e-300, -1.7976931348623157e308, 3.0, 1.0 / 3.0}) {
        JsonWriter json;
        json.value(number);
        EXPECT_EQ(nlohmann::json::parse(json.text()).get<double>(), number);
    }
    JsonWriter json;
    json.begin_array().value(std::nan("")).value(HUGE_VAL).end_array();
    EXPECT_EQ(json.text(), "[null,null]");
}

}  // namespace
}  // namespace ananke::report
