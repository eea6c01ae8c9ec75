// Rules about the sources that no compiler checks: who may include whom (docs/architecture.md), and
// what no file may contain.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "places.h"

namespace ananke {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongFile = 600;

struct Source {
    std::string path;  ///< relative to the repository, with /
    std::string
        folder;  ///< "simulate" of src/simulate/run.cpp, "app" below app/, "ananke" below include/
    std::vector<std::string> lines;
};

std::string text_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

const std::vector<Source>& sources() {
    static const std::vector<Source> all = [] {
        std::vector<Source> found;
        const fs::path root(places::source_dir());
        for (const char* top : {"src", "app", "include"}) {
            for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
                const std::string extension = entry.path().extension().string();
                const bool foreign =
                    entry.path().string().find("node_modules") != std::string::npos;
                if (foreign || (extension != ".h" && extension != ".cpp")) {
                    continue;
                }
                Source source;
                const fs::path relative = entry.path().lexically_relative(root);
                source.path = relative.generic_string();
                source.folder =
                    std::string(top) == "app" ? "app" : std::next(relative.begin())->string();
                std::istringstream in(text_of(entry.path()));
                for (std::string line; std::getline(in, line);) {
                    source.lines.push_back(line);
                }
                found.push_back(std::move(source));
            }
        }
        return found;
    }();
    return all;
}

/// Folders that each folder may include, itself left out.
const std::map<std::string, std::set<std::string>>& towers() {
    static const std::map<std::string, std::set<std::string>> may_include{
        {"ananke", {}},
        {"base", {"ananke"}},
        {"sym", {"base"}},
        {"mech", {"base", "sym"}},
        {"classify", {"base", "sym", "mech"}},
        {"typeset", {"base", "sym", "mech"}},
        {"lang", {"base", "sym", "mech"}},
        {"code", {"base", "sym"}},
        {"dense", {}},
        {"solve", {"base", "dense", "ananke"}},
        {"ode", {"base", "dense"}},
        {"compile", {"base", "sym", "mech", "classify", "code", "solve"}},
        {"dynamics", {"base", "sym", "mech", "code", "dense", "solve", "ode", "compile", "ananke"}},
        {"simulate",
         {"base", "mech", "code", "dense", "solve", "ode", "compile", "dynamics", "ananke"}},
        {"inspect", {"base", "sym", "mech", "typeset", "solve", "compile", "dynamics", "simulate"}},
        {"io", {"base", "ananke"}},
        {"report",
         {"base", "sym", "mech", "typeset", "code", "dense", "solve", "compile", "dynamics",
          "inspect", "io", "ananke"}},
        {"api",
         {"base", "sym", "mech", "classify", "typeset", "lang", "code", "solve", "ode", "compile",
          "dynamics", "simulate", "inspect", "io", "report", "ananke"}},
        {"app", {"ananke"}},
    };
    return may_include;
}

/// Folders that the tests of a folder may include as well.
const std::map<std::string, std::set<std::string>>& towers_of_tests() {
    static const std::map<std::string, std::set<std::string>> may_include{
        {"lang", {"classify"}},
        {"simulate", {"inspect", "lang"}},
        {"inspect", {"classify", "dense"}}};
    return may_include;
}

/// Public headers that define types of a folder below src/api; the others are for src/api alone.
const std::map<std::string, std::set<std::string>>& shared_headers() {
    static const std::map<std::string, std::set<std::string>> shared{
        {"base", {"ananke/result.h"}},
        {"solve", {"ananke/method.h"}},
        {"dynamics", {"ananke/method.h", "ananke/record.h"}},
        {"simulate", {"ananke/method.h", "ananke/record.h"}},
        {"io", {"ananke/record.h", "ananke/show.h"}},
        {"report", {"ananke/record.h"}},
    };
    return shared;
}

TEST(Tidy, SourcesAreFound) {
    EXPECT_GT(sources().size(), 150u);
    for (const Source& source : sources()) {
        EXPECT_TRUE(towers().contains(source.folder))
            << source.path << ": a folder without a place in the towers";
    }
}

TEST(Tidy, IncludesFollowTheTowers) {
    const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)")re");
    std::size_t checked = 0;
    for (const Source& source : sources()) {
        for (std::size_t i = 0; i < source.lines.size(); ++i) {
            std::smatch match;
            if (!std::regex_search(source.lines[i], match, include)) {
                continue;
            }
            const std::string header = match[1];
            const std::size_t slash = header.find('/');
            // Headers of programs and tests stand beside them.
            const std::string folder =
                slash == std::string::npos ? source.folder : header.substr(0, slash);
            if (folder == source.folder) {
                continue;
            }
            ++checked;
            const std::string place = source.path + ":" + std::to_string(i + 1);
            const auto of_tests = towers_of_tests().find(source.folder);
            const bool for_tests =
                (source.path.ends_with("_test.cpp") || source.path.ends_with("_test.h")) &&
                of_tests != towers_of_tests().end() && of_tests->second.contains(folder);
            EXPECT_TRUE(for_tests || towers().at(source.folder).contains(folder))
                << place << ": " << source.folder << " may not include \"" << header << "\"";
            const auto shared = shared_headers().find(source.folder);
            if (folder == "ananke" && shared != shared_headers().end()) {
                EXPECT_TRUE(shared->second.contains(header))
                    << place << ": \"" << header << "\" is implemented by src/api";
            }
        }
    }
    EXPECT_GT(checked, 100u);
}

TEST(Tidy, HeadersAreIncludedOnce) {
    for (const Source& source : sources()) {
        if (source.path.ends_with(".h")) {
            EXPECT_NE(std::find(source.lines.begin(), source.lines.end(), "#pragma once"),
                      source.lines.end())
                << source.path << ": no #pragma once";
        }
    }
}

