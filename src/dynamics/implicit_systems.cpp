#include "dynamics/implicit_systems.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "dynamics/recording.h"
#include "ode/finite.h"

namespace ananke::dynamics {
namespace {

/// Coordinates from which on systems without matrices may pay: measured with chains of bodies and
/// ropes of particles on springs, full matrices are as fast at 25 to 35 and take twice the time at
/// 50.
constexpr int kFewCoordinates = 50;
/// Time of one operation of a sparse factorisation, over that of a full one: where everything is
/// tied to everything, steps take as long at 60 coordinates and 1.4 times at 240.
constexpr double kSparseEffort = 2.0;
/// Memory that the full matrices of an implicit step may take: about half of what a desktop
/// computer has. More would not fail with a message but end the program.
constexpr double kMostGigabytes = 4.0;

/// J of y' = (v, a), its real factor, and one complex factor per pair of stages (two): 72 n^2
/// bytes.
double gigabytes_of_full_steps(int n) {
    return (4.0 * sizeof(double) + sizeof(double) + 2.0 * sizeof(std::complex<double>)) * n * n /
           1e9;
}

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

Eigen::Index index(std::size_t i) {
    return static_cast<Eigen::Index>(i);
}

double part(double x, std::size_t lane) {
    return lane == 0 ? x : 0.0;
}
double part(const std::complex<double>& x, std::size_t lane) {
    return lane == 0 ? x.real() : x.imag();
}
void set(double& x, const double* lanes) {
    x = lanes[0];
}
void set(std::complex<double>& x, const double* lanes) {
    x = {lanes[0], lanes[1]};
}

}  // namespace

bool may_be_sparse(const compile::CompiledModel& model, const MethodOptions& options) {
    return model.frictions.empty() && model.feedback.empty() && model.controls.empty() &&
           options.form == solve::Form::kAuto && options.drift != Drift::kBaumgarte;
}

std::optional<Error> obstacle_to_full_steps(int coordinates) {
    const double gigabytes = gigabytes_of_full_steps(coordinates);
    if (gigabytes <= kMostGigabytes) {
        return std::nullopt;
    }
    return Error{
        ErrorCode::kNotApplicable,
        fmt::format("implicit steps of this model need full matrices ({} coordinates: {:.1f} "
                    "GB, at most {} GB are taken): it has friction, actuators or forces that "
                    "depend on reactions, or forces of very many coordinates at once, or "
                    "--form or --drift baumgarte is given; leave out stiff",
                    coordinates, gigabytes, kMostGigabytes)};
}

std::unique_ptr<ImplicitSystems> ImplicitSystems::make(Evaluator& evaluator,
                                                       const Acceleration& acceleration,
                                                       std::size_t pairs,
                                                       std::optional<bool> wanted) {
    const int n = evaluator.model().n();
    if (!wanted.value_or(n >= kFewCoordinates)) {
        return nullptr;
    }
    auto made = std::make_unique<ImplicitSystems>(evaluator, acceleration, pairs);
    return made->is_sparse() && (wanted || obstacle_to_full_steps(n) || made->pays())
               ? std::move(made)
               : nullptr;
}

ImplicitSystems::ImplicitSystems(Evaluator& evaluator, const Acceleration& acceleration,
                                 std::size_t pairs)
    : evaluator_(&evaluator),
      acceleration_(&acceleration),
      n_(at(evaluator.model().n())),
      derivatives_(evaluator),
      y_(evaluator.model().rows.size()),
      derivative_values_(derivatives_.entries().size()),
      pair_count_(pairs),
      directions_(2 * n_ * MotionDerivatives::kLanes) {}

/// With all rows, before it is known which count.
bool ImplicitSystems::pays() {
    std::vector<int> rows(y_.size());
    std::iota(rows.begin(), rows.end(), 0);
    take_rows(rows);
    const double n = static_cast<double>(n_);
    return pattern_->work() * kSparseEffort < 2.0 / 3.0 * n * n * n;
}

ode::Status ImplicitSystems::linearize(double t, std::span<const double> y, Slope) {
    const double* q = y.data();
    const double* v = y.data() + n_;
    const std::span<const int> rows = acceleration_->rows();
    if (!pattern_ || !std::equal(rows.begin(), rows.end(), given_.begin(), given_.end())) {
        take_rows(rows);
    }
    const compile::SparseValues values = evaluator_->sparse_system(t, q, v);
    if (!find_motion(values)) {
        return ode::Status::kNotFinite;
    }
    put_entries(values);
    std::fill(drift_.begin(), drift_.end(), 0.0);
    for (const std::size_t i : entries_) {
        const compile::Place& place = evaluator_->model().row_entries[i];
        if (!evaluator_->model().rows[at(place.row)].homogeneous) {
            drift_[at(place_of_row_[at(place.row)])] += values.A[i] * v[place.column];
        }
    }
    if (!derivatives_.take(t, q, v, std::span(motion_).first(n_), y_, derivative_values_)) {
        return ode::Status::kNotFinite;
    }
    const std::span<const int> where =
        pattern_->where().last(derivative_values_.size());  // as take_rows() adds them
    std::fill(R_q_.begin(), R_q_.end(), 0.0);
    std::fill(R_v_.begin(), R_v_.end(), 0.0);
    for (std::size_t i = 0; i < derivative_values_.size(); ++i) {
        const MotionDerivatives::Entry& entry = derivatives_.entries()[i];
        if (entry.output < n_ || place_of_row_[entry.output - n_] >= 0) {
            (entry.column < n_ ? R_q_ : R_v_)[at(where[i])] += derivative_values_[i];
        }
    }
    return ode::Status::kOk;
}

void ImplicitSystems::take_rows(std::span<const int> rows) {
    const compile::CompiledModel& model = evaluator_->model();
    const int n = model.n();
    given_.assign(rows.begin(), rows.end());
    rows_ = given_;
    std::sort(rows_.begin(), rows_.end());
    place_of_row_ = places_among(rows_, model.m());
    entries_.clear();
    std::vector<solve::SymmetricPlace> symmetric;
    std::vector<solve::SparsePlace> places;
    for (const compile::Place& place : model.mass_entries) {
        symmetric.push_back({place.row, place.column});
        places.push_back({place.row, place.column});
        places.push_back({place.column, place.row});
    }
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        if (const int row = place_of_row_[at(place.row)]; row >= 0) {
            entries_.push_back(i);
            symmetric.push_back({place.column, n + row});
            places.push_back({place.column, n + row});
            places.push_back({n + row, place.column});
        }
    }
    for (const MotionDerivatives::Entry& entry : derivatives_.entries()) {
        const auto column = static_cast<int>(entry.column < n_ ? entry.column : entry.column - n_);
        const int row = entry.output < n_ ? static_cast<int>(entry.output)
                                          : n + place_of_row_[entry.output - n_];
        places.push_back({row < n && entry.output >= n_ ? column : row, column});  // not counted
    }
    const int size = n + static_cast<int>(rows_.size());
    motion_factor_.emplace(size, symmetric);
    motion_.assign(at(size), 0.0);
    drift_.assign(rows_.size(), 0.0);
    pattern_ = std::make_shared<const solve::SparsePattern>(size, places);
    for (std::vector<double>* values : {&K_, &R_q_, &R_v_}) {
        values->assign(pattern_->rows().size(), 0.0);
    }
    real_.emplace(pattern_);
    pairs_.clear();
    for (std::size_t k = 0; k < pair_count_; ++k) {
        pairs_.emplace_back(pattern_);
    }
}

