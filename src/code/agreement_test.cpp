// Lowered programs against the reference evaluation of sym, on random expressions.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "code/interpreter.h"
#include "code/lower.h"
#include "code/mix.h"
#include "code/operations.h"
#include "sym/evaluate.h"
#include "sym/walk.h"

namespace ananke::code {
namespace {

using sym::Expr;
using sym::Graph;
using sym::SymbolKind;

constexpr std::size_t kSymbols = 4;
constexpr std::array<const char*, kSymbols> kNames{"x", "y", "z", "w"};
constexpr int kExpressions = 10'000;

/// Builds one expression in any graph, in any order of steps that puts operands first.
struct Recipe {
    struct Step {
        enum class Leaf { kNone, kSymbol, kInteger, kFraction, kNumber, kPi } leaf = Leaf::kNone;
        sym::Op op = sym::Op::kAdd;
        std::array<std::size_t, 3> operands{};
        std::int64_t integer = 0;
        double number = 0.0;
    };
    std::vector<Step> steps;  ///< the last one is the whole

    Expr build(Graph& g, const std::vector<Expr>& symbols,
               const std::vector<std::size_t>& order) const {
        std::vector<Expr> done(steps.size());
        for (const std::size_t i : order) {
            const Step& s = steps[i];
            const auto operand = [&](std::size_t k) { return done[s.operands[k]]; };
            switch (s.leaf) {
                case Step::Leaf::kSymbol:
                    done[i] = symbols[static_cast<std::size_t>(s.integer)];
                    continue;
                case Step::Leaf::kInteger:
                    done[i] = g.integer(s.integer);
                    continue;
                case Step::Leaf::kFraction:
                    done[i] = g.fraction(s.integer, 4);
                    continue;
                case Step::Leaf::kNumber:
                    done[i] = g.number(s.number);
                    continue;
                case Step::Leaf::kPi:
                    done[i] = g.pi();
                    continue;
                case Step::Leaf::kNone:
                    break;
            }
            switch (s.op) {
                case sym::Op::kAdd:
                    done[i] = g.add(operand(0), operand(1));
                    break;
                case sym::Op::kSub:
                    done[i] = g.sub(operand(0), operand(1));
                    break;
                case sym::Op::kMul:
                    done[i] = g.mul(operand(0), operand(1));
                    break;
                case sym::Op::kDiv:
                    done[i] = g.is_zero(operand(1)) ? operand(0) : g.div(operand(0), operand(1));
                    break;
                case sym::Op::kPow:
                    done[i] = g.is_zero(operand(0)) ? g.one() : g.pow(operand(0), operand(1));
                    break;
                case sym::Op::kNeg:
                    done[i] = g.neg(operand(0));
                    break;
                case sym::Op::kSelect:
                    done[i] = g.select(operand(0), operand(1), operand(2));
                    break;
                default:
                    done[i] = sym::arity(s.op) == 1 ? g.apply(s.op, operand(0))
                                                    : g.apply(s.op, operand(0), operand(1));
            }
        }
        return done.back();
    }
};

Recipe random_recipe(std::mt19937_64& rng) {
    using Step = Recipe::Step;
    const auto pick = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(rng);
    };
    Recipe recipe;
    for (std::size_t i = 0; i < kSymbols; ++i) {
        recipe.steps.push_back(
            {.leaf = Step::Leaf::kSymbol, .integer = static_cast<std::int64_t>(i)});
    }
    const int count = pick(1, 25);
    for (int i = 0; i < count; ++i) {
        Step step;
        if (pick(0, 9) < 2) {
            step.leaf = static_cast<Step::Leaf>(pick(2, 5));
            step.integer = pick(0, 1) == 0 ? pick(1, 9) : pick(-9, -1);
            step.number = std::uniform_real_distribution<double>(-3.0, 3.0)(rng);
        } else {
            // Half of the operations are + - * so that there is something to fuse.
            step.op = static_cast<sym::Op>(
                pick(0, 1) == 0
                    ? pick(static_cast<int>(sym::Op::kAdd), static_cast<int>(sym::Op::kMul))
                    : pick(static_cast<int>(sym::Op::kAdd), static_cast<int>(sym::Op::kSelect)));
        }
        const int known = static_cast<int>(recipe.steps.size());
        for (std::size_t& operand : step.operands) {
            operand = static_cast<std::size_t>(pick(std::max(0, known - 8), known - 1));
        }
        recipe.steps.push_back(step);
    }
    return recipe;
}

/// A random order of the steps with operands first; it may differ much from the order of creation.
std::vector<std::size_t> random_order(const Recipe& recipe, std::mt19937_64& rng) {
    const std::size_t n = recipe.steps.size();
    std::vector<std::size_t> priority(n);
    std::iota(priority.begin(), priority.end(), std::size_t{0});
    std::shuffle(priority.begin(), priority.end(), rng);
    std::vector<bool> done(n, false);
    std::vector<std::size_t> order;
    while (order.size() < n) {
        for (const std::size_t i : priority) {
            const auto& s = recipe.steps[i];
            const bool ready = s.leaf != Recipe::Step::Leaf::kNone ||
                               std::all_of(s.operands.begin(), s.operands.end(),
                                           [&](std::size_t o) { return done[o]; });
            if (!done[i] && ready) {
                done[i] = true;
                order.push_back(i);
                break;
            }
        }
    }
    return order;
}

std::vector<std::size_t> first_to_last(const Recipe& recipe) {
    std::vector<std::size_t> order(recipe.steps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

struct Bounded {
    long double value;
    long double error;  ///< what double arithmetic may be off by, any choice of fma included
};

constexpr long double kUnit = 0x1p-53L;

bool near_kink(Bounded a, long double kink) {
    return a.error > 0 && std::fabs(a.value - kink) <= a.error;
}

/// Error of op from the errors of its operands (changed one at a time by their error) and its own
/// rounding; empty where the operands' errors may change a truth value or leave the domain.
std::optional<Bounded> propagate(const Graph& g, Expr e, const std::array<Bounded, 3>& in) {
    Graph scratch;
    const sym::Node& node = g.node(e);
    const int count = sym::arity(node.op);
    switch (node.op) {
        case sym::Op::kLess:
        case sym::Op::kLessEqual:
        case sym::Op::kEqual:
            if (in[0].error + in[1].error > 0 &&
                std::fabs(in[0].value - in[1].value) <= in[0].error + in[1].error) {
                return std::nullopt;
            }
            break;
        case sym::Op::kSign:
        case sym::Op::kNot:
        case sym::Op::kSelect:
        case sym::Op::kAnd:
        case sym::Op::kOr:
            if (near_kink(in[0], 0) || (count == 2 && near_kink(in[1], 0))) {
                return std::nullopt;
            }
            break;
        case sym::Op::kDiv:
            if (near_kink(in[1], 0)) {
                return std::nullopt;
            }
            break;
        case sym::Op::kAtan2:
            if (near_kink(in[0], 0)) {
                return std::nullopt;
            }
            break;
        case sym::Op::kPow:
            if (near_kink(in[0], 0) || (in[0].value < 0 && in[1].error > 0)) {
                return std::nullopt;
            }
            break;
        case sym::Op::kAsin:
        case sym::Op::kAcos:
            if (near_kink(in[0], 1) || near_kink(in[0], -1)) {
                return std::nullopt;
            }
            break;
        case sym::Op::kSqrt:
        case sym::Op::kLog:
            if (near_kink(in[0], 0)) {
                return std::nullopt;
            }
            break;
        default:
            break;
    }
    // The operation alone, over symbols, evaluated by sym in long double.
    std::array<Expr, 3> s{};
    for (std::size_t k = 0; k < 3; ++k) {
        s[k] = scratch.symbol(SymbolKind::kParameter, kNames[k]);
    }
    const Recipe one{{{.leaf = Recipe::Step::Leaf::kSymbol, .integer = 0},
                      {.leaf = Recipe::Step::Leaf::kSymbol, .integer = 1},
                      {.leaf = Recipe::Step::Leaf::kSymbol, .integer = 2},
                      {.op = node.op, .operands = {0, 1, 2}}}};
    const Expr f = one.build(scratch, {s[0], s[1], s[2]}, first_to_last(one));
    const auto at = [&](long double a, long double b, long double c) {
        return sym::evaluate<long double>(scratch, f, {{s[0], a}, {s[1], b}, {s[2], c}});
    };
    const long double value = at(in[0].value, in[1].value, in[2].value);
    long double error = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
        for (const long double sign : {-1.0L, 1.0L}) {
            std::array<long double, 3> moved{in[0].value, in[1].value, in[2].value};
            moved[k] += sign * in[k].error;
            error = std::max(error, std::fabs(at(moved[0], moved[1], moved[2]) - value));
        }
        error += in[k].error * in[k].error;  // where the slope vanishes
    }
    error *= static_cast<long double>(count);
    // x^n as products rounds up to n times; functions are good to 1 ulp = 2 units.
    const long double roundings =
        node.op == sym::Op::kPow ? 3 + std::min(std::fabs(in[1].value), 32.0L) : 2;
    const bool exact = node.op >= sym::Op::kLess || node.op == sym::Op::kNeg ||
                       node.op == sym::Op::kAbs || node.op == sym::Op::kMin ||
                       node.op == sym::Op::kMax || node.op == sym::Op::kSign;
    error += exact ? 0 : roundings * kUnit * std::fabs(value) + 0x1p-1070L;
    if (!std::isfinite(value) || !std::isfinite(error) || std::fabs(value) > 1e300L) {
        return std::nullopt;
    }
    return Bounded{value, error};
}

std::optional<Bounded> bounded_value(const Graph& g, Expr root,
                                     const sym::Values<long double>& at) {
    std::vector<Bounded> values(g.size());
    for (const Expr e : sym::reachable(g, root)) {
        const sym::Node& node = g.node(e);
        if (g.is_symbol(e)) {
            values[e.id] = {at.at(e), 0};
            continue;
        }
        if (g.is_constant(e)) {
            const long double value = sym::evaluate<long double>(g, e, {});
            values[e.id] = {value, std::fabs(value - static_cast<double>(value))};
            continue;
        }
        const auto operand = [&](std::uint32_t id, int k) {
            return k < sym::arity(node.op) ? values[id] : Bounded{1, 0};
        };
        const auto result =
            propagate(g, e, {operand(node.a, 0), operand(node.b, 1), operand(node.c, 2)});
        if (!result) {
            return std::nullopt;
        }
        values[e.id] = *result;
    }
    return values[root.id];
}

struct Sample {
    Graph g;
    std::vector<Expr> symbols;
    Expr root;
    std::array<double, kSymbols> in{};
};

Sample random_sample(const Recipe& recipe, std::mt19937_64& rng) {
    Sample sample;
    for (const char* name : kNames) {
        sample.symbols.push_back(sample.g.symbol(SymbolKind::kCoordinate, name));
    }
    sample.root = recipe.build(sample.g, sample.symbols, first_to_last(recipe));
    for (double& value : sample.in) {
        value = std::uniform_real_distribution<double>(-2.0, 2.0)(rng);
    }
    return sample;
}

TEST(Agreement, ProgramsEqualTheReferenceWithinTheirRoundings) {
    std::mt19937_64 rng(1);
    int compared = 0;
    std::vector<int> op_counts(static_cast<std::size_t>(kOpCount), 0);
    for (int i = 0; i < kExpressions; ++i) {
        const Sample s = random_sample(random_recipe(rng), rng);
        const Program program = lower(s.g, s.symbols, std::vector{s.root});
        ASSERT_TRUE(is_valid(program));
        sym::Values<double> at;
        sym::Values<long double> at_long;
        for (std::size_t k = 0; k < kSymbols; ++k) {
            at[s.symbols[k]] = s.in[k];
            at_long[s.symbols[k]] = s.in[k];
        }
        const auto expected = bounded_value(s.g, s.root, at_long);
        if (!expected) {
            continue;
        }
        compared += 1;
        for (const Instruction& instruction : program.instructions) {
            op_counts[static_cast<std::size_t>(instruction.op)] += 1;
        }
        double out = 0.0;
        Interpreter(program).run(s.in.data(), &out);
        const auto error = static_cast<double>(expected->error);
        ASSERT_NEAR(out, static_cast<double>(expected->value), error * 1.001 + 1e-300)
            << "expression " << i << "\n"
            << to_text(program);
        ASSERT_NEAR(out, sym::evaluate<double>(s.g, s.root, at), 2.001 * error + 1e-300)
            << "expression " << i << "\n"
            << to_text(program);
    }
    EXPECT_GT(compared, kExpressions / 2);
    for (int op = 0; op < kOpCount; ++op) {
        if (static_cast<Op>(op) == Op::kLower || static_cast<Op>(op) == Op::kHigher) {
            continue;  // of the integrator's formulas alone
        }
        EXPECT_GT(op_counts[static_cast<std::size_t>(op)], 20) << name(static_cast<Op>(op));
    }
}

/// The program as it stands, one instruction after the other.
double run_in_program_order(const Program& program, const std::array<double, kSymbols>& in) {
    std::vector<double> slots(program.slot_count, 0.0);
    std::copy(in.begin(), in.end(), slots.begin());
    std::copy(program.constants.begin(), program.constants.end(),
              slots.begin() + program.input_count);
    for (const Instruction& i : program.instructions) {
        slots[i.target] = apply(i.op, slots[i.a], slots[i.b], slots[i.c], functions());
    }
    return slots[program.outputs[0]];
}

TEST(Agreement, AnyRunAnyOrderAndBothKindsOfFmaGiveTheSameBits) {
    std::mt19937_64 rng(2);
    for (int i = 0; i < kExpressions; ++i) {
        const Sample s = random_sample(random_recipe(rng), rng);
        const Program program = lower(s.g, s.symbols, std::vector{s.root});
        Interpreter first(program);
        Interpreter library(program, FmaTier::kLibrary);
        std::array<double, kSymbols> other{1.0, 2.0, 3.0, 4.0};
        double a = 0.0;
        double b = 0.0;
        double c = 0.0;
        first.run(s.in.data(), &a);
        first.run(other.data(), &b);
        first.run(s.in.data(), &b);
        library.run(s.in.data(), &c);
        const double d = run_in_program_order(program, s.in);
        if (std::isnan(a)) {
            ASSERT_TRUE(std::isnan(b) && std::isnan(c) && std::isnan(d));
            continue;
        }
        ASSERT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b));
        ASSERT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(c));
        ASSERT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(d));
    }
}

