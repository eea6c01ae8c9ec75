#include "ode/gauss_step.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/check.h"

namespace ananke::ode {
namespace {

using Nodes = GaussStep::Nodes;
constexpr std::size_t kNodes = GaussStep::kNodes;

/// Positive zeros of the Legendre polynomial of degree 8 and their weights.
constexpr std::array<double, 4> kZeros{0.18343464249564980494, 0.52553240991632898582,
                                       0.79666647741362673959, 0.96028985649753623168};
constexpr std::array<double, 4> kWeights{0.36268378337836198297, 0.31370664587788728734,
                                         0.22238103445337447054, 0.10122853629037625915};
/// Points left out by the rules of lower order: none, the first, the first and the last.
enum class LeftOut : std::uint8_t { kNone, kFirst, kFirstAndLast };

bool leaves_out(LeftOut rule, std::size_t k) {
    return (rule != LeftOut::kNone && k == 0) ||
           (rule == LeftOut::kFirstAndLast && k == kNodes - 1);
}

constexpr int kMostIterations = 60;
/// Change of the stages from one iteration to the next, in units of the tolerance: done below the
/// first; done below the second, or below the third part of the values, as soon as it no longer
/// falls, which is rounding. Near a singular configuration it is magnified.
constexpr double kConverged = 0.1;
constexpr double kStagnant = 100.0;
constexpr double kMagnifiedRounding = 1e-9;
constexpr double kFalling = 0.5;
/// P is asked for the last digit when they change by less than this, or no longer less.
constexpr double kNearlyThere = 1.0;

/// l_j(x), the polynomial of lowest degree that is 1 at point j and 0 at the others of the rule.
double lagrange(const Nodes& c, std::size_t j, double x, LeftOut rule = LeftOut::kNone) {
    double value = 1.0;
    for (std::size_t k = 0; k < kNodes; ++k) {
        if (k != j && !leaves_out(rule, k)) {
            value *= (x - c[k]) / (c[j] - c[k]);
        }
    }
    return value;
}

struct Tableau {
    Nodes c, b, b7, b6;
    std::array<Nodes, kNodes> a;
};

/// The integral of l_j from 0 to x; the rule itself is exact for it.
double integral(const Tableau& gauss, std::size_t j, double x, LeftOut rule = LeftOut::kNone) {
    if (leaves_out(rule, j)) {
        return 0.0;
    }
    double sum = 0.0;
    for (std::size_t k = 0; k < kNodes; ++k) {
        sum += gauss.b[k] * lagrange(gauss.c, j, x * gauss.c[k], rule);
    }
    return x * sum;
}

Tableau make_tableau() {
    Tableau gauss{};
    for (std::size_t k = 0; k < kNodes / 2; ++k) {
        gauss.c[kNodes / 2 - 1 - k] = 0.5 * (1.0 - kZeros[k]);
        gauss.c[kNodes / 2 + k] = 0.5 * (1.0 + kZeros[k]);
        gauss.b[kNodes / 2 - 1 - k] = gauss.b[kNodes / 2 + k] = 0.5 * kWeights[k];
    }
    for (std::size_t j = 0; j < kNodes; ++j) {
        for (std::size_t i = 0; i < kNodes; ++i) {
            gauss.a[i][j] = integral(gauss, j, gauss.c[i]);
        }
        gauss.b7[j] = integral(gauss, j, 1.0, LeftOut::kFirst);
        gauss.b6[j] = integral(gauss, j, 1.0, LeftOut::kFirstAndLast);
    }
    return gauss;
}

const Tableau& tableau() {
    static const Tableau gauss = make_tableau();
    return gauss;
}

}  // namespace

void GaussStep::take_memory() {
    for (std::vector<double>* values : {&y0_, &end_, &stage_}) {
        values->resize(size_);
    }
    for (std::vector<double>& stage : Y_) {
        stage.resize(size_);
    }
    for (std::vector<double>& slope : F_) {
        slope.resize(size_);
    }
}

const Nodes& GaussStep::nodes() {
    return tableau().c;
}

/// y = y0 + h sum_j weights_j F_j
void GaussStep::combine(const Nodes& weights, std::span<double> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < kNodes; ++j) {
            sum += weights[j] * F_[j][i];
        }
        y[i] = y0_[i] + h_ * sum;
    }
}

Status GaussStep::evaluate_stage(const GaussProblem& problem, std::size_t i) {
    ++evaluations_;
    const Evaluation evaluation = problem.rhs(t0_ + nodes()[i] * h_, Y_[i], F_[i]);
    if (evaluation.kind != Evaluation::Kind::kOk) {
        return Status::kRhsRetry;
    }
    const bool finite = std::ranges::all_of(F_[i], [](double f) { return std::isfinite(f); });
    return finite ? Status::kOk : Status::kNotFinite;
}

