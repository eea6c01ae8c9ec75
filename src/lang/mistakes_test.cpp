// Every tests/mistakes/*.ank must be answered with exactly the text of its .expected file: what a
// person reads is the interface. Mistakes that only the derivation finds are found by it. The
// models of tests/warnings are accepted, with the warnings of their .expected files.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "classify/classify.h"
#include "lang/parse_model.h"
#include "places.h"

namespace ananke::lang {
namespace {

namespace fs = std::filesystem;

const fs::path kTests = fs::path(places::source_dir()) / "tests";

std::string contents(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string answer(const fs::path& folder, const std::string& name) {
    Sources sources;
    Options options;
    options.read = [&](const std::string& path, const std::string&) -> Result<std::string> {
        if (!fs::is_regular_file(folder / path)) {
            return Error{ErrorCode::kIo, "there is no file " + path};
        }
        return contents(folder / path);
    };
    ParseResult r = parse_model_file(sources, name, options);
    if (!r.model) {
        return render(r.diagnostics, sources);
    }
    const mech::Derivation derived = classify::classify(*r.model, mech::derive(*r.model));
    r.diagnostics.insert(r.diagnostics.end(), derived.diagnostics.begin(),
                         derived.diagnostics.end());
    return render(r.diagnostics, sources);
}

std::vector<std::string> models_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".ank") {
            names.push_back(entry.path().filename().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string expected_answer(const fs::path& folder, const std::string& name) {
    return contents(fs::path(folder / name).replace_extension(".expected"));
}

TEST(Mistakes, AreAnsweredWithTheExpectedText) {
    const fs::path folder = kTests / "mistakes";
    EXPECT_GE(models_in(folder).size(), 60U);
    for (const std::string& name : models_in(folder)) {
        const std::string given = answer(folder, name);
        EXPECT_NE(given.find(" error: "), std::string::npos) << name << " is accepted";
        EXPECT_EQ(given, expected_answer(folder, name)) << name;
    }
}

TEST(Warnings, AreGivenWithTheExpectedText) {
    const fs::path folder = kTests / "warnings";
    EXPECT_GE(models_in(folder).size(), 4U);
    for (const std::string& name : models_in(folder)) {
        const std::string given = answer(folder, name);
        EXPECT_EQ(given.find(" error: "), std::string::npos) << name << " is refused";
        EXPECT_EQ(given, expected_answer(folder, name)) << name;
    }
}

}  // namespace
}  // namespace ananke::lang
