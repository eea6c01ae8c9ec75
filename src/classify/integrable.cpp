#include "classify/integrable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/ranges.h"
#include "classify/antiderivative.h"
#include "mech/collect.h"
#include "sym/differentiate.h"
#include "sym/print.h"
#include "sym/walk.h"

namespace ananke::classify {

using mech::ConstraintKind, mech::Entry, mech::Integral, mech::Real, mech::Row, mech::collect;
using sym::Expr;
using sym::Graph;
using sym::SymbolKind;

namespace {

constexpr int kSamples = 3;  // random states, numbered from 1
constexpr std::size_t kMostVariables = 10;
constexpr std::size_t kFewVariables = 4;   // whose products are tried as integrating factors
constexpr std::size_t kLargest = 300;      // nodes of a row
constexpr std::size_t kMostRows = 300;     // rows that are searched
constexpr std::size_t kLongestText = 160;  // of an integral in a remark
constexpr Real kRounding = 1e-14L;         // against the magnitudes of the terms

/// sum of parts[i] d variables[i]; time is the last variable where there is one.
struct OneForm {
    std::vector<Expr> variables;
    std::vector<Expr> parts;
};

std::optional<OneForm> one_form(Model& model, const Row& row) {
    Graph& graph = model.graph;
    if (sym::reachable(graph, row.rate).size() > kLargest) {
        return std::nullopt;
    }
    const Expr c = collect(graph, sym::without(graph, row.rate, SymbolKind::kVelocity));
    std::vector<Expr> variables = sym::symbols_of(graph, row.rate, SymbolKind::kCoordinate);
    OneForm form;
    for (const Entry& entry : row.A) {
        const Expr q = model.coordinates[entry.column].q;
        form.variables.push_back(q);
        form.parts.push_back(entry.value);
        std::erase(variables, q);
    }
    for (const Expr q : variables) {
        form.variables.push_back(q);
        form.parts.push_back(graph.zero());
    }
    if (sym::depends_on_kind(graph, row.rate, SymbolKind::kTime) || !graph.is_zero(c)) {
        form.variables.push_back(model.time);
        form.parts.push_back(c);
    }
    return form.variables.size() <= kMostVariables ? std::optional(form) : std::nullopt;
}

class Search {
  public:
    Search(Model& model, const Probe& probe) : graph_(model.graph), probe_(probe) {}

    /// What the form is, in numbers at random states. With D_ij = dA_i/dz_j - dA_j/dz_i:
    /// exact if all D_ij = 0, integrable if A_i D_jk + A_j D_ki + A_k D_ij = 0 for all triples.
    struct Decision {
        bool exact = true;
        bool integrable = true;
    };
    Decision decide(const OneForm& form) {
        const std::size_t n = form.variables.size();
        std::vector<Expr> roots = form.parts;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                roots.push_back(curl_entry(form, i, j));
            }
        }
        const std::size_t count = roots.size();
        for (std::size_t k = 0; k < count; ++k) {
            roots.push_back(sym::magnitude(graph_, roots[k]));
        }
        Decision decision;
        for (int sample = 1; sample <= kSamples && decision.integrable; ++sample) {
            const std::vector<Real> at = probe_.evaluate(graph_, roots, sample);
            const Real* magnitudes = at.data() + count;
            for (std::size_t k = n; k < count; ++k) {
                decision.exact = decision.exact && std::abs(at[k]) <= kRounding * magnitudes[k];
            }
            decision.integrable = triples_vanish(n, at.data(), magnitudes);
        }
        return decision;
    }

    /// phi with d phi = w, one variable after the other; its parts in that order.
    std::optional<Integral> potential(const OneForm& form) {
        Expr phi = graph_.zero();
        Integral integral;
        for (std::size_t k = 0; k < form.variables.size(); ++k) {
            const Expr known = sym::derivative(graph_, phi, form.variables[k]);
            const Expr left = collect(graph_, graph_.sub(form.parts[k], collect(graph_, known)));
            if (vanish({left})) {
                continue;
            }
            const std::optional<Expr> part = antiderivative(graph_, left, form.variables[k]);
            if (!part) {
                return std::nullopt;
            }
            phi = graph_.add(phi, *part);
            integral.parts.push_back(*part);
        }
        std::vector<Expr> differences;
        for (std::size_t k = 0; k < form.variables.size(); ++k) {
            differences.push_back(
                graph_.sub(sym::derivative(graph_, phi, form.variables[k]), form.parts[k]));
        }
        if (!vanish(differences)) {
            return std::nullopt;
        }
        integral.phi = phi;
        integral.factor = graph_.one();
        return integral;
    }

    /// Simple mu(q) for which mu w is exact and has an integral in closed form.
    std::optional<Integral> with_factor(const OneForm& form) {
        for (const Expr mu : factors(form)) {
            OneForm scaled = form;
            for (Expr& part : scaled.parts) {
                part = collect(graph_, graph_.mul(mu, part));
            }
            if (!decide(scaled).exact) {
                continue;
            }
            if (std::optional<Integral> integral = potential(scaled)) {
                integral->factor = mu;
                return integral;
            }
        }
        return std::nullopt;
    }

