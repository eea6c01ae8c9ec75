#include "typeset/isolate.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/ranges.h"
#include "mech/collect.h"
#include "sym/differentiate.h"
#include "sym/walk.h"

namespace ananke::typeset {

using mech::collect;
using sym::Expr;
using sym::Graph;
using sym::Op;

namespace {

/// A root must leave less than this of the magnitudes of the terms of f.
constexpr double kRootTolerance = 1e-9;
/// Longer equations are not worth a closed root.
constexpr std::size_t kLongest = 2000;

bool depends_on(const Graph& graph, Expr e, Expr symbol) {
    return contains(sym::reachable(graph, e), symbol);
}

class Isolation {
  public:
    Isolation(Graph& graph, Expr x, const sym::Values<double>& at) : g_(graph), x_(x), at_(at) {}

    /// f = f0 + f1 x, or f0 + f1 x + f2/2 x^2 with f2 free of x.
    std::optional<Isolated> by_degree(Expr f) {
        const Expr slope = collect(g_, sym::derivative(g_, f, x_));
        if (!depends_on(g_, slope, x_)) {
            return vanishes(slope) ? std::nullopt
                                   : std::optional(Isolated{g_.neg(g_.div(at_zero(f), slope))});
        }
        const Expr f2 = collect(g_, sym::derivative(g_, slope, x_));
        if (depends_on(g_, f2, x_) || vanishes(f2)) {
            return std::nullopt;
        }
        const Expr f0 = at_zero(f);
        const Expr f1 = at_zero(slope);
        const Expr two = g_.integer(2);
        if (g_.is_zero(f1)) {
            const Expr root = g_.apply(Op::kSqrt, collect(g_, g_.neg(g_.div(g_.mul(two, f0), f2))));
            return Isolated{at_.at(x_) < 0.0 ? g_.neg(root) : root, true};
        }
        const Expr discriminant = g_.sub(g_.square(f1), g_.mul(two, g_.mul(f2, f0)));
        const Expr root = g_.apply(Op::kSqrt, collect(g_, discriminant));
        const bool plus = number(f2) * at_.at(x_) + number(f1) >= 0.0;
        return Isolated{g_.div(g_.sub(plus ? root : g_.neg(root), f1), f2), true};
    }

    /// Undoes one operation after the other, from the outermost to x.
    std::optional<Isolated> by_inversion(Expr f) {
        Expr right = g_.zero();
        bool branch = false;
        while (f != x_) {
            const sym::Node node = g_.node(f);
            const int count = sym::arity(node.op);
            const bool in_a = count >= 1 && depends_on(g_, Expr{node.a}, x_);
            const bool in_b = count >= 2 && depends_on(g_, Expr{node.b}, x_);
            if (in_a == in_b || count > 2) {
                return std::nullopt;
            }
            const Expr inner{in_a ? node.a : node.b};
            const std::optional<Expr> undone =
                count == 1
                    ? undo(node.op, inner, right, branch)
                    : undo(node.op, Expr{in_a ? node.b : node.a}, in_a, inner, right, branch);
            if (!undone) {
                return std::nullopt;
            }
            right = *undone;
            f = inner;
        }
        return Isolated{right, branch};
    }

    /// f vanishes at the root, at the state and beside it.
    bool holds(Expr f, Expr root) {
        const Expr magnitude = sym::magnitude(g_, f);
        for (int sample = 0; sample < 4; ++sample) {
            sym::Values<double> at = at_;
            int k = 0;
            for (const Expr symbol : sym::symbols_of(g_, f)) {
                at[symbol] *= 1.0 + 0.03 * sample * std::sin(1.0 + ++k);
            }
            at[x_] = sym::evaluate<double>(g_, root, at);
            const double residual = std::abs(sym::evaluate<double>(g_, f, at));
            const double scale = std::abs(sym::evaluate<double>(g_, magnitude, at));
            const bool finite = std::isfinite(residual) && std::isfinite(at[x_]);
            if (!finite && sample > 0) {
                continue;  // beside the state the root may end
            }
            if (!finite || residual > kRootTolerance * std::max(scale, 1e-300)) {
                return false;
            }
        }
        return true;
    }

  private:
    double number(Expr e) const { return sym::evaluate<double>(g_, e, at_); }
    bool vanishes(Expr e) const { return !(std::abs(number(e)) > 0.0); }
    Expr at_zero(Expr e) { return collect(g_, sym::substitute(g_, e, x_, g_.zero())); }

    /// op(inner) = right
    std::optional<Expr> undo(Op op, Expr inner, Expr right, bool& branch) {
        switch (op) {
            case Op::kNeg:
                return g_.neg(right);
            case Op::kSqrt:
                return g_.square(right);
            case Op::kExp:
                return g_.apply(Op::kLog, right);
            case Op::kLog:
                return g_.apply(Op::kExp, right);
            case Op::kAbs:
                branch = true;
                return number(inner) < 0.0 ? g_.neg(right) : right;
            default:
                return std::nullopt;
        }
    }

    /// op(inner, other) = right, or op(other, inner) = right
    std::optional<Expr> undo(Op op, Expr other, bool first, Expr inner, Expr right, bool& branch) {
        switch (op) {
            case Op::kAdd:
                return g_.sub(right, other);
            case Op::kSub:
                return first ? g_.add(right, other) : g_.sub(other, right);
            case Op::kMul:
                return vanishes(other) ? std::nullopt : std::optional(g_.div(right, other));
            case Op::kDiv:
                if (first) {
                    return g_.mul(right, other);
                }
                return vanishes(right) ? std::nullopt : std::optional(g_.div(other, right));
            case Op::kPow:
                if (!first || !g_.is_constant(other) || vanishes(other)) {
                    return std::nullopt;
                }
                branch = true;
                if (number(inner) < 0.0) {
                    const bool even = std::fmod(number(other), 2.0) == 0.0;
                    const Expr size = even ? right : g_.neg(right);
                    return g_.neg(g_.pow(size, g_.div(g_.one(), other)));
                }
                return g_.pow(right, g_.div(g_.one(), other));
            default:
                return std::nullopt;
        }
    }

    Graph& g_;
    Expr x_;
    const sym::Values<double>& at_;
};

}  // namespace

std::optional<Isolated> isolate(Graph& graph, Expr f, Expr x, const sym::Values<double>& at) {
    const sym::Graph::Formal formal(graph);
    if (sym::reachable(graph, f).size() > kLongest || !depends_on(graph, f, x)) {
        return std::nullopt;
    }
    Isolation isolation(graph, x, at);
    std::optional<Isolated> root = isolation.by_degree(f);
    if (!root) {
        root = isolation.by_inversion(f);
    }
    if (root) {
        root->value = collect(graph, root->value);
    }
    if (!root || depends_on(graph, root->value, x) || !isolation.holds(f, root->value)) {
        return std::nullopt;
    }
    return root;
}

}  // namespace ananke::typeset
