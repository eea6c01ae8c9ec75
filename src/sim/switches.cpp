#include "sim/switches.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "sym/print.h"
#include "sym/walk.h"

namespace ananke::sim {
namespace {

using sym::Expr;
using sym::Op;

/// Operations that frozen_node() replaces.
bool is_switch(Op op) {
    switch (op) {
        case Op::kLess:
        case Op::kLessEqual:
        case Op::kAbs:
        case Op::kSign:
        case Op::kMin:
        case Op::kMax:
            return true;
        default:
            return false;
    }
}

class Freezer {
  public:
    /// Comparisons that the rows of the slips contain choose the directions these are measured in.
    Freezer(sym::Graph& graph, const std::vector<mech::FrictionElement>& frictions)
        : graph_(graph) {
        for (const mech::FrictionElement& friction : frictions) {
            for (const mech::Row& row : friction.rows) {
                const std::vector<Expr> nodes = sym::reachable(graph_, row.residual);
                tangents_.insert(nodes.begin(), nodes.end());
            }
        }
    }

    Expr freeze(Expr root) {
        const std::vector<Expr> nodes = sym::reachable(graph_, root);
        if (std::none_of(nodes.begin(), nodes.end(),
                         [&](Expr e) { return is_switch(graph_.node(e).op); })) {
            return root;
        }
        for (const Expr e : nodes) {
            if (!frozen_.contains(e)) {
                frozen_.emplace(e, frozen_node(e));
            }
        }
        return frozen_.at(root);
    }
    std::vector<Switch> take() { return std::move(switches_); }

  private:
    Expr frozen_node(Expr e) {
        const sym::Node node = graph_.node(e);
        const int operands = sym::arity(node.op);
        if (operands == 0) {
            return e;
        }
        const Expr a = frozen_.at(Expr{node.a});
        const Expr b = operands > 1 ? frozen_.at(Expr{node.b}) : Expr{};
        const Expr c = operands > 2 ? frozen_.at(Expr{node.c}) : Expr{};
        const Expr zero = graph_.zero();
        switch (node.op) {
            case Op::kLess:
                return truth(a, b, false, !tangents_.contains(e));
            case Op::kLessEqual:
                return truth(a, b, true);
            case Op::kAbs:
                return graph_.select(truth(a, zero, false), graph_.neg(a), a);
            case Op::kSign:
                return graph_.select(truth(a, zero, false), graph_.integer(-1),
                                     graph_.select(truth(zero, a, false), graph_.one(), zero));
            case Op::kMin:
                return graph_.select(truth(a, b, false), a, b);
            case Op::kMax:
                return graph_.select(truth(a, b, false), b, a);
            default:
                return sym::rebuild(graph_, node.op, a, b, c);
        }
    }

    /// The symbol for a comparison; one that no state can change stays a comparison.
    Expr truth(Expr left, Expr right, bool or_equal, bool listed = true) {
        const Op op = or_equal ? Op::kLessEqual : Op::kLess;
        const Expr comparison = graph_.apply(op, left, right);
        if (!moves(comparison)) {
            return comparison;
        }
        const auto [found, is_new] = truths_.try_emplace(comparison, comparison);
        if (is_new) {
            // No name of a model can hold a blank, so the symbol is nobody else's.
            found->second = graph_.symbol(sym::SymbolKind::kParameter,
                                          fmt::format("truth {}", switches_.size() + 1));
            switches_.push_back({left, right, or_equal, found->second,
                                 fmt::format("{} {} {}", sym::print(graph_, left),
                                             or_equal ? "<=" : "<", sym::print(graph_, right)),
                                 listed});
        }
        return found->second;
    }

    /// Laws that depend on multipliers bend where these do, which is no change of law in time; the
    /// directions of slip are watched with the frictions.
    bool moves(Expr e) const {
        return !sym::depends_on_kind(graph_, e, sym::SymbolKind::kReaction) && moves_with_state(e);
    }

    bool moves_with_state(Expr e) const {
        return sym::depends_on_kind(graph_, e, sym::SymbolKind::kCoordinate) ||
               sym::depends_on_kind(graph_, e, sym::SymbolKind::kVelocity) ||
               sym::depends_on_kind(graph_, e, sym::SymbolKind::kTime);
    }

    sym::Graph& graph_;
    std::unordered_set<Expr> tangents_;
    std::unordered_map<Expr, Expr> frozen_;
    std::unordered_map<Expr, Expr> truths_;
    std::vector<Switch> switches_;
};

}  // namespace

Switches freeze_switches(mech::Model& model, const mech::Equations& equations) {
    Freezer freezer(model.graph, equations.frictions);
    Switches switches;
    for (const Expr e : equations.Q) {
        switches.Q.push_back(freezer.freeze(e));
    }
    for (const Expr e : equations.C) {
        switches.C.push_back(freezer.freeze(e));
    }
    switches.power = freezer.freeze(equations.power);
    switches.list = freezer.take();
    return switches;
}

}  // namespace ananke::sim