TEST(Tidy, NoPathsOfOneMachine) {
    const std::regex machine(R"re((^|[^\w./])/(home|root|work|usr|tmp|opt|mnt|Users|var)/\w)re");
    for (const Source& source : sources()) {
        for (std::size_t i = 0; i < source.lines.size(); ++i) {
            EXPECT_FALSE(std::regex_search(source.lines[i], machine))
                << source.path << ":" << i + 1 << ": " << source.lines[i];
        }
    }
}

// A path that cannot be read is no reason to end the program: calls of the file system take an
// error code. What works on the text of a path or on a status asks no system.
TEST(Tidy, CallsOfTheFileSystemDoNotThrow) {
    const std::regex call(
        R"re((?:filesystem|fs)::(?!path\b|file_status\b|perms\b)(\w+)[^;{]*?\()re");
    const std::regex code(R"re(std::error_code (\w+))re");
    std::size_t checked = 0;
    for (const Source& source : sources()) {
        if (source.path.ends_with("_test.cpp") || source.path.ends_with("test_run.h")) {
            continue;
        }
        std::string text;
        for (const std::string& line : source.lines) {
            text += line + "\n";
        }
        std::set<std::string> codes;
        for (std::sregex_iterator i(text.begin(), text.end(), code), end; i != end; ++i) {
            codes.insert((*i)[1]);
        }
        for (std::sregex_iterator i(text.begin(), text.end(), call), end; i != end; ++i) {
            const auto begin = static_cast<std::size_t>(i->position() + i->length());
            int depth = 1;
            std::size_t at = begin;
            for (; at < text.size() && depth > 0; ++at) {
                depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
            }
            const std::string arguments = text.substr(begin, at - 1 - begin);
            const bool of_status = arguments == "status";
            const bool with_code = std::any_of(
                codes.begin(), codes.end(),
                [&](const std::string& name) { return arguments.ends_with(", " + name); });
            EXPECT_TRUE(of_status || with_code) << source.path << ": " << i->str() << arguments;
            ++checked;
        }
    }
    EXPECT_GT(checked, 5u);
}

TEST(Tidy, OnlyCodeKnowsTheFunctionLibrary) {
    const std::regex sleef("sleef", std::regex::icase);
    bool known_to_code = false;
    for (const Source& source : sources()) {
        for (std::size_t i = 0; i < source.lines.size(); ++i) {
            const bool found = std::regex_search(source.lines[i], sleef);
            known_to_code = known_to_code || (found && source.folder == "code");
            EXPECT_FALSE(found && source.folder != "code")
                << source.path << ":" << i + 1 << ": " << source.lines[i];
        }
    }
    EXPECT_TRUE(known_to_code);
}

TEST(Tidy, PublicHeadersAreFewAndNeedNoOtherLibrary) {
    const std::regex include(R"re(^\s*#\s*include\s*<([^>]+)>)re");
    std::size_t headers = 0;
    for (const Source& source : sources()) {
        if (source.folder != "ananke") {
            continue;
        }
        ++headers;
        for (const std::string& line : source.lines) {
            std::smatch match;
            if (std::regex_search(line, match, include)) {
                // Headers of the standard library have neither folder nor extension.
                EXPECT_EQ(match[1].str().find_first_of("./"), std::string::npos)
                    << source.path << ": " << line;
            }
        }
    }
    EXPECT_GT(headers, 0u);
    EXPECT_LE(headers, 10u);
}

/// The example of the README is the program that the install test builds and runs.
TEST(Tidy, ReadmeShowsTheConsumer) {
    const fs::path root(places::source_dir());
    const std::string readme = text_of(root / "README.md");
    for (const char* file : {"main.cpp", "CMakeLists.txt"}) {
        const std::string text = text_of(root / "tests" / "consumer" / file);
        ASSERT_FALSE(text.empty());
        EXPECT_NE(readme.find(text), std::string::npos) << "README.md lacks " << file;
    }
}

/// Files that may be longer than kLongFile, each with its reason.
const std::map<std::string, std::string>& long_files() {
    static const std::map<std::string, std::string> reasons{
        {"src/compile/compiled_model.cpp", "the compiled parts of a model, one function for each"},
    };
    return reasons;
}

TEST(Tidy, LongFilesHaveAReason) {
    const fs::path root(places::source_dir());
    std::set<std::string> found;
    for (const char* top : {"src", "app", "include", "tests", "bench", "fuzz"}) {
        for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
            const std::string path = entry.path().lexically_relative(root).generic_string();
            if (path.find("node_modules") != std::string::npos ||
                !(path.ends_with(".h") || path.ends_with(".cpp"))) {
                continue;
            }
            const std::string text = text_of(entry.path());
            const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
            if (lines > kLongFile) {
                found.insert(path);
                EXPECT_TRUE(long_files().contains(path))
                    << path << " has " << lines << " lines: split it, or give a reason here";
            }
        }
    }
    for (const auto& [path, reason] : long_files()) {
        EXPECT_TRUE(found.contains(path)) << path << " is no longer long: remove its entry";
        EXPECT_FALSE(reason.empty()) << path;
    }
}

/// Eigen comes with what is compiled once.
TEST(Tidy, EigenIsIncludedThroughDense) {
    for (const Source& source : sources()) {
        if (source.folder == "dense") {
            continue;
        }
        for (const std::string& line : source.lines) {
            EXPECT_FALSE(line.starts_with("#include <Eigen"))
                << source.path << ": includes \"dense/dense.h\" instead";
        }
    }
}

}  // namespace
}  // namespace ananke
