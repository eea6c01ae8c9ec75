#include <algorithm>
#include <array>
#include <concepts>

#include <fmt/format.h>

#include "base/text.h"
#include "lang/parser_core.h"

namespace ananke::lang {
namespace {

const std::vector<std::string>& known_statements() {
    static const std::vector<std::string> kWords{
        "model",   "parameter", "coordinate", "speed",    "let",        "define",
        "kinetic", "mass",      "potential",  "force",    "gravity",    "point",
        "gauge",   "particle",  "servo",      "nonideal", "constraint", "simulate",
        "for",     "import",    "initial",    "output",   "torque",     "body",
        "joint",   "event",     "view",       "friction", "scale",      "compliance"};
    return kWords;
}

// Statements that declare no name; any other, a misspelt one too, may have been a declaration.
bool declares_names(std::string_view keyword) {
    static constexpr std::array<std::string_view, 16> kOthers{
        "model", "kinetic", "potential", "mass",     "force",  "torque", "gravity", "nonideal",
        "gauge", "initial", "simulate",  "friction", "output", "view",   "scale",   "compliance"};
    return std::find(kOthers.begin(), kOthers.end(), keyword) == kOthers.end();
}

template <class List>
constexpr std::string_view kForm;
template <>
constexpr std::string_view kForm<ParameterList> = "parameter name = value";
template <>
constexpr std::string_view kForm<SpeedList> = "speed name = expression";
template <>
constexpr std::string_view kForm<LetList> = "let name = expression";
template <>
constexpr std::string_view kForm<OutputList> = "output name = expression";
template <>
constexpr std::string_view kForm<InitialList> = "initial x = value, or x ~ guess";
template <>
constexpr std::string_view kForm<ScaleList> = "scale x = typical size";
template <>
constexpr std::string_view kForm<GaugeList> = "gauge alpha = expression";

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
    const TokenKind kind = peek().kind;
    if (kind == TokenKind::kName || kind == TokenKind::kNumber || kind == TokenKind::kOpenParen) {
        return fail_expected("an operator or the end of the line", {missing_operator_note()});
    }
    if (kind == TokenKind::kSemicolon) {
        return fail_expected("the end of the line",
                             {"every statement has its own line, without ';'"});
    }
    return fail_expected("the end of the line");
}

/// True if the token is a name of the model, not a mistyped word of the language: it is pi, a
/// function, or stands elsewhere where it does not follow a value.
bool Parser::names_a_value(const Token& token) const {
    const std::string_view name = text(token.span);
    if (token.kind != TokenKind::kName || is_reserved_word(name) || is_statement_keyword(name)) {
        return false;
    }
    if (name == "pi" || name == "t" || is_function_name(name)) {
        return true;
    }
    for (std::size_t k = 0; k < tokens_.size(); ++k) {
        const TokenKind before = k > 0 ? tokens_[k - 1].kind : TokenKind::kNewline;
        const bool follows_value = before == TokenKind::kNumber ||
                                   before == TokenKind::kCloseParen || before == TokenKind::kPrime;
        if (k != next_ && !follows_value && tokens_[k].kind == TokenKind::kName &&
            text(tokens_[k].span) == name) {
            return true;
        }
    }
    return false;
}

/// Two values side by side, as a product: "2*x", "(...)*(...)".
std::optional<std::string> Parser::missing_product() const {
    const bool begins_value = at(TokenKind::kOpenParen) || names_a_value(peek());
    if (next_ == 0 || next_ != value_end_ || !begins_value) {
        return std::nullopt;
    }
    std::size_t first = next_ - 1;
    while (first > 0 && tokens_[first].kind == TokenKind::kPrime) {
        --first;
    }
    const TokenKind kind = tokens_[first].kind;
    if (kind == TokenKind::kName && is_function_name(text(tokens_[first].span))) {
        return std::nullopt;  // its arguments stand without parentheses
    }
    Span left = tokens_[first].span;
    left.end = tokens_[next_ - 1].span.end;
    const bool is_plain = kind == TokenKind::kName || kind == TokenKind::kNumber;
    return fmt::format("{}*{}", is_plain ? text(left) : "(...)",
                       at(TokenKind::kOpenParen) ? "(...)" : text(peek().span));
}

// What was left out between the last token and the next: an operator, or parentheses.
std::string Parser::missing_operator_note() const {
    const Token& before = tokens_[next_ > 0 ? next_ - 1 : 0];
    const std::string_view left = text(before.span);
    const std::string_view right = text(peek().span);
    if (before.kind == TokenKind::kName && is_function_name(left) && !at(TokenKind::kOpenParen)) {
        return fmt::format("the arguments of a function stand in parentheses: {}({})", left, right);
    }
    const bool values = (before.kind == TokenKind::kNumber || before.kind == TokenKind::kName) &&
                        at(TokenKind::kName) && !is_statement_keyword(right);
    if (right == "actuator") {
        return "did you mean 'actuators'?";
    }
    constexpr std::array<std::string_view, 10> kUnits{"kg", "g",  "m", "mm", "cm",
                                                      "s",  "ms", "N", "Nm", "J"};
    if (before.kind == TokenKind::kNumber && !names_a_value(peek()) &&
        std::find(kUnits.begin(), kUnits.end(), right) != kUnits.end()) {
        return fmt::format("numbers carry no units: choose consistent ones and write {}", left);
    }
    if (const std::optional<std::string> product = missing_product()) {
        return fmt::format("multiplication is written with *: {}", *product);
    }
    if (values) {
        return fmt::format("multiplication is written with *: {}*{}", left, right);
    }
    return "multiplication is written with *; every statement has its own line";
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
    const auto& known = known_statements();
    std::string near = nearest_name(word, known);
    constexpr std::size_t kSameBeginning = 3;  // letters
    const auto begins_alike = std::find_if(known.begin(), known.end(), [&](const std::string& one) {
        return word.size() > kSameBeginning && one.starts_with(word.substr(0, kSameBeginning));
    });
    if (near.empty() && begins_alike != known.end()) {
        near = *begins_alike;
    }
    std::vector<std::string> notes;
    if (peek(1).kind == TokenKind::kEqual && near.empty()) {
        notes.push_back(fmt::format("to name an expression write: let {} = ...", word));
    } else if (!near.empty()) {
        notes.push_back(fmt::format("did you mean '{}'?", near));
    } else {
        notes.emplace_back(
            "a statement begins with a word such as parameter, coordinate, body, joint, "
            "constraint");
    }
    return fail(token.span, fmt::format("unknown statement '{}'", word), std::move(notes));
}

/// What stands behind the keyword.
template <class Node>
bool Parser::parse_as(Statement& out) {
    take();
    auto& node = out.as.emplace<Node>();
    if constexpr (std::derived_from<Node, BindingList>) {
        const bool guesses = std::same_as<Node, InitialList>;
        return bindings(node.items, guesses ? Guesses::kAccepted : Guesses::kRefused, kForm<Node>);
    } else if constexpr (std::derived_from<Node, Term>) {
        return read(node.value);
    } else {
        return parse(node);
    }
}

bool Parser::parse_definition(Statement& out) {
    const bool of_joint = at_word("joint", 1) && peek(2).kind == TokenKind::kName;
    return of_joint ? parse_as<JointDefinition>(out) : parse_as<FunctionDefinition>(out);
}

bool Parser::statement(Statement& out) {
    struct Rule {
        std::string_view keyword;
        bool (Parser::*parse)(Statement&);
    };
    static constexpr Rule kRules[] = {
        {"model", &Parser::parse_as<ModelTitle>},
        {"parameter", &Parser::parse_as<ParameterList>},
        {"coordinate", &Parser::parse_as<CoordinateList>},
        {"speed", &Parser::parse_as<SpeedList>},
        {"let", &Parser::parse_as<LetList>},
        {"output", &Parser::parse_as<OutputList>},
        {"initial", &Parser::parse_as<InitialList>},
        {"scale", &Parser::parse_as<ScaleList>},
        {"gauge", &Parser::parse_as<GaugeList>},
        {"define", &Parser::parse_definition},
        {"kinetic", &Parser::parse_as<KineticTerm>},
        {"potential", &Parser::parse_as<PotentialTerm>},
        {"gravity", &Parser::parse_as<GravityTerm>},
        {"mass", &Parser::parse_as<MassTerm>},
        {"force", &Parser::parse_as<ForceTerm>},
        {"nonideal", &Parser::parse_as<ForceTerm>},
        {"torque", &Parser::parse_as<ForceTerm>},
        {"body", &Parser::parse_as<BodyDeclaration>},
        {"planar", &Parser::parse_as<BodyDeclaration>},
        {"joint", &Parser::parse_as<JointDeclaration>},
        {"friction", &Parser::parse_as<FrictionTerm>},
        {"compliance", &Parser::parse_as<ComplianceTerm>},
        {"rub", &Parser::parse_as<RubDeclaration>},
        {"particle", &Parser::parse_as<ParticleDeclaration>},
        {"point", &Parser::parse_as<PointDeclaration>},
        {"constraint", &Parser::parse_as<ConstraintDeclaration>},
        {"servo", &Parser::parse_as<ConstraintDeclaration>},
        {"event", &Parser::parse_as<EventDeclaration>},
        {"view", &Parser::parse_as<ViewStatement>},
        {"simulate", &Parser::parse_as<Simulate>},
        {"for", &Parser::parse_as<ForLoop>},
        {"import", &Parser::parse_as<Import>},
    };
    if (!at(TokenKind::kName)) {
        return not_a_statement();
    }
    const std::string_view word = text(peek().span);
    for (const Rule& rule : kRules) {
        if (rule.keyword == word) {
            return (this->*rule.parse)(out);
        }
    }
    return not_a_statement();
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

}  // namespace ananke::lang
