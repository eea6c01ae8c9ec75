#include <algorithm>

#include <fmt/format.h>

#include "lang/lowering.h"
#include "lang/parser.h"

namespace ananke::lang {
namespace {

std::string directory_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

bool is_name(std::string_view text) {
    if (text.empty() || (text[0] >= '0' && text[0] <= '9')) {
        return false;
    }
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || static_cast<unsigned char>(c) >= 0x80;
    });
}

/// The name under which an import declares what it brings.
std::string import_name(const Import& node, std::string_view alias) {
    if (!alias.empty()) {
        return std::string(alias);
    }
    const std::string name = node.path.substr(node.path.rfind('/') + 1);
    return name.substr(0, name.rfind(".ank"));
}

// Names that the statements of a file declare, wherever they stand, for "used before it is
// declared".
class Declarations {
  public:
    Declarations(const Sources& sources, const Tree& tree,
                 std::unordered_map<std::string, Span>& out)
        : sources_(sources), tree_(tree), out_(out) {}

    void collect(std::span<const Statement> statements) {
        for (const Statement& statement : statements) {
            std::visit([&](const auto& node) { of(node); }, statement.as);
        }
    }

  private:
    void name(ExprId id) {
        while (!tree_.exprs[id].operands.empty()) {
            id = tree_.exprs[id].operands[0];
        }
        token(tree_.exprs[id].token);
    }
    void token(Span span) {
        out_.try_emplace(sources_.text(span.file).substr(span.begin, span.end - span.begin), span);
    }
    void items(const std::vector<Binding>& bindings) {
        for (const Binding& binding : bindings) {
            name(binding.name);
        }
    }
    void of(const ParameterList& node) { items(node.items); }
    void of(const SpeedList& node) { items(node.items); }
    void of(const LetList& node) { items(node.items); }
    void of(const CoordinateList& node) {
        for (const ExprId id : node.names) {
            name(id);
        }
    }
    void of(const FunctionDefinition& node) { token(node.name); }
    void of(const ParticleDeclaration& node) { name(node.name); }
    void of(const PointDeclaration& node) { name(node.name); }
    void of(const BodyDeclaration& node) { name(node.name); }
    void of(const JointDeclaration& node) { name(node.name); }
    void of(const ConstraintDeclaration& node) { name(node.name); }
    void of(const EventDeclaration& node) { name(node.name); }
    void of(const ForLoop& node) { collect(node.body); }
    void of(const Import& node) {
        const std::string& text = sources_.text(node.path_span.file);
        const auto alias =
            std::string_view(text).substr(node.alias.begin, node.alias.end - node.alias.begin);
        out_.try_emplace(import_name(node, alias), node.path_span);
    }
    template <class Other>
    void of(const Other&) {}

    const Sources& sources_;
    const Tree& tree_;
    std::unordered_map<std::string, Span>& out_;
};

}  // namespace

/// A name that a statement was to declare and did not, which is reported. t, pi, deg and ground
/// keep their meaning.
void Lowering::doubt(const std::string& name) {
    if (!is_reserved(name)) {
        names_.doubt(scope_->prefix + name);
    }
}

/// Of statements that cannot be carried out.
void Lowering::doubt_names(std::span<const Statement> statements) {
    std::unordered_map<std::string, Span> names;
    Declarations(sources_, *scope_->tree, names).collect(statements);
    for (const auto& [name, span] : names) {
        doubt(name);
    }
}

const Tree& Lowering::tree_of(std::uint32_t file) {
    const auto found = trees_.find(file);
    if (found != trees_.end()) {
        return found->second;
    }
    return trees_.emplace(file, parse_file(sources_, file, options_.limits, diagnostics_))
        .first->second;
}

void Lowering::carry_out(FileScope& scope) {
    FileScope* const outer = scope_;
    scope_ = &scope;
    scope.tree = &tree_of(scope.file);
    Declarations(sources_, *scope.tree, scope.declared_somewhere).collect(scope.tree->statements);
    for (const std::string& name : scope.tree->doubtful) {
        doubt(name);
    }
    importing_.push_back(scope.path);
    execute(scope.tree->statements);
    importing_.pop_back();
    scope_ = outer;
}

