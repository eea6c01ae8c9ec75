#include "simulate/dry_stop.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace ananke::simulate {
namespace {

/// Velocities below this part of the largest are about to vanish beside it.
constexpr double kSmall = 1e-4;
/// The law is asked once more for velocities smaller by this.
constexpr double kSmaller = 1e-3;
/// A force that keeps this part of its strength then does not vanish with the velocity.
constexpr double kSameStrength = 0.5;

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
    dynamics::Dynamics dynamics_;
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

}  // namespace ananke::simulate
