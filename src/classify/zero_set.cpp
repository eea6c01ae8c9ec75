#include "classify/zero_set.h"

#include <cmath>

#include "base/ranges.h"
#include "sym/walk.h"

namespace ananke::classify {

using mech::Real;
using sym::Graph;
using sym::Node;
using sym::Op;
using sym::SymbolKind;

namespace {

constexpr int kDeepest = 40;               // levels of nesting that are opened
constexpr std::size_t kMostParts = 12;     // alternatives, and parts of one
constexpr std::size_t kLongestScale = 60;  // nodes of a factor whose sign is probed

class Opener {
  public:
    Opener(Model& model, const PointTable& points, const Probe& probe)
        : model_(model), points_(points), probe_(probe) {}

    std::vector<Alternative> open(Expr e, int depth) {
        Graph& graph = model_.graph;
        const Node node = graph.node(e);
        if (depth < kDeepest) {
            switch (node.op) {
                case Op::kNeg:
                    return open(Expr{node.a}, depth + 1);
                case Op::kDiv:
                    return open(Expr{node.a}, depth + 1);
                case Op::kSqrt:
                case Op::kAbs:
                    return degenerate(open(Expr{node.a}, depth + 1));
                case Op::kPow:
                    if (exponent(node) > 1.0) {
                        return degenerate(open(Expr{node.a}, depth + 1));
                    }
                    break;
                case Op::kMul:
                    return product(node, depth);
                case Op::kAdd:
                case Op::kSub:
                    return sum(e, depth);
                default:
                    break;
            }
        }
        return {{{e}, false}};
    }

  private:
    bool moves(Expr e) const {
        return sym::depends_on_kind(model_.graph, e, SymbolKind::kVelocity) ||
               sym::depends_on_kind(model_.graph, e, SymbolKind::kPointVelocity);
    }

    double exponent(const Node& node) const {
        const Expr b{node.b};
        return model_.graph.is_constant(b) ? model_.graph.constant(b).value : 0.0;
    }

    static std::vector<Alternative> degenerate(std::vector<Alternative> all) {
        for (Alternative& one : all) {
            one.degenerate = true;
        }
        return all;
    }

    std::vector<Alternative> product(const Node& node, int depth) {
        const Expr a{node.a};
        const Expr b{node.b};
        if (!moves(a)) {
            return open(b, depth + 1);
        }
        if (!moves(b)) {
            return open(a, depth + 1);
        }
        std::vector<Alternative> all = open(a, depth + 1);
        const std::vector<Alternative> others = open(b, depth + 1);
        append(all, others);
        return all;
    }

    /// Terms of one sign vanish together; any other sum stays as it is.
    std::vector<Alternative> sum(Expr e, int depth) {
        const std::vector<Expr> terms = sym::summands(model_.graph, e);
        const std::vector<Alternative> unopened{{{e}, false}};
        if (terms.size() < 2 || terms.size() > kMostParts) {
            return unopened;
        }
        const int first = sign(terms.front(), 0);
        for (const Expr term : terms) {
            if (first == 0 || sign(term, 0) != first || model_.graph.is_constant(term)) {
                return unopened;
            }
        }
        std::vector<Alternative> all{{{}, true}};
        for (const Expr term : terms) {
            std::vector<Alternative> more;
            for (const Alternative& one : open(term, depth + 1)) {
                for (const Alternative& so_far : all) {
                    Alternative both = so_far;
                    append(both.parts, one.parts);
                    more.push_back(std::move(both));
                }
            }
            if (more.size() > kMostParts) {
                return unopened;
            }
            all = std::move(more);
        }
        return all;
    }

    /// 1: never negative, -1: never positive, 0: not known.
    int sign(Expr e, int depth) {
        const Graph& graph = model_.graph;
        const Node node = graph.node(e);
        if (depth == kDeepest) {
            return 0;
        }
        if (!moves(e)) {
            return sign_of_scale(e);
        }
        switch (node.op) {
            case Op::kNeg:
                return -sign(Expr{node.a}, depth + 1);
            case Op::kSqrt:
            case Op::kAbs:
            case Op::kExp:
            case Op::kCosh:
                return 1;
            case Op::kMul:
            case Op::kDiv:
                return sign(Expr{node.a}, depth + 1) * sign(Expr{node.b}, depth + 1);
            case Op::kPow: {
                const double k = exponent(node);
                return k > 0.0 && std::fmod(k, 2.0) == 0.0 ? 1 : 0;
            }
            default:
                return 0;
        }
    }

    /// A factor without velocities: of one sign at the states that are tried.
    int sign_of_scale(Expr written) {
        Graph& graph = model_.graph;
        const Expr e = points_.replace(graph, written);
        if (graph.is_constant(e)) {
            const double value = graph.constant(e).value;
            return value > 0.0 ? 1 : value < 0.0 ? -1 : 0;
        }
        if (sym::depends_on_kind(graph, e, SymbolKind::kCoordinate) ||
            sym::depends_on_kind(graph, e, SymbolKind::kTime)) {
            return sign_of_square(e);
        }
        if (sym::reachable(graph, e).size() > kLongestScale) {
            return 0;
        }
        const Real value = probe_.evaluate(graph, e, 1);
        return value > 0 ? 1 : value < 0 ? -1 : 0;
    }

    int sign_of_square(Expr e) {
        const Node& node = model_.graph.node(e);
        if (node.op == Op::kExp || node.op == Op::kCosh) {
            return 1;
        }
        return node.op == Op::kPow && std::fmod(exponent(node), 2.0) == 0.0 ? 1 : 0;
    }

    Model& model_;
    const PointTable& points_;
    const Probe& probe_;
};

}  // namespace

std::vector<Alternative> zero_set(Model& model, const PointTable& points, const Probe& probe,
                                  Expr written) {
    return Opener(model, points, probe).open(written, 0);
}

}  // namespace ananke::classify
