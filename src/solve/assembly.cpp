#include "solve/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/text.h"
#include "dense/dense.h"
#include "solve/acceleration.h"
#include "solve/contradiction.h"
#include "solve/kernels.h"

namespace ananke::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Weight of the plain norm in the damped search, where M alone does not measure every direction.
constexpr double kPlainWeight = 1e-6;
// And in the distance from a guess, where it only breaks ties.
constexpr double kTieWeight = 1e-9;
// A step of this part of the distance from the guess, squared, is none.
constexpr double kSamePlace = 1e-26;
// Squared distances that differ by this part of them are the same. Around the nearest point they
// are, of points that are the root of this apart: there steps tell, which become shorter, squared
// by this at least, until they are rounding.
constexpr double kSameDistance = 1e-14;
constexpr double kShorter = 0.25;
// Scaled residuals below this part of the tolerance are rounding.
constexpr double kFarBelow = 1e-3;
constexpr int kMostRestarts = 8;
constexpr int kMostRefinements = 200;
// At the end of a failed search rows are dependent only as well as the search converged.
constexpr ContradictionTolerance kSearchTolerance{1e-5, 1e-7};

// One level of the problem: residuals of x as functions, x being q or v.
class Level {
  public:
    Level(ConstraintSurface& surface, bool velocities, double t, const VectorXd& q,
          const VectorXd& guess)
        : surface_(surface), velocities_(velocities), t_(t), q_(q) {
        find_units(guess);
    }

    int rows() const { return velocities_ ? surface_.velocity_rows() : surface_.position_rows(); }

    struct Values {
        VectorXd f;
        VectorXd scaled;  // f over its scale
        RowMatrix J;
        VectorXd weight;  // 1 / scale
        double largest = 0.0;
        bool finite = true;
    };

    Values at(const VectorXd& x) const {
        Values values{VectorXd::Zero(rows()), {}, RowMatrix::Zero(rows(), x.size()), {}, 0.0, true};
        VectorXd scale = VectorXd::Ones(rows());
        if (rows() > 0 && velocities_) {
            surface_.velocity(t_, q_.data(), x.data(), values.f.data(), values.J.data(),
                              scale.data());
        } else if (rows() > 0) {
            surface_.position(t_, x.data(), values.f.data(), values.J.data(), scale.data());
        }
        if (units_.size() > 0) {
            scale = scale.cwiseMax(values.J.cwiseAbs() * units_);
        }
        values.weight = VectorXd::Ones(rows());
        for (int k = 0; k < rows(); ++k) {
            values.weight[k] = 1.0 / divisor(scale[k]);
        }
        values.scaled = values.f.cwiseProduct(values.weight);
        values.finite = values.f.allFinite() && values.J.allFinite() && values.weight.allFinite();
        values.largest = rows() > 0 ? values.scaled.cwiseAbs().maxCoeff() : 0.0;
        return values;
    }

    LevelValues describe(const AssemblyOptions& options) const {
        return {
            velocities_, t_, {q_.data(), static_cast<std::size_t>(q_.size())}, options.tolerance};
    }

    // One per value of x, of its own dimension.
    const VectorXd& units() const { return units_; }

    RowMatrix mass(const VectorXd& x) const {
        RowMatrix M(x.size(), x.size());
        surface_.mass(t_, velocities_ ? q_.data() : x.data(), M.data());
        return M;
    }

  private:
    void find_units(const VectorXd& guess) {
        const Values values = at(guess);
        std::vector<Slope> slopes;
        for (int k = 0; k < rows(); ++k) {
            for (int j = 0; j < static_cast<int>(guess.size()); ++j) {
                if (values.J(k, j) != 0.0 && std::isfinite(values.J(k, j))) {
                    slopes.push_back({k, j, values.J(k, j)});
                }
            }
        }
        const auto residuals_at = [this](std::span<const double> moved) {
            std::vector<double> f(static_cast<std::size_t>(rows()));
            std::vector<double> scale(f.size());
            if (velocities_) {
                surface_.velocity(t_, q_.data(), moved.data(), f.data(), nullptr, scale.data());
            } else {
                surface_.position(t_, moved.data(), f.data(), nullptr, scale.data());
            }
            return f;
        };
        const std::vector<double> units = search_units(
            {guess.data(), static_cast<std::size_t>(guess.size())},
            surface_.sizes(velocities_, guess.data()),
            {values.f.data(), static_cast<std::size_t>(values.f.size())}, slopes, residuals_at);
        units_ = Eigen::Map<const VectorXd>(units.data(), guess.size());
    }

