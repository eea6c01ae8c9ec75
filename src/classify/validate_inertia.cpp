#include "classify/validate_equations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <unordered_set>

#include "base/text.h"
#include "classify/semidefinite.h"
#include "sym/print.h"
#include "sym/shape.h"
#include "sym/walk.h"

namespace ananke::classify {

using mech::Coordinate, mech::InertiaElement, mech::MassEntry, mech::Point, mech::Real,
    mech::RealValues;
using sym::Expr;
using sym::Graph;
using sym::SymbolKind;

namespace {

constexpr int kSamples = 3;                 // random states beside the initial one
constexpr Real kSameMass = 1e-12L;          // relative change of M with v that is rounding
constexpr std::size_t kLargestBlock = 200;  // coupled coordinates tried as a whole

void check_particle_masses(const Model& model, const Probe& probe,
                           std::vector<Diagnostic>& diagnostics) {
    for (const Point& point : model.points) {
        if (!point.mass) {
            continue;
        }
        const auto mass =
            static_cast<double>(probe.evaluate(model.graph, *point.mass, Probe::kInitial));
        if (!(mass >= 0.0) || !std::isfinite(mass)) {
            diagnostics.push_back(error_at(
                point.span, fmt::format("the mass of '{}' is {}", point.name, to_text(mass))));
        }
    }
}

/// A velocity with which the second derivative really changes, or nothing.
std::optional<Expr> offending_velocity(const Graph& graph, const Probe& probe, Expr T_vv) {
    for (const Expr symbol : sym::symbols_of(graph, T_vv, SymbolKind::kVelocity)) {
        for (int sample = 1; sample <= kSamples; ++sample) {
            RealValues values = probe.values(graph, std::span(&T_vv, 1), sample);
            const Real a = sym::evaluate<Real>(graph, T_vv, values);
            values[symbol] = values[symbol] * 1.5L + 0.25L;
            const Real b = sym::evaluate<Real>(graph, T_vv, values);
            if (!(std::abs(a - b) <= kSameMass * (std::abs(a) + std::abs(b)))) {
                return symbol;
            }
        }
    }
    return std::nullopt;
}

void check_quadratic(const Model& model, const Probe& probe, const Equations& equations,
                     std::vector<Diagnostic>& diagnostics) {
    std::set<int> reported;
    for (const InertiaElement& element : equations.elements) {
        if (element.source != InertiaElement::Source::kKinetic) {
            continue;
        }
        for (const MassEntry& entry : element.M) {
            const std::optional<Expr> velocity =
                offending_velocity(model.graph, probe, entry.value);
            if (velocity && reported.insert(element.index).second) {
                const std::string row = sym::print(model.graph, model.coordinates[entry.row].v);
                const std::string column =
                    sym::print(model.graph, model.coordinates[entry.column].v);
                diagnostics.push_back(error_at(
                    element.span,
                    fmt::format("the kinetic energy is not quadratic in {}",
                                sym::print(model.graph, *velocity)),
                    {fmt::format("its second derivative by {} depends on {}",
                                 row == column ? row : fmt::format("{} and {}", row, column),
                                 sym::print(model.graph, *velocity))}));
            }
        }
    }
}

/// Coordinates that M couples, one list per group.
std::vector<std::vector<int>> coupled_blocks(const Equations& equations) {
    std::vector<int> parent(equations.n);
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](int i) {
        while (parent[i] != i) {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        return i;
    };
    for (const MassEntry& entry : equations.M) {
        parent[root(entry.row)] = root(entry.column);
    }
    std::map<int, std::vector<int>> groups;
    for (int i = 0; i < equations.n; ++i) {
        groups[root(i)].push_back(i);
    }
    std::vector<std::vector<int>> blocks;
    blocks.reserve(groups.size());
    for (auto& [leader, members] : groups) {
        blocks.push_back(std::move(members));
    }
    return blocks;
}

/// A direction in which M < 0 at one state.
struct NegativeDirection {
    std::vector<int> coordinates;
    std::vector<Real> w;
    Real value;  ///< w^T M w with the largest |w_i| = 1
};

class MassProbe {
  public:
    MassProbe(const Model& model, const Equations& equations)
        : model_(model), equations_(equations), blocks_(coupled_blocks(equations)) {
        block_of_.resize(equations.n);
        place_.resize(equations.n);
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            for (std::size_t k = 0; k < blocks_[b].size(); ++k) {
                block_of_[blocks_[b][k]] = b;
                place_[blocks_[b][k]] = k;
            }
        }
        entries_.resize(blocks_.size());
        for (std::size_t e = 0; e < equations_.M.size(); ++e) {
            entries_[block_of_[equations_.M[e].row]].push_back(e);
        }
        find_repeated();
    }

    /// Blocks of one shape are the same function of other coordinates: all of them are tried at the
    /// start, one of them at random states.
    std::optional<NegativeDirection> search(const Probe& probe, int sample) const {
        std::vector<std::size_t> tried;
        std::vector<Expr> roots;
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            if (blocks_[b].size() > kLargestBlock ||
                (sample != Probe::kInitial && repeated_[b] != 0)) {
                continue;
            }
            tried.push_back(b);
            for (const std::size_t e : entries_[b]) {
                roots.push_back(equations_.M[e].value);
            }
        }
        const std::vector<Real> M = probe.evaluate(model_.graph, roots, sample);
        const Real* next = M.data();
        for (const std::size_t b : tried) {
            SymmetricMatrix S(blocks_[b].size());
            bool finite = true;
            for (const std::size_t e : entries_[b]) {
                const MassEntry& entry = equations_.M[e];
                S.set(place_[entry.row], place_[entry.column], *next);
                finite = finite && std::isfinite(*next++);
            }
            if (finite) {
                if (const auto w = negative_direction(S)) {
                    return NegativeDirection{blocks_[b], *w, S.quadratic_form(*w)};
                }
            }
        }
        return std::nullopt;
    }

