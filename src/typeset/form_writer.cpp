#include "typeset/form_writer.h"

#include <algorithm>

#include <fmt/format.h>

#include "sym/print.h"

namespace ananke::typeset {

using mech::Control;

FormWriter::FormWriter(Model& model, const Equations& equations, std::span<const int> rows,
                       sym::Values<double> at)
    : model_(model),
      equations_(equations),
      g_(model.graph),
      sheet_(model.graph, std::move(at)),
      n_(static_cast<std::size_t>(equations.n)),
      m_(rows.size()),
      rows_(rows.begin(), rows.end()),
      M_(n_, n_, g_.zero()),
      A_(m_, n_, g_.zero()),
      Q_(n_, g_.zero()),
      C_(n_, g_.zero()),
      b_(m_, g_.zero()),
      a_(n_, g_.zero()),
      lambda_(m_, g_.zero()) {
    for (std::size_t i = 0; i < n_; ++i) {
        sheet_.name(model.coordinates[i].a, acceleration(i));
    }
}

void FormWriter::write_mass_and_forces(const Rewriting& of) {
    sheet_.begin("Mass matrix", "M, symmetric", "M");
    for (const MassEntry& entry : equations_.M) {
        const std::size_t i = entry.row;
        const std::size_t j = entry.column;
        M_(i, j) = M_(j, i) =
            sheet_.define(joined("M", coordinate(i), coordinate(j)), entry.value, Inline::kShort);
    }
    sheet_.begin("Given force", "Q", "Q");
    for (std::size_t i = 0; i < n_; ++i) {
        Q_[i] = sheet_.define(joined("Q", coordinate(i)), of(equations_.Q[i]), Inline::kShort);
    }
    if (equations_.has_nonideal) {
        sheet_.begin("Non-ideal constraint force", "C", "C", "UK02 (5)");
        for (std::size_t i = 0; i < n_; ++i) {
            C_[i] = sheet_.define(joined("C", coordinate(i)), of(equations_.C[i]), Inline::kShort);
        }
    }
}

void FormWriter::write_given() {
    write_mass_and_forces([](Expr e) { return e; });
    if (equations_.rows.empty()) {
        given_ = sheet_.take_stages();
        return;
    }
    sheet_.begin("Constraints", "A a = b", "A\\,\\ddot{q} = b");
    for (std::size_t r = 0; r < equations_.rows.size(); ++r) {
        const auto kept = std::ranges::find(rows_, static_cast<int>(r));
        const std::size_t k = kept - rows_.begin();
        for (const Entry& entry : equations_.rows[r].A) {
            const std::size_t i = entry.column;
            const Expr value = sheet_.define(joined("A", row_label(r), coordinate(i)), entry.value,
                                             Inline::kShort);
            if (k < m_) {
                A_(k, i) = value;
            }
        }
        const Label label = joined("b", row_label(r));
        const Expr value = sheet_.define(label, equations_.rows[r].b, Inline::kShort);
        if (g_.is_zero(value)) {
            sheet_.define(sheet_.symbol(label), label, value);
        }
        if (k < m_) {
            b_[k] = value;
        }
    }
    if (!equations_.controls.empty()) {
        sheet_.begin("Actuators", "D, the force D u of the controls u",
                     "D,\\quad Q^{c} = A_p^{T}\\lambda + D\\,u");
    }
    for (const Control& control : equations_.controls) {
        for (const Entry& entry : control.D) {
            const Label name(control.name,
                             sym::latex_name({sym::SymbolKind::kParameter, control.name}),
                             control.name);
            sheet_.show(joined("D", coordinate(entry.column), name), entry.value);
        }
    }
    given_ = sheet_.take_stages();
}

void FormWriter::write_acceleration(const Exprs& a, std::string formula, std::string latex,
                                    std::string source) {
    sheet_.begin("Acceleration", std::move(formula), std::move(latex), std::move(source));
    for (std::size_t i = 0; i < n_; ++i) {
        a_[i] = sheet_.define(model_.coordinates[i].a, acceleration(i), a[i]);
    }
}

void FormWriter::write_force() {
    if (equations_.rows.empty()) {
        Qc_.assign(n_, g_.zero());
        return;
    }
    sheet_.begin("Force of constraint", with_C("Qc = A^T lambda", " + C"),
                 with_C("Q^{c} = A^{T}\\lambda", " + C"), "UW13 (2.5)");
    for (std::size_t i = 0; i < n_; ++i) {
        const Expr value = add(sheet_.dot(A_.column(i), lambda_), C_[i]);
        Qc_.push_back(sheet_.define(joined({"Qc", "Q^{c}", "Qc"}, coordinate(i)), value));
    }
}

Result<Factor> FormWriter::factor_AAt() {
    if (AAt_) {
        return *AAt_;
    }
    sheet_.begin("Products of the rows", "H = A A^T", "H = A A^{T}");
    Grid H(m_, m_, g_.zero());
    for (std::size_t k = 0; k < m_; ++k) {
        for (std::size_t l = k; l < m_; ++l) {
            H(k, l) = H(l, k) =
                sheet_.define(joined("H", row(k), row(l)), sheet_.dot(A_.row(k), A_.row(l)));
        }
    }
    Result<Factor> factor = Factor::of(sheet_, H, "H", row_labels());
    if (factor) {
        AAt_ = factor.value();
    }
    return factor;
}

Exprs FormWriter::write_A_plus(const Factor& AAt, std::size_t i) {
    return AAt.solve(sheet_, A_.column(i), {"A+", "A^{+}", "A_plus"},
                     [&](std::size_t k) { return paired(coordinate(i), row(k)); });
}

/// A^T lambda = M a - Q - C, so lambda = (A A^T)^-1 A (M a - Q - C).
std::optional<Error> FormWriter::write_multipliers_from_force(const Exprs& a) {
    if (m_ == 0) {
        return std::nullopt;
    }
    sheet_.begin("Force that the constraints must supply", with_C("F = M a - Q", " - C"),
                 with_C("F = M\\ddot{q} - Q", " - C"), "UW13 (2.5)");
    Exprs F;
    for (std::size_t i = 0; i < n_; ++i) {
        const Expr terms[] = {sheet_.dot(M_.row(i), a), g_.neg(Q_[i]), g_.neg(C_[i])};
        F.push_back(sheet_.define(joined("F", coordinate(i)), sheet_.sum(terms)));
    }
    Result<Factor> H = factor_AAt();
    if (!H) {
        return H.error();
    }
    sheet_.begin("Multipliers", "lambda = (A A^T)^-1 A F", "\\lambda = (A A^{T})^{-1} A F");
    Exprs AF;
    for (std::size_t k = 0; k < m_; ++k) {
        AF.push_back(sheet_.dot(A_.row(k), F));
    }
    lambda_ = H.value().solve(sheet_, AF, kLambda, row_labels());
    return std::nullopt;
}

std::optional<Error> FormWriter::write(WrittenForm form) {
    std::optional<Error> error;
    switch (form) {
        case WrittenForm::kFundamental:
            error = fundamental();
            break;
        case WrittenForm::kPhohomsiri:
            error = phohomsiri();
            break;
        case WrittenForm::kSchutte:
        case WrittenForm::kWanichanon:
            error = auxiliary(form);
            break;
        case WrittenForm::kMultipliers:
            error = multipliers();
            break;
    }
    if (!error) {
        write_force();
    }
    return error;
}

ClosedForm FormWriter::finish(WrittenForm form) {
    ClosedForm result;
    result.form = form;
    result.given = std::move(given_);
    result.stages = sheet_.take_stages();
    result.labels = sheet_.take_labels();
    result.a = std::move(a_);
    result.Qc = std::move(Qc_);
    result.lambda.assign(equations_.rows.size(), g_.zero());
    for (std::size_t k = 0; k < m_; ++k) {
        result.lambda[rows_[k]] = lambda_[k];
    }
    std::erase_if(result.stages, [](const Stage& stage) { return stage.lines.empty(); });
    return result;
}

}  // namespace ananke::typeset
