#include "sym/shape.h"

#include <algorithm>
#include <array>
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

namespace {

/// Places of nodes among a few others, by a table of their own.
class FewPlaces {
  public:
    static constexpr std::size_t kMost = 128;

    explicit FewPlaces(std::span<const Expr> nodes) : nodes_(nodes), mask_(1) {
        while (mask_ < 2 * nodes.size()) {
            mask_ *= 2;
        }
        mask_ -= 1;
        std::fill_n(table_.begin(), mask_ + 1, kNone);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            std::size_t at = nodes[i].id & mask_;  // neighbours in the graph meet rarely
            while (table_[at] != kNone) {
                at = (at + 1) & mask_;
            }
            table_[at] = static_cast<std::uint8_t>(i);
        }
    }
    /// Requires that it is among them.
    std::uint32_t operator()(Expr e) const {
        std::size_t at = e.id & mask_;
        while (nodes_[table_[at]] != e) {
            at = (at + 1) & mask_;
        }
        return table_[at];
    }

  private:
    static constexpr std::uint8_t kNone = 255;

    std::span<const Expr> nodes_;
    std::size_t mask_;
    std::array<std::uint8_t, 2 * kMost> table_;
};

template <class Place>
Shape make_shape(const Graph& graph, std::span<const Expr> nodes, const Place& place) {
    Shape shape;
    shape.reserve(3 * nodes.size());
    for (const Expr e : nodes) {
        const Node& node = graph.node(e);
        shape.push_back(static_cast<std::uint32_t>(node.op));
        if (graph.is_constant(e) || graph.is_symbol(e, SymbolKind::kParameter)) {
            shape.push_back(e.id);
        } else if (graph.is_symbol(e)) {
            constexpr std::uint32_t kNoId = std::numeric_limits<std::uint32_t>::max();
            shape.push_back(kNoId - static_cast<std::uint32_t>(graph.symbol_kind(e)));
        }
        for_each_operand(node, [&](Expr operand) { shape.push_back(place(operand)); });
    }
    return shape;
}

}  // namespace

Shape shape_of(const Graph& graph, std::span<const Expr> nodes) {
    if (nodes.size() <= FewPlaces::kMost) {
        return make_shape(graph, nodes, FewPlaces(nodes));
    }
    return make_shape(graph, nodes, [&](Expr e) { return place_of(nodes, e); });
}

}  // namespace ananke::sym