/// Equal for expressions that differ at most in the order of the operands of commutative
/// operations.
std::uint64_t structure(const Graph& g, Expr root) {
    std::vector<std::uint64_t> h(g.size(), 0);
    for (const Expr e : sym::reachable(g, root)) {
        const sym::Node& node = g.node(e);
        h[e.id] = static_cast<std::uint64_t>(node.op);
        if (g.is_symbol(e)) {
            h[e.id] = mix(h[e.id], static_cast<std::uint64_t>(g.symbol_record(e).name[0]));
        } else if (g.is_constant(e)) {
            h[e.id] = mix(h[e.id], std::bit_cast<std::uint64_t>(g.constant(e).value));
        } else {
            const bool any_order = node.op == sym::Op::kAdd || node.op == sym::Op::kMul ||
                                   node.op == sym::Op::kMin || node.op == sym::Op::kMax ||
                                   node.op == sym::Op::kEqual || node.op == sym::Op::kAnd ||
                                   node.op == sym::Op::kOr;
            const int count = sym::arity(node.op);
            std::array<std::uint64_t, 3> parts{h[node.a], count >= 2 ? h[node.b] : 0,
                                               count >= 3 ? h[node.c] : 0};
            if (any_order) {
                std::sort(parts.begin(), parts.begin() + 2);
            }
            for (const std::uint64_t part : parts) {
                h[e.id] = mix(h[e.id], part);
            }
        }
    }
    return h[root.id];
}

