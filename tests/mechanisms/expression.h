// Expressions that a random mechanism is made of: written into a model text, and evaluated here.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <Eigen/Dense>

#include "units.h"

namespace mechanisms {

enum class Frame { kGround, kParticle, kPlanar, kSpatial };

/// A place fixed in a body: `arm` in the axes of the body, from its mass centre.
struct Place {
    Frame frame = Frame::kGround;
    int index = 0;
    Eigen::Vector3d arm = Eigen::Vector3d::Zero();
};

enum class Op {
    kNumber,
    kParameter,
    kClock,  ///< the time t
    kCoordinate,
    kSpeed,          ///< x' of a coordinate
    kPosition,       ///< component of the position of a place
    kPlaceVelocity,  ///< component of its velocity
    kOmega,          ///< component of the angular velocity of the body of a place
    kDistance,       ///< between two places
    kDistanceSquared,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kPower,  ///< by a whole number
    kSin,
    kCos,
    kTanh,
    kSqrt,
    kAbsolute,
    kLeast,
    kGreatest,
    kChoice  ///< if a < b then c else d
};

struct Node;
using NodeHandle = std::shared_ptr<const Node>;

struct Node {
    Op op = Op::kNumber;
    double number = 0.0;
    Dimension dimension;  ///< of a number
    int index = 0;        ///< of a parameter, coordinate, component or exponent
    Place a, b;
    std::vector<NodeHandle> operands;
    mutable int switching = -1;  ///< which switch of its mechanism this is
};

class Ex {
  public:
    Ex() : Ex(0.0) {}
    /// A number without a dimension.
    Ex(double value) : Ex(value, kNone) {}
    Ex(double value, Dimension dimension);
    explicit Ex(Node node) : node_(std::make_shared<const Node>(std::move(node))) {}

    const Node& node() const { return *node_; }
    const NodeHandle& handle() const { return node_; }
    bool is_zero() const { return node_->op == Op::kNumber && node_->number == 0.0; }

  private:
    NodeHandle node_;
};

using Ex3 = std::array<Ex, 3>;

Ex time_symbol();
Ex parameter(int index);
Ex coordinate(int index);
Ex speed(int index);
Ex position(const Place& place, int component);
Ex velocity(const Place& place, int component);
Ex omega(const Place& place, int component);
Ex distance(const Place& a, const Place& b);
Ex distance_squared(const Place& a, const Place& b);

Ex operator+(const Ex& a, const Ex& b);
Ex operator-(const Ex& a, const Ex& b);
Ex operator*(const Ex& a, const Ex& b);
Ex operator/(const Ex& a, const Ex& b);
Ex operator-(const Ex& a);
Ex power(const Ex& a, int exponent);
Ex sine(const Ex& a);
Ex cosine(const Ex& a);
Ex hyperbolic_tangent(const Ex& a);
Ex root(const Ex& a);
Ex absolute(const Ex& a);
Ex least(const Ex& a, const Ex& b);
Ex greatest(const Ex& a, const Ex& b);
Ex choice(const Ex& left, const Ex& right, const Ex& below, const Ex& otherwise);

}  // namespace mechanisms
