// Velocities of the minimal equations: motion variables, dependent velocities, partial velocities.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ranges.h"
#include "mech/collect.h"
#include "sym/differentiate.h"
#include "sym/walk.h"
#include "typeset/isolate.h"
#include "typeset/minimal_writer.h"

namespace ananke::typeset {

using mech::collect;

namespace {

/// Matrices up to this size are inverted by cofactors, which read better than an elimination.
constexpr std::size_t kCofactors = 3;

/// In longer worksheets names stay names: looking for shorter forms would cost too much.
constexpr std::size_t kLinesWrittenOut = 150;

sym::Values<double> with_speeds(const Model& model, const std::vector<MotionVariable>& variables,
                                sym::Values<double> at) {
    for (const MotionVariable& u : variables) {
        if (u.coordinate < 0) {
            at[u.symbol] = sym::evaluate<double>(model.graph, u.value, at);
        }
    }
    return at;
}

/// Rows and columns of a square matrix that nonzero entries connect.
struct Block {
    std::vector<std::size_t> rows, columns;
};

std::vector<Block> blocks_of(const sym::Graph& graph, const Grid& Z) {
    const std::size_t n = Z.rows();
    std::vector<int> row_block(n, -1);
    std::vector<int> column_block(n, -1);
    std::vector<Block> blocks;
    for (std::size_t start = 0; start < n; ++start) {
        if (row_block[start] >= 0) {
            continue;
        }
        const int id = static_cast<int>(blocks.size());
        Block block{{start}, {}};
        row_block[start] = id;
        for (std::size_t k = 0; k < block.rows.size(); ++k) {
            for (std::size_t j = 0; j < n; ++j) {
                if (column_block[j] >= 0 || graph.is_zero(Z(block.rows[k], j))) {
                    continue;
                }
                column_block[j] = id;
                block.columns.push_back(j);
                for (std::size_t i = 0; i < n; ++i) {
                    if (row_block[i] < 0 && !graph.is_zero(Z(i, j))) {
                        row_block[i] = id;
                        block.rows.push_back(i);
                    }
                }
            }
        }
        std::ranges::sort(block.rows);
        std::ranges::sort(block.columns);
        blocks.push_back(std::move(block));
    }
    return blocks;
}

/// Determinant of the rows and columns, by the first row.
Expr determinant(sym::Graph& g, const Grid& Z, const std::vector<std::size_t>& rows,
                 const std::vector<std::size_t>& columns) {
    if (rows.empty()) {
        return g.one();
    }
    Expr sum = g.zero();
    for (std::size_t j = 0; j < columns.size(); ++j) {
        std::vector<std::size_t> rest = columns;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(j));
        const Expr minor = determinant(g, Z, {rows.begin() + 1, rows.end()}, rest);
        const Expr term = g.mul(Z(rows[0], columns[j]), minor);
        sum = j % 2 == 0 ? g.add(sum, term) : g.sub(sum, term);
    }
    return sum;
}

}  // namespace

MinimalWriter::MinimalWriter(Model& model, const Equations& equations,
                             const MinimalOptions& options, MinimalChoice choice,
                             const sym::Values<double>& at)
    : FormWriter(model, equations, options.rows, with_speeds(model, choice.variables, at)),
      variables_(std::move(choice.variables)),
      symbols_(transformed(variables_, &MotionVariable::symbol)),
      asked_(!options.independent.empty()),
      independent_(std::move(choice.independent)),
      given_by_line_(variables_.size(), false),
      W_(n_, n_, g_.zero()),
      w_(n_, g_.zero()),
      c_(n_, g_.zero()),
      N_variables_(0, 0, g_.zero()),
      N_(0, 0, g_.zero()),
      M_u_(0, 0, g_.zero()),
      B_(0, 0, g_.zero()),
      notes_(std::move(choice.notes)) {
    for (const MotionVariable& u : variables_) {
        sheet_.name(u.symbol, u.label);
        sheet_.name(u.rate, u.rate_label);
        has_speeds_ = has_speeds_ || u.coordinate < 0;
    }
    for (std::size_t k = 0; k < m_; ++k) {
        const auto& shown = options.evidence;
        const Row& row = equations_.rows[rows_[k]];
        const bool linear = std::ranges::none_of(row.A, [&](const Entry& entry) {
            return sym::depends_on_kind(g_, entry.value, sym::SymbolKind::kVelocity);
        });
        Indices& kind = contains(shown, rows_[k]) ? evidence_ : linear ? linear_ : nonlinear_;
        kind.push_back(k);
    }
}

