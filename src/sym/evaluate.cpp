#include "sym/evaluate.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/ranges.h"
#include "sym/shape.h"
#include "sym/walk.h"

namespace ananke::sym {
namespace {

/// The number as precisely as Real holds it: the fraction, pi or the decimal text before the
/// double.
template <class Real>
Real value_of(const Constant& constant) {
    if (std::numeric_limits<Real>::digits <= std::numeric_limits<double>::digits) {
        return static_cast<Real>(constant.value);
    }
    if (constant.exact()) {
        return static_cast<Real>(constant.numerator) / static_cast<Real>(constant.denominator);
    }
    if (constant.text == "pi") {
        return std::numbers::pi_v<Real>;
    }
    Real parsed{};
    const char* end = constant.text.data() + constant.text.size();
    const auto [stop, error] = std::from_chars(constant.text.data(), end, parsed);
    return error == std::errc() && stop == end ? parsed : static_cast<Real>(constant.value);
}

template <class Real>
Real truth(bool value) {
    return value ? Real(1) : Real(0);
}

/// The value of every operation; their derivatives stand in differentiate.cpp.
template <class Real>
Real apply_operation(Op op, Real a, Real b, Real c) {
    switch (op) {
        case Op::kConstant:
        case Op::kSymbol:
            break;
        case Op::kAdd:
            return a + b;
        case Op::kSub:
            return a - b;
        case Op::kNeg:
            return -a;
        case Op::kMul:
            return a * b;
        case Op::kDiv:
            return a / b;
        case Op::kPow:
            return std::pow(a, b);
        case Op::kSin:
            return std::sin(a);
        case Op::kCos:
            return std::cos(a);
        case Op::kTan:
            return std::tan(a);
        case Op::kAsin:
            return std::asin(a);
        case Op::kAcos:
            return std::acos(a);
        case Op::kAtan:
            return std::atan(a);
        case Op::kSinh:
            return std::sinh(a);
        case Op::kCosh:
            return std::cosh(a);
        case Op::kTanh:
            return std::tanh(a);
        case Op::kExp:
            return std::exp(a);
        case Op::kLog:
            return std::log(a);
        case Op::kSqrt:
            return std::sqrt(a);
        case Op::kAbs:
            return std::abs(a);
        case Op::kSign:
            return truth<Real>(a > 0) - truth<Real>(a < 0);
        case Op::kAtan2:
            return std::atan2(a, b);
        case Op::kMin:
            return std::fmin(a, b);
        case Op::kMax:
            return std::fmax(a, b);
        case Op::kLess:
            return truth<Real>(a < b);
        case Op::kLessEqual:
            return truth<Real>(a <= b);
        case Op::kEqual:
            return truth<Real>(a == b);
        case Op::kAnd:
            return truth<Real>(a != 0 && b != 0);
        case Op::kOr:
            return truth<Real>(a != 0 || b != 0);
        case Op::kNot:
            return truth<Real>(a == 0);
        case Op::kSelect:
            return a != 0 ? b : c;
    }
    ANANKE_REQUIRE(false);
    return Real(0);
}

/// Places of nodes among those of an evaluation, ascending: looked up where these are a large part
/// of the graph, else searched for.
class Places {
  public:
    Places(const Graph& graph, std::span<const Expr> nodes) : nodes_(nodes) {
        if (nodes.size() > graph.size() / 64) {
            places_.resize(graph.size());
            for (std::uint32_t place = 0; place < nodes.size(); ++place) {
                places_[nodes[place].id] = place;
            }
        }
    }
    std::uint32_t operator()(Expr e) const {
        return places_.empty() ? place_of(nodes_, e) : places_[e.id];
    }

  private:
    std::span<const Expr> nodes_;
    std::vector<std::uint32_t> places_;
};

}  // namespace

template <class Real>
Evaluation<Real>::Evaluation(const Graph& graph, std::span<const Expr> roots) {
    const std::vector<Expr> nodes = reachable(graph, roots);
    const Places place_among(graph, nodes);
    values_.resize(nodes.size());
    for (std::uint32_t place = 0; place < nodes.size(); ++place) {
        const Expr e = nodes[place];
        const Node& node = graph.node(e);
        if (node.op == Op::kConstant) {
            values_[place] = value_of<Real>(graph.constant(e));
        } else if (node.op == Op::kSymbol) {
            symbols_.push_back({e, place});
        } else {
            const int count = arity(node.op);
            operations_.push_back({node.op, place, place_among(Expr{node.a}),
                                   count >= 2 ? place_among(Expr{node.b}) : 0,
                                   count >= 3 ? place_among(Expr{node.c}) : 0});
        }
    }
    for (const Expr root : roots) {
        roots_.push_back(place_among(root));
    }
}

template <class Real>
std::vector<Real> Evaluation<Real>::operator()(const Values<Real>& symbols) {
    for (const Symbol& symbol : symbols_) {
        const auto given = symbols.find(symbol.e);
        ANANKE_REQUIRE(given != symbols.end());
        values_[symbol.place] = given->second;
    }
    for (const Operation& operation : operations_) {
        values_[operation.place] = apply_operation(operation.op, values_[operation.a],
                                                   values_[operation.b], values_[operation.c]);
    }
    return transformed(roots_, [&](std::uint32_t root) { return values_[root]; });
}

template class Evaluation<double>;
template class Evaluation<long double>;

}  // namespace ananke::sym
