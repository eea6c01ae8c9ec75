#include "compile/reactions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace ananke::compile {
namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// A list without repetitions.
class Places {
  public:
    /// The place of a value in the list, added if it is new.
    int of(std::vector<int>& list, int value) {
        const auto [found, is_new] = known_.emplace(value, static_cast<int>(list.size()));
        if (is_new) {
            list.push_back(value);
        }
        return found->second;
    }

  private:
    std::unordered_map<int, int> known_;
};

class MapBuilder {
  public:
    explicit MapBuilder(const mech::Model& model) : model_(model) {}

    void add(const mech::Row& row, int index) {
        const bool acts = !row.directions.empty() || !row.twists.empty();
        map_.row_owner.push_back(acts ? owner_of(row) : -1);
        for (int owner = map_.row_owner.back(); owner >= 0; owner = map_.owners[at(owner)].within) {
            add_terms(row, index, owner);
        }
    }
    ReactionMap take() { return std::move(map_); }

  private:
    void add_terms(const mech::Row& row, int index, int owner) {
        const mech::Constraint& constraint = model_.constraints[at(row.constraint)];
        for (const mech::Direction& direction : row.directions) {
            const mech::Point& point = model_.points[at(direction.point)];
            const int place = points_.of(map_.points, direction.point);
            const int target = point.body >= 0 && stands_for_body(constraint, direction.point)
                                   ? body_target(owner, point.body, direction.point)
                                   : point_target(owner, direction.point);
            map_.targets[at(target)].force = true;
            if (map_.targets[at(target)].body >= 0 && map_.targets[at(target)].reference != place) {
                map_.targets[at(target)].torque = true;
            }
            map_.terms.push_back({index, target, place, -1});
        }
        for (const mech::Twist& twist : row.twists) {
            const int centre = model_.bodies[at(twist.body)].centre;
            const int target = body_target(owner, twist.body, centre);
            map_.targets[at(target)].torque = true;
            map_.terms.push_back({index, target, -1, bodies_.of(map_.bodies, twist.body)});
        }
    }

    int owner_of(const mech::Row& row) {
        const mech::Constraint& constraint = model_.constraints[at(row.constraint)];
        if (constraint.joint >= 0) {
            return owner_of_joint(constraint.joint, constraint.servo);
        }
        const auto [found, is_new] =
            owners_.emplace(row.constraint, static_cast<int>(map_.owners.size()));
        if (is_new) {
            map_.owners.push_back({constraint.name, constraint.servo});
            joint_of_.push_back(-1);
        }
        return found->second;
    }

    int owner_of_joint(int index, bool servo) {
        if (const auto found = owners_.find(-1 - index); found != owners_.end()) {
            return found->second;
        }
        const mech::Joint& joint = model_.joints[at(index)];
        const int within = joint.within >= 0 ? owner_of_joint(joint.within, servo) : -1;
        const int owner = static_cast<int>(map_.owners.size());
        owners_.emplace(-1 - index, owner);
        map_.owners.push_back({joint.name, servo, within});
        joint_of_.push_back(index);
        return owner;
    }

    /// A joint acts on bodies; a constraint on the points it names, and on bodies where it names a
    /// place in passing or the mass centre.
    bool stands_for_body(const mech::Constraint& constraint, int point) const {
        const mech::Point& p = model_.points[at(point)];
        return constraint.joint >= 0 || !p.named || model_.bodies[at(p.body)].centre == point;
    }

    int point_target(int owner, int point) {
        const auto [found, is_new] =
            point_targets_.emplace(std::pair(owner, point), static_cast<int>(map_.targets.size()));
        if (is_new) {
            map_.targets.push_back({owner, model_.points[at(point)].name});
            map_.targets.back().reference = points_.of(map_.points, point);
        }
        return found->second;
    }

    int body_target(int owner, int body, int point) {
        const auto [found, is_new] =
            body_targets_.emplace(std::pair(owner, body), static_cast<int>(map_.targets.size()));
        if (is_new) {
            const mech::Body& b = model_.bodies[at(body)];
            int reference = point;
            if (joint_of_[at(owner)] >= 0) {
                for (const int own : model_.joints[at(joint_of_[at(owner)])].points) {
                    if (model_.points[at(own)].body == body) {
                        reference = own;
                        break;
                    }
                }
            }
            ReactionMap::Target target{owner, b.name};
            target.body = body;
            target.turns = b.kind != mech::Body::Kind::kGround;
            target.reference = points_.of(map_.points, reference);
            map_.targets.push_back(target);
            bodies_.of(map_.bodies, body);
        }
        return found->second;
    }

    const mech::Model& model_;
    ReactionMap map_;
    Places points_, bodies_;
    std::map<int, int> owners_;  // constraint, or -1 - joint
    std::vector<int> joint_of_;  // per owner; -1: a constraint
    std::map<std::pair<int, int>, int> point_targets_, body_targets_;
};

}  // namespace

bool ReactionMap::belongs(int part, int whole) const {
    while (part >= 0 && part != whole) {
        part = owners[at(part)].within;
    }
    return part == whole;
}

ReactionMap reaction_map(const mech::Model& model, const mech::Equations& equations) {
    MapBuilder builder(model);
    for (std::size_t i = 0; i < equations.rows.size(); ++i) {
        builder.add(equations.rows[i], static_cast<int>(i));
    }
    return builder.take();
}

