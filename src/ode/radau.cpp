#include "ode/radau.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "ode/dense_systems.h"
#include "ode/step_control.h"

namespace ananke::ode {
namespace {

constexpr double kSlowFactor = 0.5;  // on h where Newton's iteration did not converge
/// Derivatives are taken anew when Newton's iteration converges slower than this.
constexpr double kFastContraction = 1e-3;
/// Steps grow carefully where it converges slower than this: it may not converge at all in longer
/// ones.
constexpr double kSlowContraction = 0.02;
constexpr double kLargestGrowthIfSlow = 1.5;
/// A step that would grow by less stays as it is, and with it its factorised systems.
constexpr double kLeastGrowth = 1.2;
/// First step, as a part of the way to go, where nothing tells how fast y changes.
constexpr double kBlindPart = 1e-4;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

int most_iterations(std::size_t stages) {
    return 7 + 5 * static_cast<int>(stages - 3) / 2;
}

std::span<double> column(Eigen::MatrixXd& matrix, std::size_t k) {
    return {matrix.col(static_cast<Eigen::Index>(k)).data(),
            static_cast<std::size_t>(matrix.rows())};
}

Eigen::Index index(std::size_t i) {
    return static_cast<Eigen::Index>(i);
}

}  // namespace

Result<Radau> Radau::create(const Problem& problem, const Options& options,
                            const Structure& structure, std::size_t stages) {
    ANANKE_REQUIRE(static_cast<bool>(problem.rhs));
    ANANKE_REQUIRE(structure.integrals <= problem.size);
    ANANKE_REQUIRE(structure.positions == 0 ||
                   2 * structure.positions + structure.integrals == problem.size);
    if (const Result<void> checked = check_options(options, problem.size); !checked) {
        return checked.error();
    }
    return Radau(problem, options, structure, stages);
}

Radau::Radau(const Problem& problem, const Options& options, const Structure& structure,
             std::size_t stages)
    : OneStep(problem, options),
      tableau_(std::make_shared<const RadauTableau>(stages)),
      control_(static_cast<unsigned>(stages), most_iterations(stages)),
      own_systems_(structure.systems == nullptr
                       ? std::make_unique<DenseSystems>(problem.size, stages / 2, structure)
                       : nullptr),
      systems_(structure.systems == nullptr ? own_systems_.get() : structure.systems),
      shifts_(stages / 2) {
    const std::size_t n = problem.size;
    for (auto* values : {&y_stage_, &moved_by_, &slope_, &middle_}) {
        values->resize(n);
    }
    scale_ = error_ = right_ = Eigen::VectorXd::Zero(index(n));
    Z_ = W_ = Z_trial_ = F_ = dW_ = dZ_ = Stages::Zero(index(n), index(stages));
    pair_right_ = Eigen::VectorXcd::Zero(index(n));
}

void Radau::forget() {
    control_.reset();
    jacobian_known_ = false;
    jacobian_is_new_ = false;
    factorised_h_ = 0.0;
    contraction_ = 1.0;
}

void Radau::allow_dense(bool possible) {
    dense_possible_ = possible;
    has_polynomial_ = has_polynomial_ && !possible;  // a state, not a step
}

/// A step that changes y by a thousandth.
double Radau::initial_step(double t_end) {
    double size = 0.0;
    double rate = 0.0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
        const double scale = atol_[i] + options_.rtol * std::abs(y_[i]);
        if (scale > 0.0) {  // else nothing is known of its size
            size += y_[i] / scale * (y_[i] / scale);
            rate += first_[i] / scale * (first_[i] / scale);
        }
    }
    const double longest = std::min(std::abs(t_end - t_), options_.max_step);
    const double h = 1e-3 * std::sqrt(size / rate);
    return h > 0.0 && std::isfinite(h) ? std::min(h, longest) : kBlindPart * longest;
}

