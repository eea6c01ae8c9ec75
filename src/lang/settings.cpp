#include "lang/settings.h"

#include <algorithm>

#include <fmt/format.h>

#include "lang/paths.h"
#include "lang/statements.h"

namespace ananke::lang {

void read_settings(Lowering& in) {
    for (const std::string& text : in.options.settings) {
        FileScope& file = in.scope.add_file();
        file.file = in.sources.add("--set", text);
        file.path = "--set";
        Setting setting;
        setting.scope = &file;
        file.tree = in.files.setting_tree(file.file, setting.binding);
        if (file.tree == nullptr) {
            continue;
        }
        const Scope::Visit visit(in.scope, file);
        ExprId id = setting.binding.name;
        setting.primes = strip_primes(in, id);
        if (flatten(in, id, setting.name) != Lookup::kFlat) {
            continue;
        }
        if (find_setting(in, setting.name, setting.primes) != nullptr) {
            in.fail(setting.binding.span, fmt::format("'{}' is set twice", setting.name));
            continue;
        }
        in.settings.push_back(std::move(setting));
    }
}

Setting* find_setting(Lowering& in, const std::string& name, int primes) {
    const auto found =
        std::find_if(in.settings.begin(), in.settings.end(),
                     [&](const Setting& one) { return one.name == name && one.primes == primes; });
    return found == in.settings.end() ? nullptr : &*found;
}

void apply_initial_settings(Lowering& in) {
    for (const Setting& setting : in.settings) {
        const Found found = in.scope.names().find("", setting.name);
        if (setting.used || found.failed) {
            continue;
        }
        const Scope::Visit visit(in.scope, *setting.scope);
        const Entity* entity = found.entity;
        const ExprId at = setting.binding.name;
        if (entity == nullptr) {
            in.fail(at, fmt::format("the model has no parameter or coordinate '{}'", setting.name),
                    did_you_mean(in.scope.names().nearest_of(
                        setting.name, {EntityKind::kParameter, EntityKind::kCoordinate})));
        } else if (entity->kind == EntityKind::kParameter) {
            in.fail(at,
                    fmt::format("'{}' is a parameter and has no time derivative", setting.name));
        } else if (entity->kind != EntityKind::kCoordinate) {
            in.fail(at, fmt::format("'{}' is {}; only parameters and initial values can be set",
                                    setting.name, describe(entity->kind)));
        } else {
            if (setting.primes < 2) {
                in.starts.remove(entity->index, setting.primes);
            }
            lower(in, setting.binding, InitialList());
        }
    }
}

}  // namespace ananke::lang
