// Names with indices and members to what they stand for: x, x[i + 1], car.wheel.x, v.x.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lang/lowering.h"

namespace ananke::lang {

enum class Lookup : std::uint8_t { kFlat, kNotAPath, kError };
/// x[i+1].y to "x[3].y", appended to `out`. Not a path: anything else, such as (a, b, c).x.
Lookup flatten(Lowering& in, ExprId id, std::string& out);
/// x'' to x, and the number of primes.
int strip_primes(Lowering& in, ExprId& id);
std::optional<std::int64_t> integer_of(Lowering& in, ExprId id, std::string_view what);

// Values (ExprKind::kName, kIndex, kMember).
Value name_value(Lowering& in, ExprId id);
Value index_value(Lowering& in, ExprId id);
Value member_value(Lowering& in, ExprId id);

Failed unknown_name(Lowering& in, ExprId id, const std::string& name);
Failed used_too_early(Lowering& in, Span span, const std::string& name, Span declared);

// What a statement is about. Null or nothing after a mistake, which is reported.

/// A declaration; `what` reads "a force".
const Entity* target(Lowering& in, ExprId id, std::string_view what);
std::optional<int> coordinate_of(Lowering& in, ExprId id, std::string_view what);
/// `rule` says what it must be, as the begin of a message: "friction acts on ...".
const Entity* constraint_or_joint(Lowering& in, ExprId id, std::string_view rule);

/// The flat name of a declaration: a plain name, or an element of an array.
std::optional<std::string> declared_name(Lowering& in, ExprId id);

}  // namespace ananke::lang
