// Writes expressions from the outside inwards: a stack holds what is still to be written, text or
// parts, so that neither deep nor long expressions need recursion or copies of text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sym/print.h"
#include "sym/print_form.h"

namespace ananke::sym {

class Writer {
  public:
    Writer(const Graph& graph, const NameMap& names) : graph_(graph), names_(names) {}
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
    /// a + b - c, with the given signs between the terms.
    void sum(Expr e);

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
    Binding binding_of_truth(Op op) const;

    virtual Binding binding(const Piece& piece) const = 0;
    virtual void open(const Piece& piece) = 0;
    virtual std::string_view left_parenthesis() const { return "("; }
    virtual std::string_view right_parenthesis() const { return ")"; }

    const Graph& graph_;
    const NameMap& names_;

  private:
    std::vector<Piece> stack_;
    std::vector<Piece> opened_;
};

std::unique_ptr<Writer> make_infix_writer(const Graph& graph, const NameMap& names, bool is_c);
std::unique_ptr<Writer> make_latex_writer(const Graph& graph, const NameMap& names);

}  // namespace ananke::sym
