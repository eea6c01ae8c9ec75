#include "solve/load_share.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "solve/kernels.h"

namespace ananke::solve {
namespace {

std::size_t size(int n) {
    return static_cast<std::size_t>(n);
}

std::vector<LoadOwner> each_by_itself(int n, int m) {
    std::vector<LoadOwner> owners(size(m));
    for (int k = 0; k < m; ++k) {
        owners[size(k)].rows = {k};
        owners[size(k)].coordinates.resize(size(n));
        std::iota(owners[size(k)].coordinates.begin(), owners[size(k)].coordinates.end(), 0);
    }
    return owners;
}

}  // namespace

void LoadShare::load(const System& at, const Analysis& analysis) {
    std::vector<int> rows;
    for (int k = 0; k < at.m(); ++k) {
        if (analysis.row_scale[k] > 0.0) {
            rows.push_back(k);
        }
    }
    begin(at, static_cast<int>(analysis.dropped.size()));
    for (int p = 0; p < extra_; ++p) {
        const DroppedRow& dropped = analysis.dropped[size(p)];
        for (std::size_t i = 0; i < dropped.kept.size(); ++i) {
            dependence(p)[dropped.kept[i]] = -dropped.coefficients[i];
        }
        dependence(p)[dropped.row] = 1.0;
    }
    find_form(at, rows);
}

void LoadShare::begin(const System& at, int extra) {
    m_ = at.m();
    extra_ = extra;
    owners_ = at.owners;
    if (owners_.empty() && extra > 0) {
        if (static_cast<int>(single_.size()) != m_) {
            single_ = each_by_itself(at.n(), m_);
        }
        owners_ = single_;
    }
    N_.assign(size(extra) * size(m_), 0.0);
}

void LoadShare::find_form(const System& at, std::span<const int> rows) {
    if (extra_ == 0) {
        return;
    }
    const int n = at.n();
    mass_.resize(size(n));
    for (int i = 0; i < n; ++i) {
        mass_[size(i)] = at.M(i, i);
    }
    mean_masses(mass_, at.groups);
    work_.resize(2 * size(n));
    seen_.resize(size(m_));
    load_units(n, mass_.data(), work_.data(), m_, seen_.data(), [&](auto&& use) {
        for (const int row : rows) {
            const double* entries = at.A.data() + row * n;
            for (int i = 0; i < n; ++i) {
                use(row, i, entries[i]);
            }
        }
    });
    std::size_t entries = 0;
    height_ = 0;
    for (const LoadOwner& owner : owners_) {
        entries += size(LoadForm::height(owner)) * owner.rows.size();
        height_ += LoadForm::height(owner);
    }
    K_.resize(entries);
    double* K = K_.data();
    const double* C = at.compliances.data();
    for (const LoadOwner& owner : owners_) {
        gather(at, owner);
        std::copy_n(C, form_.C.size(), form_.C.begin());
        C += form_.C.size();
        form_.find(owner, K);
        K += size(LoadForm::height(owner)) * owner.rows.size();
    }
    LoadForm::weigh_compliances(owners_, K_.data());
    factor();
}

void LoadShare::gather(const System& at, const LoadOwner& owner) {
    form_.begin(owner);
    const int n = at.n();
    const int p = static_cast<int>(owner.coordinates.size());
    for (int i = 0; i < p; ++i) {
        const int column = owner.coordinates[size(i)];
        form_.unit[size(i)] = mass_[size(column)];
        for (int j = 0; j <= i; ++j) {
            form_.M[size(i * p + j)] = at.M.data()[column * n + owner.coordinates[size(j)]];
        }
        for (std::size_t k = 0; k < owner.rows.size(); ++k) {
            form_.A[k * size(p) + size(i)] = at.A.data()[owner.rows[k] * n + column];
        }
    }
    for (std::size_t g = 0; g < owner.quaternions.size(); ++g) {
        const LoadOwner::Quaternion& one = owner.quaternions[g];
        std::copy_n(at.A.data() + one.norm_row * n + owner.coordinates[size(one.first)], 4,
                    form_.norms.data() + 4 * g);
    }
}

void LoadShare::apply_form(const double* lambda, double* values) const {
    const double* K = K_.data();
    for (const LoadOwner& owner : owners_) {
        for (int i = 0; i < LoadForm::height(owner); ++i) {
            double sum = 0.0;
            for (const int row : owner.rows) {
                sum += *K++ * lambda[row];
            }
            *values++ = sum;
        }
    }
}

void LoadShare::factor() {
    T_.resize(size(extra_) * size(height_));
    values_.resize(size(height_));
    sorted_.resize(size(height_));
    row_.resize(size(height_));
    column_.resize(size(extra_));
    beta_.resize(size(extra_));
    diag_.resize(size(extra_));
    step_.resize(size(extra_));
    for (int p = 0; p < extra_; ++p) {
        apply_form(dependence(p), T_.data() + p * height_);
        for (int i = 0; i < height_; ++i) {
            sorted_[size(i)] =
                std::max(p > 0 ? sorted_[size(i)] : 0.0, std::abs(T_[size(p * height_ + i)]));
        }
    }
    std::iota(row_.begin(), row_.end(), 0);
    std::sort(row_.begin(), row_.end(), [this](int i, int j) {
        return sorted_[size(i)] > sorted_[size(j)] ||
               (sorted_[size(i)] == sorted_[size(j)] && i < j);
    });
    for (int p = 0; p < extra_; ++p) {
        double* column = T_.data() + p * height_;
        for (int i = 0; i < height_; ++i) {
            values_[size(i)] = column[row_[size(i)]];
        }
        std::copy(values_.begin(), values_.end(), column);
    }
    std::iota(column_.begin(), column_.end(), 0);
    for (int k = 0; k < extra_; ++k) {
        const int tail = height_ - k;
        const auto left = [&](int p) {
            const double* column = T_.data() + column_[size(p)] * height_ + k;
            return dot(tail, column, column);
        };
        int most = k;
        double length2 = left(k);
        for (int p = k + 1; p < extra_; ++p) {
            if (const double other = left(p); other > length2) {
                most = p;
                length2 = other;
            }
        }
        std::swap(column_[size(k)], column_[size(most)]);
        double* v = T_.data() + column_[size(k)] * height_ + k;
        const double length = std::sqrt(length2);
        diag_[size(k)] = v[0] > 0.0 ? -length : length;
        v[0] -= diag_[size(k)];
        beta_[size(k)] = length > 0.0 ? 1.0 / (length * std::abs(v[0])) : 0.0;
        for (int p = k + 1; p < extra_; ++p) {
            reflect(tail, beta_[size(k)], v, T_.data() + column_[size(p)] * height_ + k);
        }
    }
}

void LoadShare::share(double* lambda) {
    if (extra_ == 0) {
        return;
    }
    apply_form(lambda, values_.data());
    for (int i = 0; i < height_; ++i) {
        sorted_[size(i)] = values_[size(row_[size(i)])];
    }
    for (int k = 0; k < extra_; ++k) {
        reflect(height_ - k, beta_[size(k)], T_.data() + column_[size(k)] * height_ + k,
                sorted_.data() + k);
    }
    for (int k = extra_ - 1; k >= 0; --k) {
        double rest = sorted_[size(k)];
        for (int p = k + 1; p < extra_; ++p) {
            rest -= T_[size(column_[size(p)] * height_ + k)] * step_[size(p)];
        }
        step_[size(k)] = diag_[size(k)] != 0.0 ? rest / diag_[size(k)] : 0.0;
        const double* N = dependence(column_[size(k)]);
        for (int row = 0; row < m_; ++row) {
            lambda[row] -= step_[size(k)] * N[row];
        }
    }
}

}  // namespace ananke::solve
