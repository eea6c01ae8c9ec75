// The shape in which an expression is printed: terms with signs, factors over one fraction bar.
// Shared by all notations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sym/graph.h"
#include "sym/node_map.h"

namespace ananke::sym {

/// How tightly a printed form binds, loosest first.
enum class Binding : std::uint8_t {
    kChoice,
    kOr,
    kAnd,
    kNot,
    kComparison,
    kSum,
    kProduct,
    kPower,
    kAtom,
};

/// The names in force, except that one expression may be written out although it has a name.
struct NameMap {
    const NodeMap<std::string>& names;
    std::optional<Expr> written_out;

    const std::string* find(Expr e) const { return e == written_out ? nullptr : names.find(e); }
    bool contains(Expr e) const { return find(e) != nullptr; }
};

/// A summand: its sign, and the expression that follows the sign.
struct Term {
    Expr e;
    bool negative;
    bool strip;  ///< e carries the sign itself and is printed without it
};

/// coefficient * numerator / denominator. The coefficient is positive.
struct Product {
    std::optional<Constant> coefficient;
    std::vector<Expr> numerator;
    std::vector<Expr> denominator;
};

/// True for -a, a negative number, and a product with a negative number in front.
bool has_sign(const Graph& graph, const NameMap& names, Expr e);

/// The summands of a sum in reading order; a - (b + c) keeps its parentheses. For anything else,
/// the expression as one term.
std::vector<Term> terms_of(const Graph& graph, const NameMap& names, Expr e);

/// The factors of a product or quotient in reading order, its sign left out. Named nodes are not
/// opened.
Product product_of(const Graph& graph, const NameMap& names, Expr e);

/// Nodes of the written-out expression, counted up to `limit`.
std::size_t written_size(const Graph& graph, const NameMap& names, Expr e, std::size_t limit);

/// True if a coefficient reads better as a fraction: 3/4 and 1/3, but 9.81 and 0.5 as written.
bool prefers_fraction(const Constant& constant);

/// The exponent if it is an exact integer, else 0.
std::int64_t integer_exponent(const Graph& graph, const Node& power);

/// A number without its sign.
struct NumberText {
    std::string text;
    Binding binding;  ///< kProduct for 1/3
};
NumberText number_as_text(const Constant& constant);
NumberText number_as_c(const Constant& constant);
NumberText number_as_latex(const Constant& constant);

}  // namespace ananke::sym
