// Numbers with dimensions, and their text in any system of units.
#pragma once

#include <cmath>
#include <string>

#include <fmt/format.h>

namespace mechanisms {

/// Powers of length, mass and time. Angles have none.
struct Dimension {
    int length = 0;
    int mass = 0;
    int time = 0;

    friend Dimension operator*(Dimension a, Dimension b) {
        return {a.length + b.length, a.mass + b.mass, a.time + b.time};
    }
    friend Dimension operator/(Dimension a, Dimension b) {
        return {a.length - b.length, a.mass - b.mass, a.time - b.time};
    }
    friend bool operator==(Dimension a, Dimension b) = default;
};

inline constexpr Dimension kNone{};
inline constexpr Dimension kLength{1, 0, 0};
inline constexpr Dimension kMass{0, 1, 0};
inline constexpr Dimension kTime{0, 0, 1};
inline constexpr Dimension kArea{2, 0, 0};
inline constexpr Dimension kVelocity{1, 0, -1};
inline constexpr Dimension kAcceleration{1, 0, -2};
inline constexpr Dimension kRate{0, 0, -1};
inline constexpr Dimension kForce{1, 1, -2};
inline constexpr Dimension kEnergy{2, 1, -2};
inline constexpr Dimension kInertia{2, 1, 0};
inline constexpr Dimension kStiffness{0, 1, -2};
inline constexpr Dimension kDamping{0, 1, -1};

/// A system of units by the powers of ten of its numbers: {3, -3, 0} writes metres as millimetres
/// and kilograms as tonnes. Decimal texts are shifted, so nothing is rounded but when it is read.
struct Units {
    int length = 0;
    int mass = 0;
    int time = 0;

    int shift(Dimension d) const { return length * d.length + mass * d.mass + time * d.time; }
    double factor(Dimension d) const { return std::pow(10.0, shift(d)); }

    /// `value` in SI units, written in these units with 17 digits.
    std::string number(double value, Dimension dimension) const {
        const std::string text = fmt::format("{:.16e}", value);
        const std::size_t e = text.find('e');
        if (value == 0.0 || e == std::string::npos) {
            return "0";
        }
        std::string mantissa = text.substr(0, e);
        mantissa.erase(mantissa.find_last_not_of('0') + 1);
        if (mantissa.back() == '.') {
            mantissa.pop_back();
        }
        const int exponent = std::stoi(text.substr(e + 1)) + shift(dimension);
        return exponent == 0 ? mantissa : mantissa + "e" + std::to_string(exponent);
    }
};

}  // namespace mechanisms
