#include "solve/load_share.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "solve/kernels.h"

namespace ananke::solve {
namespace {

/// A dependence that changes an aim by less than this part of what it could does so by rounding:
/// some 1e-16 times the condition of the rows.
constexpr double kNoChange = 1e-10;

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
    given_.height = metric_.height = 0;
    for (const LoadOwner& owner : owners_) {
        entries += size(LoadForm::height(owner)) * owner.rows.size();
        given_.height += owner.compliances;
        metric_.height += LoadForm::height(owner) - owner.compliances;
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
    factor(given_, 0);
    factor(metric_, given_.rank);
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

void LoadShare::apply_form(const Aim& aim, const double* lambda, double* values) const {
    const double* K = K_.data();
    for (const LoadOwner& owner : owners_) {
        for (int i = 0; i < LoadForm::height(owner); ++i) {
            if ((i < owner.compliances) != (&aim == &given_)) {
                K += owner.rows.size();
                continue;
            }
            double sum = 0.0;
            for (const int row : owner.rows) {
                sum += *K++ * lambda[row];
            }
            *values++ = sum;
        }
    }
}

/// What the dependences could change of an aim at most: the largest of its columns and of theirs,
/// both by rows of unit length.
double LoadShare::largest_change(const Aim& aim, int first) {
    double column = 0.0;
    double part = 0.0;
    const double* K = K_.data();
    for (const LoadOwner& owner : owners_) {
        const int height = LoadForm::height(owner);
        const int rows = static_cast<int>(owner.rows.size());
        for (int k = 0; k < rows; ++k) {
            const double alone = K[(height - rows + k) * rows + k];
            for (int i = 0; i < height && alone > 0.0; ++i) {
                const bool counts = (i < owner.compliances) == (&aim == &given_);
                column = std::max(column, counts ? std::abs(K[i * rows + k]) / alone : 0.0);
            }
            for (int p = first; p < extra_; ++p) {
                part = std::max(part, std::abs(dependence(p)[owner.rows[size(k)]]) * alone);
            }
        }
        K += height * rows;
    }
    return column * part;
}

/// For the dependences from `first` on. Those behind first + rank do not change this aim.
void LoadShare::factor(Aim& aim, int first) {
    const int height = aim.height;
    const int count = extra_ - first;
    aim.rank = 0;
    aim.T.resize(size(count) * size(height));
    aim.values.resize(size(height));
    aim.row.resize(size(height));
    aim.beta.resize(size(count));
    aim.diag.resize(size(count));
    sorted_.assign(size(height), 0.0);
    step_.resize(size(extra_));
    const auto column = [&](int p) { return aim.T.data() + p * height; };
    for (int p = 0; p < count; ++p) {
        apply_form(aim, dependence(first + p), column(p));
        for (int i = 0; i < height; ++i) {
            sorted_[size(i)] = std::max(sorted_[size(i)], std::abs(column(p)[i]));
        }
    }
    std::iota(aim.row.begin(), aim.row.end(), 0);
    std::sort(aim.row.begin(), aim.row.end(), [this](int i, int j) {
        return sorted_[size(i)] > sorted_[size(j)] ||
               (sorted_[size(i)] == sorted_[size(j)] && i < j);
    });
    for (int p = 0; p < count; ++p) {
        for (int i = 0; i < height; ++i) {
            aim.values[size(i)] = column(p)[aim.row[size(i)]];
        }
        std::copy(aim.values.begin(), aim.values.end(), column(p));
    }
    const double change = largest_change(aim, first);
    for (int k = 0; k < std::min(count, height); ++k) {
        const int tail = height - k;
        int most = k;
        double length2 = -1.0;
        for (int p = k; p < count; ++p) {
            const double other = dot(tail, column(p) + k, column(p) + k);
            if (other > length2) {
                most = p;
                length2 = other;
            }
        }
        const double length = std::sqrt(length2);
        if (!(length > kNoChange * change)) {
            break;
        }
        std::swap_ranges(column(k), column(k) + height, column(most));
        std::swap_ranges(dependence(first + k), dependence(first + k) + m_,
                         dependence(first + most));
        double* v = column(k) + k;
        aim.diag[size(k)] = v[0] > 0.0 ? -length : length;
        v[0] -= aim.diag[size(k)];
        aim.beta[size(k)] = 1.0 / (length * std::abs(v[0]));
        for (int p = k + 1; p < count; ++p) {
            reflect(tail, aim.beta[size(k)], v, column(p) + k);
        }
        aim.rank = k + 1;
    }
    // N_p <- N_p - sum_k N_k (R11^-1 R12)_kp: what the other dependences change is taken back.
    for (int p = aim.rank; p < count; ++p) {
        for (int k = aim.rank - 1; k >= 0; --k) {
            double rest = column(p)[k];
            for (int j = k + 1; j < aim.rank; ++j) {
                rest -= column(j)[k] * step_[size(j)];
            }
            step_[size(k)] = rest / aim.diag[size(k)];
        }
        double* N = dependence(first + p);
        for (int k = 0; k < aim.rank; ++k) {
            const double* other = dependence(first + k);
            for (int row = 0; row < m_; ++row) {
                N[row] -= step_[size(k)] * other[row];
            }
        }
    }
}

void LoadShare::meet(Aim& aim, int first, double* lambda) {
    if (aim.rank == 0) {
        return;
    }
    const int height = aim.height;
    const auto column = [&](int p) { return aim.T.data() + p * height; };
    apply_form(aim, lambda, aim.values.data());
    sorted_.resize(size(height));
    for (int i = 0; i < height; ++i) {
        sorted_[size(i)] = aim.values[size(aim.row[size(i)])];
    }
    for (int k = 0; k < aim.rank; ++k) {
        reflect(height - k, aim.beta[size(k)], column(k) + k, sorted_.data() + k);
    }
    for (int k = aim.rank - 1; k >= 0; --k) {
        double rest = sorted_[size(k)];
        for (int p = k + 1; p < aim.rank; ++p) {
            rest -= column(p)[k] * step_[size(p)];
        }
        step_[size(k)] = rest / aim.diag[size(k)];
        const double* N = dependence(first + k);
        for (int row = 0; row < m_; ++row) {
            lambda[row] -= step_[size(k)] * N[row];
        }
    }
}

void LoadShare::share(double* lambda) {
    if (extra_ > 0) {
        meet(given_, 0, lambda);
        meet(metric_, given_.rank, lambda);
    }
}

}  // namespace ananke::solve
