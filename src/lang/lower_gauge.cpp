// The gauge of redundant constraints: alpha, G and z.
#include <fmt/format.h>

#include "lang/expressions.h"
#include "lang/paths.h"
#include "lang/statements.h"

namespace ananke::lang {
namespace {

/// What alpha, G or z may depend on.
Dependence allowed_in(std::string_view which) {
    return which == "alpha" ? kOnTime : which == "G" ? kOnConfiguration : kOnState;
}

void gauge_row(Lowering& in, const Binding& item, const std::string& which) {
    const ExprId row = in.scope.expr(item.name).operands[1];
    const std::string what = fmt::format("the gauge {}", which);
    const Value value = scalar_of(in, item.value, what);
    const Entity* entity = target(in, row, what);
    if (entity == nullptr || value.bad() ||
        !allow(in, value, allowed_in(which), item.value, what)) {
        return;
    }
    if (entity->kind != EntityKind::kConstraint) {
        in.fail(row, fmt::format("{} belongs to a constraint; '{}' is {}", what, in.scope.text(row),
                                 describe(entity->kind)));
        return;
    }
    if (!in.given.gauges.insert(fmt::format("{}[{}]", which, entity->index)).second) {
        in.fail(item.name,
                fmt::format("the gauge '{}' is given already", in.scope.text(item.name)));
        return;
    }
    auto& rows = which == "G" ? in.model.gauge.G_rows : in.model.gauge.z_rows;
    rows.push_back({entity->index, value.scalar(), item.span});
}

void gauge_matrix(Lowering& in, const Binding& item) {
    const Expr matrix = in.scope.expr(item.value);
    const std::size_t rows = matrix.rows;
    const std::size_t columns = matrix.operands.size() / rows;
    std::vector<std::vector<sym::Expr>> entries(rows, std::vector<sym::Expr>(columns));
    for (std::size_t i = 0; i < rows * columns; ++i) {
        const std::optional<sym::Expr> value =
            scalar_over(in, matrix.operands[i], {"the gauge G", kOnConfiguration});
        if (!value) {
            return;
        }
        entries[i / columns][i % columns] = *value;
    }
    for (std::size_t i = 0; i < rows && rows == columns; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (entries[i][j] != entries[j][i]) {
                in.fail(matrix.operands[i * columns + j],
                        fmt::format(
                            "the gauge G is not symmetric: entries ({}, {}) and ({}, {}) differ",
                            i + 1, j + 1, j + 1, i + 1));
                return;
            }
        }
    }
    in.given.G_matrix = matrix.span;
    in.model.gauge.G_matrix = std::move(entries);
}

}  // namespace

void lower(Lowering& in, const Binding& item, const GaugeList&) {
    const Expr& name = in.scope.expr(item.name);
    const bool of_row = name.kind == ExprKind::kIndex;
    const Expr& head = of_row ? in.scope.expr(name.operands[0]) : name;
    const std::string which(head.kind == ExprKind::kName ? in.reports.text(head.token)
                                                         : std::string_view());
    if ((which != "alpha" && which != "G" && which != "z") || (of_row && which == "alpha")) {
        in.fail(name.span, fmt::format("a gauge has no '{}'", in.reports.text(name.span)),
                {"it has alpha, G and z; of one constraint: G[c], z[c]"});
        return;
    }
    if (of_row) {
        gauge_row(in, item, which);
        return;
    }
    if (!in.given.gauges.insert(which).second) {
        in.fail(name.span, fmt::format("the gauge '{}' is given already", which));
        return;
    }
    in.model.gauge.span = item.span;
    if (which == "G" && in.scope.expr(item.value).kind == ExprKind::kMatrix) {
        gauge_matrix(in, item);
        return;
    }
    const std::string what = fmt::format("the gauge {}", which);
    const std::optional<sym::Expr> value = scalar_over(in, item.value, {what, allowed_in(which)});
    if (!value) {
        return;
    }
    if (which == "alpha") {
        in.model.gauge.alpha = value;
    } else if (which == "G") {
        in.model.gauge.G = value;
    } else {
        in.given.z_for_all = {-1, *value, item.span};
    }
}

void finish_gauge(Lowering& in) {
    std::size_t rows = 0;
    for (const mech::Constraint& constraint : in.model.constraints) {
        rows += constraint.rows.size();
    }
    if (in.model.gauge.G_matrix && !in.model.gauge.G_rows.empty()) {
        in.fail(in.model.gauge.G_rows[0].span, "the gauge G is given as a matrix already",
                {in.reports.declared_note(*in.given.G_matrix)});
    }
    if (in.model.gauge.G_matrix) {
        const auto& G = *in.model.gauge.G_matrix;
        if (G.size() != rows || G[0].size() != rows) {
            in.fail(
                *in.given.G_matrix,
                fmt::format("the gauge G has {} by {} entries, the constraints ask for {} by {}",
                            G.size(), G[0].size(), rows, rows),
                {"G is square, one row for each scalar constraint and three for each vector one"});
        }
    }
    if (in.given.z_for_all) {
        for (std::size_t c = 0; c < in.model.constraints.size(); ++c) {
            if (!in.given.gauges.contains(fmt::format("z[{}]", c))) {
                in.given.z_for_all->constraint = static_cast<int>(c);
                in.model.gauge.z_rows.push_back(*in.given.z_for_all);
            }
        }
    }
}

}  // namespace ananke::lang
