#include "dynamics/sparse_kkt.h"

#include <algorithm>
#include <cmath>

#include "compile/load_owners.h"
#include "dynamics/recording.h"
#include "solve/least_norm.h"

namespace ananke::dynamics {
namespace {

using solve::SolveStatus;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// Rows that are all independent count on while the system is at least this part as regular as it
/// was where they were chosen.
constexpr double kWorthKeeping = 0.1;

/// Iterations for the spectral radius of the feedback, which only has to be told from 1.
constexpr int kPowers = 16;

bool all_finite(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

SparseKkt::SparseKkt(Evaluator& evaluator, Mismatch mismatch, solve::Wanted wanted)
    : evaluator_(&evaluator),
      mismatch_(mismatch),
      wanted_(wanted),
      choice_(evaluator, wanted == solve::Wanted::kMotion),
      direction_(at(evaluator.model().n())) {}

SolveStatus SparseKkt::solve(const compile::SparseValues& values, Motion& motion) {
    inconsistent_row_ = -1;
    for (const std::span<const double> part : {values.M, values.Q, values.C, values.A, values.b}) {
        if (!all_finite(part)) {
            return status_ = SolveStatus::kNotFinite;
        }
    }
    if (!rows_still_serve(values)) {
        choose_rows(values, solve::kDependentPart);
        if (!factor(values)) {
            return status_ = SolveStatus::kNotUnique;
        }
        regularity_ = factor_->regularity();
    }
    status_ = solve_factored(values, motion);
    if (status_ == SolveStatus::kOk && mismatch_ == Mismatch::kIsAnError) {
        inconsistent_row_ = inconsistent_row(values, motion);
        status_ = inconsistent_row_ >= 0 ? SolveStatus::kInconsistent : SolveStatus::kOk;
    }
    if (status_ == SolveStatus::kOk && wanted_ == solve::Wanted::kAll &&
        !choice_.dropped().empty()) {
        share_load(values, motion.lambda);
    }
    return status_;
}

/// For models so large that the choice costs more than the solution: the factor is that of this
/// state, and tells that no row has come near the others.
bool SparseKkt::rows_still_serve(const compile::SparseValues& values) {
    return !is_foreseen(evaluator_->model()) && factor_ && choice_.dropped().empty() &&
           !choice_.warning() && rows_.size() == place_of_row_.size() && factor(values) &&
           factor_->regularity() > kWorthKeeping * regularity_;
}

void SparseKkt::choose_rows(const compile::SparseValues& values, double dependent) {
    choice_.choose(values, dependent);
    weakest_ = choice_.weakest(direction_);
    if (!factor_ || choice_.kept() != rows_) {
        take_rows(choice_.kept());
    }
}

SolveStatus SparseKkt::solve_again(const compile::SparseValues& values, solve::Wanted /*wanted*/,
                                   Motion& motion) {
    return status_ = factor(values) ? solve_factored(values, motion) : SolveStatus::kNotUnique;
}

SolveStatus SparseKkt::solve_forces(const compile::SparseValues& values, Motion& motion) {
    return status_ = solve_factored(values, motion);
}

// M a + A^T y = F, A a = 0: the rows take up A^T y of the force.
void SparseKkt::response(std::span<const double> F, std::span<double> change) {
    x_.assign(F.begin(), F.end());
    x_.resize(F.size() + rows_.size(), 0.0);
    factor_->solve(x_);
    put_multipliers(change, -1.0);
}

/// The pattern: that of the system, and where the forces depend on multipliers of rows that count.
void SparseKkt::make_slopes() {
    const compile::CompiledModel& model = evaluator_->model();
    std::vector<int> row_of;
    for (const int row : model.feedback) {
        row_of.push_back(place_of_row_[at(row)]);
    }
    std::vector<solve::SparsePlace> places;
    const auto both = [&](int i, int k) {
        places.push_back({i, k});
        places.push_back({k, i});
    };
    for (const compile::Place& place : model.mass_entries) {
        both(place.row, place.column);
    }
    for (const std::size_t i : entries_) {
        const compile::Place& place = model.row_entries[i];
        both(place.column, model.n() + place_of_row_[at(place.row)]);
    }
    for (const compile::Place& slope : model.slope_entries) {
        const int row = row_of[at(slope.row)];
        // Those of rows that do not count stand where nothing is added to them.
        places.push_back({slope.column, row < 0 ? slope.column : model.n() + row});
    }
    slopes_.emplace(Slopes{solve::SparseFactor<double>(std::make_shared<const solve::SparsePattern>(
                               model.n() + static_cast<int>(rows_.size()), places)),
                           std::move(row_of)});
}

void SparseKkt::take_slopes() {
    const compile::CompiledModel& model = evaluator_->model();
    if (!slopes_) {
        make_slopes();
    }
    const std::span<double> entries = slopes_->factor.values();
    const std::span<const int> where = slopes_->factor.where();
    std::fill(entries.begin(), entries.end(), 0.0);
    std::size_t p = 0;
    const std::size_t system = values_.size();  // M, then A of rows_, as factor() has them
    for (std::size_t i = 0; i < system; ++i) {
        const bool diagonal = i < model.mass_entries.size() &&
                              model.mass_entries[i].row == model.mass_entries[i].column;
        entries[at(where[p++])] += values_[i];
        entries[at(where[p++])] += diagonal ? 0.0 : values_[i];
    }
    const std::span<const double> slopes = evaluator_->slopes();
    for (std::size_t i = 0; i < slopes.size(); ++i, ++p) {
        // A load like |N| has no slope where N = 0: there the plain iteration goes on.
        const bool counts = slopes_->row_of[at(model.slope_entries[i].row)] >= 0;
        entries[at(where[p])] += counts && std::isfinite(slopes[i]) ? slopes[i] : 0.0;
    }
    has_slopes_ = slopes_->factor.factor_again();
}

void SparseKkt::load_slope_forces(std::span<const double> r) {
    const compile::CompiledModel& model = evaluator_->model();
    const std::span<const double> slopes = evaluator_->slopes();
    x_.assign(at(model.n()) + rows_.size(), 0.0);
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        const compile::Place& place = model.slope_entries[i];
        x_[at(place.column)] += std::isfinite(slopes[i]) ? slopes[i] * r[at(place.row)] : 0.0;
    }
}

// M a + A^T y + S y = S r,  A a = 0:  (1 - J)^-1 r = r - y. Rows that do not count go on by the plain
// iteration.
bool SparseKkt::feedback_step(std::span<double> r) {
    if (!has_slopes_) {
        return false;
    }
    load_slope_forces(r);
    slopes_->factor.solve(x_);
    const std::size_t n = x_.size() - rows_.size();
    for (std::size_t k = 0; k < r.size(); ++k) {
        const int row = slopes_->row_of[k];
        r[k] -= row < 0 ? 0.0 : x_[n + at(row)];
    }
    return all_finite(r);
}

/// By the growth of a vector under J: its mean over the last half of the iterations, which rounds off
/// what a single one does where the largest eigenvalues turn.
double SparseKkt::feedback_radius() {
    if (slopes_->row_of.empty()) {
        return 0.0;
    }
    std::vector<double> z(slopes_->row_of.size());
    for (std::size_t k = 0; k < z.size(); ++k) {
        z[k] = 1.0 + 0.5 * std::sin(2.4 * static_cast<double>(k));
    }
    const std::size_t n = at(evaluator_->model().n());
    double logarithm = 0.0;
    for (int i = 0; i < kPowers; ++i) {
        double before = 0.0;
        double after = 0.0;
        for (const double one : z) {
            before = std::hypot(before, one);
        }
        load_slope_forces(z);
        factor_->solve_roughly(x_);
        for (std::size_t k = 0; k < z.size(); ++k) {
            const int row = slopes_->row_of[k];
            z[k] = row < 0 ? 0.0 : -x_[n + at(row)] / before;
            after = std::hypot(after, z[k]);
        }
        if (after == 0.0) {
            return 0.0;
        }
        logarithm += 2 * i >= kPowers ? std::log(after) : 0.0;
    }
    return std::exp(2.0 * logarithm / kPowers);
}

void SparseKkt::put_multipliers(std::span<double> lambda, double sign) const {
    const std::size_t n = x_.size() - rows_.size();
    std::fill(lambda.begin(), lambda.end(), 0.0);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        lambda[at(rows_[k])] = sign * x_[n + k];
    }
}

void SparseKkt::take_rows(std::vector<int> rows) {
    const compile::CompiledModel& model = evaluator_->model();
    rows_ = std::move(rows);
    place_of_row_ = places_among(rows_, model.m());
    std::vector<solve::SymmetricPlace> places;
    for (const compile::Place& place : model.mass_entries) {
        places.push_back({place.row, place.column});
    }
    entries_.clear();
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        const int row = place_of_row_[at(place.row)];
        if (row >= 0) {
            entries_.push_back(i);
            places.push_back({place.column, model.n() + row});
        }
    }
    factor_.emplace(model.n() + static_cast<int>(rows_.size()), places);
    slopes_.reset();
}

