// Why a model has no motion at a state, with names.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "dynamics/motion_solver.h"
#include "dynamics/not_finite.h"
#include "dynamics/some_names.h"
#include "solve/analysis.h"
#include "solve/projection.h"

namespace ananke::dynamics {
namespace {

/// A moment of inertia below this part of the largest of the body counts as none.
constexpr double kNoInertia = 1e-12;
/// How far from a configuration its neighbours are looked at, relative to the coordinates.
constexpr double kBeside = 1e-2;
constexpr int kDirections = 4;

std::vector<std::string> names_at(std::span<const int> indices,
                                  const std::vector<std::string>& names) {
    std::vector<std::string> chosen;
    for (const int i : indices) {
        chosen.push_back(names[static_cast<std::size_t>(i)]);
    }
    return chosen;
}

/// Its own axes about which a body has no inertia: "xyz" for all of them.
std::string axes_without_inertia(const solve::System& at, const double* q,
                                 const compile::CompiledModel::BodyCoordinates& body) {
    if (body.planar) {
        return at.M(body.first + 2, body.first + 2) == 0.0 ? "xyz" : "";
    }
    const Eigen::Vector4d u = Eigen::Map<const Eigen::Vector4d>(q + body.first + 3);
    const Eigen::Matrix4d M = at.M.block<4, 4>(body.first + 3, body.first + 3);
    // u' = u (x) e_k / 2 for a unit angular velocity about the body's own axis k
    const std::array<Eigen::Vector4d, 3> turn{Eigen::Vector4d(-u[1], u[0], u[3], -u[2]) / 2.0,
                                              Eigen::Vector4d(-u[2], -u[3], u[0], u[1]) / 2.0,
                                              Eigen::Vector4d(-u[3], u[2], -u[1], u[0]) / 2.0};
    std::array<double, 3> moments{};
    for (std::size_t k = 0; k < 3; ++k) {
        moments.at(k) = turn.at(k).dot(M * turn.at(k));
    }
    const double largest = *std::max_element(moments.begin(), moments.end());
    std::string axes;
    for (std::size_t k = 0; k < 3; ++k) {
        if (moments.at(k) <= kNoInertia * largest) {
            axes += "xyz"[k];
        }
    }
    return axes;
}

/// What has no inertia and is not held: bodies with their coordinates, and coordinates that belong
/// to none.
Error undetermined(const compile::CompiledModel& model, const solve::System& at, const double* q,
                   const std::vector<int>& coordinates) {
    std::vector<std::string> names;
    std::vector<int> left = coordinates;
    bool only_turning = true;
    std::string axes;
    for (const compile::CompiledModel::BodyCoordinates& body : model.bodies) {
        const auto is_own = [&](int i) { return i >= body.first && i < body.first + body.count; };
        std::vector<int> own;
        std::copy_if(left.begin(), left.end(), std::back_inserter(own), is_own);
        if (own.empty()) {
            continue;
        }
        names.push_back(fmt::format("the body {} ({}){}", body.name,
                                    some_names(names_at(own, model.coordinate_names)),
                                    body.place.empty() ? "" : " at " + body.place));
        only_turning = only_turning && own.front() >= body.first + (body.planar ? 2 : 3);
        axes = axes_without_inertia(at, q, body);
        std::erase_if(left, is_own);
    }
    only_turning = only_turning && left.empty();
    for (const std::string& name : names_at(left, model.coordinate_names)) {
        names.push_back(name);
    }
    const bool one = names.size() == 1;
    std::string about;
    if (one && only_turning && !axes.empty() && axes.size() < 3) {
        about = axes.size() == 1 ? fmt::format(" about its own {} axis", axes)
                                 : fmt::format(" about its own {} and {} axes", axes[0], axes[1]);
    }
    return {ErrorCode::kNotUnique,
            fmt::format("the motion is not determined: {} {} no inertia{} and no constraint that "
                        "{} {}; {} or add a constraint",
                        some_names(names), one ? "has" : "have together", about,
                        only_turning ? "keeps" : "fixes",
                        only_turning ? fmt::format("{} from turning", one ? "it" : "them")
                                     : fmt::format("{}", one ? "it" : "them"),
                        only_turning ? "give `inertia`" : "give a mass")};
}

/// The rank of A beside a configuration, on the constraints, where it is larger than there.
std::optional<int> rank_beside(Evaluator& evaluator, double t, const double* q, int rank) {
    const auto n = static_cast<std::size_t>(evaluator.model().n());
    const Eigen::MatrixXd A = evaluator.system(t, q, std::vector<double>(n, 0.0).data()).A;
    const Eigen::FullPivLU<Eigen::MatrixXd> factor(A);
    const Eigen::MatrixXd free = factor.kernel();
    solve::Projector projector(evaluator);
    for (int k = 0; k < kDirections; ++k) {
        Eigen::VectorXd mix(free.cols());
        for (Eigen::Index i = 0; i < mix.size(); ++i) {
            mix[i] = std::sin(1.0 + 2.4 * static_cast<double>(i + 1) * (k + 1));
        }
        const Eigen::VectorXd way = free * mix;
        if (!(way.norm() > 0.0)) {
            return std::nullopt;
        }
        std::vector<double> beside(q, q + n);
        std::vector<double> rest(n, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            beside[i] += kBeside * way[static_cast<Eigen::Index>(i)] / way.norm();
        }
        const solve::ProjectionStatus status = projector.project(t, beside, rest).status;
        if (status == solve::ProjectionStatus::kOk ||
            status == solve::ProjectionStatus::kVelocityNotConverged) {
            const int there = solve::analyse(evaluator.system(t, beside.data(), rest.data())).rank;
            if (there > rank) {
                return there;
            }
        }
    }
    return std::nullopt;
}

Error contradiction(Evaluator& evaluator, double t, const double* q,
                    const solve::Analysis& analysis) {
    const compile::CompiledModel& model = evaluator.model();
    const std::vector<int>& rows = analysis.failure->rows;
    const std::vector<std::string> names = names_at(rows, row_names(model));
    if (const std::optional<int> beside = rank_beside(evaluator, t, q, analysis.rank)) {
        return {ErrorCode::kNotUnique,
                fmt::format("the constraints {} are dependent in this position, but not beside it "
                            "(rank {}, then {}): from such a singular configuration several "
                            "motions branch off, and the velocities here lead along none of them; "
                            "start before or behind it, or give all velocities of one motion",
                            some_names(names), analysis.rank, *beside)};
    }
    return {ErrorCode::kInconsistent,
            fmt::format(
                "the constraints {} contradict each other: no acceleration satisfies all "
                "of them{}",
                some_names(names),
                places_text(model, std::span(rows).first(std::min(rows.size(), kNamesOfMany))))};
}

}  // namespace

std::string places_text(const compile::CompiledModel& model, std::span<const int> rows) {
    std::string text;
    int before = -1;
    for (const int row : rows) {
        const int c = model.rows[static_cast<std::size_t>(row)].constraint;
        const std::string place =
            row < model.constraint_rows ? model.constraint_places[static_cast<std::size_t>(c)] : "";
        if (!place.empty() && c != before) {
            text += fmt::format("\n    {} is written at {}",
                                model.constraint_names[static_cast<std::size_t>(c)], place);
        }
        before = c;
    }
    return text;
}

Error explain_failure(Evaluator& evaluator, double t, const double* q, const double* v) {
    const compile::CompiledModel& model = evaluator.model();
    find_reactions(evaluator, t, q, v);
    const solve::System at = evaluator.system(t, q, v);
    const solve::Analysis analysis = solve::analyse(at, {}, row_names(model));
    switch (analysis.failure ? analysis.failure->code : ErrorCode::kNotFinite) {
        case ErrorCode::kNotUnique:
            return undetermined(model, at, q, analysis.failure->coordinates);
        case ErrorCode::kInconsistent:
            return contradiction(evaluator, t, q, analysis);
        default:
            return {ErrorCode::kNotFinite, describe_not_finite(evaluator, {t, q, v})};
    }
}

}  // namespace ananke::dynamics
