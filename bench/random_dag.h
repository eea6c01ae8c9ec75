// Random straight-line programs of the kind that elimination makes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "code/builder.h"

namespace ananke::bench {

/// Half products, half sums and differences, a few quotients and roots, fused where lowering
/// does: operands mostly recent, as elimination makes them.
inline code::Program random_dag(std::size_t operations) {
    constexpr std::uint32_t kInputs = 40;
    constexpr std::size_t kOutputs = 24;
    std::mt19937_64 rng(operations);
    code::Builder builder(kInputs);
    std::vector<code::Value> values;
    for (std::uint32_t i = 0; i < kInputs; ++i) {
        values.push_back(builder.input(i));
    }
    for (std::size_t i = 0; i < operations; ++i) {
        const auto pick = [&] {
            const std::size_t reach = rng() % 4 == 0 ? values.size() : 64;
            return values[values.size() - 1 - rng() % std::min(reach, values.size())];
        };
        const auto kind = rng() % 200;
        if (kind == 0) {
            values.push_back(builder.apply(code::Op::kSqrt, builder.apply(code::Op::kAbs, pick())));
        } else if (kind == 1) {
            values.push_back(builder.apply(code::Op::kDiv, pick(), pick()));
        } else if (kind < 100) {
            values.push_back(builder.apply(code::Op::kMul, pick(), pick()));
        } else {
            values.push_back(
                builder.apply(kind < 150 ? code::Op::kAdd : code::Op::kSub, pick(), pick()));
        }
    }
    // Whatever nothing reads becomes part of an output, so that all of it is computed.
    std::vector<code::Value> outputs(values.end() - kOutputs, values.end());
    for (std::size_t i = 0; i + kOutputs < values.size(); i += 7) {
        code::Value& sum = outputs[i % kOutputs];
        sum = builder.apply(code::Op::kAdd, sum, values[i]);
    }
    return builder.finish(outputs);
}

}  // namespace ananke::bench
