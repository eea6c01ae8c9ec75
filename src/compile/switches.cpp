#include "compile/switches.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "mech/points.h"
#include "sym/evaluate.h"
#include "sym/print.h"
#include "sym/walk.h"

namespace ananke::compile {
namespace {

using sym::Expr;
using sym::Op;

/// Places at which two expressions are compared, and those where both must be numbers. Each side of
/// a switch inside takes part at about half of them: a value that is constant unless two of them
/// agree is so at all places once in 1e8.
constexpr std::size_t kProbes = 64;
constexpr std::size_t kLeastProbes = 16;
/// Ratios that differ by this part of them differ by the rounding of the model's numbers: 0.1 + 0.2
/// and 0.3.
constexpr long double kSameRatio = 1e-15L;

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

/// What an expression depends on, and its values at places drawn at random, the same for every
/// expression.
struct Fingerprint {
    std::vector<Expr> symbols;  ///< ascending
    std::array<long double, kProbes> values{};
};

/// splitmix64 (Steele, Lea and Flood 2014), as a number in [0, 1).
long double pseudo_random(std::uint64_t seed) {
    std::uint64_t z = seed * 0x9E3779B97F4A7C15u + 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return static_cast<long double>(z >> 11) / static_cast<long double>(std::uint64_t{1} << 53);
}

/// Magnitudes from 1e-3 to 1e3, so that no term hides behind another; parameters and time are
/// positive, as most are; `sides` of switches are either.
Fingerprint fingerprint(const sym::Graph& graph, Expr e, const std::unordered_set<Expr>& sides) {
    Fingerprint found{sym::symbols_of(graph, e)};
    std::sort(found.symbols.begin(), found.symbols.end(),
              [](Expr a, Expr b) { return a.id < b.id; });
    sym::Evaluation<long double> evaluate(graph, std::span(&e, 1));
    for (std::size_t k = 0; k < kProbes; ++k) {
        sym::Values<long double> at;
        for (const Expr symbol : found.symbols) {
            const std::uint64_t seed = 2 * (std::uint64_t{symbol.id} * kProbes + k);
            const bool positive =
                (graph.is_symbol(symbol, sym::SymbolKind::kParameter) && !sides.contains(symbol)) ||
                graph.is_symbol(symbol, sym::SymbolKind::kTime);
            const long double size = std::pow(10.0L, 6.0L * pseudo_random(seed) - 3.0L);
            at[symbol] = positive || pseudo_random(seed + 1) < 0.5L ? size : -size;
        }
        found.values[k] = evaluate(at).front();
    }
    return found;
}

/// r if a = r b wherever both are numbers, 0 if there is no such number. Two that depend on
/// different things are two, also where both happen to be the same constant.
double ratio(const Fingerprint& one, const Fingerprint& other) {
    if (one.symbols != other.symbols) {
        return 0.0;
    }
    const auto& a = one.values;
    const auto& b = other.values;
    std::size_t known = 0;
    long double r = 0.0L;
    for (std::size_t k = 0; k < kProbes; ++k) {
        if (std::isnan(a[k]) != std::isnan(b[k])) {
            return 0.0;
        }
        const long double here = a[k] / b[k];
        if (!std::isfinite(here)) {
            continue;
        }
        if (here == 0.0L || (known > 0 && !(std::abs(here - r) <= kSameRatio * std::abs(r)))) {
            return 0.0;
        }
        r = known == 0 ? here : r;
        ++known;
    }
    return known < kLeastProbes ? 0.0 : static_cast<double>(r);
}

class Freezer {
  public:
    Freezer(mech::Model& model, const mech::Equations& equations)
        : graph_(model.graph), flow_(model) {
        for (const mech::FrictionElement& friction : equations.frictions) {
            // Comparisons in the rows of the slips choose the directions these are measured in.
            for (const mech::Row& row : friction.rows) {
                const std::vector<Expr> nodes = sym::reachable(graph_, row.residual);
                tangents_.insert(nodes.begin(), nodes.end());
            }
            modes_.insert(friction.mode.begin(), friction.mode.end());
        }
        for (const sym::Replacement& one : equations.reactions) {
            reactions_.try_emplace(one.value, one.symbol);
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

    /// The switches of these laws. One that only moves the place of another, as that of abs(x) in
    /// abs(x) < 1, changes no force.
    std::vector<Switch> take(std::span<const Expr> laws) {
        std::unordered_set<Expr> acting;
        for (const Expr law : laws) {
            const std::vector<Expr> symbols = sym::symbols_of(graph_, law);
            acting.insert(symbols.begin(), symbols.end());
        }
        for (Switch& one : switches_) {
            one.listed = one.listed && acting.contains(one.side);
            one.magnitude = sym::magnitude(graph_, one.value);
            one.rate =
                one.of == Switch::Of::kReactions ? graph_.zero() : flow_.total(graph_, one.value);
            one.speed = graph_.zero();
            if (one.of == Switch::Of::kPositions) {
                one.speed = one.rate;
                one.rate = flow_.total(graph_, one.speed);
            }
            one.rate_magnitude = sym::magnitude(graph_, one.rate);
        }
        return std::move(switches_);
    }

  private:
    /// A comparison of two operands, as they are written and with the symbols in place.
    struct Compared {
        Expr left, right;
        Expr written_left, written_right;
    };
    /// A known switch, and what tells its value from others.
    struct Known {
        Fingerprint fingerprint;
        std::size_t which;
        bool below = false, above = false;  ///< tells zero from what is above it, from below it
    };
    /// The switch of a comparison; its own left - right has the sign of the switch's value, or the
    /// other one.
    struct Side {
        Known* known;
        bool same_sign;
    };

    Expr frozen_node(Expr e) {
        const sym::Node node = graph_.node(e);
        const int operands = sym::arity(node.op);
        if (operands == 0) {
            return e;
        }
        const Expr a = frozen_.at(Expr{node.a});
        const Expr b = operands > 1 ? frozen_.at(Expr{node.b}) : Expr{};
        const Expr c = operands > 2 ? frozen_.at(Expr{node.c}) : Expr{};
        const Compared both{a, b, Expr{node.a}, Expr{node.b}};
        const Compared with_zero{a, graph_.zero(), Expr{node.a}, graph_.zero()};
        switch (node.op) {
            case Op::kLess:
                return less(both, false, !tangents_.contains(e));
            case Op::kLessEqual:
                return less(both, true, true);
            case Op::kSign:
                return moves(e) ? sign(with_zero) : graph_.apply(Op::kSign, a);
            case Op::kAbs:
                return graph_.select(bend(with_zero), graph_.neg(a), a);
            case Op::kMin:
                return graph_.select(bend(both), a, b);
            case Op::kMax:
                return graph_.select(bend(both), b, a);
            default:
                return sym::rebuild(graph_, node.op, a, b, c);
        }
    }

    /// left < right over the side of a switch; one that no state can change stays a comparison.
    Expr less(const Compared& compared, bool or_equal, bool listed) {
        const Op op = or_equal ? Op::kLessEqual : Op::kLess;
        const Expr comparison = graph_.apply(op, compared.left, compared.right);
        if (!moves(comparison)) {
            return comparison;
        }
        const auto [known, same_sign] = side(compared, or_equal, listed);
        const Expr symbol = switches_[known->which].side;
        (same_sign == or_equal ? known->above : known->below) = true;
        set_zero_side(*known);
        return same_sign ? graph_.apply(op, symbol, graph_.zero())
                         : graph_.apply(op, graph_.zero(), symbol);
    }

    /// left < right where the law bends there: reactions are solved with the bend.
    Expr bend(const Compared& compared) {
        const Expr comparison = graph_.apply(Op::kLess, compared.left, compared.right);
        return is_reactive(comparison) ? comparison : less(compared, false, true);
    }

    Expr sign(const Compared& compared) {
        const auto [known, same_sign] = side(compared, false, true);
        const Expr symbol = switches_[known->which].side;
        known->above = known->below = true;
        set_zero_side(*known);
        return same_sign ? symbol : graph_.neg(symbol);
    }

    void set_zero_side(const Known& known) {
        switches_[known.which].zero_side = known.above && known.below ? 0 : known.below ? 1 : -1;
    }

    /// The switch of a comparison, a new one if there is none yet.
    Side side(const Compared& compared, bool or_equal, bool listed) {
        const Expr value = graph_.sub(compared.left, compared.right);
        Fingerprint found = fingerprint(graph_, value, sides_);
        for (Known& known : known_) {
            Switch& one = switches_[known.which];
            const double r = one.value == value ? 1.0 : ratio(found, known.fingerprint);
            if (r != 0.0) {
                one.listed = one.listed || listed;
                return {&known, r > 0.0};
            }
        }
        Switch one;
        one.value = value;
        // No name of a model can hold a blank, so the symbol is nobody else's.
        one.side = graph_.symbol(sym::SymbolKind::kParameter,
                                 fmt::format("side {}", switches_.size() + 1));
        one.text = fmt::format(
            "{} {} {}", sym::print_outline(graph_, as_written(compared.written_left)),
            or_equal ? "<=" : "<", sym::print_outline(graph_, as_written(compared.written_right)));
        one.or_equal = or_equal;
        one.listed = listed;
        one.of = is_reactive(value) ? Switch::Of::kReactions
                 : sym::depends_on_kind(graph_, value, sym::SymbolKind::kVelocity)
                     ? Switch::Of::kVelocities
                     : Switch::Of::kPositions;
        sides_.insert(one.side);
        known_.push_back({std::move(found), switches_.size()});
        switches_.push_back(std::move(one));
        return {&known_.back(), true};
    }

    /// With reaction(c) in place of what stands for it.
    Expr as_written(Expr root) {
        if (!is_reactive(root)) {
            return root;
        }
        std::unordered_map<Expr, Expr> written;
        for (const Expr e : sym::reachable(graph_, root)) {
            const sym::Node node = graph_.node(e);
            const int operands = sym::arity(node.op);
            const auto known = reactions_.find(e);
            written[e] = known != reactions_.end() ? known->second
                         : operands == 0
                             ? e
                             : sym::rebuild(graph_, node.op, written.at(Expr{node.a}),
                                            operands > 1 ? written.at(Expr{node.b}) : Expr{},
                                            operands > 2 ? written.at(Expr{node.c}) : Expr{});
        }
        return written.at(root);
    }

    bool is_reactive(Expr e) const {
        return sym::depends_on_kind(graph_, e, sym::SymbolKind::kReaction);
    }

    /// The directions of slip are watched with the frictions.
    bool moves(Expr e) const {
        const std::vector<Expr> symbols = sym::symbols_of(graph_, e);
        return std::none_of(symbols.begin(), symbols.end(),
                            [&](Expr symbol) { return modes_.contains(symbol); }) &&
               std::any_of(symbols.begin(), symbols.end(), [&](Expr symbol) {
                   return !graph_.is_symbol(symbol, sym::SymbolKind::kParameter);
               });
    }

    sym::Graph& graph_;
    mech::TimeFlow flow_;
    std::unordered_set<Expr> tangents_, modes_, sides_;
    std::unordered_map<Expr, Expr> frozen_;
    std::unordered_map<Expr, Expr> reactions_;  ///< from what stands for them
    std::deque<Known> known_;
    std::vector<Switch> switches_;
};

}  // namespace

Switches freeze_switches(mech::Model& model, const mech::Equations& equations) {
    Freezer freezer(model, equations);
    Switches switches;
    for (const Expr e : equations.Q) {
        switches.Q.push_back(freezer.freeze(e));
    }
    for (const Expr e : equations.C) {
        switches.C.push_back(freezer.freeze(e));
    }
    std::vector<Expr> laws = switches.Q;
    laws.insert(laws.end(), switches.C.begin(), switches.C.end());
    switches.power = freezer.freeze(equations.power);
    switches.list = freezer.take(laws);
    return switches;
}

}  // namespace ananke::compile