/// M a - Q
void SparseKkt::force_of(const compile::SparseValues& values, std::span<const double> a,
                              std::vector<double>& Qc) const {
    const compile::CompiledModel& model = evaluator_->model();
    for (std::size_t i = 0; i < Qc.size(); ++i) {
        Qc[i] = -values.Q[i];
    }
    for (std::size_t i = 0; i < model.mass_entries.size(); ++i) {
        const auto [row, column] = model.mass_entries[i];
        Qc[at(row)] += values.M[i] * a[at(column)];
        if (row != column) {
            Qc[at(column)] += values.M[i] * a[at(row)];
        }
    }
}

bool SparseKkt::factor(const compile::SparseValues& values) {
    values_.assign(values.M.begin(), values.M.end());
    for (const std::size_t i : entries_) {
        values_.push_back(values.A[i]);
    }
    const bool reuses = wanted_ == solve::Wanted::kMotion || !is_foreseen(evaluator_->model());
    return reuses ? factor_->factor_again(values_) : factor_->factor(values_);
}

SolveStatus SparseKkt::attribute(const compile::SparseValues& values, const double* a,
                                 double weakest, Motion& motion) {
    choose_rows(values, weakest);
    if (!factor(values)) {
        return status_ = SolveStatus::kNotUnique;
    }
    const std::size_t n = motion.a.size();
    std::copy_n(a, n, motion.a.begin());
    force_of(values, motion.a, motion.Qc);
    // M x + A^T y = F, A x = 0: the rows carry A^T y of a force F.
    const auto carry = [&](auto force) {
        x_.assign(n + rows_.size(), 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            x_[i] = force(i);
        }
        factor_->solve(x_);
    };
    std::fill(motion.Qc_nonideal.begin(), motion.Qc_nonideal.end(), 0.0);
    if (!values.C.empty()) {
        carry([&](std::size_t i) { return values.C[i]; });
        for (std::size_t i = 0; i < evaluator_->model().mass_entries.size(); ++i) {
            const auto [row, column] = evaluator_->model().mass_entries[i];
            motion.Qc_nonideal[at(row)] += values.M[i] * x_[at(column)];  //          UK02 (8)
            if (row != column) {
                motion.Qc_nonideal[at(column)] += values.M[i] * x_[at(row)];
            }
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        motion.Qc_ideal[i] = motion.Qc[i] - motion.Qc_nonideal[i];
    }
    carry([&](std::size_t i) { return motion.Qc[i] - (values.C.empty() ? 0.0 : values.C[i]); });
    put_multipliers(motion.lambda, 1.0);
    if (!choice_.dropped().empty()) {
        share_load(values, motion.lambda);
    }
    return status_ = all_finite(motion.lambda) ? SolveStatus::kOk : SolveStatus::kNotFinite;
}

SolveStatus SparseKkt::solve_factored(const compile::SparseValues& values, Motion& motion) {
    const std::size_t n = motion.a.size();
    const auto solve_for = [&](std::span<const double> C) {
        x_.assign(values.Q.begin(), values.Q.end());
        for (std::size_t i = 0; i < C.size(); ++i) {
            x_[i] += C[i];
        }
        for (const int row : rows_) {
            x_.push_back(values.b[at(row)]);
        }
        factor_->solve(x_);
    };
    if (!values.C.empty()) {
        solve_for({});
        force_of(values, std::span(x_).first(n), motion.Qc_ideal);
    }
    solve_for(values.C);
    std::copy_n(x_.begin(), n, motion.a.begin());
    force_of(values, motion.a, motion.Qc);
    if (values.C.empty()) {
        motion.Qc_ideal = motion.Qc;
    }
    for (std::size_t i = 0; i < n; ++i) {
        motion.Qc_nonideal[i] = motion.Qc[i] - motion.Qc_ideal[i];
    }
    put_multipliers(motion.lambda, -1.0);
    return all_finite(motion.a) && all_finite(motion.lambda) ? SolveStatus::kOk
                                                             : SolveStatus::kNotFinite;
}

/// A row that depends on the others and asks for another acceleration than they do.
///
/// As AccelerationSolver measures it. With u_j = 1/sqrt(M_jj) the accelerations a_j / u_j and
/// Q_j u_j are known to rounding of their lengths, so A_k a is known to rounding of
///   |A_k u| (|a / u| + |Q u|),
/// and b_k to rounding of the magnitudes of its terms. The terms of A_k a are no measure: all of
/// them may be rounding.
int SparseKkt::inconsistent_row(const compile::SparseValues& values, const Motion& motion) {
    const compile::CompiledModel& model = evaluator_->model();
    const std::vector<double> units = coordinate_scales(model, values.M);
    double moved = 0.0;
    double pulled = 0.0;
    for (std::size_t j = 0; j < units.size(); ++j) {
        moved = std::hypot(moved, motion.a[j] / units[j]);
        pulled = std::hypot(pulled, values.Q[j] * units[j]);
    }
    std::vector<double> mismatch(motion.lambda.size()), length(motion.lambda.size());
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        const double entry = values.A[i] * units[at(place.column)];
        mismatch[at(place.row)] += values.A[i] * motion.a[at(place.column)];
        length[at(place.row)] = std::hypot(length[at(place.row)], entry);
    }
    const std::span<const double> magnitudes = evaluator_->magnitudes();
    double worst = solve::kContradiction;
    int found = -1;
    for (std::size_t k = 0; k < mismatch.size(); ++k) {
        const double scale = length[k] * (moved + pulled) +
                             std::max(std::abs(values.b[k]), magnitudes[mismatch.size() + k]);
        const double part = std::abs(mismatch[k] - values.b[k]) / solve::divisor(scale);
        if (values.counts(static_cast<int>(k)) && place_of_row_[k] < 0 && part > worst) {
            worst = part;
            found = static_cast<int>(k);
        }
    }
    return found;
}

