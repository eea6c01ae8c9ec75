// Parameters, coordinates, speeds, lets and outputs.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "lang/expressions.h"
#include "lang/paths.h"
#include "lang/statements.h"
#include "sym/differentiate.h"
#include "sym/walk.h"

namespace ananke::lang {
namespace {

constexpr std::array<const char*, 3> kComponents{".x", ".y", ".z"};

/// A value over other parameters, and its number.
struct ParameterValue {
    sym::Expr value;
    double number;
};

constexpr Wanted kParameter{"a parameter", 0, "name an expression that changes with 'let'"};

std::optional<ParameterValue> with_number(Lowering& in, sym::Expr value, ExprId id,
                                          std::string_view name) {
    const std::optional<double> number = in.symbols.number_of(value);
    if (!number || !std::isfinite(*number)) {
        return in.fail(id, fmt::format("the parameter '{}' is not a finite number", name),
                       why_undefined(in, value, in.scope.span(id)));
    }
    return ParameterValue{value, *number};
}

/// A setting stands in for the value of the text.
std::optional<ParameterValue> setting_value(Lowering& in, Setting& setting, std::string_view name) {
    setting.used = true;
    const Scope::Visit visit(in.scope, *setting.scope);
    const std::optional<sym::Expr> value = scalar_over(in, setting.binding.value, kParameter);
    if (!value) {
        return std::nullopt;
    }
    if (setting.binding.guess) {
        in.fail(setting.binding.span,
                fmt::format("'{}' is a parameter, which has no guess", setting.name),
                {fmt::format("write {}=...", setting.name)});
    }
    return with_number(in, *value, setting.binding.value, name);
}

/// d/dv of a linear function no longer depends on v.
bool is_linear_in_velocities(Lowering& in, sym::Expr e) {
    std::vector<sym::Expr> velocities;
    for (const sym::Expr symbol : sym::symbols_of(in.graph, e)) {
        const sym::SymbolKind kind = in.graph.symbol_kind(symbol);
        if (kind == sym::SymbolKind::kVelocity || kind == sym::SymbolKind::kPointVelocity) {
            velocities.push_back(symbol);
        }
    }
    for (const sym::Expr slope : sym::gradient(in.graph, e, velocities)) {
        if ((in.symbols.dependence(slope) & kOnVelocities) != 0) {
            return false;
        }
    }
    return !velocities.empty();
}

}  // namespace

void lower(Lowering& in, const Binding& item, const ParameterList&) {
    const std::optional<std::string> name = declared_name(in, item.name);
    const Value written = scalar_of(in, item.value, kParameter.what);
    if (!name) {
        return;
    }
    const Span span = in.scope.span(item.name);
    const std::string full = in.scope.full(*name);
    std::optional<ParameterValue> value;
    if (!written.bad() &&
        allow(in, written, kParameter.allowed, item.value, kParameter.what, kParameter.advice)) {
        Setting* setting = find_setting(in, full, 0);
        value = setting != nullptr ? setting_value(in, *setting, *name)
                                   : with_number(in, written.scalar(), item.value, *name);
    }
    if (!value) {
        in.scope.declare_failed(*name, {EntityKind::kParameter, span});
        return;
    }
    const sym::Expr symbol = in.graph.symbol(sym::SymbolKind::kParameter, full);
    const int index = static_cast<int>(in.model.parameters.size());
    if (in.scope.declare(*name, {EntityKind::kParameter, index, Value::scalar(symbol), span})) {
        in.symbols.add_parameter({full, symbol, value->value, false, span}, value->number);
    }
}

int add_coordinate(Lowering& in, const std::string& name, Span span) {
    const std::string full = in.scope.full(name);
    mech::Coordinate coordinate;
    coordinate.name = full;
    coordinate.q = in.graph.symbol(sym::SymbolKind::kCoordinate, full);
    coordinate.v = in.graph.symbol(sym::SymbolKind::kVelocity, full + "'");
    coordinate.a = in.graph.symbol(sym::SymbolKind::kAcceleration, full + "''");
    coordinate.span = span;
    const int index = static_cast<int>(in.model.coordinates.size());
    if (!in.scope.declare(name,
                          {EntityKind::kCoordinate, index, Value::scalar(coordinate.q), span})) {
        return -1;
    }
    in.symbols.set_rate(coordinate.q, coordinate.v);
    in.symbols.set_rate(coordinate.v, coordinate.a);
    in.model.coordinates.push_back(std::move(coordinate));
    return index;
}

void lower(Lowering& in, const Statement&, const CoordinateList& node) {
    for (const ExprId id : node.names) {
        if (const std::optional<std::string> name = declared_name(in, id)) {
            add_coordinate(in, *name, in.scope.span(id));
        }
    }
}

void lower(Lowering& in, const Binding& item, const LetList&) {
    const std::optional<std::string> name = declared_name(in, item.name);
    const Span span = in.scope.span(item.name);
    const Value value = evaluate_top(in, item.value);
    const bool good = usable(in, value, item.value);
    if (name && good) {
        in.scope.declare(*name, {EntityKind::kLet, -1, value, span});
    } else if (name) {
        in.scope.declare_failed(*name, {EntityKind::kLet, span});
    }
}

void lower(Lowering& in, const Binding& item, const SpeedList&) {
    const std::optional<std::string> name = declared_name(in, item.name);
    const Span span = in.scope.span(item.name);
    const std::optional<sym::Expr> value = scalar_over(in, item.value, {"a speed", kOnState});
    bool good = value.has_value();
    if (good && !is_linear_in_velocities(in, *value)) {
        good = in.fail(item.value, "a speed must be linear in the velocities",
                       {"speed u = x'*cos(th) + y'*sin(th); other expressions are named by 'let'"});
    }
    const int index = static_cast<int>(in.model.speeds.size());
    if (name && !good) {
        in.scope.declare_failed(*name, {EntityKind::kSpeed, span});
    } else if (name &&
               in.scope.declare(*name, {EntityKind::kSpeed, index, Value::scalar(*value), span})) {
        in.model.speeds.push_back({in.scope.full(*name), *value, span});
    }
}

void lower(Lowering& in, const Binding& item, const OutputList&) {
    const std::optional<std::string> name = declared_name(in, item.name);
    const Value value = evaluate_top(in, item.value);
    if (!usable(in, value, item.value) || !name) {
        return;
    }
    const Span span = in.scope.span(item.name);
    const std::string full = in.scope.full(*name);
    const Entity* entity = in.scope.find(*name).entity;
    if (entity != nullptr && entity->kind == EntityKind::kCoordinate) {
        in.fail(span, fmt::format("'{}' is a coordinate and has a column already", *name),
                {"choose another name for the output"});
        return;
    }
    if (*name == "kinetic" || *name == "potential" || *name == "energy" ||
        *name == "energy_balance") {
        in.fail(span, fmt::format("the column '{}' exists in every result", *name),
                {"choose another name for the output"});
        return;
    }
    const auto [found, is_new] = in.given.outputs.try_emplace(full, span);
    if (!is_new) {
        in.fail(span, fmt::format("the output '{}' is declared already", *name),
                {in.reports.declared_note(found->second)});
        return;
    }
    if (value.is_scalar()) {
        in.model.outputs.push_back({full, value.scalar(), span});
        return;
    }
    for (std::size_t k = 0; k < 3; ++k) {
        in.model.outputs.push_back({full + kComponents[k], value.parts[k], span});
    }
}

}  // namespace ananke::lang
