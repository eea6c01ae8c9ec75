// The examples of docs/language.md: models are accepted and have equations, those marked `error`
// are refused, and each limit of the page is the program's.
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "classify/classify.h"
#include "lang/parse_model.h"
#include "places.h"

namespace ananke::lang {
namespace {

struct Example {
    int line = 0;
    std::string mark;  ///< what stands behind ```ank
    std::string text;
};

std::vector<Example> examples() {
    std::ifstream in(std::string(places::source_dir()) + "/docs/language.md");
    std::vector<Example> found;
    std::string line;
    bool inside = false;
    for (int number = 1; std::getline(in, line); ++number) {
        if (!inside && line.starts_with("```ank")) {
            found.push_back({number, line.substr(6), ""});
            inside = true;
        } else if (line.starts_with("```")) {
            inside = false;
        } else if (inside) {
            found.back().text += line + "\n";
        }
    }
    return found;
}

TEST(Reference, ExamplesAreAcceptedOrRefusedAsThePageSays) {
    std::map<std::string, std::string> files;
    int accepted = 0;
    int refused = 0;
    for (const Example& example : examples()) {
        if (example.mark.starts_with(" file=")) {
            files[example.mark.substr(6)] = example.text;
        }
        Sources sources;
        Options options;
        options.read = [&](const std::string& path, const std::string&) -> Result<std::string> {
            const auto file = files.find(path);
            return file == files.end()
                       ? Result<std::string>(Error{ErrorCode::kIo, "there is no file " + path})
                       : Result<std::string>(file->second);
        };
        ParseResult r = parse_model_text(sources, "example.ank", example.text, options);
        if (example.mark == " error") {
            ++refused;
            EXPECT_FALSE(r.model.has_value()) << "docs/language.md:" << example.line;
            continue;
        }
        ++accepted;
        ASSERT_TRUE(r.model.has_value()) << "docs/language.md:" << example.line << "\n"
                                         << render(r.diagnostics, sources);
        const mech::Derivation derived = classify::classify(*r.model, mech::derive(*r.model));
        EXPECT_TRUE(derived.equations.has_value()) << "docs/language.md:" << example.line << "\n"
                                                   << render(derived.diagnostics, sources);
    }
    EXPECT_GE(accepted, 20);
    EXPECT_GE(refused, 14);
}

TEST(Reference, LimitsOfThePageAreTheLimitsOfTheProgram) {
    std::ifstream in(std::string(places::source_dir()) + "/docs/language.md");
    std::ostringstream all;
    all << in.rdbuf();
    const std::string page = all.str();
    const Limits limits;
    EXPECT_EQ(limits.file_bytes, 4U << 20U);
    EXPECT_NE(page.find("| 4 MiB |"), std::string::npos);
    EXPECT_NE(page.find("| " + std::to_string(limits.nesting) + " levels |"), std::string::npos);
    EXPECT_NE(page.find("| " + std::to_string(limits.call_depth) + " levels of"),
              std::string::npos);
    EXPECT_EQ(limits.loop_statements, 1'000'000U);
    EXPECT_EQ(limits.expression_steps, 20'000'000U);
    EXPECT_EQ(limits.graph_nodes, 10'000'000U);
    EXPECT_NE(page.find("| " + std::to_string(limits.files) + " |"), std::string::npos);
}

}  // namespace
}  // namespace ananke::lang
