#include "classify/row_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/ranges.h"
#include "base/text.h"
#include "classify/contrived.h"
#include "sym/shape.h"
#include "sym/walk.h"

namespace ananke::classify {

using mech::ConstraintKind, mech::Coordinate, mech::Entry, mech::Real, mech::Zero, mech::find_zero;
using sym::Graph;
using sym::SymbolKind;

namespace {

constexpr int kSamples = 4;                  // random states, numbered from 1
constexpr Real kRounding = 1e-16L;           // of sums of terms in long double, with a margin
constexpr Real kVanishedGradient = 1e-6L;    // against its size away from the constraint
constexpr Real kConstantTolerance = 1e-12L;  // parameters are doubles

std::string short_text(Real value) {
    return to_short_text(static_cast<double>(value));
}

/// Residual and A are rounding errors at random states: the row holds whatever the system does.
bool holds_identically(const Graph& graph, const Probe& probe, const Row& row) {
    std::vector<Expr> roots{row.residual, row.residual_magnitude, row.row_magnitude};
    for (const Entry& entry : row.A) {
        roots.push_back(entry.value);
    }
    for (int sample = 1; sample <= kSamples; ++sample) {
        const std::vector<Real> at = probe.evaluate(graph, roots, sample);
        if (!(std::abs(at[0]) <= kRounding * at[1])) {
            return false;
        }
        for (std::size_t i = 3; i < at.size(); ++i) {
            if (!(std::abs(at[i]) <= kRounding * at[2])) {
                return false;
            }
        }
    }
    return true;
}

/// The gradient vanishes at every zero of the row that is found: THEORY section 3, end. Where all
/// lengths are small, as in x^2 + y^2 = 1e-18, a search that began far away ends near the zero with
/// a small gradient as well; so it goes on from there, in the sizes of that place.
bool is_degenerate(const Model& model, const Probe& probe, const Row& row) {
    const Graph& graph = model.graph;
    std::vector<Expr> symbols;
    std::vector<Expr> gradient;
    std::vector<Expr> roots{row.residual, row.residual_magnitude};
    for (const Entry& entry : row.A) {
        const Coordinate& c = model.coordinates[entry.column];
        symbols.push_back(row.holonomic ? c.q : c.v);
        gradient.push_back(entry.value);
        roots.push_back(entry.value);
    }
    bool found = false;
    for (int sample = 1; sample <= kSamples; ++sample) {
        Zero zero = find_zero(graph, row.residual, row.residual_magnitude, symbols, gradient,
                              probe.values(graph, roots, sample));
        if (!zero.found) {
            continue;
        }
        if (!(zero.gradient_at_end > kVanishedGradient * zero.gradient_at_start)) {
            zero = find_zero(graph, row.residual, row.residual_magnitude, symbols, gradient,
                             std::move(zero.values));
        }
        if (zero.gradient_at_end > kVanishedGradient * zero.gradient_at_start) {
            return false;
        }
        found = true;
    }
    return found;
}

/// A row with empty A: 0 = 0 or an impossible demand.
void check_constant_row(Model& model, const Probe& probe, Row& row,
                        std::vector<Diagnostic>& diagnostics) {
    const Graph& graph = model.graph;
    const bool has_coordinates =
        sym::depends_on_kind(graph, row.residual, SymbolKind::kCoordinate) ||
        sym::depends_on_kind(graph, row.residual, SymbolKind::kVelocity);
    row.note = has_coordinates || graph.is_zero(row.residual) ? "both sides are always equal"
                                                              : "contains no coordinate";
    const std::vector<Expr> roots{row.residual, row.residual_magnitude};
    for (int sample = Probe::kInitial; sample <= kSamples; ++sample) {
        const std::vector<Real> at = probe.evaluate(graph, roots, sample);
        if (std::abs(at[0]) <= kConstantTolerance * at[1]) {
            continue;
        }
        const std::string why =
            has_coordinates ? "whatever the coordinates are" : "and it contains no coordinate";
        const std::string when =
            sym::depends_on_kind(graph, row.residual, SymbolKind::kTime)
                ? fmt::format(" at t = {}", short_text(probe.value(graph, model.time, sample)))
                : "";
        diagnostics.push_back(
            error_at(model.constraints[row.constraint].span,
                     fmt::format("constraint '{}' cannot hold: left - right is {}{}, {}", row.name,
                                 short_text(at[0]), when, why)));
        return;
    }
}

/// A vector constraint is contrived if all its nonlinear rows are: one component of
/// cross(v1, v2) = 0 may factor while the whole does not.
void keep_whole_constraints(const std::vector<Row>& rows,
                            std::vector<std::optional<Contrived>>& contrived) {
    std::set<int> genuine;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].kind == ConstraintKind::kNonholonomicNonlinear && !contrived[i]) {
            genuine.insert(rows[i].constraint);
        }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (genuine.contains(rows[i].constraint)) {
            contrived[i].reset();
        }
    }
}

/// Result of the samples of a row.
struct Verdict {
    bool vacuous = false;
    bool degenerate = false;
};

/// Rows of one shape are the same function of other variables: each shape is sampled once.
class Verdicts {
  public:
    Verdicts(const Model& model, const Probe& probe) : model_(model), probe_(probe) {}

    const Verdict& operator()(const Row& row) {
        const std::vector<Expr> nodes = sym::reachable(model_.graph, row.residual);
        const auto [place, is_new] = known_.try_emplace(sym::shape_of(model_.graph, nodes));
        if (is_new) {
            place->second.vacuous = holds_identically(model_.graph, probe_, row);
            place->second.degenerate = !place->second.vacuous && is_degenerate(model_, probe_, row);
        }
        return place->second;
    }

  private:
    const Model& model_;
    const Probe& probe_;
    std::unordered_map<sym::Shape, Verdict, sym::ShapeHash> known_;
};

}  // namespace

void classify_rows(Model& model, const PointTable& points, const Probe& probe, Equations& equations,
                   std::vector<Diagnostic>& diagnostics) {
    Verdicts verdicts(model, probe);
    for (Row& row : equations.rows) {
        if (row.kind == ConstraintKind::kVacuous) {
            check_constant_row(model, probe, row, diagnostics);
            continue;
        }
        const Verdict& verdict = verdicts(row);
        if (verdict.vacuous) {
            row.kind = ConstraintKind::kVacuous;
            row.note = "both sides are always equal";
        }
        row.degenerate = verdict.degenerate;
    }
    std::vector<std::optional<Contrived>> contrived = transformed(
        equations.rows,
        [&](const Row& row) { return find_contrived(model, points, probe, equations, row); });
    keep_whole_constraints(equations.rows, contrived);
    for (std::size_t i = 0; i < equations.rows.size(); ++i) {
        Row& row = equations.rows[i];
        if (contrived[i]) {
            row.degenerate = row.degenerate || contrived[i]->degenerate;
            row.note = fmt::format("not inherently nonlinear: it says {}", contrived[i]->text());
            diagnostics.push_back(contrived_warning(model, row, *contrived[i]));
        } else if (row.degenerate) {
            row.note = "its gradient vanishes wherever it holds, so it determines no acceleration";
            diagnostics.push_back(
                {model.constraints[row.constraint].span,
                 Severity::kWarning,
                 fmt::format("constraint '{}' is degenerate: {}", row.name, row.note),
                 {"write it without the square: u^2 = 0 is u = 0, and a sum of squares = 0 is one "
                  "constraint per square"}});
        }
    }
}

}  // namespace ananke::classify
