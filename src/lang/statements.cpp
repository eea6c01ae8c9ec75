#include "lang/statements.h"

#include <concepts>
#include <string_view>
#include <unordered_map>
#include <variant>

#include <fmt/format.h>

#include "lang/expressions.h"
#include "lang/functions.h"
#include "lang/paths.h"

namespace ananke::lang {
namespace {

using Declared = std::unordered_map<std::string, Span>;

/// Collects the names that statements of the present file declare, wherever they stand.
class Declarations {
  public:
    Declarations(const Lowering& in, Declared& out) : in_(in), out_(out) {}

    void collect(std::span<const Statement> statements) {
        for (const Statement& statement : statements) {
            std::visit([&](const auto& node) { of(node); }, statement.as);
        }
    }

  private:
    void token(Span span) { out_.try_emplace(std::string(in_.reports.text(span)), span); }
    void name(ExprId id) {
        while (!in_.scope.expr(id).operands.empty()) {
            id = in_.scope.expr(id).operands[0];
        }
        token(in_.scope.expr(id).token);
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
        out_.try_emplace(import_name(node, in_.reports.text(node.alias)), node.path_span);
    }
    template <class Other>
    void of(const Other&) {}

    const Lowering& in_;
    Declared& out_;
};

void stop_loops(Lowering& in, Span span) {
    in.reports.stop(span,
                    fmt::format("the loops write out more than {} statements",
                                in.options.limits.loop_statements),
                    {"make the loops shorter"});
}

template <class Node>
void carry_out(Lowering& in, const Statement& statement, const Node& node) {
    if constexpr (std::derived_from<Node, BindingList>) {
        for (const Binding& item : node.items) {
            lower(in, item, node);
        }
    } else {
        lower(in, statement, node);
    }
}

void execute(Lowering& in, const Statement& statement) {
    if (++in.given.statements > in.options.limits.loop_statements) {
        stop_loops(in, statement.keyword);
        return;
    }
    if (in.scope.loop_depth > 0 && !allowed_in_loop(statement)) {
        in.fail(statement.keyword,
                fmt::format("'{}' cannot stand inside 'for'", in.reports.text(statement.keyword)),
                {"put it before the loop"});
        doubt_names(in, {&statement, 1});
        return;
    }
    in.scope.statement = statement.span;
    std::visit([&](const auto& node) { carry_out(in, statement, node); }, statement.as);
}

}  // namespace

void execute(Lowering& in, const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
        if (in.reports.stopped()) {
            return;
        }
        execute(in, statement);
    }
}

bool allowed_in_loop(const Statement& statement) {
    return !std::holds_alternative<ModelTitle>(statement.as) &&
           !std::holds_alternative<FunctionDefinition>(statement.as) &&
           !std::holds_alternative<GravityTerm>(statement.as) &&
           !std::holds_alternative<Simulate>(statement.as) &&
           !std::holds_alternative<Import>(statement.as);
}

void doubt_names(Lowering& in, std::span<const Statement> statements) {
    Declared names;
    Declarations(in, names).collect(statements);
    for (const auto& [name, span] : names) {
        in.scope.doubt(name);
    }
}

void carry_out(Lowering& in, FileScope& file) {
    file.tree = &in.files.tree(file.file);
    const Scope::Visit visit(in.scope, file);
    Declarations(in, file.declared_somewhere).collect(file.tree->statements);
    for (const std::string& name : file.tree->doubtful) {
        in.scope.doubt(name);
    }
    in.files.begin_file(file.path);
    execute(in, file.tree->statements);
    in.files.end_file();
}

void lower(Lowering& in, const Statement& statement, const ModelTitle& node) {
    if (in.scope.is_imported()) {
        return;  // an imported file has a title of its own
    }
    if (in.given.title) {
        in.fail(statement.span, "a model has one title",
                {in.reports.declared_note(*in.given.title)});
        return;
    }
    in.given.title = statement.span;
    in.model.title = node.title;
}

void lower(Lowering& in, const Statement&, const FunctionDefinition& node) {
    define(in, node);
}

void lower(Lowering& in, const Statement& statement, const Simulate& node) {
    const std::optional<sym::Expr> until = positive(in, node.until, "the end time");
    bool good = true;
    const auto read = [&](ExprId id, std::string_view what) -> std::optional<sym::Expr> {
        if (id == kNoExpr || !good) {
            return std::nullopt;
        }
        const std::optional<sym::Expr> value = positive(in, id, what);
        good = value.has_value();
        return value;
    };
    const std::optional<sym::Expr> every = read(node.every, "the output interval");
    const std::optional<sym::Expr> max_step = read(node.max_step, "the longest step");
    if (in.scope.is_imported() || !until || !good) {
        return;  // an imported file does not decide how long the whole model runs
    }
    if (in.model.simulate) {
        in.fail(statement.span, "'simulate' is given once",
                {in.reports.declared_note(in.model.simulate->span)});
        return;
    }
    in.model.simulate = mech::Simulate{*until, every, max_step, node.stiff, statement.span};
}

void lower(Lowering& in, const Statement&, const ForLoop& node) {
    const std::string variable(in.reports.text(node.variable));
    if (is_reserved(variable)) {
        in.fail(node.variable,
                fmt::format("'{}' is reserved and cannot be a loop variable", variable));
        doubt_names(in, node.body);
        return;
    }
    const Local* outer = in.scope.find_local(variable);
    const Entity* entity = in.scope.find(variable).entity;
    if (outer != nullptr || entity != nullptr) {
        in.fail(node.variable, fmt::format("the loop variable '{}' hides another name", variable),
                {in.reports.declared_note(outer != nullptr ? outer->span : entity->span)});
        doubt_names(in, node.body);
        return;
    }
    const std::optional<std::int64_t> from = integer_of(in, node.from, "a loop bound");
    const std::optional<std::int64_t> to = integer_of(in, node.to, "a loop bound");
    if (!from || !to) {
        doubt_names(in, node.body);
        return;
    }
    // Each turn counts as a statement of its own, so that empty loops end too.
    const auto turns =
        *to < *from ? 0U : static_cast<std::uint64_t>(*to) - static_cast<std::uint64_t>(*from);
    const std::uint64_t most = in.options.limits.loop_statements;
    if (turns > most || in.given.statements + turns > most) {
        stop_loops(in, node.variable);
        return;
    }
    ++in.scope.loop_depth;
    for (std::int64_t i = *from; i <= *to && !in.reports.stopped(); ++i) {
        ++in.given.statements;
        in.scope.add_local(
            {in.reports.text(node.variable), Value::scalar(in.graph.integer(i)), node.variable});
        execute(in, node.body);
        in.scope.remove_local();
    }
    --in.scope.loop_depth;
}

}  // namespace ananke::lang
