#include "sym/differentiate.h"

#include <algorithm>

#include "sym/node_map.h"

namespace ananke::sym {
namespace {

/// f = op(a, b, c) at one node.
struct Operation {
    Op op;
    Expr f, a, b, c;
};

Operation operation(const Graph& graph, Expr f) {
    const Node& node = graph.node(f);
    return {node.op, f, Expr{node.a}, Expr{node.b}, Expr{node.c}};
}

/// factor * ∂f/∂a for the operations of one argument.
Expr times_derivative(Graph& g, const Operation& n, Expr factor) {
    switch (n.op) {
        case Op::kNeg:  // -1
            return g.neg(factor);
        case Op::kSin:  // cos a
            return g.mul(factor, g.apply(Op::kCos, n.a));
        case Op::kCos:  // -sin a
            return g.neg(g.mul(factor, g.apply(Op::kSin, n.a)));
        case Op::kTan:  // 1 + tan² a                              cos a ≠ 0
            return g.mul(factor, g.add(g.square(n.f), g.one()));
        case Op::kAsin:  // 1 / sqrt(1 - a²)                       |a| < 1
            return g.div(factor, g.apply(Op::kSqrt, g.sub(g.one(), g.square(n.a))));
        case Op::kAcos:  // -1 / sqrt(1 - a²)                      |a| < 1
            return g.neg(g.div(factor, g.apply(Op::kSqrt, g.sub(g.one(), g.square(n.a)))));
        case Op::kAtan:  // 1 / (1 + a²)
            return g.div(factor, g.add(g.square(n.a), g.one()));
        case Op::kSinh:  // cosh a
            return g.mul(factor, g.apply(Op::kCosh, n.a));
        case Op::kCosh:  // sinh a
            return g.mul(factor, g.apply(Op::kSinh, n.a));
        case Op::kTanh:  // 1 - tanh² a
            return g.mul(factor, g.sub(g.one(), g.square(n.f)));
        case Op::kExp:  // exp a
            return g.mul(factor, n.f);
        case Op::kLog:  // 1 / a                                   a > 0
            return g.div(factor, n.a);
        case Op::kSqrt:  // 1 / (2 sqrt a)                         a > 0
            return g.div(factor, g.mul(g.integer(2), n.f));
        case Op::kAbs:  // sign a                                  a ≠ 0
            return g.mul(factor, g.apply(Op::kSign, n.a));
        default:
            ANANKE_REQUIRE(false);
            return g.zero();
    }
}

/// factor * ∂f/∂(operand i): every operation's derivative, next to where it exists. A truth value
/// and sign are constant between their jumps; min, max and select follow the chosen side.
Expr times_partial(Graph& g, const Operation& n, int i, Expr factor) {
    switch (n.op) {
        case Op::kSign:
            return g.zero();
        case Op::kAdd:  // 1, 1
            return factor;
        case Op::kSub:  // 1, -1
            return i == 0 ? factor : g.neg(factor);
        case Op::kMul:  // b, a
            return g.mul(factor, i == 0 ? n.b : n.a);
        case Op::kDiv:  // 1/b, -f/b                               b ≠ 0
            return i == 0 ? g.div(factor, n.b) : g.neg(g.div(g.mul(factor, n.f), n.b));
        case Op::kPow:  // b a^(b-1), a^b log a                    second: a > 0
            return i == 0 ? g.mul(factor, g.mul(n.b, g.pow(n.a, g.sub(n.b, g.one()))))
                          : g.mul(factor, g.mul(n.f, g.apply(Op::kLog, n.a)));
        case Op::kAtan2:  // b/(a²+b²), -a/(a²+b²)                 (a, b) ≠ 0
            return i == 0 ? g.div(g.mul(factor, n.b), g.add(g.square(n.a), g.square(n.b)))
                          : g.neg(g.div(g.mul(factor, n.a), g.add(g.square(n.a), g.square(n.b))));
        case Op::kMin:  // 1, 0 where a < b, else 0, 1             a ≠ b
            return i == 0 ? g.select(g.apply(Op::kLess, n.a, n.b), factor, g.zero())
                          : g.select(g.apply(Op::kLess, n.a, n.b), g.zero(), factor);
        case Op::kMax:  // 1, 0 where b < a, else 0, 1             a ≠ b
            return i == 0 ? g.select(g.apply(Op::kLess, n.b, n.a), factor, g.zero())
                          : g.select(g.apply(Op::kLess, n.b, n.a), g.zero(), factor);
        case Op::kSelect:  // 0, then 1, 0 or 0, 1                 where a does not change
            if (i == 0) {
                return g.zero();
            }
            return i == 1 ? g.select(n.a, factor, g.zero()) : g.select(n.a, g.zero(), factor);
        default:
            return is_truth(n.op) ? g.zero() : times_derivative(g, n, factor);
    }
}

/// Rate of f when its operands have the given rates (0: at rest).
Expr rate_of(Graph& g, const Operation& n, Expr da, Expr db, Expr dc) {
    // One choice between two rates reads better than a sum of two choices.
    switch (n.op) {
        case Op::kMin:
            return g.select(g.apply(Op::kLess, n.a, n.b), da, db);
        case Op::kMax:
            return g.select(g.apply(Op::kLess, n.b, n.a), da, db);
        case Op::kSelect:
            return g.select(n.a, db, dc);
        case Op::kDiv:  // (da - f db) / b
            return g.div(g.sub(da, g.mul(n.f, db)), n.b);
        default:
            break;
    }
    Expr sum = g.zero();
    const Expr rates[] = {da, db, dc};
    for (int i = 0; i < arity(n.op); ++i) {
        if (!g.is_zero(rates[i])) {
            sum = g.add(sum, times_partial(g, n, i, rates[i]));
        }
    }
    return sum;
}

/// The given nodes that depend on one of the symbols, in the given order.
std::vector<Expr> dependent_nodes(const Graph& graph, std::span<const Expr> nodes,
                                  std::span<const Expr> symbols) {
    NodeMap<bool> depends(nodes.size());
    for (Expr s : symbols) {
        depends[s] = true;
    }
    std::vector<Expr> dependent;
    for (Expr e : nodes) {
        bool found = depends.contains(e);
        for_each_operand(graph.node(e), [&](Expr operand) { found |= depends.contains(operand); });
        if (found) {
            depends[e] = true;
            dependent.push_back(e);
        }
    }
    return dependent;
}

}  // namespace

Expr derivative(Graph& graph, Expr f, Expr symbol) {
    const Replacement seed{symbol, graph.one()};
    return directional(graph, f, std::span<const Replacement>(&seed, 1));
}

Expr directional(Graph& graph, Expr f, std::span<const Replacement> seeds) {
    const Graph::Formal formal(graph);
    NodeMap<Expr> rates(seeds.size());  // a node without an entry rests
    for (const Replacement& seed : seeds) {
        ANANKE_REQUIRE(graph.is_symbol(seed.symbol));
        if (!graph.is_zero(seed.value)) {
            rates[seed.symbol] = seed.value;
        }
    }
    const auto rate = [&](Expr e) {
        const Expr* found = rates.find(e);
        return found != nullptr ? *found : graph.zero();
    };
    for (Expr e : reachable(graph, f)) {
        const Operation n = operation(graph, e);
        bool moves = false;
        for_each_operand(graph.node(e), [&](Expr operand) { moves |= rates.contains(operand); });
        if (moves) {
            const Expr result = rate_of(graph, n, rate(n.a), rate(n.b), rate(n.c));
            if (!graph.is_zero(result)) {
                rates[e] = result;
            }
        }
    }
    return rate(f);
}

std::vector<Expr> gradient(Graph& graph, Expr f, std::span<const Expr> symbols) {
    const Graph::Formal formal(graph);
    const std::vector<Expr> nodes = dependent_nodes(graph, reachable(graph, f), symbols);
    NodeMap<Expr> adjoints(nodes.size());  // ∂f/∂node; only nodes that depend on the symbols
    for (Expr e : nodes) {
        adjoints[e] = graph.zero();
    }
    if (!nodes.empty() && nodes.back() == f) {
        adjoints[f] = graph.one();
    }
    for (std::size_t k = nodes.size(); k-- > 0;) {  // users before operands
        const Operation n = operation(graph, nodes[k]);
        const Expr adjoint = adjoints.at(n.f);
        if (graph.is_zero(adjoint)) {
            continue;
        }
        const Expr operands[] = {n.a, n.b, n.c};
        for (int i = 0; i < arity(n.op); ++i) {
            if (Expr* sum = adjoints.find(operands[i])) {
                *sum = graph.add(*sum, times_partial(graph, n, i, adjoint));
            }
        }
    }
    std::vector<Expr> result;
    result.reserve(symbols.size());
    for (Expr s : symbols) {
        ANANKE_REQUIRE(graph.is_symbol(s));
        const Expr* found = adjoints.find(s);
        result.push_back(found != nullptr ? *found : graph.zero());
    }
    return result;
}

std::optional<Expr> find_kink(const Graph& graph, Expr f, std::span<const Expr> symbols) {
    const std::vector<Expr> nodes = dependent_nodes(graph, reachable(graph, f), symbols);
    const auto found =
        std::ranges::find_if(nodes, [&](Expr e) { return has_kink(graph.node(e).op); });
    return found != nodes.end() ? std::optional(*found) : std::nullopt;
}

}  // namespace ananke::sym
