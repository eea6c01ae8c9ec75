#include "mech/friction.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/ranges.h"
#include "mech/reactions.h"
#include "mech/rows.h"
#include "mech/vectors.h"
#include "sym/differentiate.h"

namespace ananke::mech {

using sym::Graph;
using sym::Op;
using sym::SymbolKind;

namespace {

Vec3 unit(Graph& graph, Vec3 v) {
    const Expr size = length(graph, v);
    for (Expr& component : v) {
        component = graph.div(component, size);
    }
    return v;
}

/// Slip velocity and normal load of a constraint.
struct Rub {
    std::vector<Expr> slip;
    Expr load;
};

/// The directions in which one point is pushed, row by row.
struct Contact {
    int point = -1;
    std::vector<Vec3> normals;
    std::vector<Expr> lambdas;
    std::string problem;  ///< why there is none
};

bool moves(const Model& model, const Vec3& position) {
    return std::ranges::any_of(position, [&](Expr e) {
        return sym::depends_on_kind(model.graph, e, SymbolKind::kCoordinate);
    });
}

Contact contact_of(const Model& model, const PointTable& points, const std::vector<Row>& rows,
                   int constraint) {
    Contact contact;
    for (const Row& row : rows) {
        if (row.constraint != constraint || row.kind == ConstraintKind::kVacuous) {
            continue;
        }
        if (!row.unattributed.empty()) {
            contact.problem = "it is written in coordinates that belong to no point";
            return contact;
        }
        for (const Direction& direction : row.directions) {
            const std::size_t p = direction.point;
            if (!moves(model, points.points()[p].position)) {
                continue;
            }
            if (contact.point >= 0 && contact.point != direction.point) {
                contact.problem = fmt::format(
                    "it acts on {} and on {}, which may slide on each other in many ways",
                    points.points()[contact.point].name, points.points()[p].name);
                return contact;
            }
            contact.point = direction.point;
            contact.normals.push_back(direction.W);
            contact.lambdas.push_back(*row.lambda);
        }
    }
    if (contact.point < 0) {
        contact.problem = "it acts on no point that moves";
    }
    return contact;
}

/// Whether an expression cannot be negative, by its form alone.
bool is_nonnegative(const Graph& graph, Expr e) {
    const sym::Node node = graph.node(e);
    switch (node.op) {
        case Op::kConstant:
            return graph.constant(e).value >= 0.0;
        case Op::kAbs:
        case Op::kSqrt:
        case Op::kExp:
            return true;
        case Op::kAdd:
        case Op::kMul:
        case Op::kDiv:
            return is_nonnegative(graph, Expr{node.a}) && is_nonnegative(graph, Expr{node.b});
        default:
            return false;
    }
}

/// Two unit vectors at right angles to each other and to the unit vector n, without a singular
/// direction: Duff et al., Journal of Computer Graphics Techniques 6 (2017) 1.
std::array<Vec3, 2> tangents(Graph& graph, const Vec3& n) {
    const Expr one = graph.one();
    const Expr below = graph.apply(Op::kLess, n[2], graph.zero());
    const Expr sign = graph.select(below, graph.integer(-1), one);
    const Expr a = graph.neg(graph.div(one, graph.add(sign, n[2])));
    const Expr b = graph.mul(graph.mul(n[0], n[1]), a);
    return {Vec3{graph.add(one, graph.mul(sign, graph.mul(graph.square(n[0]), a))),
                 graph.mul(sign, b), graph.neg(graph.mul(sign, n[0]))},
            Vec3{b, graph.add(sign, graph.mul(graph.square(n[1]), a)), graph.neg(n[1])}};
}

/// The tangential velocity of the point that the constraint acts on, and the size of the force on
/// it. The velocity is that in space: a surface that carries its point along needs a slip of its
/// own.
Rub default_rub(Model& model, const PointTable& points, Contact& contact) {
    Graph& graph = model.graph;
    const PointKinematics& point = points.points()[contact.point];
    std::vector<std::size_t> axes;  // in which the point can move
    for (std::size_t k = 0; k < 3; ++k) {
        if (sym::depends_on_kind(graph, point.position[k], SymbolKind::kCoordinate)) {
            axes.push_back(k);
        }
    }
    const std::vector<Vec3>& W = contact.normals;
    Rub rub;
    const auto add = [&](const Vec3& direction) {
        Expr& slip = rub.slip.emplace_back(graph.zero());
        for (std::size_t k = 0; k < 3; ++k) {
            slip = graph.add(slip, graph.mul(direction[k], point.velocity[k]));
        }
    };
    if (axes.size() == 2 && W.size() == 1) {
        const std::size_t i = axes[0];
        const std::size_t j = axes[1];
        Vec3 tangent{graph.zero(), graph.zero(), graph.zero()};
        tangent[i] = W[0][j];
        tangent[j] = graph.neg(W[0][i]);
        add(unit(graph, tangent));
    } else if (axes.size() == 3 && W.size() == 1) {
        for (const Vec3& tangent : tangents(graph, unit(graph, W[0]))) {
            add(tangent);
        }
    } else if (axes.size() == 3 && W.size() == 2) {
        add(unit(graph, cross(graph, W[0], W[1])));
    } else {
        contact.problem = fmt::format("it leaves {} no direction to move in", point.name);
        return rub;
    }
    if (W.size() == 1) {
        rub.load = graph.mul(graph.apply(Op::kAbs, contact.lambdas[0]), length(graph, W[0]));
        return rub;
    }
    Vec3 force{graph.zero(), graph.zero(), graph.zero()};
    for (std::size_t r = 0; r < W.size(); ++r) {
        for (std::size_t k = 0; k < 3; ++k) {
            force[k] = graph.add(force[k], graph.mul(contact.lambdas[r], W[r][k]));
        }
    }
    rub.load = length(graph, force);
    return rub;
}

bool is_linear(Graph& graph, Expr slip) {
    const std::vector<Expr> velocities = sym::symbols_of(graph, slip, SymbolKind::kVelocity);
    const std::vector<Expr> slopes = sym::gradient(graph, slip, velocities);
    return std::ranges::none_of(
        slopes, [&](Expr e) { return sym::depends_on_kind(graph, e, SymbolKind::kVelocity); });
}

class Builder {
  public:
    Builder(Model& model, const TimeFlow& flow, const PointTable& points,
            const std::vector<Row>& rows, const std::vector<sym::Replacement>& reactions,
            std::vector<Diagnostic>& diagnostics)
        : model_(model),
          graph_(model.graph),
          flow_(flow),
          points_(points),
          rows_(rows),
          reactions_(reactions),
          diagnostics_(diagnostics) {}

