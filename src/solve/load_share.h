// How dependent rows share the force that they carry together, by dense matrices: of all lambda
// with the same A^T lambda the one of least |K lambda|, see solve/load_form.h.
//
//   lambda + N s,   |K lambda + K N s| least:   K N = Z R by reflections, s = -R^-1 (Z^T K lambda)
//
// Compliances first: dependences with K N = 0 there are left to the metric. The rows of K differ by
// orders of magnitude; the largest go first, and the column that has most left, so that each row is
// met to its own rounding.
//
// No memory is taken while neither the rows nor their rank change.
#pragma once

#include <span>
#include <vector>

#include "solve/analysis.h"
#include "solve/load_form.h"
#include "solve/row_factor.h"
#include "solve/system.h"

namespace ananke::solve {

class LoadShare {
  public:
    /// For the dependences of the rows in `factor`: row k there is scale(k) times A_rows[k].
    template <class Scale>
    void load(const System& at, std::span<const int> rows, const RowFactor& factor,
              const Scale& scale);
    void load(const System& at, const Analysis& analysis);

    /// lambda (m) becomes the share of the same force.
    void share(double* lambda);

  private:
    /// One aim after the other: compliances, then the metric. Each is met by the dependences that
    /// change it, and leaves the others to the next.
    struct Aim {
        int height = 0;         ///< rows of K
        int rank = 0;           ///< dependences that change it
        std::vector<double> T;  ///< K N by columns, then reflectors and R
        std::vector<double> beta, diag;
        std::vector<int> row;        ///< order of the rows
        std::vector<double> values;  ///< height
    };

    void begin(const System& at, int extra);
    double* dependence(int p) { return N_.data() + p * m_; }
    void find_form(const System& at, std::span<const int> rows);
    void gather(const System& at, const LoadOwner& owner);
    double largest_change(const Aim& aim, int first);
    void factor(Aim& aim, int first);
    void meet(Aim& aim, int first, double* lambda);
    void apply_form(const Aim& aim, const double* lambda, double* values) const;

    int m_ = 0;
    int extra_ = 0;                  ///< dependences
    std::vector<LoadOwner> single_;  // each row by itself, where no owners are given
    std::span<const LoadOwner> owners_;
    LoadForm form_;
    std::vector<double> coefficients_;
    std::vector<double> N_;            // extra×m: those that the first aim uses, then the others
    std::vector<double> K_;            // of one owner after the other
    std::vector<double> mass_, work_;  // n, 2 n
    std::vector<double> seen_;         // m
    Aim given_, metric_;
    std::vector<double> sorted_, step_;
};

template <class Scale>
void LoadShare::load(const System& at, std::span<const int> rows, const RowFactor& factor,
                     const Scale& scale) {
    const int rank = factor.rank();
    begin(at, factor.rows() - rank);
    coefficients_.resize(static_cast<std::size_t>(rank));
    for (int p = 0; p < extra_; ++p) {
        double* N = dependence(p);
        factor.combination(rank + p, coefficients_.data());
        for (int i = 0; i < rank; ++i) {
            const int k = factor.order(i);
            N[rows[static_cast<std::size_t>(k)]] =
                -coefficients_[static_cast<std::size_t>(i)] * scale(k);
        }
        const int k = factor.order(rank + p);
        N[rows[static_cast<std::size_t>(k)]] = scale(k);
    }
    find_form(at, rows);
}

}  // namespace ananke::solve
