#include "typeset/minimal_choice.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ranges.h"
#include "base/text.h"
#include "sym/differentiate.h"
#include "sym/print.h"

namespace ananke::typeset {

using mech::NamedExpr;

namespace {

using Numbers = std::vector<double>;
using Directions = std::vector<Numbers>;

/// A row is independent of others if its component orthogonal to them exceeds this part of its
/// length: the square root of the rounding error of double, with a margin.
constexpr double kIndependent = 1e-7;

MotionVariable of_coordinate(const Model& model, std::size_t i) {
    const Coordinate& c = model.coordinates[i];
    const Label label = Label(model.graph.symbol_record(c.v));
    return {label.text, static_cast<int>(i), c.v, c.a, label, Label(model.graph.symbol_record(c.a)),
            c.v};
}

MotionVariable of_speed(Model& model, const NamedExpr& speed) {
    sym::Graph& g = model.graph;
    return {speed.name,
            -1,
            g.symbol(sym::SymbolKind::kParameter, "@" + speed.name),
            g.symbol(sym::SymbolKind::kParameter, "@" + speed.name + "'"),
            Label({sym::SymbolKind::kParameter, speed.name}),
            Label({sym::SymbolKind::kVelocity, speed.name}),
            speed.value};
}

double dot(const Numbers& a, const Numbers& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/// An orthonormal basis of rows.
class Basis {
  public:
    /// The component of the row orthogonal to the basis, relative to its length.
    double outside(const Numbers& row) const {
        const double length = std::sqrt(dot(row, row));
        return length > 0.0 ? std::sqrt(remainder_square(row)) / length : 0.0;
    }
    void add(const Numbers& row) {
        Numbers r = remainder(row);
        const double length = std::sqrt(dot(r, r));
        for (double& x : r) {
            x /= length;
        }
        basis_.push_back(std::move(r));
    }

  private:
    Numbers remainder(Numbers row) const {
        for (int pass = 0; pass < 2; ++pass) {
            for (const Numbers& e : basis_) {
                const double part = dot(row, e);
                for (std::size_t i = 0; i < row.size(); ++i) {
                    row[i] -= part * e[i];
                }
            }
        }
        return row;
    }
    double remainder_square(const Numbers& row) const {
        const Numbers r = remainder(row);
        return dot(r, r);
    }
    Directions basis_;
};

/// Gauss-Jordan elimination of the leading columns, with the largest pivots. Returns the pivot
/// column of each row; `columns` for a row whose leading entries all fall to `vanished`.
std::vector<std::size_t> eliminate(Directions& K, std::size_t columns, double vanished) {
    std::vector<std::size_t> pivots(K.size(), columns);
    for (std::size_t step = 0; step < K.size(); ++step) {
        std::size_t p = 0;
        std::size_t q = columns;
        double largest = vanished;
        for (std::size_t k = 0; k < K.size(); ++k) {
            for (std::size_t j = 0; j < columns && pivots[k] == columns; ++j) {
                if (std::abs(K[k][j]) > largest) {
                    largest = std::abs(K[k][j]);
                    p = k;
                    q = j;
                }
            }
        }
        if (q == columns) {
            break;
        }
        pivots[p] = q;
        for (std::size_t k = 0; k < K.size(); ++k) {
            const double f = k == p ? 0.0 : K[k][q] / K[p][q];
            for (std::size_t j = 0; j < K[k].size() && f != 0.0; ++j) {
                K[k][j] -= f * K[p][j];
            }
        }
    }
    return pivots;
}

/// Weights of rows whose weighted sum vanishes in the given columns; nothing if there are none.
std::optional<Numbers> find_tie(const Directions& rows, const std::vector<std::size_t>& columns) {
    const std::size_t m = rows.size();
    Directions K(m);  // [the rows in these columns, I], each row scaled to length one
    for (std::size_t k = 0; k < m; ++k) {
        const double scale = 1.0 / std::max(std::sqrt(dot(rows[k], rows[k])), 1e-300);
        for (const std::size_t j : columns) {
            K[k].push_back(scale * rows[k][j]);
        }
        K[k].resize(columns.size() + m, 0.0);
        K[k][columns.size() + k] = scale;
    }
    const std::vector<std::size_t> pivots = eliminate(K, columns.size(), kIndependent);
    const auto tie = std::ranges::find(pivots, columns.size());
    if (tie == pivots.end()) {
        return std::nullopt;
    }
    const Numbers& row = K[tie - pivots.begin()];
    return Numbers(row.end() - static_cast<std::ptrdiff_t>(m), row.end());
}

/// x with x Y = row, for a regular Y (rows of it are motion variables): row over the variables.
Numbers over_variables(const Directions& Y, const Numbers& row) {
    const std::size_t n = row.size();
    Directions K(n);  // [Y^T, row]
    for (std::size_t i = 0; i < n; ++i) {
        K[i] = transformed(Y, [&](const Numbers& variable) { return variable[i]; });
        K[i].push_back(row[i]);
    }
    const std::vector<std::size_t> pivots = eliminate(K, n, 0.0);
    Numbers x(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[pivots[i]] = K[i][n] / K[i][pivots[i]];
    }
    return x;
}

class Chooser {
  public:
    Chooser(Model& model, const Equations& equations, const MinimalOptions& options,
            const sym::Values<double>& at)
        : model_(model), equations_(equations), options_(options), at_(at) {
        for (const NamedExpr& speed : equations.speeds) {
            candidates_.push_back(of_speed(model, speed));
        }
        speeds_ = candidates_.size();
        for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
            candidates_.push_back(of_coordinate(model, i));
        }
        for (const MotionVariable& candidate : candidates_) {
            gradients_.push_back(gradient(candidate.value));
        }
    }

    Result<MinimalChoice> choose() {
        std::optional<Error> error = find_asked();
        if (!error) {
            error = take_asked();
        }
        if (error) {
            return *error;
        }
        complete();
        MinimalChoice choice;
        Directions Y;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            if (!taken_[i]) {
                continue;
            }
            if (contains(asked_, i)) {
                choice.independent.push_back(choice.variables.size());
            }
            choice.variables.push_back(candidates_[i]);
            Y.push_back(gradients_[i]);
        }
        choice.notes = std::move(notes_);
        if (!asked_.empty()) {
            error = check(choice, Y);
        }
        return error ? Result<MinimalChoice>(*error) : choice;
    }