// Relative, with forward slashes, inside its directory.
std::optional<std::string> Lowering::clean_path(const Import& node) {
    const std::string& path = node.path;
    const auto refuse = [&](std::string message, std::string note) {
        fail(node.path_span, std::move(message), {std::move(note)});
        return std::nullopt;
    };
    if (path.empty()) {
        return refuse("the file name is empty", "write: import \"springs.ank\"");
    }
    if (path.find('\0') != std::string::npos) {
        return refuse("the file name holds a null character", "write: import \"springs.ank\"");
    }
    if (path.find('\\') != std::string::npos) {
        return refuse("a file name is written with '/', not with '\\'",
                      "import \"parts/springs.ank\"");
    }
    if (path[0] == '/' || (path.size() > 1 && path[1] == ':')) {
        return refuse("an import cannot have an absolute path",
                      "files are looked up beside the importing file, then in the prelude");
    }
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (begin <= path.size()) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string part = path.substr(begin, end - begin);
        begin = end + 1;
        if (part.empty() || part == ".") {
            continue;
        }
        if (part != "..") {
            parts.push_back(part);
        } else if (parts.empty()) {
            return refuse("an import cannot leave the directory of its file",
                          "put the file beside the importing one or below it");
        } else {
            parts.pop_back();
        }
    }
    if (parts.empty()) {
        return refuse("this names a directory, not a file", "write: import \"springs.ank\"");
    }
    std::string clean = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) {
        clean += "/" + parts[i];
    }
    return clean;
}

std::optional<std::uint32_t> Lowering::find_file(const Import& node, const std::string& relative,
                                                 std::string& path) {
    std::vector<std::string> directories{directory_of(scope_->path)};
    if (!options_.prelude_directory.empty()) {
        directories.push_back(options_.prelude_directory + "/");
    }
    std::string reasons;
    for (const std::string& directory : directories) {
        path = directory + relative;
        if (const auto found = files_by_path_.find(path); found != files_by_path_.end()) {
            return found->second;
        }
        Result<std::string> text = options_.read(path, directory.empty() ? "." : directory);
        if (text) {
            const std::uint32_t file = sources_.add(path, std::move(text).value());
            files_by_path_[path] = file;
            imported_files_.push_back(path);
            return file;
        }
        reasons += (reasons.empty() ? "" : "; ") + text.error().message;
    }
    fail(node.path_span, fmt::format("cannot import '{}'", node.path), {reasons});
    return std::nullopt;
}

void Lowering::lower(const Statement&, const Import& node) {
    const std::string name = import_name(node, text(node.alias));
    const std::optional<std::string> relative = clean_path(node);
    if (!relative) {
        doubt(name);
        return;
    }
    if (!is_name(name) || is_reserved(name)) {
        fail(node.path_span, fmt::format("'{}' cannot be the name of the imported file", name),
             {fmt::format("give it one: import \"{}\" as parts", node.path)});
        return;
    }
    if (++imports_ > options_.limits.files) {
        stop(node.path_span, fmt::format("more than {} imports", options_.limits.files),
             {"an imported file that imports others counts each time it is imported"});
        return;
    }
    std::string path;
    const std::optional<std::uint32_t> file = find_file(node, *relative, path);
    if (!file) {
        doubt(name);
        return;
    }
    const auto cycle = std::find(importing_.begin(), importing_.end(), path);
    if (cycle != importing_.end()) {
        std::string chain;
        for (auto i = cycle; i != importing_.end(); ++i) {
            chain += *i + " -> ";
        }
        fail(node.path_span, "the imports go round in a circle", {chain + path});
        doubt(name);
        return;
    }
    Entity entity;
    entity.kind = EntityKind::kFile;
    entity.span = node.alias.end > node.alias.begin ? node.alias : node.path_span;
    if (!declare(name, entity)) {
        return;
    }
    FileScope& scope = scopes_.emplace_back();
    scope.file = *file;
    scope.path = path;
    scope.prefix = scope_->prefix + name + ".";
    carry_out(scope);
}

void Lowering::read_settings() {
    for (const std::string& text_given : options_.settings) {
        const std::uint32_t file = sources_.add("--set", text_given);
        FileScope& scope = scopes_.emplace_back();
        scope.file = file;
        scope.path = "--set";
        Tree& tree = trees_[file];
        scope.tree = &tree;
        Setting setting;
        setting.scope = &scope;
        if (!parse_setting(sources_, file, options_.limits, tree, setting.binding, diagnostics_)) {
            continue;
        }
        scope_ = &scope;
        ExprId id = setting.binding.name;
        setting.primes = strip_primes(id);
        const bool good = flatten(id, setting.name) == Lookup::kFlat;
        scope_ = nullptr;
        if (!good) {
            continue;
        }
        if (Setting* before = setting_for(setting.name, setting.primes)) {
            before->used = false;
            fail(setting.binding.span, fmt::format("'{}' is set twice", setting.name));
            continue;
        }
        settings_.push_back(std::move(setting));
    }
}

Lowering::Setting* Lowering::setting_for(const std::string& name, int primes) {
    for (Setting& setting : settings_) {
        if (setting.name == name && setting.primes == primes) {
            setting.used = true;
            return &setting;
        }
    }
    return nullptr;
}