    ConstraintSurface& surface_;
    bool velocities_;
    double t_;
    const VectorXd& q_;
    VectorXd units_;  // what values are measured by
};

struct Search {
    VectorXd x;
    Level::Values values;
    bool converged = false;
};

std::vector<Index> free_places(const std::vector<bool>& exact) {
    std::vector<Index> places;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        if (!exact[i]) {
            places.push_back(static_cast<Index>(i));
        }
    }
    return places;
}

// M and `weight` of the plain norm in these units, by the largest mass in them.
RowMatrix with_plain_norm(RowMatrix M, const VectorXd& units, double weight) {
    const VectorXd masses = M.diagonal().cwiseProduct(units).cwiseProduct(units);
    const double typical = std::max(masses.maxCoeff(), 0.0);
    M.diagonal().array() +=
        (typical > 0.0 ? weight * typical : 1.0) * units.array().square().inverse();
    return M;
}

// L with L L^T = M + a little of the plain norm, over the free places; steps are L^-T z.
MatrixXd search_metric(const RowMatrix& M, const VectorXd& units, const std::vector<Index>& free) {
    const MatrixXd metric = with_plain_norm(M(free, free), units(free), kPlainWeight);
    const Eigen::LLT<MatrixXd> factor(metric);
    return factor.info() == Eigen::Success
               ? MatrixXd(factor.matrixL())
               : MatrixXd(MatrixXd::Identity(metric.rows(), metric.cols()));
}

// Levenberg-Marquardt in the metric: (W^T W + mu) z = -W^T f, W = S J L^-T.
Search damped_search(const Level& level, VectorXd x, const std::vector<Index>& free,
                     const AssemblyOptions& options) {
    Search search{x, level.at(x), false};
    if (search.values.finite && search.values.largest <= options.tolerance * kFarBelow) {
        search.converged = true;
        return search;
    }
    double mu = -1.0;
    for (int iteration = 0; iteration < options.most_iterations; ++iteration) {
        search.converged = search.values.finite && search.values.largest <= options.tolerance;
        if (!search.values.finite || search.values.largest <= options.tolerance * kFarBelow ||
            free.empty()) {
            return search;
        }
        const MatrixXd L = search_metric(level.mass(search.x), level.units(), free);
        const MatrixXd J = search.values.weight.asDiagonal() * search.values.J(Eigen::all, free);
        const MatrixXd W = L.triangularView<Eigen::Lower>().solve(J.transpose()).transpose();
        const Eigen::BDCSVD<MatrixXd> svd(W, Eigen::ComputeThinU | Eigen::ComputeThinV);
        const VectorXd sigma = svd.singularValues();
        if (!(sigma[0] > 0.0)) {
            return search;
        }
        mu = mu < 0.0 ? 1e-3 * sigma[0] * sigma[0] : mu;
        const VectorXd c = -svd.matrixU().transpose() * search.values.scaled;
        bool better = false;
        for (int trial = 0; trial < 40 && !better; ++trial) {
            const VectorXd gain = (sigma.array() > 1e-11 * sigma[0])
                                      .select(sigma.array() / (sigma.array().square() + mu), 0.0);
            const VectorXd z = svd.matrixV() * gain.cwiseProduct(c);
            VectorXd next = search.x;
            next(free) += L.transpose().triangularView<Eigen::Upper>().solve(z);
            Level::Values values = level.at(next);
            better = values.finite && values.scaled.norm() < search.values.scaled.norm();
            mu *= better ? 0.1 : 8.0;
            if (better) {
                const bool crawling =
                    values.scaled.norm() > (1.0 - 1e-9) * search.values.scaled.norm();
                search.x = next;
                search.values = std::move(values);
                if (crawling && search.values.largest > options.tolerance) {
                    return search;
                }
            }
        }
        mu = std::max(mu, 1e-18 * sigma[0] * sigma[0]);
        if (!better) {
            break;  // stationary: at the goal to round-off, or stuck
        }
    }
    search.converged = search.values.finite && search.values.largest <= options.tolerance;
    return search;
}

