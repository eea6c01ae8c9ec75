// What an expression of the language stands for once its names are resolved.
#pragma once

#include <array>
#include <cstdint>

#include "sym/graph.h"

namespace ananke::lang {

enum class ValueKind : std::uint8_t {
    kNone,  ///< a mistake, reported already; whatever is built from it stays silent
    kScalar,
    kVector,
    kTruth,  ///< a condition
    kPoint,  ///< a particle or point as such: the argument of position() and its like
};

struct Value {
    ValueKind kind = ValueKind::kNone;
    std::array<sym::Expr, 3> parts{};  ///< a scalar or condition in [0]
    int point = -1;                    ///< index in Model::points

    static Value none() { return {}; }
    static Value scalar(sym::Expr e) { return {ValueKind::kScalar, {e, {}, {}}, -1}; }
    static Value truth(sym::Expr e) { return {ValueKind::kTruth, {e, {}, {}}, -1}; }
    static Value vector(const std::array<sym::Expr, 3>& e) { return {ValueKind::kVector, e, -1}; }
    static Value of_point(int index) { return {ValueKind::kPoint, {}, index}; }

    bool bad() const { return kind == ValueKind::kNone; }
    bool is_scalar() const { return kind == ValueKind::kScalar; }
    bool is_vector() const { return kind == ValueKind::kVector; }
    bool is_truth() const { return kind == ValueKind::kTruth; }
    bool is_point() const { return kind == ValueKind::kPoint; }
    sym::Expr scalar() const { return parts[0]; }
    int size() const { return is_vector() ? 3 : 1; }
};

}  // namespace ananke::lang