// A setting replaces the initial value of the file, be it exact or a guess.
void Lowering::apply_initial_settings() {
    for (Setting& setting : settings_) {
        if (setting.used) {
            continue;
        }
        scope_ = setting.scope;
        const Found found = names_.find("", setting.name);
        if (found.failed) {
            continue;
        }
        const Entity* entity = found.entity;
        const Span span = expr(setting.binding.name).span;
        if (entity == nullptr ||
            (entity->kind != EntityKind::kCoordinate && entity->kind != EntityKind::kParameter)) {
            Notes notes;
            const std::string near =
                names_.nearest_of(setting.name, {EntityKind::kParameter, EntityKind::kCoordinate});
            if (entity == nullptr && !near.empty()) {
                notes.push_back(fmt::format("did you mean '{}'?", near));
            }
            fail(span,
                 entity == nullptr
                     ? fmt::format("the model has no parameter or coordinate '{}'", setting.name)
                     : fmt::format("'{}' is {}; only parameters and initial values can be set",
                                   setting.name, describe(entity->kind)),
                 std::move(notes));
            continue;
        }
        if (entity->kind == EntityKind::kParameter) {
            fail(span, fmt::format("'{}' is a parameter and has no time derivative", setting.name));
            continue;
        }
        if (setting.primes < 2) {
            starts_[static_cast<std::size_t>(entity->index)][setting.primes == 1 ? 1 : 0] = {};
        }
        one_initial(setting.binding);
    }
    scope_ = nullptr;
}

void Lowering::finish() {
    for (const auto& start : starts_) {
        for (const Start& one : start) {
            if (one.value) {
                model_.initial.push_back(*one.value);
            }
        }
    }
    check_event_parameters();
    const auto planar =
        std::find_if(model_.bodies.begin(), model_.bodies.end(),
                     [](const mech::Body& body) { return body.kind == mech::Body::Kind::kPlanar; });
    if (model_.gravity && planar != model_.bodies.end() && is_given((*model_.gravity)[2])) {
        warn(*gravity_span_, fmt::format("the planar body '{}' moves in the plane z = 0: the third "
                                         "component of gravity does nothing to it",
                                         planar->name));
    }
    std::size_t rows = 0;
    for (const mech::Constraint& constraint : model_.constraints) {
        rows += constraint.rows.size();
    }
    if (model_.gauge.G_matrix && !model_.gauge.G_rows.empty()) {
        fail(model_.gauge.G_rows[0].span, "the gauge G is given as a matrix already",
             {declared_note(*G_matrix_span_)});
    }
    if (model_.gauge.G_matrix) {
        const auto& G = *model_.gauge.G_matrix;
        if (G.size() != rows || G[0].size() != rows) {
            fail(*G_matrix_span_,
                 fmt::format("the gauge G has {} by {} entries, the constraints ask for {} by {}",
                             G.size(), G[0].size(), rows, rows),
                 {"G is square, one row for each scalar constraint and three for each vector one"});
        }
    }
    if (z_value_) {
        for (std::size_t c = 0; c < model_.constraints.size(); ++c) {
            if (!gauge_given_.contains(fmt::format("z[{}]", c))) {
                model_.gauge.z_rows.push_back({static_cast<int>(c), *z_value_, z_for_all_->span});
            }
        }
    }
}

std::optional<mech::Model> Lowering::run(std::uint32_t root) {
    read_settings();
    FileScope& scope = scopes_.emplace_back();
    scope.file = root;
    scope.path = sources_.name(root);
    files_by_path_[scope.path] = root;
    carry_out(scope);
    apply_initial_settings();
    finish();
    if (!has_errors(diagnostics_) && model_.coordinates.empty()) {
        diagnostics_.push_back({{root, 0, 0},
                                Severity::kError,
                                "the model has no coordinates",
                                {"declare what moves: coordinate x, y"}});
    }
    if (has_errors(diagnostics_)) {
        return std::nullopt;
    }
    model_.sources = std::make_shared<const Sources>(sources_);
    return std::move(model_);
}

std::optional<double> Lowering::number(std::uint32_t file, std::span<const NamedNumber> names) {
    FileScope& scope = scopes_.emplace_back();
    scope.file = file;
    Tree& tree = trees_[file];
    scope.tree = &tree;
    Binding binding;
    if (!parse_setting(sources_, file, options_.limits, tree, binding, diagnostics_)) {
        return std::nullopt;
    }
    for (const NamedNumber& given : names) {
        Entity entity;
        entity.kind = EntityKind::kParameter;
        entity.value = Value::scalar(graph_.number(given.value));
        names_.declare(given.name, entity);
    }
    scope_ = &scope;
    const Value value = scalar_of(binding.value, "this value");
    if (value.bad() || !allow(value, 0, binding.value, "this value")) {
        return std::nullopt;
    }
    return number_of(value.scalar());
}

}  // namespace ananke::lang
