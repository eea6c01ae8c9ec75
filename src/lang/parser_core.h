// The parser's class, shared by its sources: expressions and statements.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/ast.h"
#include "lang/lexer.h"
#include "lang/limits.h"

namespace ananke::lang {

class Parser {
  public:
    Parser(const Sources& sources, std::uint32_t file, const Limits& limits,
           std::vector<Diagnostic>& diagnostics);

    Tree parse_file();
    bool parse_setting(Tree& tree, Binding& setting);

  private:
    class Nesting;

    // Tokens and reports (parser.cpp).
    const Token& peek(std::size_t ahead = 0) const;
    Token take();
    bool at(TokenKind kind) const { return peek().kind == kind; }
    bool at_word(std::string_view word, std::size_t ahead = 0) const;
    bool at_plain_name(std::size_t ahead = 0) const;
    bool accept(TokenKind kind);
    bool accept_word(std::string_view word);
    /// `form` shows how the statement is written.
    bool expect(TokenKind kind, std::string_view where, std::string_view form = {});
    bool expect_word(std::string_view word, std::string_view where, std::string_view form = {});
    bool expect_name(std::string_view what, std::string_view form, Span& out);
    bool expect_block(std::string_view form);
    std::string_view text(Span span) const;
    /// The text between its quotes.
    std::string_view quoted(Span span) const {
        return text({span.file, span.begin + 1, span.end - 1});
    }
    std::string found() const;
    bool fail(Span span, std::string message, std::vector<std::string> notes = {});
    bool fail_expected(const std::string& what, std::vector<std::string> notes = {});

    // Expressions (parser_expression.cpp): kNoExpr after an error, which is reported.
    ExprId expression();
    bool read(ExprId& out);
    bool read_path(ExprId& out);
    ExprId chain(ExprKind kind, std::string_view word, ExprId (Parser::*operand)());
    ExprId series(ExprKind kind, ExprId first, TokenKind direct, TokenKind inverse,
                  ExprId (Parser::*operand)());
    ExprId prefixed(ExprKind kind, ExprId (Parser::*operand)());
    ExprId disjunction();
    ExprId conjunction();
    ExprId negation();
    ExprId comparison();
    ExprId sum();
    ExprId product();
    ExprId signed_power();
    ExprId power();
    ExprId postfix();
    ExprId primary();
    ExprId parenthesised();
    ExprId matrix();
    ExprId conditional();
    ExprId call(ExprId callee);
    ExprId argument();
    ExprId path();
    ExprId index(ExprId base, std::string_view column_note);
    ExprId member(ExprId base);
    ExprId place(ExprId body);
    ExprId components(ExprId vector);
    ExprId add(ExprKind kind, Span span, Span token, std::vector<ExprId> operands = {});
    ExprId add_over(ExprKind kind, Span token, std::vector<ExprId> operands);
    ExprId wrap(ExprKind kind, ExprId base, Span token);
    ExprId wrap_with(ExprKind kind, ExprId base, ExprId operand);
    Span span(ExprId id) const { return tree_.exprs[id].span; }
    Span span_from(Span begin) const;
    bool deeper();

    // Statements: false after an error, which is reported.
    bool statement(Statement& out);
    std::string_view keyword() const { return text(tokens_[statement_begin_].span); }
    bool not_a_statement();
    bool block(std::vector<Statement>& out);
    void statements_until(TokenKind end, std::vector<Statement>& out);
    bool end_of_statement();
    std::string missing_operator_note() const;
    bool names_a_value(const Token& token) const;
    std::optional<std::string> missing_product() const;
    void recover(std::size_t begin);
    enum class Guesses { kRefused, kAccepted };
    bool bindings(std::vector<Binding>& out, Guesses guesses, std::string_view form);
    ExprId with_primes(ExprId name);
    bool read_value(Binding& item);
    bool path_list(std::vector<ExprId>& out);
    bool side(ExprId& out);
    bool equation(ConstraintDeclaration& node);
    bool actuators(ConstraintDeclaration& node);
    bool actuator(ActuatorNode& out, std::string_view form);
    bool clause(Clause& out, std::string_view word);
    bool joint_argument(Argument& out);
    bool joint_arguments(std::vector<Argument>& out);  // up to and with the closing parenthesis
    bool event_equation(EventDeclaration& node);
    bool event_direction(EventDeclaration& node);
    bool event_actions(EventDeclaration& node);
    bool event_action(EventDeclaration& node);
    bool view_names(ViewStatement& node, const char* form);
    bool view_place(ExprId& out, const char* form);
    bool view_clauses(ViewStatement& node, const char* form);

    template <class Node>
    bool parse_as(Statement& out);
    bool parse_definition(Statement& out);
    // parser_declaration.cpp
    bool parse(ModelTitle& node);
    bool parse(CoordinateList& node);
    bool parse(FunctionDefinition& node);
    bool parse(ParticleDeclaration& node);
    bool parse(PointDeclaration& node);
    bool parse(Simulate& node);
    bool parse(Import& node);
    bool parse(ForLoop& node);
    // parser_body.cpp
    bool parse(BodyDeclaration& node);
    bool parse(JointDeclaration& node);
    bool parse(JointDefinition& node);
    bool parse(RubDeclaration& node);
    // parser_force.cpp
    bool parse(MassTerm& node);
    bool parse(ForceTerm& node);
    bool parse(ConstraintDeclaration& node);
    bool parse(FrictionTerm& node);
    bool parse(ComplianceTerm& node);
    // parser_event.cpp, parser_view.cpp
    bool parse(EventDeclaration& node);
    bool parse(ViewStatement& node);

    const Sources& sources_;
    const Limits& limits_;
    std::vector<Diagnostic>& diagnostics_;
    std::vector<Token> tokens_;
    std::size_t next_ = 0;
    std::size_t value_end_ = 0;  ///< where the latest term of a sum ended
    std::size_t statement_begin_ = 0;
    int depth_ = 0;
    int places_allowed_ = 0;  ///< inside arguments `B at (..)` is a place, elsewhere `at` a clause
    Tree tree_;
};

}  // namespace ananke::lang
