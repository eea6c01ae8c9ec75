// The fundamental equation, of the actual system or of an auxiliary one.
#include <algorithm>

#include <fmt/format.h>

#include "typeset/form_writer.h"

namespace ananke::typeset {

/// e = b - A a0 - A c
Exprs FormWriter::write_violation(const Exprs& a0, const Exprs& c, const CoreNames& names) {
    sheet_.begin("Violation by the unconstrained acceleration",
                 with_C("e = b - A " + names.a0.text, " - A c"),
                 with_C("e = b - A\\," + names.a0.latex, " - A\\,c"), "UK02 (13)");
    Exprs e;
    for (std::size_t k = 0; k < m_; ++k) {
        Exprs terms{b_[k]};
        for (std::size_t i = 0; i < n_; ++i) {
            terms.push_back(g_.neg(g_.mul(A_(k, i), a0[i])));
            terms.push_back(g_.neg(g_.mul(A_(k, i), c[i])));
        }
        e.push_back(sheet_.define(joined("e", row(k)), sheet_.sum(terms)));
    }
    return e;
}

/// Y = M^-1 A^T in the places where M^-1 is more than a division; zero elsewhere.
Grid FormWriter::write_unit_responses(const Factor& mass, const CoreNames& names) {
    Grid Y(n_, m_, g_.zero());
    sheet_.begin("Acceleration by unit multipliers", fmt::format("Y = {}^-1 A^T", names.mass),
                 fmt::format("Y = {}^{{-1}} A^{{T}}", names.mass_latex));
    for (std::size_t k = 0; k < m_; ++k) {
        Exprs coupled = A_.row(k);
        for (std::size_t i = 0; i < n_; ++i) {
            if (mass.alone(i)) {
                coupled[i] = g_.zero();
            }
        }
        const Exprs y = mass.solve(sheet_, coupled, "Y",
                                   [&](std::size_t i) { return paired(coordinate(i), row(k)); });
        for (std::size_t i = 0; i < n_; ++i) {
            Y(i, k) = y[i];
        }
    }
    return Y;
}

/// A_k M^-1 A_l^T; entries over equal masses share one fraction bar.
Expr FormWriter::compliance(const Factor& mass, const Grid& Y, std::size_t k, std::size_t l) {
    Exprs parts;
    Exprs masses;
    std::vector<Exprs> groups;
    for (std::size_t i = 0; i < n_; ++i) {
        if (!mass.alone(i)) {
            parts.push_back(g_.mul(A_(k, i), Y(i, l)));
            continue;
        }
        const auto at = std::ranges::find(masses, mass.diagonal(i));
        const std::size_t group = at - masses.begin();
        if (at == masses.end()) {
            masses.push_back(mass.diagonal(i));
            groups.emplace_back();
        }
        groups[group].push_back(g_.mul(A_(k, i), A_(l, i)));
    }
    for (std::size_t p = 0; p < masses.size(); ++p) {
        parts.push_back(g_.div(sheet_.sum(groups[p]), masses[p]));
    }
    return sheet_.sum(parts);
}

Grid FormWriter::write_compliance(const Factor& mass, const Grid& Y, const CoreNames& names) {
    sheet_.begin("Compliance of the constraints",
                 fmt::format("W = A {0}^-1 A^T = B B^T,  B = A {0}^-1/2", names.mass),
                 fmt::format("W = A\\,{0}^{{-1}} A^{{T}} = B B^{{T}},\\quad B = A\\,{0}^{{-1/2}}",
                             names.mass_latex),
                 "UK02 (6)");
    Grid W(m_, m_, g_.zero());
    for (std::size_t k = 0; k < m_; ++k) {
        for (std::size_t l = k; l < m_; ++l) {
            W(k, l) = W(l, k) =
                sheet_.define(joined("W", row(k), row(l)), compliance(mass, Y, k, l));
        }
    }
    return W;
}

/// UK02 (6), (32) with B+ = B^T (B B^T)^-1 and W = B B^T = A M^-1 A^T:
///   a = a0 + M^-1 (A^T mu + C),   mu = W^-1 (b - A a0 - A M^-1 C)
Result<FormWriter::Core> FormWriter::core(const Grid& M, const Exprs& Q, const CoreNames& names) {
    sheet_.begin(names.title, fmt::format("{} = {}^-1 {}", names.a0.text, names.mass, names.Q.text),
                 fmt::format("{} = {}^{{-1}} {}", names.a0.latex, names.mass_latex, names.Q.latex),
                 names.source);
    Result<Factor> factored = Factor::of(sheet_, M, names.M, coordinates());
    if (!factored) {
        return factored.error();
    }
    const Factor& mass = factored.value();
    const Exprs a0 = mass.solve(sheet_, Q, names.a0, coordinates());
    Exprs c(n_, g_.zero());
    if (equations_.has_nonideal) {
        sheet_.begin("Acceleration by the non-ideal force", fmt::format("c = {}^-1 C", names.mass),
                     fmt::format("c = {}^{{-1}} C", names.mass_latex), "UK02 (32)");
        c = mass.solve(sheet_, C_, "c", coordinates());
    }
    const Grid Y = write_unit_responses(mass, names);
    const Exprs e = write_violation(a0, c, names);
    const Grid W = write_compliance(mass, Y, names);

    const Label& mu = names.multiplier;
    sheet_.begin("Multipliers", mu.text + " = W^-1 e", mu.latex + " = W^{-1} e");
    Result<Factor> compliant = Factor::of(sheet_, W, "W", row_labels());
    if (!compliant) {
        return compliant.error();
    }
    Core result{a0, compliant.value().solve(sheet_, e, mu, row_labels())};
    for (std::size_t i = 0; i < n_; ++i) {
        const Expr push = mass.alone(i)
                              ? g_.div(sheet_.dot(A_.column(i), result.mu), mass.diagonal(i))
                              : sheet_.dot(Y.row(i), result.mu);
        const Expr terms[] = {a0[i], c[i], push};
        result.a[i] = sheet_.sum(terms);
    }
    return result;
}

/// B = A M^-1/2 as the papers print it, where M is diagonal. Nothing is computed with it.
void FormWriter::show_B() {
    for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = 0; j < n_; ++j) {
            if ((i == j) == g_.is_zero(M_(i, j))) {
                return;
            }
        }
    }
    sheet_.begin("Constraint matrix in the metric of the mass", "B = A M^-1/2", "B = A\\,M^{-1/2}",
                 "UK02 (6), P21 (66)");
    for (std::size_t k = 0; k < m_; ++k) {
        for (std::size_t i = 0; i < n_; ++i) {
            sheet_.show(joined("B", row(k), coordinate(i)),
                        g_.div(A_(k, i), g_.apply(sym::Op::kSqrt, M_(i, i))));
        }
    }
}

Result<void> FormWriter::try_factor(const Grid& S, const Label& name, const Labels& index) const {
    Worksheet trial = sheet_;
    trial.begin("");
    const Result<Factor> factor = Factor::of(trial, S, name, index);
    return factor ? Result<void>() : factor.error();
}

std::optional<Error> FormWriter::fundamental() {
    if (const Result<void> mass = try_factor(M_, "M", coordinates()); !mass) {
        return Error{ErrorCode::kNotApplicable,
                     "the fundamental form asks for M > 0, but " + mass.error().message};
    }
    show_B();
    Result<Core> result = core(M_, Q_,
                               {"Unconstrained acceleration",
                                "M",
                                "Q",
                                {"a0", "a^{0}", "a0"},
                                kLambda,
                                "M",
                                "M",
                                "UK02 (13)"});
    if (!result) {
        return result.error();
    }
    lambda_ = result.value().mu;
    write_acceleration(result.value().a, with_C("a = a0 + M^-1 A^T lambda", " + c"),
                       with_C("\\ddot{q} = a^{0} + M^{-1} A^{T}\\lambda", " + c"),
                       "UK02 (6), (15), (32)");
    return std::nullopt;
}

}  // namespace ananke::typeset
