// The expression graph: every formula of a model, each subexpression stored once.
//
// Nodes live in one array and name their operands by position, so an operand always stands before
// the node that uses it: walking the array upwards is a topological order, and nothing recurses.
// Building a node that exists returns the existing one (hash-consing).
//
// Rewriting keeps the value, the domain and the range of what was written:
//   value   the same up to a few roundings of the values that were written, and up to the sign of
//           a zero
//   domain  not a number where, and only where, the expression as written is not, and infinite
//           where, and only where, that is: x/x is not 1, because of x = 0, and sqrt(x)^2 is not
//           x, because of x < 0. A rule that drops a part asks what is known of it (Fact):
//           exp(x)/exp(x) is 1, and sqrt(x^2 + 1)^2 is x^2 + 1
//   range   factors are not regrouped: (x*y)*y is not x*y^2, which overflows at 1e-300, 1e200.
//           Only the exact numbers of a product are gathered, and these are below 2^53. Where all
//           values as written lie within 1e-290 to 1e290 the result does not overflow or vanish.
//           Where a value as written overflows or underflows, the result may be better
// What is derived was never written. Derivations regroup factors and cancel them as functions, not
// as values (Graph::Formal): the derivative of sqrt(u)^3 then is a number at u = 0.
//
// Canonical form. Every constructor applies these rules, and is_canonical() checks them:
//   constants   exact fractions are folded exactly while they fit 53 bits; inexact ones (pi,
//   sin(1))
//               are not folded here, so that 2*pi prints as it was written
//   sums        a + b stored with the older operand first, a number last:    x + 1, not 1 + x
//               no a + 0, a + (-b), a + a; numbers gathered: (x + 1) + 2 is x + 3
//               no a - a, (a + b) - b where a and b are finite
//   products    a number first, and only one: 2*(x*y), not (2*x)*y;  no 1*a, (-a)*b
//               no 0*a where a is finite
//               powers gathered: x*x is x^2, x^2*x^3 is x^5; formally also (x*y)*y, which is x*y^2
//   signs       -a is a node; it moves outwards through * / and odd functions
//   quotients   division by an exact number is a product, as far as it fits: x/2 is (1/2)*x
//               no a/a, 0/a, (a*b)/b, (a/b)*b, a^3/a^2 where a and b are finite and not 0
//               formally (x/y)/z is x/(y*z), x/(y/z) is (x*z)/y
//   powers      x^0, x^1, x^-1, (x^a)^b, x^(1/2) are 1, x, 1/x, x^(a*b), sqrt(x) (a, b integers)
//               sqrt(x)^2 is x where x is not negative
// Valid: 2*(x*y), x - y, -(x*y), (1/2)*m.   Invalid: x*2, x + (-y), (-x)*y, m/2 as a quotient.
// Nothing is ever expanded: a product of sums stays one.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/growing_array.h"
#include "sym/index_table.h"
#include "sym/node_table.h"

