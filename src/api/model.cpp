#include "ananke/model.h"

#include <cmath>

#include <fmt/format.h>

#include "api/load.h"
#include "api/model_data.h"
#include "base/diagnostic.h"
#include "base/ranges.h"
#include "compile/prepare.h"
#include "lang/parse_model.h"
#include "simulate/row_writer.h"

namespace ananke {
namespace {

void add_messages(const std::vector<Diagnostic>& diagnostics, const Sources& sources,
                  Loaded& loaded) {
    if (diagnostics.empty()) {
        return;
    }
    for (const Diagnostic& diagnostic : diagnostics) {
        const Span span = diagnostic.span;
        const bool placed = span.file < sources.size();
        const Sources::Place place =
            placed ? sources.place(span.file, span.begin) : Sources::Place{0, 0};
        loaded.messages.push_back({diagnostic.severity == Severity::kError,
                                   placed ? sources.name(span.file) : "", place.line, place.column,
                                   diagnostic.message, diagnostic.notes});
    }
    loaded.rendered += render(diagnostics, sources);
}

lang::Options parse_options(const LoadOptions& options, const Bounds& bounds = {}) {
    return {options.settings, options.prelude_directory, bounds.read, bounds.limits};
}

Loaded finish(lang::ParseResult parsed, const Sources& sources, const LoadOptions& options) {
    Loaded loaded;
    add_messages(parsed.diagnostics, sources, loaded);
    if (!parsed.model) {
        return loaded;
    }
    compile::PrepareOptions prepare_options;
    prepare_options.without = options.without;
    for (const std::string& text : options.scales) {
        const std::size_t equals = text.find('=');
        const Result<double> value =
            equals == std::string::npos
                ? Error{ErrorCode::kInvalidInput,
                        fmt::format("--scale expects NAME=SIZE, as x=1e-6, not '{}'", text)}
                : lang::parse_number("--scale", text.substr(equals + 1), {});
        if (value && !(value.value() > 0.0 && std::isfinite(value.value()))) {
            loaded.errors.push_back({ErrorCode::kInvalidInput,
                                     fmt::format("--scale {}: a size is a number above 0", text)});
        } else if (!value) {
            loaded.errors.push_back(value.error());
        } else {
            prepare_options.scales.push_back({text.substr(0, equals), value.value()});
        }
    }
    if (!loaded.errors.empty()) {
        return loaded;
    }
    compile::Preparation preparation = compile::prepare(std::move(*parsed.model), prepare_options);
    add_messages(preparation.diagnostics, sources, loaded);
    loaded.errors = std::move(preparation.errors);
    if (preparation.prepared) {
        loaded.model.emplace(std::make_shared<const Model::Data>(
            Model::Data{sources.size() > 0 ? sources.text(0) : "", std::move(parsed.files),
                        std::move(preparation.prepared)}));
    }
    return loaded;
}

}  // namespace

std::string_view version() {
    return ANANKE_VERSION;
}

const std::string& Model::title() const {
    return data_->prepared->model.title;
}

const std::string& Model::text() const {
    return data_->text;
}

const std::vector<std::string>& Model::files() const {
    return data_->files;
}

std::vector<std::string> Model::coordinates() const {
    return data_->prepared->compiled->coordinate_names;
}

std::vector<Parameter> Model::parameters() const {
    const compile::Prepared& prepared = *data_->prepared;
    std::vector<Parameter> parameters;
    for (std::size_t i = 0; i < prepared.parameters.size(); ++i) {
        const mech::Parameter& parameter = prepared.model.parameters[i];
        parameters.push_back({parameter.name, prepared.parameters[i], parameter.structural});
    }
    return parameters;
}

std::vector<ConstraintRow> Model::constraints() const {
    return transformed(data_->prepared->compiled->rows, [](const mech::Row& row) {
        return ConstraintRow{row.name, std::string(mech::describe(row)), row.servo};
    });
}

std::vector<Column> Model::columns() const {
    return simulate::columns_of(*data_->prepared->compiled);
}

std::optional<Simulation> Model::simulation() const {
    const compile::Prepared& prepared = *data_->prepared;
    const std::optional<mech::Simulate>& statement = prepared.model.simulate;
    if (!statement) {
        return std::nullopt;
    }
    Simulation simulation;
    simulation.until = compile::parameter_expression(prepared, statement->until);
    if (statement->every) {
        simulation.every = compile::parameter_expression(prepared, *statement->every);
    }
    if (statement->max_step) {
        simulation.max_step = compile::parameter_expression(prepared, *statement->max_step);
    }
    simulation.stiff = statement->stiff;
    return simulation;
}

Result<double> Model::value_of(const std::string& what, const std::string& expression) const {
    std::vector<lang::NamedNumber> names;
    for (Parameter& parameter : parameters()) {
        names.push_back({std::move(parameter.name), parameter.value});
    }
    return lang::parse_number(what, expression, names);
}

std::string Loaded::report() const {
    std::string text = rendered;
    for (const Error& error : errors) {
        text += fmt::format("ananke: {}\n", error.message);
    }
    return text;
}

Loaded load_model(const std::string& path, const LoadOptions& options) {
    Sources sources;
    lang::ParseResult parsed = lang::parse_model_file(sources, path, parse_options(options));
    return finish(std::move(parsed), sources, options);
}

Loaded load_model_text(std::string name, std::string text, const LoadOptions& options) {
    return load_model_text(std::move(name), std::move(text), options, Bounds());
}

Loaded load_model_text(std::string name, std::string text, const LoadOptions& options,
                       const Bounds& bounds) {
    Sources sources;
    lang::ParseResult parsed = lang::parse_model_text(sources, std::move(name), std::move(text),
                                                      parse_options(options, bounds));
    return finish(std::move(parsed), sources, options);
}

}  // namespace ananke
