#include "mech/collect.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ranges.h"
#include "sym/shape.h"
#include "sym/walk.h"

namespace ananke::mech {

using sym::Expr;
using sym::Graph;
using sym::Node;
using sym::Op;
using sym::SymbolKind;

namespace {

// Sums longer than this stay as they are: prefix sums share their parts only if left alone.
constexpr std::size_t kLongestSum = 48;
// Expressions of fewer nodes have no like terms that the graph does not see: 2*(x - y).
constexpr std::size_t kShortest = 6;
// Searching longer expressions for like terms takes too long, and nobody reads them.
constexpr std::size_t kLongest = 250;
constexpr std::int64_t kLargestPower = 64;

/// Factors with their integer powers, in the order in which they are written.
using Factor = std::pair<Expr, std::int64_t>;
using Monomial = std::vector<Factor>;

struct Term {
    Monomial factors;
    Expr coefficient;  ///< an exact number
    /// The product as the graph has it, and its coefficient; set while the term is still that
    /// product.
    std::optional<Expr> standing = std::nullopt;
    Expr standing_coefficient = {};
};
using Terms = std::vector<Term>;

/// Numbers, then parameters, then other symbols, then functions and sums.
int rank(const Graph& graph, Expr e) {
    if (graph.is_constant(e)) {
        return 0;
    }
    if (graph.is_symbol(e)) {
        return graph.is_symbol(e, SymbolKind::kParameter) ? 1 : 2;
    }
    return 3;
}

std::optional<std::int64_t> small_integer(const Graph& graph, Expr e) {
    if (!graph.is_constant(e) || graph.constant(e).denominator != 1) {
        return std::nullopt;
    }
    const std::int64_t value = graph.constant(e).numerator;
    return std::abs(value) <= kLargestPower ? std::optional(value) : std::nullopt;
}

bool is_exact(const Graph& graph, Expr e) {
    return graph.is_constant(e) && graph.constant(e).exact();
}

bool is_sum(const Graph& graph, Expr e) {
    const Op op = graph.node(e).op;
    return op == Op::kAdd || op == Op::kSub;
}

/// x/x is 1 in a derivation, and where x is never 0.
bool may_cancel(const Graph& graph, Expr e) {
    return graph.is_formal() ||
           (graph.is(e, sym::Fact::kFinite) && graph.is(e, sym::Fact::kNotZero));
}

/// 0 times the monomial is 0.
bool may_drop(const Graph& graph, const Monomial& factors) {
    return graph.is_formal() || std::ranges::all_of(factors, [&](const Factor& factor) {
               return graph.is(factor.first, sym::Fact::kFinite) &&
                      (factor.second > 0 || graph.is(factor.first, sym::Fact::kNotZero));
           });
}

void normalize(const Graph& graph, Monomial& factors) {
    std::ranges::sort(factors, [&](const Factor& a, const Factor& b) {
        return std::tuple(rank(graph, a.first), a.first, a.second < 0) <
               std::tuple(rank(graph, b.first), b.first, b.second < 0);
    });
    Monomial gathered;
    for (const Factor& factor : factors) {
        if (!gathered.empty() && gathered.back().first == factor.first &&
            ((gathered.back().second > 0) == (factor.second > 0) ||
             may_cancel(graph, factor.first))) {
            gathered.back().second += factor.second;
        } else {
            gathered.push_back(factor);
        }
    }
    std::erase_if(gathered, [](const Factor& factor) { return factor.second == 0; });
    factors = std::move(gathered);
}

/// A difference of two names that is to be written the other way round: the less constant one
/// stands first, then the older one.
bool is_reversed(const Graph& graph, const Node& node) {
    if (node.op != Op::kSub || !graph.is_symbol(Expr{node.a}) || !graph.is_symbol(Expr{node.b})) {
        return false;
    }
    const int a = rank(graph, Expr{node.a});
    const int b = rank(graph, Expr{node.b});
    return a < b || (a == b && node.a > node.b);
}

/// A product as a coefficient and a monomial.
Term term_of(Graph& graph, Expr e) {
    Term term{{}, graph.one()};
    std::vector<Factor> stack{{e, 1}};
    while (!stack.empty()) {
        const auto [factor, power] = stack.back();
        stack.pop_back();
        const Node node = graph.node(factor);
        if (is_exact(graph, factor) && !graph.is_zero(factor)) {
            term.coefficient = graph.mul(term.coefficient, graph.pow(factor, graph.integer(power)));
        } else if (node.op == Op::kMul) {
            stack.push_back({Expr{node.b}, power});
            stack.push_back({Expr{node.a}, power});
        } else if (node.op == Op::kDiv) {
            stack.push_back({Expr{node.b}, -power});
            stack.push_back({Expr{node.a}, power});
        } else if (node.op == Op::kNeg) {
            stack.push_back({Expr{node.a}, power});
            term.coefficient = power % 2 == 0 ? term.coefficient : graph.neg(term.coefficient);
        } else if (const auto k = small_integer(graph, Expr{node.b});
                   node.op == Op::kPow && k && std::abs(*k * power) <= kLargestPower) {
            stack.push_back({Expr{node.a}, *k * power});
        } else if (is_reversed(graph, node)) {  // b - a = -(a - b)
            term.factors.emplace_back(graph.sub(Expr{node.b}, Expr{node.a}), power);
            term.coefficient = power % 2 == 0 ? term.coefficient : graph.neg(term.coefficient);
        } else {
            term.factors.emplace_back(factor, power);
        }
    }
    normalize(graph, term.factors);
    return term;
}

/// Regrouping factors may overflow: a product that was written, and only met another of its kind,
/// keeps its order.
Term standing_term_of(Graph& graph, Expr e) {
    Term term = term_of(graph, e);
    if (!graph.is_formal()) {
        term.standing = e;
        term.standing_coefficient = term.coefficient;
    }
    return term;
}

Expr product(Graph& graph, const Term& term) {
    if (term.standing) {
        return graph.mul(graph.div(term.coefficient, term.standing_coefficient), *term.standing);
    }
    Expr above = graph.one();
    Expr below = graph.one();
    for (std::size_t k = term.factors.size(); k-- > 0;) {  // f1*(f2*f3) keeps the order in print
        const auto& [base, power] = term.factors[k];
        Expr& side = power > 0 ? above : below;
        side = graph.mul(graph.pow(base, graph.integer(std::abs(power))), side);
    }
    return graph.mul(term.coefficient, graph.div(above, below));
}

/// Adds up terms with equal monomials; the first one keeps its place.
Terms merged(Graph& graph, const Terms& terms) {
    std::map<Monomial, std::size_t> places;
    Terms result;
    for (const Term& term : terms) {
        const auto [place, is_new] = places.emplace(term.factors, result.size());
        if (is_new) {
            result.push_back(term);
        } else {
            Expr& coefficient = result[place->second].coefficient;
            coefficient = graph.add(coefficient, term.coefficient);
        }
    }
    std::erase_if(result, [&](const Term& term) {
        return graph.is_zero(term.coefficient) && may_drop(graph, term.factors);
    });
    return result;
}

/// The monomial with one factor changed by a power; the factor has at least that power before.
Monomial times_power(const Graph& graph, Monomial monomial, Expr base, std::int64_t power) {
    const auto factor = std::ranges::find_if(
        monomial, [&](const Factor& one) { return one.first == base && one.second > 0; });
    if (factor == monomial.end()) {
        monomial.emplace_back(base, power);
    } else {
        factor->second += power;
        std::erase_if(monomial, [](const Factor& one) { return one.second == 0; });
    }
    normalize(graph, monomial);
    return monomial;
}

/// One use of c R sin^2 + c R cos^2 = c R; true if there was one.
bool use_pythagoras(Graph& graph, Terms& terms) {
    std::map<Monomial, std::size_t> places;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        places.emplace(terms[i].factors, i);
    }
    for (std::size_t i = 0; i < terms.size(); ++i) {
        for (const auto& [base, power] : Monomial(terms[i].factors)) {
            if (graph.node(base).op != Op::kSin || power < 2) {
                continue;
            }
            const Expr cosine = graph.apply(Op::kCos, Expr{graph.node(base).a});
            const Monomial rest = times_power(graph, terms[i].factors, base, -2);
            const auto partner = places.find(times_power(graph, rest, cosine, 2));
            if (partner != places.end() &&
                terms[partner->second].coefficient == terms[i].coefficient) {
                terms[i].factors = rest;
                terms[i].standing.reset();
                terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(partner->second));
                return true;
            }
        }
    }
    return false;
}