// The same from a few displaced starts when the first ends nowhere: a guess may sit where the
// gradient vanishes. The displacements are fixed, so the answer is reproducible.
Search search_with_restarts(const Level& level, const VectorXd& x, const std::vector<Index>& free,
                            const AssemblyOptions& options) {
    Search best = damped_search(level, x, free, options);
    for (int restart = 1; restart <= kMostRestarts && !best.converged && !free.empty(); ++restart) {
        VectorXd start = x;
        for (std::size_t i = 0; i < free.size(); ++i) {
            start[free[i]] += 0.1 * restart * level.units()[free[i]] *
                              golden_spread(static_cast<std::size_t>(restart) * (i + 1));
        }
        Search other = damped_search(level, start, free, options);
        if (other.converged ||
            (other.values.finite && other.values.largest < 0.5 * best.values.largest)) {
            best = std::move(other);
        }
    }
    return best;
}

// From a solution to the solution nearest to the guess: x <- guess + dx, least |dx|_M with
// f + J (guess + dx - x) = 0, then back onto the rows.
void move_least(const Level& level, const VectorXd& guess, const std::vector<Index>& free,
                const AssemblyOptions& options, Search& search) {
    if (free.empty() || level.rows() == 0) {
        return;
    }
    const auto n = static_cast<int>(free.size());
    const int m = level.rows();
    LeastChange change(n, m);
    const RowMatrix M = level.mass(guess);
    const RowMatrix M_free = M(free, free);
    const RowMatrix metric = with_plain_norm(M, level.units(), kTieWeight);
    const auto squared_distance = [&](const VectorXd& dx) { return dx.dot(metric * dx); };
    double last = HUGE_VAL;  // step, squared
    for (int iteration = 0; iteration < kMostRefinements; ++iteration) {
        const RowMatrix J = search.values.J(Eigen::all, free);
        if (!change.load(m, M_free.data(), J.data(), RankPolicy{})) {
            return;
        }
        const VectorXd gap = guess(free) - search.x(free);
        const VectorXd f = search.values.f + J * gap;
        VectorXd dx(n);
        change.step(f.data(), dx.data());
        VectorXd next = guess;
        next(free) += dx;
        Search moved = damped_search(level, next, free, options);
        const double before = squared_distance(search.x - guess);
        const double after = squared_distance(moved.x - guess);
        const double step = squared_distance(moved.x - search.x);
        const bool nearer = after < before * (1.0 - kSameDistance);
        const bool settles = after <= before * (1.0 + kSameDistance) && step < kShorter * last &&
                             step > kSamePlace * before;
        if (!moved.converged || !(nearer || settles)) {
            return;
        }
        last = step;
        search = std::move(moved);
        if (step <= kSamePlace * before) {
            return;
        }
    }
}

