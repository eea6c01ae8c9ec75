// Quantities of a motion with the derivatives that equations of motion need, by the chain rule.
#pragma once

#include <cmath>

#include <Eigen/Dense>

namespace mechanisms {

/// Most speeds of a mechanism; jets live on the stack.
inline constexpr int kMostSpeeds = 48;

using Gradient = Eigen::Matrix<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, kMostSpeeds>;
using Columns = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, kMostSpeeds>;
using Eigen::Vector3d;

/// f(q, t): d2f/dt2 = J w' + bias, and df/dt = rate with gradient J by the speeds w.
struct PositionJet {
    double value = 0.0;
    double rate = 0.0;
    double bias = 0.0;
    Gradient J;
};

/// g(q, w, t): dg/dt = J w' + bias, with J = dg/dw.
struct RateJet {
    double value = 0.0;
    double bias = 0.0;
    Gradient J;
};

/// A point or a direction: each component a PositionJet.
struct VectorJet {
    Vector3d value = Vector3d::Zero();
    Vector3d rate = Vector3d::Zero();
    Vector3d bias = Vector3d::Zero();
    Columns J;

    PositionJet component(int i) const { return {value[i], rate[i], bias[i], J.row(i)}; }
};

// ---- The chain rule for y = f(x) with f', f'', and for products.

inline double chain(double, double f, double, double) {
    return f;
}
inline PositionJet chain(const PositionJet& x, double f, double f1, double f2) {
    return {f, f1 * x.rate, f2 * x.rate * x.rate + f1 * x.bias, f1 * x.J};
}
inline RateJet chain(const RateJet& x, double f, double f1, double) {
    return {f, f1 * x.bias, f1 * x.J};
}

inline double value_of(double x) {
    return x;
}
inline double value_of(const PositionJet& x) {
    return x.value;
}
inline double value_of(const RateJet& x) {
    return x.value;
}

inline double sum(double a, double b, double sign) {
    return a + sign * b;
}
inline PositionJet sum(const PositionJet& a, const PositionJet& b, double sign) {
    return {a.value + sign * b.value, a.rate + sign * b.rate, a.bias + sign * b.bias,
            a.J + sign * b.J};
}
inline RateJet sum(const RateJet& a, const RateJet& b, double sign) {
    return {a.value + sign * b.value, a.bias + sign * b.bias, a.J + sign * b.J};
}

inline double product(double a, double b) {
    return a * b;
}
inline PositionJet product(const PositionJet& a, const PositionJet& b) {
    return {a.value * b.value, a.rate * b.value + a.value * b.rate,
            a.bias * b.value + 2.0 * a.rate * b.rate + a.value * b.bias,
            b.value * a.J + a.value * b.J};
}
inline RateJet product(const RateJet& a, const RateJet& b) {
    return {a.value * b.value, a.bias * b.value + a.value * b.bias, b.value * a.J + a.value * b.J};
}

// ---- Vectors.

inline VectorJet difference(const VectorJet& a, const VectorJet& b) {
    return {a.value - b.value, a.rate - b.rate, a.bias - b.bias, a.J - b.J};
}

inline PositionJet dot(const VectorJet& a, const VectorJet& b) {
    return {a.value.dot(b.value), a.rate.dot(b.value) + a.value.dot(b.rate),
            a.bias.dot(b.value) + 2.0 * a.rate.dot(b.rate) + a.value.dot(b.bias),
            b.value.transpose() * a.J + a.value.transpose() * b.J};
}

/// The rate of `moving` along `direction`.
inline RateJet speed_along(const VectorJet& moving, const VectorJet& direction) {
    return {moving.rate.dot(direction.value),
            moving.bias.dot(direction.value) + moving.rate.dot(direction.rate),
            direction.value.transpose() * moving.J};
}

}  // namespace mechanisms
