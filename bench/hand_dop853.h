// DOP853 for q'' = a(t, q, q') of fixed size, everything inlined: the loop a person would write for
// one system. The method, its error estimate and its step control are those of ode/dop853.h.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "hand_projection.h"
#include "hand_written.h"
#include "ode/dop853_tableau.h"

namespace ananke::bench {

template <class Model>
class HandDop853 {
  public:
    explicit HandDop853(double tolerance) : rtol_(tolerance), atol_(0.1 * tolerance) {}

    HandRun run(double t_end, bool with_projection, double* q, double* v) {
        std::copy(q, q + n, y_.begin());
        std::copy(v, v + n, y_.begin() + n);
        HandRun done;
        double t = 0.0;
        double error_old = kLeastError;
        evaluate(t, y_, k_[0]);
        double h = first_step(t);
        done.evaluations = 2;
        while (t < t_end) {
            const bool last = t_end - t <= h * 1.01;
            const double step = last ? t_end - t : h;
            stages(t, step, std::make_index_sequence<dop::kMainStages - 1>{});
            done.evaluations += dop::kMainStages - 1;
            const double error = combine(step);
            if (error > 1.0) {
                h = step * std::clamp(0.9 / std::pow(error, 13.0 / 128.0), 1.0 / 3.0, 0.9);
                continue;
            }
            h = step * std::clamp(0.9 * std::pow(error_old, 1.0 / 32.0) /
                                      std::pow(std::max(error, 1e-12), 13.0 / 128.0),
                                  1.0 / 3.0, 6.0);
            error_old = std::max(error, kLeastError);
            t = last ? t_end : t + step;
            if (with_projection) {
                project<Model>(t, y_new_.data(), y_new_.data() + n);
            }
            y_ = y_new_;
            evaluate(t, y_, k_[0]);
            ++done.evaluations;
            ++done.steps;
        }
        std::copy(y_.begin(), y_.begin() + n, q);
        std::copy(y_.begin() + n, y_.end(), v);
        return done;
    }

  private:
    static constexpr std::size_t n = Model::n;
    static constexpr double kLeastError = 1e-4;
    using State = std::array<double, 2 * n>;

    struct dop {
        static constexpr std::size_t kMainStages = ode::dop853::kMainStages;
    };

    static void evaluate(double t, const State& y, State& k) {
        std::copy(y.begin() + n, y.end(), k.begin());
        Model::acceleration(t, y.data(), y.data() + n, k.data() + n);
    }

    template <std::size_t Stage, std::size_t... J>
    double weighted(std::size_t i, std::index_sequence<J...> /*stages*/) const {
        double sum = 0.0;
        ((ode::dop853::kA[Stage][J] != 0.0 ? sum += ode::dop853::kA[Stage][J] * k_[J][i] : sum),
         ...);
        return sum;
    }

    template <std::size_t... I>
    void stages(double t, double h, std::index_sequence<I...> /*stages*/) {
        (stage<I + 1>(t, h), ...);
    }

    template <std::size_t Stage>
    void stage(double t, double h) {
        for (std::size_t i = 0; i < 2 * n; ++i) {
            y_stage_[i] = y_[i] + h * weighted<Stage>(i, std::make_index_sequence<Stage>{});
        }
        evaluate(t + ode::dop853::kC[Stage] * h, y_stage_, k_[Stage]);
    }

    /// y_new, and the error in units of the tolerance.
    double combine(double h) {
        double sum5 = 0.0;
        double sum3 = 0.0;
        for (std::size_t i = 0; i < 2 * n; ++i) {
            const double slope =
                weighted<dop::kMainStages>(i, std::make_index_sequence<dop::kMainStages>{});
            y_new_[i] = y_[i] + h * slope;
            double e5 = 0.0;
            double e3 = slope;
            for (std::size_t j = 0; j < dop::kMainStages; ++j) {
                e5 += ode::dop853::kError5[j] * k_[j][i];
                if (ode::dop853::kThirdOrder[j] != 0.0) {
                    e3 -= ode::dop853::kThirdOrder[j] * k_[j][i];
                }
            }
            const double scale =
                1.0 / (atol_ + rtol_ * std::max(std::abs(y_[i]), std::abs(y_new_[i])));
            sum5 += e5 * e5 * scale * scale;
            sum3 += e3 * e3 * scale * scale;
        }
        return sum5 == 0.0 ? 0.0 : h * sum5 / std::sqrt(2.0 * double(n) * (sum5 + 0.01 * sum3));
    }

    double norm(const State& x) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < 2 * n; ++i) {
            const double scaled = x[i] / (atol_ + rtol_ * std::abs(y_[i]));
            sum += scaled * scaled;
        }
        return std::sqrt(sum / (2.0 * double(n)));
    }

    double first_step(double t) {
        const double d0 = norm(y_);
        const double d1 = norm(k_[0]);
        const double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
        for (std::size_t i = 0; i < 2 * n; ++i) {
            y_stage_[i] = y_[i] + h0 * k_[0][i];
        }
        evaluate(t + h0, y_stage_, k_[1]);
        State change;
        for (std::size_t i = 0; i < 2 * n; ++i) {
            change[i] = k_[1][i] - k_[0][i];
        }
        const double d = std::max(d1, norm(change) / h0);
        return std::min(100.0 * h0, std::pow(0.01 / d, 1.0 / 8.0));
    }

    double rtol_, atol_;
    State y_{}, y_new_{}, y_stage_{};
    std::array<State, dop::kMainStages> k_{};
};

}  // namespace ananke::bench
