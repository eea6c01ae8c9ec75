#include "dynamics/least_ratio.h"

#include <algorithm>
#include <cmath>

namespace ananke::dynamics {
namespace {

constexpr int kMostNewton = 50;
/// Decrement of Newton's method, squared, below which a point is central.
constexpr double kCentral = 1e-4;
constexpr double kSharpening = 20.0;

/// Minimises tau t - sum of log(t^2 - |g_i|^2) over t and y with g = g0 + B y, for growing tau. At
/// the centre t exceeds the least ratio by no more than 2 K/tau for K supports.
///                                       Boyd & Vandenberghe, Convex Optimization, 11.6 (cones)
class Barrier {
  public:
    Barrier(const Eigen::VectorXd& g0, const Eigen::MatrixXd& B, std::span<const Support> supports)
        : g0_(g0), B_(B), supports_(supports), y_(Eigen::VectorXd::Zero(B.cols())) {}

    Eigen::VectorXd minimise() {
        const double K = static_cast<double>(supports_.size());
        t_ = 2.0;  // the ratios of g0 are 1 at most
        for (double tau = K;; tau *= kSharpening) {
            for (int i = 0; i < kMostNewton && newton(tau); ++i) {
            }
            if (2.0 * K / tau < kRatioAccuracy) {
                return y_;
            }
        }
    }

  private:
    /// False where nothing is left to gain.
    bool newton(double tau) {
        const Eigen::Index p = y_.size();
        Eigen::VectorXd gradient = Eigen::VectorXd::Zero(p + 1);
        Eigen::MatrixXd H = Eigen::MatrixXd::Zero(p + 1, p + 1);
        const Eigen::VectorXd g = g0_ + B_ * y_;
        gradient[p] = tau;
        for (const Support& one : supports_) {
            const auto B = B_.middleRows(one.first, one.components);
            const auto part = g.segment(one.first, one.components);
            const double s = slack(t_, part.norm());
            Eigen::VectorXd ds(p + 1);
            ds.head(p) = -2.0 * B.transpose() * part;
            ds[p] = 2.0 * t_;
            gradient -= ds / s;
            H += (ds / s) * (ds / s).transpose();
            H.topLeftCorner(p, p) += 2.0 / s * B.transpose() * B;
            H(p, p) -= 2.0 / s;
        }
        const Eigen::VectorXd scale = H.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
        const Eigen::MatrixXd scaled = scale.asDiagonal() * H * scale.asDiagonal();
        const Eigen::VectorXd step =
            -scale.cwiseProduct(scaled.ldlt().solve(scale.cwiseProduct(gradient)));
        const double decrement = -gradient.dot(step);
        if (!(decrement > kCentral)) {
            return false;
        }
        double length = decrement > 0.1 ? 1.0 / (1.0 + std::sqrt(decrement)) : 1.0;
        for (int halving = 0; halving < 30; ++halving, length *= 0.5) {
            if (inside(t_ + length * step[p], y_ + length * step.head(p))) {
                t_ += length * step[p];
                y_ += length * step.head(p);
                return true;
            }
        }
        return false;
    }

    static double slack(double t, double size) { return (t - size) * (t + size); }

    bool inside(double t, const Eigen::VectorXd& y) const {
        const Eigen::VectorXd g = g0_ + B_ * y;
        return std::all_of(supports_.begin(), supports_.end(), [&](const Support& one) {
            return t > g.segment(one.first, one.components).norm();
        });
    }

    const Eigen::VectorXd& g0_;
    const Eigen::MatrixXd& B_;
    std::span<const Support> supports_;
    Eigen::VectorXd y_;
    double t_ = 0.0;
};

}  // namespace

Eigen::VectorXd least_ratio(const Eigen::VectorXd& f0, const Eigen::MatrixXd& Z,
                            std::span<const Support> supports) {
    Eigen::VectorXd g0 = f0;
    Eigen::MatrixXd B = Z;
    for (const Support& one : supports) {
        g0.segment(one.first, one.components) /= one.limit;
        B.middleRows(one.first, one.components) /= one.limit;
    }
    const Eigen::VectorXd scale = B.colwise().norm().cwiseInverse();
    B = B * scale.asDiagonal();
    const Eigen::VectorXd squares = -B.colPivHouseholderQr().solve(g0);
    g0 += B * squares;
    double largest = 0.0;
    for (const Support& one : supports) {
        largest = std::max(largest, g0.segment(one.first, one.components).norm());
    }
    if (largest == 0.0) {
        return scale.cwiseProduct(squares);
    }
    g0 /= largest;
    const Eigen::VectorXd more = Barrier(g0, B, supports).minimise();
    return scale.cwiseProduct(squares + largest * more);
}

}  // namespace ananke::dynamics
