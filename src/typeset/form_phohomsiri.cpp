#include "typeset/form_writer.h"

namespace ananke::typeset {

/// UW13 (2.9). The stacked matrix S = [(I - A+A) M; A] has full column rank where the motion is
/// unique, so S+ = (S^T S)^-1 S^T; I - A+A is a projector: S^T S = M (I - A+A) M + A^T A.
std::optional<Error> FormWriter::phohomsiri() {
    Result<Factor> H = factor_AAt();
    if (!H) {
        return H.error();
    }
    sheet_.begin("Projector on the directions free of constraint",
                 "P = I - A+ A,  A+ = A^T (A A^T)^-1",
                 "P = I - A^{+}A,\\quad A^{+} = A^{T}(A A^{T})^{-1}", "UW13 (2.9)");
    Grid P(n_, n_, g_.zero());
    for (std::size_t j = 0; j < n_; ++j) {
        const Exprs column = write_A_plus(H.value(), j);
        for (std::size_t i = 0; i <= j; ++i) {
            const Expr AA = sheet_.dot(A_.column(i), column);
            P(i, j) = P(j, i) = sheet_.define(joined("P", coordinate(i), coordinate(j)),
                                              g_.sub(i == j ? g_.one() : g_.zero(), AA));
        }
    }
    sheet_.begin("Stacked matrix, upper part; A is the lower part", "S = [ P M ; A ]",
                 "S = \\begin{bmatrix} P M \\\\ A \\end{bmatrix}", "UW13 (2.9)");
    Grid S(n_, n_, g_.zero());
    for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = 0; j < n_; ++j) {
            S(i, j) = sheet_.define(joined("S", coordinate(i), coordinate(j)),
                                    sheet_.dot(P.row(i), M_.row(j)));
        }
    }
    sheet_.begin(
        "Normal equations", with_C("K a = k,  K = S^T S,  k = S^T [ Q", " + C") + " ; b ]",
        with_C("K\\ddot{q} = k,\\quad K = S^{T}S,\\quad k = S^{T}\\begin{bmatrix} Q", " + C") +
            " \\\\ b \\end{bmatrix}");
    Grid K(n_, n_, g_.zero());
    Exprs k(n_, g_.zero());
    for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = i; j < n_; ++j) {
            Exprs terms;
            for (std::size_t p = 0; p < n_; ++p) {
                terms.push_back(g_.mul(S(p, i), S(p, j)));
            }
            terms.push_back(sheet_.dot(A_.column(i), A_.column(j)));
            K(i, j) = K(j, i) =
                sheet_.define(joined("K", coordinate(i), coordinate(j)), sheet_.sum(terms));
        }
        Exprs terms;
        for (std::size_t p = 0; p < n_; ++p) {
            terms.push_back(g_.mul(S(p, i), add(Q_[p], C_[p])));
        }
        terms.push_back(sheet_.dot(A_.column(i), b_));
        k[i] = sheet_.define(joined("k", coordinate(i)), sheet_.sum(terms));
    }
    Result<Factor> factor = Factor::of(sheet_, K, "K", coordinates());
    if (!factor) {
        return factor.error();
    }
    const Exprs a = factor.value().solve(sheet_, k, "s", coordinates());
    write_acceleration(
        a, with_C("a = s = S+ [ Q", " + C") + " ; b ]",
        with_C("\\ddot{q} = s = S^{+}\\begin{bmatrix} Q", " + C") + " \\\\ b \\end{bmatrix}",
        "UW13 (2.9)");
    return write_multipliers_from_force(a_);
}

}  // namespace ananke::typeset
