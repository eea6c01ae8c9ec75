#include "lang/bodies.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sym/print.h"

namespace ananke::lang {
namespace {

constexpr std::array<const char*, 3> kComponents{".x", ".y", ".z"};
constexpr std::array<const char*, 3> kUnitVectors{"(1, 0, 0)", "(0, 1, 0)", "(0, 0, 1)"};

}  // namespace

mech::Axes unit_axes(sym::Graph& graph) {
    const sym::Expr one = graph.one();
    const sym::Expr zero = graph.zero();
    return {mech::Vec3{one, zero, zero}, mech::Vec3{zero, one, zero}, mech::Vec3{zero, zero, one}};
}

int Bodies::ground() {
    const auto found = std::find_if(model_.bodies.begin(), model_.bodies.end(), [](const auto& b) {
        return b.kind == mech::Body::Kind::kGround;
    });
    const auto index = static_cast<int>(found - model_.bodies.begin());
    if (found == model_.bodies.end()) {
        mech::Body body;
        body.name = "ground";
        body.kind = mech::Body::Kind::kGround;
        body.inertia = unit_axes(model_.graph);
        body.reference = unit_axes(model_.graph);
        const sym::Expr zero = model_.graph.zero();
        add_body(std::move(body), {zero, zero, zero}, std::nullopt);
    }
    return index;
}

void Bodies::add_body(mech::Body body, const mech::Vec3& centre, std::optional<sym::Expr> mass) {
    sym::Graph& graph = model_.graph;
    for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            body.axes[axis][k] = graph.symbol(
                sym::SymbolKind::kPointPosition,
                "axis(" + body.name + ", " + kUnitVectors[axis] + ")" + kComponents[k]);
        }
        body.omega[k] = graph.symbol(sym::SymbolKind::kPointVelocity,
                                     "omega(" + body.name + ")" + kComponents[k]);
        body.alpha[k] = graph.symbol(sym::SymbolKind::kPointAcceleration,
                                     "omega(" + body.name + ")'" + kComponents[k]);
        symbols_.set_rate(body.omega[k], body.alpha[k]);
    }
    const int index = static_cast<int>(model_.bodies.size());
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const mech::Vec3 rate = mech::cross(graph, body.omega, body.axes[axis]);  // e' = omega x e
        for (std::size_t k = 0; k < 3; ++k) {
            symbols_.set_rate(body.axes[axis][k], rate[k]);
            components_[body.axes[axis][k]] = {index, -1, axis, k};
        }
    }
    body.centre = add_point(body.name, centre, mass, body.span);
    model_.points.back().body = index;
    model_.bodies.push_back(std::move(body));
}

int Bodies::add_point(const std::string& name, const mech::Vec3& position,
                      std::optional<sym::Expr> mass, Span span) {
    const int index = static_cast<int>(model_.points.size());
    mech::Point point;
    point.name = name;
    point.position = position;
    point.mass = mass;
    point.span = span;
    for (std::size_t k = 0; k < 3; ++k) {
        const auto symbol = [&](sym::SymbolKind kind, const char* function) {
            return model_.graph.symbol(kind, function + ("(" + name) + ")" + kComponents[k]);
        };
        point.r[k] = symbol(sym::SymbolKind::kPointPosition, "position");
        point.v[k] = symbol(sym::SymbolKind::kPointVelocity, "velocity");
        point.a[k] = symbol(sym::SymbolKind::kPointAcceleration, "acceleration");
        components_[point.r[k]] = {-1, index, 0, k};
        symbols_.set_rate(point.r[k], point.v[k]);
        symbols_.set_rate(point.v[k], point.a[k]);
    }
    model_.points.push_back(std::move(point));
    return index;
}

int Bodies::add_place(int index, const mech::Vec3& local, const std::string& name, Span span) {
    sym::Graph& graph = model_.graph;
    const mech::Vec3 offset = mech::along(graph, body(index).axes, local);
    const int place =
        add_point(name, mech::add(graph, point(body(index).centre).r, offset), std::nullopt, span);
    model_.points.back().body = index;
    return place;
}

int Bodies::place_on(int index, const mech::Vec3& local, Span span) {
    const sym::Graph& graph = model_.graph;
    if (graph.is_zero(local[0]) && graph.is_zero(local[1]) && graph.is_zero(local[2])) {
        return body(index).centre;
    }
    const auto text = [&](sym::Expr component) -> std::string {
        std::string& known = texts_[component];
        return known.empty() ? known = sym::print(graph, component) : known;
    };
    const std::string name = body(index).name + " at (" + text(local[0]) + ", " + text(local[1]) +
                             ", " + text(local[2]) + ")";
    if (const auto found = places_.find(name); found != places_.end()) {
        return found->second;
    }
    const int place = add_place(index, local, name, span);
    model_.points.back().named = false;
    places_[name] = place;
    return place;
}

const mech::Axes& Bodies::axes(int index, Orientations which) const {
    const auto guess = guessed_axes_.find(body(index).first);
    return which == Orientations::kStated && guess != guessed_axes_.end() ? guess->second
                                                                          : body(index).reference;
}

sym::Expr Bodies::turned(int index) {
    if (body(index).kind == mech::Body::Kind::kGround) {
        return model_.graph.zero();
    }
    const sym::Expr now = model_.coordinates[body(index).coordinate(2)].q;
    const auto found = angles_.find(body(index).first);
    return found == angles_.end() ? now : model_.graph.sub(now, found->second);
}

mech::Quaternion Bodies::quaternion(const mech::Body& body) const {
    mech::Quaternion u;
    for (std::size_t k = 0; k < 4; ++k) {
        u[k] = model_.coordinates[body.coordinate(3) + k].q;
    }
    return u;
}

mech::Quaternion Bodies::quaternion_rate(const mech::Body& body, const mech::Vec3& omega) {
    sym::Graph& graph = model_.graph;
    const mech::Quaternion w{graph.zero(), omega[0], omega[1], omega[2]};
    mech::Quaternion rate = mech::multiply(graph, w, quaternion(body));
    for (sym::Expr& part : rate) {
        part = graph.mul(graph.fraction(1, 2), part);
    }
    return rate;
}

}  // namespace ananke::lang
