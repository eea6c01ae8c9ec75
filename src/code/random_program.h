// Random programs and numbers for the tests that compare tiers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "code/program.h"

namespace ananke::code {

struct RandomShape {
    std::uint32_t inputs = 4;
    std::uint32_t constants = 3;
    std::uint32_t temporaries = 8;  ///< slots: few are overwritten often, many live long
    std::size_t instructions = 30;
    std::size_t outputs = 3;
    double calls = 0.1;    ///< part of the instructions
    double choices = 0.3;  ///< min, max, sign, comparisons, truth values, select
};

/// Ordinary numbers, and one in four that arithmetic likes to get wrong.
inline double random_number(std::mt19937_64& rng) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    constexpr std::array kSpecial{0.0,        -0.0, 1.0,    -1.0,    0.5,    2.0,   kInfinity,
                                  -kInfinity, kNaN, 5e-324, -5e-324, 2e-310, 1e308, -1e308,
                                  2.3e-308,   1e22, -3e7,   710.0,   -745.5};
    const auto draw = rng();
    if (draw % 4 == 0) {
        return kSpecial[(draw >> 8) % kSpecial.size()];
    }
    return std::uniform_real_distribution<double>(-3.0, 3.0)(rng);
}

inline Op random_op(const RandomShape& shape, std::mt19937_64& rng) {
    const auto pick = [&](Op first, Op last) {
        const auto low = static_cast<int>(first);
        return static_cast<Op>(
            low +
            static_cast<int>(rng() % static_cast<unsigned>(static_cast<int>(last) - low + 1)));
    };
    const double part = std::uniform_real_distribution<double>(0.0, 1.0)(rng);
    if (part < shape.calls) {
        return pick(Op::kSin, Op::kPow);
    }
    if (part < shape.calls + shape.choices) {
        return pick(Op::kSign, Op::kSelect);
    }
    return pick(Op::kAdd, Op::kAbs);
}

inline Program random_program(const RandomShape& shape, std::mt19937_64& rng) {
    Program program;
    program.input_count = shape.inputs;
    for (std::uint32_t i = 0; i < shape.constants; ++i) {
        program.constants.push_back(random_number(rng));
    }
    const Slot first = program.first_temporary();
    program.slot_count = first;
    for (std::size_t i = 0; i < shape.instructions; ++i) {
        const Slot known = program.slot_count;
        const auto read = [&] { return static_cast<Slot>(rng() % known); };
        Instruction instruction{.op = random_op(shape, rng), .target = 0, .a = read()};
        const int operands = arity(instruction.op);
        instruction.b = operands > 1 ? read() : 0;
        instruction.c = operands > 2 ? read() : 0;
        // New slots first, then any of them.
        instruction.target = known < first + shape.temporaries
                                 ? known
                                 : first + static_cast<Slot>(rng() % shape.temporaries);
        program.slot_count = std::max(known, instruction.target + 1);
        program.instructions.push_back(instruction);
    }
    for (std::size_t i = 0; i < shape.outputs; ++i) {
        program.outputs.push_back(static_cast<Slot>(rng() % program.slot_count));
    }
    return program;
}

/// The sign and payload of NaN are not part of what a program says.
inline bool same_bits(double x, double y) {
    return (std::isnan(x) && std::isnan(y)) ||
           std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
}

}  // namespace ananke::code
