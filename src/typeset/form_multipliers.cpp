#include "base/ranges.h"
#include "typeset/form_writer.h"

namespace ananke::typeset {

Result<Exprs> FormWriter::eliminate(const Grid& K, const Exprs& r, const Unknowns& unknowns) {
    sheet_.begin("Elimination", "k, r: entries changed by step; f: factors of a row");
    return solve_regular(sheet_, K, r, unknowns);
}

std::optional<Error> FormWriter::multipliers() {
    sheet_.begin("Equations with multipliers",
                 with_C("M a - A^T lambda = Q", " + C") + ",  A a = b",
                 with_C("M\\ddot{q} - A^{T}\\lambda = Q", " + C") + ",\\quad A\\ddot{q} = b");
    Unknowns unknowns;
    for (std::size_t i = 0; i < n_; ++i) {
        unknowns.add(model_.coordinates[i].a, acceleration(i));
    }
    for (std::size_t k = 0; k < m_; ++k) {
        unknowns.add(lambda_symbol(k), lambda_label(k));
        sheet_.name(lambda_symbol(k), lambda_label(k));
    }
    const Grid K = with_multipliers(g_, M_, A_);
    Exprs r;
    for (std::size_t i = 0; i < n_; ++i) {
        r.push_back(add(Q_[i], C_[i]));
    }
    append(r, b_);
    for (std::size_t i = 0; i < K.rows(); ++i) {
        sheet_.relate(sheet_.dot(K.row(i), unknowns.symbols), r[i]);
    }
    const Result<Exprs> x = eliminate(K, r, unknowns);
    if (!x) {
        return x.error();
    }
    std::copy_n(x.value().begin(), n_, a_.begin());
    std::copy_n(x.value().begin() + static_cast<std::ptrdiff_t>(n_), m_, lambda_.begin());
    return std::nullopt;
}

}  // namespace ananke::typeset
