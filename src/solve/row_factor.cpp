#include "solve/row_factor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "base/check.h"
#include "solve/kernels.h"

namespace ananke::solve {
namespace {

// Among rows of nearly equal remaining length the one stated first is kept: redundancy is then
// reported on the later statement.
constexpr double kTie = 1.0 - 1e-8;
// A pivot below this is as good as zero when gaps are compared.
constexpr double kZeroPivot = 1e-16;

// A reflector is applied by its nonzero entries if most are zero and it is of such a size.
constexpr int kSparse = 32;
constexpr int kLargestSparse = 1024;

/// Places of the nonzero entries of a reflector; none if it is not worth it.
struct Nonzero {
    std::array<int, kLargestSparse> place;
    int count = 0;

    bool find(int n, const double* v) {
        if (n <= kSparse || n > kLargestSparse) {
            return false;
        }
        count = 0;
        for (int i = 0; i < n; ++i) {
            place[static_cast<std::size_t>(count)] = i;
            count += v[i] != 0.0 ? 1 : 0;
        }
        return 2 * count < n;
    }

    /// w <- (I - beta v v^T) w; leaving out zeros changes no sum.
    void reflect(double beta, const double* v, double* w) const {
        double sum = 0.0;
        for (int i = 0; i < count; ++i) {
            sum += v[place[static_cast<std::size_t>(i)]] * w[place[static_cast<std::size_t>(i)]];
        }
        const double factor = beta * sum;
        for (int i = 0; i < count && factor != 0.0; ++i) {
            w[place[static_cast<std::size_t>(i)]] -= factor * v[place[static_cast<std::size_t>(i)]];
        }
    }
};

std::size_t size(int n) {
    return static_cast<std::size_t>(n);
}

}  // namespace

RowFactor::RowFactor(int n, int max_rows)
    : n_(n),
      rows_(size(n) * size(max_rows)),
      unit_(size(max_rows)),
      order_(size(max_rows)),
      tail_(size(max_rows)),
      diag_(size(max_rows)),
      beta_(size(max_rows)),
      pivot_(size(max_rows)) {}

void RowFactor::begin(int m) {
    ANANKE_DEBUG_CHECK(size(m) <= unit_.size());
    m_ = m;
}

void RowFactor::normalize() {
    with_size(n_, [this](auto n) {
        for (int k = 0; k < m_; ++k) {
            double* w = row(k);
            const double length = std::sqrt(dot(n, w, w));
            const double unit = length > 0.0 ? 1.0 / length : 0.0;
            each(n, [&](auto i) { w[i] *= unit; });
            unit_[k] = unit;
        }
    });
}

// One Householder step at place k on the row order_[k]; returns the pivot |R_kk|.
double RowFactor::reflect(int k) {
    double* v = row(order_[k]) + k;
    return with_size(n_ - k, [this, k, v](auto tail) {
        const double length = std::sqrt(dot(tail, v, v));
        diag_[k] = v[0] >= 0.0 ? -length : length;
        beta_[k] = length > 0.0 ? 1.0 / (length * (length + std::abs(v[0]))) : 0.0;
        v[0] -= diag_[k];
        if constexpr (std::is_same_v<decltype(tail), int>) {
            Nonzero nonzero;
            if (nonzero.find(tail, v)) {
                for (int j = k + 1; j < m_; ++j) {
                    nonzero.reflect(beta_[k], v, row(order_[j]) + k);
                }
                return length;
            }
        }
        for (int j = k + 1; j < m_; ++j) {
            solve::reflect(tail, beta_[k], v, row(order_[j]) + k);
        }
        return length;
    });
}

void RowFactor::factor(const RankPolicy& policy) {
    for (int k = 0; k < m_; ++k) {
        order_[k] = k;
    }
    const int most = std::min(m_, n_);
    int steps = 0;
    largest_dropped_ = 0.0;
    for (; steps < most; ++steps) {
        double longest = 0.0;
        for (int j = steps; j < m_; ++j) {
            const double* w = row(order_[j]) + steps;
            tail_[j] = dot(n_ - steps, w, w);
            longest = std::max(longest, tail_[j]);
        }
        if (!(longest > policy.drop * policy.drop)) {
            largest_dropped_ = std::sqrt(longest);
            break;
        }
        int pick = steps;
        while (tail_[pick] < kTie * longest) {
            ++pick;
        }
        // A rotation, not a swap, so that the rows behind stay in the order of statement.
        std::rotate(order_.begin() + steps, order_.begin() + pick, order_.begin() + pick + 1);
        pivot_[steps] = reflect(steps);
    }
    decide(policy, steps);
}

void RowFactor::decide(const RankPolicy& policy, int steps) {
    int sure = 0;
    while (sure < steps && pivot_[sure] > policy.keep) {
        ++sure;
    }
    rank_ = sure;
    warning_ = sure < steps;
    if (!warning_) {
        return;
    }
    double widest = 0.0;
    for (int r = sure; r <= steps; ++r) {
        const double above = r == 0 ? 1.0 : pivot_[r - 1];
        const double below = std::max(r < steps ? pivot_[r] : largest_dropped_, kZeroPivot);
        if (above / below > widest) {
            widest = above / below;
            rank_ = r;
        }
    }
    largest_dropped_ = rank_ < steps ? pivot_[rank_] : largest_dropped_;
}

double RowFactor::factor_again() {
    double worst = 1.0;
    for (int k = 0; k < rank_; ++k) {
        worst = std::min(worst, reflect(k) / pivot_[k]);
    }
    return worst;
}

double RowFactor::smallest_kept() const {
    return rank_ > 0 ? *std::min_element(pivot_.begin(), pivot_.begin() + rank_) : 1.0;
}

void RowFactor::apply_Zt(double* x) const {
    for (int k = 0; k < rank_; ++k) {
        const double* v = rows_.data() + order_[k] * n_ + k;
        with_size(n_ - k, [&](auto tail) { solve::reflect(tail, beta_[k], v, x + k); });
    }
}

void RowFactor::apply_Z(double* x) const {
    for (int k = rank_ - 1; k >= 0; --k) {
        const double* v = rows_.data() + order_[k] * n_ + k;
        with_size(n_ - k, [&](auto tail) { solve::reflect(tail, beta_[k], v, x + k); });
    }
}

void RowFactor::solve_kept(const double* beta, double* head) const {
    for (int k = 0; k < rank_; ++k) {
        const double* w = rows_.data() + order_[k] * n_;
        head[k] = (beta[order_[k]] - dot(k, w, head)) / diag_[k];
    }
}

double RowFactor::value_of_dropped(int k, const double* head) const {
    return dot(rank_, rows_.data() + order_[k] * n_, head);
}

void RowFactor::combination(int k, double* coefficients) const {
    const double* w = rows_.data() + order_[k] * n_;
    std::copy(w, w + rank_, coefficients);
    for (int i = rank_ - 1; i >= 0; --i) {
        const double* pivot_row = rows_.data() + order_[i] * n_;
        coefficients[i] /= diag_[i];
        for (int j = 0; j < i; ++j) {
            coefficients[j] -= pivot_row[j] * coefficients[i];
        }
    }
}

void RowFactor::remainder(int k, double* x) const {
    std::fill(x, x + n_, 0.0);
    x[k] = diag_[k];
    apply_Z(x);
}

void RowFactor::multipliers(const double* h, double* lambda) const {
    std::fill(lambda, lambda + m_, 0.0);
    for (int i = rank_ - 1; i >= 0; --i) {  // R11 x = h
        double sum = h[i];
        for (int j = i + 1; j < rank_; ++j) {
            sum -= rows_[static_cast<std::size_t>(order_[j] * n_ + i)] * lambda[order_[j]];
        }
        lambda[order_[i]] = sum / diag_[i];
    }
}

}  // namespace ananke::solve