  private:
    Numbers gradient(Expr value) const {
        Numbers row(model_.coordinates.size(), 0.0);
        for (std::size_t i = 0; i < row.size(); ++i) {
            const Expr slope = sym::derivative(model_.graph, value, model_.coordinates[i].v);
            row[i] = sym::evaluate<double>(model_.graph, slope, at_);
        }
        return row;
    }

    std::vector<std::string> names(std::span<const std::size_t> which) const {
        return transformed(which, [&](std::size_t i) { return candidates_[i].name; });
    }

    static Error wrong(std::string message) {
        return {ErrorCode::kInvalidInput, "independent: " + std::move(message)};
    }

    /// x, x' and x'' name the velocity of a coordinate; u and u' a speed.
    std::optional<Error> find_asked() {
        const auto stem = [](std::string name) {
            while (!name.empty() && name.back() == '\'') {
                name.pop_back();
            }
            return name;
        };
        std::vector<std::string> known = transformed(
            candidates_, [&](const MotionVariable& candidate) { return stem(candidate.name); });
        for (const std::string& name : options_.independent) {
            const auto found = std::ranges::find(known, stem(name));
            if (found == known.end()) {
                const std::string near = nearest_name(stem(name), known);
                return wrong(fmt::format("no velocity or speed is called \"{}\"{}", name,
                                         near.empty() ? "" : "; did you mean " + near + "?"));
            }
            const std::size_t index = found - known.begin();
            if (contains(asked_, index)) {
                return wrong(fmt::format("{} is named twice", candidates_[index].name));
            }
            asked_.push_back(index);
        }
        return std::nullopt;
    }

    std::optional<Error> take_asked() {
        taken_.assign(candidates_.size(), false);
        for (const std::size_t i : asked_) {
            if (basis_of_taken_.outside(gradients_[i]) <= kIndependent) {
                return wrong(
                    fmt::format("{} cannot be independent together: at the initial state "
                                "{} is a combination of the others",
                                join_names(names(asked_)), candidates_[i].name));
            }
            take(i);
        }
        return std::nullopt;
    }

    void take(std::size_t i) {
        basis_of_taken_.add(gradients_[i]);
        taken_[i] = true;
        ++count_;
    }

