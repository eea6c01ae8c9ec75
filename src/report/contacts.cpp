#include "report/contacts.h"

#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "base/ranges.h"
#include "compile/reactions.h"
#include "dense/dense.h"

namespace ananke::report {
namespace {

using Eigen::Vector3d;

constexpr double kSame = 1e-6;      ///< relative
constexpr double kNowhere = 1e-12;  ///< a distance that is round-off

/// What one row does to a target when its multiplier is one: a force, and a torque about the
/// reference.
struct Push {
    Vector3d force = Vector3d::Zero();
    Vector3d torque = Vector3d::Zero();
};

/// The arm with tau_k = arm x W_k for unit vectors W_k at right angles, of which there are two (in
/// a plane) or three. With n = W_1 x W_2: arm = (tau_2.n) W_1 - (tau_1.n) W_2 + (tau_1.W_2) n.
std::optional<Vector3d> arm_of(const std::vector<Push>& rows) {
    if (rows.size() < 2) {
        return std::nullopt;
    }
    const Push& first = rows[0];
    const Push& second = rows[1];
    const Vector3d n = first.force.cross(second.force);
    const Vector3d arm = second.torque.dot(n) * first.force - first.torque.dot(n) * second.force +
                         first.torque.dot(second.force) * n;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double size = std::max(arm.norm(), rows[i].torque.norm());
        if (!((arm.cross(rows[i].force) - rows[i].torque).norm() <= kSame * size)) {
            return std::nullopt;
        }
        for (std::size_t k = 0; k <= i; ++k) {
            const double wanted = i == k ? 1.0 : 0.0;
            if (!(std::abs(rows[i].force.dot(rows[k].force) - wanted) <= kSame)) {
                return std::nullopt;
            }
        }
    }
    return arm;
}

/// The terms of one target with what is needed of them, and the expressions of it.
class Target {
  public:
    Target(const Drawing& drawing, int target)
        : map_(drawing.states.prepared().compiled->reactions) {
        const std::vector<sym::Expr> all =
            compile::reaction_expressions(map_, drawing.states.prepared().equations);
        reference_ = map_.points[map_.targets[target].reference];
        append(expressions_, drawing.position(reference_));
        for (std::size_t i = 0; i < map_.terms.size(); ++i) {
            if (map_.terms[i].target != target) {
                continue;
            }
            terms_.push_back(&map_.terms[i]);
            append(expressions_, std::span(all).subspan(3 * i, 3));
            const int point = map_.terms[i].point;
            const int place = point >= 0 ? map_.points[point] : reference_;
            append(expressions_, drawing.position(place));
        }
    }

    const std::vector<sym::Expr>& expressions() const { return expressions_; }

    /// The place where all rows push at one state; `values` as expressions() lists them.
    std::optional<Vector3d> place(const double* values) const {
        const Vector3d reference = Eigen::Map<const Vector3d>(values);
        std::map<int, Push> rows;
        for (std::size_t i = 0; i < terms_.size(); ++i) {
            const Vector3d vector = Eigen::Map<const Vector3d>(values + 3 + 6 * i);
            const Vector3d point = Eigen::Map<const Vector3d>(values + 6 + 6 * i);
            Push& push = rows[terms_[i]->row];
            if (terms_[i]->point >= 0) {
                push.force += vector;
                push.torque += (point - reference).cross(vector);
            } else {
                push.torque += vector;
            }
        }
        std::vector<Push> pushes;  // without the rows that say nothing in the plane
        for (const auto& [row, push] : rows) {
            if (push.force.norm() + push.torque.norm() > 0.0) {
                pushes.push_back(push);
            }
        }
        const std::optional<Vector3d> arm = arm_of(pushes);
        return arm ? std::optional<Vector3d>(reference + *arm) : std::nullopt;
    }

  private:
    const compile::ReactionMap& map_;
    int reference_ = -1;
    std::vector<const compile::ReactionMap::Term*> terms_;
    std::vector<sym::Expr> expressions_;
};

/// The path of the place, or nothing where there is none at some state or it is the reference.
std::vector<double> path_of(const Drawing& drawing, const Target& target) {
    const std::vector<double> values = drawing.states.evaluate(target.expressions());
    const std::size_t width = target.expressions().size();
    std::vector<double> path;
    double farthest = 0.0;
    for (std::size_t i = 0; i + width <= values.size(); i += width) {
        const std::optional<Vector3d> place = target.place(values.data() + i);
        if (!place) {
            return {};
        }
        farthest = std::max(farthest, (*place - Eigen::Map<const Vector3d>(&values[i])).norm());
        path.insert(path.end(), place->data(), place->data() + 3);
    }
    return farthest > kNowhere ? path : std::vector<double>{};
}

}  // namespace

void find_contacts(Drawing& drawing) {
    const compile::ReactionMap& map = drawing.states.prepared().compiled->reactions;
    for (int i = 0; i < static_cast<int>(map.targets.size()); ++i) {
        const compile::ReactionMap::Target& target = map.targets[i];
        const bool moves = target.body >= 0 &&
                           drawing.model().bodies[target.body].kind != mech::Body::Kind::kGround;
        if (!moves || !target.force || !target.torque || target.reference < 0) {
            continue;
        }
        std::vector<double> path = path_of(drawing, Target(drawing, i));
        if (!path.empty()) {
            const Track track = drawing.add_track(path, 3);
            drawing.contacts[i] = {track, std::move(path)};
        }
    }
}

}  // namespace ananke::report
