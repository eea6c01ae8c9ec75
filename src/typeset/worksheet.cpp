#include "typeset/worksheet.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/ranges.h"
#include "sym/print.h"
#include "sym/walk.h"

namespace ananke::typeset {
namespace {

/// e = sign * factor * rest with a positive number as factor.
struct Scaled {
    bool negative = false;
    Expr factor;
    Expr rest;
};

Scaled split(const sym::Graph& graph, Expr e) {
    Scaled s{false, graph.one(), e};
    if (graph.node(e).op == sym::Op::kNeg) {
        s.negative = true;
        s.rest = Expr{graph.node(e).a};
    }
    const sym::Node& node = graph.node(s.rest);
    if (node.op == sym::Op::kMul && graph.is_constant(Expr{node.a}) &&
        graph.constant(Expr{node.a}).exact() && graph.constant(Expr{node.a}).value > 0.0) {
        s.factor = Expr{node.a};
        s.rest = Expr{node.b};
    }
    return s;
}

constexpr int kProductLeaves = 6;

bool is_short_product(const sym::Graph& graph, Expr e) {
    std::vector<Expr> open{e};
    int leaves = 0;
    while (!open.empty()) {
        const Expr next = open.back();
        open.pop_back();
        const sym::Node& node = graph.node(next);
        const bool product = node.op == sym::Op::kNeg || node.op == sym::Op::kMul ||
                             node.op == sym::Op::kDiv || node.op == sym::Op::kPow;
        const bool function_of_leaf =
            sym::arity(node.op) == 1 && sym::arity(graph.node(Expr{node.a}).op) == 0;
        if (sym::arity(node.op) == 0) {
            ++leaves;
        } else if (!product && !function_of_leaf) {
            return false;
        }
        sym::for_each_operand(node, [&](Expr x) { open.push_back(x); });
        if (leaves + static_cast<int>(open.size()) > kProductLeaves) {
            return false;
        }
    }
    return true;
}

}  // namespace

Label::Label(const sym::Symbol& s) : Label(sym::text_name(s), sym::latex_name(s), sym::c_name(s)) {}

Label joined(const Label& name, const Label& i) {
    return {fmt::format("{}[{}]", name.text, i.text), fmt::format("{}_{{{}}}", name.latex, i.latex),
            fmt::format("{}_{}", name.c, i.c)};
}

Label joined(const Label& name, const Label& i, const Label& j) {
    return joined(name, paired(i, j));
}

Label paired(const Label& i, const Label& j) {
    return {i.text + "," + j.text, i.latex + "," + j.latex, i.c + "_" + j.c};
}

bool Worksheet::fits(Expr e, Inline limit) const {
    const auto is_leaf = [&](Expr x) { return sym::arity(graph_.node(x).op) == 0; };
    if (graph_.node(e).op == sym::Op::kNeg) {
        e = Expr{graph_.node(e).a};
    }
    if (is_leaf(e)) {
        return true;
    }
    if (limit == Inline::kLeaf) {
        return false;
    }
    if (limit == Inline::kProduct && is_short_product(graph_, e)) {
        return true;
    }
    bool all = true;
    sym::for_each_operand(graph_.node(e), [&](Expr x) { all = all && is_leaf(x); });
    return all;
}

Expr Worksheet::write(Expr symbol, const Label& label, Expr value, bool short_enough) {
    ANANKE_REQUIRE(!stages_.empty());
    ANANKE_REQUIRE(!at_.contains(symbol));  // written once
    if (is_full()) {
        at_[symbol] = 0.0;
        return graph_.zero();
    }
    labels_[symbol] = label;
    stages_.back().lines.push_back({symbol, value, true, !short_enough, std::nullopt});
    if (short_enough) {
        return value;
    }
    at_[symbol] = number(value);
    return symbol;
}

Expr Worksheet::define(const Label& label, Expr value, Inline limit) {
    if (graph_.is_zero(value)) {
        return value;
    }
    return write(symbol(label), label, value, fits(value, limit));
}

Expr Worksheet::define(Expr symbol, const Label& label, Expr value) {
    return write(symbol, label, value, fits(value, Inline::kLeaf));
}

void Worksheet::assign(Expr symbol, const Label& label, Expr value) {
    at_.erase(symbol);
    write(symbol, label, value, false);
}

void Worksheet::show(const Label& label, const Vec3& value) {
    ANANKE_REQUIRE(!stages_.empty());
    name(symbol(label), label);
    stages_.back().lines.push_back({symbol(label), value[0], false, false, value});
}

Expr Worksheet::written_out(Expr e) {
    return typeset::written_out(graph_, stages_, std::span(&e, 1)).front();
}

void Worksheet::show(const Label& label, Expr value) {
    if (!graph_.is_zero(value)) {
        write(symbol(label), label, value, true);
    }
}

void Worksheet::relate(Expr left, Expr right) {
    ANANKE_REQUIRE(!stages_.empty());
    stages_.back().lines.push_back({left, right, false, false, std::nullopt});
}

Expr Worksheet::sum(std::span<const Expr> terms) {
    std::vector<Scaled> parts;
    for (const Expr term : terms) {
        if (!graph_.is_zero(term)) {
            parts.push_back(split(graph_, term));
        }
    }
    if (parts.empty()) {
        return graph_.zero();
    }
    const bool shared = std::ranges::all_of(
        parts, [&](const Scaled& p) { return p.factor == parts.front().factor; });
    // From the last to the first: the graph keeps older operands in front, so the terms stay in
    // order.
    Expr total = graph_.zero();
    for (auto p = parts.rbegin(); p != parts.rend(); ++p) {
        const Expr term = shared ? p->rest : graph_.mul(p->factor, p->rest);
        total = p->negative ? graph_.sub(total, term) : graph_.add(term, total);
    }
    return shared ? graph_.mul(parts.front().factor, total) : total;
}

template <class Sign>
Expr Worksheet::products(Expr start, std::span<const Expr> a, std::span<const Expr> b, Sign sign) {
    ANANKE_REQUIRE(a.size() == b.size());
    std::vector<Expr> terms{start};
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!graph_.is_zero(a[i]) && !graph_.is_zero(b[i])) {
            terms.push_back(sign(graph_.mul(a[i], b[i])));
        }
    }
    return sum(terms);
}

