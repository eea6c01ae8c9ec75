#include "solve/least_change.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "solve/acceleration.h"
#include "solve/independent_rows.h"
#include "solve/kernels.h"
#include "solve/symmetric_factor.h"

namespace ananke::solve {
namespace {

std::size_t index(int i) {
    return static_cast<std::size_t>(i);
}

// Weight of the plain norm against the masses where M is singular: enough to break ties, too little
// to bend the metric where there is mass.
constexpr double kTieWeight = 1e-9;

class DenseLeastChange final : public LeastChange {
  public:
    explicit DenseLeastChange(ConstraintSurface& surface)
        : surface_(surface),
          most_rows_(std::max(surface.rows(Level::kPositions), surface.rows(Level::kVelocities))) {
        free_places(std::vector<bool>(index(surface.coordinates()), false));
    }

    bool load(const Linearised& at) override;
    void step(std::span<const double> f, std::span<double> dx) override;
    double fill() const override { return static_cast<double>(M_.size() + J_.size()); }

  private:
    void free_places(const std::vector<bool>& exact);
    bool fill_matrices(const Linearised& at);

    ConstraintSurface& surface_;
    int most_rows_;
    std::vector<bool> exact_;
    std::vector<int> place_;  // n  among the values that are not exact, -1
    int n_ = 0;               // values that are not exact
    std::vector<CoordinateGroup> groups_;
    std::optional<RowFactor> factor_;
    std::vector<int> active_;
    std::vector<double> M_, J_, d_, row_scale_, rho_, L_, metric_, square_, work_, beta_, x_;
    int active_count_ = 0;
};

void DenseLeastChange::free_places(const std::vector<bool>& exact) {
    exact_ = exact;
    place_.assign(exact.size(), -1);
    n_ = 0;
    for (std::size_t j = 0; j < exact.size(); ++j) {
        if (!exact[j]) {
            place_[j] = n_++;
        }
    }
    groups_.clear();
    for (const CoordinateGroup& group : surface_.groups()) {
        const auto first = exact.begin() + group.first;
        if (std::find(first, first + group.count, true) == first + group.count) {
            groups_.push_back({place_[index(group.first)], group.count});
        }
    }
    factor_.emplace(n_, most_rows_);
    for (std::vector<double>* matrix : {&M_, &L_, &metric_, &square_}) {
        matrix->assign(index(n_) * index(n_), 0.0);
    }
    J_.assign(index(most_rows_) * index(n_), 0.0);
    d_.assign(index(n_), 1.0);
    x_.assign(index(n_), 0.0);
    work_.assign(index(n_) + index(most_rows_), 0.0);
    active_.assign(index(most_rows_), 0);
    for (std::vector<double>* per_row : {&row_scale_, &rho_, &beta_}) {
        per_row->assign(index(most_rows_), 0.0);
    }
}

bool DenseLeastChange::fill_matrices(const Linearised& at) {
    const auto n = index(n_);
    std::fill(M_.begin(), M_.end(), 0.0);
    const std::span<const SparsePlace> masses = surface_.mass_places();
    for (std::size_t i = 0; i < masses.size(); ++i) {
        const int r = place_[index(masses[i].row)];
        const int c = place_[index(masses[i].column)];
        if (r >= 0 && c >= 0) {
            M_[index(r) * n + index(c)] = at.mass[i];
            M_[index(c) * n + index(r)] = at.mass[i];
        }
    }
    std::fill(J_.begin(), J_.end(), 0.0);
    const std::span<const SparsePlace> places = at.level.places();
    for (std::size_t i = 0; i < places.size(); ++i) {
        const int c = place_[index(places[i].column)];
        if (places[i].row < at.level.rows() && c >= 0) {
            J_[index(places[i].row) * n + index(c)] = at.level.entries()[i];
        }
    }
    return all_finite(n_ * n_, M_.data()) && all_finite(at.level.rows() * n_, J_.data());
}

bool DenseLeastChange::load(const Linearised& at) {
    if (at.exact != exact_) {
        free_places(at.exact);
    }
    if (!fill_matrices(at)) {
        return false;
    }
    const double* const M = M_.data();
    const double* const J = J_.data();
    active_count_ = 0;
    for (int k = 0; k < at.level.rows(); ++k) {
        if (dot(n_, J + k * n_, J + k * n_) > 0.0) {
            active_[active_count_++] = k;
        }
    }
    const bool regular = positive_definite(n_, M, kSingularMass, L_.data(), square_.data());
    std::fill(d_.begin(), d_.end(), 1.0);
    if (!regular) {
        equilibrate(n_, M, J, active_count_, active_.data(), d_.data(), row_scale_.data(),
                    work_.data(), groups_);
    }
    factor_->begin(active_count_);
    for (int k = 0; k < active_count_; ++k) {
        const double* row = J + active_[k] * n_;
        double* w = factor_->row(k);
        for (int i = 0; i < n_; ++i) {
            w[i] = row[i] * d_[i];
        }
        rho_[k] = regular ? 1.0 : 1.0 / std::sqrt(dot(n_, w, w));
        for (int i = 0; i < n_; ++i) {
            w[i] *= rho_[k];
        }
    }
    if (!regular) {
        // On J dx = -f the term |J dx|^2 is constant, so it does not bend the metric.
        for (int i = 0; i < n_; ++i) {
            for (int j = 0; j <= i; ++j) {
                double sum = d_[i] * M[i * n_ + j] * d_[j] + (i == j ? kTieWeight : 0.0);
                for (int k = 0; k < active_count_; ++k) {
                    sum += factor_->row(k)[i] * factor_->row(k)[j];
                }
                metric_[i * n_ + j] = sum;
            }
        }
        if (!(cholesky(n_, metric_.data(), L_.data()) > 0.0)) {
            return false;
        }
    }
    solve_lower(n_, L_.data(), factor_->row(0), active_count_);
    factor_->normalize();
    factor_->factor(at.rank);
    return true;
}

void DenseLeastChange::step(std::span<const double> f, std::span<double> dx) {
    for (int k = 0; k < active_count_; ++k) {
        beta_[k] = -f[index(active_[k])] * rho_[k] * factor_->unit(k);
    }
    std::fill(x_.begin(), x_.end(), 0.0);
    factor_->solve_kept(beta_.data(), x_.data());
    factor_->apply_Z(x_.data());
    solve_lower_transposed(n_, L_.data(), x_.data());
    for (std::size_t j = 0; j < dx.size(); ++j) {
        const int i = place_[j];
        dx[j] = i >= 0 ? d_[i] * x_[i] : 0.0;
    }
}

/// Rows are surely independent where the others leave more than this part of each: at states near
/// by, too.
constexpr double kSurelyIndependent = 1e-2;
/// Weight of the plain norm, where M alone does not measure every direction.
constexpr double kPlainWeight = 1e-10;
/// Masses below this part of the largest are none.
constexpr double kNoMass = 1e-12;

class SparseLeastChange final : public LeastChange {
  public:
    explicit SparseLeastChange(ConstraintSurface& surface)
        : surface_(surface), n_(index(surface.coordinates())), blocks_(surface.blocks()) {}

