#include "solve/mass_factor.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "solve/kernels.h"

namespace ananke::solve {
namespace {

std::size_t size(int n) {
    return static_cast<std::size_t>(n);
}

}  // namespace

MassFactor::MassFactor(int n, int max_rows)
    : n_(n),
      d_(size(n), 1.0),
      rho_(size(max_rows), 1.0),
      row_scale_(size(max_rows)),
      work_(size(n) + size(max_rows)),
      L_(size(n) * size(n)),
      M_aux_(size(n) * size(n)),
      square_(size(n) * size(n)),
      A_aux_(size(max_rows) * size(n)) {}

bool MassFactor::factor(const System& at, std::span<const int> rows) {
    auxiliary_ = !positive_definite(n_, at.M.data(), kSingularMass, L_.data(), M_aux_.data());
    return !auxiliary_ || factor_auxiliary(at, rows);
}

bool MassFactor::factor_auxiliary(const System& at, std::span<const int> rows) {
    const int count = static_cast<int>(rows.size());
    equilibrate(n_, at.M.data(), at.A.data(), count, rows.data(), d_.data(), row_scale_.data(),
                work_.data(), at.groups);
    for (int k = 0; k < count; ++k) {
        const double* row = at.A.data() + rows[size(k)] * n_;
        double* scaled = A_aux_.data() + k * n_;
        for (int i = 0; i < n_; ++i) {
            scaled[i] = row[i] * d_[size(i)];
        }
        rho_[size(k)] = 1.0 / std::sqrt(dot(n_, scaled, scaled));
        for (int i = 0; i < n_; ++i) {
            scaled[i] *= rho_[size(k)];
        }
    }
    for (int i = 0; i < n_; ++i) {
        for (int j = 0; j <= i; ++j) {
            M_aux_[size(i * n_ + j)] = d_[size(i)] * at.M.data()[i * n_ + j] * d_[size(j)];
        }
    }
    for (int k = 0; k < count; ++k) {  //                                             UW13 (3.19)
        const double* row = A_aux_.data() + k * n_;
        for (int i = 0; i < n_; ++i) {
            double* sums = M_aux_.data() + i * n_;
            for (int j = 0; row[i] != 0.0 && j <= i; ++j) {
                sums[j] += row[i] * row[j];
            }
        }
    }
    return positive_definite(n_, M_aux_.data(), kNotDetermined, L_.data(), square_.data());
}

void MassFactor::load_row(const System& at, std::span<const int> rows, int k, double* row) const {
    const double* from = auxiliary_ ? A_aux_.data() + k * n_ : at.A.data() + rows[size(k)] * n_;
    std::copy(from, from + n_, row);
}

void MassFactor::load_force(const System& at, std::span<const int> rows, double* force) const {
    if (!auxiliary_) {
        std::copy(at.Q.data(), at.Q.data() + n_, force);
        return;
    }
    for (int i = 0; i < n_; ++i) {
        force[i] = d_[size(i)] * at.Q[i];
        for (std::size_t k = 0; k < rows.size(); ++k) {
            force[i] += A_aux_[k * size(n_) + size(i)] * (rho_[k] * at.b[rows[k]]);  // UW13 (3.20)
        }
    }
}

}  // namespace ananke::solve
