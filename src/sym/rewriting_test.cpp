// The rules of graph.h against evaluation as written: random expressions at special and random
// arguments, in double and long double.
//
// Expressions are trees of their own, evaluated here operation by operation with a bound on the
// error: every operation may be rounded a few times, and what its operands may be off by goes
// through it. A value within its bound of a place where an operation jumps or ends is uncertain,
// and so is everything beyond the range that graph.h promises; neither is compared.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sym/evaluate.h"
#include "sym/graph.h"
#include "sym/print.h"

namespace ananke::sym {
namespace {

struct Written {
    Op op;
    int a = -1, b = -1, c = -1;  ///< places of the operands
    int symbol = -1;
    std::string text;  ///< of a number
};
using Tree = std::vector<Written>;  ///< operands before users, the root last

constexpr int kSymbols = 3;

class Trees {
  public:
    explicit Trees(std::uint64_t seed) : random_(seed) {}

    Tree tree() {
        Tree tree;
        for (int k = 0; k < kSymbols; ++k) {
            tree.push_back({.op = Op::kSymbol, .symbol = k, .text = {}});
        }
        for (int k = below(3); k >= 0; --k) {
            tree.push_back({.op = Op::kConstant, .text = number()});
        }
        for (int k = 2 + below(7); k > 0; --k) {
            tree.push_back(operation(static_cast<int>(tree.size())));
        }
        return tree;
    }

    int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
    double between(double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random_);
    }

  private:
    std::string number() {
        static const std::array kNumbers = {
            "0",      "1",     "2",      "3",    "4",     "0.5",   "0.1",    "7",
            "49",     "1e15",  "1e-15",  "1e20", "1e-20", "1e100", "1e-100", "1e160",
            "1e-160", "1e280", "1e-280", "0.25", "1.5",   "1e8",   "3e-8",   "12345.678"};
        return kNumbers[static_cast<std::size_t>(below(static_cast<int>(kNumbers.size())))];
    }

    /// An operand: often the latest, so that trees grow deep, and often one that is used already.
    int pick(int size) { return std::max(below(size), below(size)); }

    Written operation(int size) {
        static const std::array kOps = {
            Op::kAdd,  Op::kSub,       Op::kMul,   Op::kMul,  Op::kMul,   Op::kDiv,  Op::kDiv,
            Op::kNeg,  Op::kPow,       Op::kPow,   Op::kSqrt, Op::kSqrt,  Op::kAbs,  Op::kSin,
            Op::kCos,  Op::kTan,       Op::kAsin,  Op::kAcos, Op::kAtan,  Op::kSinh, Op::kCosh,
            Op::kTanh, Op::kExp,       Op::kLog,   Op::kSign, Op::kAtan2, Op::kMin,  Op::kMax,
            Op::kLess, Op::kLessEqual, Op::kEqual, Op::kAnd,  Op::kOr,    Op::kNot,  Op::kSelect,
            Op::kAdd,  Op::kSub,       Op::kMul,   Op::kDiv};
        const Op op = kOps[static_cast<std::size_t>(below(static_cast<int>(kOps.size())))];
        return {.op = op, .a = pick(size), .b = pick(size), .c = pick(size), .text = {}};
    }