Status Radau::attempt(const Trial& trial) {
    set_scale();
    if (!jacobian_known_) {
        if (const Status status = linearize(trial.h); status != Status::kOk) {
            return status;
        }
    }
    Status status = Status::kOk;
    Newton newton = Newton::kSlow;
    while (true) {
        if (factorised_h_ != trial.h) {
            factorise(trial.h);
        }
        guess_stages(trial.h);
        newton = find_stages(trial, status);
        if (newton != Newton::kSlow || jacobian_is_new_) {
            break;
        }
        if (status = linearize(trial.h); status != Status::kOk) {
            return status;
        }
    }
    if (newton == Newton::kFailed) {
        return status;
    }
    if (newton == Newton::kSlow) {
        retry_factor_ = kSlowFactor;
        jacobian_known_ = jacobian_is_new_ = false;
        return Status::kStepTooSmall;
    }
    for (std::size_t i = 0; i < y_.size(); ++i) {
        y_new_[i] = y_[i] + Z_trial_(index(i), Z_trial_.cols() - 1);
    }
    statistics_.last_error = std::max(scaled_error(trial), scaled_dense_error(trial));
    if (!all_finite(y_new_) || std::isnan(statistics_.last_error)) {
        return Status::kNotFinite;
    }
    if (statistics_.last_error > 1.0) {
        retry_factor_ = control_.after_rejection(statistics_.last_error, iterations_);
        return Status::kStepTooSmall;
    }
    return finish_step(trial);
}

/// Derivatives in the middle of the step, where the last one leads, or the slope in a first one:
/// Newton's iteration converges about twice as fast as with those at its beginning. There the law
/// may have a slope that it has nowhere else, as sqrt(y) at 0: with such a matrix corrections
/// vanish and nothing converges. Where there are none in the middle, at the beginning.
Status Radau::linearize(double h) {
    factorised_h_ = 0.0;
    if (has_polynomial_) {
        polynomial(1.0 + 0.5 * h / h_, middle_);
    } else {
        for (std::size_t i = 0; i < middle_.size(); ++i) {
            middle_[i] = y_[i] + 0.5 * h * first_[i];
        }
    }
    Status status = linearize_at(t_ + 0.5 * h, middle_);
    if (status != Status::kOk && status != Status::kRhsFailed) {
        status = linearize_at(t_, y_);
    }
    jacobian_known_ = jacobian_is_new_ = status == Status::kOk;
    return status;
}

Status Radau::linearize_at(double t, std::span<const double> y) {
    ++statistics_.jacobians;
    const auto f = [this](double at, std::span<const double> x, std::span<double> slope) {
        return is_stopped() ? Status::kInterrupted : evaluate(at, x, slope);
    };
    return systems_->linearize(t, y, f);
}

void Radau::factorise(double h) {
    ++statistics_.factorisations;
    for (std::size_t k = 0; k < shifts_.size(); ++k) {
        shifts_[k] = std::conj(tableau_->pairs[k]) / h;
    }
    systems_->factorise(tableau_->real / h, shifts_);
    factorised_h_ = h;
}

/// The collocation polynomial of the last step, followed beyond its end.
void Radau::guess_stages(double h) {
    if (!has_polynomial_) {
        Z_trial_.setZero();
        W_.setZero();
        return;
    }
    std::array<double, 16> weights{};
    const Eigen::Map<const Eigen::VectorXd> w(weights.data(), Z_.cols());
    for (Eigen::Index i = 0; i < Z_.cols(); ++i) {
        tableau_->weights(1.0 + tableau_->c[i] * h / h_, weights.data());
        Z_trial_.col(i).noalias() = Z_.lazyProduct(w);
        Z_trial_.col(i) -= Z_.col(Z_.cols() - 1);
    }
    W_ = Z_trial_.lazyProduct(tableau_->T_inverse.transpose());
}

void Radau::set_scale() {
    for (std::size_t i = 0; i < y_.size(); ++i) {
        scale_[index(i)] = atol_[i] + options_.rtol * std::abs(y_[i]);
    }
}

double Radau::norm_of_correction() const {
    double sum = 0.0;
    for (Eigen::Index k = 0; k < dZ_.cols(); ++k) {
        sum += dZ_.col(k).cwiseQuotient(scale_).squaredNorm();
    }
    return std::sqrt(sum / static_cast<double>(std::max<Eigen::Index>(1, dZ_.size())));
}

/// Corrections that are nothing but rounding, in the norm of the tolerance.
double Radau::rounding() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
        const double part = y_[i] / scale_[index(i)];
        sum += part * part;
    }
    return 10.0 * kEpsilon *
           std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, y_.size())));
}