    bool load(const Linearised& at) override;
    void step(std::span<const double> f, std::span<double> dx) override;
    double fill() const override {
        return system_ ? static_cast<double>(system_->factor.fill()) : 0.0;
    }

  private:
    /// [M A^T; A 0] over the values that are not exact and the rows that count.
    struct System {
        Level level;
        std::vector<bool> exact;
        std::vector<int> kept;   ///< rows
        std::vector<int> place;  ///< n  among the unknowns, -1
        int free = 0;
        std::vector<std::size_t> entries;  ///< of the level, that belong to it
        std::vector<double> values;
        SymmetricFactor factor;
    };

    RowChoice choose_rows(const Linearised& at) const;
    std::vector<double> unit_lengths(std::span<const double> mass) const;
    void arrange(const Linearised& at, const std::vector<int>& kept);
    void fill_values(const Linearised& at);

    ConstraintSurface& surface_;
    std::size_t n_;
    std::vector<int> blocks_;
    std::vector<double> right_;
    std::optional<System> system_;
    bool surely_independent_ = false;  ///< all rows, where they were chosen
};

/// Of each coordinate, for the choice of rows: M_jj^-1/2.
std::vector<double> SparseLeastChange::unit_lengths(std::span<const double> mass) const {
    std::vector<double> diagonal(n_, 0.0);
    const std::span<const SparsePlace> places = surface_.mass_places();
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i].row == places[i].column) {
            diagonal[index(places[i].row)] = mass[i];
        }
    }
    for (const CoordinateGroup& group : surface_.groups()) {
        double* const first = diagonal.data() + group.first;
        double sum = 0.0;
        for (int k = 0; k < group.count; ++k) {
            sum += first[k];
        }
        std::fill_n(first, group.count, sum / group.count);
    }
    const double most = *std::max_element(diagonal.begin(), diagonal.end());
    for (double& one : diagonal) {
        one = 1.0 / std::sqrt(one > kNoMass * most ? one : most > 0.0 ? most : 1.0);
    }
    return diagonal;
}