Terms simplified(Graph& graph, const Terms& terms) {
    Terms result = merged(graph, terms);
    while (use_pythagoras(graph, result)) {
        result = merged(graph, result);
    }
    return result;
}

/// A sum of plain names, like x1 - x2: a difference that is better kept for accuracy.
bool is_plain_sum(Graph& graph, Expr e) {
    const std::vector<Expr> parts = sym::summands(graph, e);
    return std::ranges::all_of(parts, [&](Expr part) {
        return graph.is_symbol(part) || graph.is_constant(part) ||
               (graph.node(part).op == Op::kNeg && graph.is_symbol(Expr{graph.node(part).a}));
    });
}

enum class Reach : std::uint8_t { kCompoundSums, kAllSums };

/// One term with its factors that are sums multiplied in; empty if that grows too long.
std::optional<Terms> multiplied_out(Graph& graph, const Term& whole, Reach reach) {
    Terms done;
    Terms open{whole};
    while (!open.empty()) {
        const Term term = std::move(open.back());
        open.pop_back();
        const auto sum = std::ranges::find_if(term.factors, [&](const Factor& factor) {
            return factor.second > 0 && factor.second <= 2 && is_sum(graph, factor.first) &&
                   (reach == Reach::kAllSums || !is_plain_sum(graph, factor.first));
        });
        if (sum == term.factors.end()) {
            done.push_back(term);
            continue;
        }
        const std::vector<Expr> parts = sym::summands(graph, sum->first);
        if (done.size() + open.size() + parts.size() > kLongestSum) {
            return std::nullopt;
        }
        const Monomial rest = times_power(graph, term.factors, sum->first, -1);
        for (std::size_t k = parts.size(); k-- > 0;) {
            Term part = term_of(graph, parts[k]);
            part.coefficient = graph.mul(part.coefficient, term.coefficient);
            append(part.factors, rest);
            normalize(graph, part.factors);
            open.push_back(std::move(part));
        }
    }
    return done;
}

