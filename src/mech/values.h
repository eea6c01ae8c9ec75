// Numbers of a model: parameters and initial values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "mech/model.h"
#include "sym/evaluate.h"

namespace ananke::mech {

/// A value that replaces the one in the model, by name: a parameter, or for initial values a
/// coordinate "x" or a velocity "x'".
struct Override {
    std::string name;
    double value = 0.0;
};

/// Parameter values in the order of the model, each evaluated over the earlier ones.
/// Fails with kInvalidInput (an override names no parameter) or kNotFinite (names the parameter).
Result<std::vector<double>> parameter_values(const Model& model,
                                             std::span<const Override> overrides = {});

struct InitialState {
    std::vector<double> q, v;            ///< n each
    std::vector<bool> q_exact, v_exact;  ///< exact values are kept by assembly, guesses move
    /// v is a function of the positions (an angular velocity): evaluate it anew once q is
    /// assembled.
    std::vector<bool> v_follows;
    /// Typical sizes that the model gives; 0 where it gives none.
    std::vector<double> q_scale, v_scale;
};

/// Initial values; what the model does not mention is a guess of 0. An override is exact. `scales`
/// replace those of the model.
/// Fails with kInvalidInput (an override names no coordinate) or kNotFinite (names the value).
Result<InitialState> initial_values(const Model& model, std::span<const double> parameters,
                                    std::span<const Override> overrides = {},
                                    std::span<const Override> scales = {});

/// The parameters as values of symbols.
template <class Real>
sym::Values<Real> symbol_values(const Model& model, std::span<const double> parameters) {
    ANANKE_REQUIRE(parameters.size() == model.parameters.size());
    sym::Values<Real> values;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        values[model.parameters[i].symbol] = static_cast<Real>(parameters[i]);
    }
    return values;
}

}  // namespace ananke::mech