    /// The statement that contributes most to the negative value.
    Span culprit(const Probe& probe, int sample, const NegativeDirection& direction) const {
        Span span;
        Real lowest = 0;
        for (const InertiaElement& element : equations_.elements) {
            const Real value = form(element.M, probe, sample, direction);
            if (value < lowest) {
                lowest = value;
                span = element.span;
            }
        }
        return span;
    }

    /// w^T M w in this direction at another state.
    Real value(const Probe& probe, int sample, const NegativeDirection& direction) const {
        return form(equations_.M, probe, sample, direction);
    }

  private:
    void find_repeated() {
        std::unordered_set<sym::Shape, sym::ShapeHash> known;
        repeated_.assign(blocks_.size(), 0);
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            std::vector<Expr> roots;
            for (const std::size_t e : entries_[b]) {
                roots.push_back(equations_.M[e].value);
            }
            const std::vector<Expr> nodes = sym::reachable(model_.graph, roots);
            sym::Shape shape = sym::shape_of(model_.graph, nodes);
            for (const std::size_t e : entries_[b]) {
                const MassEntry& entry = equations_.M[e];
                shape.push_back(sym::place_of(nodes, entry.value));
                shape.push_back(static_cast<std::uint32_t>(place_[entry.row]));
                shape.push_back(static_cast<std::uint32_t>(place_[entry.column]));
            }
            repeated_[b] = known.insert(std::move(shape)).second ? 0 : 1;
        }
    }

    Real form(const std::vector<MassEntry>& M, const Probe& probe, int sample,
              const NegativeDirection& direction) const {
        std::map<int, Real> w;
        for (std::size_t k = 0; k < direction.w.size(); ++k) {
            w[direction.coordinates[k]] = direction.w[k];
        }
        Real sum = 0;
        for (const MassEntry& entry : M) {
            const auto row = w.find(entry.row);
            const auto column = w.find(entry.column);
            if (row == w.end() || column == w.end()) {
                continue;
            }
            const Real M_ij = probe.evaluate(model_.graph, entry.value, sample);
            sum += (entry.row == entry.column ? 1 : 2) * row->second * column->second * M_ij;
        }
        return sum;
    }

    const Model& model_;
    const Equations& equations_;
    std::vector<std::vector<int>> blocks_;
    std::vector<std::size_t> block_of_, place_;
    std::vector<std::vector<std::size_t>> entries_;  ///< of M, per block
    std::vector<char> repeated_;                     ///< per block: of the shape of an earlier one
};

std::string state_text(const Model& model, const Probe& probe, const NegativeDirection& direction,
                       int sample) {
    if (sample == Probe::kInitial) {
        return "at the initial values";
    }
    std::vector<std::string> values;
    for (std::size_t k = 0; k < std::min<std::size_t>(direction.coordinates.size(), 4); ++k) {
        const Coordinate& c = model.coordinates[direction.coordinates[k]];
        values.push_back(
            fmt::format("{} = {}", c.name,
                        to_short_text(static_cast<double>(probe.value(model.graph, c.q, sample)))));
    }
    return "at " + join_names(values);
}

void check_semidefinite(const Model& model, const Probe& probe, const Equations& equations,
                        std::vector<Diagnostic>& diagnostics) {
    const MassProbe masses(model, equations);
    std::optional<NegativeDirection> first;
    int first_sample = 0;
    int count = 0;
    bool initially = false;
    for (int sample = Probe::kInitial; sample <= kSamples; ++sample) {
        std::optional<NegativeDirection> found = masses.search(probe, sample);
        if (!found) {
            continue;
        }
        ++count;
        initially = initially || sample == Probe::kInitial;
        if (!first) {
            first = std::move(found);
            first_sample = sample;
        }
    }
    if (!first) {
        return;
    }
    std::vector<std::string> names;
    for (std::size_t k = 0; k < first->w.size(); ++k) {
        if (std::abs(first->w[k]) > 1e-3L) {
            names.push_back(model.coordinates[first->coordinates[k]].name + "'");
        }
    }
    // Random coordinates may lie where the model has no meaning; only the start must be sound.
    const bool certain =
        initially || (count == kSamples && !(masses.value(probe, Probe::kInitial, *first) > 0));
    diagnostics.push_back(
        {masses.culprit(probe, first_sample, *first),
         certain ? Severity::kError : Severity::kWarning,
         fmt::format("the kinetic energy is negative for a motion of {} alone", join_names(names)),
         {fmt::format("{}: v^T M v is {} in that direction",
                      state_text(model, probe, *first, first_sample),
                      to_short_text(static_cast<double>(first->value)))}});
}

}  // namespace

void validate_inertia(const Model& model, const Probe& probe, const Equations& equations,
                      std::vector<Diagnostic>& diagnostics) {
    const std::size_t before = diagnostics.size();
    check_particle_masses(model, probe, diagnostics);
    check_quadratic(model, probe, equations, diagnostics);
    if (diagnostics.size() == before) {
        check_semidefinite(model, probe, equations, diagnostics);
    }
}

}  // namespace ananke::classify
