#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "lang/parser_core.h"

namespace ananke::lang {
namespace {

const std::vector<std::string>& known_statements() {
    static const std::vector<std::string> kWords{
        "model",  "parameter", "coordinate", "speed",    "let",   "define", "kinetic",
        "mass",   "potential", "force",      "gravity",  "point", "gauge",  "particle",
        "servo",  "nonideal",  "constraint", "simulate", "for",   "import", "initial",
        "output", "torque",    "body",       "joint",    "event", "view",   "friction"};
    return kWords;
}

// Statements that declare no name; any other, a misspelt one too, may have been a declaration.
bool declares_names(std::string_view keyword) {
    static constexpr std::array<std::string_view, 14> kOthers{
        "model",    "kinetic", "potential", "mass",     "force",    "torque", "gravity",
        "nonideal", "gauge",   "initial",   "simulate", "friction", "output", "view"};
    return std::find(kOthers.begin(), kOthers.end(), keyword) == kOthers.end();
}

}  // namespace

Tree Parser::parse_file() {
    statements_until(TokenKind::kEnd, tree_.statements);
    return std::move(tree_);
}

void Parser::statements_until(TokenKind end, std::vector<Statement>& out) {
    while (true) {
        while (accept(TokenKind::kNewline)) {
        }
        if (at(end) || at(TokenKind::kEnd)) {
            return;
        }
        const std::size_t begin = next_;
        statement_begin_ = begin;
        Statement one;
        one.keyword = peek().span;
        if (statement(one) && end_of_statement()) {
            one.span = one.keyword;
            one.span.end = tokens_[next_ - 1].kind == TokenKind::kNewline
                               ? tokens_[next_ - 2].span.end
                               : tokens_[next_ - 1].span.end;
            out.push_back(std::move(one));
        } else {
            recover(begin);
        }
        if (diagnostics_.size() > limits_.errors) {
            next_ = tokens_.size() - 1;
            return;
        }
    }
}

// Skips to the end of the statement, over a block that belongs to it.
void Parser::recover(std::size_t begin) {
    int depth = 0;
    for (std::size_t i = begin; i < next_; ++i) {
        depth += tokens_[i].kind == TokenKind::kOpenBrace ? 1 : 0;
        depth -= tokens_[i].kind == TokenKind::kCloseBrace ? 1 : 0;
    }
    depth = std::max(depth, 0);
    const bool stray = next_ == begin && at(TokenKind::kCloseBrace);
    if (stray) {
        take();
    }
    while (!at(TokenKind::kEnd)) {
        if (depth == 0 && (at(TokenKind::kNewline) || (at(TokenKind::kCloseBrace) && !stray))) {
            break;
        }
        const Token token = take();
        depth += token.kind == TokenKind::kOpenBrace ? 1 : 0;
        depth -= token.kind == TokenKind::kCloseBrace && depth > 0 ? 1 : 0;
    }
    for (std::size_t i = begin + 1; i < next_ && declares_names(text(tokens_[begin].span)); ++i) {
        if (tokens_[i].kind == TokenKind::kName) {
            tree_.doubtful.emplace(text(tokens_[i].span));
        }
    }
}

bool Parser::end_of_statement() {
    if (accept(TokenKind::kNewline) || at(TokenKind::kCloseBrace) || at(TokenKind::kEnd)) {
        return true;
    }
    if (at_word("in")) {
        return fail(peek().span, "vectors in body axes ('in B') are not supported by this version",
                    {"give the vector in world axes"});
    }
    if (at_word("actuators")) {
        return fail(peek().span, "'actuators' are not supported by this version",
                    {"without them the control acts along the gradient of the servo constraint"});
    }
    const TokenKind kind = peek().kind;
    if (kind == TokenKind::kName || kind == TokenKind::kNumber || kind == TokenKind::kOpenParen) {
        return fail_expected(
            "an operator or the end of the line",
            {"multiplication is written with *; every statement has its own line"});
    }
    if (kind == TokenKind::kSemicolon) {
        return fail_expected("the end of the line",
                             {"every statement has its own line, without ';'"});
    }
    return fail_expected("the end of the line");
}

bool Parser::not_a_statement() {
    const Token token = peek();
    if (token.kind == TokenKind::kCloseBrace) {
        return fail(token.span, "this '}' closes nothing");
    }
    if (token.kind != TokenKind::kName) {
        return fail(token.span, fmt::format("a statement cannot begin with {}", found()),
                    {"a statement that goes on in the next line ends its line with an operator or "
                     "a comma"});
    }
    const std::string word(text(token.span));
    const std::string near = nearest_name(word, known_statements());
    std::vector<std::string> notes;
    if (peek(1).kind == TokenKind::kEqual && near.empty()) {
        notes.push_back(fmt::format("to name an expression write: let {} = ...", word));
    } else if (!near.empty()) {
        notes.push_back(fmt::format("did you mean '{}'?", near));
    } else {
        notes.emplace_back(
            "a statement begins with a word such as parameter, coordinate, kinetic, constraint");
    }
    return fail(token.span, fmt::format("unknown statement '{}'", word), std::move(notes));
}

bool Parser::later_feature(std::string_view word) {
    struct Later {
        std::string_view word;
        std::string_view what;
        std::string_view instead;
    };
    static constexpr std::array<Later, 7> kLater{{
        {"body", "rigid bodies ('body')",
         "particles, points and coordinates can state the same system"},
        {"planar", "planar bodies ('planar body')",
         "use coordinates x, y, angle with 'kinetic', or two particles"},
        {"joint", "joints ('joint')", "state the joint by its constraints"},
        {"friction", "friction laws ('friction on')",
         "a force of friction that does not depend on the reaction can be given by 'nonideal on'"},
        {"torque", "torques ('torque on')", "on an angle a torque is 'force on angle = ...'"},
        {"event", "events ('event')", "remove the statement to run the model"},
        {"view", "views ('view')", "remove the statement to run the model"},
    }};
    for (const Later& later : kLater) {
        if (later.word == word) {
            return fail(peek().span,
                        fmt::format("{} are not supported by this version", later.what),
                        {std::string(later.instead)});
        }
    }
    return not_a_statement();
}

bool Parser::statement(Statement& out) {
    if (!at(TokenKind::kName)) {
        return not_a_statement();
    }
    const std::string_view word = text(peek().span);
    if (!is_statement_keyword(word)) {
        return not_a_statement();
    }
    const auto list = [&]<class T>(T node, bool guesses, std::string_view form) {
        take();
        const bool good = bindings(node.items, guesses, form);
        out.as = std::move(node);
        return good;
    };
    const auto term = [&]<class T>(T node) {
        take();
        node.value = expression();
        out.as = node;
        return node.value != kNoExpr;
    };
    if (word == "model") return parse_model(out);
    if (word == "parameter") return list(ParameterList{}, false, "parameter name = value");
    if (word == "coordinate") return parse_coordinate(out);
    if (word == "speed") return list(SpeedList{}, false, "speed name = expression");
    if (word == "let") return list(LetList{}, false, "let name = expression");
    if (word == "output") return list(OutputList{}, false, "output name = expression");
    if (word == "initial") return list(InitialList{}, true, "initial x = value, or x ~ guess");
    if (word == "gauge") return list(GaugeList{}, false, "gauge alpha = expression");
    if (word == "define") return parse_define(out);
    if (word == "kinetic") return term(KineticTerm{});
    if (word == "potential") return term(PotentialTerm{});
    if (word == "gravity") return term(GravityTerm{});
    if (word == "mass") return parse_mass(out);
    if (word == "force") return parse_force(out, false);
    if (word == "nonideal") return parse_force(out, true);
    if (word == "particle") return parse_particle(out);
    if (word == "point") return parse_point(out);
    if (word == "constraint") return parse_constraint(out, false);
    if (word == "servo") return parse_constraint(out, true);
    if (word == "simulate") return parse_simulate(out);
    if (word == "for") return parse_for(out);
    if (word == "import") return parse_import(out);
    return later_feature(word);
}

bool Parser::parse_model(Statement& out) {
    take();
    if (!at(TokenKind::kString)) {
        return fail_expected("the title in quotes", {"write: model \"Two-link pendulum\""});
    }
    const Span span = take().span;
    out.as = ModelTitle{std::string(text({span.file, span.begin + 1, span.end - 1}))};
    return true;
}

bool Parser::path_list(std::vector<ExprId>& out) {
    do {
        out.push_back(path());
        if (out.back() == kNoExpr) {
            return false;
        }
    } while (accept(TokenKind::kComma));
    return true;
}

bool Parser::parse_coordinate(Statement& out) {
    take();
    CoordinateList node;
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
    out.as = std::move(node);
    return true;
}

bool Parser::bindings(std::vector<Binding>& out, bool guesses, std::string_view form) {
    do {
        Binding item;
        item.name = path();
        while (item.name != kNoExpr && at(TokenKind::kPrime)) {
            item.name = wrap(ExprKind::kPrime, item.name, take().span);
        }
        if (item.name == kNoExpr) {
            return false;
        }
        if (guesses && at(TokenKind::kTilde)) {
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
            return fail_expected(guesses ? "'=' or '~'" : "'='", {fmt::format("write: {}", form)});
        }
        item.value = expression();
        if (item.value == kNoExpr) {
            return false;
        }
        if (at(TokenKind::kEqual)) {
            return fail(peek().span, "one '=' only",
                        {"separate two definitions with a comma; a comparison is '=='"});
        }
        item.span = tree_.exprs[item.name].span;
        item.span.end = tree_.exprs[item.value].span.end;
        out.push_back(item);
    } while (accept(TokenKind::kComma));
    return true;
}

bool Parser::parse_define(Statement& out) {
    take();
    if (at_word("joint") && peek(1).kind == TokenKind::kName) {
        return fail(peek().span,
                    "joint definitions ('define joint') are not supported by this version",
                    {"state the joint by its constraints"});
    }
    FunctionDefinition node;
    if (!at_plain_name()) {
        return fail_expected("the name of the function", {"write: define f(a, b) = ..."});
    }
    node.name = take().span;
    if (!at(TokenKind::kOpenParen)) {
        return fail_expected("'(' after the name of the function",
                             {"write: define f(a, b) = ...; a name without arguments is a 'let'"});
    }
    take();
    do {
        if (!at_plain_name()) {
            return fail_expected("the name of an argument", {"write: define f(a, b) = ..."});
        }
        node.arguments.push_back(take().span);
    } while (accept(TokenKind::kComma));
    if (!expect(TokenKind::kCloseParen, " after the arguments") ||
        !expect(TokenKind::kEqual, " after the head of the function")) {
        return false;
    }
    node.body = expression();
    const bool good = node.body != kNoExpr;
    out.as = std::move(node);
    return good;
}

bool Parser::parse_mass(Statement& out) {
    take();
    MassTerm node;
    if (!path_list(node.names) || !expect(TokenKind::kEqual, " after the coordinates")) {
        return false;
    }
    node.matrix = expression();
    const bool good = node.matrix != kNoExpr;
    out.as = std::move(node);
    return good;
}

bool Parser::parse_force(Statement& out, bool nonideal) {
    const std::string word(text(take().span));
    ForceTerm node;
    node.nonideal = nonideal;
    if (!at_word("on")) {
        return fail_expected("'on'", {fmt::format("write: {} on x = ...", word)});
    }
    take();
    node.target = path();
    if (node.target == kNoExpr) {
        return false;
    }
    if (at(TokenKind::kPrime)) {
        return fail(peek().span, "a force acts on a coordinate or a point, not on a velocity",
                    {"remove the prime"});
    }
    if (at(TokenKind::kComma)) {
        return fail(peek().span, "one coordinate or point per statement",
                    {fmt::format("write one '{} on' for each; they add up", word)});
    }
    if (at_word("at")) {
        return fail(peek().span, "points of bodies ('at') are not supported by this version",
                    {"declare the place: point P at (x, y, z)"});
    }
    if (!at(TokenKind::kEqual)) {
        return fail_expected("'=' after the target", {fmt::format("write: {} on x = ...", word)});
    }
    take();
    node.value = expression();
    out.as = node;
    return node.value != kNoExpr;
}

bool Parser::parse_particle(Statement& out) {
    take();
    static const std::vector<std::string> kForm{"write: particle P mass m at (x, y, z)"};
    ParticleDeclaration node;
    node.name = path();
    if (node.name == kNoExpr) {
        return false;
    }
    if (!accept_word("mass")) {
        return fail_expected("'mass'", kForm);
    }
    node.mass = expression();
    if (node.mass == kNoExpr) {
        return false;
    }
    if (!accept_word("at")) {
        return fail_expected("'at'", kForm);
    }
    node.position = expression();
    out.as = node;
    return node.position != kNoExpr;
}

bool Parser::parse_point(Statement& out) {
    take();
    PointDeclaration node;
    node.name = path();
    if (node.name == kNoExpr) {
        return false;
    }
    if (!accept_word("at")) {
        return fail_expected("'at'", {"write: point P at (x, y, z)"});
    }
    node.position = expression();
    out.as = node;
    return node.position != kNoExpr;
}

bool Parser::equation(ExprId& left, ExprId& right, Span& span) {
    left = at_word("if") ? expression() : sum();
    if (left == kNoExpr) {
        return false;
    }
    switch (peek().kind) {
        case TokenKind::kLess:
        case TokenKind::kLessEqual:
        case TokenKind::kGreater:
        case TokenKind::kGreaterEqual:
            return fail(peek().span,
                        "a constraint is an equation; unilateral constraints are not supported",
                        {"a contact can be written as a stiff force: force on x = if x < 0 then "
                         "-k*x else 0",
                         "a constraint that always touches is written with '='"});
        case TokenKind::kDoubleEqual:
            return fail(peek().span, "expected '=', found '=='",
                        {"an equation is written: left = right"});
        case TokenKind::kTilde:
            return fail(peek().span, "expected '=', found '~'",
                        {"'~' marks a guess and stands only in 'initial'"});
        default:
            break;
    }
    if (!at(TokenKind::kEqual)) {
        return fail_expected("'='", {"a constraint is an equation: left = right"});
    }
    take();
    right = at_word("if") ? expression() : sum();
    if (right == kNoExpr) {
        return false;
    }
    if (at(TokenKind::kEqual)) {
        return fail(peek().span, "one '=' per equation",
                    {"write two constraints: a = b and b = c"});
    }
    span = tree_.exprs[left].span;
    span.end = tree_.exprs[right].span.end;
    return true;
}

bool Parser::parse_constraint(Statement& out, bool servo) {
    const Token keyword = take();
    ConstraintDeclaration node;
    node.servo = servo;
    // A name and a colon must stand before the equation; find out which of them is missing.
    std::size_t i = 0;
    while (peek(i).kind != TokenKind::kNewline && peek(i).kind != TokenKind::kEnd &&
           peek(i).kind != TokenKind::kColon) {
        ++i;
    }
    if (peek(i).kind != TokenKind::kColon) {
        return fail_expected("a name and ':'",
                             {fmt::format("write: {} name: left = right", text(keyword.span))});
    }
    node.name = path();
    if (node.name == kNoExpr || !expect(TokenKind::kColon, " after the name")) {
        return false;
    }
    if (!equation(node.left, node.right, node.equation)) {
        return false;
    }
    out.as = node;
    return true;
}

bool Parser::parse_simulate(Statement& out) {
    take();
    Simulate node;
    if (!accept_word("until")) {
        return fail_expected("'until'", {"write: simulate until 10 every 0.1"});
    }
    node.until = expression();
    if (node.until == kNoExpr) {
        return false;
    }
    while (true) {
        accept(TokenKind::kComma);
        if (at_word("every") && node.every == kNoExpr) {
            take();
            node.every = expression();
            if (node.every == kNoExpr) {
                return false;
            }
        } else if (at_word("stiff") && !node.stiff) {
            take();
            node.stiff = true;
        } else {
            break;
        }
    }
    if (at(TokenKind::kName)) {
        return fail_expected("'every', 'stiff' or the end of the line",
                             {"write: simulate until 10 every 0.1 stiff"});
    }
    out.as = node;
    return true;
}

bool Parser::parse_for(Statement& out) {
    take();
    static const std::vector<std::string> kForm{"write: for i in 1..N { ... }"};
    ForLoop node;
    if (!at_plain_name()) {
        return fail_expected("the name of the loop variable", kForm);
    }
    node.variable = take().span;
    if (!accept_word("in")) {
        return fail_expected("'in'", kForm);
    }
    node.from = sum();
    if (node.from == kNoExpr) {
        return false;
    }
    if (!accept(TokenKind::kDotDot)) {
        return fail_expected("'..'", kForm);
    }
    node.to = sum();
    if (node.to == kNoExpr) {
        return false;
    }
    while (at(TokenKind::kNewline) && peek(1).kind == TokenKind::kOpenBrace) {
        take();
    }
    if (!at(TokenKind::kOpenBrace)) {
        return fail_expected("'{'", kForm);
    }
    const bool good = block(node.body);
    out.as = std::move(node);
    return good;
}

bool Parser::block(std::vector<Statement>& out) {
    const Token open = take();
    if (!deeper()) {
        return false;
    }
    const std::size_t begin = statement_begin_;
    ++depth_;
    statements_until(TokenKind::kCloseBrace, out);
    --depth_;
    statement_begin_ = begin;
    if (at(TokenKind::kCloseBrace)) {
        take();
        statement_begin_ = next_;  // what follows is judged without the block
        return true;
    }
    if (diagnostics_.size() <= limits_.errors) {
        diagnostics_.push_back({open.span, Severity::kError, "this '{' is never closed", {}});
    }
    return false;
}

bool Parser::parse_import(Statement& out) {
    take();
    if (!at(TokenKind::kString)) {
        return fail_expected("a file name in quotes", {"write: import \"springs.ank\""});
    }
    Import node;
    node.path_span = take().span;
    const Span inner{node.path_span.file, node.path_span.begin + 1, node.path_span.end - 1};
    node.path = std::string(text(inner));
    if (accept_word("as")) {
        if (!at_plain_name()) {
            return fail_expected("a name after 'as'");
        }
        node.alias = take().span;
    }
    out.as = std::move(node);
    return true;
}

}  // namespace ananke::lang
