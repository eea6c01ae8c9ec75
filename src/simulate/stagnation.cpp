#include "simulate/stagnation.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace ananke::simulate {
namespace {

/// Velocities below this part of the largest are about to vanish beside it.
constexpr double kSmall = 1e-4;
/// The law is evaluated once more at velocities smaller by this.
constexpr double kSmaller = 1e-3;
/// A force that keeps this part of its strength then does not vanish with the velocity.
constexpr double kSameStrength = 0.5;
/// Steps, accepted or not, over which the pace of a run is measured: so many that the short steps
/// of a start or an event do not count.
constexpr std::size_t kStepsOfPace = 50'000;
/// A run that would need so many times its limit on steps ends at the first measurement.
constexpr double kHopeless = 100.0;
/// One that would need more than the limit ends after so many measurements in succession: a million
/// steps, or soon where dry forces are bringing it to rest.
constexpr int kMostSlow = 20;
constexpr int kMostDry = 2;

/// u . M a at velocities of which the part u is scaled.
class Braking {
  public:
    Braking(dynamics::Evaluator& evaluator, double t, const double* q, const double* v,
            double largest_part)
        : dynamics_(evaluator, {}),
          t_(t),
          q_(q),
          n_(static_cast<std::size_t>(evaluator.model().n())),
          v_(v, v + n_),
          part_(n_, 0.0),
          push_(n_, 0.0) {
        double largest = 0.0;
        for (const double x : v_) {
            largest = std::max(largest, std::abs(x));
        }
        for (std::size_t i = 0; i < n_; ++i) {
            part_[i] = std::abs(v_[i]) <= largest_part * largest ? v_[i] : 0.0;
        }
        const solve::RowMatrix M = solve::full_mass(evaluator, t, q);
        Eigen::Map<Eigen::VectorXd>(push_.data(), M.rows()) =
            M * Eigen::Map<const Eigen::VectorXd>(part_.data(), M.rows());
    }

    std::optional<double> at(double scale) {
        std::vector<double> v = v_;
        for (std::size_t i = 0; i < n_; ++i) {
            v[i] += (scale - 1.0) * part_[i];
        }
        if (dynamics_.accelerate(t_, q_, v.data()) != solve::SolveStatus::kOk) {
            return std::nullopt;
        }
        double sum = 0.0;
        for (std::size_t i = 0; i < n_; ++i) {
            sum += push_[i] * dynamics_.a()[static_cast<Eigen::Index>(i)];
        }
        return std::isfinite(sum) ? std::optional(sum) : std::nullopt;
    }

  private:
    dynamics::MotionSolver dynamics_;
    double t_;
    const double* q_;
    std::size_t n_;
    std::vector<double> v_, part_, push_;
};

}  // namespace

bool is_dry_stop(dynamics::Evaluator& evaluator, double t, const double* q, const double* v) {
    if (evaluator.model().is_large()) {
        return false;
    }
    for (const double largest_part : {1.0, kSmall}) {
        Braking braking(evaluator, t, q, v, largest_part);
        const auto opposes = [&](double direction) {
            const std::optional<double> full = braking.at(direction);
            const std::optional<double> less = braking.at(kSmaller * direction);
            return full && less && *full * direction < 0.0 &&
                   *less * direction <= kSameStrength * *full * direction;
        };
        if (opposes(1.0) && opposes(-1.0)) {
            return true;
        }
    }
    return false;
}

std::optional<Stagnation> Pace::measure(dynamics::Evaluator& evaluator, const ode::Stepper& stepper,
                                        std::size_t attempts, double until, std::size_t max_steps) {
    if (attempts < counted_ + kStepsOfPace) {
        return std::nullopt;
    }
    const double pace = (stepper.t() - counted_at_) / static_cast<double>(attempts - counted_);
    const double ahead = (until - stepper.t()) / pace;
    counted_ = attempts;
    counted_at_ = stepper.t();
    const auto limit = static_cast<double>(max_steps);
    if (ahead > kHopeless * limit) {
        return Stagnation{pace, ahead, false};
    }
    const double* const q = stepper.y().data();
    slow_ = ahead > limit ? slow_ + 1 : 0;
    dry_ = slow_ > 0 && is_dry_stop(evaluator, stepper.t(), q, q + evaluator.model().n()) ? dry_ + 1
                                                                                          : 0;
    if (dry_ >= kMostDry || slow_ >= kMostSlow) {
        return Stagnation{pace, ahead, dry_ >= kMostDry};
    }
    return std::nullopt;
}

}  // namespace ananke::simulate
