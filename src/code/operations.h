// What each operation computes. One definition serves the interpreter and the folding of constants.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "code/functions.h"
#include "code/program.h"

namespace ananke::code {

/// Smaller of the two (IEEE 754-2019 `minimum`): NaN if either is NaN, -0 before 0.
inline double minimum(double a, double b) {
    if (a < b) {
        return a;
    }
    if (b < a) {
        return b;
    }
    // Equal numbers differ at most in the sign of zero.
    return a == b ? std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) |
                                          std::bit_cast<std::uint64_t>(b))
                  : a + b;
}

/// Larger of the two (IEEE 754-2019 `maximum`).
inline double maximum(double a, double b) {
    if (a > b) {
        return a;
    }
    if (b > a) {
        return b;
    }
    return a == b ? std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) &
                                          std::bit_cast<std::uint64_t>(b))
                  : a + b;
}

inline double sign(double a) {
    if (a > 0.0) {
        return 1.0;
    }
    if (a < 0.0) {
        return -1.0;
    }
    return a == 0.0 ? 0.0 : a;
}

inline double truth(bool value) {
    return value ? 1.0 : 0.0;
}

/// Always inlined, so that std::fma becomes the instruction where the caller is compiled for it.
[[gnu::always_inline]] inline double apply(Op op, double a, double b, double c,
                                           const Functions& f) {
    switch (op) {
        case Op::kAdd:
            return a + b;
        case Op::kSub:
            return a - b;
        case Op::kMul:
            return a * b;
        case Op::kDiv:
            return a / b;
        case Op::kFma:
            return std::fma(a, b, c);
        case Op::kFms:
            return std::fma(a, b, -c);
        case Op::kFnma:
            return std::fma(-a, b, c);
        case Op::kSqrt:
            return std::sqrt(a);
        case Op::kNeg:
            return -a;
        case Op::kAbs:
            return std::fabs(a);
        case Op::kSign:
            return sign(a);
        case Op::kMin:
            return minimum(a, b);
        case Op::kMax:
            return maximum(a, b);
        case Op::kLower:
            return a < b ? a : b;
        case Op::kHigher:
            return a > b ? a : b;
        case Op::kLess:
            return truth(a < b);
        case Op::kLessEqual:
            return truth(a <= b);
        case Op::kEqual:
            return truth(a == b);
        case Op::kAnd:
            return truth(a != 0.0 && b != 0.0);
        case Op::kOr:
            return truth(a != 0.0 || b != 0.0);
        case Op::kNot:
            return truth(a == 0.0);
        case Op::kSelect:
            return a != 0.0 ? b : c;
        case Op::kSin:
            return f.sin(a);
        case Op::kCos:
            return f.cos(a);
        case Op::kTan:
            return f.tan(a);
        case Op::kAsin:
            return f.asin(a);
        case Op::kAcos:
            return f.acos(a);
        case Op::kAtan:
            return f.atan(a);
        case Op::kSinh:
            return f.sinh(a);
        case Op::kCosh:
            return f.cosh(a);
        case Op::kTanh:
            return f.tanh(a);
        case Op::kExp:
            return f.exp(a);
        case Op::kLog:
            return f.log(a);
        case Op::kAtan2:
            return f.atan2(a, b);
        case Op::kPow:
            return f.pow(a, b);
    }
    __builtin_unreachable();
}

}  // namespace ananke::code