    std::mt19937_64 random_;
};

Expr build(Graph& graph, const Tree& tree, const std::array<Expr, kSymbols>& symbols) {
    std::vector<Expr> built;
    for (const Written& one : tree) {
        const auto at = [&](int place) { return built[static_cast<std::size_t>(place)]; };
        switch (one.op) {
            case Op::kSymbol:
                built.push_back(symbols[static_cast<std::size_t>(one.symbol)]);
                break;
            case Op::kConstant:
                built.push_back(graph.literal(one.text));
                break;
            case Op::kSelect:
                built.push_back(graph.select(at(one.a), at(one.b), at(one.c)));
                break;
            default:
                built.push_back(arity(one.op) == 1 ? graph.apply(one.op, at(one.a))
                                                   : graph.apply(one.op, at(one.a), at(one.b)));
        }
    }
    return built.back();
}

/// A value, how far off another order of the same roundings may be, and whether that can be said.
template <class Real>
struct Bounded {
    Real value = 0;
    Real bound = 0;
    bool certain = true;
    bool number = false;  ///< made of numbers alone
};

template <class Real>
class AsWritten {
  public:
    Bounded<Real> operator()(const Tree& tree, const std::array<Real, kSymbols>& arguments) {
        values_.clear();
        for (const Written& one : tree) {
            Bounded<Real> result;
            if (one.op == Op::kSymbol) {
                result.value = arguments[static_cast<std::size_t>(one.symbol)];
            } else if (one.op == Op::kConstant) {
                result.value = parsed(one.text);
                // Numbers that are gathered and fit no fraction become one double.
                result.bound = kNumber * std::abs(result.value);
                result.number = true;
            } else {
                result = operation(one);
                result.number = true;
                for (const int operand : {one.a, arity(one.op) > 1 ? one.b : one.a,
                                          arity(one.op) > 2 ? one.c : one.a}) {
                    result.number =
                        result.number && values_[static_cast<std::size_t>(operand)].number;
                }
                if (result.number && std::isfinite(result.value)) {
                    result.bound += kNumber * std::abs(result.value);
                }
            }
            values_.push_back(result);
        }
        return values_.back();
    }

  private:
    using Value = Bounded<Real>;
    static constexpr Real kRounding = 16 * std::numeric_limits<Real>::epsilon();
    static constexpr Real kNumber = 16 * Real(std::numeric_limits<double>::epsilon());
    // Exact numbers of a product are below 2^53.
    static constexpr Real kLargest = std::numeric_limits<Real>::max() / Real(1e18L);
    static constexpr Real kSmallest = std::numeric_limits<Real>::min() * Real(1e18L);

    static Real parsed(const std::string& text) {
        if constexpr (std::is_same_v<Real, double>) {
            return std::strtod(text.c_str(), nullptr);
        } else {
            return std::strtold(text.c_str(), nullptr);
        }
    }

    /// A result with the error that came from its operands; roundings are added here.
    static Value rounded(Real value, Real bound, bool certain) {
        if (!std::isfinite(value)) {
            return {value, 0, certain};
        }
        const Real size = std::abs(value);
        const bool in_range =
            size <= kLargest && !(size < kSmallest && value != 0) && bound < kLargest;
        return {value, bound + kRounding * size, certain && in_range};
    }

    /// f rises or falls over a +- bound: the change there.
    template <class F>
    static Value through(F f, const Value& a, bool certain) {
        const Real value = f(a.value);
        if (a.bound == 0) {
            return rounded(value, 0, certain);
        }
        const Real change = std::max(std::abs(f(a.value + a.bound) - value),
                                     std::abs(f(a.value - a.bound) - value));
        return rounded(value, 2 * change, certain && (std::isfinite(change) || std::isnan(value)));
    }

    /// a is on the same side of the place as it would be without errors.
    static bool clear_of(const Value& a, Real place) {
        return a.bound == 0 || std::abs(a.value - place) > a.bound || std::isnan(a.value);
    }

    Value product(const Value& a, const Value& b, bool certain) const {
        const Real value = a.value * b.value;
        const bool vanished = value == 0 && a.value != 0 && b.value != 0;
        const bool overflowed =
            std::isinf(value) && std::isfinite(a.value) && std::isfinite(b.value);
        return rounded(
            value, std::abs(a.value) * b.bound + std::abs(b.value) * a.bound + a.bound * b.bound,
            certain && !vanished && !overflowed);
    }

    Value quotient(const Value& a, const Value& b, bool certain) const {
        const Real value = a.value / b.value;
        const bool vanished = value == 0 && a.value != 0 && std::isfinite(b.value);
        const bool overflowed = std::isinf(value) && std::isfinite(a.value) && b.value != 0;
        const Real divisor = std::abs(b.value) - b.bound;
        return rounded(value, b.value == 0 ? 0 : (a.bound + std::abs(value) * b.bound) / divisor,
                       certain && !vanished && !overflowed && clear_of(b, 0) &&
                           (b.value != 0 || clear_of(a, 0)));
    }

