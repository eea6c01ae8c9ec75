// A second road through time: Gragg's midpoint rule with polynomial extrapolation (Hairer, Norsett
// & Wanner, Solving Ordinary Differential Equations I, section II.9), on the acceleration of
// Lagrange's equations with multipliers. It shares neither the integrator nor the form with a run
// and projects nothing.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <Eigen/Dense>

#include "dynamics/evaluator.h"
#include "solve/analysis.h"
#include "solve/control_gap.h"
#include "solve/forms.h"

namespace ananke::pipeline {

class SecondIntegrator {
  public:
    SecondIntegrator(std::shared_ptr<const compile::CompiledModel> model,
                     std::span<const double> parameters, double tolerance)
        : n_(model->n()), evaluator_(std::move(model), parameters), tolerance_(tolerance) {}

    /// y = (q, v) from t to `end`; nothing where it cannot go on.
    std::optional<Eigen::VectorXd> advance(double t, Eigen::VectorXd y, double end) {
        double H = std::min(step_, end - t);
        int rejections = 0;
        while (t < end) {
            H = std::min(H, end - t);
            choose_rows(t, y);
            double error = 0.0;
            const std::optional<Eigen::VectorXd> next = extrapolate(t, y, H, error);
            if (!next || !(error <= tolerance_)) {
                H *= 0.5;
                if (++rejections > kMostRejections) {
                    return std::nullopt;
                }
                continue;
            }
            const bool last = end - t <= H;
            y = *next;
            t = last ? end : t + H;
            step_ = std::max(step_, H);
            H *= error < 1e-3 * tolerance_ ? 1.7 : 1.1;
            if (!last) {
                step_ = H;
            }
        }
        return y;
    }

  private:
    static constexpr int kColumns = 7;
    static constexpr int kMostRejections = 200;

    /// Dependent rows disagree off the constraints, so stages use the rows independent at (t, y).
    void choose_rows(double t, const Eigen::VectorXd& y) {
        kept_ = solve::analyse(evaluator_.system(t, y.data(), y.data() + n_)).kept;
    }

    bool derivative(double t, const Eigen::VectorXd& y, Eigen::VectorXd& dydt) {
        const solve::System at = evaluator_.system(t, y.data(), y.data() + n_);
        const solve::RowMatrix A = at.A(kept_, Eigen::all);
        const Eigen::VectorXd b = at.b(kept_);
        const Eigen::VectorXd magnitude = at.row_magnitude(kept_);
        const Eigen::VectorXd none;
        const solve::System kept{at.M, at.Q, at.C, A, b, magnitude, none, at.groups};
        dydt.resize(2 * n_);
        if (!evaluator_.model().controls.empty()) {
            return actuated_derivative(kept, y, dydt);
        }
        const Result<solve::Motion> motion = solve::evaluate(solve::Form::kMultipliers, kept);
        if (!motion) {
            return false;
        }
        dydt << y.tail(n_), motion.value().a;
        return true;
    }

    bool actuated_derivative(const solve::System& at, const Eigen::VectorXd& y,
                             Eigen::VectorXd& dydt) {
        std::vector<int> servo;
        for (std::size_t k = 0; k < kept_.size(); ++k) {
            if (evaluator_.model().rows[static_cast<std::size_t>(kept_[k])].actuated) {
                servo.push_back(static_cast<int>(k));
            }
        }
        const Result<solve::ActuatedMotion> result =
            solve::evaluate_actuated(solve::Form::kMultipliers, at, servo, evaluator_.actuation());
        if (!result) {
            return false;
        }
        dydt << y.tail(n_), result.value().motion.a;
        return true;
    }

    /// The midpoint rule with `steps` substeps over H.
    std::optional<Eigen::VectorXd> midpoint(double t, const Eigen::VectorXd& y, double H,
                                            int steps) {
        const double h = H / steps;
        Eigen::VectorXd slope;
        if (!derivative(t, y, slope)) {
            return std::nullopt;
        }
        Eigen::VectorXd before = y;
        Eigen::VectorXd now = y + h * slope;
        for (int i = 1; i < steps; ++i) {
            if (!derivative(t + i * h, now, slope)) {
                return std::nullopt;
            }
            before += 2.0 * h * slope;
            before.swap(now);
        }
        return now;
    }

    std::optional<Eigen::VectorXd> extrapolate(double t, const Eigen::VectorXd& y, double H,
                                               double& error) {
        std::array<Eigen::VectorXd, kColumns> row;
        Eigen::VectorXd previous_best;
        for (int j = 0; j < kColumns; ++j) {
            const int steps = 2 * (j + 1);
            std::optional<Eigen::VectorXd> value = midpoint(t, y, H, steps);
            if (!value || !value->allFinite()) {
                return std::nullopt;
            }
            // Aitken-Neville in h^2: row[k] becomes T(j, k)
            Eigen::VectorXd next = *value;
            for (int k = 0; k <= j; ++k) {
                const auto place = static_cast<std::size_t>(k);
                const Eigen::VectorXd current = next;
                if (k < j) {
                    const double ratio = static_cast<double>(steps) / (2 * (j - k));
                    next = current + (current - row[place]) / (ratio * ratio - 1.0);
                }
                row[place] = current;
            }
            if (j == kColumns - 2) {
                previous_best = row[static_cast<std::size_t>(j)];
            }
        }
        const Eigen::VectorXd& best = row[kColumns - 1];
        error = ((best - previous_best).array().abs() / best.array().abs().max(1.0)).maxCoeff();
        return best;
    }

    int n_;
    dynamics::Evaluator evaluator_;
    double tolerance_;
    double step_ = 0.02;
    std::vector<int> kept_;
};

}  // namespace ananke::pipeline
