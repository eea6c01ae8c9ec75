// Accelerations of the minimal equations: dependent ones, partial accelerations, the equations
// without constraint forces RH (8) and with some of them in evidence RH (7).
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/ranges.h"
#include "mech/points.h"
#include "typeset/minimal_writer.h"

namespace ananke::typeset {

using mech::TimeFlow;

/// A a = b of the rows that the velocities did not need, and the right sides of all.
void MinimalWriter::write_acceleration_rows() {
    if (m_ > 0) {
        sheet_.begin("Constraints", "A a = b", "A\\,\\ddot{q} = b", "RH (5)");
    }
    for (std::size_t k = 0; k < m_; ++k) {
        const Row& constraint = equations_.rows[rows_[k]];
        if (!contains(linear_, k)) {
            for (const Entry& entry : constraint.A) {
                const std::size_t i = entry.column;
                A_(k, i) = sheet_.define(joined("A", row(k), coordinate(i)),
                                         over_variables(entry.value), Inline::kProduct);
            }
        }
        b_[k] = sheet_.define(joined("b", row(k)), over_variables(constraint.b), Inline::kShort);
    }
    if (!has_speeds_) {
        return;
    }
    sheet_.begin("Rates of the motion variables", "u' = Y q'' + c", "\\dot{u} = Y\\ddot{q} + c");
    const TimeFlow flow(model_);
    for (std::size_t j = 0; j < variables_.size(); ++j) {
        if (variables_[j].coordinate < 0) {
            c_[j] =
                sheet_.define(joined("c", variable(j)),
                              over_variables(shorter(flow.along_velocity(g_, variables_[j].value))),
                              Inline::kShort);
        }
    }
}

/// The rows over the rates: alpha u' = beta, with beta = b + alpha c; RH (17), (18).
std::optional<Error> MinimalWriter::write_dependent_accelerations() {
    if (!linear_.empty() || !nonlinear_.empty()) {
        sheet_.begin("Constraints reduced", "u_d' + R u' = r", "\\dot{u}_{d} + R\\dot{u} = r",
                     "RH (17)");
    }
    Exprs c_of_q(n_, g_.zero());  // W c
    for (std::size_t i = 0; i < n_ && has_speeds_; ++i) {
        c_of_q[i] = sheet_.dot(W_.row(i), c_);
    }
    const auto beta = [&](const Indices& rows) {
        Exprs result;
        for (const std::size_t k : rows) {
            result.push_back(add(b_[k], sheet_.dot(A_.row(k), c_of_q)));
        }
        return result;
    };
    const auto label = [&](std::size_t l) { return row(linear_[l]); };
    const Exprs r =
        linear_.empty() ? Exprs{} : velocity_rows_->carry(sheet_, beta(linear_), "r", label);
    return reduce_nonlinear(beta(nonlinear_), r);
}

std::optional<Error> MinimalWriter::reduce_nonlinear(const Exprs& beta, const Exprs& r) {
    const std::size_t n = variables_.size();
    const std::size_t c = independent_.size();
    Grid alpha(nonlinear_.size(), n, g_.zero());
    Exprs right = beta;
    for (std::size_t k = 0; k < nonlinear_.size(); ++k) {
        for (std::size_t j = 0; j < n; ++j) {
            alpha(k, j) = over_coordinates(A_.row(nonlinear_[k]), j);
        }
        for (std::size_t l = 0; l < linear_.size(); ++l) {
            const Expr f = alpha(k, linear_dependent_[l]);
            if (g_.is_zero(f)) {
                continue;
            }
            for (std::size_t j = 0; j < n; ++j) {
                alpha(k, j) = g_.sub(alpha(k, j), g_.mul(f, velocity_rows_->A(l, j)));
            }
            alpha(k, linear_dependent_[l]) = g_.zero();
            right[k] = g_.sub(right[k], g_.mul(f, r[l]));
        }
        for (std::size_t j = 0; j < n && (has_speeds_ || !linear_.empty()); ++j) {
            const Label label =
                joined({"alpha", "\\alpha", "alpha"}, row(nonlinear_[k]), variable(j));
            alpha(k, j) = sheet_.define(label, shorter(alpha(k, j)), Inline::kProduct);
        }
    }
    N_variables_ = Grid(n, c, g_.zero());
    p_variables_.assign(n, g_.zero());
    for (std::size_t j = 0; j < c; ++j) {
        N_variables_(independent_[j], j) = g_.one();
    }
    if (!nonlinear_.empty()) {
        std::vector<bool> allowed(n, false);
        for (const std::size_t j : nonlinear_dependent_) {
            allowed[j] = true;
        }
        const auto label = [&](std::size_t k) { return row(nonlinear_[k]); };
        const auto column = [&](std::size_t j) { return variable(j); };
        const Result<Reduced> reduced = reduce_rows(sheet_, alpha, allowed, "R", label, column);
        if (!reduced) {
            return reduced.error();
        }
        const Exprs given = reduced.value().carry(sheet_, right, "r", label);
        for (std::size_t k = 0; k < nonlinear_.size(); ++k) {
            const std::size_t d = reduced.value().pivot[k];
            p_variables_[d] = given[k];
            for (std::size_t j = 0; j < c; ++j) {
                N_variables_(d, j) = g_.neg(reduced.value().A(k, independent_[j]));
            }
        }
    }
    for (std::size_t l = 0; l < linear_.size(); ++l) {
        const std::size_t d = linear_dependent_[l];
        Exprs R(n, g_.zero());  // of the variables of nonlinear rows
        for (const std::size_t x : nonlinear_dependent_) {
            R[x] = velocity_rows_->A(l, x);
        }
        for (std::size_t j = 0; j < c; ++j) {
            const Expr value = sheet_.minus_dot(g_.neg(velocity_rows_->A(l, independent_[j])), R,
                                                N_variables_.column(j));
            N_variables_(d, j) =
                nonlinear_.empty()
                    ? value
                    : sheet_.define(joined("N", variable(d), variable(independent_[j])), value,
                                    Inline::kProduct);
        }
        const Expr rest = sheet_.minus_dot(r[l], R, p_variables_);
        p_variables_[d] = nonlinear_.empty()
                              ? rest
                              : sheet_.define(joined("n", variable(d)), rest, Inline::kProduct);
    }
    return std::nullopt;
}

/// a = N u' + a_p over the coordinates, N = W N_u, a_p = W (p - c).
void MinimalWriter::write_partials() {
    const std::size_t c = independent_.size();
    if (!linear_.empty() || !nonlinear_.empty()) {
        sheet_.begin("Dependent accelerations by the independent ones", "u_d' = N u' + n",
                     "\\dot{u}_{d} = N\\dot{u} + n", "RH (18)");
        for (std::size_t d = 0; d < variables_.size(); ++d) {
            if (is_independent(d)) {
                continue;
            }
            sheet_.relate(variables_[d].rate, sheet_.plus_dot(p_variables_[d], N_variables_.row(d),
                                                              independent_rates()));
        }
    }
    N_ = Grid(n_, c, g_.zero());
    a_p_.assign(n_, g_.zero());
    if (has_speeds_) {
        sheet_.begin("Accelerations of the coordinates by the independent ones", "q'' = N u' + a_p",
                     "\\ddot{q} = N\\dot{u} + a_{p}");
    }
    Exprs rest;
    for (std::size_t j = 0; j < variables_.size(); ++j) {
        rest.push_back(g_.sub(p_variables_[j], c_[j]));
    }
    for (std::size_t i = 0; i < n_; ++i) {
        const auto written = [&](const Label& label, Expr value) {
            return has_speeds_ && !g_.is_one(value)
                       ? sheet_.define(label, simplest(value), Inline::kProduct)
                       : value;
        };
        for (std::size_t j = 0; j < c; ++j) {
            N_(i, j) = written(joined("N", coordinate(i), variable(independent_[j])),
                               sheet_.dot(W_.row(i), N_variables_.column(j)));
        }
        a_p_[i] =
            written(joined({"a_p", "a^{p}", "a_p"}, coordinate(i)), sheet_.dot(W_.row(i), rest));
    }
}

/// M_u = N^T M N, f_u = N^T (Q + C - M a_p), and of the rows in evidence B = A N, h = b - A a_p.
void MinimalWriter::project() {
    const std::size_t c = independent_.size();
    const bool shown = !evidence_.empty();
    sheet_.begin("Projected on the partial accelerations",
                 with_C("M_u = N^T M N, f_u = N^T (Q", " + C") + " - M a_p)" +
                     (shown ? ", B = A N, h = b - A a_p" : ""),
                 with_C("M^{u} = N^{T} M N,\\ f^{u} = N^{T}(Q", " + C") + " - M a_{p})" +
                     (shown ? ",\\ B = A N,\\ h = b - A a_{p}" : ""),
                 "RH (23), (24)");
    Exprs rest;
    Grid MN(n_, c, g_.zero());
    for (std::size_t i = 0; i < n_; ++i) {
        const Expr terms[] = {Q_[i], C_[i], g_.neg(sheet_.dot(M_.row(i), a_p_))};
        rest.push_back(sheet_.sum(terms));
        for (std::size_t j = 0; j < c; ++j) {
            MN(i, j) = sheet_.dot(M_.row(i), N_.column(j));
        }
    }
    const auto index = [&](std::size_t j) { return variable(independent_[j]); };
    M_u_ = Grid(c, c, g_.zero());
    for (std::size_t j = 0; j < c; ++j) {
        for (std::size_t l = j; l < c; ++l) {
            M_u_(j, l) = M_u_(l, j) =
                sheet_.define(joined({"M_u", "M^{u}", "M_u"}, index(j), index(l)),
                              simplest(sheet_.dot(N_.column(j), MN.column(l))), Inline::kShort);
        }
    }
    for (std::size_t j = 0; j < c; ++j) {
        f_u_.push_back(sheet_.define(joined({"f_u", "f^{u}", "f_u"}, index(j)),
                                     simplest(sheet_.dot(N_.column(j), rest)), Inline::kShort));
    }
    B_ = Grid(evidence_.size(), c, g_.zero());
    for (std::size_t e = 0; e < evidence_.size(); ++e) {
        const std::size_t k = evidence_[e];
        for (std::size_t j = 0; j < c; ++j) {
            B_(e, j) =
                sheet_.define(joined("B", row(k), index(j)),
                              simplest(sheet_.dot(A_.row(k), N_.column(j))), Inline::kProduct);
        }
        h_.push_back(sheet_.define(joined("h", row(k)),
                                   simplest(g_.sub(b_[k], sheet_.dot(A_.row(k), a_p_))),
                                   Inline::kShort));
    }
}

/// M_u u' - B^T lambda = f_u,  B u' = h
void MinimalWriter::show_equations() {
    if (evidence_.empty()) {
        sheet_.begin("Equations without constraint forces", "M_u u' = f_u", "M^{u}\\dot{u} = f^{u}",
                     "RH (8)");
    } else {
        sheet_.begin("Equations with constraint forces in evidence",
                     "M_u u' - B^T lambda = f_u, B u' = h",
                     "M^{u}\\dot{u} - B^{T}\\lambda = f^{u},\\quad B\\dot{u} = h", "RH (7)");
    }
    for (std::size_t j = 0; j < independent_.size(); ++j) {
        Exprs terms;
        for (std::size_t l = 0; l < independent_.size(); ++l) {
            terms.push_back(g_.mul(M_u_(j, l), variables_[independent_[l]].rate));
        }
        for (std::size_t e = 0; e < evidence_.size(); ++e) {
            terms.push_back(g_.neg(g_.mul(B_(e, j), lambda_symbol(evidence_[e]))));
        }
        sheet_.relate(sheet_.sum(terms), f_u_[j]);
    }
    for (std::size_t e = 0; e < evidence_.size(); ++e) {
        sheet_.name(lambda_symbol(evidence_[e]), lambda_label(evidence_[e]));
        sheet_.relate(sheet_.dot(B_.row(e), independent_rates()), h_[e]);
    }
}

std::optional<Error> MinimalWriter::solve_without_forces() {
    sheet_.begin("Solved for the accelerations", "u' = M_u^-1 f_u",
                 "\\dot{u} = (M^{u})^{-1} f^{u}");
    const auto index = [&](std::size_t j) { return variable(independent_[j]); };
    const Result<Factor> factor = Factor::of(sheet_, M_u_, {"M_u", "M^{u}", "M_u"}, index);
    if (!factor) {
        return factor.error();
    }
    rates_ = factor.value().solve(sheet_, f_u_, "u", index, unknown_rates());
    return std::nullopt;
}

Exprs MinimalWriter::independent_rates() const {
    return transformed(independent_, [&](std::size_t j) { return variables_[j].rate; });
}

Unknowns MinimalWriter::unknown_rates() const {
    Unknowns rates;
    for (const std::size_t j : independent_) {
        rates.add(variables_[j].rate, variables_[j].rate_label);
    }
    return rates;
}

/// lambda from (B M_u^-1 B^T) lambda = h - B M_u^-1 f_u where M_u > 0, else both at once.
std::optional<Error> MinimalWriter::solve_with_forces() {
    const std::size_t c = independent_.size();
    const std::size_t m = evidence_.size();
    const auto index = [&](std::size_t j) { return variable(independent_[j]); };
    const auto row_index = [&](std::size_t e) { return row(evidence_[e]); };
    const Unknowns rates = unknown_rates();
    Unknowns multipliers;
    for (const std::size_t k : evidence_) {
        multipliers.add(lambda_symbol(k), lambda_label(k));
    }
    if (!try_factor(M_u_, "M_u", index)) {
        Exprs right = f_u_;
        append(right, h_);
        Unknowns all = rates;
        append(all.symbols, multipliers.symbols);
        append(all.labels, multipliers.labels);
        const Result<Exprs> x = eliminate(with_multipliers(g_, M_u_, B_), right, all);
        if (!x) {
            return x.error();
        }
        rates_.assign(x.value().begin(), x.value().begin() + static_cast<std::ptrdiff_t>(c));
        for (std::size_t e = 0; e < m; ++e) {
            lambda_[evidence_[e]] = x.value()[c + e];
        }
        return std::nullopt;
    }
    sheet_.begin("Accelerations without the forces in evidence", "u0 = M_u^-1 f_u, Z = M_u^-1 B^T",
                 "u^{0} = (M^{u})^{-1} f^{u},\\ Z = (M^{u})^{-1} B^{T}");
    const Result<Factor> mass = Factor::of(sheet_, M_u_, {"M_u", "M^{u}", "M_u"}, index);
    if (!mass) {
        return mass.error();
    }
    const Exprs u0 = mass.value().solve(sheet_, f_u_, {"u0", "u^{0}", "u0"}, index);
    Grid Z(c, m, g_.zero());
    for (std::size_t e = 0; e < m; ++e) {
        const auto both = [&](std::size_t j) { return paired(index(j), row_index(e)); };
        const Exprs column = mass.value().solve(sheet_, B_.row(e), "Z", both);
        for (std::size_t j = 0; j < c; ++j) {
            Z(j, e) = column[j];
        }
    }
    sheet_.begin("Multipliers in evidence", "S lambda = h - B u0, S = B Z",
                 "S\\lambda = h - B u^{0},\\ S = B Z");
    Grid S(m, m, g_.zero());
    Exprs right;
    for (std::size_t e = 0; e < m; ++e) {
        for (std::size_t f = e; f < m; ++f) {
            S(e, f) = S(f, e) = sheet_.define(joined("S", row_index(e), row_index(f)),
                                              shorter(sheet_.dot(B_.row(e), Z.column(f))));
        }
        right.push_back(g_.sub(h_[e], sheet_.dot(B_.row(e), u0)));
    }
    const Result<Factor> factor = Factor::of(sheet_, S, "S", row_index);
    if (!factor) {
        return factor.error();
    }
    const Exprs lambda = factor.value().solve(sheet_, right, kLambda, row_index, multipliers);
    sheet_.begin("Solved for the accelerations", "u' = u0 + Z lambda",
                 "\\dot{u} = u^{0} + Z\\lambda");
    for (std::size_t e = 0; e < m; ++e) {
        lambda_[evidence_[e]] = lambda[e];
    }
    for (std::size_t j = 0; j < c; ++j) {
        sheet_.assign(rates.symbols[j], rates.labels[j], add(u0[j], sheet_.dot(Z.row(j), lambda)));
    }
    rates_ = rates.symbols;
    return std::nullopt;
}

/// Rates of the dependent variables, and q'' of coordinates whose velocity is not a variable.
void MinimalWriter::write_rates() {
    sheet_.begin("All accelerations",
                 has_speeds_ ? "u_d' = N u' + n, q'' = N u' + a_p" : "u_d' = N u' + n",
                 has_speeds_ ? "\\dot{u}_{d} = N\\dot{u} + n,\\ \\ddot{q} = N\\dot{u} + a_{p}"
                             : "\\dot{u}_{d} = N\\dot{u} + n",
                 "RH (18)");
    all_rates_ = transformed(variables_, &MotionVariable::rate);
    for (std::size_t j = 0; j < independent_.size(); ++j) {
        all_rates_[independent_[j]] = rates_[j];
    }
    a_ = transformed(model_.coordinates, &Coordinate::a);
    for (std::size_t d = 0; d < variables_.size(); ++d) {
        if (!is_independent(d)) {
            sheet_.assign(variables_[d].rate, variables_[d].rate_label,
                          sheet_.plus_dot(p_variables_[d], N_variables_.row(d), rates_));
        }
        if (variables_[d].coordinate >= 0) {
            a_[variables_[d].coordinate] = all_rates_[d];
        }
    }
    for (std::size_t i = 0; i < n_; ++i) {
        if (!contains(symbols_, model_.coordinates[i].v)) {
            sheet_.assign(a_[i], acceleration(i), sheet_.plus_dot(a_p_[i], N_.row(i), rates_));
        }
    }
}

std::optional<Error> MinimalWriter::write() {
    write_motion_variables();
    if (std::optional<Error> error = write_linear_rows()) {
        return error;
    }
    choose_nonlinear_dependents();
    solve_for_velocities();
    write_dependent_velocities();
    write_coordinate_velocities();
    show_partial_velocities();
    write_mass_and_forces([&](Expr e) { return over_variables(e); });
    write_acceleration_rows();
    given_ = sheet_.stages();
    if (std::optional<Error> error = write_dependent_accelerations()) {
        return error;
    }
    write_partials();
    show_partial_accelerations();
    project();
    show_equations();
    if (std::optional<Error> error =
            evidence_.empty() ? solve_without_forces() : solve_with_forces()) {
        return error;
    }
    write_rates();
    return std::nullopt;
}

MinimalForm MinimalWriter::finish() {
    MinimalForm result;
    result.lines.given = std::move(given_);
    const auto before = static_cast<std::ptrdiff_t>(result.lines.given.size());
    std::vector<Stage> stages = sheet_.take_stages();
    result.lines.stages.assign(std::make_move_iterator(stages.begin() + before),
                               std::make_move_iterator(stages.end()));
    std::erase_if(result.lines.given, [](const Stage& stage) { return stage.lines.empty(); });
    std::erase_if(result.lines.stages, [](const Stage& stage) { return stage.lines.empty(); });
    result.lines.labels = sheet_.take_labels();
    result.lines.a = std::move(a_);
    result.lines.lambda.assign(equations_.rows.size(), g_.zero());
    for (const std::size_t k : evidence_) {
        result.evidence.push_back(rows_[k]);
        result.lines.lambda[rows_[k]] = lambda_[k];
    }
    Indices all;
    Indices dependent;
    result.inputs = independent_;
    for (std::size_t j = 0; j < variables_.size(); ++j) {
        all.push_back(j);
        if (!is_independent(j)) {
            dependent.push_back(j);
        }
        if (!is_independent(j) && !given_by_line_[j]) {
            result.inputs.push_back(j);
        }
    }
    result.facts.push_back("motion variables: " + names(all));
    result.facts.push_back(fmt::format("independent: {} ({})",
                                       independent_.empty() ? "none" : names(independent_),
                                       asked_ ? "as asked" : "chosen at the initial state"));
    if (!dependent.empty()) {
        result.facts.push_back("dependent: " + names(dependent));
    }
    append(result.facts, facts_);
    result.notes = std::move(notes_);
    result.rates = std::move(all_rates_);
    result.variables = std::move(variables_);
    result.independent = std::move(independent_);
    return result;
}

Result<MinimalForm> minimal_form(Model& model, const Equations& equations,
                                 const MinimalOptions& options, const sym::Values<double>& at) {
    const sym::Graph::Formal formal(model.graph);
    Result<MinimalChoice> choice = choose_motion_variables(model, equations, options, at);
    if (!choice) {
        return choice.error();
    }
    MinimalWriter writer(model, equations, options, std::move(choice.value()), at);
    const std::optional<Error> error = writer.write();
    if (writer.is_full()) {
        return too_long();
    }
    if (error) {
        return *error;
    }
    return writer.finish();
}

}  // namespace ananke::typeset