namespace ananke::sym {

enum class Op : std::uint8_t {
    kConstant,
    kSymbol,
    // arithmetic
    kAdd,
    kSub,
    kNeg,
    kMul,
    kDiv,
    kPow,
    // functions of one argument
    kSin,
    kCos,
    kTan,
    kAsin,
    kAcos,
    kAtan,
    kSinh,
    kCosh,
    kTanh,
    kExp,
    kLog,
    kSqrt,
    kAbs,
    kSign,
    // functions of two arguments
    kAtan2,
    kMin,
    kMax,
    // truth values (1 or 0) and the choice between two numbers
    kLess,
    kLessEqual,
    kEqual,
    kAnd,
    kOr,
    kNot,
    kSelect,  ///< if a then b else c
};

/// What the whole program has to know of an operation.
struct OpTraits {
    Op op;
    int arity;                 ///< operands of a node: 0 for constants and symbols
    std::string_view name{};   ///< in the language: "sin", "atan2"; "" for arithmetic and truth
    std::string_view latex{};  ///< command that may stand before a bare symbol: \sin\theta
    std::string_view c{};      ///< where the C function has another name
};

inline constexpr OpTraits kOperations[] = {
    {Op::kConstant, 0},
    {Op::kSymbol, 0},
    {Op::kAdd, 2},
    {Op::kSub, 2},
    {Op::kNeg, 1},
    {Op::kMul, 2},
    {Op::kDiv, 2},
    {Op::kPow, 2, "", "", "pow"},
    {Op::kSin, 1, "sin", "\\sin"},
    {Op::kCos, 1, "cos", "\\cos"},
    {Op::kTan, 1, "tan", "\\tan"},
    {Op::kAsin, 1, "asin", "\\arcsin"},
    {Op::kAcos, 1, "acos", "\\arccos"},
    {Op::kAtan, 1, "atan", "\\arctan"},
    {Op::kSinh, 1, "sinh", "\\sinh"},
    {Op::kCosh, 1, "cosh", "\\cosh"},
    {Op::kTanh, 1, "tanh", "\\tanh"},
    {Op::kExp, 1, "exp"},
    {Op::kLog, 1, "log", "\\ln"},
    {Op::kSqrt, 1, "sqrt"},
    {Op::kAbs, 1, "abs", "", "fabs"},
    {Op::kSign, 1, "sign"},
    {Op::kAtan2, 2, "atan2"},
    {Op::kMin, 2, "min", "", "fmin"},
    {Op::kMax, 2, "max", "", "fmax"},
    {Op::kLess, 2},
    {Op::kLessEqual, 2},
    {Op::kEqual, 2},
    {Op::kAnd, 2},
    {Op::kOr, 2},
    {Op::kNot, 1},
    {Op::kSelect, 3},
};
constexpr const OpTraits& traits(Op op) {
    return kOperations[static_cast<std::size_t>(op)];
}
static_assert([] {
    std::size_t place = 0;
    for (const OpTraits& one : kOperations) {
        if (one.op != static_cast<Op>(place++)) {
            return false;
        }
    }
    return place == static_cast<std::size_t>(Op::kSelect) + 1;
}());

constexpr int arity(Op op) {
    return traits(op).arity;
}
constexpr std::string_view function_name(Op op) {
    return traits(op).name;
}
constexpr bool is_truth(Op op) {
    return op >= Op::kLess && op <= Op::kNot;
}
/// Not the same formula everywhere: it or its derivative may jump.
constexpr bool has_kink(Op op) {
    return is_truth(op) || op == Op::kAbs || op == Op::kSign || op == Op::kMin || op == Op::kMax;
}

/// What a symbol stands for. Points have symbols of their own so that a constraint written with
/// velocity(P) can be differentiated with respect to it (RH (5)); mech replaces them when it
/// derives.
enum class SymbolKind : std::uint8_t {
    kTime,
    kParameter,
    kCoordinate,
    kVelocity,
    kAcceleration,
    kPointPosition,
    kPointVelocity,
    kPointAcceleration,
    kReaction,  ///< reaction(c) as written, or the multiplier lambda of a constraint row
};

/// Handle of a node. Equal handles of one graph are equal expressions.
struct Expr {
    std::uint32_t id = 0;
    friend bool operator==(Expr, Expr) = default;
    friend std::strong_ordering operator<=>(Expr a, Expr b) { return a.id <=> b.id; }
};

/// What is known of a node's values at finite arguments, overflow and underflow aside.
enum class Fact : std::uint8_t {
    kFinite = 1,       ///< a finite number everywhere
    kNotNegative = 2,  ///< >= 0 wherever it is a number
    kNotZero = 4,      ///< other than 0 wherever it is a number
};

struct Node {
    Op op;
    SymbolKind kind = SymbolKind::kTime;  ///< of a symbol
    std::uint8_t facts = 0;               ///< bits of Fact; follow from all the rest
    std::uint32_t a = 0;  ///< operands; for constants and symbols `a` is the index of their record
    std::uint32_t b = 0;
    std::uint32_t c = 0;
    friend bool operator==(const Node& x, const Node& y) {
        return x.op == y.op && x.kind == y.kind && x.a == y.a && x.b == y.b && x.c == y.c;
    }
};

/// A number: its value, and the exact fraction where there is one.
struct Number {
    double value = 0.0;
    std::int64_t numerator = 0;
    std::int64_t denominator = 0;  ///< 0: no exact fraction is known

    bool exact() const { return denominator != 0; }
};

/// A number of the graph, and how it was written.
struct Constant : Number {
    std::string text;  ///< its magnitude as the modeller wrote it, "" for a computed number
};

struct Symbol {
    SymbolKind kind;
    std::string name;
};

class Graph {
  public:
    Graph();

    /// While one lives, expressions are derived, not written: the formal rules hold as well.
    class Formal {
      public:
        explicit Formal(Graph& graph, bool formal = true)
            : graph_(graph), before_(std::exchange(graph.formal_, formal)) {}
        ~Formal() { graph_.formal_ = before_; }
        Formal(const Formal&) = delete;
        Formal& operator=(const Formal&) = delete;

      private:
        Graph& graph_;
        bool before_;
    };

