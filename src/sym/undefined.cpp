#include "sym/undefined.h"

#include <cmath>

#include "sym/evaluate.h"
#include "sym/shape.h"
#include "sym/walk.h"

namespace ananke::sym {

std::optional<Undefined> find_undefined(const Graph& graph, Expr root,
                                        const std::function<double(Expr)>& value_of_symbol) {
    const std::vector<Expr> nodes = reachable(graph, root);
    Values<double> symbols;
    for (const Expr e : nodes) {
        if (graph.is_symbol(e)) {
            symbols[e] = value_of_symbol(e);
        }
    }
    const std::vector<double> values = evaluate<double>(graph, nodes, symbols);
    const auto value = [&](Expr e) { return values[place_of(nodes, e)]; };
    if (std::isfinite(value(root))) {
        return std::nullopt;
    }
    Expr at = root;
    for (bool deeper = true; deeper;) {
        const Expr here = at;
        const Node& node = graph.node(here);
        deeper = false;
        for_each_operand(node, [&](Expr operand) {
            const bool taken = node.op != Op::kSelect ||
                               operand == Expr{value(Expr{node.a}) != 0.0 ? node.b : node.c};
            if (!deeper && taken && !std::isfinite(value(operand))) {
                at = operand;
                deeper = true;
            }
        });
    }
    Undefined found{at, {}};
    const Node& node = graph.node(at);
    const bool by_zero = node.op == Op::kDiv && value(Expr{node.b}) == 0.0;
    for_each_operand(node, [&](Expr operand) {
        if (!graph.is_constant(operand) && !(by_zero && operand != Expr{node.b})) {
            found.operands.push_back({operand, value(operand) + 0.0});
        }
    });
    return found;
}

}  // namespace ananke::sym
