// Damaged models: whatever is deleted, inserted or exchanged, reading ends with a model or with at
// least one error, and every report can be shown.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "lang/lexer.h"
#include "lang/parse_model.h"
#include "places.h"

namespace ananke::lang {
namespace {

namespace fs = std::filesystem;

// Statements that the gallery does not use.
const char* const kRest =
    "parameter N = 3, k[1] = 2\ncoordinate x, y\nfor i in 1..N { coordinate q[i]\n"
    "  let s[i] = (q[i]*t)' }\ndefine f(a, b) = if a > 0 and not b <= 1 or a == b then a else -b\n"
    "particle P mass k[1] at (x, y + q[1], 0)\npoint Q at position(P) + (1, 0, 0)\n"
    "mass q[2], q[3] = [1, 0.5; 0.5, 2]\nspeed u = x'*cos(y)\n"
    "constraint c: cross(velocity(P), velocity(Q)) = 0\nservo d: f(x, b = y).z = norm((x, y, 1))\n"
    "gauge alpha = 1 + t, G[c] = 2, z = x'\nnonideal on P = -velocity(P)\ninitial x = 1, q[1]' ~ "
    "2e-3\n"
    "view P sphere 0.1 at (0, 0, 1) colour \"steel\"\nview line P to Q\nview camera from (1, 2, 3) "
    "to (0, 0, 0)\nview hide Q\nview P cylinder 1 length 2 axis (0, 0, 1)\n"
    "import \"other.ank\" as o\noutput a = acceleration(P), b = o.w\nsimulate until 5 every 0.1 "
    "stiff\n";

std::vector<std::string> seeds() {
    std::vector<std::string> texts{kRest};
    for (const auto& entry : fs::directory_iterator(fs::path(places::source_dir()) / "models")) {
        if (entry.path().extension() == ".ank") {
            std::ifstream in(entry.path(), std::ios::binary);
            std::ostringstream text;
            text << in.rdbuf();
            texts.push_back(text.str());
        }
    }
    std::sort(texts.begin(), texts.end());
    return texts;
}

class Mutator {
  public:
    explicit Mutator(unsigned seed) : random_(seed) {}

    std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

    std::string mutate(std::string text) {
        const std::size_t changes = 1 + below(3);
        for (std::size_t i = 0; i < changes; ++i) {
            text = below(2) == 0 ? change_bytes(std::move(text)) : change_tokens(text);
        }
        return text;
    }

  private:
    std::string change_bytes(std::string text) {
        static const std::string kBytes = "()[]{}'\"=~<>+-*/^.,:;#\n\r\t 0xtπ\xFF\x80";
        const std::size_t at = below(text.size());
        switch (below(4)) {
            case 0:
                text.erase(at, 1 + below(4));
                break;
            case 1:
                text.insert(at, 1 + below(3), kBytes[below(kBytes.size())]);
                break;
            case 2:
                if (!text.empty()) {
                    std::swap(text[at], text[below(text.size())]);
                }
                break;
            default:
                text.resize(at);
                break;
        }
        return text;
    }

    std::string change_tokens(const std::string& text) {
        Sources sources;
        std::vector<Diagnostic> ignored;
        const std::uint32_t file = sources.add("", text);
        std::vector<Token> tokens = lex(sources, file, {}, ignored);
        const std::size_t at = below(tokens.size());
        const std::size_t other = below(tokens.size());
        switch (below(3)) {
            case 0:
                tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at));
                break;
            case 1:
                tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(at), tokens[other]);
                break;
            default:
                std::swap(tokens[at], tokens[other]);
                break;
        }
        std::string out;
        for (const Token& token : tokens) {
            out += text.substr(token.span.begin, token.span.end - token.span.begin);
            out += token.kind == TokenKind::kNewline ? "" : " ";
        }
        return out;
    }

    std::mt19937 random_;
};

TEST(Mutation, DamagedModelsAreReadOrRefusedNeverFatal) {
    const std::vector<std::string> texts = seeds();
    Options options;
    options.read = [](const std::string& path, const std::string&) -> Result<std::string> {
        return path == "other.ank" ? Result<std::string>(std::string("parameter w = 1\n"))
                                   : Error{ErrorCode::kIo, "there is no file " + path};
    };
    options.limits.loop_statements = 2'000;
    options.limits.expression_steps = 100'000;
    options.limits.graph_nodes = 50'000;
    int accepted = 0;
    constexpr int kRounds = 20'000;
    for (int round = 0; round < kRounds; ++round) {
        Mutator mutator(static_cast<unsigned>(round));
        const std::string text = mutator.mutate(texts[mutator.below(texts.size())]);
        Sources sources;
        const ParseResult r = parse_model_text(sources, "m.ank", text, options);
        ASSERT_NE(r.model.has_value(), has_errors(r.diagnostics)) << round << "\n" << text;
        for (const Diagnostic& d : r.diagnostics) {
            ASSERT_LT(d.span.file, sources.size());
            ASSERT_LE(d.span.begin, d.span.end) << round << "\n" << d.message << "\n" << text;
            ASSERT_LE(d.span.end, sources.text(d.span.file).size()) << round << "\n" << text;
        }
        ASSERT_EQ(render(r.diagnostics, sources).empty(), r.diagnostics.empty());
        accepted += r.model ? 1 : 0;
    }
    // Changes in comments, numbers and names often leave a model; if none did, nothing was tested.
    EXPECT_GT(accepted, kRounds / 50);
    EXPECT_LT(accepted, kRounds * 9 / 10);
}

}  // namespace
}  // namespace ananke::lang
