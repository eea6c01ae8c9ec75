#include "sym/exact.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace ananke::sym {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 53;

Wide gcd(Wide a, Wide b) {
    constexpr Wide kNarrow = std::numeric_limits<std::int64_t>::max();
    if (a >= -kNarrow && a <= kNarrow && b >= -kNarrow && b <= kNarrow) {
        return std::gcd(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
    }
    while (b != 0) {
        const Wide rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

}  // namespace

std::optional<Number> make_fraction(Wide numerator, Wide denominator) {
    if (denominator == 0) {
        return std::nullopt;
    }
    if (denominator != 1) {
        const Wide common = gcd(numerator, denominator);
        numerator /= common;
        denominator /= common;
    }
    if (denominator < 0) {
        numerator = -numerator;
        denominator = -denominator;
    }
    if (numerator > kLargest || numerator < -kLargest || denominator > kLargest) {
        return std::nullopt;
    }
    const auto p = static_cast<std::int64_t>(numerator);
    const auto q = static_cast<std::int64_t>(denominator);
    return Number{static_cast<double>(p) / static_cast<double>(q), p, q};
}

std::optional<Number> exact_add(const Number& a, const Number& b) {
    return make_fraction(static_cast<Wide>(a.numerator) * b.denominator +
                             static_cast<Wide>(b.numerator) * a.denominator,
                         static_cast<Wide>(a.denominator) * b.denominator);
}

std::optional<Number> exact_mul(const Number& a, const Number& b) {
    return make_fraction(static_cast<Wide>(a.numerator) * b.numerator,
                         static_cast<Wide>(a.denominator) * b.denominator);
}

std::optional<Number> exact_div(const Number& a, const Number& b) {
    return make_fraction(static_cast<Wide>(a.numerator) * b.denominator,
                         static_cast<Wide>(a.denominator) * b.numerator);
}

std::optional<Number> exact_pow(const Number& a, std::int64_t exponent) {
    const bool invert = exponent < 0;
    if (std::abs(exponent) > 64) {
        return std::nullopt;
    }
    std::optional<Number> power = make_fraction(1, 1);
    for (std::int64_t i = 0; i < std::abs(exponent) && power; ++i) {
        power = exact_mul(*power, a);
    }
    return power && invert ? exact_div(*make_fraction(1, 1), *power) : power;
}

std::optional<Number> exact_sqrt(const Number& a) {
    const auto root = [](std::int64_t value) {
        return static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(value))));
    };
    if (a.numerator < 0) {
        return std::nullopt;
    }
    const std::int64_t p = root(a.numerator);
    const std::int64_t q = root(a.denominator);
    if (p * p != a.numerator || q * q != a.denominator) {
        return std::nullopt;
    }
    return make_fraction(p, q);
}

Number exact_neg(const Number& a) {
    return {-a.value, -a.numerator, a.denominator};
}

int exact_compare(const Number& a, const Number& b) {
    const Wide left = static_cast<Wide>(a.numerator) * b.denominator;
    const Wide right = static_cast<Wide>(b.numerator) * a.denominator;
    return left < right ? -1 : (left > right ? 1 : 0);
}

Number parse_literal(std::string_view text) {
    Number constant;
    std::from_chars(text.data(), text.data() + text.size(), constant.value);

    // digits [. digits] [e [+-] digits] as mantissa * 10^exponent
    Wide mantissa = 0;
    int exponent = 0;
    bool fits = true;
    bool after_point = false;
    std::size_t i = 0;
    for (; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
        if (text[i] == '.') {
            after_point = true;
            continue;
        }
        mantissa = mantissa * 10 + (text[i] - '0');
        exponent -= after_point ? 1 : 0;
        fits = fits && mantissa < (static_cast<Wide>(1) << 100);
        if (!fits) {
            return constant;
        }
    }
    if (i < text.size()) {
        const bool plus = i + 1 < text.size() && text[i + 1] == '+';
        int written = 0;
        const auto read =
            std::from_chars(text.data() + i + (plus ? 2 : 1), text.data() + text.size(), written);
        if (read.ec != std::errc() || written > 100 || written < -100) {
            return constant;
        }
        exponent += written;
    }
    if (exponent > 18 || exponent < -22) {
        return constant;
    }
    Wide scale = 1;
    for (int k = 0; k < std::abs(exponent); ++k) {
        scale *= 10;
    }
    const std::optional<Number> fraction = exponent < 0 ? make_fraction(mantissa, scale)
                                           : mantissa < (static_cast<Wide>(1) << 60)
                                               ? make_fraction(mantissa * scale, 1)
                                               : std::nullopt;
    if (fraction) {
        constant.value = fraction->value;
        constant.numerator = fraction->numerator;
        constant.denominator = fraction->denominator;
    }
    return constant;
}

}  // namespace ananke::sym
