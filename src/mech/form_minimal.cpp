// Minimal equations, RH (8): a = N u' + a_p, N^T M N u' = N^T (Q + C - M a_p).
#include <algorithm>

#include <fmt/format.h>

#include "mech/form_writer.h"

namespace ananke::mech {

Result<FormWriter::Partials> FormWriter::write_partials() {
    sheet_.begin({"Constraints solved for the dependent accelerations",
                  "[ A | b ] reduced to [ I R | r ]",
                  "[\\,A \\mid b\\,] \\to [\\,I\\ R \\mid r\\,]",
                  "",
                  {}});
    const Result<Reduced> reduced = reduce_rows(sheet_, A_, b_, row_labels(), coordinates());
    if (!reduced) {
        return reduced.error();
    }
    const std::vector<std::size_t>& pivot = reduced.value().pivot;
    std::vector<std::size_t> independent;
    for (std::size_t i = 0; i < n_; ++i) {
        if (std::find(pivot.begin(), pivot.end(), i) == pivot.end()) {
            independent.push_back(i);
        }
    }
    Grid N(n_, independent.size(), g_.zero());
    Exprs a_p(n_, g_.zero());
    for (std::size_t j = 0; j < independent.size(); ++j) {
        N(independent[j], j) = g_.one();
        for (std::size_t k = 0; k < m_; ++k) {
            N(pivot[k], j) = g_.neg(reduced.value().A(k, independent[j]));
        }
    }
    for (std::size_t k = 0; k < m_; ++k) {
        a_p[pivot[k]] = reduced.value().b[k];
    }
    return Partials{std::move(independent), std::move(N), std::move(a_p)};
}

/// Row i of N u' + a_p.
Expr FormWriter::by_partials(const Partials& partials, std::size_t i, const Exprs& u) {
    Exprs terms{partials.a_p[i]};
    for (std::size_t j = 0; j < u.size(); ++j) {
        terms.push_back(g_.mul(partials.N(i, j), u[j]));
    }
    return sheet_.sum(terms);
}

void FormWriter::show_partials(const Partials& partials) {
    std::string chosen;
    std::string chosen_latex;
    Exprs u;
    for (const std::size_t i : partials.independent) {
        chosen += (chosen.empty() ? "" : ", ") + acceleration(i).text;
        chosen_latex += (chosen_latex.empty() ? "" : ",\\ ") + acceleration(i).latex;
        u.push_back(model_.coordinates[i].a);
    }
    sheet_.begin(
        {"Dependent accelerations by the independent ones",
         fmt::format("a = N u' + a_p,  u' = ({})", chosen),
         fmt::format("\\ddot{{q}} = N\\dot{{u}} + a_{{p}},\\quad \\dot{{u}} = ({})", chosen_latex),
         "RH (10)-(12)",
         {}});
    for (std::size_t i = 0; i < n_; ++i) {
        const auto& independent = partials.independent;
        if (std::find(independent.begin(), independent.end(), i) == independent.end()) {
            sheet_.relate(model_.coordinates[i].a, by_partials(partials, i, u));
        }
    }
}

std::optional<Error> FormWriter::minimal() {
    const Result<Partials> partials = write_partials();
    if (!partials) {
        return partials.error();
    }
    show_partials(partials.value());
    const auto& [independent, N, a_p] = partials.value();
    const std::size_t c = N.columns();

    sheet_.begin(
        {"Minimal equations",
         with_C("M_u u' = f_u,  M_u = N^T M N,  f_u = N^T (Q", " + C") + " - M a_p)",
         with_C("M^{u}\\dot{u} = f^{u},\\quad M^{u} = N^{T} M N,\\quad f^{u} = N^{T}(Q", " + C") +
             " - M a_{p})",
         "RH (8)",
         {}});
    const auto index = [&, &chosen = independent](std::size_t j) { return coordinate(chosen[j]); };
    const Label mass{"M_u", "M^{u}", "M_u"};
    const Label force{"f_u", "f^{u}", "f_u"};
    Exprs rest;  // Q + C - M a_p
    Grid MN(n_, c, g_.zero());
    for (std::size_t i = 0; i < n_; ++i) {
        const Expr terms[] = {Q_[i], C_[i], g_.neg(sheet_.dot(M_.row(i), a_p))};
        rest.push_back(sheet_.sum(terms));
        for (std::size_t j = 0; j < c; ++j) {
            MN(i, j) = sheet_.dot(M_.row(i), N.column(j));
        }
    }
    Grid M_u(c, c, g_.zero());
    Exprs f;
    for (std::size_t j = 0; j < c; ++j) {
        for (std::size_t l = j; l < c; ++l) {
            M_u(j, l) = M_u(l, j) = sheet_.define(joined(mass, index(j), index(l)),
                                                  sheet_.dot(N.column(j), MN.column(l)));
        }
        f.push_back(sheet_.define(joined(force, index(j)), sheet_.dot(N.column(j), rest)));
    }
    const Result<Factor> factor = Factor::of(sheet_, M_u, mass, index);
    if (!factor) {
        return factor.error();
    }
    const Exprs u = factor.value().solve(sheet_, f, {"u'", "\\dot{u}", "u_dot"}, index);
    Exprs a;
    for (std::size_t i = 0; i < n_; ++i) {
        a.push_back(by_partials(partials.value(), i, u));
    }
    write_acceleration(a, "a = N u' + a_p", "\\ddot{q} = N\\dot{u} + a_{p}", "RH (8)");
    return write_multipliers_from_force(a_);
}

}  // namespace ananke::mech
