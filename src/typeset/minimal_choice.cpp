#include "typeset/minimal_choice.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "sym/differentiate.h"
#include "sym/print.h"

namespace ananke::typeset {

using mech::NamedExpr;

namespace {

using Numbers = std::vector<double>;
using Directions = std::vector<Numbers>;

/// A direction counts as new above this part of its length.
constexpr double kNew = 1e-7;

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

/// An orthonormal basis that grows by what is new in a row.
class Basis {
  public:
    /// The part of the row outside the span, relative to its length.
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

/// Combinations of rows that vanish in the given columns: one of them, or nothing.
std::optional<Numbers> find_tie(const Directions& rows, const std::vector<std::size_t>& columns) {
    const std::size_t m = rows.size();
    Directions work(m);
    Directions combination(m, Numbers(m, 0.0));
    for (std::size_t k = 0; k < m; ++k) {
        const double scale = 1.0 / std::max(std::sqrt(dot(rows[k], rows[k])), 1e-300);
        for (const std::size_t j : columns) {
            work[k].push_back(scale * rows[k][j]);
        }
        combination[k][k] = scale;
    }
    std::vector<bool> used(m, false);
    for (std::size_t step = 0; step < m; ++step) {
        std::size_t p = m;
        std::size_t q = 0;
        double largest = kNew;
        for (std::size_t k = 0; k < m; ++k) {
            for (std::size_t j = 0; j < columns.size() && !used[k]; ++j) {
                if (std::abs(work[k][j]) > largest) {
                    largest = std::abs(work[k][j]);
                    p = k;
                    q = j;
                }
            }
        }
        if (p == m) {
            return combination[std::find(used.begin(), used.end(), false) - used.begin()];
        }
        used[p] = true;
        for (std::size_t k = 0; k < m; ++k) {
            const double f = used[k] ? 0.0 : work[k][q] / work[p][q];
            for (std::size_t j = 0; j < columns.size() && f != 0.0; ++j) {
                work[k][j] -= f * work[p][j];
            }
            for (std::size_t l = 0; l < m && f != 0.0; ++l) {
                combination[k][l] -= f * combination[p][l];
            }
        }
    }
    return std::nullopt;
}

/// x with x Y = row, for a regular Y (rows of it are motion variables): row over the variables.
Numbers over_variables(const Directions& Y, const Numbers& row) {
    const std::size_t n = row.size();
    Directions K(n, Numbers(n + 1, 0.0));  // Y^T x = row
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            K[i][j] = Y[j][i];
        }
        K[i][n] = row[i];
    }
    for (std::size_t c = 0; c < n; ++c) {
        std::size_t best = c;
        for (std::size_t i = c + 1; i < n; ++i) {
            best = std::abs(K[i][c]) > std::abs(K[best][c]) ? i : best;
        }
        std::swap(K[c], K[best]);
        for (std::size_t i = 0; i < n; ++i) {
            const double f = i == c ? 0.0 : K[i][c] / K[c][c];
            for (std::size_t j = c; j <= n && f != 0.0; ++j) {
                K[i][j] -= f * K[c][j];
            }
        }
    }
    Numbers x(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = K[i][n] / K[i][i];
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
        if (std::optional<Error> error = find_asked()) {
            return *error;
        }
        if (std::optional<Error> error = take_asked()) {
            return *error;
        }
        complete();
        MinimalChoice choice;
        Directions Y;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            if (!taken_[i]) {
                continue;
            }
            if (std::find(asked_.begin(), asked_.end(), i) != asked_.end()) {
                choice.independent.push_back(choice.variables.size());
            }
            choice.variables.push_back(candidates_[i]);
            Y.push_back(gradients_[i]);
        }
        choice.notes = std::move(notes_);
        if (!asked_.empty()) {
            if (std::optional<Error> error = check(choice, Y)) {
                return *error;
            }
        }
        return choice;
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
        std::vector<std::string> result;
        for (const std::size_t i : which) {
            result.push_back(candidates_[i].name);
        }
        return result;
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
        std::vector<std::string> known;
        for (const MotionVariable& candidate : candidates_) {
            known.push_back(stem(candidate.name));
        }
        for (const std::string& name : options_.independent) {
            const auto found = std::find(known.begin(), known.end(), stem(name));
            if (found == known.end()) {
                const std::string near = nearest_name(stem(name), known);
                return wrong(fmt::format("no velocity or speed is called \"{}\"{}", name,
                                         near.empty() ? "" : "; did you mean " + near + "?"));
            }
            const std::size_t index = found - known.begin();
            if (std::find(asked_.begin(), asked_.end(), index) != asked_.end()) {
                return wrong(fmt::format("{} is named twice", candidates_[index].name));
            }
            asked_.push_back(index);
        }
        return std::nullopt;
    }

    std::optional<Error> take_asked() {
        taken_.assign(candidates_.size(), false);
        for (const std::size_t i : asked_) {
            if (basis_of_taken_.outside(gradients_[i]) <= kNew) {
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

    /// Speeds in their order, then the coordinates that are farthest from what is there.
    void complete() {
        const std::size_t n = model_.coordinates.size();
        for (std::size_t i = 0; i < speeds_; ++i) {
            if (taken_[i]) {
                continue;
            }
            if (count_ < n && basis_of_taken_.outside(gradients_[i]) > kNew) {
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
        std::vector<std::string> all;
        std::vector<std::size_t> dependent;
        for (std::size_t i = 0; i < choice.variables.size(); ++i) {
            all.push_back(choice.variables[i].name);
            const auto& chosen = choice.independent;
            if (std::find(chosen.begin(), chosen.end(), i) == chosen.end()) {
                dependent.push_back(i);
            }
        }
        std::vector<int> rows;
        for (const int k : options_.rows) {
            const auto& shown = options_.evidence;
            if (std::find(shown.begin(), shown.end(), k) == shown.end()) {
                rows.push_back(k);
            }
        }
        const std::size_t wanted = all.size() - rows.size();
        if (choice.independent.size() != wanted) {
            return wrong(fmt::format("needs exactly {} of {}; {} given: {}", wanted,
                                     fmt::join(all, ", "), choice.independent.size(),
                                     fmt::join(names(asked_), ", ")));
        }
        return check_ties(choice, Y, rows, dependent);
    }

    /// The constraints must determine the dependent ones: A restricted to them is regular.
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
