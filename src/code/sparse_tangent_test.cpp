#include "code/sparse_tangent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "code/builder.h"
#include "code/random_program.h"
#include "code/recorder.h"
#include "code/tangent.h"

namespace ananke::code {
namespace {

using Rule = SparseTangent::Rule;

std::vector<std::uint32_t> first_inputs(std::size_t count) {
    std::vector<std::uint32_t> active(count);
    std::iota(active.begin(), active.end(), 0U);
    return active;
}

/// The entries as a matrix, outputs x columns.
std::vector<double> matrix(SparseTangent& sparse, std::size_t outputs, std::size_t columns,
                           const std::vector<double>& x) {
    std::vector<double> values(sparse.entries().size());
    sparse.run(x, values);
    std::vector<double> J(outputs * columns, 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) {
        J[sparse.entries()[i].output * columns + sparse.entries()[i].column] += values[i];
    }
    return J;
}

/// The same, one direction after the other.
std::vector<double> matrix_by_directions(const Program& program,
                                         const std::vector<std::uint32_t>& active,
                                         const std::vector<double>& x) {
    const std::size_t outputs = program.outputs.size();
    Kernel kernel(tangent(program, active, outputs));
    std::vector<double> J(outputs * active.size());
    for (std::size_t column = 0; column < active.size(); ++column) {
        std::vector<double> inputs = x;
        inputs.resize(x.size() + active.size(), 0.0);
        inputs[x.size() + column] = 1.0;
        std::vector<double> rates(outputs);
        kernel.run(inputs, rates);
        for (std::size_t i = 0; i < outputs; ++i) {
            J[i * active.size() + column] = rates[i];
        }
    }
    return J;
}

/// Springs between neighbours: y_i = f(x_i - x_{i-1}) - f(x_{i+1} - x_i), f = sin.
Program chain(std::uint32_t size) {
    Recorder recorder(size);
    const auto x = [&](std::uint32_t i) { return recorder.input(i); };
    const auto f = [&](const Recorded& s) { return recorder.apply(Op::kSin, s); };
    std::vector<Recorded> outputs;
    for (std::uint32_t i = 0; i < size; ++i) {
        Recorded y(0.0);
        if (i > 0) {
            y = y + f(x(i) - x(i - 1));
        }
        if (i + 1 < size) {
            y = y - f(x(i + 1) - x(i));
        }
        outputs.push_back(y);
    }
    return recorder.program(outputs);
}

/// A hub that all others pull at, in two ways that hold the whole sum:
/// y_0 = x_0 sum f(x_i - x_0) - 3, y_i = f(x_i - x_0).
Program hub(std::uint32_t size) {
    Recorder recorder(size);
    const auto x = [&](std::uint32_t i) { return recorder.input(i); };
    Recorded sum(0.0);
    std::vector<Recorded> outputs(1);
    for (std::uint32_t i = 1; i < size; ++i) {
        const Recorded s = x(i) - x(0);
        const Recorded f = recorder.apply(Op::kSin, s);
        sum = i % 2 == 0 ? sum + f * s : sum - f;
        outputs.push_back(f);
    }
    outputs[0] = x(0) * sum - Recorded(3.0);
    return recorder.program(outputs);
}

std::vector<double> some_numbers(std::size_t count) {
    std::mt19937_64 rng(5);
    std::vector<double> x(count);
    for (double& one : x) {
        one = std::uniform_real_distribution<double>(-2.0, 2.0)(rng);
    }
    return x;
}

TEST(SparseTangent, ChainsNeedThreeDirections) {
    for (const std::uint32_t size : {1U, 2U, 5U, 200U}) {
        const Program program = chain(size);
        const std::vector<std::uint32_t> active = first_inputs(size);
        SparseTangent sparse(program, active);
        ASSERT_TRUE(sparse.is_sparse());
        EXPECT_EQ(sparse.directions(), std::min(size, 3U));
        EXPECT_LE(sparse.entries().size(), 3 * size);
        const std::vector<double> x = some_numbers(size);
        EXPECT_EQ(matrix(sparse, size, size, x), matrix_by_directions(program, active, x));
    }
}

// The sum over all others is differentiated term by term, whatever it is multiplied by.
TEST(SparseTangent, SumsOverManyInputsAreTakenApart) {
    for (const std::uint32_t size : {10U, 300U, 3000U}) {
        const Program program = hub(size);
        const std::vector<std::uint32_t> active = first_inputs(size);
        SparseTangent sparse(program, active);
        ASSERT_TRUE(sparse.is_sparse());
        EXPECT_LE(sparse.directions(), 32U);
        if (size > 1000) {
            continue;  // the matrix of all directions is long to make
        }
        const std::vector<double> x = some_numbers(size);
        const std::vector<double> J = matrix(sparse, size, size, x);
        const std::vector<double> expected = matrix_by_directions(program, active, x);
        for (std::size_t i = 0; i < J.size(); ++i) {
            EXPECT_NEAR(J[i], expected[i], 1e-11) << i;
        }
    }
}

// sin(x_0 + x_1 + ...) has no terms.
TEST(SparseTangent, SaysSoWhereNothingIsSparse) {
    constexpr std::uint32_t kSize = 2000;
    Recorder recorder(kSize);
    Recorded sum(0.0);
    for (std::uint32_t i = 0; i < kSize; ++i) {
        sum = sum + recorder.input(i);
    }
    const Recorded y = recorder.apply(Op::kSin, sum);
    const SparseTangent sparse(recorder.program({&y, 1}), first_inputs(kSize));
    EXPECT_FALSE(sparse.is_sparse());
    EXPECT_TRUE(sparse.entries().empty());
}

TEST(SparseTangent, RandomProgramsAgreeWithOneDirectionAfterTheOther) {
    std::mt19937_64 rng(11);
    for (int round = 0; round < 200; ++round) {
        const Program program =
            random_program({.inputs = 12, .instructions = 60, .outputs = 6}, rng);
        const std::vector<std::uint32_t> active{1, 2, 4, 5, 7, 8, 9, 10, 11};
        SparseTangent sparse(program, active);
        const std::vector<double> x = some_numbers(12);
        const std::vector<double> J = matrix(sparse, 6, active.size(), x);
        const std::vector<double> expected = matrix_by_directions(program, active, x);
        for (std::size_t i = 0; i < J.size(); ++i) {
            if (std::isfinite(expected[i])) {
                EXPECT_EQ(J[i], expected[i]) << round;
            }
        }
    }
}

// Entries are the same by either rule; differences are finite where a derivative is not.
TEST(SparseTangent, DifferencesStandInForDerivatives) {
    constexpr std::uint32_t kSize = 40;
    const std::vector<std::uint32_t> active = first_inputs(kSize);
    const std::vector<double> x = some_numbers(kSize);
    SparseTangent exact(chain(kSize), active);
    SparseTangent rough(chain(kSize), active, Rule::kDifferences);
    ASSERT_EQ(rough.entries().size(), exact.entries().size());
    std::vector<double> derivatives(exact.entries().size());
    std::vector<double> differences(derivatives.size());
    exact.run(x, derivatives);
    rough.run(x, differences);
    for (std::size_t i = 0; i < derivatives.size(); ++i) {
        EXPECT_EQ(rough.entries()[i].column, exact.entries()[i].column);
        EXPECT_NEAR(differences[i], derivatives[i], 1e-6);
    }

    Builder builder(2);  // sqrt(x0) x1 is defined on one side of its edge
    const Value y =
        builder.apply(Op::kMul, builder.apply(Op::kSqrt, builder.input(0)), builder.input(1));
    Builder other(1);  // sqrt(-x0)
    const Value z = other.apply(Op::kSqrt, other.apply(Op::kNeg, other.input(0)));
    SparseTangent edge(builder.finish(std::span(&y, 1)), first_inputs(2), Rule::kDifferences);
    SparseTangent back(other.finish(std::span(&z, 1)), first_inputs(1), Rule::kDifferences);
    std::vector<double> at_edge(2);
    edge.run(std::vector<double>{0.0, 1.0}, at_edge);
    EXPECT_TRUE(std::isfinite(at_edge[0]) && std::isfinite(at_edge[1]));
    std::vector<double> behind(1);
    back.run(std::vector<double>{0.0}, behind);
    EXPECT_TRUE(std::isfinite(behind[0]));
}

}  // namespace
}  // namespace ananke::code
