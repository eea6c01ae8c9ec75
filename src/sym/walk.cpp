#include "sym/walk.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/ranges.h"
#include "sym/node_map.h"

namespace ananke::sym {

namespace {

/// The nodes that walks of this thread have met: a node is met if its mark is that of the walk, so
/// that a new walk clears nothing.
class Marks {
  public:
    void begin(std::size_t nodes) {
        if (marks_.size() < nodes) {
            marks_.resize(nodes + nodes / 8, 0);
        }
        if (++walk_ == 0) {
            std::ranges::fill(marks_, 0);
            walk_ = 1;
        }
    }
    /// True the first time.
    bool meet(Expr e) { return std::exchange(marks_[e.id], walk_) != walk_; }

  private:
    GrowingArray<std::uint32_t> marks_;
    std::uint32_t walk_ = 0;
};

struct Walk {
    Marks marks;
    std::vector<Expr> found;
};
thread_local Walk latest;

/// Every node that the roots depend on, in no special order. Valid until the next walk.
std::span<const Expr> met(const Graph& graph, std::span<const Expr> roots) {
    Marks& marks = latest.marks;
    std::vector<Expr>& found = latest.found;
    marks.begin(graph.size());
    found.clear();
    const auto visit = [&](Expr e) {
        if (marks.meet(e)) {
            found.push_back(e);
        }
    };
    for (Expr root : roots) {
        visit(root);
    }
    for (std::size_t next = 0; next < found.size(); ++next) {
        for_each_operand(graph.node(found[next]), visit);
    }
    return found;
}

std::span<const Expr> met(const Graph& graph, Expr root) {
    return met(graph, std::span<const Expr>(&root, 1));
}

}  // namespace

void forget_walks() {
    latest = {};
}

std::vector<Expr> reachable(const Graph& graph, std::span<const Expr> roots) {
    const std::span<const Expr> nodes = met(graph, roots);
    std::vector<Expr> found(nodes.begin(), nodes.end());
    std::ranges::sort(found);  // an operand is older than its users
    return found;
}

std::vector<Expr> reachable(const Graph& graph, Expr root) {
    return reachable(graph, std::span<const Expr>(&root, 1));
}

std::vector<Expr> symbols_of(const Graph& graph, Expr root) {
    std::vector<Expr> symbols;
    for (const Expr e : met(graph, root)) {
        if (graph.is_symbol(e)) {
            symbols.push_back(e);
        }
    }
    std::ranges::sort(symbols);
    return symbols;
}

std::vector<Expr> symbols_of(const Graph& graph, Expr root, SymbolKind kind) {
    std::vector<Expr> symbols = symbols_of(graph, root);
    std::erase_if(symbols, [&](Expr e) { return !graph.is_symbol(e, kind); });
    return symbols;
}

bool depends_on_kind(const Graph& graph, Expr root, SymbolKind kind) {
    const std::span<const Expr> nodes = met(graph, root);
    return std::ranges::any_of(nodes, [&](Expr e) { return graph.is_symbol(e, kind); });
}

Expr rebuild(Graph& graph, Op op, Expr a, Expr b, Expr c) {
    switch (op) {
        case Op::kAdd:
            return graph.add(a, b);
        case Op::kSub:
            return graph.sub(a, b);
        case Op::kNeg:
            return graph.neg(a);
        case Op::kMul:
            return graph.mul(a, b);
        case Op::kDiv:
            return graph.div(a, b);
        case Op::kPow:
            return graph.pow(a, b);
        case Op::kSelect:
            return graph.select(a, b, c);
        default:
            ANANKE_REQUIRE(arity(op) == 1 || arity(op) == 2);
            return arity(op) == 1 ? graph.apply(op, a) : graph.apply(op, a, b);
    }
}

Expr substitute(Graph& graph, Expr root, std::span<const Replacement> replacements) {
    NodeMap<Expr> changed(replacements.size());
    for (const Replacement& r : replacements) {
        changed[r.symbol] = r.value;
    }
    const auto now = [&](std::uint32_t id) {
        const Expr* value = changed.find(Expr{id});
        return value != nullptr ? *value : Expr{id};
    };
    for (Expr e : reachable(graph, root)) {
        const Node node = graph.node(e);  // a copy: building moves the array
        bool touched = false;
        for_each_operand(node, [&](Expr operand) { touched |= changed.contains(operand); });
        if (touched && !changed.contains(e)) {
            changed[e] = rebuild(graph, node.op, now(node.a), now(node.b), now(node.c));
        }
    }
    return now(root.id);
}

Expr substitute(Graph& graph, Expr root, Expr symbol, Expr value) {
    const Replacement one{symbol, value};
    return substitute(graph, root, std::span(&one, 1));
}

Expr without(Graph& graph, Expr root, std::span<const Expr> symbols) {
    const auto zero = [&](Expr symbol) { return Replacement{symbol, graph.zero()}; };
    return substitute(graph, root, transformed(symbols, zero));
}

Expr without(Graph& graph, Expr root, SymbolKind kind) {
    return without(graph, root, symbols_of(graph, root, kind));
}

namespace {

bool is_sum(Op op) {
    return op == Op::kAdd || op == Op::kSub || op == Op::kNeg;
}

/// The sums of `root` and the terms between them, each once, in the order of reading.
std::vector<Expr> open_sums(const Graph& graph, Expr root) {
    std::vector<Expr> opened;
    std::vector<Expr> stack{root};
    NodeMap<bool> seen;
    while (!stack.empty()) {
        const Expr e = stack.back();
        stack.pop_back();
        if (std::exchange(seen[e], true)) {
            continue;
        }
        opened.push_back(e);
        const Node& node = graph.node(e);
        if (is_sum(node.op)) {
            if (node.op != Op::kNeg) {
                stack.push_back(Expr{node.b});
            }
            stack.push_back(Expr{node.a});
        }
    }
    return opened;
}

}  // namespace

std::vector<Expr> summands(Graph& graph, Expr root) {
    const std::vector<Expr> read = open_sums(graph, root);

    // How often each term counts. A shared sum is opened once and its count passed on, so that the
    // cost stays linear where its written-out form would not be.
    std::vector<Expr> newest_first = read;
    std::ranges::sort(newest_first, std::greater<>());
    NodeMap<double> count(read.size());
    count[root] = 1.0;
    for (Expr e : newest_first) {
        const Node& node = graph.node(e);
        const double times = count.at(e);
        if (is_sum(node.op)) {
            count[Expr{node.a}] += node.op == Op::kNeg ? -times : times;
            if (node.op != Op::kNeg) {
                count[Expr{node.b}] += node.op == Op::kSub ? -times : times;
            }
        }
    }

    std::vector<Expr> terms;
    for (Expr e : read) {
        const double times = count.at(e);
        if (!is_sum(graph.node(e).op) && times != 0.0) {
            const Expr term = times < 0.0 ? graph.neg(e) : e;
            const double size = std::abs(times);
            terms.push_back(size == 1.0 ? term : graph.mul(graph.number(size), term));
        }
    }
    return terms;
}

namespace {

/// Its value is never negative, so that it is its own magnitude.
bool is_nonnegative(const Graph& graph, Expr e) {
    const Node& node = graph.node(e);
    switch (node.op) {
        case Op::kConstant:
            return graph.constant(e).value >= 0.0;
        case Op::kSqrt:
        case Op::kExp:
        case Op::kAbs:
        case Op::kCosh:
            return true;
        case Op::kPow:
            return graph.is_constant(Expr{node.b}) && graph.constant(Expr{node.b}).exact() &&
                   graph.constant(Expr{node.b}).denominator == 1 &&
                   graph.constant(Expr{node.b}).numerator % 2 == 0;
        default:
            return false;
    }
}

Expr absolute(Graph& graph, Expr e) {
    return is_nonnegative(graph, e) ? e : graph.apply(Op::kAbs, e);
}

}  // namespace

Expr magnitude(Graph& graph, Expr root) {
    NodeMap<Expr> size;
    for (Expr e : reachable(graph, root)) {
        const Node node = graph.node(e);
        const auto of = [&](std::uint32_t id) { return size.at(Expr{id}); };
        Expr result;
        switch (node.op) {
            case Op::kAdd:
            case Op::kSub:
                result = graph.add(of(node.a), of(node.b));
                break;
            case Op::kNeg:
                result = of(node.a);
                break;
            case Op::kMul:
                result = graph.mul(of(node.a), of(node.b));
                break;
            case Op::kDiv:  // an error of the divisor is relative to the divisor, not to its terms
                result = graph.div(of(node.a), absolute(graph, Expr{node.b}));
                break;
            default:
                result = absolute(graph, e);
                break;
        }
        size[e] = result;
    }
    return size.at(root);
}

}  // namespace ananke::sym
