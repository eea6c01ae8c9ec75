#include "mech/smoothness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "base/ranges.h"
#include "sym/differentiate.h"
#include "sym/print.h"
#include "sym/walk.h"

namespace ananke::mech {

using sym::Graph;
using sym::Op;
using sym::SymbolKind;

namespace {

constexpr int kSamples = 6;             // starts of the search for points of a switching surface
constexpr Real kOffset = 1e-6L;         // to either side of it
constexpr Real kJumpTolerance = 1e-9L;  // relative to the values of the two sides

bool moves(const Graph& graph, Expr symbol) {
    return graph.is_symbol(symbol) && !graph.is_symbol(symbol, SymbolKind::kParameter);
}

std::vector<Expr> moving_symbols(const Graph& graph, std::span<const Expr> roots) {
    std::vector<Expr> symbols = sym::reachable(graph, roots);
    std::erase_if(symbols, [&](Expr e) { return !moves(graph, e); });
    return symbols;
}

bool depends_on_motion(const Graph& graph, Expr e) {
    return !moving_symbols(graph, std::span<const Expr>(&e, 1)).empty();
}

bool is_kink(Op op) {
    return op == Op::kSelect || sym::has_kink(op);
}

/// Nodes below the root whose derivative is not the same formula everywhere; conditions are not
/// entered, because a condition is never differentiated.
std::vector<Expr> kinks(const Graph& graph, Expr root) {
    std::vector<Expr> found;
    const std::vector<Expr> nodes = sym::reachable(graph, root);
    if (std::ranges::none_of(nodes, [&](Expr e) { return is_kink(graph.node(e).op); })) {
        return found;  // the common case
    }
    std::unordered_set<Expr> moving;
    for (const Expr e : nodes) {  // operands before their users
        bool with_motion = moves(graph, e);
        sym::for_each_operand(graph.node(e), [&](Expr operand) {
            with_motion = with_motion || moving.contains(operand);
        });
        if (with_motion) {
            moving.insert(e);
        }
    }
    std::unordered_set<Expr> seen{root};
    std::vector<Expr> stack{root};
    while (!stack.empty()) {
        const Expr e = stack.back();
        stack.pop_back();
        const sym::Node& node = graph.node(e);
        if (is_kink(node.op) && moving.contains(node.op == Op::kSelect ? Expr{node.a} : e)) {
            found.push_back(e);
        }
        if (sym::is_truth(node.op)) {
            continue;
        }
        const std::uint32_t operands[] = {node.a, node.b, node.c};
        for (int i = node.op == Op::kSelect ? 1 : 0; i < sym::arity(node.op); ++i) {
            if (seen.insert(Expr{operands[i]}).second) {
                stack.push_back(Expr{operands[i]});
            }
        }
    }
    std::ranges::sort(found);
    return found;
}

Diagnostic refused(const Graph& graph, Expr e, const Differentiated& item) {
    const std::string text = sym::print_outline(graph, e);
    switch (graph.node(e).op) {
        case Op::kAbs:
            return error_at(
                item.span,
                fmt::format("{} in {} has no derivative where its argument is 0", text, item.what),
                {"write sqrt(a^2 + eps^2) with a small eps, or an 'if' whose sides join "
                 "smoothly"});
        case Op::kSign:
            return error_at(item.span,
                            fmt::format("{} in {} jumps where its argument is 0", text, item.what),
                            {"write tanh(a/eps) with a small eps"});
        case Op::kMin:
        case Op::kMax:
            return error_at(
                item.span,
                fmt::format("{} in {} has no derivative where its arguments are equal", text,
                            item.what),
                {fmt::format("write (a + b {} sqrt((a - b)^2 + eps^2))/2 with a small eps, or "
                             "an 'if' whose sides join smoothly",
                             graph.node(e).op == Op::kMin ? '-' : '+')});
        default:
            return error_at(
                item.span,
                fmt::format("the condition {} in {} is used as a number and has no derivative",
                            text, item.what),
                {"write if ... then ... else ... with sides that join smoothly"});
    }
}

/// The comparisons that a condition is made of.
std::vector<Expr> comparisons(const Graph& graph, Expr condition) {
    std::vector<Expr> leaves;
    std::vector<Expr> stack{condition};
    while (!stack.empty()) {
        const Expr e = stack.back();
        stack.pop_back();
        const sym::Node& node = graph.node(e);
        if (node.op == Op::kAnd || node.op == Op::kOr) {
            stack.push_back(Expr{node.b});
            stack.push_back(Expr{node.a});
        } else if (node.op == Op::kNot) {
            stack.push_back(Expr{node.a});
        } else if (sym::is_truth(node.op) && depends_on_motion(graph, e)) {
            leaves.push_back(e);
        }
    }
    return leaves;
}

/// Value, first and second derivatives of f by the symbols, one list per order.
std::vector<std::vector<Expr>> derivatives(Graph& graph, Expr f, std::span<const Expr> symbols,
                                           int order) {
    std::vector<std::vector<Expr>> levels{{f}};
    for (int k = 0; k < order; ++k) {
        std::vector<Expr> next;
        for (const Expr e : std::vector<Expr>(levels.back())) {
            const std::vector<Expr> slopes = sym::gradient(graph, e, symbols);
            append(next, slopes);
        }
        levels.push_back(std::move(next));
    }
    return levels;
}

/// An `if` inside an expression, as the two expressions that it chooses between.
class Switch {
  public:
    Switch(Graph& graph, const Differentiated& item, Expr select)
        : graph_(graph), condition_{graph.node(select).a} {
        const sym::Node node = graph.node(select);
        const Expr then_side = sym::substitute(graph, item.value, select, Expr{node.b});
        const Expr else_side = sym::substitute(graph, item.value, select, Expr{node.c});
        const Expr all[] = {then_side, else_side, condition_};
        const std::vector<Expr> symbols = moving_symbols(graph, all);
        then_ = derivatives(graph, then_side, symbols, item.order);
        else_ = derivatives(graph, else_side, symbols, item.order);
    }