std::vector<sym::Expr> reaction_expressions(const ReactionMap& map,
                                            const mech::Equations& equations) {
    std::vector<sym::Expr> values;
    const auto push = [&](const mech::Vec3& v) { values.insert(values.end(), v.begin(), v.end()); };
    for (std::size_t i = 0; i < equations.rows.size(); ++i) {
        for (int owner = map.row_owner[i]; owner >= 0; owner = map.owners[at(owner)].within) {
            for (const mech::Direction& direction : equations.rows[i].directions) {
                push(direction.W);
            }
            for (const mech::Twist& twist : equations.rows[i].twists) {
                push(twist.tau);
            }
        }
    }
    for (const int point : map.points) {
        push(equations.points[at(point)].position);
        push(equations.points[at(point)].velocity);
    }
    for (const int body : map.bodies) {
        const mech::BodyKinematics& motion = equations.bodies[at(body)];
        push(motion.omega);
        for (const mech::Vec3& axis : motion.axes) {
            push(axis);
        }
    }
    return values;
}

Reactions::Reactions(const ReactionMap& map)
    : map_(&map),
      body_place_(map.targets.size(), -1),
      force_(map.targets.size()),
      torque_(map.targets.size()),
      power_(map.owners.size()) {
    for (std::size_t i = 0; i < map.targets.size(); ++i) {
        const auto found = std::find(map.bodies.begin(), map.bodies.end(), map.targets[i].body);
        if (found != map.bodies.end()) {
            body_place_[i] = static_cast<int>(found - map.bodies.begin());
        }
    }
}

void Reactions::evaluate(std::span<const double> values, std::span<const double> lambda) {
    values_ = values;
    std::fill(force_.begin(), force_.end(), Vector{});
    std::fill(torque_.begin(), torque_.end(), Vector{});
    std::fill(power_.begin(), power_.end(), 0.0);
    const double* points = values.data() + 3 * map_->terms.size();
    const double* bodies = points + 6 * map_->points.size();
    for (std::size_t k = 0; k < map_->terms.size(); ++k) {
        const ReactionMap::Term& term = map_->terms[k];
        const ReactionMap::Target& target = map_->targets[at(term.target)];
        Vector action;
        for (std::size_t i = 0; i < 3; ++i) {
            action[i] = lambda[at(term.row)] * values[3 * k + i];
        }
        const double* speed =
            term.point >= 0 ? points + 6 * term.point + 3 : bodies + 12 * term.body;
        double& power = power_[at(target.owner)];
        for (std::size_t i = 0; i < 3; ++i) {
            power += action[i] * speed[i];
            (term.point >= 0 ? force_ : torque_)[at(term.target)][i] += action[i];
        }
        if (term.point < 0 || term.point == target.reference) {
            continue;
        }
        const double* r = points + 6 * term.point;
        const double* r0 = points + 6 * target.reference;
        Vector& torque = torque_[at(term.target)];
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t j = (i + 1) % 3;
            const std::size_t l = (i + 2) % 3;
            torque[i] += (r[j] - r0[j]) * action[l] - (r[l] - r0[l]) * action[j];
        }
    }
}

std::vector<ReactionShare> reaction_shares(const ReactionMap& map, std::span<const double> values,
                                           const solve::Analysis& analysis) {
    constexpr double kRounding = 1e-9;  // of the largest term
    std::vector<ReactionShare> shares(map.targets.size());
    Reactions reactions(map);
    for (const solve::DroppedRow& dropped : analysis.dropped) {
        std::vector<double> change(map.row_owner.size(), 0.0);
        change[at(dropped.row)] = 1.0;
        for (std::size_t k = 0; k < dropped.kept.size(); ++k) {
            change[at(dropped.kept[k])] -= dropped.coefficients[k];
        }
        double largest = 0.0;
        for (std::size_t k = 0; k < map.terms.size(); ++k) {
            for (std::size_t i = 0; i < 3; ++i) {
                largest =
                    std::max(largest, std::abs(change[at(map.terms[k].row)] * values[3 * k + i]));
            }
        }
        std::vector<int> involved;
        for (const ReactionMap::Term& term : map.terms) {
            const int owner = map.row_owner[at(term.row)];
            if (std::abs(change[at(term.row)]) > kRounding) {
                involved.push_back(owner);
            }
        }
        std::sort(involved.begin(), involved.end());
        involved.erase(std::unique(involved.begin(), involved.end()), involved.end());
        reactions.evaluate(values, change);
        for (std::size_t i = 0; i < map.targets.size(); ++i) {
            ReactionShare& share = shares[i];
            bool open = false;
            for (std::size_t k = 0; k < 3; ++k) {
                const bool force_open = std::abs(reactions.force(i)[k]) > kRounding * largest;
                const bool torque_open = std::abs(reactions.torque(i)[k]) > kRounding * largest;
                share.force[k] = share.force[k] && !force_open;
                share.torque[k] = share.torque[k] && !torque_open;
                open = open || force_open || torque_open;
            }
            for (const int owner : involved) {
                if (open && !map.belongs(owner, map.targets[i].owner) &&
                    !map.belongs(map.targets[i].owner, owner)) {
                    share.shared_with.push_back(owner);
                }
            }
        }
    }
    for (ReactionShare& share : shares) {
        std::sort(share.shared_with.begin(), share.shared_with.end());
        share.shared_with.erase(std::unique(share.shared_with.begin(), share.shared_with.end()),
                                share.shared_with.end());
    }
    return shares;
}

Reactions::Vector Reactions::in_body(std::size_t target, const Vector& v) const {
    const double* axes = values_.data() + 3 * map_->terms.size() + 6 * map_->points.size() +
                         12 * at(body_place_[target]) + 3;
    Vector result{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t i = 0; i < 3; ++i) {
            result[axis] += axes[3 * axis + i] * v[i];
        }
    }
    return result;
}

}  // namespace ananke::compile