bool MinimalWriter::is_independent(std::size_t j) const {
    return contains(independent_, j);
}

std::string MinimalWriter::names(const Indices& variables) const {
    const auto name = [&](std::size_t j) { return variables_[j].name; };
    return fmt::format("{}", fmt::join(transformed(variables, name), ", "));
}

Expr MinimalWriter::shorter(Expr e) const {
    return collect(g_, e);
}

Expr MinimalWriter::over_variables(Expr e) const {
    if (!has_speeds_) {
        return e;
    }
    const Expr other = shorter(sym::substitute(g_, e, by_inputs_));
    const auto size = [&](Expr x) { return sym::reachable(g_, x).size(); };
    return size(other) <= size(e) ? other : e;
}

Expr MinimalWriter::simplest(Expr e) const {
    std::vector<Stage> stages = sheet_.stages();
    std::size_t count = 0;
    for (Stage& stage : stages) {
        count += stage.lines.size();
        std::erase_if(stage.lines, [&](const Line& line) {
            return g_.is_symbol(line.left, sym::SymbolKind::kVelocity) ||
                   contains(symbols_, line.left);
        });
    }
    const Expr short_one = shorter(e);
    if (count > kLinesWrittenOut) {
        return short_one;
    }
    const Expr other = shorter(typeset::written_out(g_, stages, std::span(&e, 1)).front());
    const auto size = [&](Expr x) { return sym::reachable(g_, x).size(); };
    return size(other) < size(short_one) ? other : short_one;
}

Grid MinimalWriter::inverse(const Grid& Z) {
    const std::size_t k = Z.rows();
    Grid result(k, k, g_.zero());
    for (const Block& block : blocks_of(g_, Z)) {
        const std::size_t size = block.rows.size();
        if (size > kCofactors) {
            Grid both(size, 2 * size, g_.zero());  // Z x - u = 0
            std::vector<bool> allowed(2 * size, false);
            for (std::size_t i = 0; i < size; ++i) {
                allowed[i] = true;
                both(i, size + i) = g_.integer(-1);
                for (std::size_t j = 0; j < size; ++j) {
                    both(i, j) = Z(block.rows[i], block.columns[j]);
                }
            }
            const auto number = [](std::size_t i) { return Label(std::to_string(i + 1)); };
            const Result<Reduced> reduced = reduce_rows(sheet_, both, allowed, "K", number, number);
            ANANKE_REQUIRE(reduced);  // the variables were chosen so
            for (std::size_t i = 0; i < size; ++i) {
                for (std::size_t j = 0; j < size; ++j) {
                    result(block.columns[reduced.value().pivot[i]], block.rows[j]) =
                        g_.neg(reduced.value().A(i, size + j));
                }
            }
            continue;
        }
        const Expr det = shorter(determinant(g_, Z, block.rows, block.columns));
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t j = 0; j < size; ++j) {
                Indices rows = block.rows;
                Indices columns = block.columns;
                rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(j));
                columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(i));
                const Expr minor = determinant(g_, Z, rows, columns);
                result(block.columns[i], block.rows[j]) =
                    shorter(g_.div((i + j) % 2 == 0 ? minor : g_.neg(minor), det));
            }
        }
    }
    return result;
}