    Value power(const Value& a, const Value& b, bool certain) const {
        const auto f = [&](Real base) { return std::pow(base, b.value); };
        const Real value = f(a.value);
        const bool extreme = a.value != 0 && std::isfinite(a.value) &&
                             (value == 0 || (std::isinf(value) && std::isfinite(b.value)));
        // In the exponent: |log a| * error of b; the exponent of a constant has none but its own.
        const Real turn = std::isfinite(value) && std::isfinite(a.value) && a.value != 0
                              ? std::abs(value * std::log(std::abs(a.value))) * b.bound
                              : 0;
        const bool whole_exponent = b.value == std::floor(b.value);
        const bool steady =
            b.bound == 0 || (a.value > 0 && std::abs(std::log(a.value)) * b.bound < Real(1e-3L));
        Value result = through(f, a,
                               certain && !extreme && clear_of(a, 0) &&
                                   (steady || (whole_exponent && is_literal_(b))));
        // Products instead of pow: one rounding for each, and the roundings of b are none.
        if (std::isfinite(result.value)) {
            result.bound += 2 * turn + 64 * kRounding * std::abs(result.value);
        }
        return result;
    }

    bool is_literal_(const Value& b) const { return b.bound <= kNumber * std::abs(b.value); }

    Value truth(bool value, bool certain) const { return {value ? Real(1) : Real(0), 0, certain}; }

    Value operation(const Written& one) const {
        const Value& a = values_[static_cast<std::size_t>(one.a)];
        const Value& b = values_[static_cast<std::size_t>(one.b)];
        const Value& c = values_[static_cast<std::size_t>(one.c)];
        const bool unary = arity(one.op) == 1;
        // The sign of a zero is not kept, so that of a pole is not either.
        const bool pole = std::isinf(a.value) || (!unary && std::isinf(b.value));
        const bool poles = !unary && std::isinf(a.value) && std::isinf(b.value);
        const bool certain =
            !poles && a.certain && (unary || b.certain) && !(pole && depends_on_sign(one.op));
        const Value difference = {a.value - b.value, a.bound + b.bound, true};
        const auto call = [&](auto f) { return through(f, a, certain); };
        switch (one.op) {
            case Op::kAdd: {
                const Real value = a.value + b.value;
                return rounded(value, a.bound + b.bound + kRounding * cancelled(a, b, value),
                               certain && fits(a, b, value));
            }
            case Op::kSub: {
                const Real value = a.value - b.value;
                return rounded(value, a.bound + b.bound + kRounding * cancelled(a, b, value),
                               certain && fits(a, b, value));
            }
            case Op::kNeg:
                return {-a.value, a.bound, certain};
            case Op::kMul:
                return product(a, b, certain);
            case Op::kDiv:
                return quotient(a, b, certain);
            case Op::kPow:
                return power(a, b, certain);
            case Op::kSin:
            case Op::kCos:
            case Op::kTan: {
                const Real value = one.op == Op::kSin   ? std::sin(a.value)
                                   : one.op == Op::kCos ? std::cos(a.value)
                                                        : std::tan(a.value);
                const Real slope = one.op == Op::kTan ? 1 + value * value : 1;
                return rounded(value, 2 * slope * a.bound,
                               certain && a.bound * slope < Real(1e-3L));
            }
            case Op::kAsin:
            case Op::kAcos: {
                const auto f = [&](Real x) {
                    return one.op == Op::kAsin ? std::asin(x) : std::acos(x);
                };
                return through(f, a, certain && clear_of(a, 1) && clear_of(a, -1));
            }
            case Op::kAtan:
                return call([](Real x) { return std::atan(x); });
            case Op::kSinh:
                return in_range(a, call([](Real x) { return std::sinh(x); }));
            case Op::kCosh:
                return in_range(a, call([](Real x) { return std::cosh(x); }));
            case Op::kTanh:
                return call([](Real x) { return std::tanh(x); });
            case Op::kExp:
                return in_range(a, call([](Real x) { return std::exp(x); }));
            case Op::kLog:
                return through([](Real x) { return std::log(x); }, a, certain && clear_of(a, 0));
            case Op::kSqrt:
                return through([](Real x) { return std::sqrt(x); }, a, certain && clear_of(a, 0));
            case Op::kAbs:
                return {std::abs(a.value), a.bound, certain};
            case Op::kSign:
                return {Real((a.value > 0) - (a.value < 0)), 0, certain && clear_of(a, 0)};
            case Op::kAtan2: {
                // The sign of a zero decides behind the origin, and is not kept.
                const Real radius = std::hypot(a.value, b.value);
                const bool steady = (a.value != 0 && clear_of(a, 0)) || b.value > b.bound;
                return rounded(std::atan2(a.value, b.value),
                               radius == 0 ? 0 : 2 * (a.bound + b.bound) / radius,
                               certain && steady && a.bound + b.bound < radius);
            }
            case Op::kMin:
            case Op::kMax: {
                const Real value =
                    one.op == Op::kMin ? std::fmin(a.value, b.value) : std::fmax(a.value, b.value);
                return {value, std::max(a.bound, b.bound), certain};
            }
            case Op::kLess:
                return truth(a.value < b.value, certain && clear_of(difference, 0));
            case Op::kLessEqual:
                return truth(a.value <= b.value, certain && clear_of(difference, 0));
            case Op::kEqual:
                return truth(a.value == b.value, certain && clear_of(difference, 0));
            case Op::kAnd:
                return truth(a.value != 0 && b.value != 0,
                             certain && clear_of(a, 0) && clear_of(b, 0));
            case Op::kOr:
                return truth(a.value != 0 || b.value != 0,
                             certain && clear_of(a, 0) && clear_of(b, 0));
            case Op::kNot:
                return truth(a.value == 0, certain && clear_of(a, 0));
            default: {  // kSelect
                Value chosen = a.value != 0 ? b : c;
                chosen.certain = chosen.certain && a.certain && clear_of(a, 0);
                return chosen;
            }
        }
    }

