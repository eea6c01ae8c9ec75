#include "expression.h"

#include <utility>

namespace mechanisms {

namespace {

Ex leaf(Op op, int index, const Place& a = {}, const Place& b = {}) {
    Node node;
    node.op = op;
    node.index = index;
    node.a = a;
    node.b = b;
    return Ex(std::move(node));
}

Ex operation(Op op, std::vector<Ex> operands, int index = 0) {
    Node node;
    node.op = op;
    node.index = index;
    for (const Ex& operand : operands) {
        node.operands.push_back(operand.handle());
    }
    return Ex(std::move(node));
}

}  // namespace

Ex::Ex(double value, Dimension dimension) {
    Node node;
    node.number = value;
    node.dimension = dimension;
    node_ = std::make_shared<const Node>(std::move(node));
}

Ex time_symbol() {
    return leaf(Op::kClock, 0);
}
Ex parameter(int index) {
    return leaf(Op::kParameter, index);
}
Ex coordinate(int index) {
    return leaf(Op::kCoordinate, index);
}
Ex speed(int index) {
    return leaf(Op::kSpeed, index);
}
Ex position(const Place& place, int component) {
    return leaf(Op::kPosition, component, place);
}
Ex velocity(const Place& place, int component) {
    return leaf(Op::kPlaceVelocity, component, place);
}
Ex omega(const Place& place, int component) {
    return leaf(Op::kOmega, component, place);
}
Ex distance(const Place& a, const Place& b) {
    return leaf(Op::kDistance, 0, a, b);
}
Ex distance_squared(const Place& a, const Place& b) {
    return leaf(Op::kDistanceSquared, 0, a, b);
}

Ex operator+(const Ex& a, const Ex& b) {
    if (a.is_zero()) {
        return b;
    }
    return b.is_zero() ? a : operation(Op::kAdd, {a, b});
}
Ex operator-(const Ex& a, const Ex& b) {
    return b.is_zero() ? a : operation(Op::kSubtract, {a, b});
}
Ex operator*(const Ex& a, const Ex& b) {
    return operation(Op::kMultiply, {a, b});
}
Ex operator/(const Ex& a, const Ex& b) {
    return operation(Op::kDivide, {a, b});
}
Ex operator-(const Ex& a) {
    return operation(Op::kMultiply, {Ex(-1.0), a});
}
Ex power(const Ex& a, int exponent) {
    return operation(Op::kPower, {a}, exponent);
}
Ex sine(const Ex& a) {
    return operation(Op::kSin, {a});
}
Ex cosine(const Ex& a) {
    return operation(Op::kCos, {a});
}
Ex hyperbolic_tangent(const Ex& a) {
    return operation(Op::kTanh, {a});
}
Ex root(const Ex& a) {
    return operation(Op::kSqrt, {a});
}
Ex absolute(const Ex& a) {
    return operation(Op::kAbsolute, {a});
}
Ex least(const Ex& a, const Ex& b) {
    return operation(Op::kLeast, {a, b});
}
Ex greatest(const Ex& a, const Ex& b) {
    return operation(Op::kGreatest, {a, b});
}
Ex choice(const Ex& left, const Ex& right, const Ex& below, const Ex& otherwise) {
    return operation(Op::kChoice, {left, right, below, otherwise});
}

}  // namespace mechanisms