/// u = Y q' + y solved for q' = W u + w. Velocities that are motion variables need no solving.
void MinimalWriter::write_motion_variables() {
    Indices speeds;
    std::vector<bool> is_variable(n_, false);
    for (std::size_t j = 0; j < variables_.size(); ++j) {
        if (variables_[j].coordinate < 0) {
            speeds.push_back(j);
        } else {
            const std::size_t i = variables_[j].coordinate;
            is_variable[i] = true;
            W_(i, j) = g_.one();
        }
    }
    if (speeds.empty()) {
        return;
    }
    sheet_.begin("Motion variables", "u = Y q' + y", "u = Y\\dot{q} + y", "RH section 2");
    for (const std::size_t j : speeds) {
        sheet_.relate(variables_[j].symbol, variables_[j].value);
    }
    Indices solved;  // coordinates
    for (std::size_t i = 0; i < n_; ++i) {
        if (!is_variable[i]) {
            solved.push_back(i);
        }
    }
    Grid Y(speeds.size(), n_, g_.zero());
    Exprs y;
    Grid Z(speeds.size(), speeds.size(), g_.zero());
    for (std::size_t s = 0; s < speeds.size(); ++s) {
        const Expr value = variables_[speeds[s]].value;
        for (std::size_t i = 0; i < n_; ++i) {
            Y(s, i) = shorter(sym::derivative(g_, value, model_.coordinates[i].v));
        }
        for (std::size_t i = 0; i < solved.size(); ++i) {
            Z(s, i) = Y(s, solved[i]);
        }
        y.push_back(shorter(at_rest(value)));
    }
    sheet_.begin("Velocities by the motion variables", "q' = W u + w", "\\dot{q} = W u + w",
                 "RH section 2");
    const Grid Z_inverse = inverse(Z);
    for (std::size_t i = 0; i < solved.size(); ++i) {
        const std::size_t q = solved[i];
        const auto written = [&](const Label& label, Expr value) {
            return g_.is_one(value) ? value : sheet_.define(label, shorter(value), Inline::kShort);
        };
        for (std::size_t j = 0; j < variables_.size(); ++j) {
            const auto s = std::ranges::find(speeds, j) - speeds.begin();
            const int own = variables_[j].coordinate;
            const Expr value =
                own < 0 ? Z_inverse(i, s) : g_.neg(sheet_.dot(Z_inverse.row(i), Y.column(own)));
            W_(q, j) = written(joined("W", coordinate(q), variable(j)), value);
        }
        w_[q] = written(joined("w", coordinate(q)), g_.neg(sheet_.dot(Z_inverse.row(i), y)));
    }
}

Expr MinimalWriter::over_coordinates(const Exprs& row, std::size_t variable) {
    const Expr value = sheet_.dot(row, W_.column(variable));
    return has_speeds_ ? shorter(value) : value;
}

/// A q' + e = 0 over the motion variables: x_d + sum R u = s.
std::optional<Error> MinimalWriter::write_linear_rows() {
    if (linear_.empty()) {
        return std::nullopt;
    }
    sheet_.begin("Constraints linear in the velocities", "A q' + e = 0", "A\\dot{q} + e = 0");
    Grid alpha(linear_.size(), variables_.size(), g_.zero());
    Exprs right;
    for (std::size_t l = 0; l < linear_.size(); ++l) {
        const std::size_t k = linear_[l];
        const Row& constraint = equations_.rows[rows_[k]];
        for (const Entry& entry : constraint.A) {
            const std::size_t i = entry.column;
            A_(k, i) =
                sheet_.define(joined("A", row(k), coordinate(i)), entry.value, Inline::kShort);
        }
        e_.push_back(
            sheet_.define(joined("e", row(k)), shorter(at_rest(constraint.rate)), Inline::kShort));
        for (std::size_t j = 0; j < variables_.size(); ++j) {
            const Label label = joined({"alpha", "\\alpha", "alpha"}, row(k), variable(j));
            const Expr value = over_coordinates(A_.row(k), j);
            alpha(l, j) = has_speeds_ ? sheet_.define(label, value, Inline::kShort) : value;
        }
        right.push_back(g_.neg(g_.add(e_.back(), sheet_.dot(A_.row(k), w_))));
    }
    std::vector<bool> allowed(variables_.size(), true);
    for (const std::size_t j : independent_) {
        allowed[j] = false;
    }
    sheet_.begin("Their coefficients reduced", "u_d + R u = s", "u_{d} + R u = s");
    const auto label = [&](std::size_t l) { return row(linear_[l]); };
    const auto column = [&](std::size_t j) { return variable(j); };
    const Result<Reduced> reduced = reduce_rows(sheet_, alpha, allowed, "R", label, column);
    if (!reduced) {
        return reduced.error();
    }
    velocity_rows_ = reduced.value();
    linear_dependent_ = velocity_rows_->pivot;
    velocity_right_ = velocity_rows_->carry(sheet_, right, "s", label);
    return std::nullopt;
}

