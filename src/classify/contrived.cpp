#include "classify/contrived.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/ranges.h"
#include "base/text.h"
#include "classify/zero_set.h"
#include "mech/collect.h"
#include "sym/differentiate.h"
#include "sym/walk.h"

namespace ananke::classify {

using mech::ConstraintKind, mech::Entry, mech::Real, mech::RealValues, mech::collect;
using sym::Graph;
using sym::SymbolKind;

namespace {

constexpr std::size_t kMostOthers = 6;  // linear rows that are solved for velocities
constexpr std::size_t kLargest = 600;   // nodes of the row once they are put in

/// Every combination of one alternative of each part.
std::vector<LinearTexts> combined(const std::vector<LinearTexts>& all,
                                  const std::vector<LinearTexts>& part) {
    std::vector<LinearTexts> result;
    for (const LinearTexts& one : all) {
        for (const LinearTexts& other : part) {
            LinearTexts both = one;
            for (const std::string& text : other) {
                if (!contains(both, text)) {
                    both.push_back(text);
                }
            }
            result.push_back(std::move(both));
        }
    }
    return result;
}

/// One alternative of the zero set: all its parts linear, or the row is genuine.
bool add_alternative(Model& model, const PointTable& points, const Probe& probe,
                     const Alternative& alternative, Contrived& result) {
    std::vector<LinearTexts> texts{{}};
    bool degenerate = alternative.degenerate;
    for (const Expr written : alternative.parts) {
        const Expr part = points.replace(model.graph, written);
        const VelocityForm form = velocity_form(model, probe, part, written);
        if (form.kind == VelocityForm::Kind::kNever) {
            return true;
        }
        if (form.kind != VelocityForm::Kind::kLinear) {
            return false;
        }
        texts = combined(texts, form.alternatives);
        degenerate = degenerate || form.degenerate;
        result.at_start = result.at_start || form.at_start;
    }
    for (const LinearTexts& one : texts) {
        if (!contains(result.alternatives, one)) {
            result.alternatives.push_back(one);
        }
    }
    result.degenerate = result.degenerate && degenerate;
    return true;
}

std::optional<Contrived> by_itself(Model& model, const PointTable& points, const Probe& probe,
                                   Expr written) {
    Contrived result;
    result.degenerate = true;
    for (const Alternative& alternative : zero_set(model, points, probe, written)) {
        if (!add_alternative(model, points, probe, alternative, result)) {
            return std::nullopt;
        }
    }
    return result.alternatives.empty() ? std::nullopt : std::optional(result);
}

/// A velocity solved from a linear row: the one with the largest coefficient at a random state.
std::optional<sym::Replacement> solved(Graph& graph, const Probe& probe, Expr rate) {
    constexpr Real kNothing = 1e-12L;
    const std::vector<Expr> v = sym::symbols_of(graph, rate, SymbolKind::kVelocity);
    const std::vector<Expr> slopes = sym::gradient(graph, rate, v);
    const Expr roots[] = {rate};
    const RealValues values = probe.values(graph, roots, 1);
    std::optional<std::size_t> best;
    Real largest = kNothing;
    for (std::size_t i = 0; i < v.size(); ++i) {
        const Real size = std::abs(sym::evaluate<Real>(graph, slopes[i], values));
        if (size > largest) {
            best = i;
            largest = size;
        }
    }
    if (!best) {
        return std::nullopt;
    }
    const Expr rest = collect(graph, sym::substitute(graph, rate, v[*best], graph.zero()));
    const Expr slope = collect(graph, slopes[*best]);
    return sym::Replacement{v[*best], collect(graph, graph.neg(graph.div(rest, slope)))};
}

/// Linear rows that share velocities with the row, directly or through each other, nearest first.
std::vector<const Row*> linear_neighbours(const Equations& equations, const Row& row) {
    std::set<int> columns;
    const auto join_columns = [&](const Row& one) {
        for (const Entry& entry : one.A) {
            columns.insert(entry.column);
        }
    };
    join_columns(row);
    std::vector<const Row*> chosen;
    bool grows = true;
    while (grows && chosen.size() < kMostOthers) {
        grows = false;
        for (const Row& other : equations.rows) {
            const bool usable = other.kind != ConstraintKind::kVacuous &&
                                other.kind != ConstraintKind::kNonholonomicNonlinear &&
                                !other.degenerate && !contains(chosen, &other);
            const bool shares = usable && std::ranges::any_of(other.A, [&](const Entry& entry) {
                                    return columns.contains(entry.column);
                                });
            if (shares && chosen.size() < kMostOthers) {
                chosen.push_back(&other);
                join_columns(other);
                grows = true;
            }
        }
    }
    return chosen;
}

/// The row where the linear rows near it hold: each is solved for a velocity, which is put in.
std::optional<Contrived> with_others(Model& model, const PointTable& points, const Probe& probe,
                                     const Equations& equations, const Row& row) {
    Graph& graph = model.graph;
    std::vector<sym::Replacement> solutions;
    std::vector<std::string> names;
    Expr f = row.residual;
    for (const Row* other : linear_neighbours(equations, row)) {
        Expr rate = other->rate;
        for (const auto& [v, value] : solutions) {
            rate = collect(graph, sym::substitute(graph, rate, v, value));
        }
        if (sym::reachable(graph, rate).size() > kLargest) {
            return std::nullopt;
        }
        const std::optional<sym::Replacement> solution = solved(graph, probe, rate);
        if (!solution) {
            continue;  // it follows from those before
        }
        f = collect(graph, sym::substitute(graph, f, solution->symbol, solution->value));
        if (sym::reachable(graph, f).size() > kLargest) {
            return std::nullopt;
        }
        solutions.push_back(*solution);
        names.push_back(other->name);
    }
    const std::size_t left = sym::symbols_of(graph, f, SymbolKind::kVelocity).size();
    if (names.empty() || left == 0) {
        return std::nullopt;
    }
    std::optional<Contrived> result = by_itself(model, points, probe, f);
    // A single velocity is determined, however the equation for it is written.
    if (!result || (left == 1 && !result->degenerate)) {
        return std::nullopt;
    }
    result->with = std::move(names);
    return result;
}

}  // namespace

std::string Contrived::text() const {
    std::vector<std::string> each;
    for (const LinearTexts& one : alternatives) {
        const std::string all = fmt::format("{}", fmt::join(one, " and "));
        each.push_back(alternatives.size() > 1 && one.size() > 1 ? "(" + all + ")" : all);
    }
    return fmt::format("{}", fmt::join(each, " or "));
}

std::optional<Contrived> find_contrived(Model& model, const PointTable& points, const Probe& probe,
                                        const Equations& equations, const Row& row) {
    if (row.kind != ConstraintKind::kNonholonomicNonlinear) {
        return std::nullopt;
    }
    const Expr written = model.constraints[row.constraint].rows[row.component];
    if (auto alone = by_itself(model, points, probe, written)) {
        return alone;
    }
    return with_others(model, points, probe, equations, row);
}

Diagnostic contrived_warning(const Model& model, const Row& row, const Contrived& contrived) {
    const std::string says = fmt::format(
        "{}it says {}{}",
        contrived.with.empty() ? "" : fmt::format("with {} ", join_names(contrived.with)),
        contrived.text(), contrived.at_start ? ", in the numbers of the start" : "");
    std::string message =
        contrived.degenerate
            ? fmt::format(
                  "constraint '{}' is degenerate: {}, and its gradient vanishes wherever "
                  "it holds, so it determines no acceleration",
                  row.name, says)
            : fmt::format("constraint '{}' is not inherently nonlinear: {}", row.name, says);
    const bool one = contrived.alternatives.size() == 1;
    const bool several = one && contrived.alternatives.front().size() > 1;
    return {model.constraints[row.constraint].span,
            Severity::kWarning,
            std::move(message),
            {several ? "write one linear constraint for each of these equations"
             : one   ? "write this linear constraint instead"
                   : "write the linear constraint that is meant: where both hold, this one has no "
                     "gradient"}};
}

}  // namespace ananke::classify
