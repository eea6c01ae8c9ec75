#include "mech/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "base/ranges.h"
#include "mech/bodies.h"
#include "mech/collect.h"
#include "mech/inertia.h"
#include "mech/vectors.h"
#include "sym/differentiate.h"
#include "sym/recipe.h"
#include "sym/shape.h"

namespace ananke::mech {

using sym::Graph;
using sym::SymbolKind;

namespace {

/// Without those that are zero, columns ascending.
std::vector<Entry> entries_of(const Graph& graph, const TimeFlow& flow,
                              std::span<const Expr> symbols, std::span<const Expr> values) {
    std::vector<Entry> A;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        if (!graph.is_zero(values[i])) {
            A.push_back({flow.coordinate_of(symbols[i]), values[i]});
        }
    }
    std::ranges::sort(A, [](const Entry& a, const Entry& b) { return a.column < b.column; });
    return A;
}

/// Of A, by symbol.
std::vector<Expr> row_values(Graph& graph, Collector& collector, const Row& row,
                             std::span<const Expr> symbols) {
    std::vector<Expr> values = sym::gradient(graph, row.residual, symbols);
    for (Expr& value : values) {
        value = collector(value);
    }
    return values;
}

/// Coordinates that are by themselves a Cartesian component of exactly one point.
struct Component {
    int point, axis;
};
std::unordered_map<Expr, Component> sole_components(const Model& model, const PointTable& points) {
    std::unordered_map<Expr, Component> components;
    std::unordered_map<Expr, bool> shared;
    for (std::size_t p = 0; p < points.points().size(); ++p) {
        for (int axis = 0; axis < 3; ++axis) {
            const Expr e = points.points()[p].position[axis];
            if (model.graph.is_symbol(e, SymbolKind::kCoordinate) &&
                !components.emplace(e, Component{static_cast<int>(p), axis}).second) {
                shared[e] = true;
            }
        }
    }
    std::erase_if(components, [&](const auto& item) { return shared.contains(item.first); });
    return components;
}

/// What the slopes of a row, as it was written, push and twist.
class Attribution {
  public:
    Attribution(Model& model, const TimeFlow& flow, const PointTable& points,
                const std::unordered_map<Expr, Component>& components)
        : model_(model), flow_(flow), points_(points), components_(components) {}

    /// W = d psi / d v^P, or d phi / d r^P, and tau = d psi / d omega, or the rotational gradient
    /// sum e_k x d phi / d e_k, from the row as it was written; RH (5), (77)-(81), THEORY
    /// section 3. A raw coordinate counts for the point whose Cartesian component it is, or for its
    /// body.
    void find(Expr written, Row& row) {
        Graph& graph = model_.graph;
        std::vector<Expr> symbols = sym::symbols_of(graph, written);
        std::erase_if(symbols, [&](Expr e) {
            const SymbolKind kind = graph.symbol_kind(e);
            return row.holonomic
                       ? kind != SymbolKind::kPointPosition && kind != SymbolKind::kCoordinate
                       : kind != SymbolKind::kPointVelocity && kind != SymbolKind::kVelocity;
        });
        const std::vector<Expr> slopes = sym::gradient(graph, written, symbols);
        for (std::size_t i = 0; i < symbols.size(); ++i) {
            if (!graph.is_zero(slopes[i])) {
                attribute(symbols[i], slopes[i], row);
            }
        }
        for (const auto& [point, w] : W_) {
            row.directions.push_back(
                {point, points_.replace(graph, w), points_.without_ground(graph, model_, w)});
        }
        for (const auto& [body, slope] : axis_slopes_) {
            const Axes& e = model_.bodies[body].axes;
            for (std::size_t k = 0; k < 3; ++k) {
                twist(body, cross(graph, e[k], slope[k]));
            }
        }
        for (const auto& [body, slope] : quaternion_slopes_) {
            const Matrix34 G = world_rates(graph, quaternion(model_, model_.bodies[body]));
            twist(body, scale(graph, graph.fraction(1, 2), apply(graph, G, slope)));
        }
        for (const auto& [body, tau] : tau_) {
            row.twists.push_back(
                {body, points_.replace(graph, tau), points_.without_ground(graph, model_, tau)});
        }
    }

  private:
    Vec3 none() const {
        const Expr zero = model_.graph.zero();
        return {zero, zero, zero};
    }
    void push(int point, int axis, Expr value) {
        Expr& w = W_.emplace(point, none()).first->second[axis];
        w = model_.graph.add(w, value);
    }
    void twist(int body, const Vec3& value) {
        Vec3& tau = tau_.emplace(body, none()).first->second;
        tau = add(model_.graph, tau, value);
    }

