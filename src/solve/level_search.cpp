#include "solve/level_search.h"

#include <algorithm>
#include <cmath>

#include "solve/search_units.h"

namespace ananke::solve {
namespace {

/// A guess with scaled residuals up to this stays as it is.
constexpr double kMet = 1e-15;
/// What moves is moved until scaled residuals are below this, or no longer fall: what is left of
/// them is seen in the first digits of values that should be 0.
constexpr double kLastDigit = 2e-16;
constexpr int kMostIterations = 300;
/// Damping of the first step, and the least: that of 1 halves the step of a value that one row
/// holds.
constexpr double kFirstDamping = 1e-3;
constexpr double kLeastDamping = 1e-12;
constexpr double kMostDamping = 1e9;
/// A search that has not come so much nearer in so many iterations ends nowhere.
constexpr std::size_t kPatience = 20;
constexpr double kProgress = 0.9;
/// From scaled residuals below this on Newton's method does the rest.
constexpr double kNear = 1e-6;
/// Where the damped search ends with more than this, Newton's method is of no use.
constexpr double kMostForNewton = 1e-3;
/// A guess on a straight line needs one restart at any cost; with eight, spread over nearly one
/// unit, few searches end nowhere that have a solution.
constexpr int kMostRestarts = 8;
constexpr int kMostRefinements = 200;
constexpr int kLeastRefinements = 3;
/// Numbers in the factors of all steps beyond which no restart, or refinement, begins: some
/// seconds.
constexpr double kMostWorkOfRestarts = 1e8;
constexpr double kMostWorkOfRefinements = 1e7;
constexpr int kMostHalvings = 4;
/// Weight of the plain norm in the distance from a guess, where it only breaks ties.
constexpr double kTieWeight = 1e-9;
/// A step of this part of the distance from the guess, squared, is none.
constexpr double kSamePlace = 1e-26;
/// Squared distances that differ by this part of them are the same. Around the nearest point they
/// are, of points that are the root of this apart: there steps tell, which become shorter, squared
/// by this at least, until they are rounding.
constexpr double kSameDistance = 1e-14;
constexpr double kShorter = 0.25;

}  // namespace

LevelSearch::LevelSearch(ConstraintSurface& surface, Level level, double t,
                         std::span<const double> q, std::span<const double> guess, double tolerance)
    : surface_(surface),
      projector_(surface),
      which_(level),
      t_(t),
      tolerance_(tolerance),
      n_(guess.size()),
      q_(q.begin(), q.end()) {
    std::vector<double> x(guess.begin(), guess.end());
    projector_.level().set_units(search_units(surface, state(x)));
}

LevelState LevelSearch::state(std::span<double> x) {
    return {which_, t_, which_ == Level::kPositions ? x : std::span<double>(q_), x};
}

bool LevelSearch::evaluate(std::span<double> x) {
    const LevelState at = state(x);
    projector_.level().evaluate(which_, t_, at.q, at.v);
    return level().is_finite();
}

NewtonResult LevelSearch::newton(std::span<double> x, const std::vector<bool>& exact, Aim aim) {
    const NewtonResult result =
        projector_.newton(state(x), exact, aim, {.skip = kLastDigit, .accept = tolerance_});
    work_ += result.iterations * projector_.fill();
    return result;
}

bool LevelSearch::damped_search(std::span<double> x, const std::vector<bool>& exact) {
    if (!evaluate(x)) {
        return false;
    }
    const ConstraintLevel& rows = level();
    if (std::find(exact.begin(), exact.end(), false) == exact.end()) {
        return rows.residual() <= tolerance_;
    }
    DampedSteps steps(surface_, rows, exact);
    double mu = kFirstDamping;
    damped_steps(x, steps, kNear, mu);
    if (rows.residual() > kMostForNewton) {
        return false;
    }
    if (newton(x, exact, Aim::kLeastSteps).met) {
        return true;
    }
    // In the metric of M rounding of large values may hide small ones.
    evaluate(x);
    damped_steps(x, steps, tolerance_, mu);
    return rows.residual() <= tolerance_;
}

/// Steps from x until the residual is below `goal`, or falls too slowly. The level is then
/// evaluated at x.
void LevelSearch::damped_steps(std::span<double> x, DampedSteps& steps, double goal, double& mu) {
    const ConstraintLevel& rows = level();
    std::vector<double> dx(n_);
    std::vector<double> before(x.begin(), x.end());
    std::vector<double> norms{steps.norm(rows)};
    bool better = true;
    while (better && rows.residual() > goal && norms.size() <= kMostIterations) {
        steps.load(rows);
        std::copy(x.begin(), x.end(), before.begin());
        better = false;
        while (!better && mu < kMostDamping) {
            if (steps.find(mu, dx)) {
                for (std::size_t j = 0; j < n_; ++j) {
                    x[j] = before[j] + dx[j];
                }
                better = evaluate(x) && steps.norm(rows) < norms.back();
            }
            work_ += steps.fill();
            mu *= better ? 0.1 : 8.0;
        }
        mu = std::max(mu, kLeastDamping);
        if (better) {
            norms.push_back(steps.norm(rows));
            better = norms.size() <= kPatience ||
                     norms.back() < kProgress * norms[norms.size() - 1 - kPatience];
        } else {
            std::copy(before.begin(), before.end(), x.begin());
            evaluate(x);
        }
    }
}

/// A guess may sit where the gradient vanishes. The displacements are fixed, so the answer is
/// reproducible.
bool LevelSearch::search_with_restarts(std::span<double> x, const std::vector<bool>& exact) {
    const std::vector<double> guess(x.begin(), x.end());
    const double begin = work_;
    if (damped_search(x, exact)) {
        return true;
    }
    std::vector<double> best(x.begin(), x.end());
    double least = evaluate(x) ? level().residual() : HUGE_VAL;
    const std::span<const double> units = level().units();
    for (int restart = 1; restart <= kMostRestarts; ++restart) {
        if (restart > 1 && work_ - begin > kMostWorkOfRestarts) {
            break;
        }
        int place = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            x[i] = guess[i];
            if (!exact[i]) {
                ++place;
                x[i] += 0.1 * restart * units[i] *
                        golden_spread(static_cast<std::size_t>(restart * place));
            }
        }
        if (place == 0) {
            break;
        }
        if (damped_search(x, exact)) {
            return true;
        }
        if (evaluate(x) && level().residual() < 0.5 * least) {
            least = level().residual();
            best.assign(x.begin(), x.end());
        }
    }
    std::copy(best.begin(), best.end(), x.begin());
    evaluate(x);
    return false;
}