    std::vector<FrictionElement> build() {
        for (const Friction& friction : model_.frictions) {
            const Rub rub = rub_of(friction);
            if (!rub.slip.empty()) {
                add_law(element_of(friction, rub), friction, rub.load);
            }
        }
        for (FrictionElement& element : elements_) {
            find_load_rows(element);
        }
        return std::move(elements_);
    }

  private:
    Expr resolved(Expr e) {
        return sym::substitute(graph_, points_.replace(graph_, e), reactions_);
    }

    Rub fail(const Friction& friction, std::string why, std::string advice) {
        diagnostics_.push_back(error_at(friction.span,
                                        fmt::format("friction on '{}' {}", friction.name, why),
                                        {std::move(advice)}));
        return {};
    }

    Rub rub_of(const Friction& friction) {
        Rub rub;
        for (const Expr slip : friction.slip) {
            rub.slip.push_back(resolved(slip));
            if (!is_linear(graph_, rub.slip.back())) {
                return fail(friction, "has a slip that is not linear in the velocities",
                            "a slip is a velocity of one surface past the other");
            }
        }
        if (friction.load) {
            rub.load = resolved(*friction.load);
            if (!is_nonnegative(graph_, rub.load)) {
                rub.load = graph_.apply(Op::kAbs, rub.load);
            }
        }
        if (!rub.slip.empty() && (friction.load || friction.law == FrictionLaw::kViscous)) {
            return rub;
        }
        Contact contact = contact_of(model_, points_, rows_,
                                     friction.constraints.empty() ? -1 : friction.constraints[0]);
        const Rub by_default =
            contact.problem.empty() ? default_rub(model_, points_, contact) : Rub{};
        if (!contact.problem.empty()) {
            return fail(friction, fmt::format("has no sliding direction: {}", contact.problem),
                        "give both: friction on c: coulomb(mu = 0.2, slip = x' - 1, load = "
                        "abs(reaction(c)))");
        }
        if (rub.slip.empty()) {
            rub.slip = by_default.slip;
        }
        if (!friction.load) {
            rub.load = by_default.load;
        }
        return rub;
    }