    /// Speeds in their order, then the velocities whose gradients have the largest component
    /// orthogonal to those chosen so far.
    void complete() {
        const std::size_t n = model_.coordinates.size();
        for (std::size_t i = 0; i < speeds_; ++i) {
            if (taken_[i]) {
                continue;
            }
            if (count_ < n && basis_of_taken_.outside(gradients_[i]) > kIndependent) {
                take(i);
            } else {
                notes_.push_back(fmt::format(
                    "speed {} is a combination of the other motion variables at the initial state "
                    "and is not used as one",
                    candidates_[i].name));
            }
        }
        while (count_ < n) {
            std::size_t best = speeds_;
            double farthest = -1.0;
            for (std::size_t i = speeds_; i < candidates_.size(); ++i) {
                const double distance = taken_[i] ? -1.0 : basis_of_taken_.outside(gradients_[i]);
                if (distance > farthest + 1e-6) {
                    best = i;
                    farthest = distance;
                }
            }
            take(best);
        }
    }

    std::optional<Error> check(const MinimalChoice& choice, const Directions& Y) const {
        const std::vector<std::string> all = transformed(choice.variables, &MotionVariable::name);
        std::vector<std::size_t> dependent;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (!contains(choice.independent, i)) {
                dependent.push_back(i);
            }
        }
        std::vector<int> rows = options_.rows;
        std::erase_if(rows, [&](int k) { return contains(options_.evidence, k); });
        const std::size_t wanted = all.size() - rows.size();
        if (choice.independent.size() != wanted) {
            return wrong(fmt::format("needs exactly {} of {}; {} given: {}", wanted,
                                     fmt::join(all, ", "), choice.independent.size(),
                                     fmt::join(names(asked_), ", ")));
        }
        return check_ties(choice, Y, rows, dependent);
    }

    /// The constraints must determine the dependent variables: A restricted to these is regular.
    std::optional<Error> check_ties(const MinimalChoice& choice, const Directions& Y,
                                    const std::vector<int>& rows,
                                    const std::vector<std::size_t>& dependent) const {
        Directions A;
        for (const int k : rows) {
            Numbers row(Y.size(), 0.0);
            for (const Entry& entry : equations_.rows[k].A) {
                row[entry.column] = sym::evaluate<double>(model_.graph, entry.value, at_);
            }
            A.push_back(over_variables(Y, row));
        }
        const std::optional<Numbers> combination = find_tie(A, dependent);
        if (!combination) {
            return std::nullopt;
        }
        std::vector<std::string> constraints;
        Numbers sum(Y.size(), 0.0);
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const double weight = (*combination)[k] * std::sqrt(dot(A[k], A[k]));
            if (std::abs(weight) > 1e-6) {
                constraints.push_back(equations_.rows[rows[k]].name);
            }
            for (std::size_t i = 0; i < sum.size(); ++i) {
                sum[i] += (*combination)[k] * A[k][i];
            }
        }
        std::vector<std::string> tied;
        for (const std::size_t i : choice.independent) {
            if (std::abs(sum[i]) > 1e-6) {
                tied.push_back(choice.variables[i].name);
            }
        }
        const bool one = constraints.size() == 1;
        return wrong(fmt::format(
            "{} cannot be independent{}: at the initial state the constraint{} {} {} {}",
            join_names(names(asked_)), asked_.size() == 1 ? "" : " together", one ? "" : "s",
            join_names(constraints),
            tied.size() > 1 ? (one ? "ties together" : "tie together")
                            : (one ? "determines" : "determine"),
            join_names(tied)));
    }

    Model& model_;
    const Equations& equations_;
    const MinimalOptions& options_;
    const sym::Values<double>& at_;
    std::vector<MotionVariable> candidates_;  ///< speeds, then coordinates
    std::size_t speeds_ = 0;
    Directions gradients_;
    std::vector<std::size_t> asked_;
    std::vector<bool> taken_;
    std::size_t count_ = 0;
    Basis basis_of_taken_;
    std::vector<std::string> notes_;
};

}  // namespace

Result<MinimalChoice> choose_motion_variables(Model& model, const Equations& equations,
                                              const MinimalOptions& options,
                                              const sym::Values<double>& at) {
    const sym::Graph::Formal formal(model.graph);
    return Chooser(model, equations, options, at).choose();
}

}  // namespace ananke::typeset