/// The rows that are not linear in the velocities determine the accelerations of as many variables:
/// those that were not asked for, or chosen by large coefficients at the state, of equals the last.
void MinimalWriter::choose_nonlinear_dependents() {
    std::vector<bool> free(variables_.size(), true);
    for (const std::size_t j : linear_dependent_) {
        free[j] = false;
    }
    if (asked_) {
        for (std::size_t j = 0; j < variables_.size(); ++j) {
            if (free[j] && !is_independent(j)) {
                nonlinear_dependent_.push_back(j);
            }
        }
        return;
    }
    std::vector<std::vector<double>> rows;
    for (const std::size_t k : nonlinear_) {
        Exprs A(n_, g_.zero());
        for (const Entry& entry : equations_.rows[rows_[k]].A) {
            A[entry.column] = entry.value;
        }
        std::vector<double> alpha;
        for (std::size_t j = 0; j < variables_.size(); ++j) {
            alpha.push_back(sheet_.number(sheet_.dot(A, W_.column(j))));
        }
        for (std::size_t l = 0; l < linear_.size(); ++l) {
            const double f = alpha[linear_dependent_[l]];
            for (std::size_t j = 0; j < variables_.size() && f != 0.0; ++j) {
                alpha[j] -= f * sheet_.number(velocity_rows_->A(l, j));
            }
        }
        rows.push_back(std::move(alpha));
    }
    for (std::size_t step = 0; step < rows.size(); ++step) {
        std::vector<double>& row = rows[step];
        double largest = 0.0;
        for (std::size_t j = 0; j < row.size(); ++j) {
            largest = free[j] ? std::max(largest, std::abs(row[j])) : largest;
        }
        std::size_t pivot = row.size();
        for (std::size_t j = 0; j < row.size(); ++j) {
            pivot = free[j] && std::abs(row[j]) >= 0.1 * largest ? j : pivot;
        }
        free[pivot] = false;
        nonlinear_dependent_.push_back(pivot);
        for (std::size_t other = step + 1; other < rows.size(); ++other) {
            const double f = largest > 0.0 ? rows[other][pivot] / row[pivot] : 0.0;
            for (std::size_t j = 0; j < row.size(); ++j) {
                rows[other][j] -= f * row[j];
            }
        }
    }
    std::ranges::sort(nonlinear_dependent_);
    for (std::size_t j = 0; j < variables_.size(); ++j) {
        const auto& both = nonlinear_dependent_;
        if (free[j] && !contains(both, j)) {
            independent_.push_back(j);
        }
    }
}

/// u_d = s - sum R u of a linear row.
Expr MinimalWriter::dependent_velocity(std::size_t l) {
    Exprs R = velocity_rows_->A.row(l);
    R[linear_dependent_[l]] = g_.zero();
    return sheet_.minus_dot(velocity_right_[l], R, symbols_);
}

/// q' = W u + w of a coordinate.
Expr MinimalWriter::coordinate_velocity(std::size_t i) {
    return sheet_.plus_dot(w_[i], W_.row(i), symbols_);
}

Exprs MinimalWriter::velocities_by_inputs() {
    std::vector<sym::Replacement> dependent;
    for (std::size_t l = 0; l < linear_.size(); ++l) {
        dependent.push_back(
            {symbols_[linear_dependent_[l]], sheet_.written_out(dependent_velocity(l))});
    }
    Exprs result;
    for (std::size_t i = 0; i < n_; ++i) {
        const Expr value = sheet_.written_out(coordinate_velocity(i));
        result.push_back(sym::substitute(g_, value, dependent));
    }
    return result;
}