    FrictionElement& element_of(const Friction& friction, const Rub& rub) {
        int of_same_name = 1;
        for (FrictionElement& element : elements_) {
            if (element.name != friction.name) {
                continue;
            }
            ++of_same_name;
            bool same = element.rows.size() == rub.slip.size();
            for (std::size_t k = 0; k < rub.slip.size() && same; ++k) {
                same = element.rows[k].residual == rub.slip[k];
            }
            if (same) {
                return element;
            }
        }
        FrictionElement element;
        element.name = friction.name;
        element.span = friction.span;
        element.constraints = friction.constraints;
        element.amount = element.limit = element.load = element.coefficient = graph_.zero();
        const std::string which =
            of_same_name > 1 ? fmt::format("{}:{}", friction.name, of_same_name) : friction.name;
        element.still = graph_.symbol(SymbolKind::kReaction, fmt::format("still[{}]", which));
        for (std::size_t k = 0; k < rub.slip.size(); ++k) {
            const std::string index = rub.slip.size() > 1 ? fmt::format(".{}", k + 1) : "";
            Row row = velocity_row(model_, flow_, fmt::format("friction[{}]{}", which, index),
                                   rub.slip[k]);
            row.stick = true;
            element.rows.push_back(std::move(row));
            element.mode.push_back(
                graph_.symbol(SymbolKind::kReaction, fmt::format("direction[{}]", which) + index));
            element.force.push_back(graph_.zero());
        }
        elements_.push_back(std::move(element));
        return elements_.back();
    }

    Expr squared_speed(const FrictionElement& element) {
        Expr sum = graph_.zero();
        for (const Row& row : element.rows) {
            sum = graph_.add(sum, graph_.square(row.residual));
        }
        return sum;
    }

    /// The frozen direction of slip; see FrictionElement. A planar slip s that is not larger than
    /// e = sqrt(still) is led over from the frozen direction d to its own:
    ///     s + e w d, w = (1 - s^2/e^2)^2
    /// which is d at s = 0 and s at |s| = e. A jump in between would hold a slip that begins in
    /// another direction at |s| = e, where friction pushes it back.
    std::vector<Expr> directions(const FrictionElement& element) {
        if (element.rows.size() == 1) {
            return element.mode;
        }
        const Expr squared = squared_speed(element);
        const Expr zero = graph_.zero();
        Expr along = zero;
        Expr slips = zero;
        for (std::size_t k = 0; k < element.rows.size(); ++k) {
            along = graph_.add(along, graph_.mul(element.rows[k].residual, element.mode[k]));
            slips = graph_.add(slips, graph_.square(element.mode[k]));
        }
        const Expr moving = graph_.apply(Op::kLess, element.still, graph_.mul(squared, slips));
        const Expr leads = graph_.apply(Op::kLess, zero, graph_.mul(element.still, slips));
        const Expr back = graph_.apply(Op::kLess, along, zero);
        const Expr root = graph_.apply(Op::kSqrt, squared);
        const Expr size = graph_.select(back, graph_.neg(root), root);
        const Expr lead =
            graph_.mul(graph_.apply(Op::kSqrt, element.still),
                       graph_.square(graph_.sub(graph_.one(), graph_.div(squared, element.still))));
        std::vector<Expr> led;
        Expr led_squared = zero;
        for (std::size_t k = 0; k < element.rows.size(); ++k) {
            const Expr slip = element.rows[k].residual;
            led.push_back(graph_.add(graph_.select(back, graph_.neg(slip), slip),
                                     graph_.mul(lead, element.mode[k])));
            led_squared = graph_.add(led_squared, graph_.square(led[k]));
        }
        const Expr led_size = graph_.apply(Op::kSqrt, led_squared);
        std::vector<Expr> unit;
        for (std::size_t k = 0; k < element.rows.size(); ++k) {
            const Expr below = graph_.select(leads, graph_.div(led[k], led_size), element.mode[k]);
            unit.push_back(
                graph_.select(moving, graph_.div(element.rows[k].residual, size), below));
        }
        return unit;
    }

