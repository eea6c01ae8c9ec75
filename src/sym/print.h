// Expressions as a person writes them.
//
// The graph stores m/2*x'^2 as (1/2)*(m*x'^2). Printing undoes such storage forms: products are
// gathered over one fraction bar, signs go in front of terms, numbers appear as they were written.
// Only as many parentheses as the notation needs. Nothing recurses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sym/graph.h"
#include "sym/node_map.h"

namespace ananke::sym {

enum class Notation : std::uint8_t {
    kText,   ///< the modelling language: m*g*sin(th), m*x'^2/2
    kLatex,  ///< m\,g\,\sin\theta, \frac{1}{2}\,m\,\dot{x}^{2}
    kC,      ///< C99 with <math.h>; symbols as identifiers (c_name), all numbers double
};

/// A subexpression that is printed by name instead of being written out.
struct Named {
    std::string name;  ///< s1, q[0]; in LaTeX a plain word is set as a symbol is: s_{1}
    Expr value;
};

/// The subexpressions worth a name: used at least `min_uses` times by the roots and their parts
/// and, written out, at least `min_size` operations, symbols and numbers long. In an order in which
/// each uses only earlier ones; named s1, s2, ... (another letter where a symbol is called so).
/// Printed with these names, the total length is at most about min_size times the nodes.
std::vector<Named> common_subexpressions(const Graph& graph, std::span<const Expr> roots,
                                         int min_uses = 2, std::size_t min_size = 6);

/// Writes many expressions of one graph with one set of names. The graph must outlive it.
class Printer {
  public:
    explicit Printer(const Graph& graph, Notation notation = Notation::kText,
                     std::span<const Named> names = {});

    /// The expression, or its name if it has one.
    std::string print(Expr e) const;
    /// The expression, its parts by name but itself written out: the right side of a definition.
    std::string print_value(Expr e) const;
    /// One line per name, in the given order: `let s1 = ...`, `s_{1} = ... \\`,
    /// `const double s1 = ...;`. Names of single symbols (q[0] for x) are not defined.
    std::string print_definitions() const;

  private:
    const Graph& graph_;
    Notation notation_;
    std::vector<Named> definitions_;
    NodeMap<std::string> names_;
};

/// One expression. Shared parts are written out each time they are used, unless that would be
/// longer than 20,000 operations and twice the number of distinct ones (written out, a graph of n
/// nodes can be 2^n long): then the lines of print_definitions() for its common subexpressions
/// come first and the expression itself is the last line.
std::string print(const Graph& graph, Expr e, Notation notation = Notation::kText);

/// print(), with "..." for the inner parts of an expression that is longer than some lines: enough
/// to recognise it, at a cost that does not grow with it.
std::string print_outline(const Graph& graph, Expr e);

/// How long the expression is with all shared parts written out each time they are used, in
/// operations, symbols and numbers: each is at least one character. Up to 2^nodes.
double written_size(const Graph& graph, Expr e);

/// The name in the language: x, x', x[3]', velocity(P).x. A velocity symbol may carry its prime in
/// its name or not.
std::string text_name(const Symbol& symbol);
/// The C identifier of a symbol: x' is x_dot, q[3] is q_3, θ is theta; a word of C gets a _.
std::string c_name(const Symbol& symbol);
/// x' is \dot{x}, x[3] and x3 are x_{3}, theta and θ are \theta, mass is \mathrm{mass}.
std::string latex_name(const Symbol& symbol);

}  // namespace ananke::sym
