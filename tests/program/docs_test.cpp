// Every example of README and docs is executed.
//
//   ```ank file=NAME   a model, saved as NAME in the folder of that page
//   ```ank             a model that must check (docs/language.md is read by the tests of lang)
//   ```sh              lines to run; `# exit N` after a line tells its exit code, 0 otherwise
//   ```text            its lines must occur, in order, in what the last line printed, wall times
//   aside
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "places.h"
#include "program.h"

namespace ananke::tests {
namespace {

namespace fs = std::filesystem;

struct Block {
    std::string kind;  ///< the words after the fence
    std::string text;
    int line = 0;
};

std::vector<Block> blocks_of(const fs::path& page) {
    std::istringstream in(read_text(page));
    std::vector<Block> blocks;
    std::string line;
    bool inside = false;
    for (int number = 1; std::getline(in, line); ++number) {
        if (line.rfind("```", 0) != 0) {
            if (inside) {
                blocks.back().text += line + "\n";
            }
            continue;
        }
        inside = !inside;
        if (inside) {
            blocks.push_back({line.substr(3), "", number});
        }
    }
    return blocks;
}

/// "432 evaluations, 0.00524 s" without its seconds.
std::string without_times(const std::string& text) {
    static const std::regex seconds(R"([0-9][0-9.e+-]* s\n)");
    return std::regex_replace(text, seconds, "s\n");
}

void expect_lines(const std::string& wanted, const std::string& printed, const std::string& where) {
    const std::string text = "\n" + without_times(printed);
    std::istringstream lines(without_times(wanted));
    std::size_t at = 0;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t found = text.find("\n" + line + "\n", at);
        ASSERT_NE(found, std::string::npos) << where << "\n" << line << "\nis not in\n" << printed;
        at = found + 1;
    }
}

void run_lines(const Scratch& scratch, const Block& block, const std::string& where,
               Outcome& last) {
    static const std::regex exit_note(R"(#\s*exit\s+(\d+)\s*$)");
    std::istringstream lines(block.text);
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        const int expected = std::regex_search(line, match, exit_note) ? std::stoi(match[1]) : 0;
        last = scratch.run(line);
        EXPECT_EQ(last.exit_code, expected) << where << "\n" << line << "\n" << last.all();
    }
}

void execute_page(const fs::path& page, int& executed) {
    const Scratch scratch;
    Outcome last;
    for (const Block& block : blocks_of(page)) {
        const std::string where = page.filename().string() + ":" + std::to_string(block.line);
        const std::size_t file = block.kind.find("file=");
        if (block.kind.rfind("ank", 0) == 0 && file != std::string::npos) {
            const std::size_t end = block.kind.find(' ', file);
            scratch.write(block.kind.substr(file + 5, end - file - 5), block.text);
        } else if (block.kind == "ank" && page.filename() != "language.md") {
            scratch.write("example.ank", block.text);
            last = scratch.run("ananke check example.ank");
            EXPECT_EQ(last.exit_code, 0) << where << "\n" << last.all();
            ++executed;
        } else if (block.kind == "sh") {
            run_lines(scratch, block, where, last);
            ++executed;
        } else if (block.kind == "text") {
            expect_lines(block.text, last.all(), where);
        }
    }
}

TEST(Docs, EveryExampleRuns) {
    const fs::path root(places::source_dir());
    std::vector<fs::path> pages{root / "README.md", root / "models" / "README.md"};
    for (const fs::directory_entry& entry : fs::directory_iterator(root / "docs")) {
        if (entry.path().extension() == ".md") {
            pages.push_back(entry.path());
        }
    }
    int executed = 0;
    for (const fs::path& page : pages) {
        execute_page(page, executed);
    }
    EXPECT_GT(executed, 10);
}

TEST(Docs, LinksLeadSomewhere) {
    static const std::regex link(R"(\]\(([^)#:]+)(#[^)]*)?\))");
    const fs::path root(places::source_dir());
    std::vector<fs::path> pages{root / "README.md", root / "CONTRIBUTING.md",
                                root / "models" / "README.md"};
    for (const fs::directory_entry& entry : fs::directory_iterator(root / "docs")) {
        pages.push_back(entry.path());
    }
    for (const fs::path& page : pages) {
        const std::string text = read_text(page);
        for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it) {
            const fs::path target = page.parent_path() / (*it)[1].str();
            EXPECT_TRUE(fs::exists(target)) << page << " links to " << (*it)[1];
        }
    }
}

}  // namespace
}  // namespace ananke::tests
