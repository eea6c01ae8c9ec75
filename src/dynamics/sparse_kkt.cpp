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

/// Iterations for the spectral radius of the feedback, which only has to be told from 1.
constexpr int kPowers = 16;

bool all_finite(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

SparseKkt::SparseKkt(Evaluator& evaluator, Mismatch mismatch, solve::Wanted wanted, Servos servos)
    : evaluator_(&evaluator),
      mismatch_(mismatch),
      wanted_(wanted),
      choice_(evaluator, wanted == solve::Wanted::kMotion),
      direction_(at(evaluator.model().n())) {
    if (servos == Servos::kHaveTheirControls) {
        controls_.emplace(evaluator);
    }
}

SolveStatus SparseKkt::solve(const compile::SparseValues& values, Motion& motion) {
    inconsistent_row_ = -1;
    for (const std::span<const double> part :
         {values.M, values.Q, values.C, values.A, values.b, values.D}) {
        if (!all_finite(part)) {
            return status_ = SolveStatus::kNotFinite;
        }
    }
    choose_rows(values, solve::kDependentPart);
    if (!factor(values)) {
        return status_ = SolveStatus::kNotUnique;
    }
    status_ = solve_factored(values, motion);
    if (status_ == SolveStatus::kOk && !holds_) {
        return status_ = without_hold(values);
    }
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

/// Rows that contradict each other do so whoever enforces them.
SolveStatus SparseKkt::without_hold(const compile::SparseValues& values) {
    SparseKkt rows(*evaluator_, mismatch_, solve::Wanted::kMotion);
    Motion motion(evaluator_->model());
    const SolveStatus status = rows.solve(values, motion);
    inconsistent_row_ = rows.inconsistent_row_;
    return status == SolveStatus::kInconsistent ? status : SolveStatus::kNotControlled;
}

void SparseKkt::choose_rows(const compile::SparseValues& values, double dependent) {
    if (controls_) {
        choice_.choose(controls_->passive(values), dependent);
        controls_->choose(values, choice_);
    } else {
        choice_.choose(values, dependent);
        weakest_ = choice_.weakest(direction_);
    }
    if (!factor_ || choice_.kept() != rows_ || (controls_ && controls_->borders() != borders_)) {
        take_rows(choice_.kept());
    } else if (controls_) {
        slopes_.reset();  // other servo rows may stand there
    }
}

SolveStatus SparseKkt::solve_again(const compile::SparseValues& values, solve::Wanted /*wanted*/,
                                   Motion& motion) {
    if (!factor(values)) {
        return status_ = SolveStatus::kNotUnique;
    }
    if (controls_ && controls_->has_weakened()) {
        return solve(values, motion);
    }
    status_ = solve_factored(values, motion);
    return status_ == SolveStatus::kOk && !holds_ ? status_ = SolveStatus::kNotControlled : status_;
}

SolveStatus SparseKkt::solve_forces(const compile::SparseValues& values, Motion& motion) {
    return status_ = solve_factored(values, motion);
}

// M a + A^T y = F, A a = 0: the rows take up A^T y of the force.
void SparseKkt::response(std::span<const double> F, std::span<double> change) {
    load_force(F);
    factor_->solve(x_);
    if (controls_) {
        controls_->close({}, x_);
    }
    put_multipliers(change, -1.0);
}

/// The pattern: that of the system, where the forces depend on multipliers of rows that count, and
/// servo rows with the forces of their controls.
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
    int size = model.n() + static_cast<int>(rows_.size());
    if (controls_) {
        for (const std::size_t i : controls_->entries()) {
            const auto [row, column] = model.row_entries[i];
            places.push_back({size + controls_->place_of(row), column});
        }
        for (const compile::Place& push : model.control_entries) {
            places.push_back({push.column, size + push.row});
        }
        size += static_cast<int>(controls_->rows().size());
    }
    slopes_.emplace(Slopes{
        solve::SparseFactor<double>(std::make_shared<const solve::SparsePattern>(size, places)),
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
    const std::size_t system = model.mass_entries.size() + entries_.size();  // as in values_
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
    if (controls_) {
        for (const std::vector<double>* part : {&controls_->values(), &controls_->pushes()}) {
            for (const double value : *part) {
                entries[at(where[p++])] += value;
            }
        }
    }
    has_slopes_ = slopes_->factor.factor_again();
}

void SparseKkt::find_slope_force(std::span<const double> r) {
    const compile::CompiledModel& model = evaluator_->model();
    const std::span<const double> slopes = evaluator_->slopes();
    std::vector<double>& force = force_;
    force.assign(at(model.n()), 0.0);
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        const compile::Place& place = model.slope_entries[i];
        force[at(place.column)] += std::isfinite(slopes[i]) ? slopes[i] * r[at(place.row)] : 0.0;
    }
}

// M a + A^T y + S y = S r,  A a = 0:  (1 - J)^-1 r = r - y. Rows that do not count go on by the
// plain iteration.
bool SparseKkt::feedback_step(std::span<double> r) {
    if (!has_slopes_) {
        return false;
    }
    find_slope_force(r);
    x_ = force_;
    x_.resize(at(slopes_->factor.size()), 0.0);
    slopes_->factor.solve(x_);
    const std::size_t n = force_.size();
    for (std::size_t k = 0; k < r.size(); ++k) {
        const int row = slopes_->row_of[k];
        r[k] -= row < 0 ? 0.0 : x_[n + at(row)];
    }
    return all_finite(r);
}

/// By the growth of a vector under J: its mean over the last half of the iterations, which rounds
/// off what a single one does where the largest eigenvalues turn.
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
        find_slope_force(z);
        load_force(force_);
        factor_->solve_roughly(x_);
        if (controls_) {
            controls_->close({}, x_);
        }
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
    const std::size_t n = at(evaluator_->model().n());
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
    border_entries_.clear();
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        const int row = place_of_row_[at(place.row)];
        if (row >= 0) {
            entries_.push_back(i);
            places.push_back({place.column, model.n() + row});
        }
    }
    int size = model.n() + static_cast<int>(rows_.size());
    borders_ = controls_ ? controls_->borders() : std::vector<int>();
    const std::vector<int> border_of = places_among(borders_, model.m());
    for (std::size_t i = 0; i < model.row_entries.size() && !borders_.empty(); ++i) {
        const compile::Place& place = model.row_entries[i];
        if (const int border = border_of[at(place.row)]; border >= 0) {
            border_entries_.push_back(i);
            places.push_back({place.column, size + border});
        }
    }
    for (std::size_t j = 0; j < borders_.size(); ++j, ++size) {
        places.push_back({size, size});
    }
    factor_.emplace(size, places);
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
    for (const std::vector<std::size_t>* entries : {&entries_, &border_entries_}) {
        for (const std::size_t i : *entries) {
            values_.push_back(values.A[i]);
        }
    }
    if (!borders_.empty()) {
        const std::vector<double>& diagonal = controls_->border_values();
        values_.insert(values_.end(), diagonal.begin(), diagonal.end());
    }
    const bool regular = wanted_ == solve::Wanted::kMotion ? factor_->factor_again(values_)
                                                           : factor_->factor(values_);
    if (!regular) {
        return false;
    }
    holds_ = !controls_ || controls_->factor(values, *factor_, size_of_system());
    return true;
}

