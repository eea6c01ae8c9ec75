// Bodies and points of the model: their symbols, the places fixed in them, and how they stand when
// directions are fixed in them.
//
// Owns the meaning of symbols of positions, the points that `B at (..)` has made, and the
// orientations that statements give.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "lang/symbols.h"
#include "mech/model.h"
#include "mech/vectors.h"

namespace ananke::lang {

/// What a symbol of a position is: component k of an axis of a body, or of a point.
struct Component {
    int body = -1;
    int point = -1;
    std::size_t axis = 0;
    std::size_t k = 0;
};

/// The reference orientations of all bodies, or those of their statements also where these are
/// guesses.
enum class Orientations { kReference, kStated };

class Bodies {
  public:
    Bodies(mech::Model& model, Symbols& symbols) : model_(model), symbols_(symbols) {}

    /// False while the statement that declares the body is read.
    bool contains(int index) const {
        return static_cast<std::size_t>(index) < model_.bodies.size();
    }
    const mech::Body& body(int index) const {
        return model_.bodies[static_cast<std::size_t>(index)];
    }
    const mech::Point& point(int index) const {
        return model_.points[static_cast<std::size_t>(index)];
    }
    /// The point that a point or a body as a value stands for: the mass centre of a body.
    int point_of(const Value& value) const {
        return value.is_point() ? value.point : body(value.body).centre;
    }
    /// The index of the ground, which is a body without coordinates.
    int ground();
    /// Gives the body symbols for its axes and angular velocity, and its mass centre. The ground
    /// has no mass.
    void add_body(mech::Body body, const mech::Vec3& centre, std::optional<sym::Expr> mass);
    int add_point(const std::string& name, const mech::Vec3& position,
                  std::optional<sym::Expr> mass, Span span);
    /// A point fixed in a body: r + x e1 + y e2 + z e3.
    int add_place(int body, const mech::Vec3& local, const std::string& name, Span span);
    /// `B at (x, y, z)` in an expression: the same place is the same point.
    int place_on(int body, const mech::Vec3& local, Span span);

    /// Null for other symbols.
    const Component* component(sym::Expr symbol) const { return components_.find(symbol); }

    // By the first coordinate of a body.
    void guess_axes(int first, const mech::Axes& axes) { guessed_axes_[first] = axes; }
    void set_angle(int first, sym::Expr angle) { angles_[first] = angle; }
    bool is_guessed(int body) const { return guessed_axes_.contains(this->body(body).first); }
    const mech::Axes& axes(int body, Orientations which) const;
    /// The angle that a planar body has turned since its reference orientation.
    sym::Expr turned(int body);

    /// The coordinates u0 .. u3 of a body in space.
    mech::Quaternion quaternion(const mech::Body& body) const;
    /// u' = omega (x) u / 2
    mech::Quaternion quaternion_rate(const mech::Body& body, const mech::Vec3& omega);

  private:
    mech::Model& model_;
    Symbols& symbols_;
    sym::NodeMap<Component> components_;
    std::unordered_map<std::string, int> places_;  ///< points by their text
    sym::NodeMap<std::string> texts_;              ///< of components of places
    std::unordered_map<int, mech::Axes> guessed_axes_;
    std::unordered_map<int, sym::Expr>
        angles_;  ///< of planar bodies in their reference orientation
};

mech::Axes unit_axes(sym::Graph& graph);

}  // namespace ananke::lang