/// Root mean square of stage_ - Y_i in units of the tolerance.
double GaussStep::change_of_stage(const GaussProblem& problem, std::size_t i) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < stage_.size(); ++k) {
        const double scale = problem.atol[k] + problem.rtol * std::abs(stage_[k]);
        const double change = (stage_[k] - Y_[i][k]) / scale;
        sum += change * change;
    }
    return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(stage_.size(), 1)));
}

Status GaussStep::take(const GaussProblem& problem, double t0, std::span<const double> y0, double h,
                       FunctionRef<void(double, std::span<double>)> guess) {
    ANANKE_REQUIRE(y0.size() == size_ && problem.atol.size() == size_);
    take_memory();
    t0_ = t0;
    h_ = h;
    evaluations_ = 0;
    ends_known_ = false;
    std::ranges::copy(y0, y0_.begin());
    const auto project = [&problem](bool roughly) {
        return roughly && problem.project_roughly ? problem.project_roughly : problem.project;
    };
    for (std::size_t i = 0; i < kNodes; ++i) {
        const double t = t0_ + nodes()[i] * h_;
        guess(t, Y_[i]);
        if (!project(true)(t, Y_[i])) {
            return Status::kProjectionFailed;
        }
        if (const Status status = evaluate_stage(problem, i); status != Status::kOk) {
            return status;
        }
    }
    const double stagnant = std::max(kStagnant, kMagnifiedRounding / problem.rtol);
    double before = std::numeric_limits<double>::infinity();
    bool roughly = static_cast<bool>(problem.project_roughly);
    for (iterations_ = 1; iterations_ <= kMostIterations; ++iterations_) {
        double change = 0.0;
        // Each stage uses the newest slopes of those before it.
        for (std::size_t i = 0; i < kNodes; ++i) {
            const double t = t0_ + nodes()[i] * h_;
            combine(tableau().a[i], stage_);
            if (!project(roughly)(t, stage_)) {
                return Status::kProjectionFailed;
            }
            change = std::max(change, change_of_stage(problem, i));
            Y_[i].swap(stage_);
            if (const Status status = evaluate_stage(problem, i); status != Status::kOk) {
                return status;
            }
        }
        const bool falling = change < kFalling * before;
        const bool converged = change < kConverged || (change < stagnant && !falling);
        if (converged && !roughly) {
            combine(tableau().b, end_);
            return Status::kOk;
        }
        if (roughly && std::isfinite(change) && (!falling || change < kNearlyThere)) {
            roughly = false;
            before = std::numeric_limits<double>::infinity();
            continue;
        }
        if (!std::isfinite(change) || (!(change < before) && iterations_ > 3)) {
            break;
        }
        before = change;
    }
    return Status::kStepTooSmall;
}

void GaussStep::end_of_order_7(std::span<double> y) const {
    combine(tableau().b7, y);
}

void GaussStep::end_of_order_6(std::span<double> y) const {
    combine(tableau().b6, y);
}

void GaussStep::set_slopes_at_ends(std::span<const double> first, std::span<const double> last) {
    ANANKE_REQUIRE(first.size() == y0_.size() && last.size() == y0_.size());
    std::ranges::copy(first, F_[kNodes].begin());
    std::ranges::copy(last, F_[kNodes + 1].begin());
    ends_known_ = true;
}

/// Weights of F_ in the slope at x in [0, 1].
GaussStep::Points GaussStep::slope_weights(double x) const {
    Points weights{};
    for (std::size_t j = 0; j < kNodes; ++j) {
        const double c = nodes()[j];
        weights[j] = lagrange(nodes(), j, x);
        if (ends_known_) {
            weights[j] *= x * (1.0 - x) / (c * (1.0 - c));
        }
    }
    if (ends_known_) {
        // The product of x - c_k over the points is the same at 0 and at 1, as they lie evenly.
        double product = 1.0;
        for (const double c : nodes()) {
            product *= (x - c) / c;
        }
        weights[kNodes] = (1.0 - x) * product;
        weights[kNodes + 1] = x * product;
    }
    return weights;
}

/// And in the integral from 0 to x, for which the rule is exact.
GaussStep::Points GaussStep::dense_weights(double x) const {
    Points weights{};
    for (std::size_t k = 0; k < kNodes; ++k) {
        const Points inside = slope_weights(x * nodes()[k]);
        for (std::size_t j = 0; j < kPoints; ++j) {
            weights[j] += x * tableau().b[k] * inside[j];
        }
    }
    return weights;
}

void GaussStep::dense(double t, std::span<double> y) const {
    const Points weights = dense_weights((t - t0_) / h_);
    for (std::size_t i = 0; i < y.size(); ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < kPoints; ++j) {
            sum += weights[j] * F_[j][i];
        }
        y[i] = y0_[i] + h_ * sum;
    }
}

void GaussStep::slope(double t, std::span<double> dydt) const {
    const Points weights = slope_weights((t - t0_) / h_);
    for (std::size_t i = 0; i < dydt.size(); ++i) {
        dydt[i] = 0.0;
        for (std::size_t j = 0; j < kPoints; ++j) {
            dydt[i] += weights[j] * F_[j][i];
        }
    }
}

}  // namespace ananke::ode