    /// Order of the first derivative that jumps across the surface of this comparison, or -1.
    int first_jump(const Probe& probe, Expr comparison) {
        const sym::Node node = graph_.node(comparison);
        const Expr surface = graph_.sub(Expr{node.a}, Expr{node.b});
        const std::vector<Expr> symbols = moving_symbols(graph_, std::span(&surface, 1));
        const std::vector<Expr> normal = sym::gradient(graph_, surface, symbols);
        const Expr magnitude = sym::magnitude(graph_, surface);

        std::vector<Expr> everything{condition_, surface, magnitude};
        append(everything, normal);
        for (const auto* side : {&then_, &else_}) {
            for (const std::vector<Expr>& level : *side) {
                append(everything, level);
            }
        }
        int jump = -1;
        for (int sample = 0; sample <= kSamples; ++sample) {
            const Zero zero = find_zero(graph_, surface, magnitude, symbols, normal,
                                        probe.values(graph_, everything, sample));
            if (zero.found && switches_at(zero.values, symbols, normal)) {
                const int here = jump_at(zero.values);
                jump = here >= 0 && (jump < 0 || here < jump) ? here : jump;
            }
        }
        return jump;
    }

  private:
    bool switches_at(const RealValues& on, std::span<const Expr> symbols,
                     std::span<const Expr> normal) const {
        const std::vector<Real> n = sym::evaluate<Real>(graph_, normal, on);
        Real length = 0;
        for (const Real component : n) {
            length = std::hypot(length, component);
        }
        RealValues before = on;
        RealValues after = on;
        for (std::size_t i = 0; i < symbols.size(); ++i) {
            before[symbols[i]] -= kOffset * n[i] / length;
            after[symbols[i]] += kOffset * n[i] / length;
        }
        return sym::evaluate<Real>(graph_, condition_, before) !=
               sym::evaluate<Real>(graph_, condition_, after);
    }

    int jump_at(const RealValues& on) const {
        for (std::size_t k = 0; k < then_.size(); ++k) {
            const std::vector<Real> a = sym::evaluate<Real>(graph_, then_[k], on);
            const std::vector<Real> b = sym::evaluate<Real>(graph_, else_[k], on);
            for (std::size_t i = 0; i < a.size(); ++i) {
                const Real scale = 1 + std::abs(a[i]) + std::abs(b[i]);
                if (!(std::abs(a[i] - b[i]) <= kJumpTolerance * scale)) {
                    return static_cast<int>(k);
                }
            }
        }
        return -1;
    }

