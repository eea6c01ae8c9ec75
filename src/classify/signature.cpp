#include "classify/signature.h"

#include <algorithm>
#include <cmath>

namespace ananke::classify {

using Real = SymmetricMatrix::Real;

namespace {

constexpr int kMostSweeps = 60;
constexpr Real kDiagonal = 1e-36L;  // squares off the diagonal against all squares
constexpr Real kZero = 1e-13L;      // against the largest eigenvalue, after balancing
constexpr Real kNotZero = 1e-7L;

/// One rotation in the plane of p and q that makes S(p, q) zero.
void rotate(SymmetricMatrix& S, std::vector<std::vector<Real>>& vectors, std::size_t p,
            std::size_t q) {
    const Real theta = (S(q, q) - S(p, p)) / (2 * S(p, q));
    const Real t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
    const Real c = 1 / std::sqrt(t * t + 1);
    const Real s = t * c;
    const Real S_pq = S(p, q);
    const Real S_pp = S(p, p) - t * S_pq;
    const Real S_qq = S(q, q) + t * S_pq;
    for (std::size_t k = 0; k < S.size(); ++k) {
        if (k != p && k != q) {
            const Real S_kp = S(k, p);
            const Real S_kq = S(k, q);
            S.set(k, p, c * S_kp - s * S_kq);
            S.set(k, q, s * S_kp + c * S_kq);
        }
        const Real v_p = vectors[p][k];
        const Real v_q = vectors[q][k];
        vectors[p][k] = c * v_p - s * v_q;
        vectors[q][k] = s * v_p + c * v_q;
    }
    S.set(p, p, S_pp);
    S.set(q, q, S_qq);
    S.set(p, q, 0);
}

SymmetricMatrix balanced(SymmetricMatrix S) {
    for (int pass = 0; pass < 3; ++pass) {
        std::vector<Real> d(S.size(), 1);
        for (std::size_t i = 0; i < S.size(); ++i) {
            Real largest = 0;
            for (std::size_t j = 0; j < S.size(); ++j) {
                largest = std::max(largest, std::abs(S(i, j)));
            }
            d[i] = largest > 0 ? 1 / std::sqrt(largest) : 1;
        }
        SymmetricMatrix next(S.size());
        for (std::size_t i = 0; i < S.size(); ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                next.set(i, j, d[i] * S(i, j) * d[j]);
            }
        }
        S = std::move(next);
    }
    return S;
}

}  // namespace

Eigenpairs eigenpairs(SymmetricMatrix S) {
    const std::size_t n = S.size();
    Eigenpairs result;
    result.vectors.assign(n, std::vector<Real>(n, 0));
    Real all = 0;
    for (std::size_t i = 0; i < n; ++i) {
        result.vectors[i][i] = 1;
        for (std::size_t j = 0; j < n; ++j) {
            all += S(i, j) * S(i, j);
        }
    }
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
        Real off = 0;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                off += S(i, j) * S(i, j);
            }
        }
        if (off <= kDiagonal * all) {
            break;
        }
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (S(j, i) != 0) {
                    rotate(S, result.vectors, j, i);
                }
            }
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        result.values.push_back(S(i, i));
    }
    return result;
}

std::optional<Signature> signature(const SymmetricMatrix& S) {
    const std::vector<Real> values = eigenpairs(balanced(S)).values;
    Real largest = 0;
    for (const Real value : values) {
        largest = std::max(largest, std::abs(value));
    }
    Signature found;
    for (const Real value : values) {
        if (std::abs(value) <= kZero * largest) {
            continue;
        }
        if (std::abs(value) < kNotZero * largest) {
            return std::nullopt;
        }
        ++(value > 0 ? found.positive : found.negative);
    }
    return found;
}

}  // namespace ananke::classify