/// Simplified Newton steps until what is left is small against the tolerance, [HW] IV.8 (8.10).
Radau::Newton Radau::find_stages(const Trial& trial, Status& status) {
    const int most = most_iterations(tableau_->stages);
    const double enough = std::max(options_.stage_tolerance, rounding());
    double norm_old = 0.0;
    double convergence = 1.0;  // theta / (1 - theta); one correction alone tells nothing of it
    for (iterations_ = 1; iterations_ <= most; ++iterations_) {
        for (std::size_t k = 0; k < tableau_->stages; ++k) {
            for (std::size_t i = 0; i < y_.size(); ++i) {
                y_stage_[i] = y_[i] + Z_trial_(index(i), index(k));
            }
            const double t = k + 1 == tableau_->stages ? trial.t : t_ + tableau_->c[k] * trial.h;
            status = evaluate(t, y_stage_, column(F_, k));
            if (status != Status::kOk) {
                return Newton::kFailed;
            }
        }
        correct_stages(trial.h);
        const double norm = norm_of_correction();
        if (!std::isfinite(norm)) {
            status = Status::kNotFinite;
            return Newton::kFailed;
        }
        if (iterations_ > 1 && norm > 0.0) {
            const double theta = norm / norm_old;
            contraction_ = iterations_ == 2 ? theta : std::sqrt(theta * contraction_);
            if (theta >= 1.0 && norm > enough) {
                return Newton::kSlow;
            }
            if (theta < 1.0) {
                convergence = theta / (1.0 - theta);
                double left = convergence * norm;
                for (int k = iterations_; k < most; ++k) {
                    left *= theta;
                }
                if (left > enough) {
                    return Newton::kSlow;
                }
            }
        }
        norm_old = norm;
        if (convergence * norm <= enough || norm <= rounding()) {
            return Newton::kConverged;
        }
    }
    return Newton::kSlow;
}

/// (Lambda/h - J) dW = F T^-T - W Lambda/h, one real system and one complex for each pair; then
/// W and Z are corrected.
void Radau::correct_stages(double h) {
    const RadauTableau& table = *tableau_;
    dW_ = F_.lazyProduct(table.T_inverse.transpose());
    dW_.col(0) -= (table.real / h) * W_.col(0);
    systems_->solve(dW_.col(0));
    for (std::size_t k = 0; k < shifts_.size(); ++k) {
        const Eigen::Index a = index(1 + 2 * k);
        const double alpha = table.pairs[k].real() / h;
        const double beta = table.pairs[k].imag() / h;
        dW_.col(a) -= alpha * W_.col(a) + beta * W_.col(a + 1);
        dW_.col(a + 1) -= alpha * W_.col(a + 1) - beta * W_.col(a);
        pair_right_.real() = dW_.col(a);
        pair_right_.imag() = dW_.col(a + 1);
        systems_->solve_pair(k, pair_right_);
        dW_.col(a) = pair_right_.real();
        dW_.col(a + 1) = pair_right_.imag();
    }
    dZ_ = dW_.lazyProduct(table.T.transpose());
    W_ += dW_;
    Z_trial_ += dZ_;
}

double Radau::norm_of_error() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
        const double magnitude = std::max(std::abs(y_[i]), std::abs(y_new_[i]));
        const double part = error_[index(i)] / (atol_[i] + options_.rtol * magnitude);
        sum += part * part;
    }
    return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, y_.size())));
}

/// At the first step and after a rejection an error that is too large is filtered once more: fast
/// parts that the step damps out do not count, [HW] IV.8 (8.20).
double Radau::scaled_error(const Trial& trial) {
    right_.setZero();
    for (std::size_t k = 0; k < tableau_->stages; ++k) {
        right_ += (tableau_->error[k] / trial.h) * Z_trial_.col(index(k));
    }
    const auto filtered = [&](const std::vector<double>& slope) {
        error_ = right_ + Eigen::Map<const Eigen::VectorXd>(slope.data(), right_.size());
        systems_->solve(error_);
        return norm_of_error();
    };
    const double error = filtered(first_);
    if (!(error > 1.0) || !(trial.retry || statistics_.steps == 0)) {
        return error;
    }
    for (std::size_t i = 0; i < y_.size(); ++i) {
        y_stage_[i] = y_[i] + error_[index(i)];
    }
    return evaluate(t_, y_stage_, slope_) == Status::kOk ? filtered(slope_) : error;
}

