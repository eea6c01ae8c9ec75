#include "solve/assembly.h"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/text.h"
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
constexpr int kMostRestarts = 8;
constexpr int kMostRefinements = 200;
// At the end of a failed search rows are dependent only as well as the search converged.
constexpr ContradictionTolerance kSearchTolerance{1e-5, 1e-7};

// One level of the problem: residuals of x as functions, x being q or v.
class Level {
  public:
    Level(ConstraintSurface& surface, bool velocities, double t, const VectorXd& q)
        : surface_(surface), velocities_(velocities), t_(t), q_(q) {}

    int rows() const { return velocities_ ? surface_.velocity_rows() : surface_.position_rows(); }

    struct Values {
        VectorXd f;
        VectorXd scaled;  // f over residual_scale()
        RowMatrix J;
        VectorXd weight;  // 1 / residual_scale()
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
        values.weight = VectorXd::Ones(rows());
        for (int k = 0; k < rows(); ++k) {
            values.weight[k] = 1.0 / residual_scale(static_cast<int>(x.size()), scale[k],
                                                    values.J.data() + k * x.size());
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

    RowMatrix mass(const VectorXd& x) const {
        RowMatrix M(x.size(), x.size());
        surface_.mass(t_, velocities_ ? q_.data() : x.data(), M.data());
        return M;
    }

  private:
    ConstraintSurface& surface_;
    bool velocities_;
    double t_;
    const VectorXd& q_;
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

// L with L L^T = D M D + a little of the plain norm, over the free places; steps are L^-T z.
MatrixXd search_metric(const RowMatrix& M, const std::vector<Index>& free) {
    MatrixXd metric = M(free, free);
    const double typical = std::max(metric.diagonal().maxCoeff(), 0.0);
    const double floor = typical > 0.0 ? kPlainWeight * typical : 1.0;
    metric.diagonal().array() += floor;
    const Eigen::LLT<MatrixXd> factor(metric);
    return factor.info() == Eigen::Success
               ? MatrixXd(factor.matrixL())
               : MatrixXd(MatrixXd::Identity(metric.rows(), metric.cols()));
}

// Levenberg-Marquardt in the metric: (W^T W + mu) z = -W^T f, W = S J L^-T.
Search damped_search(const Level& level, VectorXd x, const std::vector<Index>& free,
                     const AssemblyOptions& options) {
    Search search{x, level.at(x), false};
    double mu = -1.0;
    for (int iteration = 0; iteration < options.most_iterations; ++iteration) {
        search.converged = search.values.finite && search.values.largest <= options.tolerance;
        if (!search.values.finite || search.values.largest <= 1e-15 || free.empty()) {
            return search;
        }
        const MatrixXd L = search_metric(level.mass(search.x), free);
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
            const double angle = 2.399963 * static_cast<double>(restart) *
                                 static_cast<double>(i + 1);  // golden angle: well spread
            start[free[i]] += 0.1 * restart * std::max(1.0, std::abs(x[free[i]])) * std::sin(angle);
        }
        Search other = damped_search(level, start, free, options);
        if (other.converged ||
            (other.values.finite && other.values.largest < 0.5 * best.values.largest)) {
            best = std::move(other);
        }
    }
    return best;
}

double squared_distance(const RowMatrix& M, const VectorXd& dx) {
    const double typical = std::max(M.diagonal().maxCoeff(), 0.0);
    return dx.dot(M * dx) + 1e-9 * (typical > 0.0 ? typical : 1.0) * dx.squaredNorm();
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
        const double before = squared_distance(M, search.x - guess);
        if (!moved.converged || squared_distance(M, moved.x - guess) >= before * (1.0 - 1e-14)) {
            return;
        }
        const double step = (moved.x - search.x).norm();
        search = std::move(moved);
        if (step <= 1e-13 * (1.0 + search.x.norm())) {
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

    const Level positions(surface, false, given.t, given.q);
    LevelResult q =
        assemble_level(positions, false, given.q, given.q_exact, options, position_keys);
    result.q = q.x;
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
    const Level velocities(surface, true, given.t, result.q);
    LevelResult v = assemble_level(velocities, true, wanted, given.v_exact, options, velocity_keys);
    result.v = v.x;
    result.velocity_change = v.x - wanted;
    result.velocity_residual = v.residual;
    result.moved_exact_v = std::move(v.moved_exact);
    result.failure = std::move(v.failure);
    return result;
}

}  // namespace ananke::solve
