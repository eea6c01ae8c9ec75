#include "lang/lowering.h"

#include <memory>

#include "lang/expressions.h"
#include "lang/statements.h"

namespace ananke::lang {

Lowering::Lowering(Sources& all_sources, const Options& given_options,
                   std::vector<Diagnostic>& diagnostics)
    : sources(all_sources),
      options(given_options),
      graph(model.graph),
      reports(sources, options.limits.errors, diagnostics),
      scope(reports),
      symbols(model),
      bodies(model, symbols),
      files(sources, options, diagnostics) {
    model.time = graph.symbol(sym::SymbolKind::kTime, "t");
    symbols.set_rate(model.time, graph.one());
}

std::optional<mech::Model> lower_file(Lowering& in, std::uint32_t root,
                                      std::vector<Diagnostic>& diagnostics) {
    read_settings(in);
    FileScope& file = in.scope.add_file();
    file.file = root;
    file.path = in.sources.name(root);
    in.files.add(file.path, root);
    carry_out(in, file);
    apply_initial_settings(in);
    in.model.initial = in.starts.values();
    finish_events(in);
    finish_gravity(in);
    finish_gauge(in);
    if (!has_errors(diagnostics) && in.model.coordinates.empty()) {
        diagnostics.push_back(error_at({root, 0, 0}, "the model has no coordinates",
                                       {"declare what moves: coordinate x, y"}));
    }
    if (has_errors(diagnostics)) {
        return std::nullopt;
    }
    in.model.sources = std::make_shared<const Sources>(in.sources);
    return std::move(in.model);
}

std::optional<double> lower_number(Lowering& in, std::uint32_t file,
                                   std::span<const NamedNumber> names) {
    FileScope& scope = in.scope.add_file();
    scope.file = file;
    Binding binding;
    scope.tree = in.files.setting_tree(file, binding);
    if (scope.tree == nullptr) {
        return std::nullopt;
    }
    const Scope::Visit visit(in.scope, scope);
    for (const NamedNumber& given : names) {
        const Value number = Value::scalar(in.graph.number(given.value));
        in.scope.names().declare(given.name, {EntityKind::kParameter, -1, number, {}});
    }
    const std::optional<sym::Expr> value = scalar_over(in, binding.value, {"this value"});
    return value ? in.symbols.number_of(*value) : std::nullopt;
}

}  // namespace ananke::lang