  private:
    /// A, then D_ij for j < i by rows.
    static bool triples_vanish(std::size_t n, const Real* at, const Real* magnitudes) {
        const auto D = [n](std::size_t i, std::size_t j) { return n + i * (i - 1) / 2 + j; };
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                for (std::size_t k = 0; k < j; ++k) {
                    const Real sum =
                        at[i] * at[D(j, k)] - at[j] * at[D(i, k)] + at[k] * at[D(i, j)];
                    const Real size = magnitudes[i] * magnitudes[D(j, k)] +
                                      magnitudes[j] * magnitudes[D(i, k)] +
                                      magnitudes[k] * magnitudes[D(i, j)];
                    if (!(std::abs(sum) <= kRounding * size)) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    /// dA_i/dz_j - dA_j/dz_i
    Expr curl_entry(const OneForm& form, std::size_t i, std::size_t j) {
        return graph_.sub(sym::derivative(graph_, form.parts[i], form.variables[j]),
                          sym::derivative(graph_, form.parts[j], form.variables[i]));
    }

    /// g = (dA_j/dz_i - dA_i/dz_j)/A_i, if it contains no variable: exp(g z_j) may be a factor.
    std::optional<Expr> growth(const OneForm& form, std::size_t j) {
        for (std::size_t i = 0; i < form.variables.size(); ++i) {
            if (i == j || graph_.is_zero(form.parts[i])) {
                continue;
            }
            const Expr curl = collect(graph_, curl_entry(form, j, i));
            const Expr g = collect(graph_, graph_.div(curl, form.parts[i]));
            const bool plain = !sym::depends_on_kind(graph_, g, SymbolKind::kCoordinate) &&
                               !sym::depends_on_kind(graph_, g, SymbolKind::kTime);
            return plain && !graph_.is_zero(g) ? std::optional(g) : std::nullopt;
        }
        return std::nullopt;
    }

    bool vanish(const std::vector<Expr>& all) {
        for (const Expr e : all) {
            if (graph_.is_zero(e)) {
                continue;
            }
            const Expr roots[] = {e, sym::magnitude(graph_, e)};
            for (int sample = 1; sample <= kSamples; ++sample) {
                const std::vector<Real> at = probe_.evaluate(graph_, roots, sample);
                if (!(std::abs(at[0]) <= kRounding * at[1])) {
                    return false;
                }
            }
        }
        return true;
    }

    /// exp(g z_j) with a number g, 1/z_i, 1/z_i^2, 1/(z_i z_j), 1/A_i
    std::vector<Expr> factors(const OneForm& form) {
        std::vector<Expr> below;
        const std::size_t n = form.variables.size();
        for (std::size_t i = 0; i < n; ++i) {
            below.push_back(form.variables[i]);
            below.push_back(graph_.square(form.variables[i]));
            for (std::size_t j = 0; j < i && n <= kFewVariables; ++j) {
                below.push_back(graph_.mul(form.variables[j], form.variables[i]));
            }
        }
        append(below, form.parts);
        std::vector<Expr> all;
        for (std::size_t j = 0; j < n; ++j) {
            if (const std::optional<Expr> g = growth(form, j)) {
                all.push_back(graph_.apply(sym::Op::kExp, graph_.mul(*g, form.variables[j])));
            }
        }
        for (const Expr e : below) {
            if (!graph_.is_constant(e)) {
                all.push_back(graph_.div(graph_.one(), e));
            }
        }
        return all;
    }

    Graph& graph_;
    const Probe& probe_;
};

void complete(Model& model, Integral& integral) {
    Graph& graph = model.graph;
    const std::vector<Expr> symbols = sym::symbols_of(graph, integral.phi);
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
        const Expr q = model.coordinates[i].q;
        if (contains(symbols, q)) {
            const Expr slope = collect(graph, sym::derivative(graph, integral.phi, q));
            integral.gradient.push_back({static_cast<int>(i), slope});
        }
    }
    integral.magnitude = sym::magnitude(graph, integral.phi);
}

std::string remark(const Graph& graph, const Integral& integral) {
    std::string phi;
    for (const Expr part : integral.parts) {
        const std::string text = sym::print(graph, part);
        phi += phi.empty() ? text : text[0] == '-' ? " - " + text.substr(1) : " + " + text;
    }
    if (phi.size() > kLongestText) {
        return "integrable: its integral is kept too";
    }
    return graph.is_one(integral.factor)
               ? fmt::format("integrable: the derivative of {}, which is kept too", phi)
               : fmt::format("integrable: times {} it is the derivative of {}, which is kept too",
                             sym::print(graph, integral.factor), phi);
}

}  // namespace

void find_integrals(Model& model, const Probe& probe, Equations& equations) {
    const sym::Graph::Formal formal(model.graph);
    Search search(model, probe);
    std::size_t looked_at = 0;
    for (Row& row : equations.rows) {
        const bool linear = row.kind == ConstraintKind::kNonholonomicLinear ||
                            row.kind == ConstraintKind::kNonholonomicAffine;
        if (!linear || looked_at++ >= kMostRows) {
            continue;
        }
        const std::optional<OneForm> form = one_form(model, row);
        const Search::Decision decision = form ? search.decide(*form) : Search::Decision{};
        if (!form || !decision.integrable) {
            continue;
        }
        row.integrable = true;
        row.integral = decision.exact ? search.potential(*form) : search.with_factor(*form);
        if (row.integral) {
            complete(model, *row.integral);
            row.note = remark(model.graph, *row.integral);
        } else {
            row.note = "integrable (Frobenius), but no integral in closed form was found";
        }
    }
}

}  // namespace ananke::classify
