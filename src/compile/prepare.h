// From a model to something that can run: derive, choose the constraints, compile, put in numbers.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/result.h"
#include "compile/compiled_model.h"
#include "mech/equations.h"
#include "mech/model.h"
#include "mech/values.h"

namespace ananke::compile {

struct PrepareOptions {
    std::vector<mech::Override> parameters;
    std::vector<mech::Override> initial;  ///< by name: x, x'
    std::vector<mech::Override> scales;   ///< likewise
    std::vector<std::string> without;     ///< constraints left out; `*` matches any run of letters
};

/// A model with its equations and numbers.
struct Prepared {
    mech::Model model;
    mech::Equations equations;
    std::vector<double> parameters;
    mech::InitialState initial;
    std::shared_ptr<const CompiledModel> compiled;
};

struct Preparation {
    std::shared_ptr<Prepared> prepared;   ///< absent if anything failed
    std::vector<Diagnostic> diagnostics;  ///< of the model's text
    std::vector<Error> errors;            ///< of the options
};

Preparation prepare(mech::Model model, const PrepareOptions& options);

/// The value of an expression over the parameters alone.
double parameter_expression(const Prepared& prepared, sym::Expr e);

}  // namespace ananke::compile
