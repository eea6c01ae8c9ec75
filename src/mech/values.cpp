#include "mech/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/ranges.h"
#include "base/text.h"
#include "mech/undefined.h"
#include "sym/walk.h"

namespace ananke::mech {

namespace {

Error unknown_name(std::string_view what, const std::string& name,
                   const std::vector<std::string>& known) {
    const std::string nearest = nearest_name(name, known);
    return {ErrorCode::kInvalidInput,
            nearest.empty()
                ? fmt::format("the model has no {} '{}'", what, name)
                : fmt::format("the model has no {} '{}'; did you mean '{}'?", what, name, nearest)};
}

/// ": door.ank:3:20: log(L - 2) with L - 2 = -1"
std::string why_undefined(const Model& model, const Suspect& suspect,
                          const sym::Values<double>& symbols) {
    const auto value = [&](Expr symbol) {
        const auto found = symbols.find(symbol);
        return found != symbols.end() ? found->second : 0.0;
    };
    const std::string text = describe_undefined(model, model.sources.get(), {&suspect, 1}, value);
    return text.empty() ? "" : ": " + text;
}

/// Of an initial value.
std::string why_undefined(const Model& model, std::size_t coordinate, bool velocity,
                          const sym::Values<double>& symbols) {
    for (const InitialValue& initial : model.initial) {
        if (static_cast<std::size_t>(initial.coordinate) == coordinate &&
            initial.velocity == velocity) {
            return why_undefined(model, {initial.value, initial.span}, symbols);
        }
    }
    return "";
}

}  // namespace

Result<std::vector<double>> parameter_values(const Model& model,
                                             std::span<const Override> overrides) {
    std::unordered_map<std::string, double> given;
    std::vector<std::string> known = transformed(model.parameters, &Parameter::name);
    for (const Override& item : overrides) {
        if (!contains(known, item.name)) {
            return unknown_name("parameter", item.name, known);
        }
        given[item.name] = item.value;
    }

    std::vector<double> values;
    sym::Values<double> symbols;
    for (const Parameter& parameter : model.parameters) {
        const auto override_of = given.find(parameter.name);
        const double value = override_of != given.end()
                                 ? override_of->second
                                 : sym::evaluate<double>(model.graph, parameter.value, symbols);
        if (!std::isfinite(value)) {
            return Error{
                ErrorCode::kNotFinite,
                fmt::format("the value of parameter '{}' is not a finite number{}", parameter.name,
                            why_undefined(model, {parameter.value, parameter.span}, symbols))};
        }
        symbols[parameter.symbol] = value;
        values.push_back(value);
    }
    return values;
}

Result<InitialState> initial_values(const Model& model, std::span<const double> parameters,
                                    std::span<const Override> overrides,
                                    std::span<const Override> scales) {
    const std::size_t n = model.coordinates.size();
    InitialState state;
    state.q.assign(n, 0.0);
    state.v.assign(n, 0.0);
    state.q_exact.assign(n, false);
    state.v_exact.assign(n, false);
    state.q_scale.assign(n, 0.0);
    state.v_scale.assign(n, 0.0);
    state.v_follows.assign(n, false);

    std::unordered_map<std::string, std::size_t> places;  // "x" at 2i, "x'" at 2i + 1
    std::vector<std::string> known;
    for (std::size_t i = 0; i < n && !(overrides.empty() && scales.empty()); ++i) {
        const std::string& name = model.coordinates[i].name;
        places[name] = 2 * i;
        places[name + "'"] = 2 * i + 1;
        known.push_back(name);
        known.push_back(name + "'");
    }
    std::vector<const Override*> replaced(2 * n, nullptr);
    for (const Override& item : overrides) {
        const auto place = places.find(item.name);
        if (place == places.end()) {
            return unknown_name("coordinate", item.name, known);
        }
        replaced[place->second] = &item;
    }

    auto symbols = symbol_values<double>(model, parameters);
    const auto follows = [&](const InitialValue& initial) {
        return sym::depends_on_kind(model.graph, initial.value, sym::SymbolKind::kCoordinate);
    };
    // Positions over parameters alone, then guesses that follow them in the order of the
    // coordinates, then velocities.
    enum class Pass : std::uint8_t { kGiven, kFollowing, kVelocities };
    for (const Pass pass : {Pass::kGiven, Pass::kFollowing, Pass::kVelocities}) {
        const bool velocity = pass == Pass::kVelocities;
        std::vector<double>& values = velocity ? state.v : state.q;
        std::vector<bool>& exact = velocity ? state.v_exact : state.q_exact;
        std::vector<const InitialValue*> of_pass;
        std::vector<Expr> expressions;
        for (const InitialValue& initial : model.initial) {
            if (initial.velocity == velocity &&
                (velocity || follows(initial) == (pass == Pass::kFollowing))) {
                of_pass.push_back(&initial);
                expressions.push_back(initial.value);
            }
        }
        // One that follows may stand in the next.
        const bool together = pass != Pass::kFollowing;
        std::vector<double> numbers;
        if (together) {
            numbers = sym::evaluate<double>(model.graph, expressions, symbols);
        }
        for (std::size_t k = 0; k < of_pass.size(); ++k) {
            const std::size_t i = of_pass[k]->coordinate;
            if (replaced[2 * i + (velocity ? 1 : 0)] != nullptr) {
                continue;
            }
            values[i] = together ? numbers[k]
                                 : sym::evaluate<double>(model.graph, of_pass[k]->value, symbols);
            exact[i] = of_pass[k]->exact;
            state.v_follows[i] = velocity && follows(*of_pass[k]);
            symbols[velocity ? model.coordinates[i].v : model.coordinates[i].q] = values[i];
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (const Override* item = replaced[2 * i + (velocity ? 1 : 0)]) {
                values[i] = item->value;
                exact[i] = true;
            }
            if (pass == Pass::kGiven) {
                symbols[model.coordinates[i].q] = values[i];
            }
        }
    }

    for (const Scale& scale : model.scales) {
        const double size = sym::evaluate<double>(model.graph, scale.value,
                                                  symbol_values<double>(model, parameters));
        (scale.velocity ? state.v_scale : state.q_scale)[scale.coordinate] = size;
    }
    for (const Override& item : scales) {
        const auto place = places.find(item.name);
        if (place == places.end()) {
            return unknown_name("coordinate", item.name, known);
        }
        const bool velocity = place->second % 2 == 1;
        (velocity ? state.v_scale : state.q_scale)[place->second / 2] = item.value;
    }
    for (const std::vector<double>* sizes : {&state.q_scale, &state.v_scale}) {
        for (std::size_t i = 0; i < n; ++i) {
            if (!((*sizes)[i] >= 0.0) || !std::isfinite((*sizes)[i])) {
                return Error{ErrorCode::kInvalidInput,
                             fmt::format("the scale of {}{} must be a number above 0, not {}",
                                         model.coordinates[i].name,
                                         sizes == &state.v_scale ? "'" : "", to_text((*sizes)[i]))};
            }
        }
    }

    for (std::size_t i = 0; i < n; ++i) {
        for (const bool velocity : {false, true}) {
            const double value = velocity ? state.v[i] : state.q[i];
            if (!std::isfinite(value)) {
                return Error{ErrorCode::kNotFinite,
                             fmt::format("the initial value of {}{} is not a finite number{}",
                                         model.coordinates[i].name, velocity ? "'" : "",
                                         why_undefined(model, i, velocity, symbols))};
            }
        }
    }
    return state;
}

}  // namespace ananke::mech
