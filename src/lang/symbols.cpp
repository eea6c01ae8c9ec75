#include "lang/symbols.h"

#include "sym/evaluate.h"
#include "sym/walk.h"

namespace ananke::lang {

// The graph holds operands before their users, so one pass over the new nodes is enough.
Dependence Symbols::dependence(sym::Expr e) {
    const sym::Graph& graph = model_.graph;
    for (std::size_t i = dependence_.size(); i <= e.id; ++i) {
        const sym::Expr node{static_cast<std::uint32_t>(i)};
        Dependence bits = 0;
        if (graph.is_symbol(node)) {
            bits = bit(graph.symbol_kind(node));
        } else {
            sym::for_each_operand(graph.node(node), [&](sym::Expr operand) {
                bits = static_cast<Dependence>(bits | dependence_[operand.id]);
            });
        }
        dependence_.push_back(bits);
    }
    return dependence_[e.id];
}

Dependence Symbols::dependence(const Value& value) {
    Dependence bits = 0;
    for (const sym::Expr part : value.expressions()) {
        bits = static_cast<Dependence>(bits | dependence(part));
    }
    return bits;
}

void Symbols::add_parameter(const mech::Parameter& parameter, double number) {
    numbers_[parameter.symbol] = number;
    parameters_[parameter.symbol] = static_cast<int>(model_.parameters.size());
    model_.parameters.push_back(parameter);
}

std::optional<double> Symbols::number_of(sym::Expr e) const {
    const sym::Graph& graph = model_.graph;
    if (graph.is_constant(e)) {
        return graph.constant(e).value;
    }
    for (const sym::Expr symbol : sym::symbols_of(graph, e)) {
        if (!numbers_.contains(symbol)) {
            return std::nullopt;
        }
    }
    return sym::evaluate<double>(graph, e, numbers_);
}

double Symbols::value(sym::Expr symbol) const {
    const auto found = numbers_.find(symbol);
    return found != numbers_.end() ? found->second : 0.0;
}

void Symbols::mark_structural(sym::Expr e) {
    if (model_.graph.is_constant(e)) {
        return;
    }
    std::vector<sym::Expr> open = sym::symbols_of(model_.graph, e);
    while (!open.empty()) {
        const auto found = parameters_.find(open.back());
        open.pop_back();
        if (found == parameters_.end()) {
            continue;
        }
        mech::Parameter& parameter = model_.parameters[static_cast<std::size_t>(found->second)];
        if (!parameter.structural) {
            parameter.structural = true;
            for (const sym::Expr symbol : sym::symbols_of(model_.graph, parameter.value)) {
                open.push_back(symbol);
            }
        }
    }
}

}  // namespace ananke::lang