std::span<double> values_of(VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

Search solve_level(const Level& level, const VectorXd& guess, const std::vector<bool>& exact,
                   const AssemblyOptions& options) {
    if (options.search != nullptr) {
        Search search{guess, {}, false};
        search.converged =
            options.search->nearest(level.describe(options), values_of(search.x), exact);
        search.values = level.at(search.x);
        return search;
    }
    const std::vector<Index> free = free_places(exact);
    Search search = search_with_restarts(level, guess, free, options);
    if (search.converged && search.x != guess) {
        move_least(level, guess, free, options, search);
    }
    return search;
}

// Which exact values stand in the way, of few coordinates.
void blame_exact_values(const Level& level, const VectorXd& guess, const std::vector<bool>& exact,
                        const AssemblyOptions& options, AssemblyFailure& failure) {
    const auto assembles = [&](const std::vector<bool>& trial) {
        return search_with_restarts(level, guess, free_places(trial), options).converged;
    };
    if (!assembles(std::vector<bool>(exact.size(), false))) {
        return;
    }
    for (std::size_t i = 0; i < exact.size(); ++i) {
        std::vector<bool> trial = exact;
        trial[i] = false;
        if (exact[i] && assembles(trial)) {
            failure.exact_values.push_back(static_cast<int>(i));
        }
    }
    if (!failure.exact_values.empty()) {
        return;
    }
    std::vector<bool> trial(exact.size(), false);
    for (std::size_t i = 0; i < exact.size(); ++i) {
        trial[i] = exact[i];  // keep this one exact if the rest can then still be assembled
        if (exact[i] && !assembles(trial)) {
            trial[i] = false;
            failure.exact_values_together.push_back(static_cast<int>(i));
        }
    }
}

// The same of many: only values that change the residual where the search ended can help, each is
// tried from there, and those that may stay are found by halves, from one solution to the next.
class BlameOfMany {
  public:
    BlameOfMany(const Level& level, const VectorXd& guess, const std::vector<bool>& exact,
                const AssemblyOptions& options)
        : level_(level.describe(options)), search_(*options.search), guess_(guess), exact_(exact) {}

    void find(const Search& end, AssemblyFailure& failure) {
        kept_.assign(exact_.size(), false);
        solution_ = guess_;
        if (!search_.reach_with_restarts(level_, values_of(solution_), kept_)) {
            return;
        }
        const RowMatrix J = end.values.weight.asDiagonal() * end.values.J;
        const VectorXd slope = J.transpose() * end.values.scaled;
        for (std::size_t i = 0; i < exact_.size(); ++i) {
            const auto place = static_cast<Index>(i);
            const double size = J.col(place).norm() * end.values.scaled.norm();
            if (!exact_[i] || !(std::abs(slope[place]) > kNoSlope * size)) {
                continue;
            }
            std::vector<bool> trial = exact_;
            trial[i] = false;
            VectorXd x = end.x;
            if (search_.reach(level_, values_of(x), trial)) {
                failure.exact_values.push_back(static_cast<int>(i));
            }
        }
        if (failure.exact_values.empty()) {
            for (std::size_t i = 0; i < exact_.size(); ++i) {
                if (exact_[i]) {
                    places_.push_back(i);
                }
            }
            keep(0, places_.size(), failure.exact_values_together);
        }
    }

  private:
    // Keeps those of the places [from, to) exact that can be; the others are freed.
    void keep(std::size_t from, std::size_t to, std::vector<int>& freed) {
        std::vector<bool> trial = kept_;
        VectorXd x = solution_;
        for (std::size_t k = from; k < to; ++k) {
            trial[places_[k]] = true;
            x[static_cast<Index>(places_[k])] = guess_[static_cast<Index>(places_[k])];
        }
        if (search_.reach(level_, values_of(x), trial)) {
            kept_ = trial;
            solution_ = x;
        } else if (to - from == 1) {
            freed.push_back(static_cast<int>(places_[from]));
        } else {
            const std::size_t middle = from + (to - from) / 2;
            keep(from, middle, freed);
            keep(middle, to, freed);
        }
    }

    // A value that changes the residual by less than this part of what it could is not to blame.
    static constexpr double kNoSlope = 1e-6;

    LevelValues level_;
    LevelSearch& search_;
    const VectorXd& guess_;
    const std::vector<bool>& exact_;
    std::vector<bool> kept_;
    std::vector<std::size_t> places_;  // of exact values
    VectorXd solution_;                // with kept_ exact
};

AssemblyFailure explain(const Level& level, bool velocities, const VectorXd& guess,
                        const std::vector<bool>& exact, const Search& search,
                        const AssemblyOptions& options, std::span<const std::string> keys) {
    AssemblyFailure failure;
    failure.velocities = velocities;
    failure.residual = search.values.f;
    failure.scaled_residual = search.values.scaled;
    const char* what = velocities ? "velocities" : "positions";
    if (!search.values.finite) {
        failure.code = ErrorCode::kNotFinite;
        failure.message =
            fmt::format("a constraint on the {} is not finite at the initial values", what);
        return failure;
    }
    const std::vector<Index> free = free_places(exact);
    const RowMatrix J = free.empty() ? RowMatrix(RowMatrix::Zero(level.rows(), 1))
                                     : RowMatrix(search.values.J(Eigen::all, free));
    failure.contradictory_rows = contradictory_rows(
        J, -search.values.f, keys, search.values.weight.cwiseInverse(), kSearchTolerance);
    if (options.search != nullptr) {
        BlameOfMany(level, guess, exact, options).find(search, failure);
    } else {
        blame_exact_values(level, guess, exact, options, failure);
    }
    const bool exact_to_blame =
        !failure.exact_values.empty() || !failure.exact_values_together.empty();
    if (!failure.contradictory_rows.empty() && !exact_to_blame) {
        failure.code = ErrorCode::kInconsistent;
    }
    failure.message = fmt::format(
        "the initial {} do not satisfy the constraints: largest scaled residual {}, tolerated {}",
        what, to_short_text(search.values.largest), to_short_text(options.tolerance));
    return failure;
}

struct LevelResult {
    VectorXd x;
    double residual = 0.0;
    std::vector<int> moved_exact;
    std::optional<AssemblyFailure> failure;
};

LevelResult assemble_level(const Level& level, bool velocities, const VectorXd& guess,
                           const std::vector<bool>& exact, const AssemblyOptions& options,
                           std::span<const std::string> keys) {
    LevelResult result;
    Search search = solve_level(level, guess, exact, options);
    if (!search.converged && search.values.finite &&
        search.values.largest <= options.exact_mismatch) {
        // Exact values given to a few digits less than needed: the least change of all of them.
        const std::vector<bool> none(exact.size(), false);
        Search projected = solve_level(level, search.x, none, options);
        for (std::size_t i = 0; i < exact.size() && projected.converged; ++i) {
            const auto place = static_cast<Index>(i);
            if (exact[i] && projected.x[place] != guess[place]) {
                result.moved_exact.push_back(static_cast<int>(i));
            }
        }
        search = projected.converged ? std::move(projected) : std::move(search);
    }
    result.x = search.x;
    result.residual = search.values.largest;
    if (!search.converged) {
        result.failure = explain(level, velocities, guess, exact, search, options, keys);
    }
    return result;
}

}  // namespace