    /// The value of a function that has no poles and, but for sinh(0), no zeros.
    static Value in_range(const Value& a, Value result) {
        const bool overflowed = std::isinf(result.value) && std::isfinite(a.value);
        const bool vanished = result.value == 0 && a.value != 0;
        result.certain = result.certain && !overflowed && !vanished;
        return result;
    }

    /// Is a number at an infinite argument by its sign.
    static bool depends_on_sign(Op op) {
        switch (op) {
            case Op::kPow:
            case Op::kExp:
            case Op::kLog:
            case Op::kSqrt:
            case Op::kAtan:
            case Op::kTanh:
            case Op::kSign:
            case Op::kAtan2:
            case Op::kMin:
            case Op::kMax:
            case Op::kLess:
            case Op::kLessEqual:
            case Op::kEqual:
                return true;
            default:
                return false;
        }
    }

    /// Terms may be added in another order: their sizes count where the sum is smaller.
    static Real cancelled(const Value& a, const Value& b, Real value) {
        return value == 0 && a.bound == 0 && b.bound == 0
                   ? 0
                   : std::max(std::abs(a.value), std::abs(b.value));
    }

    static bool fits(const Value& a, const Value& b, Real value) {
        return std::isfinite(value) || !std::isfinite(a.value) || !std::isfinite(b.value);
    }