/// True if the monomial meets another one in the list: its equal, or its partner in
/// sin^2 + cos^2 = 1.
bool meets_another(Graph& graph, const Monomial& monomial, const std::map<Monomial, int>& counts) {
    if (counts.at(monomial) > 1) {
        return true;
    }
    for (const auto& [base, power] : monomial) {
        const Op op = graph.node(base).op;
        if (power < 2 || (op != Op::kSin && op != Op::kCos)) {
            continue;
        }
        const Expr other =
            graph.apply(op == Op::kSin ? Op::kCos : Op::kSin, Expr{graph.node(base).a});
        const Monomial rest = times_power(graph, monomial, base, -2);
        if (counts.contains(times_power(graph, rest, other, 2))) {
            return true;
        }
    }
    return false;
}

/// The terms, those multiplied out whose parts meet others; empty if none do.
std::optional<Terms> partly_multiplied_out(Graph& graph, const Terms& terms, Reach reach) {
    std::vector<Terms> parts;
    std::map<Monomial, int> counts;
    std::size_t total = 0;
    for (const Term& term : terms) {
        std::optional<Terms> expanded = multiplied_out(graph, term, reach);
        parts.push_back(expanded ? std::move(*expanded) : Terms{term});
        total += parts.back().size();
        for (const Term& part : parts.back()) {
            ++counts[part.factors];
        }
    }
    if (total == terms.size() || total > 4 * kLongestSum) {
        return std::nullopt;
    }
    Terms result;
    bool changed = false;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const bool worth =
            parts[i].size() > 1 && std::ranges::any_of(parts[i], [&](const Term& part) {
                return meets_another(graph, part.factors, counts);
            });
        changed = changed || worth;
        if (worth) {
            append(result, parts[i]);
        } else {
            result.push_back(terms[i]);
        }
    }
    return changed ? std::optional(result) : std::nullopt;
}

