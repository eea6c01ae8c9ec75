#include "classify/semidefinite.h"

#include <algorithm>
#include <cmath>

namespace ananke::classify {

using Real = SymmetricMatrix::Real;

Real SymmetricMatrix::quadratic_form(const std::vector<Real>& w) const {
    Real sum = 0;
    for (std::size_t i = 0; i < size_; ++i) {
        for (std::size_t j = 0; j < size_; ++j) {
            sum += w[i] * w[j] * (*this)(i, j);
        }
    }
    return sum;
}

namespace {

// Of a matrix with unit diagonal, in long double: what is smaller is rounding.
constexpr Real kTolerance = 1e-12L;

std::vector<Real> normalized(std::vector<Real> w) {
    Real largest = 0;
    for (const Real component : w) {
        largest = std::abs(component) > std::abs(largest) ? component : largest;
    }
    for (Real& component : w) {
        component /= largest;
    }
    return w;
}

/// Two entries of a matrix with S_ii <= 0 (rounding): w_i, w_j with w^T S w < 0.
struct Pair {
    Real w_i, w_j;
};
Pair negative_pair(Real S_ij, Real S_jj) {
    // S_jj + 2 w_i S_ij = -|S_ij|
    return {-(S_jj + std::abs(S_ij)) / (2 * S_ij), 1};
}

/// Diagonals that are negative, or zero in a row that is not.
std::optional<std::vector<Real>> plain_direction(const SymmetricMatrix& S) {
    std::vector<Real> w(S.size(), 0);
    for (std::size_t i = 0; i < S.size(); ++i) {
        if (S(i, i) < 0) {
            w[i] = 1;
            return w;
        }
    }
    for (std::size_t i = 0; i < S.size(); ++i) {
        for (std::size_t j = 0; j < S.size(); ++j) {
            if (S(i, i) == 0 && S(i, j) != 0) {
                const Pair pair = negative_pair(S(i, j), S(j, j));
                w[i] = pair.w_i;
                w[j] = pair.w_j;
                return normalized(w);
            }
        }
    }
    return std::nullopt;
}

/// Elimination S = L D L^T with the largest diagonal first; stops at the first sign of S < 0.
class Elimination {
  public:
    explicit Elimination(SymmetricMatrix S) : S_(std::move(S)), remaining_(S_.size()) {
        for (std::size_t i = 0; i < remaining_.size(); ++i) {
            remaining_[i] = i;
        }
    }

    std::optional<std::vector<Real>> run() {
        while (!remaining_.empty()) {
            for (const std::size_t i : remaining_) {
                if (S_(i, i) < -kTolerance) {
                    std::vector<Real> w(S_.size(), 0);
                    w[i] = 1;
                    return lift(w);
                }
            }
            const auto pivot = std::ranges::max_element(
                remaining_, [&](std::size_t a, std::size_t b) { return S_(a, a) < S_(b, b); });
            if (S_(*pivot, *pivot) <= kTolerance) {
                return off_diagonal();
            }
            eliminate(*pivot);
        }
        return std::nullopt;
    }

  private:
    void eliminate(std::size_t p) {
        std::erase(remaining_, p);
        std::vector<Real> l(S_.size(), 0);
        for (const std::size_t i : remaining_) {
            l[i] = S_(i, p) / S_(p, p);
        }
        for (const std::size_t i : remaining_) {
            for (const std::size_t j : remaining_) {
                if (j <= i) {
                    S_.set(i, j, S_(i, j) - l[i] * l[j] * S_(p, p));
                }
            }
        }
        pivots_.push_back(p);
        columns_.push_back(std::move(l));
    }

    /// The rest has no diagonal: any coupling left makes it indefinite.
    std::optional<std::vector<Real>> off_diagonal() {
        constexpr Real kCoupling = 1e-9L;
        for (const std::size_t i : remaining_) {
            for (const std::size_t j : remaining_) {
                if (i != j && std::abs(S_(i, j)) > kCoupling) {
                    const Pair pair = negative_pair(S_(i, j), S_(j, j));
                    std::vector<Real> w(S_.size(), 0);
                    w[i] = pair.w_i;
                    w[j] = pair.w_j;
                    return lift(w);
                }
            }
        }
        return std::nullopt;
    }

    /// L^T w = given, for the eliminated entries of w.
    std::vector<Real> lift(std::vector<Real> w) const {
        for (std::size_t k = pivots_.size(); k-- > 0;) {
            Real sum = 0;
            for (std::size_t i = 0; i < w.size(); ++i) {
                sum += columns_[k][i] * w[i];
            }
            w[pivots_[k]] = -sum;
        }
        return w;
    }

    SymmetricMatrix S_;
    std::vector<std::size_t> remaining_, pivots_;
    std::vector<std::vector<Real>> columns_;
};

}  // namespace

std::optional<std::vector<Real>> negative_direction(const SymmetricMatrix& S) {
    if (auto direct = plain_direction(S)) {
        return direct;
    }
    // Unit diagonal, so that one tolerance serves masses of all sizes.
    std::vector<Real> scale(S.size());
    SymmetricMatrix equilibrated(S.size());
    for (std::size_t i = 0; i < S.size(); ++i) {
        scale[i] = S(i, i) > 0 ? 1 / std::sqrt(S(i, i)) : 1;
    }
    for (std::size_t i = 0; i < S.size(); ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            equilibrated.set(i, j, S(i, j) * scale[i] * scale[j]);
        }
    }
    std::optional<std::vector<Real>> w = Elimination(std::move(equilibrated)).run();
    if (!w) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < S.size(); ++i) {
        (*w)[i] *= scale[i];
    }
    return normalized(*w);
}

}  // namespace ananke::classify
