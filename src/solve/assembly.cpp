#include "solve/assembly.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "solve/contradiction.h"
#include "solve/level_search.h"

namespace ananke::solve {
namespace {

/// At the end of a failed search rows are dependent only as well as the search converged.
constexpr ContradictionTolerance kSearchTolerance{1e-5, 1e-7};
/// An exact value that changes the residual by less than this part of what it could is not to
/// blame.
constexpr double kNoSlope = 1e-6;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// Exact values that change the residual where the search ended: d|f/s|^2/dx_i is not 0.
std::vector<int> exact_values_with_slope(const ConstraintLevel& level,
                                         const std::vector<bool>& exact) {
    std::vector<double> slope(exact.size(), 0.0);
    std::vector<double> squares(exact.size(), 0.0);
    const std::span<const double> f = level.residuals();
    for (std::size_t i = 0; i < level.entries().size(); ++i) {
        const auto [r, c] = level.places()[i];
        if (r < level.rows()) {
            const double scale = level.scales()[at(r)];
            const double entry = level.entries()[i] / scale;
            slope[at(c)] += entry * f[at(r)] / scale;
            squares[at(c)] += entry * entry;
        }
    }
    const double norm = level.norm(level.scales());
    std::vector<int> values;
    for (std::size_t j = 0; j < exact.size(); ++j) {
        if (exact[j] && std::abs(slope[j]) > kNoSlope * std::sqrt(squares[j]) * norm) {
            values.push_back(static_cast<int>(j));
        }
    }
    return values;
}

/// Which exact values stand in the way: any one of those that can help, each tried from where the
/// search ended, or several together, found by halves from one solution to the next.
class Blame {
  public:
    Blame(LevelSearch& search, std::span<const double> guess, const std::vector<bool>& exact)
        : search_(search),
          guess_(guess),
          exact_(exact),
          kept_(exact.size(), false),
          solution_(guess.begin(), guess.end()) {}

    void find(std::span<const double> end, AssemblyFailure& failure) {
        const std::vector<int> candidates = exact_values_with_slope(search_.level(), exact_);
        if (!search_.search_with_restarts(solution_, kept_)) {
            return;
        }
        for (const int i : candidates) {
            std::vector<bool> trial = exact_;
            trial[at(i)] = false;
            std::vector<double> x(end.begin(), end.end());
            if (search_.damped_search(x, trial)) {
                failure.exact_values.push_back(i);
            }
        }
        if (!failure.exact_values.empty()) {
            return;
        }
        std::vector<int> places;
        for (std::size_t i = 0; i < exact_.size(); ++i) {
            if (exact_[i]) {
                places.push_back(static_cast<int>(i));
            }
        }
        keep(places, failure.exact_values_together);
    }

  private:
    /// Keeps those of the places exact that can be; the others are freed.
    void keep(std::span<const int> places, std::vector<int>& freed) {
        std::vector<bool> trial = kept_;
        std::vector<double> x = solution_;
        for (const int place : places) {
            trial[at(place)] = true;
            x[at(place)] = guess_[at(place)];
        }
        if (search_.damped_search(x, trial)) {
            kept_ = trial;
            solution_ = x;
        } else if (places.size() == 1) {
            freed.push_back(places[0]);
        } else if (!places.empty()) {
            keep(places.first(places.size() / 2), freed);
            keep(places.subspan(places.size() / 2), freed);
        }
    }

