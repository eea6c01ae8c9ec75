#include "lang/scope.h"

#include <fmt/format.h>

namespace ananke::lang {

const Local* Scope::find_local(std::string_view name) const {
    for (std::size_t i = locals_.size(); i > locals_begin_; --i) {
        if (locals_[i - 1].name == name) {
            return &locals_[i - 1];
        }
    }
    return nullptr;
}

Found Scope::find(const std::string& name) const {
    for (const FileScope* file = file_; file != nullptr; file = file->outer) {
        if (const Found found = names_.find(file->prefix, name); !found.unknown()) {
            return found;
        }
    }
    return {};
}

/// Whether `name` can be declared at `span`; if not, that is reported.
bool Scope::is_free(const std::string& name, Span span) {
    const std::string full_name = full(name);
    const std::string base(base_of(full_name));
    const Names::Array* array = names_.find_base(base);
    const bool indexed = base.size() != full_name.size();
    if (array != nullptr && indexed && array->plain) {
        return reports_.fail(
            span, fmt::format("'{}' is declared already, without an index", base_of(name)),
            {reports_.declared_note(names_.declaration(base)->span)});
    }
    if (array != nullptr && !indexed && array->indexed) {
        return reports_.fail(span, fmt::format("'{}' is declared already, as an array", name));
    }
    const std::optional<Declaration> existing = names_.declaration(full_name);
    if (!existing) {
        return true;
    }
    Notes notes{fmt::format("it is {}, {}", describe(existing->kind),
                            reports_.declared_note(existing->span))};
    if (loop_depth > 0 && existing->span.begin == span.begin && existing->span.file == span.file) {
        notes = {fmt::format("inside a loop every turn needs its own name: {}[{}]", name,
                             locals_.empty() ? "i" : locals_.back().name)};
    }
    return reports_.fail(span, fmt::format("'{}' is declared already", name), std::move(notes));
}

bool Scope::declare(const std::string& name, const Entity& entity) {
    if (!is_free(name, entity.span)) {
        return false;
    }
    names_.declare(full(name), entity);
    return true;
}

void Scope::declare_failed(const std::string& name, const Declaration& failed) {
    if (is_free(name, failed.span)) {
        names_.declare_failed(full(name), failed);
    }
}

void Scope::doubt(const std::string& name) {
    if (!is_reserved(name)) {
        names_.doubt(full(name));
    }
}

}  // namespace ananke::lang