Expr Worksheet::dot(std::span<const Expr> a, std::span<const Expr> b) {
    return plus_dot(graph_.zero(), a, b);
}

Expr Worksheet::plus_dot(Expr start, std::span<const Expr> a, std::span<const Expr> b) {
    return products(start, a, b, [](Expr term) { return term; });
}

Expr Worksheet::minus_dot(Expr start, std::span<const Expr> a, std::span<const Expr> b) {
    return products(start, a, b, [&](Expr term) { return graph_.neg(term); });
}

Error too_long() {
    return {ErrorCode::kNotApplicable,
            fmt::format("written out, the acceleration has more than {} terms; take another form, "
                        "or a smaller model",
                        Worksheet::kMostTerms)};
}

std::vector<Expr> written_out(sym::Graph& graph, std::span<const Stage> stages,
                              std::span<const Expr> roots) {
    const sym::Graph::Formal formal(graph);
    std::vector<sym::Replacement> known;
    std::unordered_map<Expr, Expr> values;
    const auto expand = [&](Expr e) {
        known.clear();
        for (const Expr part : sym::reachable(graph, e)) {
            if (const auto found = values.find(part); found != values.end()) {
                known.push_back({part, found->second});
            }
        }
        return known.empty() ? e : sym::substitute(graph, e, known);
    };
    for (const Stage& stage : stages) {
        for (const Line& line : stage.lines) {
            if (line.definition && line.used) {
                values[line.left] = expand(line.right);
            }
        }
    }
    return transformed(roots, [&](const Expr root) { return expand(root); });
}

}  // namespace ananke::typeset