    LevelSearch& search_;
    std::span<const double> guess_;
    const std::vector<bool>& exact_;
    std::vector<bool> kept_;
    std::vector<double> solution_;  ///< with kept_ exact
};

/// Of the level as evaluated last, over the values that are not exact.
std::vector<int> contradictory_rows_of(const ConstraintLevel& level, const std::vector<bool>& exact,
                                       std::span<const std::string> keys) {
    std::vector<Eigen::Index> place(exact.size(), -1);
    Eigen::Index free = 0;
    for (std::size_t j = 0; j < exact.size(); ++j) {
        place[j] = exact[j] ? -1 : free++;
    }
    RowMatrix J = RowMatrix::Zero(level.rows(), std::max<Eigen::Index>(free, 1));
    for (std::size_t i = 0; i < level.entries().size(); ++i) {
        const auto [r, c] = level.places()[i];
        if (r < level.rows() && place[at(c)] >= 0) {
            J(r, place[at(c)]) = level.entries()[i];
        }
    }
    using Vector = Eigen::Map<const Eigen::VectorXd>;
    return contradictory_rows(J, -Vector(level.residuals().data(), level.rows()), keys,
                              Vector(level.scales().data(), level.rows()), kSearchTolerance);
}

AssemblyFailure explain(LevelSearch& search, std::span<const double> guess,
                        std::span<const double> end, const std::vector<bool>& exact,
                        Explanation explanation, std::span<const std::string> keys) {
    const ConstraintLevel& level = search.level();
    AssemblyFailure failure;
    failure.level = level.level();
    failure.residual.assign(level.residuals().begin(), level.residuals().end());
    failure.worst_row = level.worst_row();
    for (int k = 0; k < level.rows(); ++k) {
        failure.scaled_residual.push_back(failure.residual[at(k)] / level.scales()[at(k)]);
    }
    if (!level.is_finite()) {
        failure.code = ErrorCode::kNotFinite;
        return failure;
    }
    if (explanation == Explanation::kResiduals) {
        return failure;
    }
    failure.contradictory_rows = contradictory_rows_of(level, exact, keys);
    Blame(search, guess, exact).find(end, failure);
    if (!failure.contradictory_rows.empty() && failure.exact_values.empty() &&
        failure.exact_values_together.empty()) {
        failure.code = ErrorCode::kInconsistent;
    }
    return failure;
}

/// From the guess x to values that meet the level.
AssembledLevel assemble_level(LevelSearch& search, std::vector<double>& x,
                              const std::vector<bool>& exact, const AssemblyOptions& options,
                              std::span<const std::string> keys,
                              std::optional<AssemblyFailure>& failure) {
    AssembledLevel result;
    const std::vector<double> guess = x;
    const std::span<const double> units = search.level().units();
    result.units.assign(units.begin(), units.end());
    bool met = search.nearest(x, exact);
    if (!met && search.level().is_finite() && search.level().residual() <= options.exact_mismatch) {
        // Exact values given to a few digits less than needed: the least change of all of them.
        std::vector<double> moved = x;
        met = search.nearest(moved, std::vector<bool>(exact.size(), false));
        for (std::size_t i = 0; i < exact.size() && met; ++i) {
            if (exact[i] && moved[i] != guess[i]) {
                result.moved_exact.push_back(static_cast<int>(i));
            }
        }
        x = met ? moved : x;
        search.evaluate(x);
    }
    result.residual = search.level().residual();
    if (!met) {
        failure = explain(search, guess, x, exact, options.explanation, keys);
    }
    return result;
}

}  // namespace

Assembly assemble(ConstraintSurface& surface, const InitialValues& given,
                  const AssemblyOptions& options, std::span<const std::string> position_keys,
                  std::span<const std::string> velocity_keys) {
    const std::size_t n = at(surface.coordinates());
    ANANKE_REQUIRE(given.q.size() == n && given.v.size() == n);
    ANANKE_REQUIRE(given.q_exact.size() == n && given.v_exact.size() == n);

    Assembly result{given.q, given.v, {}, {}, {}};
    LevelSearch positions(surface, Level::kPositions, given.t, {}, given.q, options.tolerance);
    result.positions =
        assemble_level(positions, result.q, given.q_exact, options, position_keys, result.failure);
    if (result.failure) {
        return result;
    }
    if (given.follow_positions) {
        given.follow_positions(result.q.data(), result.v.data());
    }
    LevelSearch velocities(surface, Level::kVelocities, given.t, result.q, result.v,
                           options.tolerance);
    result.velocities =
        assemble_level(velocities, result.v, given.v_exact, options, velocity_keys, result.failure);
    return result;
}

}  // namespace ananke::solve
