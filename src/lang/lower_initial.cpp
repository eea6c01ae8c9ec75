// Initial values and typical sizes of coordinates and velocities.
#include <cmath>

#include <fmt/format.h>

#include "lang/directions.h"
#include "lang/expressions.h"
#include "lang/paths.h"
#include "lang/statements.h"

namespace ananke::lang {
void lower(Lowering& in, const Binding& item, const InitialList&) {
    ExprId id = item.name;
    const int primes = strip_primes(in, id);
    // A guess of a position may follow other positions, at the start.
    const Wanted wanted{
        "an initial value", item.guess && primes == 0 ? kOnPositions : Dependence{0},
        "it is made of numbers and parameters; a guess (~) of a position also of other positions"};
    Value value = scalar_of(in, item.value, wanted.what);
    const std::optional<int> coordinate = coordinate_of(in, id, wanted.what);
    if (!coordinate) {
        return;
    }
    if (primes > 1) {
        in.fail(item.name, "an acceleration has no initial value",
                {"it follows from the equations; give x and x'"});
        return;
    }
    const auto allowed = [&] {
        return !value.bad() &&
               allow(in, value, wanted.allowed, item.value, wanted.what, wanted.advice);
    };
    if (!allowed()) {
        return;
    }
    value = Value::scalar(over_coordinates(in, value.scalar()));
    if (!allowed()) {
        return;  // a point that moves with time
    }
    const std::optional<double> number = in.symbols.number_of(value.scalar());
    if (number && !std::isfinite(*number)) {
        in.fail(item.value, "an initial value must be a finite number",
                why_undefined(in, value.scalar(), in.scope.span(item.value)));
        return;
    }
    const std::optional<Span> before = in.starts.add(
        {*coordinate, primes == 1, value.scalar(), !item.guess, item.span}, in.origin());
    if (before) {
        in.fail(item.span,
                fmt::format("'{}' has an exact initial value already", in.scope.text(item.name)),
                {in.reports.declared_note(*before)});
    }
}

void lower(Lowering& in, const Binding& item, const ScaleList&) {
    ExprId id = item.name;
    const int primes = strip_primes(in, id);
    const std::optional<sym::Expr> value = positive(in, item.value, "a scale");
    const std::optional<int> coordinate = coordinate_of(in, id, "a scale");
    if (!coordinate || !value) {
        return;
    }
    if (primes > 1) {
        in.fail(item.name, "an acceleration has no scale", {"give the typical size of x or x'"});
        return;
    }
    for (const mech::Scale& other : in.model.scales) {
        if (other.coordinate == *coordinate && other.velocity == (primes == 1)) {
            in.fail(item.span, fmt::format("'{}' has a scale already", in.scope.text(item.name)),
                    {in.reports.declared_note(other.span)});
            return;
        }
    }
    in.model.scales.push_back({*coordinate, primes == 1, *value, item.span});
}

}  // namespace ananke::lang