    /// amount / load of a dry law: mu, or Stribeck's mu + (mu_static - mu) exp(-(s/speed)^2).
    Expr coefficient(const FrictionElement& element, const Friction& friction) {
        const Expr mu = resolved(*friction.mu);
        if (friction.law == FrictionLaw::kCoulomb) {
            return mu;
        }
        const Expr ratio =
            graph_.div(squared_speed(element), graph_.square(resolved(*friction.speed)));
        return graph_.add(mu, graph_.mul(graph_.sub(resolved(*friction.mu_static), mu),
                                         graph_.apply(Op::kExp, graph_.neg(ratio))));
    }

    void add_law(FrictionElement& element, const Friction& friction, Expr load) {
        const auto add_force = [&](std::size_t k, Expr force) {
            element.force[k] = graph_.add(element.force[k], force);
        };
        if (friction.law == FrictionLaw::kViscous) {
            for (std::size_t k = 0; k < element.rows.size(); ++k) {
                add_force(k, graph_.mul(resolved(*friction.damping), element.rows[k].residual));
            }
            return;
        }
        const Expr mu = coefficient(element, friction);
        const Expr amount = graph_.mul(mu, load);
        if (friction.smooth) {
            const Expr rounded = graph_.apply(
                Op::kSqrt,
                graph_.add(squared_speed(element), graph_.square(resolved(*friction.smooth))));
            for (std::size_t k = 0; k < element.rows.size(); ++k) {
                add_force(k, graph_.div(graph_.mul(amount, element.rows[k].residual), rounded));
            }
        } else {
            const std::vector<Expr> unit = directions(element);
            for (std::size_t k = 0; k < element.rows.size(); ++k) {
                add_force(k, graph_.mul(amount, unit[k]));
            }
            const Expr mu_static =
                friction.mu_static ? resolved(*friction.mu_static) : resolved(*friction.mu);
            element.amount = graph_.add(element.amount, amount);
            element.limit = graph_.add(element.limit, graph_.mul(mu_static, load));
            element.dry = true;
        }
        if (graph_.is_zero(element.load)) {
            element.load = load;
            element.coefficient = mu;
        }
    }

    void find_load_rows(FrictionElement& element) {
        std::vector<Expr> roots = element.force;
        roots.push_back(element.limit);
        const std::vector<Expr> nodes = sym::reachable(graph_, roots);
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (contains(nodes, *rows_[i].lambda)) {
                element.load_rows.push_back(static_cast<int>(i));
            }
        }
    }

    Model& model_;
    Graph& graph_;
    const TimeFlow& flow_;
    const PointTable& points_;
    const std::vector<Row>& rows_;
    const std::vector<sym::Replacement>& reactions_;
    std::vector<Diagnostic>& diagnostics_;
    std::vector<FrictionElement> elements_;
};

}  // namespace

std::vector<FrictionElement> friction_elements(Model& model, const TimeFlow& flow,
                                               const PointTable& points,
                                               const std::vector<Row>& rows,
                                               const std::vector<sym::Replacement>& reactions,
                                               std::vector<Diagnostic>& diagnostics) {
    return Builder(model, flow, points, rows, reactions, diagnostics).build();
}

void add_friction_forces(Model& model, const std::vector<FrictionElement>& frictions,
                         std::vector<Expr>& C) {
    Graph& graph = model.graph;
    for (const FrictionElement& element : frictions) {
        for (std::size_t k = 0; k < element.rows.size(); ++k) {
            for (const Entry& entry : element.rows[k].A) {
                Expr& C_i = C[entry.column];
                C_i = graph.sub(C_i, graph.mul(element.force[k], entry.value));
            }
        }
    }
}

}  // namespace ananke::mech