    Graph& graph_;
    Expr condition_;
    std::vector<std::vector<Expr>> then_, else_;
};

/// An `if` with symbols in the place of the outermost ones inside it.
Expr with_inner_choices_named(Graph& graph, Expr select) {
    std::unordered_map<Expr, Expr> now;
    std::vector<Expr> order;
    std::vector<Expr> stack{select};
    while (!stack.empty()) {
        const Expr e = stack.back();
        stack.pop_back();
        if (!now.emplace(e, e).second) {
            continue;
        }
        order.push_back(e);
        if (e != select && graph.node(e).op == Op::kSelect) {
            now[e] = graph.symbol(SymbolKind::kPointPosition, fmt::format("@if{}", e.id));
            continue;
        }
        sym::for_each_operand(graph.node(e), [&](Expr operand) { stack.push_back(operand); });
    }
    std::ranges::sort(order);  // an operand is older than its users
    for (const Expr e : order) {
        const sym::Node n = graph.node(e);
        const bool is_inner_choice = now[e] != e;
        if (sym::arity(n.op) > 0 && !is_inner_choice) {
            const auto operand = [&](std::uint32_t id) {
                const auto found = now.find(Expr{id});
                return found == now.end() ? Expr{id} : found->second;
            };
            now[e] = sym::rebuild(graph, n.op, operand(n.a), operand(n.b), operand(n.c));
        }
    }
    return now[select];
}

/// Whether the two sides join smoothly whatever the values of the choices inside them. Where these
/// are smooth themselves, so is the whole: long chains of choices are judged link by link.
bool joins_by_itself(Graph& graph, const Probe& probe, const Differentiated& item, Expr select) {
    const Expr link = with_inner_choices_named(graph, select);
    if (graph.node(link).op != Op::kSelect) {
        return true;  // both sides are the same
    }
    Switch sides(graph, {link, item.order, item.what, item.span}, link);
    const std::vector<Expr> all = comparisons(graph, Expr{graph.node(link).a});
    return std::ranges::all_of(all, [&](Expr comparison) {
        return graph.node(comparison).op != Op::kEqual && sides.first_jump(probe, comparison) < 0;
    });
}

void check_switch(Graph& graph, const Probe& probe, const Differentiated& item, Expr select,
                  std::vector<Diagnostic>& diagnostics) {
    static constexpr const char* kOrder[] = {"value", "slope", "curvature"};
    if (joins_by_itself(graph, probe, item, select)) {
        return;
    }
    Switch sides(graph, item, select);
    for (const Expr comparison : comparisons(graph, Expr{graph.node(select).a})) {
        const std::string text = sym::print_outline(graph, comparison);
        if (graph.node(comparison).op == Op::kEqual) {
            diagnostics.push_back(error_at(
                item.span,
                fmt::format("the 'if' in {} depends on the equation {}, which holds only in "
                            "passing",
                            item.what, text),
                {"choose the sides with < or >"}));
            continue;
        }
        const int jump = sides.first_jump(probe, comparison);
        if (jump >= 0) {
            diagnostics.push_back(error_at(
                item.span,
                fmt::format("the 'if' in {} is not smooth: the {} jumps where {} changes",
                            item.what, kOrder[jump], text),
                {item.order == 1
                     ? "the equations of motion need its slope: let value and slope agree there"
                     : "the equations of motion need its second derivatives: let value, slope and "
                       "curvature agree there"}));
        }
    }
}

}  // namespace

void check_smooth(Graph& graph, const Probe& probe, const Differentiated& item,
                  std::vector<Diagnostic>& diagnostics) {
    constexpr std::size_t kMostReports = 3;  // of one place in the text
    const std::size_t before = diagnostics.size();
    for (const Expr e : kinks(graph, item.value)) {
        if (diagnostics.size() >= before + kMostReports) {
            return;
        }
        if (graph.node(e).op == Op::kSelect) {
            check_switch(graph, probe, item, e, diagnostics);
        } else {
            diagnostics.push_back(refused(graph, e, item));
        }
    }
}

}  // namespace ananke::mech