/// Length as written out: numbers, names and functions. Sums deeper than two levels count once, so
/// that the cost stays bounded.
std::size_t length(Graph& graph, const Terms& terms) {
    constexpr int kDeepest = 2;
    std::size_t sum = 0;
    std::vector<std::pair<Term, int>> stack;
    for (const Term& term : terms) {
        stack.emplace_back(term, 0);
    }
    while (!stack.empty()) {
        const auto [term, depth] = std::move(stack.back());
        stack.pop_back();
        const Expr c = term.coefficient;
        sum += graph.is_one(c) || graph.is_one(graph.neg(c)) ? 0 : 1;
        for (const auto& [base, power] : term.factors) {
            if (!is_sum(graph, base) || depth == kDeepest) {
                ++sum;
                continue;
            }
            for (const Expr part : sym::summands(graph, base)) {
                stack.emplace_back(term_of(graph, part), depth + 1);
            }
        }
    }
    return sum;
}

Expr sum_of(Graph& graph, const Terms& terms) {
    Expr sum = graph.zero();
    for (const Term& term : terms) {
        sum = graph.add(sum, product(graph, term));
    }
    return sum;
}

/// A sum or a product whose parts are collected already.
Expr collected(Graph& graph, Expr e) {
    const std::vector<Expr> parts = sym::summands(graph, e);
    if (parts.size() > kLongestSum) {
        return e;
    }
    Terms terms;
    for (const Expr part : parts) {
        terms.push_back(standing_term_of(graph, part));
    }
    terms = simplified(graph, terms);
    for (const Reach reach : {Reach::kCompoundSums, Reach::kAllSums}) {
        const std::optional<Terms> longer = partly_multiplied_out(graph, terms, reach);
        if (!longer) {
            continue;
        }
        Terms other = simplified(graph, *longer);
        if (length(graph, other) < length(graph, terms)) {
            terms = std::move(other);
        }
    }
    return sum_of(graph, terms);
}

bool is_arithmetic(Op op) {
    return op == Op::kAdd || op == Op::kSub || op == Op::kNeg || op == Op::kMul || op == Op::kDiv;
}

bool worth_collecting(std::span<const Expr> nodes) {
    return nodes.size() >= kShortest && nodes.size() <= kLongest;
}

/// An expression with its nodes, operands before users.
Expr collect_all(Graph& graph, Expr e, std::span<const Expr> nodes) {
    // A part of a longer sum or product is collected with it; only the outermost ones count, and
    // the sums among the factors of a product.
    std::unordered_map<Expr, bool> outermost{{e, true}};
    for (const Expr node_id : nodes) {
        const Node& node = graph.node(node_id);
        const std::uint32_t operands[] = {node.a, node.b, node.c};
        for (int i = 0; i < sym::arity(node.op); ++i) {
            const Expr operand{operands[i]};
            const bool sum_in_product =
                is_sum(graph, operand) && node.op != Op::kAdd && node.op != Op::kSub;
            if (!is_arithmetic(node.op) || sum_in_product) {
                outermost[operand] = true;
            }
        }
    }
    std::unordered_map<Expr, Expr> now;
    for (const Expr old : nodes) {
        const Node node = graph.node(old);
        const int count = sym::arity(node.op);
        const auto of = [&](int i, std::uint32_t id) {
            return i < count ? now.at(Expr{id}) : Expr{};
        };
        Expr fresh = old;
        if (count > 0) {
            fresh = sym::rebuild(graph, node.op, of(0, node.a), of(1, node.b), of(2, node.c));
        }
        if (outermost.contains(old) && (is_arithmetic(node.op) || node.op == Op::kPow)) {
            fresh = collected(graph, fresh);
        }
        now[old] = fresh;
    }
    return now.at(e);
}

}  // namespace

Expr collect(Graph& graph, Expr e) {
    const Graph::Formal formal(graph);
    const std::vector<Expr> nodes = sym::reachable(graph, e);
    return worth_collecting(nodes) ? collect_all(graph, e, nodes) : e;
}

Expr Collector::operator()(Expr e) {
    const std::vector<Expr> nodes = sym::reachable(*graph_, e);
    if (!worth_collecting(nodes)) {
        return e;
    }
    sym::Shape shape = sym::shape_of(*graph_, nodes);
    if (const auto known = recipes_.find(shape); known != recipes_.end()) {
        return known->second.follow(*graph_, nodes).front();
    }
    const Expr collected = collect_all(*graph_, e, nodes);
    recipes_.emplace(std::move(shape), sym::Recipe(*graph_, nodes, {&collected, 1}));
    return collected;
}

}  // namespace ananke::mech
