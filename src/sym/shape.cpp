#include "sym/shape.h"

#include <algorithm>
#include <limits>

#include "sym/walk.h"

namespace ananke::sym {

std::size_t ShapeHash::operator()(const Shape& shape) const {
    std::uint64_t hash = shape.size();
    for (const std::uint32_t word : shape) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32U;
    }
    return hash;
}

std::uint32_t place_of(std::span<const Expr> nodes, Expr e) {
    const auto found = std::lower_bound(nodes.begin(), nodes.end(), e);
    return static_cast<std::uint32_t>(found != nodes.end() && *found == e ? found - nodes.begin()
                                                                          : std::ssize(nodes));
}

Shape shape_of(const Graph& graph, std::span<const Expr> nodes) {
    Shape shape;
    shape.reserve(3 * nodes.size());
    for (const Expr e : nodes) {
        const Node& node = graph.node(e);
        shape.push_back(static_cast<std::uint32_t>(node.op));
        if (graph.is_constant(e) || graph.is_symbol(e, SymbolKind::kParameter)) {
            shape.push_back(e.id);
        } else if (graph.is_symbol(e)) {
            constexpr std::uint32_t kNoId = std::numeric_limits<std::uint32_t>::max();
            shape.push_back(kNoId - static_cast<std::uint32_t>(graph.symbol_record(e).kind));
        }
        for_each_operand(node, [&](Expr operand) { shape.push_back(place_of(nodes, operand)); });
    }
    return shape;
}

}  // namespace ananke::sym
