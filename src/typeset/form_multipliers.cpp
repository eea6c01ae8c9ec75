#include "typeset/form_writer.h"

namespace ananke::typeset {

std::optional<Error> FormWriter::multipliers() {
    sheet_.begin("Equations with multipliers",
                 with_C("M a - A^T lambda = Q", " + C") + ",  A a = b",
                 with_C("M\\ddot{q} - A^{T}\\lambda = Q", " + C") + ",\\quad A\\ddot{q} = b");
    const std::size_t size = n_ + m_;
    Exprs unknowns;
    std::vector<Label> labels;
    for (std::size_t i = 0; i < n_; ++i) {
        unknowns.push_back(model_.coordinates[i].a);
        labels.push_back(acceleration(i));
    }
    for (std::size_t k = 0; k < m_; ++k) {
        unknowns.push_back(lambda_symbol(k));
        labels.push_back(lambda_label(k));
        sheet_.name(unknowns.back(), labels.back());
    }
    Grid K(size, size, g_.zero());
    Exprs r;
    for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = 0; j < n_; ++j) {
            K(i, j) = M_(i, j);
        }
        for (std::size_t k = 0; k < m_; ++k) {
            K(i, n_ + k) = g_.neg(A_(k, i));
            K(n_ + k, i) = A_(k, i);
        }
        r.push_back(add(Q_[i], C_[i]));
    }
    r.insert(r.end(), b_.begin(), b_.end());
    for (std::size_t i = 0; i < size; ++i) {
        Exprs terms;
        for (std::size_t j = 0; j < size; ++j) {
            terms.push_back(g_.mul(K(i, j), unknowns[j]));
        }
        sheet_.relate(sheet_.sum(terms), r[i]);
    }
    sheet_.begin("Elimination", "k, r: entries changed by step; f: factors of a row", "");
    Result<Exprs> x = solve_regular(sheet_, K, r, unknowns, labels);
    if (!x) {
        return x.error();
    }
    std::copy_n(x.value().begin(), n_, a_.begin());
    std::copy_n(x.value().begin() + static_cast<std::ptrdiff_t>(n_), m_, lambda_.begin());
    return std::nullopt;
}

}  // namespace ananke::typeset