void SparseKkt::load_force(std::span<const double> force) {
    x_.assign(force.begin(), force.end());
    x_.resize(size_of_system(), 0.0);
}

SolveStatus SparseKkt::attribute(const compile::SparseValues& values, const double* a,
                                 double weakest, Motion& motion) {
    if (controls_) {  // not told apart from the forces of a motion: by the rows alone
        return SparseKkt(*evaluator_, Mismatch::kIsDrift, wanted_)
            .attribute(values, a, weakest, motion);
    }
    choose_rows(values, weakest);
    if (!factor(values)) {
        return status_ = SolveStatus::kNotUnique;
    }
    const std::size_t n = motion.a.size();
    std::copy_n(a, n, motion.a.begin());
    force_of(values, motion.a, motion.Qc);
    // M x + A^T y = F, A x = 0: the rows carry A^T y of a force F.
    const auto carry = [&](auto force) {
        load_force({});
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

void SparseKkt::solve_for(const compile::SparseValues& values, std::span<const double> C) {
    x_.assign(values.Q.begin(), values.Q.end());
    for (std::size_t i = 0; i < C.size(); ++i) {
        x_[i] += C[i];
    }
    for (const std::vector<int>* rows : {&rows_, &borders_}) {
        for (const int row : *rows) {
            x_.push_back(values.b[at(row)]);
        }
    }
    factor_->solve(x_);
    if (controls_ && holds_) {
        controls_->close(values.b, x_);
    }
}

SolveStatus SparseKkt::solve_factored(const compile::SparseValues& values, Motion& motion) {
    const std::size_t n = motion.a.size();
    if (!values.C.empty()) {
        solve_for(values, {});
        force_of(values, std::span(x_).first(n), motion.Qc_ideal);
    }
    solve_for(values, values.C);
    std::copy_n(x_.begin(), n, motion.a.begin());
    force_of(values, motion.a, motion.Qc);
    if (values.C.empty()) {
        motion.Qc_ideal = motion.Qc;
    }
    for (std::size_t i = 0; i < n; ++i) {
        motion.Qc_nonideal[i] = motion.Qc[i] - motion.Qc_ideal[i];
    }
    put_multipliers(motion.lambda, -1.0);
    if (controls_) {
        std::copy(controls_->u().begin(), controls_->u().end(), motion.u.begin());
    }
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
        const int row = static_cast<int>(k);
        if (values.counts(row) && place_of_row_[k] < 0 && part > worst) {
            worst = part;
            found = row;
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