/// K [a; y] = [Q + C; b]
bool ImplicitSystems::find_motion(const compile::SparseValues& values) {
    motion_values_.assign(values.M.begin(), values.M.end());
    for (const std::size_t i : entries_) {
        motion_values_.push_back(values.A[i]);
    }
    if (!ode::all_finite(motion_values_) || !motion_factor_->factor_again(motion_values_)) {
        return false;
    }
    std::copy(values.Q.begin(), values.Q.end(), motion_.begin());
    for (std::size_t i = 0; i < values.C.size(); ++i) {
        motion_[i] += values.C[i];
    }
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        motion_[n_ + k] = values.b[at(rows_[k])];
    }
    motion_factor_->solve(motion_);
    std::fill(y_.begin(), y_.end(), 0.0);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        y_[at(rows_[k])] = motion_[n_ + k];
    }
    return ode::all_finite(motion_);
}

/// In the order in which take_rows() lists the places.
void ImplicitSystems::put_entries(const compile::SparseValues& values) {
    std::fill(K_.begin(), K_.end(), 0.0);
    const int* where = pattern_->where().data();
    for (std::size_t i = 0; i < values.M.size(); ++i) {
        K_[at(*where++)] = values.M[i];
        K_[at(*where++)] = values.M[i];
    }
    for (const std::size_t i : entries_) {
        K_[at(*where++)] = values.A[i];
        K_[at(*where++)] = values.A[i];
    }
}

