#include "dynamics/stick_share.h"

#include <algorithm>
#include <cmath>

namespace ananke::dynamics {
namespace {

/// Coefficients below this are rounding.
constexpr double kNoPart = 1e-9;
/// Limits below this part of the largest count as this: what is not pressed carries nothing.
constexpr double kNoLimit = 1e-9;
/// Where a share changes the loads, which set the limits, it is looked for again.
constexpr int kPasses = 4;

}  // namespace

/// Each stick row that depends on others: these may take over what it carries.
void StickShare::find_choices(Evaluator& evaluator, double t, const double* q, const double* v) {
    if (!in_force_) {
        in_force_.emplace(evaluator);
    }
    in_force_->look(t, q, v);
    z_.clear();
    for (const RowByOthers& one : in_force_->dependent()) {
        add_choice(evaluator.model(), one);
    }
}

void StickShare::add_choice(const compile::CompiledModel& model, const RowByOthers& dependent) {
    std::vector<double> z(static_cast<std::size_t>(model.m()), 0.0);
    z[static_cast<std::size_t>(dependent.row)] = 1.0;
    for (std::size_t k = 0; k < dependent.rows.size(); ++k) {
        const auto other = static_cast<std::size_t>(dependent.rows[k]);
        if (std::abs(dependent.c[k]) > kNoPart) {
            if (model.rows[other].actuated) {
                return;  // what a servo carries its controls decide
            }
            z[other] = -dependent.c[k];
        }
    }
    z_.push_back(std::move(z));
}

/// The frictions that a choice changes, with their limits for these multipliers.
void StickShare::find_supports(Evaluator& evaluator, double t, const double* q, const double* v,
                               std::span<const double> lambda) {
    const compile::CompiledModel& model = evaluator.model();
    evaluator.set_multipliers(lambda.data());
    const std::span<const double> values = evaluator.friction_values(t, q, v);
    supports_.clear();
    rows_.clear();
    double largest = 0.0;
    for (const compile::CompiledFriction& one : model.frictions) {
        const bool changes = std::any_of(z_.begin(), z_.end(), [&](const std::vector<double>& z) {
            const auto begin = z.begin() + one.first_row;
            return std::any_of(begin, begin + one.components, [](double x) { return x != 0.0; });
        });
        if (!changes) {
            continue;
        }
        const double limit =
            values[static_cast<std::size_t>(one.first_value + 2 * one.components + 1)];
        supports_.push_back({static_cast<int>(rows_.size()), one.components, limit});
        largest = std::max(largest, limit);
        for (int k = 0; k < one.components; ++k) {
            rows_.push_back(one.first_row + k);
        }
    }
    for (Support& one : supports_) {
        one.limit = std::max(one.limit, largest > 0.0 ? kNoLimit * largest : 1.0);
    }
}

bool StickShare::share(Evaluator& evaluator, double t, const double* q, const double* v,
                       std::span<double> lambda) {
    if (!evaluator.any_sticks()) {
        return false;
    }
    find_choices(evaluator, t, q, v);
    if (z_.empty()) {
        return false;
    }
    const compile::CompiledModel& model = evaluator.model();
    bool loads_change = false;
    for (const compile::CompiledFriction& one : model.frictions) {
        for (const int row : one.load_rows) {
            loads_change = loads_change ||
                           std::any_of(z_.begin(), z_.end(), [&](const std::vector<double>& z) {
                               return z[static_cast<std::size_t>(row)] != 0.0;
                           });
        }
    }
    const auto choices = static_cast<Eigen::Index>(z_.size());
    for (int pass = 0; pass < (loads_change ? kPasses : 1); ++pass) {
        find_supports(evaluator, t, q, v, lambda);
        const auto size = static_cast<Eigen::Index>(rows_.size());
        Eigen::VectorXd f0(size);
        Eigen::MatrixXd Z(size, choices);
        for (Eigen::Index i = 0; i < size; ++i) {
            const auto row = static_cast<std::size_t>(rows_[static_cast<std::size_t>(i)]);
            f0[i] = lambda[row];
            for (Eigen::Index k = 0; k < choices; ++k) {
                Z(i, k) = z_[static_cast<std::size_t>(k)][row];
            }
        }
        const Eigen::VectorXd y = least_ratio(f0, Z, supports_);
        for (Eigen::Index k = 0; k < choices; ++k) {
            const std::vector<double>& z = z_[static_cast<std::size_t>(k)];
            for (std::size_t row = 0; row < z.size(); ++row) {
                lambda[row] += y[k] * z[row];
            }
        }
    }
    return true;
}

}  // namespace ananke::dynamics