TEST(Agreement, ProgramsDoNotDependOnTheHistoryOfTheGraph) {
    std::mt19937_64 rng(3);
    int same_structure = 0;
    for (int i = 0; i < kExpressions; ++i) {
        const Recipe recipe = random_recipe(rng);
        const Sample s = random_sample(recipe, rng);

        // Another graph: symbols in reverse, something else first, steps in another order.
        Graph g;
        g.mul(g.symbol(SymbolKind::kTime, "t"), g.integer(17));
        std::vector<Expr> symbols(kSymbols);
        for (std::size_t k = kSymbols; k-- > 0;) {
            symbols[k] = g.symbol(SymbolKind::kCoordinate, kNames[k]);
        }
        const Expr root = recipe.build(g, symbols, random_order(recipe, rng));
        if (structure(s.g, s.root) != structure(g, root)) {
            continue;
        }
        same_structure += 1;
        const Program one = lower(s.g, s.symbols, std::vector{s.root});
        const Program other = lower(g, symbols, std::vector{root});
        ASSERT_TRUE(one == other) << to_text(one) << "\n" << to_text(other);
        ASSERT_EQ(hash(one), hash(other));
    }
    EXPECT_GT(same_structure, kExpressions * 9 / 10);
}

}  // namespace
}  // namespace ananke::code