/// A row that can be solved for one of the dependent velocities gives it: RH 4.3 after (49).
void MinimalWriter::solve_for_velocities() {
    if (nonlinear_.empty() && !has_speeds_) {
        return;
    }
    const Exprs velocities = velocities_by_inputs();
    for (std::size_t i = 0; i < n_; ++i) {
        if (velocities[i] != model_.coordinates[i].v) {
            by_inputs_.push_back({model_.coordinates[i].v, velocities[i]});
        }
    }
    Indices rows = nonlinear_;
    Indices wanted = nonlinear_dependent_;
    struct Root {
        std::size_t variable;
        Expr value;
    };
    std::vector<Root> roots;
    Exprs residuals = transformed(rows, [&](std::size_t k) {
        return shorter(sym::substitute(g_, equations_.rows[rows_[k]].rate, by_inputs_));
    });
    for (bool found = true; found && !rows.empty();) {
        found = false;
        for (std::size_t r = 0; r < rows.size() && !found; ++r) {
            for (std::size_t d = 0; d < wanted.size() && !found; ++d) {
                const MotionVariable& u = variables_[wanted[d]];
                const std::optional<Isolated> root =
                    isolate(g_, residuals[r], u.symbol, sheet_.values());
                if (!root) {
                    continue;
                }
                found = true;
                facts_.push_back(fmt::format("{} is solved from {}", u.name, row(rows[r]).text));
                if (root->branch) {
                    notes_.push_back(fmt::format(
                        "{} is the root of {} that belongs to the initial state; a state of "
                        "another sign needs another start",
                        u.name, row(rows[r]).text));
                }
                roots.push_back({wanted[d], root->value});
                rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(r));
                residuals.erase(residuals.begin() + static_cast<std::ptrdiff_t>(r));
                wanted.erase(wanted.begin() + static_cast<std::ptrdiff_t>(d));
                const sym::Replacement solved{u.symbol, root->value};
                for (Expr& residual : residuals) {
                    residual = shorter(sym::substitute(g_, residual, std::span(&solved, 1)));
                }
            }
        }
    }
    if (!wanted.empty()) {
        facts_.push_back(fmt::format(
            "{} stay{} among the variables: no closed form gives {} from the constraints, only the "
            "acceleration{} eliminated",
            names(wanted), wanted.size() == 1 ? "s" : "", wanted.size() == 1 ? "it" : "them",
            wanted.size() == 1 ? " is" : "s are"));
    }
    if (!roots.empty()) {
        sheet_.begin("Dependent velocities of nonlinear constraints", "psi = 0 solved for u_d",
                     "\\psi = 0", "RH 4.3");
    }
    // A root may contain those that were found after it.
    for (auto root = roots.rbegin(); root != roots.rend(); ++root) {
        sheet_.assign(symbols_[root->variable], variable(root->variable), root->value);
        given_by_line_[root->variable] = true;
    }
}

void MinimalWriter::write_dependent_velocities() {
    if (linear_.empty()) {
        return;
    }
    sheet_.begin("Dependent velocities", "u_d = s - R u", "u_{d} = s - R u", "RH (3)");
    for (std::size_t l = 0; l < linear_.size(); ++l) {
        const std::size_t d = linear_dependent_[l];
        sheet_.assign(symbols_[d], variable(d), dependent_velocity(l));
        given_by_line_[d] = true;
    }
}

void MinimalWriter::write_coordinate_velocities() {
    if (!has_speeds_) {
        return;
    }
    sheet_.begin("Velocities of the coordinates", "q' = W u + w", "\\dot{q} = W u + w",
                 "RH section 2");
    for (std::size_t i = 0; i < n_; ++i) {
        const Expr v = model_.coordinates[i].v;
        if (!contains(symbols_, v)) {
            sheet_.assign(v, Label(g_.symbol_record(v)), coordinate_velocity(i));
        }
    }
}

}  // namespace ananke::typeset
