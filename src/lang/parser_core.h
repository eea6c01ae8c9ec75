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
    // Tokens and reports (parser.cpp).
    const Token& peek(std::size_t ahead = 0) const;
    Token take();
    bool at(TokenKind kind) const { return peek().kind == kind; }
    bool at_word(std::string_view word, std::size_t ahead = 0) const;
    bool at_plain_name(std::size_t ahead = 0) const;
    bool accept(TokenKind kind);
    bool accept_word(std::string_view word);
    bool expect(TokenKind kind, std::string_view where);
    bool expect_word(std::string_view word, std::string_view where);
    std::string_view text(Span span) const;
    std::string found() const;
    bool fail(Span span, std::string message, std::vector<std::string> notes = {});
    bool fail_expected(const std::string& what, std::vector<std::string> notes = {});

    // Expressions (parser_expression.cpp): kNoExpr after an error, which is reported.
    ExprId expression();
    ExprId chain(ExprKind kind, std::string_view word, ExprId (Parser::*operand)());
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
    ExprId add(ExprKind kind, Span span, Span token, std::vector<ExprId> operands = {});
    ExprId wrap(ExprKind kind, ExprId base, Span token);
    bool deeper();

    // Statements (parser_statement.cpp, parser_declaration.cpp, parser_event.cpp): false after an
    // error, which is reported.
    bool statement(Statement& out);
    bool not_a_statement();
    bool block(std::vector<Statement>& out);
    void statements_until(TokenKind end, std::vector<Statement>& out);
    bool end_of_statement();
    std::string missing_operator_note() const;
    bool names_a_value(const Token& token) const;
    std::optional<std::string> missing_product() const;
    void recover(std::size_t begin);
    bool bindings(std::vector<Binding>& out, bool guesses, std::string_view form);
    bool path_list(std::vector<ExprId>& out);
    bool equation(ExprId& left, ExprId& right, Span& span);
    template <class List>
    bool parse_list(Statement& out, bool guesses, std::string_view form);
    template <class Term>
    bool parse_term(Statement& out);
    bool parse_model(Statement& out);
    bool parse_coordinate(Statement& out);
    bool parse_define(Statement& out);
    bool parse_mass(Statement& out);
    bool parse_force(Statement& out, bool nonideal);
    bool parse_body(Statement& out);
    bool clause(Clause& out, std::string_view word);
    bool parse_joint(Statement& out);
    bool parse_define_joint(Statement& out);
    bool joint_argument(Argument& out);
    bool joint_arguments(std::vector<Argument>& out);  // up to and with the closing parenthesis
    ExprId place(ExprId body);
    bool parse_friction(Statement& out);
    bool parse_compliance(Statement& out);
    bool parse_rub(Statement& out);
    bool parse_particle(Statement& out);
    bool parse_point(Statement& out);
    bool parse_constraint(Statement& out, bool servo);
    bool parse_event(Statement& out);
    bool event_equation(EventDeclaration& node);
    bool event_direction(EventDeclaration& node);
    bool event_action(EventDeclaration& node);
    bool parse_actuators(ConstraintDeclaration& node);  // parser_servo.cpp
    bool parse_view(Statement& out);                    // parser_view.cpp
    bool view_names(ViewStatement& node, const char* form);
    ExprId view_place(const char* form);
    bool view_shape(ViewStatement& node, const char* form);
    bool view_clauses(ViewStatement& node, const char* form);
    bool parse_simulate(Statement& out);
    bool parse_for(Statement& out);
    bool parse_import(Statement& out);

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

    friend class Nesting;
};

}  // namespace ananke::lang