/// From the divided difference of order s + 1 with the beginning of the step before. In a first
/// step it takes the slope at its beginning, which tells nothing of parts that are stiff, or the
/// difference of order s, which is too large: the smaller of the two.
double Radau::scaled_dense_error(const Trial& trial) {
    const auto s = static_cast<Eigen::Index>(tableau_->stages);
    const auto weighted = [&](const double* weights) {
        return Z_trial_.lazyProduct(Eigen::Map<const Eigen::VectorXd>(weights, s));
    };
    const Eigen::Map<const Eigen::VectorXd> y(y_.data(), scale_.size());
    if (has_polynomial_) {
        const double x = (t_previous_ - t_) / trial.h;
        std::array<double, 16> weights{};
        tableau_->weights(x, weights.data());
        error_ = weighted(weights.data());
        error_ += y - Eigen::Map<const Eigen::VectorXd>(y_previous_.data(), scale_.size());
        error_ *= tableau_->largest_product / tableau_->node_product(x);
    } else {
        right_ = weighted(tableau_->slope.data());
        right_ -= trial.h * Eigen::Map<const Eigen::VectorXd>(first_.data(), scale_.size());
        right_ *= tableau_->largest_product * tableau_->leading.back() / tableau_->slope.back();
        error_ = weighted(tableau_->leading.data());
        error_ *= tableau_->largest_lower_product;
        error_ = error_.cwiseAbs().cwiseMin(right_.cwiseAbs());
    }
    return norm_of_error();
}

/// The hook, and f at the state it leaves, as in Dop853.
Status Radau::finish_step(const Trial& trial) {
    Status status = run_hook(trial);
    for (std::size_t i = 0; i < y_new_.size(); ++i) {
        moved_by_[i] = end_moved_ ? y_new_[i] - y_raw_[i] : 0.0;
    }
    if (status == Status::kOk) {
        status = evaluate(trial.t, y_new_, slope_);
    }
    if (status == Status::kOk) {
        first_.swap(slope_);
    }
    return status;
}

void Radau::accept(const Trial& trial) {
    const double h = std::abs(trial.h);
    double next =
        next_after(trial, h * control_.after_acceptance(h, statistics_.last_error, iterations_));
    if (contraction_ > kSlowContraction) {
        next = std::min(next, kLargestGrowthIfSlow * h);
    }
    jacobian_is_new_ = false;
    jacobian_known_ = contraction_ <= kFastContraction;
    if (jacobian_known_ && !trial.last && next >= h && next <= kLeastGrowth * h) {
        next = h;
    }
    advance(trial, next);
    Z_.swap(Z_trial_);
    has_polynomial_ = true;
    dense_possible_ = true;
}

Status Radau::dense(double t, std::span<double> y) {
    ANANKE_REQUIRE(dense_possible_ && y.size() == y_.size());
    if (copy_end(t, y)) {
        return Status::kOk;
    }
    const double x = (t - t_previous_) / h_;
    polynomial(x, y);
    const double correction = moved_ ? x * x * (3.0 - 2.0 * x) : 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] += correction * moved_by_[i];
    }
    return Status::kOk;
}

double Radau::defect(double t, std::span<const double> slope) {
    if (!has_polynomial_ || t == t_ || t == t_previous_ || factorised_h_ == 0.0) {
        return 0.0;
    }
    const double x = (t - t_previous_) / h_;
    std::array<double, 16> weights{};
    tableau_->weight_slopes(x, weights.data());
    const double correction = moved_ ? 6.0 * x * (1.0 - x) : 0.0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
        double rate = correction * (moved_ ? moved_by_[i] : 0.0);
        for (std::size_t k = 0; k < tableau_->stages; ++k) {
            rate += weights[k] * Z_(index(i), index(k));
        }
        error_[index(i)] = slope[i] - rate / h_;
    }
    systems_->solve(error_);  // (real/h - J)^-1
    for (std::size_t i = 0; i < y_.size(); ++i) {
        y_new_[i] = y_previous_[i];
    }
    return norm_of_error();
}

/// The collocation polynomial of the last step.
void Radau::polynomial(double x, std::span<double> y) const {
    std::array<double, 16> weights{};
    tableau_->weights(x, weights.data());
    for (std::size_t i = 0; i < y.size(); ++i) {
        double sum = 0.0;
        for (std::size_t k = 0; k < tableau_->stages; ++k) {
            sum += weights[k] * Z_(index(i), index(k));
        }
        y[i] = y_previous_[i] + sum;
    }
}

}  // namespace ananke::ode