/// Of all multipliers with the force of those found, the share; see solve/load_form.h. In units of
/// the coordinates and rows of unit length.
void SparseKkt::share_load(const compile::SparseValues& values, std::vector<double>& lambda) {
    const compile::CompiledModel& model = evaluator_->model();
    const std::vector<double> units = coordinate_scales(model, values.M);
    std::vector<double> length(lambda.size(), 0.0);
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        const double entry = values.A[i] * units[at(place.column)];
        length[at(place.row)] += entry * entry;
    }
    for (double& one : length) {
        one = std::sqrt(one);
    }
    std::vector<bool> counts(lambda.size(), false);
    for (const std::vector<int>* rows : {&choice_.kept(), &choice_.dropped()}) {
        for (const int row : *rows) {
            counts[at(row)] = true;
        }
    }
    std::vector<solve::SparseEntry> B;
    std::vector<double> force(units.size(), 0.0);
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        if (counts[at(place.row)]) {
            const double entry = values.A[i] * units[at(place.column)];
            B.push_back({place.row, place.column, entry / length[at(place.row)]});
            force[at(place.column)] += lambda[at(place.row)] * entry;
        }
    }
    std::vector<solve::SparseEntry> K;
    for (const solve::SparseEntry& one : compile::sparse_load_form(model, values, counts)) {
        if (counts[at(one.column)]) {
            K.push_back({one.row, one.column, one.value / length[at(one.column)]});
        }
    }
    const std::vector<double> shared =
        solve::least_norm(model.n(), model.m(), B, choice_.kept(), force, K);
    for (std::size_t k = 0; k < shared.size(); ++k) {
        lambda[k] = counts[k] ? shared[k] / length[k] : 0.0;
    }
}

}  // namespace ananke::dynamics
