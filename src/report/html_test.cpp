#include "report/html.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/sha256.h"

namespace ananke::report {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

Report hostile_report() {
    const std::string tag =
        "</title></script><script>alert(1)</script><img src=x onerror=alert(1)>";
    Report report;
    report.title = tag;
    report.model_text = "# " + tag + "\nmodel \"" + tag + "\"";
    report.file = tag;
    report.parameters = {{tag, 1.0}};
    report.ending = tag;
    report.summary = {{tag, tag}};
    report.tables = {{tag, tag, {tag}, {{tag}}}};
    report.events = {{1.0, tag, tag, tag}};
    report.columns = {{"t", "time", report.data.add_doubles(std::vector<double>{0.0}), true}};
    report.rows = 1;
    report.plots = {{.title = tag, .y = {tag}, .note = tag}};
    report.equations = {{tag, tag, tag}};
    report.scene.points = {{tag, {}}};
    report.scene.bodies = {{tag, {}}};
    report.scene.joints = {{tag, tag, {}}};
    report.scene.links = {{.label = tag}};
    report.scene.arrows = {{tag, tag, false, {}, {0, -1, -1}, 0, false, tag}};
    return report;
}

TEST(Html, NamesAndTitlesAreText) {
    const std::string page = to_html(hostile_report(), "run()", "body {}");
    EXPECT_EQ(count(page, "<script"), 3u);
    EXPECT_EQ(count(page, "</script"), 3u);
    EXPECT_EQ(count(page, "<img"), 0u);
    EXPECT_EQ(count(page, "</title>"), 1u);
    const std::string begin = "id=\"ananke-report\">";
    const std::size_t from = page.find(begin) + begin.size();
    const nlohmann::json read =
        nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
    EXPECT_EQ(read.at("title"), hostile_report().title);
    EXPECT_EQ(read.at("format"), 1);
    EXPECT_EQ(read.at("scene").at("arrows").at(0).at("columns"), nlohmann::json({0, -1, -1}));
}

TEST(Html, TheViewerCannotEndItsElement) {
    const std::string page =
        to_html({}, "a = '</SCRIPT>' + '<!--<script>'", "p::after { content: '</style>' }");
    EXPECT_EQ(count(page, "<\\/SCRIPT>"), 1u);
    EXPECT_EQ(count(page, "<!--"), 0u);
    EXPECT_EQ(count(page, "</style"), 1u);
}

TEST(Html, NothingIsFetched) {
    const std::string page = to_html(hostile_report(), "", "");
    for (const char* part : {"http:", "https:", "//", " src=", " href=", "<link", "@import"}) {
        // The hostile names mention src inside the JSON, as text of a report may.
        const std::string outside = page.substr(0, page.find("id=\"ananke-report\"")) +
                                    page.substr(page.find("id=\"ananke-data\""));
        EXPECT_EQ(count(outside.substr(outside.find("</title>")), part), 0u) << part;
    }
    EXPECT_NE(page.find("Content-Security-Policy\" content=\"default-src 'none';"),
              std::string::npos);
}

std::string between(const std::string& page, const std::string& begin, const std::string& end) {
    const std::size_t from = page.find(begin) + begin.size();
    return page.substr(from, page.find(end, from) - from);
}

TEST(Html, ThePolicyNamesItsScriptAndItsStyleByTheirTexts) {
    const std::string page =
        to_html(hostile_report(), "a = '</script>'; run()", "p::after { content: '</style>' }");
    const auto source = [](const std::string& text) {
        const auto digest = sha256(text);
        return "'sha256-" + base64({reinterpret_cast<const char*>(digest.data()), digest.size()}) +
               "'";
    };
    const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\"");
    EXPECT_EQ(policy, "default-src 'none'; script-src " +
                          source(between(page, "<script type=\"module\">", "</script>")) +
                          "; style-src " + source(between(page, "<style>", "</style>")) +
                          "; img-src data: blob:; font-src data:");
}

}  // namespace
}  // namespace ananke::report
