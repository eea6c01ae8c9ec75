#include "sym/evaluate.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

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

}  // namespace

template <class Real>
std::vector<Real> evaluate(const Graph& graph, std::span<const Expr> roots,
                           const Values<Real>& symbols) {
    // Places of nodes among the values. Whatever an earlier call left is overwritten before it is
    // read, because operands come first.
    thread_local std::vector<std::uint32_t> places;
    if (places.size() < graph.size()) {
        places.reserve(graph.size() + graph.size() / 8);
        places.resize(places.capacity());
    }
    std::vector<Real> values;
    const auto value = [&](std::uint32_t id) { return values[places[id]]; };
    const std::vector<Expr> nodes = reachable(graph, roots);
    values.reserve(nodes.size());
    for (Expr e : nodes) {
        const Node& node = graph.node(e);
        places[e.id] = static_cast<std::uint32_t>(values.size());
        if (node.op == Op::kConstant) {
            values.push_back(value_of<Real>(graph.constant(e)));
        } else if (node.op == Op::kSymbol) {
            const auto given = symbols.find(e);
            ANANKE_REQUIRE(given != symbols.end());
            values.push_back(given->second);
        } else {
            const int count = arity(node.op);
            const Real a = value(node.a);
            const Real b = count >= 2 ? value(node.b) : Real(0);
            const Real c = count >= 3 ? value(node.c) : Real(0);
            values.push_back(apply_operation(node.op, a, b, c));
        }
    }
    std::vector<Real> results;
    results.reserve(roots.size());
    for (Expr root : roots) {
        results.push_back(value(root.id));
    }
    return results;
}

template std::vector<double> evaluate<double>(const Graph&, std::span<const Expr>,
                                              const Values<double>&);
template std::vector<long double> evaluate<long double>(const Graph&, std::span<const Expr>,
                                                        const Values<long double>&);

}  // namespace ananke::sym