    void attribute(Expr symbol, Expr slope, Row& row) {
        if (const PointTable::Symbol* of_point = points_.find(symbol)) {
            push(of_point->point, of_point->axis, slope);
        } else if (const PointTable::BodySymbol* of_body = points_.find_body(symbol)) {
            Vec3 value = none();
            if (of_body->axis < 0) {
                value[of_body->component] = slope;
                twist(of_body->body, value);
            } else {
                auto& slopes =
                    axis_slopes_.emplace(of_body->body, Axes{none(), none(), none()}).first->second;
                slopes[of_body->axis][of_body->component] = slope;
            }
        } else {
            attribute_raw(flow_.coordinate_of(symbol), slope, row);
        }
    }

    void attribute_raw(int coordinate, Expr slope, Row& row) {
        for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
            const Body& body = model_.bodies[b];
            const int k = coordinate - body.first;
            const bool planar = body.kind == Body::Kind::kPlanar;
            if (body.kind == Body::Kind::kGround || k < 0 || k >= (planar ? 3 : 7)) {
                continue;
            }
            const int index = static_cast<int>(b);
            if (planar ? k < 2 : k < 3) {
                push(body.centre, k, slope);
            } else if (planar) {
                twist(index, {model_.graph.zero(), model_.graph.zero(), slope});
            } else {
                const Expr zero = model_.graph.zero();
                quaternion_slopes_.emplace(index, Quaternion{zero, zero, zero, zero})
                    .first->second[k - 3] = slope;
            }
            return;
        }
        const auto component = components_.find(model_.coordinates[coordinate].q);
        if (component == components_.end()) {
            row.unattributed.push_back(coordinate);
        } else {
            push(component->second.point, component->second.axis, slope);
        }
    }

    Model& model_;
    const TimeFlow& flow_;
    const PointTable& points_;
    const std::unordered_map<Expr, Component>& components_;
    std::map<int, Vec3> W_;                        // per point
    std::map<int, Vec3> tau_;                      // per body
    std::map<int, Axes> axis_slopes_;              // d phi / d e_k
    std::map<int, Quaternion> quaternion_slopes_;  // d phi / d u
};

void find_magnitudes(Graph& graph, Row& row) {
    row.residual_magnitude = sym::magnitude(graph, row.residual);
    row.rate_magnitude = sym::magnitude(graph, row.rate);
    row.b_magnitude = sym::magnitude(graph, row.b);
    row.row_magnitude = graph.zero();
    for (const Entry& entry : row.A) {
        row.row_magnitude = graph.add(row.row_magnitude, sym::magnitude(graph, entry.value));
    }
}

}  // namespace

ConstraintKind kind_by_symbols(Model& model, Expr residual, bool holonomic,
                               const std::vector<Entry>& A) {
    Graph& graph = model.graph;
    const bool has_time = sym::depends_on_kind(graph, residual, SymbolKind::kTime);
    if (A.empty()) {
        return ConstraintKind::kVacuous;
    }
    if (holonomic) {
        return has_time ? ConstraintKind::kHolonomicRheonomic
                        : ConstraintKind::kHolonomicScleronomic;
    }
    for (const Entry& entry : A) {
        if (sym::depends_on_kind(graph, entry.value, SymbolKind::kVelocity)) {
            return ConstraintKind::kNonholonomicNonlinear;
        }
    }
    const bool has_free_part = !graph.is_zero(sym::without(graph, residual, SymbolKind::kVelocity));
    return has_free_part ? ConstraintKind::kNonholonomicAffine
                         : ConstraintKind::kNonholonomicLinear;
}

namespace {

/// A, b and the rest of a row from its residual. Rows that differ only by the names of their
/// coordinates are derived once and then renamed.
class RowDerivation {
  public:
    RowDerivation(Model& model, const TimeFlow& flow)
        : model_(model), flow_(flow), collector_(model.graph) {}

    void operator()(Row& row) {
        Graph& graph = model_.graph;
        given_ = sym::reachable(graph, row.residual);
        row.holonomic = std::ranges::none_of(
            given_, [&](Expr e) { return graph.is_symbol(e, SymbolKind::kVelocity); });
        std::vector<Expr> symbols;
        const SymbolKind kind = row.holonomic ? SymbolKind::kCoordinate : SymbolKind::kVelocity;
        std::ranges::copy_if(given_, std::back_inserter(symbols),
                             [&](Expr e) { return graph.is_symbol(e, kind); });
        add_rates();
        sym::Shape shape = sym::shape_of(graph, given_);
        shape.push_back(sym::place_of(given_, row.residual));
        for (const Expr e : given_) {  // whose rate is which
            if (graph.is_symbol(e, SymbolKind::kVelocity)) {
                const std::size_t coordinate = flow_.coordinate_of(e);
                shape.push_back(sym::place_of(given_, model_.coordinates[coordinate].q));
            }
        }
        const auto known = known_.find(shape);
        if (known == known_.end()) {
            derive(row, symbols);
            remember(std::move(shape), row, symbols);
            return;
        }
        const std::span<const Expr> made = known->second.recipe.follow(graph, given_);
        row.kind = known->second.kind;
        row.homogeneous = known->second.homogeneous;
        row.A = entries_of(graph, flow_, symbols, made.first(symbols.size()));
        const Expr* next = made.data() + symbols.size();
        for (Expr* part : parts(row)) {
            *part = *next++;
        }
    }

