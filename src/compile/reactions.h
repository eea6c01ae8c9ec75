// Forces of constraint that a person can draw: what each constraint or joint does to each point and
// body, as vectors.
//
//   force  lambda W on a point, torque lambda tau on a body                  RH (5), (6), (77)-(81)
//
// A joint is one cause: its rows act together, and on each body their forces are moved to the
// joint's own place there: F = sum lambda W, T = sum lambda (tau + (r_P - r_place) x W). A joint
// made of joints is one cause too, besides each of its parts.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "mech/equations.h"
#include "mech/model.h"
#include "solve/analysis.h"

namespace ananke::compile {

/// Which rows act on what. Constant after reaction_map().
struct ReactionMap {
    /// A joint, or a constraint that belongs to none.
    struct Owner {
        std::string name;
        bool servo = false;
        int within = -1;  ///< the owner that it is a part of; the others add up to all reactions
    };
    struct Target {
        int owner;
        std::string name;     ///< of the point or body
        int body = -1;        ///< index into Model::bodies; -1: a point
        bool turns = false;   ///< a body with axes of its own to show components in
        bool force = false;   ///< some row pushes it
        bool torque = false;  ///< some row twists it, or pushes it beside `reference`
        int reference = -1;   ///< its place in `points`: where the torque is reckoned
    };
    /// One row on one point (W) or body (tau).
    struct Term {
        int row;
        int target;
        int point = -1;  ///< place in `points`; -1: a torque
        int body = -1;   ///< place in `bodies`; -1: a force
    };
    std::vector<Owner> owners;
    std::vector<Target> targets;
    std::vector<Term> terms;
    std::vector<int> points;  ///< those whose position and velocity are needed, in Model::points
    std::vector<int> bodies;  ///< those whose axes and angular velocity are needed
    /// Per row, the innermost; -1 for what pushes nothing (the norm of a quaternion).
    std::vector<int> row_owner;

    /// Whether owner `part` is `whole` or a part of it.
    bool belongs(int part, int whole) const;
};

ReactionMap reaction_map(const mech::Model& model, const mech::Equations& equations);

/// What the kernel of reactions computes, in this order: W or tau of each term; position and
/// velocity of each point; angular velocity and axes (columns) of each body.
std::vector<sym::Expr> reaction_expressions(const ReactionMap& map,
                                            const mech::Equations& equations);

/// The vectors at one state.
class Reactions {
  public:
    explicit Reactions(const ReactionMap& map);

    /// `values` as reaction_expressions() lists them, `lambda` one per row.
    void evaluate(std::span<const double> values, std::span<const double> lambda);

    using Vector = std::array<double, 3>;
    const Vector& force(std::size_t target) const { return force_[target]; }
    const Vector& torque(std::size_t target) const { return torque_[target]; }
    /// Components along the axes of the target's body.
    Vector in_body(std::size_t target, const Vector& v) const;
    double power(std::size_t owner) const { return power_[owner]; }

  private:
    const ReactionMap* map_;
    std::vector<int> body_place_;  ///< per target, in map.bodies; -1: none
    std::span<const double> values_;
    std::vector<Vector> force_, torque_;
    std::vector<double> power_;
};

/// Which components of a target's force and torque the rows leave open, and with whom it shares
/// them.
struct ReactionShare {
    std::array<bool, 3> force{true, true, true};  ///< unique
    std::array<bool, 3> torque{true, true, true};
    std::vector<int> shared_with;  ///< other owners, ascending; empty if all is unique
};

/// One per target. The multipliers may change by every combination of rows that adds up to nothing
/// (solve::Analysis::dropped); a component is unique if none of them changes it.
std::vector<ReactionShare> reaction_shares(const ReactionMap& map, std::span<const double> values,
                                           const solve::Analysis& analysis);

}  // namespace ananke::compile