void ImplicitSystems::factorise(double real, std::span<const std::complex<double>> pairs) {
    factorise(*real_, real);
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
        factorise(pairs_[k], pairs[k]);
    }
}

template <class Scalar>
void ImplicitSystems::factorise(Shifted<Scalar>& system, Scalar m) {
    system.m = m;
    const Scalar once = -1.0 / m;
    const Scalar twice = once / m;
    const std::span<Scalar> S = system.factor.values();
    for (std::size_t i = 0; i < S.size(); ++i) {
        S[i] = K_[i] + twice * R_q_[i] + once * R_v_[i];
    }
    system.regular = system.factor.factor_again();
}

void ImplicitSystems::solve(Eigen::Ref<Eigen::VectorXd> r) {
    solve(*real_, r);
}

void ImplicitSystems::solve_pair(std::size_t pair, Eigen::Ref<Eigen::VectorXcd> r) {
    solve(pairs_[pair], r);
}

template <class Scalar, class Vector>
void ImplicitSystems::solve(Shifted<Scalar>& system, Vector& r) {
    if (!system.regular) {
        r.setConstant(std::numeric_limits<double>::quiet_NaN());
        return;
    }
    const Scalar once = 1.0 / system.m;
    const Scalar twice = once / system.m;
    const std::span<const int> begin = pattern_->begin();
    const std::span<const int> rows = pattern_->rows();
    std::vector<Scalar>& x = system.x;
    std::fill(x.begin(), x.end(), Scalar(0.0));
    for (std::size_t c = 0; c < n_; ++c) {
        const Scalar r_q = r[index(c)];
        const Scalar by_K = once * r_q + twice * r[index(n_ + c)];
        const Scalar by_R = twice * r_q;
        for (int p = begin[c]; p < begin[c + 1]; ++p) {
            x[at(rows[at(p)])] += K_[at(p)] * by_K - R_v_[at(p)] * by_R;
        }
    }
    system.factor.solve(x);
    for (std::size_t i = 0; i < n_; ++i) {
        r[index(n_ + i)] = system.m * x[i] - r[index(i)];
        r[index(i)] = x[i];
    }
    r[index(2 * n_)] = once * (r[index(2 * n_)] + energy_change(system, r));
}

/// Of the energy rate, power + (C - A^T y) v, along (x_q, x_v) and mu.
template <class Scalar, class Vector>
Scalar ImplicitSystems::energy_change(const Shifted<Scalar>& system, const Vector& x) {
    constexpr std::size_t lanes = MotionDerivatives::kLanes;
    Scalar change = 0.0;
    if (derivatives_.energy_changes()) {
        for (std::size_t i = 0; i < 2 * n_; ++i) {
            directions_[i * lanes] = part(x[index(i)], 0);
            directions_[i * lanes + 1] = part(x[index(i)], 1);
        }
        std::array<double, lanes> rates{};
        derivatives_.energy_rate(directions_, rates);
        set(change, rates.data());
    }
    for (std::size_t k = 0; k < drift_.size(); ++k) {
        change -= drift_[k] * (system.m * system.m) * system.x[n_ + k];
    }
    return change;
}

}  // namespace ananke::dynamics