Assembly assemble(ConstraintSurface& surface, const InitialValues& given,
                  const AssemblyOptions& options, std::span<const std::string> position_keys,
                  std::span<const std::string> velocity_keys) {
    const int n = surface.coordinates();
    const auto count = static_cast<std::size_t>(n);
    ANANKE_REQUIRE(given.q.size() == n && given.v.size() == n);
    ANANKE_REQUIRE(given.q_exact.size() == count && given.v_exact.size() == count);

    Assembly result;
    result.q = given.q;
    result.v = given.v;
    result.position_change = VectorXd::Zero(n);
    result.velocity_change = VectorXd::Zero(n);

    const Level positions(surface, false, given.t, given.q, given.q);
    LevelResult q =
        assemble_level(positions, false, given.q, given.q_exact, options, position_keys);
    result.q = q.x;
    result.q_units.assign(positions.units().begin(), positions.units().end());
    result.position_change = q.x - given.q;
    result.position_residual = q.residual;
    result.moved_exact_q = std::move(q.moved_exact);
    if (q.failure) {
        result.failure = std::move(q.failure);
        return result;
    }
    if (given.follow_positions) {
        given.follow_positions(result.q.data(), result.v.data());
    }
    const VectorXd wanted = result.v;
    const Level velocities(surface, true, given.t, result.q, wanted);
    LevelResult v = assemble_level(velocities, true, wanted, given.v_exact, options, velocity_keys);
    result.v = v.x;
    result.v_units.assign(velocities.units().begin(), velocities.units().end());
    result.velocity_change = v.x - wanted;
    result.velocity_residual = v.residual;
    result.moved_exact_v = std::move(v.moved_exact);
    result.failure = std::move(v.failure);
    return result;
}

}  // namespace ananke::solve