RowChoice SparseLeastChange::choose_rows(const Linearised& at) const {
    const std::span<const SparsePlace> places = at.level.places();
    SparseSystem rows{static_cast<int>(n_),  at.level.rows(), {}, {},
                      unit_lengths(at.mass), blocks_};
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (!at.exact[index(places[i].column)] && places[i].row < rows.m &&
            at.level.entries()[i] != 0.0) {
            rows.rows.push_back({places[i].row, places[i].column, at.level.entries()[i]});
        }
    }
    return independent_rows(rows, std::max(at.rank.drop, kDependentPart));
}

/// Which entries the system has.
void SparseLeastChange::arrange(const Linearised& at, const std::vector<int>& kept) {
    if (system_ && system_->level == at.level.level() && system_->exact == at.exact &&
        system_->kept == kept) {
        return;
    }
    std::vector<int> place(n_, -1);
    std::vector<SymmetricPlace> K;
    int free = 0;
    for (std::size_t j = 0; j < n_; ++j) {
        if (!at.exact[j]) {
            K.push_back({free, free});
            place[j] = free++;
        }
    }
    for (const auto& [r, c] : surface_.mass_places()) {
        if (place[index(r)] >= 0 && place[index(c)] >= 0) {
            K.push_back({place[index(r)], place[index(c)]});
        }
    }
    std::vector<int> row_place(index(at.level.rows()), -1);
    for (std::size_t k = 0; k < kept.size(); ++k) {
        row_place[index(kept[k])] = free + static_cast<int>(k);
    }
    std::vector<std::size_t> entries;
    const std::span<const SparsePlace> places = at.level.places();
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto [r, c] = places[i];
        if (r < at.level.rows() && row_place[index(r)] >= 0 && place[index(c)] >= 0) {
            entries.push_back(i);
            K.push_back({place[index(c)], row_place[index(r)]});
        }
    }
    const int unknowns = free + static_cast<int>(kept.size());
    system_.emplace(System{at.level.level(), at.exact, kept, std::move(place), free,
                           std::move(entries), std::vector<double>(K.size()),
                           SymmetricFactor(unknowns, K)});
}

/// M and a little of the plain norm, in the sizes of the values, then A.
void SparseLeastChange::fill_values(const Linearised& at) {
    const std::vector<int>& place = system_->place;
    const auto unit = [&](std::size_t j) { return at.sizes.empty() ? 1.0 : divisor(at.sizes[j]); };
    const std::span<const SparsePlace> places = surface_.mass_places();
    double typical = 0.0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i].row == places[i].column) {
            const double size = unit(index(places[i].row));
            typical = std::max(typical, at.mass[i] * size * size);
        }
    }
    const double weight = typical > 0.0 ? kPlainWeight * typical : 1.0;
    double* next = system_->values.data();
    for (std::size_t j = 0; j < n_; ++j) {
        if (place[j] >= 0) {
            *next++ = weight / (unit(j) * unit(j));
        }
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (place[index(places[i].row)] >= 0 && place[index(places[i].column)] >= 0) {
            *next++ = at.mass[i];
        }
    }
    for (const std::size_t i : system_->entries) {
        *next++ = at.level.entries()[i];
    }
}

bool SparseLeastChange::load(const Linearised& at) {
    if (!(surely_independent_ && at.is_near_last)) {
        const RowChoice choice = choose_rows(at);
        surely_independent_ = choice.dropped.empty() && choice.weakest > kSurelyIndependent;
        arrange(at, choice.kept);
    }
    fill_values(at);
    const bool regular = system_->factor.factor(system_->values);
    surely_independent_ = surely_independent_ && regular;
    return regular;
}

void SparseLeastChange::step(std::span<const double> f, std::span<double> dx) {
    right_.assign(index(system_->free) + system_->kept.size(), 0.0);
    for (std::size_t k = 0; k < system_->kept.size(); ++k) {
        right_[index(system_->free) + k] = -f[index(system_->kept[k])];
    }
    system_->factor.solve(right_);
    for (std::size_t j = 0; j < n_; ++j) {
        dx[j] = system_->place[j] >= 0 ? right_[index(system_->place[j])] : 0.0;
    }
}

}  // namespace

std::unique_ptr<LeastChange> make_least_change(ConstraintSurface& surface) {
    if (surface.factors() == Factors::kSparse) {
        return std::make_unique<SparseLeastChange>(surface);
    }
    return std::make_unique<DenseLeastChange>(surface);
}

}  // namespace ananke::solve