  private:
    struct Known {
        sym::Recipe recipe;
        ConstraintKind kind;
        bool homogeneous;
    };

    /// The expressions derived from the residual, besides A.
    static std::array<Expr*, 6> parts(Row& row) {
        return {&row.rate,           &row.b,           &row.residual_magnitude,
                &row.rate_magnitude, &row.b_magnitude, &row.row_magnitude};
    }

    void add_rates() {
        const std::size_t count = given_.size();
        for (std::size_t i = 0; i < count; ++i) {
            if (model_.graph.is_symbol(given_[i], SymbolKind::kCoordinate)) {
                const std::size_t coordinate = flow_.coordinate_of(given_[i]);
                given_.push_back(model_.coordinates[coordinate].v);
            }
        }
        sort_unique(given_);
    }

    void derive(Row& row, std::span<const Expr> symbols) {
        Graph& graph = model_.graph;
        values_ = row_values(graph, collector_, row, symbols);
        row.A = entries_of(graph, flow_, symbols, values_);
        row.kind = kind_by_symbols(model_, row.residual, row.holonomic, row.A);

        // phi' = phi_q v + phi_t and its derivative with v held fixed; directional derivatives, so
        // nothing is expanded.
        const Expr change = flow_.along_velocity(graph, row.residual);
        row.rate = row.holonomic ? change : row.residual;
        row.b = collector_(graph.neg(row.holonomic ? flow_.along_velocity(graph, change) : change));

        // Homogeneous of degree k in v: A v = k psi, zero on the constraint (Euler).
        const std::optional<double> degree = velocity_degree(graph, row.rate);
        row.homogeneous = degree.has_value() && *degree != 0.0;
        find_magnitudes(graph, row);
    }

    void remember(sym::Shape shape, Row& row, std::span<const Expr> symbols) {
        std::vector<Expr> made(values_.begin(), values_.end());
        ANANKE_REQUIRE(made.size() == symbols.size());
        for (const Expr* part : parts(row)) {
            made.push_back(*part);
        }
        sym::Recipe recipe(model_.graph, given_, made);
        if (recipe.is_general()) {
            known_.emplace(std::move(shape), Known{std::move(recipe), row.kind, row.homogeneous});
        }
    }

    Model& model_;
    const TimeFlow& flow_;
    Collector collector_;
    std::vector<Expr> given_;   ///< nodes of the present row, rates of its coordinates; ascending
    std::vector<Expr> values_;  ///< of A, by symbol
    std::unordered_map<sym::Shape, Known, sym::ShapeHash> known_;
};

}  // namespace

Row velocity_row(Model& model, const TimeFlow& flow, std::string name, Expr psi) {
    Graph& graph = model.graph;
    Row row;
    row.name = std::move(name);
    row.constraint = -1;
    row.holonomic = false;
    row.residual = psi;
    row.rate = psi;
    Collector collector(graph);
    const std::vector<Expr> symbols = sym::symbols_of(graph, psi, SymbolKind::kVelocity);
    row.A = entries_of(graph, flow, symbols, row_values(graph, collector, row, symbols));
    row.kind = kind_by_symbols(model, psi, false, row.A);
    row.b = collector(graph.neg(flow.along_velocity(graph, psi)));
    find_magnitudes(graph, row);
    return row;
}

std::vector<Row> constraint_rows(Model& model, const TimeFlow& flow, const PointTable& points) {
    Graph& graph = model.graph;
    const auto components = sole_components(model, points);
    RowDerivation derive_row(model, flow);
    std::vector<Row> rows;
    for (std::size_t c = 0; c < model.constraints.size(); ++c) {
        const std::vector<Expr> written_rows = model.constraints[c].rows;
        for (std::size_t k = 0; k < written_rows.size(); ++k) {
            const Constraint& constraint = model.constraints[c];
            Row row;
            row.name = written_rows.size() == 1 ? constraint.name
                                                : fmt::format("{}[{}]", constraint.name, k + 1);
            row.constraint = static_cast<int>(c);
            row.component = static_cast<int>(k);
            row.servo = constraint.servo;
            row.residual = points.replace(graph, written_rows[k]);
            if (constraint.joint >= 0 && graph.is_zero(row.residual)) {
                continue;  // what a joint asks for in space holds by itself in the plane
            }
            derive_row(row);
            if (constraint.norm_of < 0) {  // a unit quaternion pushes nothing
                Attribution(model, flow, points, components).find(written_rows[k], row);
            }
            row.actuated = !model.constraints[c].actuators.empty();
            if (row.actuated) {
                if (row.twists.empty() && row.unattributed.empty()) {
                    row.aims = std::move(row.directions);
                }
                row.directions.clear();
                row.twists.clear();
                row.unattributed.clear();
            }
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

}  // namespace ananke::mech
