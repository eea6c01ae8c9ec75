#include "dynamics/sparse_controls.h"

#include <algorithm>
#include <cmath>

#include "dynamics/recording.h"
#include "solve/kernels.h"
#include "solve/mass_factor.h"
#include "solve/row_factor.h"

namespace ananke::dynamics {
namespace {

/// Regularity below this part of its value at the start of the step asks for a new choice, as the
/// pivots of rows do in AccelerationSolver::pivot_ratio().
constexpr double kWeakened = 1e-3;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// M in units of its diagonal has pivots above kSingularMass.
bool is_regular(const compile::CompiledModel& model, std::span<const double> mass_entries,
                std::span<const double> diagonal) {
    if (std::any_of(diagonal.begin(), diagonal.end(), [](double m) { return !(m > 0.0); })) {
        return false;
    }
    std::vector<solve::SymmetricPlace> places;
    std::vector<double> values;
    for (std::size_t i = 0; i < mass_entries.size(); ++i) {
        const compile::Place& place = model.mass_entries[i];
        places.push_back({place.row, place.column});
        values.push_back(mass_entries[i] /
                         std::sqrt(diagonal[at(place.row)] * diagonal[at(place.column)]));
    }
    solve::SymmetricFactor factor(model.n(), places);
    return factor.factor(values) && factor.regularity() > solve::kSingularMass;
}

}  // namespace

SparseControls::SparseControls(Evaluator& evaluator)
    : evaluator_(&evaluator),
      n_(at(evaluator.model().n())),
      count_(evaluator.model().controls.size()),
      servo_(evaluator.model().rows.size(), 0),
      in_force_(servo_.size(), 0),
      by_control_(count_),
      control_length_(count_),
      push_length_(count_),
      reach_(count_),
      S_(static_cast<int>(count_)),
      u_(count_) {
    for (const int row : evaluator.model().actuated_rows) {
        servo_[at(row)] = 1;
    }
}

compile::SparseValues SparseControls::passive(const compile::SparseValues& values) {
    for (std::size_t row = 0; row < in_force_.size(); ++row) {
        const int k = static_cast<int>(row);
        in_force_[row] = values.counts(k) && !is_servo(k) ? 1 : 0;
    }
    compile::SparseValues passive = values;
    passive.in_force = in_force_;
    return passive;
}

void SparseControls::choose(const compile::SparseValues& values, SparseRows& passive) {
    const compile::CompiledModel& model = evaluator_->model();
    std::vector<int> servo;
    for (const int row : rows_that_have_not_vanished(*evaluator_, values)) {
        if (is_servo(row)) {
            servo.push_back(row);
        }
    }
    // Their components orthogonal to the passive rows decide, as in ActuatedSolver.
    solve::RowFactor rank(model.n(), std::max(1, static_cast<int>(servo.size())));
    rank.begin(static_cast<int>(servo.size()));
    std::vector<double> coefficients(passive.kept().size());
    for (std::size_t j = 0; j < servo.size(); ++j) {
        passive.express(evaluator_->row(servo[j]), coefficients,
                        std::span(rank.row(static_cast<int>(j)), n_));
    }
    rank.factor({});
    rows_.clear();
    for (int k = 0; k < rank.rank(); ++k) {
        rows_.push_back(servo[at(rank.order(k))]);
    }
    std::sort(rows_.begin(), rows_.end());
    place_ = places_among(rows_, model.m());
    entries_.clear();
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        if (place_of(model.row_entries[i].row) >= 0) {
            entries_.push_back(i);
        }
    }
    values_.resize(entries_.size());
    by_row_.resize(rows_.size());
    row_length_.resize(rows_.size());
    g_.resize(std::max(rows_.size(), count_));
    chosen_regularity_ = 0.0;
    std::vector<int> all = passive.kept();
    all.insert(all.end(), passive.dropped().begin(), passive.dropped().end());
    find_borders(values, all, servo);
}

