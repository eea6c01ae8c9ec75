#include "dynamics/sparse_assembly.h"

#include <algorithm>
#include <cmath>

#include "dynamics/damped_steps.h"

namespace ananke::dynamics {
namespace {

constexpr int kMostIterations = 300;
/// Damping of the first step, and the least: that of 1 halves the step of a value that one row
/// holds.
constexpr double kFirstDamping = 1e-3;
constexpr double kLeastDamping = 1e-12;
constexpr double kMostDamping = 1e9;
/// A search that has not come so much nearer in so many iterations ends nowhere.
constexpr int kPatience = 20;
constexpr double kProgress = 0.9;
/// From scaled residuals below this on Newton's method does the rest.
constexpr double kNear = 1e-6;
/// Where the damped search ends with more than this, Newton's method is of no use.
constexpr double kMostForNewton = 1e-3;
constexpr int kMostRestarts = 8;
constexpr int kMostRefinements = 200;
/// Restarts and refinements are fewer where they cost more: so many coordinates are worth one. A
/// guess on a straight line needs one restart at any size.
constexpr int kWorthRestart = 8000;
constexpr int kWorthRefinement = 20000;
constexpr int kLeastRefinements = 3;
constexpr int kMostHalvings = 4;
/// Gains of squared distance below this part of it are not worth another refinement,
constexpr double kWorthRefining = 1e-10;
/// nor are those below this that fall slowly: the guess is too coarse for a nearest point to
/// matter.
constexpr double kWorthLongWay = 1e-3;
constexpr double kSlow = 0.7;

/// The part of the metric that sees directions without mass.
constexpr double kPlainDistance = 1e-9;

}  // namespace

SparseAssembly::SparseAssembly(Evaluator& evaluator)
    : evaluator_(&evaluator),
      projection_(evaluator),
      n_(static_cast<std::size_t>(evaluator.model().n())),
      q_(n_),
      v_(n_) {}

bool SparseAssembly::evaluate(const solve::LevelValues& level, std::span<const double> x) {
    return projection_.level().evaluate(level.velocities, level.t, level.velocities ? level.q : x,
                                        x);
}

bool SparseAssembly::descend(const solve::LevelValues& level, std::span<double> x,
                             const std::vector<bool>& exact, bool to_guess) {
    std::copy_n(level.q.begin(), n_, q_.begin());
    std::copy_n(x.begin(), n_, (level.velocities ? v_ : q_).begin());
    solve::ProjectionOptions options;
    options.accept = level.tolerance;
    const bool met =
        projection_.descend(level.velocities, level.t, q_, v_, exact, to_guess, options);
    std::copy_n((level.velocities ? v_ : q_).begin(), n_, x.begin());
    return met;
}

/// Levenberg and Marquardt's method, then Newton's.
bool SparseAssembly::damped_search(const solve::LevelValues& level, std::span<double> x,
                                   const std::vector<bool>& exact) {
    SparseLevel& rows = projection_.level();
    if (!evaluate(level, x)) {
        return false;
    }
    if (std::find(exact.begin(), exact.end(), false) == exact.end()) {
        return rows.residual() <= level.tolerance;
    }
    DampedSteps steps(evaluator_->model(), rows, exact);
    std::vector<double> dx(n_);
    std::vector<double> before(x.begin(), x.end());
    std::vector<double> norms{steps.norm(rows)};
    double mu = kFirstDamping;
    bool better = true;
    while (better && rows.residual() > kNear && norms.size() <= kMostIterations) {
        steps.load(rows);
        std::copy(x.begin(), x.end(), before.begin());
        better = false;
        while (!better && mu < kMostDamping) {
            if (steps.find(mu, dx)) {
                for (std::size_t j = 0; j < n_; ++j) {
                    x[j] = before[j] + dx[j];
                }
                better = evaluate(level, x) && steps.norm(rows) < norms.back();
            }
            mu *= better ? 0.1 : 8.0;
        }
        mu = std::max(mu, kLeastDamping);
        if (better) {
            norms.push_back(steps.norm(rows));
            better = norms.size() <= kPatience ||
                     norms.back() < kProgress * norms[norms.size() - 1 - kPatience];
        } else {
            std::copy(before.begin(), before.end(), x.begin());
            evaluate(level, x);
        }
    }
    if (rows.residual() > kMostForNewton) {
        return false;
    }
    return descend(level, x, exact, false);
}

bool SparseAssembly::reach(const solve::LevelValues& level, std::span<double> x,
                           const std::vector<bool>& exact) {
    return damped_search(level, x, exact);
}

bool SparseAssembly::reach_with_restarts(const solve::LevelValues& level, std::span<double> x,
                                         const std::vector<bool>& exact) {
    const std::vector<double> guess(x.begin(), x.end());
    if (damped_search(level, x, exact)) {
        return true;
    }
    std::vector<double> best(x.begin(), x.end());
    const bool finite = evaluate(level, best);
    double least = finite ? residual() : HUGE_VAL;
    const int most = std::clamp(kWorthRestart / static_cast<int>(n_), 1, kMostRestarts);
    const std::span<const double> units = projection_.level().units();
    for (int restart = 1; restart <= most; ++restart) {
        int place = 0;
        std::copy(guess.begin(), guess.end(), x.begin());
        for (std::size_t i = 0; i < n_; ++i) {
            if (!exact[i]) {
                ++place;
                x[i] += 0.1 * restart * units[i] *
                        solve::golden_spread(static_cast<std::size_t>(restart * place));
            }
        }
        if (place == 0) {
            break;
        }
        if (damped_search(level, x, exact)) {
            return true;
        }
        if (evaluate(level, x) && residual() < 0.5 * least) {
            least = residual();
            best.assign(x.begin(), x.end());
        }
    }
    std::copy(best.begin(), best.end(), x.begin());
    evaluate(level, x);
    return false;
}

std::vector<double> SparseAssembly::find_units(const solve::LevelValues& level,
                                               std::span<const double> x) {
    SparseLevel& rows = projection_.level();
    rows.set_units({});
    evaluate(level, x);
    std::vector<solve::Slope> slopes;
    for (std::size_t i = 0; i < rows.entries().size(); ++i) {
        const compile::Place place = rows.places()[i];
        if (place.row < rows.rows() && rows.entries()[i] != 0.0) {
            slopes.push_back({place.row, place.column, rows.entries()[i]});
        }
    }
    const std::vector<double> residuals(rows.residuals().begin(), rows.residuals().end());
    const auto residuals_at = [&](std::span<const double> moved) {
        evaluate(level, moved);
        return std::vector<double>(rows.residuals().begin(), rows.residuals().end());
    };
    return solve::search_units(x, evaluator_->sizes(level.velocities, x.data()), residuals, slopes,
                               residuals_at);
}

double SparseAssembly::squared_distance(std::span<const double> x, std::span<const double> guess,
                                        std::span<const double> units) const {
    const compile::CompiledModel& model = evaluator_->model();
    double typical = 0.0;
    double distance = 0.0;
    for (std::size_t i = 0; i < mass_.size(); ++i) {
        const auto r = static_cast<std::size_t>(model.mass_entries[i].row);
        const auto c = static_cast<std::size_t>(model.mass_entries[i].column);
        typical = r == c ? std::max(typical, mass_[i] * units[r] * units[r]) : typical;
        distance += (r == c ? 1.0 : 2.0) * mass_[i] * (x[r] - guess[r]) * (x[c] - guess[c]);
    }
    double plain = 0.0;
    for (std::size_t j = 0; j < n_; ++j) {
        const double dx = (x[j] - guess[j]) / units[j];
        plain += dx * dx;
    }
    return distance + kPlainDistance * (typical > 0.0 ? typical : 1.0) * plain;
}

/// From a solution to the solution nearest to the guess: along the rows towards it, then back onto
/// them.
void SparseAssembly::move_least(const solve::LevelValues& level, std::span<const double> guess,
                                std::span<double> x, const std::vector<bool>& exact) {
    const std::span<const double> q = level.velocities ? level.q : guess;
    const std::span<const double> mass = evaluator_->mass_entries(level.t, q.data());
    mass_.assign(mass.begin(), mass.end());
    const int most =
        std::clamp(kWorthRefinement / static_cast<int>(n_), kLeastRefinements, kMostRefinements);
    const std::span<const double> units = projection_.level().units();
    double distance = squared_distance(x, guess, units);
    double gain = 1.0;
    double longest = 1.0;  // part of a step that is tried first
    std::vector<double> next(n_);
    for (int refinement = 0; refinement < most; ++refinement) {
        evaluate(level, x);
        const std::span<const double> found = projection_.step(level.t, q, x, guess, exact);
        if (found.empty()) {
            return;
        }
        const std::vector<double> dx(found.begin(), found.end());
        double there = HUGE_VAL;
        double part = longest;
        for (int halving = 0; halving <= kMostHalvings && !(there < distance);
             ++halving, part *= 0.5) {
            for (std::size_t j = 0; j < n_; ++j) {
                next[j] = x[j] + part * dx[j];
            }
            there = descend(level, next, exact, false) ? squared_distance(next, guess, units)
                                                       : HUGE_VAL;
        }
        longest = std::min(1.0, 4.0 * part);  // twice what served
        if (!(there < distance)) {
            return;
        }
        const double gained = 1.0 - there / distance;
        std::copy(next.begin(), next.end(), x.begin());
        distance = there;
        if (gained < kWorthRefining || (gained < kWorthLongWay && gained > kSlow * gain)) {
            return;
        }
        gain = gained;
    }
}

bool SparseAssembly::nearest(const solve::LevelValues& level, std::span<double> x,
                             const std::vector<bool>& exact) {
    const std::vector<double> guess(x.begin(), x.end());
    projection_.level().set_units(find_units(level, guess));
    if (descend(level, x, exact, true)) {
        return true;
    }
    std::copy(guess.begin(), guess.end(), x.begin());
    if (!reach_with_restarts(level, x, exact)) {
        return false;
    }
    move_least(level, guess, x, exact);
    return true;
}

}  // namespace ananke::dynamics
