// Writes expressions from the outside inwards: a stack holds what is still to be written, text or
// parts, so that neither deep nor long expressions need recursion or copies of text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sym/print.h"
#include "sym/print_form.h"

namespace ananke::sym {

/// Words and signs in which the notations differ, and what they put in parentheses.
struct Dialect {
    std::string_view not_zero = " != 0";
    std::string_view less = " < ";
    std::string_view less_equal = " <= ";
    std::string_view equal = " == ";
    std::string_view both = " and ";
    std::string_view either = " or ";
    std::string_view negation = "not ";
    std::string_view left_parenthesis = "(";
    std::string_view right_parenthesis = ")";
    Binding left_of_both = Binding::kAnd, right_of_both = Binding::kNot;
    Binding left_of_either = Binding::kOr, right_of_either = Binding::kAnd;
    Binding negated = Binding::kNot;
    Binding truth_as_number = Binding::kChoice;
};

class Writer {
  public:
    Writer(const Graph& graph, const NameMap& names, const Dialect& words)
        : graph_(graph), names_(names), words_(words) {}
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    virtual ~Writer() = default;

    std::string write(Expr root);

  protected:
    enum class Role : std::uint8_t {
        kText,
        kValue,
        kUnsigned,   ///< without its sign, which has been written
        kCondition,  ///< where a truth value is expected
    };
    struct Piece {
        Role role;
        Binding least;  ///< parentheses if it binds less tightly
        Expr e;
        std::string text;
    };

    // What the part being opened consists of, in reading order.
    void text(std::string_view words);
    void value(Expr e, Binding least) { part(Role::kValue, e, least); }
    void part(Role role, Expr e, Binding least);
    /// Parts written alike with text between them.
    void joined(const std::vector<Expr>& parts, std::string_view separator, Binding least);

    virtual NumberText number(const Constant& constant) const = 0;
    virtual std::string name(const Symbol& symbol) const = 0;
    /// Of a power or a function.
    virtual Binding binding_of(Expr e) const = 0;
    virtual void open_product(Expr e) = 0;
    virtual void open_power(Expr e) = 0;
    virtual void open_choice(Expr condition, Expr yes, Expr no) = 0;
    virtual void open_function(const Node& n) = 0;

    const Graph& graph_;
    const NameMap& names_;
    const Dialect& words_;

  private:
    const Node& node(const Piece& piece) const { return graph_.node(piece.e); }
    /// It starts with a minus that is still to be written.
    bool starts_with_minus(const Piece& piece) const {
        return piece.role == Role::kValue && has_sign(graph_, names_, piece.e);
    }
    /// A truth value where a number is expected, or the other way round.
    bool is_number_from_truth(const Piece& piece) const {
        return piece.role != Role::kCondition && is_truth(node(piece).op);
    }
    bool is_truth_from_number(const Piece& piece) const {
        return piece.role == Role::kCondition && !is_truth(node(piece).op);
    }
    Binding binding(const Piece& piece) const;
    void open(const Piece& piece);
    void open_truth(const Node& n);
    /// a + b - c, with the given signs between the terms.
    void sum(Expr e);

    std::vector<Piece> stack_;
    std::vector<Piece> opened_;
};

std::unique_ptr<Writer> make_writer(const Graph& graph, const NameMap& names, Notation notation);
/// For make_writer().
std::unique_ptr<Writer> make_latex_writer(const Graph& graph, const NameMap& names);

}  // namespace ananke::sym