/// W = rho^2 with the unit rows rho A_s D of solve::MassFactor.
void SparseControls::find_borders(const compile::SparseValues& values, std::span<const int> passive,
                                  std::span<const int> servo) {
    const compile::CompiledModel& model = evaluator_->model();
    borders_.clear();
    border_values_.clear();
    std::vector<double> mass(n_, 0.0);
    for (std::size_t i = 0; i < values.M.size(); ++i) {
        const compile::Place& place = model.mass_entries[i];
        if (place.row == place.column) {
            mass[at(place.row)] = values.M[i];
        }
    }
    if (is_regular(model, values.M, mass)) {
        return;
    }
    std::vector<int> rows(passive.begin(), passive.end());
    rows.insert(rows.end(), servo.begin(), servo.end());
    const std::vector<int> places = places_among(rows, model.m());
    std::vector<int> begin(rows.size() + 1, 0);
    for (const compile::Place& place : model.row_entries) {
        const int k = places[at(place.row)];
        begin[k < 0 ? 0 : at(k) + 1] += k < 0 ? 0 : 1;
    }
    for (std::size_t k = 0; k < rows.size(); ++k) {
        begin[k + 1] += begin[k];
    }
    std::vector<int> next = begin;
    std::vector<int> column(at(begin.back()));
    std::vector<double> value(column.size());
    for (std::size_t i = 0; i < values.A.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        if (const int k = places[at(place.row)]; k >= 0) {
            const auto e = at(next[at(k)]++);
            column[e] = place.column;
            value[e] = values.A[i];
        }
    }
    std::vector<double> d(n_);
    std::vector<double> scale(rows.size());
    solve::equilibrate(mass, {begin, column, value}, d, scale, model.groups);
    for (std::size_t k = passive.size(); k < rows.size(); ++k) {
        double square = 0.0;
        for (auto e = at(begin[k]); e < at(begin[k + 1]); ++e) {
            square += value[e] * d[at(column[e])] * value[e] * d[at(column[e])];
        }
        borders_.push_back(rows[k]);
        border_values_.push_back(-square);
    }
}

/// a^T (M + A_s^T W A_s) a, square root.
double SparseControls::length(const compile::SparseValues& values,
                              std::span<const double> a) const {
    const compile::CompiledModel& model = evaluator_->model();
    double sum = 0.0;
    for (std::size_t i = 0; i < values.M.size(); ++i) {
        const auto [row, column] = model.mass_entries[i];
        sum += (row == column ? 1.0 : 2.0) * values.M[i] * a[at(row)] * a[at(column)];
    }
    if (!borders_.empty()) {
        std::vector<double> products(servo_.size(), 0.0);
        for (std::size_t i = 0; i < values.A.size(); ++i) {
            const auto [row, column] = model.row_entries[i];
            products[at(row)] += values.A[i] * a[at(column)];
        }
        for (std::size_t j = 0; j < borders_.size(); ++j) {
            const double product = products[at(borders_[j])];
            sum -= product * product / border_values_[j];
        }
    }
    return std::sqrt(std::max(sum, 0.0));
}

/// A_s a per row of rows().
void SparseControls::multiply(std::span<const double> a, std::span<double> products) const {
    std::fill(products.begin(), products.end(), 0.0);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const auto [row, column] = evaluator_->model().row_entries[entries_[i]];
        products[at(place_of(row))] += values_[i] * a[at(column)];
    }
}

/// Solves for the forces that the columns hold (n), and finds the lengths of these.
void SparseControls::respond(const compile::SparseValues& values, solve::SymmetricFactor& factor,
                             std::size_t size, Columns& responses, std::vector<double>& lengths) {
    for (std::size_t k = 0; k < responses.size(); ++k) {
        responses[k].resize(size, 0.0);
        factor.solve(responses[k]);
        lengths[k] = length(values, std::span(responses[k]).first(n_));
    }
}

