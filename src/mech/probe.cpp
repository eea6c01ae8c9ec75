#include "mech/probe.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/ranges.h"
#include "mech/values.h"
#include "sym/walk.h"

namespace ananke::mech {

namespace {

/// splitmix64 (Steele, Lea and Flood 2014), as a number in [-1, 1].
Real pseudo_random(std::uint64_t seed) {
    std::uint64_t z = seed * 0x9E3779B97F4A7C15u + 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return static_cast<Real>(z >> 11) / static_cast<Real>(std::uint64_t{1} << 52) - 1;
}

}  // namespace

Probe::Probe(const Model& model, std::span<const double> parameters)
    : initial_(2 * model.coordinates.size()) {
    for (const auto& [symbol, value] : symbol_values<Real>(model, parameters)) {
        fixed_[symbol] = value;
    }
    const Result<InitialState> initial = initial_values(model, parameters);
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
        const Coordinate& c = model.coordinates[i];
        initial_[c.q] = initial ? static_cast<Real>(initial.value().q[i]) : 0;
        initial_[c.v] = initial ? static_cast<Real>(initial.value().v[i]) : 0;
    }
}

Real Probe::value(const sym::Graph& graph, Expr symbol, int sample) const {
    if (const Real* known = fixed_.find(symbol)) {
        return *known;
    }
    const Real* start = initial_.find(symbol);
    const Real base = start == nullptr ? 0 : *start;
    if (sample == kInitial) {
        return base;
    }
    const Real r =
        pseudo_random(std::uint64_t{symbol.id} * 1000u + static_cast<std::uint64_t>(sample));
    return graph.is_symbol(symbol, sym::SymbolKind::kTime) ? 1 + r : base + r;
}

RealValues Probe::values(const sym::Graph& graph, std::span<const Expr> roots, int sample) const {
    RealValues values;
    for (const Expr e : sym::reachable(graph, roots)) {
        if (graph.is_symbol(e)) {
            values[e] = value(graph, e, sample);
        }
    }
    return values;
}

Zero find_zero(const sym::Graph& graph, Expr f, Expr magnitude, std::span<const Expr> symbols,
               std::span<const Expr> gradient, RealValues start) {
    // A zero of multiplicity k is approached at the rate 1 - 1/k: 300 steps suffice up to k = 8.
    constexpr int kSteps = 300;
    constexpr Real kTolerance = 1e-17L;

    std::vector<Expr> roots{f, magnitude};
    append(roots, gradient);
    sym::Evaluation<Real> evaluate(graph, roots);
    Zero zero;
    zero.values = std::move(start);
    Real scale = 0;
    for (int step = 0; step < kSteps; ++step) {
        const std::vector<Real> at = evaluate(zero.values);
        Real squares = 0;
        zero.gradient_at_end = 0;
        for (std::size_t i = 2; i < at.size(); ++i) {
            squares += at[i] * at[i];
            zero.gradient_at_end = std::max(zero.gradient_at_end, std::abs(at[i]));
        }
        if (!std::isfinite(at[0]) || !std::isfinite(squares)) {
            return zero;
        }
        if (step == 0) {
            zero.gradient_at_start = zero.gradient_at_end;
        }
        scale = std::max(scale, at[1]);
        if (std::abs(at[0]) <= kTolerance * scale) {
            zero.found = true;
            return zero;
        }
        if (squares == 0) {
            return zero;
        }
        for (std::size_t i = 0; i < symbols.size(); ++i) {
            zero.values[symbols[i]] -= at[0] * at[i + 2] / squares;
        }
    }
    return zero;
}

}  // namespace ananke::mech