    std::vector<Value> values_;
};

std::string text_of(const Tree& tree) {
    std::string text;
    for (std::size_t k = 0; k < tree.size(); ++k) {
        const Written& one = tree[k];
        text += "  #" + std::to_string(k) + " = op " + std::to_string(static_cast<int>(one.op)) +
                " " + std::string(function_name(one.op)) + " " + one.text;
        for (const int operand : {one.a, one.b, one.c}) {
            text += operand >= 0 ? " #" + std::to_string(operand) : "";
        }
        text += "\n";
    }
    return text;
}

struct Count {
    std::size_t compared = 0, not_finite = 0, uncertain = 0, wrong = 0;
};

template <class Real>
void compare(const Graph& graph, Expr root, const Tree& tree,
             const std::array<Expr, kSymbols>& symbols, const std::array<Real, kSymbols>& arguments,
             Count& count) {
    AsWritten<Real> as_written;
    const Bounded<Real> expected = as_written(tree, arguments);
    if (!expected.certain) {
        ++count.uncertain;
        return;
    }
    Values<Real> at;
    for (std::size_t k = 0; k < kSymbols; ++k) {
        at[symbols[k]] = arguments[k];
    }
    const Real value = evaluate<Real>(graph, root, at);
    ++count.compared;
    count.not_finite += std::isfinite(expected.value) ? 0 : 1;
    const bool right =
        std::isfinite(expected.value)
            ? std::abs(value - expected.value) <= expected.bound
            : std::isnan(expected.value) == std::isnan(value) && !std::isfinite(value);
    if (!right && ++count.wrong <= 10) {
        ADD_FAILURE() << "as written " << expected.value << " +- " << expected.bound << ", built "
                      << value << " at " << arguments[0] << ", " << arguments[1] << ", "
                      << arguments[2] << "\n"
                      << text_of(tree);
    }
}

double argument(Trees& random) {
    static const std::array kSpecial = {0.0,   -0.0,   1.0,   -1.0,   0.5,     -0.5,  2.0,
                                        -2.0,  1e-160, 1e160, -1e160, -1e-160, 1e-3,  49.0,
                                        1e100, -1e100, 3.0,   1e-280, 1e280,   -1e-8, 1e8};
    const int kind = random.below(4);
    if (kind < 2) {
        return kSpecial[static_cast<std::size_t>(random.below(static_cast<int>(kSpecial.size())))];
    }
    return kind == 2 ? random.between(-3.0, 3.0)
                     : (random.below(2) == 0 ? 1.0 : -1.0) *
                           std::pow(10.0, random.between(-200.0, 200.0));
}

std::size_t number_from_environment(const char* name, std::size_t otherwise) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(Rewriting, RandomExpressionsKeepValueDomainAndRange) {
    const std::size_t trees = number_from_environment("ANANKE_REWRITING_COUNT", 200000);
    Trees random(number_from_environment("ANANKE_REWRITING_SEED", 1));
    Count count;
    for (std::size_t k = 0; k < trees && count.wrong < 10; ++k) {
        SCOPED_TRACE(k);
        const Tree tree = random.tree();
        Graph graph;
        std::array<Expr, kSymbols> symbols;
        for (std::size_t i = 0; i < kSymbols; ++i) {
            symbols[i] = graph.symbol(SymbolKind::kCoordinate, std::string(1, "xyz"[i]));
        }
        const Expr root = build(graph, tree, symbols);
        for (std::uint32_t id = 0; id < graph.size(); ++id) {
            if (!graph.is_canonical(Expr{id})) {
                ADD_FAILURE() << "not in canonical form: " << print(graph, Expr{id});
                ++count.wrong;
            }
        }
        for (int point = 0; point < 4; ++point) {
            std::array<double, kSymbols> at{};
            std::array<long double, kSymbols> at_long{};
            for (std::size_t i = 0; i < kSymbols; ++i) {
                at[i] = argument(random);
                at_long[i] = static_cast<long double>(at[i]);
            }
            compare<double>(graph, root, tree, symbols, at, count);
            compare<long double>(graph, root, tree, symbols, at_long, count);
        }
    }
    if (trees >= 1000) {  // the test compares most of what it draws, numbers or not
        EXPECT_GT(count.compared, 4 * trees);
        EXPECT_GT(count.not_finite, trees / 2);
    }
    RecordProperty("compared", std::to_string(count.compared));
    RecordProperty("uncertain", std::to_string(count.uncertain));
}

/// Values of expressions of x and y where one rule or another would change them.
class Rules : public ::testing::Test {
  protected:
    double at(Expr e, double x_value, double y_value = 1.0) {
        return evaluate<double>(g, e, {{x, x_value}, {y, y_value}});
    }