    // Leaves.
    Expr integer(std::int64_t value) { return fraction(value, 1); }
    Expr fraction(std::int64_t numerator, std::int64_t denominator);
    Expr number(double value);            ///< a computed number; integers are exact
    Expr literal(std::string_view text);  ///< requires a decimal literal: 12, 0.5, 1e-3
    Expr pi();
    /// A new symbol, or the existing one of that kind and name.
    Expr symbol(SymbolKind kind, std::string_view name);
    std::optional<Expr> find_symbol(SymbolKind kind, std::string_view name) const;

    // Arithmetic, in canonical form.
    Expr add(Expr a, Expr b);
    Expr sub(Expr a, Expr b);
    Expr neg(Expr a);
    Expr mul(Expr a, Expr b);
    Expr div(Expr a, Expr b);
    Expr pow(Expr a, Expr b);
    Expr square(Expr a) { return pow(a, integer(2)); }
    /// Any function or truth value of the list above with one or two arguments.
    Expr apply(Op op, Expr a);
    Expr apply(Op op, Expr a, Expr b);
    Expr select(Expr condition, Expr then, Expr otherwise);
    /// An operation on one or two operands as it is, without asking which rules apply. Requires
    /// that none does, or only that the older operand comes first (`by_age`).
    Expr repeat(Op op, Expr a) { return intern(op, a.id); }
    Expr repeat(Op op, Expr a, Expr b, bool by_age) {
        return by_age && b < a ? intern(op, b.id, a.id) : intern(op, a.id, b.id);
    }

    // Reading.
    std::size_t size() const { return nodes_.size(); }
    const Node& node(Expr e) const {
        ANANKE_DEBUG_CHECK(e.id < nodes_.size());
        return nodes_[e.id];
    }
    bool is_constant(Expr e) const { return node(e).op == Op::kConstant; }
    bool is_symbol(Expr e) const { return node(e).op == Op::kSymbol; }
    bool is_symbol(Expr e, SymbolKind kind) const { return is_symbol(e) && node(e).kind == kind; }
    SymbolKind symbol_kind(Expr e) const {  ///< requires is_symbol(e)
        ANANKE_DEBUG_CHECK(is_symbol(e));
        return node(e).kind;
    }
    /// True if the fact is known; it may hold without being known.
    bool is(Expr e, Fact fact) const {
        return (node(e).facts & static_cast<std::uint8_t>(fact)) != 0;
    }
    bool is_formal() const { return formal_; }
    bool is_zero(Expr e) const { return e == zero_; }
    bool is_one(Expr e) const { return e == one_; }
    const Constant& constant(Expr e) const;     ///< requires is_constant(e)
    const Symbol& symbol_record(Expr e) const;  ///< requires is_symbol(e)
    Expr zero() const { return zero_; }
    Expr one() const { return one_; }

    /// Gives back the memory that only new expressions need; the next one takes it again, at the
    /// cost of a look at every node. For large graphs that are complete.
    void settle();

    /// The rules at the top of this file hold for this node (its operands are nodes of their own).
    bool is_canonical(Expr e) const;

  private:
    /// e = coefficient * rest, the coefficient an exact number (1 if there is none).
    struct Scaled {
        Number coefficient;
        Expr rest;
    };
    /// e = base ^ exponent with an exact exponent (1 if there is none).
    struct Powered {
        Expr base;
        Number exponent;
    };

    Expr intern(Op op, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0);
    Expr intern_product(Expr a, Expr b);
    Expr intern_signed_product(Expr a, Expr b);
    std::uint8_t facts_of(const Node& node) const;
    bool may_drop(Expr e) const;    ///< 0*e is 0, e - e is 0
    bool may_cancel(Expr e) const;  ///< e/e is 1
    void know_all_nodes();
    Expr intern_constant(const Number& number, std::string_view text = "");
    Expr scaled(const Number& coefficient, Expr rest);
    const Constant* exact_constant(Expr e) const;
    Scaled split_coefficient(Expr e) const;
    Powered split_power(Expr e) const;
    Expr sum_of(Op op, Expr a, Expr b);
    std::optional<Expr> fold_function(Op op, Expr a);

    GrowingArray<Node> nodes_;
    std::vector<Constant> constants_;
    std::vector<Symbol> symbols_;
    NodeTable known_nodes_;  ///< operations, unless the graph is settled
    bool settled_ = false;
    bool formal_ = false;
    IndexTable known_constants_;  ///< their nodes
    IndexTable known_symbols_;    ///< their nodes
    Expr zero_;
    Expr one_;
};

}  // namespace ananke::sym

template <>
struct std::hash<ananke::sym::Expr> {
    std::size_t operator()(ananke::sym::Expr e) const noexcept { return e.id; }
};
