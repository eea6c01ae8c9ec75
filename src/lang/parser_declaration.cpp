// Titles, names and their values, functions, loops, files and the run.
#include <fmt/format.h>

#include "lang/parser_core.h"

namespace ananke::lang {

bool Parser::parse(ModelTitle& node) {
    if (!at(TokenKind::kString)) {
        return fail_expected("the title in quotes", {"write: model \"Two-link pendulum\""});
    }
    node.title = quoted(take().span);
    return true;
}

bool Parser::path_list(std::vector<ExprId>& out) {
    do {
        if (!read_path(out.emplace_back())) {
            return false;
        }
    } while (accept(TokenKind::kComma));
    return true;
}

bool Parser::parse(CoordinateList& node) {
    if (!path_list(node.names)) {
        return false;
    }
    if (at(TokenKind::kEqual) || at(TokenKind::kTilde)) {
        return fail_expected("',' or the end of the line",
                             {"a start value is given by: initial x = 1"});
    }
    if (at_plain_name()) {
        return fail_expected("',' or the end of the line", {"names are separated by commas"});
    }
    if (at(TokenKind::kPrime)) {
        return fail(peek().span, "a coordinate is declared without a prime",
                    {"its velocity x' exists by itself"});
    }
    return true;
}

/// x'' behind the path x.
ExprId Parser::with_primes(ExprId name) {
    while (at(TokenKind::kPrime)) {
        name = wrap(ExprKind::kPrime, name, take().span);
    }
    return name;
}

bool Parser::read_value(Binding& item) {
    if (!read(item.value)) {
        return false;
    }
    item.span = span(item.name);
    item.span.end = span(item.value).end;
    return true;
}

bool Parser::bindings(std::vector<Binding>& out, Guesses guesses, std::string_view form) {
    do {
        Binding item;
        if (!read_path(item.name)) {
            return false;
        }
        item.name = with_primes(item.name);
        if (guesses == Guesses::kAccepted && at(TokenKind::kTilde)) {
            item.guess = true;
            take();
        } else if (at(TokenKind::kTilde)) {
            return fail_expected("'='", {"'~' marks a guess and stands only in 'initial'"});
        } else if (at(TokenKind::kDoubleEqual)) {
            return fail(peek().span, "expected '=', found '=='", {fmt::format("write: {}", form)});
        } else if (at(TokenKind::kOpenParen) && text(tokens_[statement_begin_].span) == "let") {
            return fail(peek().span, "a function is declared with 'define'",
                        {"write: define f(a, b) = ..."});
        } else if (!accept(TokenKind::kEqual)) {
            return fail_expected(guesses == Guesses::kAccepted ? "'=' or '~'" : "'='",
                                 {fmt::format("write: {}", form)});
        }
        if (!read_value(item)) {
            return false;
        }
        if (at(TokenKind::kEqual)) {
            return fail(peek().span, "one '=' only",
                        {"separate two definitions with a comma; a comparison is '=='"});
        }
        out.push_back(item);
    } while (accept(TokenKind::kComma));
    return true;
}

bool Parser::parse(FunctionDefinition& node) {
    constexpr const char* kForm = "write: define f(a, b) = ...";
    if (!expect_name("the name of the function", kForm, node.name) ||
        !expect(TokenKind::kOpenParen, " after the name of the function",
                "write: define f(a, b) = ...; a name without arguments is a 'let'")) {
        return false;
    }
    do {
        if (!expect_name("the name of an argument", kForm, node.arguments.emplace_back().name)) {
            return false;
        }
    } while (accept(TokenKind::kComma));
    return expect(TokenKind::kCloseParen, " after the arguments") &&
           expect(TokenKind::kEqual, " after the head of the function") && read(node.body);
}

bool Parser::parse(ParticleDeclaration& node) {
    constexpr const char* kForm = "write: particle P mass m at (x, y, z)";
    return read_path(node.name) && expect_word("mass", "", kForm) && read(node.mass) &&
           expect_word("at", "", kForm) && read(node.position);
}

bool Parser::parse(PointDeclaration& node) {
    return read_path(node.name) && (!accept_word("on") || read_path(node.body)) &&
           expect_word("at", "",
                       node.body == kNoExpr ? "write: point P at (x, y, z)"
                                            : "write: point P on body at (x, y, z)") &&
           read(node.position);
}

bool Parser::parse(Simulate& node) {
    if (at_word("stiff") || at_word("every")) {
        return fail_expected("'until' first", {"write: simulate until 10 every 0.1 stiff"});
    }
    if (!expect_word("until", "", "write: simulate until 10 every 0.1") || !read(node.until)) {
        return false;
    }
    while (true) {
        const bool comma = accept(TokenKind::kComma);
        bool good = true;
        if (at_word("every") && node.every == kNoExpr) {
            take();
            good = read(node.every);
        } else if (at_word("step") && node.max_step == kNoExpr) {
            take();
            if (!accept_word("at") || !accept_word("most")) {
                return fail_expected("'step at most'",
                                     {"write: simulate until 10 every 0.1 step at most 0.05"});
            }
            good = read(node.max_step);
        } else if (at_word("stiff") && !node.stiff) {
            take();
            node.stiff = true;
        } else if (comma) {
            return fail_expected("'every', 'step at most' or 'stiff' after the comma",
                                 {"write: simulate until 10 every 0.1 stiff"});
        } else {
            break;
        }
        if (!good) {
            return false;
        }
    }
    return !at(TokenKind::kName) ||
           fail_expected("'every', 'step at most', 'stiff' or the end of the line",
                         {"write: simulate until 10 every 0.1 stiff"});
}

bool Parser::parse(Import& node) {
    if (!at(TokenKind::kString)) {
        return fail_expected("a file name in quotes", {"write: import \"springs.ank\""});
    }
    node.path_span = take().span;
    node.path = quoted(node.path_span);
    return !accept_word("as") || expect_name("a name after 'as'", "", node.alias);
}

bool Parser::parse(ForLoop& node) {
    constexpr const char* kForm = "write: for i in 1..N { ... }";
    if (!expect_name("the name of the loop variable", kForm, node.variable) ||
        !expect_word("in", "", kForm)) {
        return false;
    }
    node.from = sum();
    if (node.from == kNoExpr || !expect(TokenKind::kDotDot, "", kForm)) {
        return false;
    }
    node.to = sum();
    return node.to != kNoExpr && expect_block(kForm) && block(node.body);
}

}  // namespace ananke::lang