    Graph g;
    Expr x = g.symbol(SymbolKind::kCoordinate, "x");
    Expr y = g.symbol(SymbolKind::kCoordinate, "y");
    Expr root_x = g.apply(Op::kSqrt, x);
};

TEST_F(Rules, TheDomainIsKept) {
    EXPECT_TRUE(std::isnan(at(g.mul(root_x, root_x), -2.0)));
    EXPECT_TRUE(std::isnan(at(g.square(g.pow(x, g.fraction(1, 2))), -2.0)));
    EXPECT_TRUE(std::isnan(at(g.pow(root_x, g.integer(4)), -2.0)));
    EXPECT_TRUE(std::isnan(at(g.mul(g.zero(), root_x), -2.0)));
    EXPECT_TRUE(std::isnan(at(g.sub(root_x, root_x), -2.0)));
    EXPECT_TRUE(std::isnan(at(g.sub(g.add(root_x, y), root_x), -2.0)));
    EXPECT_TRUE(std::isnan(at(g.div(x, x), 0.0)));
    EXPECT_TRUE(std::isnan(at(g.div(g.zero(), x), 0.0)));
    EXPECT_TRUE(std::isnan(at(g.div(g.square(x), x), 0.0)));
    EXPECT_TRUE(std::isnan(at(g.div(g.mul(x, y), x), 0.0)));
    EXPECT_FALSE(std::isfinite(at(g.mul(g.div(y, x), x), 0.0)));
    EXPECT_TRUE(std::isnan(at(g.apply(Op::kExp, g.apply(Op::kLog, x)), -1.0)));
}

TEST_F(Rules, TheRangeIsKept) {
    EXPECT_DOUBLE_EQ(at(g.mul(g.mul(x, y), y), 1e-300, 1e200), 1e100);
    EXPECT_DOUBLE_EQ(at(g.div(g.div(x, y), y), 1e-300, 1e-200), 1e100);
    EXPECT_DOUBLE_EQ(at(g.div(x, g.div(y, x)), 1e200, 1e200), 1e200);
    const Expr large = g.literal("1e15");
    const Expr product = g.mul(g.mul(large, x), g.mul(large, y));
    EXPECT_DOUBLE_EQ(at(product, 1e-165, 1e-165) * 1e300, 1.0);
}

TEST_F(Rules, WhatCannotEndTheDomainIsDropped) {
    const Expr square = g.add(g.square(x), g.one());  // > 0
    const Expr root = g.apply(Op::kSqrt, square);
    EXPECT_EQ(g.mul(root, root), square);
    EXPECT_EQ(g.div(root, root), g.one());
    EXPECT_EQ(g.div(g.mul(y, root), root), y);
    EXPECT_EQ(g.mul(g.zero(), root), g.zero());
    EXPECT_EQ(g.apply(Op::kExp, g.apply(Op::kLog, square)), square);
    EXPECT_EQ(g.apply(Op::kAbs, g.mul(root, g.apply(Op::kExp, y))),
              g.mul(root, g.apply(Op::kExp, y)));
}

TEST_F(Rules, DerivationsCancelAsFunctions) {
    const Graph::Formal formal(g);
    EXPECT_EQ(g.div(g.square(x), x), x);
    EXPECT_EQ(g.mul(root_x, root_x), x);
    EXPECT_EQ(g.mul(g.mul(x, y), y), g.mul(x, g.square(y)));
    {
        const Graph::Formal as_written(g, false);
        EXPECT_NE(g.div(x, x), g.one());
    }
    EXPECT_EQ(g.div(x, x), g.one());
}

}  // namespace
}  // namespace ananke::sym