bool SparseControls::factor(const compile::SparseValues& values, solve::SymmetricFactor& factor,
                            std::size_t size) {
    const compile::CompiledModel& model = evaluator_->model();
    for (Columns* columns : {&by_control_, &by_row_}) {
        for (std::vector<double>& column : *columns) {
            column.assign(n_, 0.0);
        }
    }
    const std::vector<double> units = coordinate_scales(model, values.M);
    std::fill(push_length_.begin(), push_length_.end(), 0.0);
    for (std::size_t i = 0; i < values.D.size(); ++i) {
        const auto [control, coordinate] = model.control_entries[i];
        by_control_[at(control)][at(coordinate)] = values.D[i];
        push_length_[at(control)] =
            std::hypot(push_length_[at(control)], values.D[i] * units[at(coordinate)]);
    }
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const auto [row, column] = model.row_entries[entries_[i]];
        values_[i] = values.A[entries_[i]];
        by_row_[at(place_of(row))][at(column)] = values_[i];
    }
    pushes_.assign(values.D.begin(), values.D.end());
    respond(values, factor, size, by_control_, control_length_);
    respond(values, factor, size, by_row_, row_length_);
    for (std::size_t k = 0; k < count_; ++k) {
        reach_[k].resize(rows_.size());
        multiply(std::span(by_control_[k]).first(n_), reach_[k]);
        if (!(control_length_[k] > solve::kIrregular * push_length_[k])) {
            // It only pushes against the passive rows, and moves nothing.
            control_length_[k] = 0.0;
        }
    }
    S_.clear();
    if (rows_.size() != count_) {
        return false;
    }
    for (std::size_t k = 0; k < count_; ++k) {
        for (std::size_t j = 0; j < count_; ++j) {
            S_.entry(static_cast<int>(j), static_cast<int>(k)) = cosine(j, k);
        }
    }
    const bool regular = S_.factor();
    chosen_regularity_ = chosen_regularity_ > 0.0 ? chosen_regularity_ : S_.regularity();
    return regular;
}

double SparseControls::cosine(std::size_t j, std::size_t k) const {
    return control_length_[k] > 0.0 ? reach_[k][j] / (row_length_[j] * control_length_[k]) : 0.0;
}

bool SparseControls::has_weakened() const {
    return regularity() < kWeakened * chosen_regularity_;
}

void SparseControls::close(std::span<const double> b, std::span<double> x) {
    const std::span<double> g = std::span(g_).first(rows_.size());
    multiply(x.first(n_), g);
    for (std::size_t j = 0; j < g.size(); ++j) {
        g[j] = ((b.empty() ? 0.0 : b[at(rows_[j])]) - g[j]) / row_length_[j];
    }
    S_.solve(g.data());
    for (std::size_t k = 0; k < count_; ++k) {
        u_[k] = g[k] / control_length_[k];
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] += u_[k] * by_control_[k][i];
        }
    }
}

std::vector<solve::Pivot> SparseControls::pivots() const {
    std::vector<solve::Pivot> pivots;
    for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
        pivots.push_back({S_.control(i), rows_[at(S_.row(i))]});
    }
    return pivots;
}

solve::ControlGap SparseControls::gap(double tolerance) const {
    const auto rows = static_cast<Eigen::Index>(rows_.size());
    const auto controls = static_cast<Eigen::Index>(count_);
    Eigen::MatrixXd S(rows, controls);
    Eigen::VectorXd row_unit(rows);
    Eigen::VectorXd drive_unit(controls);
    for (Eigen::Index k = 0; k < controls; ++k) {
        const auto control = static_cast<std::size_t>(k);
        drive_unit[k] =
            1.0 / solve::divisor(control_length_[control] > 0.0 ? control_length_[control]
                                                                : push_length_[control]);
        for (Eigen::Index j = 0; j < rows; ++j) {
            S(j, k) = cosine(static_cast<std::size_t>(j), control);
        }
    }
    for (Eigen::Index j = 0; j < rows; ++j) {
        row_unit[j] = 1.0 / row_length_[static_cast<std::size_t>(j)];
    }
    return solve::control_gap(S, rows_, row_unit, drive_unit, evaluator_->model().m(), tolerance);
}

}  // namespace ananke::dynamics
