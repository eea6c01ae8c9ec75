#include "classify/linear_text.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "base/text.h"
#include "mech/collect.h"
#include "sym/differentiate.h"
#include "sym/print.h"
#include "sym/walk.h"

namespace ananke::classify {

using mech::collect;
using sym::Graph;

namespace {

constexpr Real kNothing = 1e-12L;  // of the largest coefficient

std::string equation(const Graph& graph, Expr l) {
    return sym::print(graph, l) + " = 0";
}

}  // namespace

std::string linear_text(Graph& graph, Expr l, std::span<const Expr> velocities) {
    const sym::Graph::Formal formal(graph);
    const Expr rest = collect(graph, sym::without(graph, l, velocities));
    const std::vector<Expr> slopes = sym::gradient(graph, l, velocities);
    std::string best = equation(graph, collect(graph, l));
    for (const Expr divisor : slopes) {
        if (graph.is_zero(divisor)) {
            continue;
        }
        Expr sum = graph.zero();
        for (std::size_t j = 0; j < velocities.size(); ++j) {
            const Expr ratio = collect(graph, graph.div(slopes[j], divisor));
            sum = graph.add(sum, graph.mul(ratio, velocities[j]));
        }
        sum = graph.add(sum, collect(graph, graph.div(rest, divisor)));
        const std::string text = equation(graph, sum);
        if (text.size() < best.size()) {
            best = text;
        }
    }
    return best;
}

std::string linear_text(const Graph& graph, std::span<const Expr> velocities,
                        std::span<const Real> coefficients) {
    ANANKE_REQUIRE(coefficients.size() == velocities.size() + 1);
    Real largest = 0;
    for (std::size_t j = 0; j < velocities.size(); ++j) {
        largest = std::abs(coefficients[j]) > std::abs(largest) * (1 + kNothing) ? coefficients[j]
                                                                                 : largest;
    }
    std::string text;
    for (std::size_t j = 0; j <= velocities.size(); ++j) {
        const Real c = coefficients[j] / largest;
        if (std::abs(c) < kNothing) {
            continue;
        }
        const std::string size = to_short_text(static_cast<double>(std::abs(c)), 6);
        const std::string name = j < velocities.size() ? sym::print(graph, velocities[j]) : "";
        text += text.empty() ? (c < 0 ? "-" : "") : (c < 0 ? " - " : " + ");
        text += name.empty() ? size : size == "1" ? name : size + "*" + name;
    }
    return text + " = 0";
}

}  // namespace ananke::classify
