// Every tests/mistakes/*.ank must be answered with exactly the text of its .expected file: what a
// person reads is the interface. Mistakes that only the derivation finds are found by it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "lang/parse_model.h"
#include "mech/derive.h"

namespace ananke::lang {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(ANANKE_SOURCE_DIR) / "tests" / "mistakes";

std::string contents(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string answer(const std::string& name) {
    Sources sources;
    Options options;
    options.read = [](const std::string& path, const std::string&) -> Result<std::string> {
        if (!fs::is_regular_file(kFolder / path)) {
            return Error{ErrorCode::kIo, "there is no file " + path};
        }
        return contents(kFolder / path);
    };
    ParseResult r = parse_model_file(sources, name, options);
    if (!r.model) {
        return render(r.diagnostics, sources);
    }
    const mech::Derivation derived = mech::derive(*r.model);
    r.diagnostics.insert(r.diagnostics.end(), derived.diagnostics.begin(),
                         derived.diagnostics.end());
    return render(r.diagnostics, sources);
}

TEST(Mistakes, AreAnsweredWithTheExpectedText) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(kFolder)) {
        if (entry.path().extension() == ".ank") {
            names.push_back(entry.path().filename().string());
        }
    }
    std::sort(names.begin(), names.end());
    EXPECT_GE(names.size(), 60U);
    for (const std::string& name : names) {
        const fs::path expected = fs::path(kFolder / name).replace_extension(".expected");
        const std::string given = answer(name);
        EXPECT_NE(given.find(" error: "), std::string::npos) << name << " is accepted";
        EXPECT_EQ(given, contents(expected)) << name;
    }
}

}  // namespace
}  // namespace ananke::lang
