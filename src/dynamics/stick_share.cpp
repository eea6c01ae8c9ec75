#include "dynamics/stick_share.h"

#include <algorithm>
#include <cmath>

namespace ananke::dynamics {
namespace {

/// Coefficients below this are rounding.
constexpr double kNoPart = 1e-9;
/// Coordinates with less than this part of the largest inertia have none.
constexpr double kNoInertia = 1e-9;
/// Limits below this part of the largest count as this: what is not pressed carries nothing.
constexpr double kNoLimit = 1e-9;
/// Where a share changes the loads, which set the limits, it is looked for again.
constexpr int kPasses = 4;

}  // namespace

void coordinate_units(const solve::System& at, std::vector<double>& unit) {
    const double largest = at.M.diagonal().maxCoeff();
    for (Eigen::Index i = 0; i < at.M.rows(); ++i) {
        const double inertia = at.M(i, i) > kNoInertia * largest ? at.M(i, i) : largest;
        unit[static_cast<std::size_t>(i)] = inertia > 0.0 ? 1.0 / std::sqrt(inertia) : 1.0;
    }
}

StickShare::StickShare(const compile::CompiledModel& model)
    : span_(model.frictions.empty() ? 0 : model.n(), model.frictions.empty() ? 0 : model.m()),
      unit_(static_cast<std::size_t>(model.n())) {}

/// Each stick row that depends on rows before it: these may take over what it carries.
void StickShare::find_choices(Evaluator& evaluator, double t, const double* q, const double* v) {
    const compile::CompiledModel& model = evaluator.model();
    const auto n = static_cast<std::size_t>(model.n());
    const solve::System at = evaluator.system(t, q, v);
    coordinate_units(at, unit_);
    span_.clear(unit_);
    z_.clear();
    for (int row = 0; row < model.m(); ++row) {
        const bool in_force = row < model.constraint_rows || evaluator.row_sticks(row);
        const bool kept =
            !in_force || span_.add({at.A.data() + row * at.A.outerStride(), n}, at.b[row], row);
        if (!kept && row >= model.constraint_rows) {
            add_choice(evaluator, row);
        }
    }
}

void StickShare::add_choice(Evaluator& evaluator, int row) {
    const compile::CompiledModel& model = evaluator.model();
    std::vector<double> z(static_cast<std::size_t>(model.m()), 0.0);
    z[static_cast<std::size_t>(row)] = 1.0;
    for (int k = 0; k < span_.kept(); ++k) {
        const auto other = static_cast<std::size_t>(span_.id(k));
        const double part = span_.coefficient(k);
        if (std::abs(part) > kNoPart) {
            if (model.rows[other].actuated) {
                return;  // what a servo carries its controls decide
            }
            z[other] = -part;
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
