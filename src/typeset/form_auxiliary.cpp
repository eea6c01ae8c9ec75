// The auxiliary systems of US10 and UW13. X stands for A+ (US10) and for A^T G (UW13) in turn:
//   M_A = M + alpha^2 X A,   Q_z = Q + X z,   then the fundamental equation with them.
#include <fmt/format.h>

#include "typeset/form_writer.h"

namespace ananke::typeset {

using mech::GaugeChoice;

/// alpha, G and z as the model gives them, or 1, identity and alpha^2 b.
FormWriter::Gauge FormWriter::write_gauge(Weight weight) {
    const bool transpose = weight == Weight::kTranspose;
    const GaugeChoice& given = equations_.gauge;
    const bool weighted = transpose && (!given.G_diagonal.empty() || !given.G_matrix.empty());
    const bool identity = transpose && !weighted;
    sheet_.begin("Gauge",
                 fmt::format("free choices, the motion is the same for all{}",
                             identity ? "; here G = I" : ""),
                 identity ? "G = I" : "", "UW13 remark 1");
    Gauge gauge;
    gauge.alpha2 = g_.square(sheet_.define({"alpha", "\\alpha", "alpha_gauge"},
                                           given.alpha_given ? given.alpha : g_.one()));
    if (weighted) {
        gauge.G.emplace(m_, m_, g_.zero());
        for (std::size_t k = 0; k < m_; ++k) {
            for (std::size_t l = 0; l < m_; ++l) {
                const std::size_t r = rows_[k];
                const std::size_t s = rows_[l];
                const Expr diagonal =
                    k == l && given.G_matrix.empty() ? given.G_diagonal[r] : g_.zero();
                const Expr value = given.G_matrix.empty() ? diagonal : given.G_matrix[r][s];
                (*gauge.G)(k, l) = sheet_.define(joined("G", row(k), row(l)), value);
            }
        }
    }
    gauge.z_given = !given.z.empty();
    for (std::size_t k = 0; k < m_; ++k) {
        const Expr value = gauge.z_given ? given.z[rows_[k]] : g_.mul(gauge.alpha2, b_[k]);
        gauge.z.push_back(sheet_.define(joined("z", row(k)), value));
    }
    return gauge;
}

/// X^T, m x n: G A, or the transpose of A+.
Result<Grid> FormWriter::write_weighted_rows(const Gauge& gauge, Weight weight) {
    if (weight == Weight::kTranspose && !gauge.G) {
        return A_;
    }
    Grid X(m_, n_, g_.zero());
    if (weight == Weight::kTranspose) {
        for (std::size_t k = 0; k < m_; ++k) {
            for (std::size_t i = 0; i < n_; ++i) {
                X(k, i) = sheet_.dot(gauge.G->row(k), A_.column(i));
            }
        }
        return X;
    }
    const Result<Factor> AAt = factor_AAt();
    if (!AAt) {
        return AAt.error();
    }
    sheet_.begin("Moore-Penrose inverse of A", "A+ = A^T (A A^T)^-1",
                 "A^{+} = A^{T}(A A^{T})^{-1}");
    for (std::size_t i = 0; i < n_; ++i) {
        const Exprs plus = write_A_plus(AAt.value(), i);
        for (std::size_t k = 0; k < m_; ++k) {
            X(k, i) = plus[k];
        }
    }
    return X;
}

/// Qc = A^T mu + C + X (z - alpha^2 b), UW13 (3.39), US10 (71), as A^T lambda + C.
void FormWriter::write_actual_multipliers(const Gauge& gauge, const Exprs& mu, Weight weight) {
    const bool transpose = weight == Weight::kTranspose;
    sheet_.begin(
        "Multipliers of the actual system",
        transpose ? "lambda = mu + G (z - alpha^2 b)" : "lambda = mu + (A A^T)^-1 (z - alpha^2 b)",
        transpose ? "\\lambda = \\mu + G\\,(z - \\alpha^{2} b)"
                  : "\\lambda = \\mu + (A A^{T})^{-1}(z - \\alpha^{2} b)",
        transpose ? "UW13 (3.39)" : "US10 (71)");
    Exprs excess(m_, g_.zero());
    for (std::size_t k = 0; k < m_ && gauge.z_given; ++k) {
        excess[k] = g_.sub(gauge.z[k], g_.mul(gauge.alpha2, b_[k]));
    }
    if (!transpose && gauge.z_given) {
        excess = AAt_->solve(sheet_, excess, "h", row_labels());
    }
    for (std::size_t k = 0; k < m_; ++k) {
        const Expr shift = gauge.G ? sheet_.dot(gauge.G->row(k), excess) : excess[k];
        lambda_[k] = sheet_.define(lambda_label(k), g_.add(mu[k], shift));
    }
}

std::optional<Error> FormWriter::auxiliary(WrittenForm form) {
    const bool transpose = form == WrittenForm::kWanichanon;
    const Weight weight = transpose ? Weight::kTranspose : Weight::kInverse;
    const Gauge gauge = write_gauge(weight);
    const Result<Grid> X = write_weighted_rows(gauge, weight);
    if (!X) {
        return X.error();
    }
    sheet_.begin("Mass matrix of the auxiliary system",
                 transpose ? "M_ATG = M + alpha^2 A^T G A > 0" : "M_A = M + alpha^2 A+ A > 0",
                 transpose ? "M_{A^{T}G} = M + \\alpha^{2} A^{T} G A > 0"
                           : "M_{A} = M + \\alpha^{2} A^{+} A > 0",
                 transpose ? "UW13 (3.19), Table 1 step 1" : "US10 (50)");
    const Label mass =
        transpose ? Label{"M_ATG", "M^{A^{T}G}", "M_ATG"} : Label{"M_A", "M^{A}", "M_A"};
    Grid M_A(n_, n_, g_.zero());
    for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = i; j < n_; ++j) {
            const Expr added = sheet_.dot(A_.column(i), X.value().column(j));
            M_A(i, j) = M_A(j, i) = sheet_.define(joined(mass, coordinate(i), coordinate(j)),
                                                  g_.add(M_(i, j), g_.mul(gauge.alpha2, added)));
        }
    }
    sheet_.begin("Given force of the auxiliary system",
                 transpose ? "Q_z = Q + A^T G z" : "Q_z = Q + A+ z",
                 transpose ? "Q^{z} = Q + A^{T} G z" : "Q^{z} = Q + A^{+} z",
                 transpose ? "UW13 (3.20), Table 1 step 1" : "US10 (51)");
    const Label force{"Q_z", "Q^{z}", "Q_z"};
    Exprs Q_z;
    for (std::size_t i = 0; i < n_; ++i) {
        Q_z.push_back(sheet_.define(joined(force, coordinate(i)),
                                    g_.add(Q_[i], sheet_.dot(X.value().column(i), gauge.z))));
    }
    const Label a0 =
        transpose ? Label{"a_ATG", "a^{A^{T}G}", "a_ATG"} : Label{"a_A", "a^{A}", "a_A"};
    const CoreNames names{"Unconstrained acceleration of the auxiliary system",
                          mass,
                          force,
                          a0,
                          {"mu", "\\mu", "mu"},
                          mass.text,
                          transpose ? "M_{A^{T}G}" : "M_{A}",
                          transpose ? "UW13 (3.21), Table 1 step 1" : "US10 (51)"};
    const Result<Core> result = core(M_A, Q_z, names);
    if (!result) {
        return result.error();
    }
    write_acceleration(
        result.value().a, with_C(fmt::format("a = {} + {}^-1 A^T mu", a0.text, names.mass), " + c"),
        with_C(fmt::format("\\ddot{{q}} = {} + {}^{{-1}} A^{{T}}\\mu", a0.latex, names.mass_latex),
               " + c"),
        transpose ? "UW13 (3.18), Table 1 step 3" : "US10 (49)");
    write_actual_multipliers(gauge, result.value().mu, weight);
    return std::nullopt;
}

}  // namespace ananke::typeset
