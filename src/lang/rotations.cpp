// Rotations: about an axis, by a quaternion, by two axes.
#include <array>
#include <cmath>

#include "lang/directions.h"
#include "lang/expressions.h"
#include "mech/vectors.h"

namespace ananke::lang {
namespace {

mech::Vec3 unit(sym::Graph& graph, const mech::Vec3& v) {
    const sym::Expr length = graph.apply(sym::Op::kSqrt, mech::dot(graph, v, v));
    return {graph.div(v[0], length), graph.div(v[1], length), graph.div(v[2], length)};
}

/// The quaternion of three orthonormal axes: of four equivalent formulas the one that divides by
/// the largest number (Shepperd 1978).
mech::Quaternion quaternion_of(sym::Graph& graph, const mech::Axes& e) {
    const auto R = [&](std::size_t i, std::size_t j) { return e[j][i]; };
    const auto signed_trace = [&](int a, int b, int c) {
        const auto term = [&](int sign, sym::Expr value) {
            return sign > 0 ? value : graph.neg(value);
        };
        return graph.add(graph.add(term(a, R(0, 0)), term(b, R(1, 1))), term(c, R(2, 2)));
    };
    const auto half_root = [&](sym::Expr trace) {
        return graph.mul(graph.fraction(1, 2),
                         graph.apply(sym::Op::kSqrt, graph.add(graph.one(), trace)));
    };
    const auto plus = [&](std::size_t i, std::size_t j) { return graph.add(R(i, j), R(j, i)); };
    const auto minus = [&](std::size_t i, std::size_t j) { return graph.sub(R(i, j), R(j, i)); };
    std::array<mech::Quaternion, 4> formulas;
    const std::array<sym::Expr, 4> traces{signed_trace(1, 1, 1), signed_trace(1, -1, -1),
                                          signed_trace(-1, 1, -1), signed_trace(-1, -1, 1)};
    const std::array<std::array<sym::Expr, 4>, 4> numerators{{
        {graph.zero(), minus(2, 1), minus(0, 2), minus(1, 0)},
        {minus(2, 1), graph.zero(), plus(0, 1), plus(0, 2)},
        {minus(0, 2), plus(0, 1), graph.zero(), plus(1, 2)},
        {minus(1, 0), plus(0, 2), plus(1, 2), graph.zero()},
    }};
    for (std::size_t k = 0; k < 4; ++k) {
        const sym::Expr largest = half_root(traces[k]);
        for (std::size_t i = 0; i < 4; ++i) {
            formulas[k][i] =
                i == k ? largest
                       : graph.div(numerators[k][i], graph.mul(graph.integer(4), largest));
        }
    }
    mech::Quaternion u = formulas[3];
    sym::Expr best = traces[3];
    for (std::size_t k = 3; k-- > 0;) {
        const sym::Expr better = graph.apply(sym::Op::kLessEqual, best, traces[k]);
        for (std::size_t i = 0; i < 4; ++i) {
            u[i] = graph.select(better, formulas[k][i], u[i]);
        }
        best = graph.select(better, traces[k], best);
    }
    return u;
}

/// A rotation, unless its axis has no length or its axes are parallel.
Value checked_rotation(Lowering& in, const mech::Quaternion& u, Span span) {
    for (const sym::Expr part : u) {
        const std::optional<double> number = in.symbols.number_of(part);
        if (number && !std::isfinite(*number)) {
            return in.fail(span,
                           "this is no rotation: an axis has no length, or two axes are parallel",
                           why_undefined(in, part, span));
        }
    }
    return Value::of_rotation(u);
}

}  // namespace

Value call_quaternion(Lowering& in, ExprId id) {
    const std::vector<ExprId>& operands = in.scope.expr(id).operands;
    mech::Quaternion u;
    for (std::size_t i = 0; i < 4; ++i) {
        const Value part = evaluate(in, operands[i + 1]);
        if (!usable(in, part, operands[i + 1])) {
            return Value::none();
        }
        if (!part.is_scalar()) {
            return in.fail(operands[i + 1], "a quaternion has four scalars, scalar part first");
        }
        u[i] = part.scalar();
    }
    sym::Expr square = in.graph.zero();
    for (const sym::Expr part : u) {
        square = in.graph.add(square, in.graph.square(part));
    }
    const sym::Expr length = in.graph.apply(sym::Op::kSqrt, square);
    for (sym::Expr& part : u) {
        part = in.graph.is_one(length) ? part : in.graph.div(part, length);
    }
    return checked_rotation(in, u, in.scope.span(id));
}

Value call_rotation(Lowering& in, ExprId id) {
    const std::vector<ExprId>& operands = in.scope.expr(id).operands;
    const Value axis = evaluate(in, operands[1]);
    const Value angle = evaluate(in, operands[2]);
    if (!usable(in, axis, operands[1]) || !usable(in, angle, operands[2])) {
        return Value::none();
    }
    if (!axis.is_vector() || !angle.is_scalar()) {
        return in.fail(id, "'rotation' takes an axis and an angle",
                       {"write: rotation((0, 0, 1), 30*deg)"});
    }
    const sym::Expr half = in.graph.mul(in.graph.fraction(1, 2), angle.scalar());
    const sym::Expr s = in.graph.apply(sym::Op::kSin, half);
    const mech::Vec3 n = unit(in.graph, axis.parts);
    return checked_rotation(in,
                            {in.graph.apply(sym::Op::kCos, half), in.graph.mul(s, n[0]),
                             in.graph.mul(s, n[1]), in.graph.mul(s, n[2])},
                            in.scope.span(id));
}

// The first axis is met, the second lies in their common plane.
Value call_axes(Lowering& in, ExprId id) {
    const std::vector<ExprId> operands = in.scope.expr(id).operands;
    const Notes form{"write: axes(x = (0, 1, 0), z = (0, 0, 1)), two of x, y, z"};
    if (operands.size() != 3) {
        return in.fail(id, "'axes' takes two of the body's axes", form);
    }
    std::array<std::size_t, 2> which{};
    std::array<mech::Vec3, 2> given{};
    for (std::size_t i = 0; i < 2; ++i) {
        const Expr argument = in.scope.expr(operands[i + 1]);
        const std::string_view name = argument.kind == ExprKind::kNamed
                                          ? in.reports.text(argument.token)
                                          : std::string_view();
        which[i] = name == "x" ? 0 : name == "y" ? 1 : name == "z" ? 2 : 3;
        if (which[i] == 3 || (i == 1 && which[0] == which[1])) {
            return in.fail(argument.span, "'axes' takes two of the body's axes", form);
        }
        const Value value = evaluate(in, argument.operands[0]);
        if (!usable(in, value, argument.operands[0])) {
            return Value::none();
        }
        if (!value.is_vector()) {
            return in.fail(argument.span, "an axis is a vector, this is a scalar");
        }
        given[i] = value.parts;
    }
    mech::Axes e;
    const std::size_t third = 3 - which[0] - which[1];
    e[which[0]] = unit(in.graph, given[0]);
    const bool forward = (which[0] + 1) % 3 == which[1];
    e[third] = unit(in.graph, forward ? mech::cross(in.graph, given[0], given[1])
                                      : mech::cross(in.graph, given[1], given[0]));
    e[which[1]] = forward ? mech::cross(in.graph, e[third], e[which[0]])
                          : mech::cross(in.graph, e[which[0]], e[third]);
    return checked_rotation(in, quaternion_of(in.graph, e), in.scope.span(id));
}

}  // namespace ananke::lang
