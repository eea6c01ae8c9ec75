// What an expression of the language stands for once its names are resolved.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sym/graph.h"

namespace ananke::lang {

enum class ValueKind : std::uint8_t {
    kNone,  ///< a mistake, reported already; whatever is built from it stays silent
    kScalar,
    kVector,
    kTruth,     ///< a condition
    kPoint,     ///< a particle or point as such: the argument of position() and its like
    kBody,      ///< a body as such
    kRotation,  ///< an orientation, as a quaternion
};

struct Value {
    ValueKind kind = ValueKind::kNone;
    std::array<sym::Expr, 3> parts{};     ///< a scalar or condition in [0]
    int point = -1;                       ///< index in Model::points
    int body = -1;                        ///< index in Model::bodies
    std::array<sym::Expr, 4> rotation{};  ///< u0, u1, u2, u3

    static Value none() { return {}; }
    static Value scalar(sym::Expr e) { return {ValueKind::kScalar, {e, {}, {}}}; }
    static Value truth(sym::Expr e) { return {ValueKind::kTruth, {e, {}, {}}}; }
    static Value vector(const std::array<sym::Expr, 3>& e) { return {ValueKind::kVector, e}; }
    static Value of_point(int index) { return {ValueKind::kPoint, {}, index}; }
    static Value of_body(int index) { return {ValueKind::kBody, {}, -1, index}; }
    static Value of_rotation(const std::array<sym::Expr, 4>& u) {
        return {ValueKind::kRotation, {}, -1, -1, u};
    }

    bool bad() const { return kind == ValueKind::kNone; }
    bool is_scalar() const { return kind == ValueKind::kScalar; }
    bool is_vector() const { return kind == ValueKind::kVector; }
    bool is_truth() const { return kind == ValueKind::kTruth; }
    bool is_point() const { return kind == ValueKind::kPoint; }
    bool is_body() const { return kind == ValueKind::kBody; }
    bool is_rotation() const { return kind == ValueKind::kRotation; }
    sym::Expr scalar() const { return parts[0]; }
    std::size_t size() const { return is_vector() ? 3 : 1; }
    /// Of a scalar, a condition or a vector.
    std::span<sym::Expr> components() { return std::span(parts).first(size()); }
    std::span<const sym::Expr> components() const { return std::span(parts).first(size()); }
    /// All expressions that it is made of.
    std::span<const sym::Expr> expressions() const {
        return is_rotation()                              ? std::span<const sym::Expr>(rotation)
               : is_scalar() || is_truth() || is_vector() ? components()
                                                          : std::span<const sym::Expr>();
    }
};

}  // namespace ananke::lang
