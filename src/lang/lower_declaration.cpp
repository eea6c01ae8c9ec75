#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "lang/lowering.h"
#include "sym/differentiate.h"
#include "sym/walk.h"

namespace ananke::lang {

// The flat name of a declaration: a plain name, or an element of an array.
std::optional<std::string> Lowering::declared_name(ExprId id) {
    std::optional<std::string> name = plain_name(id);
    if (!name) {
        while (!expr(id).operands.empty()) {
            id = expr(id).operands[0];
        }
        doubt(std::string(text(expr(id).token)));
    }
    return name;
}

std::optional<std::string> Lowering::plain_name(ExprId id) {
    const Expr& e = expr(id);
    if (e.kind == ExprKind::kPrime) {
        fail(e.span, "a declared name has no prime");
        return std::nullopt;
    }
    if (e.kind == ExprKind::kMember) {
        fail(e.span, "a declared name has no dot", {"names with a dot come from imported files"});
        return std::nullopt;
    }
    std::string name;
    if (flatten(id, name) != Lookup::kFlat) {
        return std::nullopt;
    }
    const std::string_view base = base_of(name);
    if (base.find('.') != std::string_view::npos) {
        fail(e.span, "a declared name has no dot", {"names with a dot come from imported files"});
        return std::nullopt;
    }
    if (is_reserved(base)) {
        fail(e.span, fmt::format("'{}' is reserved and cannot be declared", base));
        return std::nullopt;
    }
    if (const Local* local = find_local(base)) {
        fail(e.span, fmt::format("'{}' is the loop variable", base), {declared_note(local->span)});
        return std::nullopt;
    }
    return name;
}

/// Whether `name` can be declared at `span`; else that is reported.
bool Lowering::is_free(const std::string& name, Span span) {
    const std::string full = scope_->prefix + name;
    const std::string base(base_of(full));
    const Names::Array* array = names_.find_base(base);
    const bool indexed = base.size() != full.size();
    if (array != nullptr && indexed && array->plain) {
        fail(span, fmt::format("'{}' is declared already, without an index", base_of(name)),
             {declared_note(names_.declaration(base)->span)});
        return false;
    }
    if (array != nullptr && !indexed && array->indexed) {
        fail(span, fmt::format("'{}' is declared already, as an array", name));
        return false;
    }
    const std::optional<Declaration> existing = names_.declaration(full);
    if (!existing) {
        return true;
    }
    Notes notes{
        fmt::format("it is {}, {}", describe(existing->kind), declared_note(existing->span))};
    if (loop_depth_ > 0 && existing->span.begin == span.begin && existing->span.file == span.file) {
        notes = {fmt::format("inside a loop every turn needs its own name: {}[{}]", name,
                             locals_.empty() ? "i" : locals_.back().name)};
    }
    fail(span, fmt::format("'{}' is declared already", name), std::move(notes));
    return false;
}

bool Lowering::declare(const std::string& name, const Entity& entity) {
    if (!is_free(name, entity.span)) {
        return false;
    }
    names_.declare(scope_->prefix + name, entity);
    return true;
}

/// After a mistake in the declaration, which is reported.
void Lowering::declare_failed(const std::string& name, const Declaration& failed) {
    if (is_free(name, failed.span)) {
        names_.declare_failed(scope_->prefix + name, failed);
    }
}

void Lowering::lower(const Statement&, const ParameterList& node) {
    for (const Binding& item : node.items) {
        one_parameter(item);
    }
}

void Lowering::one_parameter(const Binding& item) {
    const std::optional<std::string> name = declared_name(item.name);
    Value value = scalar_of(item.value, "a parameter");
    if (!name) {
        return;
    }
    const Declaration declaration{EntityKind::kParameter, expr(item.name).span};
    constexpr std::string_view kAdvice = "name an expression that changes with 'let'";
    if (value.bad() || !allow(value, 0, item.value, "a parameter", kAdvice)) {
        declare_failed(*name, declaration);
        return;
    }
    const std::string full = scope_->prefix + *name;
    ExprId value_id = item.value;
    FileScope* const own_scope = scope_;
    if (Setting* setting = setting_for(full, 0)) {
        scope_ = setting->scope;
        value_id = setting->binding.value;
        value = scalar_of(value_id, "a parameter");
        const bool good = !value.bad() && allow(value, 0, value_id, "a parameter", kAdvice);
        if (good && setting->binding.guess) {
            fail(setting->binding.span,
                 fmt::format("'{}' is a parameter, which has no guess", full),
                 {fmt::format("write {}=...", full)});
        }
        if (!good) {
            scope_ = own_scope;
            declare_failed(*name, declaration);
            return;
        }
    }
    const std::optional<double> number = number_of(value.scalar());
    if (!number || !std::isfinite(*number)) {
        fail(expr(value_id).span, fmt::format("the parameter '{}' is not a finite number", *name),
             why_undefined(value.scalar(), expr(value_id).span));
        scope_ = own_scope;
        declare_failed(*name, declaration);
        return;
    }
    scope_ = own_scope;
    const sym::Expr symbol = graph_.symbol(sym::SymbolKind::kParameter, full);
    const Entity entity{declaration.kind, static_cast<int>(model_.parameters.size()),
                        Value::scalar(symbol), declaration.span};
    if (declare(*name, entity)) {
        model_.parameters.push_back({full, symbol, value.scalar(), false, entity.span});
        parameter_values_[symbol] = *number;
        parameter_index_[symbol] = entity.index;
    }
}

void Lowering::lower(const Statement&, const CoordinateList& node) {
    for (const ExprId id : node.names) {
        const std::optional<std::string> name = declared_name(id);
        if (!name) {
            continue;
        }
        add_coordinate(*name, expr(id).span);
    }
}

void Lowering::lower(const Statement&, const LetList& node) {
    for (const Binding& item : node.items) {
        const std::optional<std::string> name = declared_name(item.name);
        const Span span = expr(item.name).span;
        const Value value = evaluate_top(item.value);
        const bool good = usable(value, item.value);
        if (name && good) {
            declare(*name, {EntityKind::kLet, -1, value, span});
        } else if (name) {
            declare_failed(*name, {EntityKind::kLet, span});
        }
    }
}

// d/dv of a linear function no longer depends on v.
bool Lowering::is_linear_in_velocities(sym::Expr e) {
    std::vector<sym::Expr> velocities;
    for (const sym::Expr symbol : sym::symbols_of(graph_, e)) {
        const sym::SymbolKind kind = graph_.symbol_kind(symbol);
        if (kind == sym::SymbolKind::kVelocity || kind == sym::SymbolKind::kPointVelocity) {
            velocities.push_back(symbol);
        }
    }
    for (const sym::Expr slope : sym::gradient(graph_, e, velocities)) {
        if ((dependence(slope) & kOnVelocities) != 0) {
            return false;
        }
    }
    return !velocities.empty();
}

void Lowering::lower(const Statement&, const SpeedList& node) {
    for (const Binding& item : node.items) {
        const std::optional<std::string> name = declared_name(item.name);
        const Span span = expr(item.name).span;
        const Value value = scalar_of(item.value, "a speed");
        bool good = !value.bad() &&
                    allow(value, kOnTime | kOnPositions | kOnVelocities, item.value, "a speed");
        if (good && !is_linear_in_velocities(value.scalar())) {
            fail(expr(item.value).span, "a speed must be linear in the velocities",
                 {"speed u = x'*cos(th) + y'*sin(th); other expressions are named by 'let'"});
            good = false;
        }
        if (name && !good) {
            declare_failed(*name, {EntityKind::kSpeed, span});
        } else if (name && declare(*name, {EntityKind::kSpeed,
                                           static_cast<int>(model_.speeds.size()), value, span})) {
            model_.speeds.push_back({scope_->prefix + *name, value.scalar(), span});
        }
    }
}

void Lowering::declare_point(ExprId name_id, ExprId position, std::optional<sym::Expr> mass) {
    const std::optional<std::string> name = declared_name(name_id);
    const Value value = vector_of(position, "a position");
    if (!name) {
        return;
    }
    const EntityKind kind = mass ? EntityKind::kParticle : EntityKind::kPoint;
    const Span span = expr(name_id).span;
    if (value.bad() ||
        !allow(value, kOnTime | kOnPositions, position, "a position",
               "a place that is steered by its velocity is a coordinate with a constraint")) {
        declare_failed(*name, {kind, span});
        return;
    }
    const int index = static_cast<int>(model_.points.size());
    if (declare(*name, {kind, index, Value::of_point(index), span})) {
        add_point(scope_->prefix + *name, value.parts, mass, span);
    }
}

/// point P on B at (x, y, z)
void Lowering::declare_place(const PointDeclaration& node) {
    const std::optional<std::string> name = declared_name(node.name);
    const std::optional<int> body = body_of(node.body, "the place of a point");
    const std::optional<mech::Vec3> local = local_place(node.position);
    if (!name) {
        return;
    }
    const Span span = expr(node.name).span;
    if (!body || !local) {
        declare_failed(*name, {EntityKind::kPoint, span});
        return;
    }
    const int index = static_cast<int>(model_.points.size());
    if (declare(*name, {EntityKind::kPoint, index, Value::of_point(index), span})) {
        place_on(*body, *local, scope_->prefix + *name, span);
    }
}

void Lowering::check_mass(sym::Expr mass, ExprId at, std::string_view of) {
    const double number = number_of(mass).value_or(0.0);
    if (!(number >= 0.0 && std::isfinite(number))) {
        fail(expr(at).span,
             std::isfinite(number)
                 ? fmt::format("the mass of {} cannot be negative, this is {:.6g}", of, number)
                 : fmt::format("the mass of {} is not a finite number", of),
             why_undefined(mass, expr(at).span));
    }
}

void Lowering::lower(const Statement&, const ParticleDeclaration& node) {
    const Value mass = scalar_of(node.mass, "a mass");
    const bool good = !mass.bad() && allow(mass, 0, node.mass, "the mass of a particle",
                                           "inertia that changes is given by 'kinetic'");
    if (good) {
        check_mass(mass.scalar(), node.mass, "a particle");
    }
    declare_point(node.name, node.position, good ? mass.scalar() : graph_.zero());
}

void Lowering::lower(const Statement&, const PointDeclaration& node) {
    if (node.body != kNoExpr) {
        declare_place(node);
    } else {
        declare_point(node.name, node.position, std::nullopt);
    }
}

void Lowering::lower(const Statement&, const OutputList& node) {
    for (const Binding& item : node.items) {
        one_output(item);
    }
}

void Lowering::one_output(const Binding& item) {
    const std::optional<std::string> name = declared_name(item.name);
    const Value value = evaluate_top(item.value);
    if (!usable(value, item.value) || !name) {
        return;
    }
    const Span span = expr(item.name).span;
    const std::string full = scope_->prefix + *name;
    const Entity* entity = find(*name).entity;
    if (entity != nullptr && entity->kind == EntityKind::kCoordinate) {
        fail(span, fmt::format("'{}' is a coordinate and has a column already", *name),
             {"choose another name for the output"});
        return;
    }
    if (*name == "kinetic" || *name == "potential" || *name == "energy" ||
        *name == "energy_balance") {
        fail(span, fmt::format("the column '{}' exists in every result", *name),
             {"choose another name for the output"});
        return;
    }
    const auto [found, is_new] = outputs_.try_emplace(full, span);
    if (!is_new) {
        fail(span, fmt::format("the output '{}' is declared already", *name),
             {declared_note(found->second)});
        return;
    }
    if (value.is_scalar()) {
        model_.outputs.push_back({full, value.scalar(), span});
        return;
    }
    model_.outputs.push_back({full + ".x", value.parts[0], span});
    model_.outputs.push_back({full + ".y", value.parts[1], span});
    model_.outputs.push_back({full + ".z", value.parts[2], span});
}

void Lowering::lower(const Statement&, const InitialList& node) {
    for (const Binding& item : node.items) {
        one_initial(item);
    }
}

void Lowering::one_initial(const Binding& item) {
    ExprId id = item.name;
    const int primes = strip_primes(id);
    Value value = scalar_of(item.value, "an initial value");
    const std::optional<int> coordinate = coordinate_of(id, "an initial value");
    if (!coordinate) {
        return;
    }
    if (primes > 1) {
        fail(expr(item.name).span, "an acceleration has no initial value",
             {"it follows from the equations; give x and x'"});
        return;
    }
    // A guess of a position may follow other positions, at the start.
    const Dependence followed = item.guess && primes == 0 ? kOnPositions : Dependence{0};
    const char* const hint =
        "it is made of numbers and parameters; a guess (~) of a position also of other positions";
    if (value.bad() || !allow(value, followed, item.value, "an initial value", hint)) {
        return;
    }
    value = Value::scalar(over_coordinates(value.scalar()));
    if (!allow(value, followed, item.value, "an initial value", hint)) {
        return;  // a point that moves with time
    }
    const std::optional<double> number = number_of(value.scalar());
    if (number && !std::isfinite(*number)) {
        fail(expr(item.value).span, "an initial value must be a finite number",
             why_undefined(value.scalar(), expr(item.value).span));
        return;
    }
    set_initial(*coordinate, primes == 1, item, value.scalar());
}

void Lowering::lower(const Statement&, const ScaleList& node) {
    for (const Binding& item : node.items) {
        one_scale(item);
    }
}

void Lowering::one_scale(const Binding& item) {
    ExprId id = item.name;
    const int primes = strip_primes(id);
    const std::optional<sym::Expr> value = positive(item.value, "a scale");
    const std::optional<int> coordinate = coordinate_of(id, "a scale");
    if (!coordinate || !value) {
        return;
    }
    if (primes > 1) {
        fail(expr(item.name).span, "an acceleration has no scale",
             {"give the typical size of x or x'"});
        return;
    }
    for (const mech::Scale& other : model_.scales) {
        if (other.coordinate == *coordinate && other.velocity == (primes == 1)) {
            fail(item.span, fmt::format("'{}' has a scale already", text(expr(item.name).span)),
                 {declared_note(other.span)});
            return;
        }
    }
    model_.scales.push_back({*coordinate, primes == 1, *value, item.span});
}

// Exact beats guess, the importing file beats the imported one, exact twice is a mistake.
void Lowering::set_initial(int coordinate, bool velocity, const Binding& item, sym::Expr value) {
    Start& start = starts_[static_cast<std::size_t>(coordinate)][velocity ? 1 : 0];
    const bool imported = !scope_->prefix.empty();
    const bool outranked = start.value && start.imported && !imported;
    if (start.value && start.value->exact && !outranked) {
        if (!item.guess) {
            fail(item.span,
                 fmt::format("'{}' has an exact initial value already", text(expr(item.name).span)),
                 {declared_note(start.value->span)});
        }
        return;
    }
    start.value = mech::InitialValue{coordinate, velocity, value, !item.guess, item.span};
    start.imported = imported;
}

void Lowering::lower(const Statement&, const GaugeList& node) {
    for (const Binding& item : node.items) {
        one_gauge(item);
    }
}

void Lowering::one_gauge(const Binding& item) {
    const Expr& name = expr(item.name);
    const bool of_row = name.kind == ExprKind::kIndex;
    const Expr& head = of_row ? expr(name.operands[0]) : name;
    const std::string which(head.kind == ExprKind::kName ? text(head.token) : std::string_view());
    if ((which != "alpha" && which != "G" && which != "z") || (of_row && which == "alpha")) {
        fail(name.span, fmt::format("a gauge has no '{}'", text(name.span)),
             {"it has alpha, G and z; of one constraint: G[c], z[c]"});
        return;
    }
    if (of_row) {
        gauge_row(item, which);
        return;
    }
    if (!gauge_given_.insert(which).second) {
        fail(name.span, fmt::format("the gauge '{}' is given already", which));
        return;
    }
    model_.gauge.span = item.span;
    if (which == "G" && expr(item.value).kind == ExprKind::kMatrix) {
        gauge_matrix(item);
        return;
    }
    const Dependence allowed = which == "alpha" ? kOnTime
                               : which == "G"   ? kOnTime | kOnPositions
                                                : kOnTime | kOnPositions | kOnVelocities;
    const std::string what = fmt::format("the gauge {}", which);
    const Value value = scalar_of(item.value, what);
    if (value.bad() || !allow(value, allowed, item.value, what)) {
        return;
    }
    if (which == "alpha") {
        model_.gauge.alpha = value.scalar();
    } else if (which == "G") {
        model_.gauge.G = value.scalar();
    } else {
        z_for_all_ = item;
        z_value_ = value.scalar();
    }
}

void Lowering::gauge_row(const Binding& item, const std::string& which) {
    const ExprId row = expr(item.name).operands[1];
    const std::string what = fmt::format("the gauge {}", which);
    const Value value = scalar_of(item.value, what);
    const Dependence allowed =
        which == "G" ? kOnTime | kOnPositions : kOnTime | kOnPositions | kOnVelocities;
    const Entity* entity = target(row, what);
    if (entity == nullptr || value.bad() || !allow(value, allowed, item.value, what)) {
        return;
    }
    if (entity->kind != EntityKind::kConstraint) {
        fail(expr(row).span, fmt::format("{} belongs to a constraint; '{}' is {}", what,
                                         text(expr(row).span), describe(entity->kind)));
        return;
    }
    if (!gauge_given_.insert(fmt::format("{}[{}]", which, entity->index)).second) {
        fail(expr(item.name).span,
             fmt::format("the gauge '{}' is given already", text(expr(item.name).span)));
        return;
    }
    auto& rows = which == "G" ? model_.gauge.G_rows : model_.gauge.z_rows;
    rows.push_back({entity->index, value.scalar(), item.span});
}

void Lowering::gauge_matrix(const Binding& item) {
    const Expr matrix = expr(item.value);
    const std::size_t rows = matrix.rows;
    const std::size_t columns = matrix.operands.size() / rows;
    std::vector<std::vector<sym::Expr>> entries(rows, std::vector<sym::Expr>(columns));
    for (std::size_t i = 0; i < rows * columns; ++i) {
        const Value value = scalar_of(matrix.operands[i], "the gauge G");
        if (value.bad() ||
            !allow(value, kOnTime | kOnPositions, matrix.operands[i], "the gauge G")) {
            return;
        }
        entries[i / columns][i % columns] = value.scalar();
    }
    for (std::size_t i = 0; i < rows && rows == columns; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (entries[i][j] != entries[j][i]) {
                fail(expr(matrix.operands[i * columns + j]).span,
                     fmt::format(
                         "the gauge G is not symmetric: entries ({}, {}) and ({}, {}) differ",
                         i + 1, j + 1, j + 1, i + 1));
                return;
            }
        }
    }
    G_matrix_span_ = matrix.span;
    model_.gauge.G_matrix = std::move(entries);
}

}  // namespace ananke::lang
