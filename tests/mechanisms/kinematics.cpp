#include "kinematics.h"

#include <stdexcept>

namespace mechanisms {

Matrix3d rotation_of(const Eigen::Vector4d& u) {
    return Eigen::Quaterniond(u[0], u[1], u[2], u[3]).toRotationMatrix();
}

Eigen::Vector4d quaternion_product(const Eigen::Vector4d& a, const Eigen::Vector4d& b) {
    Eigen::Vector4d c;
    c[0] = a[0] * b[0] - a.tail<3>().dot(b.tail<3>());
    c.tail<3>() = a[0] * b.tail<3>() + b[0] * a.tail<3>() +
                  Vector3d(a.tail<3>()).cross(Vector3d(b.tail<3>()));
    return c;
}

namespace {

Eigen::Vector4d pure(const Vector3d& v) {
    return {0.0, v.x(), v.y(), v.z()};
}

Matrix3d cross_matrix(const Vector3d& v) {
    Matrix3d K;
    K << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
    return K;
}

}  // namespace

Kinematics::Kinematics(const Mechanism& mechanism, const State& state,
                       const std::vector<char>& truth)
    : m_(mechanism), state_(state), truth_(truth) {
    zero_ = Gradient::Zero(m_.speeds);
    for (const SpatialBody& body : m_.spatial) {
        rotations_.push_back(rotation_of(state.q.segment<4>(body.q + 3).normalized()));
    }
}

Matrix3d Kinematics::rotation(const Place& place) const {
    const auto index = static_cast<std::size_t>(place.index);
    if (place.frame == Frame::kSpatial) {
        return rotations_[index];
    }
    if (place.frame == Frame::kPlanar) {
        const double angle =
            state_.q[m_.coordinates[static_cast<std::size_t>(m_.planar[index].first + 2)].q];
        return Eigen::AngleAxisd(angle, Vector3d::UnitZ()).toRotationMatrix();
    }
    return Matrix3d::Identity();
}

Columns Kinematics::angular_gradient(const Place& place) const {
    Columns J = Columns::Zero(3, m_.speeds);
    const auto index = static_cast<std::size_t>(place.index);
    if (place.frame == Frame::kSpatial) {
        J.block<3, 3>(0, m_.spatial[index].w + 3).setIdentity();
    } else if (place.frame == Frame::kPlanar) {
        J(2, m_.coordinates[static_cast<std::size_t>(m_.planar[index].first + 2)].w) = 1.0;
    }
    return J;
}

Vector3d Kinematics::angular_velocity(const Place& place) const {
    return angular_gradient(place) * state_.w;
}

VectorJet Kinematics::direction(const Place& place, const Vector3d& local) const {
    // e' = omega x e, e'' = omega' x e + omega x (omega x e)
    VectorJet e;
    const Vector3d omega = angular_velocity(place);
    e.value = rotation(place) * local;
    e.rate = omega.cross(e.value);
    e.bias = omega.cross(e.rate);
    e.J = -cross_matrix(e.value) * angular_gradient(place);
    return e;
}

VectorJet Kinematics::place(const Place& place) const {
    const auto index = static_cast<std::size_t>(place.index);
    if (place.frame == Frame::kParticle) {
        VectorJet at;
        at.J.resize(3, m_.speeds);
        for (int i = 0; i < 3; ++i) {
            const PositionJet part =
                on_positions(m_.particles[index].at[static_cast<std::size_t>(i)]);
            at.value[i] = part.value;
            at.rate[i] = part.rate;
            at.bias[i] = part.bias;
            at.J.row(i) = part.J;
        }
        return at;
    }
    VectorJet at = direction(place, place.arm);
    const auto add = [&](int component, int q, int w) {
        at.value[component] += state_.q[q];
        at.rate[component] += state_.w[w];
        at.J(component, w) += 1.0;
    };
    if (place.frame == Frame::kSpatial) {
        for (int i = 0; i < 3; ++i) {
            add(i, m_.spatial[index].q + i, m_.spatial[index].w + i);
        }
    } else if (place.frame == Frame::kPlanar) {
        for (int i = 0; i < 2; ++i) {
            const Coordinate& c =
                m_.coordinates[static_cast<std::size_t>(m_.planar[index].first + i)];
            add(i, c.q, c.w);
        }
    }
    return at;
}

// ---- Expressions.

template <>
double Kinematics::constant<double>(double value) const {
    return value;
}
template <>
PositionJet Kinematics::constant<PositionJet>(double value) const {
    return {value, 0.0, 0.0, zero_};
}
template <>
RateJet Kinematics::constant<RateJet>(double value) const {
    return {value, 0.0, zero_};
}

template <>
PositionJet Kinematics::leaf<PositionJet>(const Node& node) const {
    switch (node.op) {
        case Op::kNumber:
            return constant<PositionJet>(node.number);
        case Op::kParameter:
            return constant<PositionJet>(state_.parameters[static_cast<std::size_t>(node.index)]);
        case Op::kClock:
            return {state_.t, 1.0, 0.0, zero_};
        case Op::kCoordinate: {
            const Coordinate& c = m_.coordinates[static_cast<std::size_t>(node.index)];
            PositionJet x{state_.q[c.q], state_.w[c.w], 0.0, zero_};
            x.J[c.w] = 1.0;
            return x;
        }
        case Op::kPosition:
            return place(node.a).component(node.index);
        case Op::kDistance:
        case Op::kDistanceSquared: {
            const VectorJet d = difference(place(node.a), place(node.b));
            const PositionJet square = dot(d, d);
            if (node.op == Op::kDistanceSquared) {
                return square;
            }
            const double r = std::sqrt(square.value);
            return chain(square, r, 0.5 / r, -0.25 / (r * square.value));
        }
        default:
            throw std::logic_error("a velocity in an expression of positions");
    }
}

template <>
RateJet Kinematics::leaf<RateJet>(const Node& node) const {
    switch (node.op) {
        case Op::kSpeed: {
            const Coordinate& c = m_.coordinates[static_cast<std::size_t>(node.index)];
            RateJet v{state_.w[c.w], 0.0, zero_};
            v.J[c.w] = 1.0;
            return v;
        }
        case Op::kPlaceVelocity: {
            const PositionJet x = place(node.a).component(node.index);
            return {x.rate, x.bias, x.J};
        }
        case Op::kOmega:
            return {angular_velocity(node.a)[node.index], 0.0,
                    angular_gradient(node.a).row(node.index)};
        default: {
            const PositionJet x = leaf<PositionJet>(node);
            return {x.value, x.rate, zero_};
        }
    }
}

template <>
double Kinematics::leaf<double>(const Node& node) const {
    switch (node.op) {
        case Op::kNumber:
            return node.number;
        case Op::kClock:
            return state_.t;
        case Op::kCoordinate:
            return state_.q[m_.coordinates[static_cast<std::size_t>(node.index)].q];
        case Op::kSpeed:
            return state_.w[m_.coordinates[static_cast<std::size_t>(node.index)].w];
        default:
            return leaf<RateJet>(node).value;
    }
}

bool Kinematics::first_branch(const Node& node) const {
    if (node.switching >= 0 && static_cast<std::size_t>(node.switching) < truth_.size()) {
        return truth_[static_cast<std::size_t>(node.switching)] != 0;
    }
    return condition(node) < 0.0;
}

template <class Jet>
Jet Kinematics::unary(const Node& node) const {
    const Jet a = evaluate<Jet>(*node.operands[0]);
    const double x = value_of(a);
    switch (node.op) {
        case Op::kPower: {
            const int n = node.index;
            const double f2 = n > 1 ? n * (n - 1) * std::pow(x, n - 2) : 0.0;
            return chain(a, std::pow(x, n), n * std::pow(x, n - 1), f2);
        }
        case Op::kSin:
            return chain(a, std::sin(x), std::cos(x), -std::sin(x));
        case Op::kCos:
            return chain(a, std::cos(x), -std::sin(x), -std::cos(x));
        case Op::kTanh: {
            const double f = std::tanh(x);
            return chain(a, f, 1.0 - f * f, -2.0 * f * (1.0 - f * f));
        }
        case Op::kSqrt: {
            const double r = std::sqrt(x);
            return chain(a, r, 0.5 / r, -0.25 / (r * x));
        }
        default: {
            const double sign = first_branch(node) ? -1.0 : 1.0;
            return chain(a, sign * x, sign, 0.0);
        }
    }
}

template <class Jet>
Jet Kinematics::evaluate(const Node& node) const {
    const auto operand = [&](std::size_t i) { return evaluate<Jet>(*node.operands[i]); };
    switch (node.op) {
        case Op::kAdd:
            return sum(operand(0), operand(1), 1.0);
        case Op::kSubtract:
            return sum(operand(0), operand(1), -1.0);
        case Op::kMultiply:
            return product(operand(0), operand(1));
        case Op::kDivide: {
            const Jet b = operand(1);
            const double x = value_of(b);
            return product(operand(0), chain(b, 1.0 / x, -1.0 / (x * x), 2.0 / (x * x * x)));
        }
        case Op::kPower:
        case Op::kSin:
        case Op::kCos:
        case Op::kTanh:
        case Op::kSqrt:
        case Op::kAbsolute:
            return unary<Jet>(node);
        case Op::kLeast:
            return first_branch(node) ? operand(0) : operand(1);
        case Op::kGreatest:
            return first_branch(node) ? operand(1) : operand(0);
        case Op::kChoice:
            return first_branch(node) ? operand(2) : operand(3);
        default:
            return leaf<Jet>(node);
    }
}

double Kinematics::value(const Ex& ex) const {
    return evaluate<double>(ex.node());
}
PositionJet Kinematics::on_positions(const Ex& ex) const {
    return evaluate<PositionJet>(ex.node());
}
RateJet Kinematics::on_velocities(const Ex& ex) const {
    return evaluate<RateJet>(ex.node());
}

double Kinematics::condition(const Node& node) const {
    const double a = evaluate<double>(*node.operands[0]);
    return node.op == Op::kAbsolute ? a : a - evaluate<double>(*node.operands[1]);
}

VectorXd Kinematics::position_rates() const {
    VectorXd rates(m_.positions);
    for (const Coordinate& c : m_.coordinates) {
        rates[c.q] = state_.w[c.w];
    }
    for (const SpatialBody& b : m_.spatial) {
        rates.segment<3>(b.q) = state_.w.segment<3>(b.w);
        // u' = omega u/2, omega in world axes
        rates.segment<4>(b.q + 3) = 0.5 * quaternion_product(pure(state_.w.segment<3>(b.w + 3)),
                                                             state_.q.segment<4>(b.q + 3));
    }
    return rates;
}

VectorXd Kinematics::position_accelerations(const VectorXd& speed_rates) const {
    VectorXd second(m_.positions);
    const VectorXd rates = position_rates();
    for (const Coordinate& c : m_.coordinates) {
        second[c.q] = speed_rates[c.w];
    }
    for (const SpatialBody& b : m_.spatial) {
        second.segment<3>(b.q) = speed_rates.segment<3>(b.w);
        second.segment<4>(b.q + 3) =
            0.5 *
            (quaternion_product(pure(speed_rates.segment<3>(b.w + 3)),
                                state_.q.segment<4>(b.q + 3)) +
             quaternion_product(pure(state_.w.segment<3>(b.w + 3)), rates.segment<4>(b.q + 3)));
    }
    return second;
}

}  // namespace mechanisms
