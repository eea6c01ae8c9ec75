// Expressions of the tree to values: numbers, operators, and what statements ask of a value.
//
// After a mistake, which is reported, a value is Value::none() and an optional is empty.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lang/lowering.h"

namespace ananke::lang {

/// A part of a larger expression or equation.
Value evaluate(Lowering& in, ExprId id);
/// A whole expression.
Value evaluate_top(Lowering& in, ExprId id);

/// A number or vector to calculate with; points, bodies, rotations and conditions are not.
bool usable(Lowering& in, const Value& value, ExprId at);
/// Reports the first quantity that a value depends on and must not. `what` reads "a potential".
bool allow(Lowering& in, const Value& value, Dependence allowed, ExprId at, std::string_view what,
           std::string_view advice = {});
/// "a scalar", "a point"
std::string_view shown(const Value& value);

/// A whole expression that is a scalar, or a vector. `what` reads "a mass".
Value scalar_of(Lowering& in, ExprId id, std::string_view what);
Value vector_of(Lowering& in, ExprId id, std::string_view what);

/// What a statement asks of an expression: its name in messages, what it may depend on besides
/// parameters, and what to write instead.
struct Wanted {
    std::string_view what;
    Dependence allowed = 0;
    std::string_view advice = {};
};
std::optional<sym::Expr> scalar_over(Lowering& in, ExprId id, const Wanted& wanted);
std::optional<mech::Vec3> vector_over(Lowering& in, ExprId id, const Wanted& wanted);

/// A scalar over parameters whose present number is positive and finite.
std::optional<sym::Expr> positive(Lowering& in, ExprId id, std::string_view what);

/// A result that is not a finite number wherever it stands is a mistake: sqrt(-1), 0^-1, log(0).
Value checked_constant(Lowering& in, sym::Expr e, Span span);
/// "log(L - 2) with L - 2 = -1", of a value over parameters that is not a finite number.
Notes why_undefined(Lowering& in, sym::Expr e, Span span);
/// The place of the first quantity of these kinds, else that of the whole expression.
Span first_place(Lowering& in, Dependence kinds, ExprId at);

}  // namespace ananke::lang