/// |x - guess|^2 in the metric at the guess and a little of the plain norm.
double LevelSearch::squared_distance(std::span<const double> x,
                                     std::span<const double> guess) const {
    const std::span<const SparsePlace> places = surface_.mass_places();
    const std::span<const double> units = projector_.level().units();
    double typical = 0.0;
    double distance = 0.0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto r = static_cast<std::size_t>(places[i].row);
        const auto c = static_cast<std::size_t>(places[i].column);
        typical = r == c ? std::max(typical, mass_[i] * units[r] * units[r]) : typical;
        distance += (r == c ? 1.0 : 2.0) * mass_[i] * (x[r] - guess[r]) * (x[c] - guess[c]);
    }
    double plain = 0.0;
    for (std::size_t j = 0; j < n_; ++j) {
        const double dx = (x[j] - guess[j]) / units[j];
        plain += dx * dx;
    }
    return distance + (typical > 0.0 ? kTieWeight * typical : 1.0) * plain;
}

/// From a solution to the one nearest to the guess: along the linearised rows to the place nearest
/// to it, then back onto them.
void LevelSearch::move_to_nearest(std::span<const double> guess, std::span<double> x,
                                  const std::vector<bool>& exact) {
    const std::span<const double> mass =
        surface_.mass(t_, which_ == Level::kPositions ? guess.data() : q_.data());
    mass_.assign(mass.begin(), mass.end());
    std::vector<double> next(n_);
    const double begin = work_;
    double distance = squared_distance(x, guess);
    double last = HUGE_VAL;  // step, squared
    double longest = 1.0;    // part of a step that is tried first
    for (int refinement = 0; refinement < kMostRefinements; ++refinement) {
        if (refinement >= kLeastRefinements && work_ - begin > kMostWorkOfRefinements) {
            return;
        }
        evaluate(x);
        const std::span<const double> found = projector_.step_towards(guess, state(x), exact);
        if (found.empty()) {
            return;
        }
        work_ += projector_.fill();
        const std::vector<double> dx(found.begin(), found.end());
        bool nearer = false;
        bool settles = false;
        double there = 0.0;
        double step = 0.0;
        double part = 2.0 * longest;
        for (int halving = 0; halving <= kMostHalvings && !nearer && !settles; ++halving) {
            part *= 0.5;
            for (std::size_t j = 0; j < n_; ++j) {
                next[j] = x[j] + part * dx[j];
            }
            if (!newton(next, exact, Aim::kLeastSteps).met) {
                continue;
            }
            there = squared_distance(next, guess);
            step = squared_distance(next, x);
            nearer = there < distance * (1.0 - kSameDistance);
            settles = halving == 0 && there <= distance * (1.0 + kSameDistance) &&
                      step < kShorter * last && step > kSamePlace * distance;
        }
        if (!nearer && !settles) {
            return;
        }
        std::copy(next.begin(), next.end(), x.begin());
        if (step <= kSamePlace * distance) {
            return;
        }
        longest = std::min(1.0, 2.0 * part);
        distance = there;
        last = step;
    }
}

bool LevelSearch::nearest(std::span<double> x, const std::vector<bool>& exact) {
    const std::vector<double> guess(x.begin(), x.end());
    bool met = evaluate(x);
    if (met && level().residual() <= kMet) {
        return true;
    }
    // Steps towards the guess end at the tolerance: their residuals fall as slowly as they turn.
    met =
        met && newton(x, exact, Aim::kNearestToStart).met && newton(x, exact, Aim::kLeastSteps).met;
    if (!met) {
        std::copy(guess.begin(), guess.end(), x.begin());
        met = search_with_restarts(x, exact);
    }
    if (met && !std::equal(x.begin(), x.end(), guess.begin())) {
        move_to_nearest(guess, x, exact);
    }
    evaluate(x);
    return met;
}

}  // namespace ananke::solve
