// What is printed means what was stored: the text is read back by the rules of the language, the C
// is compiled by the system's compiler, and both are compared with the reference evaluation.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sym/differentiate.h"
#include "sym/print.h"
#include "sym/random_expression.h"

namespace ananke::sym {
namespace {

/// Evaluates text of the language. Binding, tightest first: prime, ^ (right), unary minus, * /,
/// + -, comparisons, not, and, or, if.
class TextEvaluator {
  public:
    TextEvaluator(std::string_view text, const std::unordered_map<std::string, double>& values)
        : rest_(text), values_(values) {}

    double read() {
        const double value = choice();
        EXPECT_EQ(rest_, "") << "left unread";
        return value;
    }

  private:
    bool accept(std::string_view token) {
        while (!rest_.empty() && rest_.front() == ' ') {
            rest_.remove_prefix(1);
        }
        const bool found = rest_.substr(0, token.size()) == token;
        const bool word = std::isalpha(static_cast<unsigned char>(token.front())) != 0;
        const bool longer = word && found && rest_.size() > token.size() &&
                            std::isalnum(static_cast<unsigned char>(rest_[token.size()])) != 0;
        if (found && !longer) {
            rest_.remove_prefix(token.size());
        }
        return found && !longer;
    }
    void expect(std::string_view token) {
        EXPECT_TRUE(accept(token)) << "expected " << token << " before " << rest_;
    }

    double choice() {
        if (!accept("if")) {
            return disjunction();
        }
        const double condition = choice();
        expect("then");
        const double yes = choice();
        expect("else");
        const double no = choice();
        return condition != 0.0 ? yes : no;
    }
    double disjunction() {
        double value = conjunction();
        while (accept("or")) {
            const double right = conjunction();
            value = value != 0.0 || right != 0.0 ? 1.0 : 0.0;
        }
        return value;
    }
    double conjunction() {
        double value = negation();
        while (accept("and")) {
            const double right = negation();
            value = value != 0.0 && right != 0.0 ? 1.0 : 0.0;
        }
        return value;
    }
    double negation() { return accept("not") ? (negation() == 0.0 ? 1.0 : 0.0) : comparison(); }
    double comparison() {
        const double left = sum();
        if (accept("<=")) {
            return left <= sum() ? 1.0 : 0.0;
        }
        if (accept("<")) {
            return left < sum() ? 1.0 : 0.0;
        }
        if (accept("==")) {
            return left == sum() ? 1.0 : 0.0;
        }
        return accept("!=") ? (left != sum() ? 1.0 : 0.0) : left;
    }
    double sum() {
        double value = product();
        while (true) {
            if (accept("+")) {
                value += product();
            } else if (accept("-")) {
                value -= product();
            } else {
                return value;
            }
        }
    }
    double product() {
        double value = signed_power();
        while (true) {
            if (accept("*")) {
                value *= signed_power();
            } else if (accept("/")) {
                value /= signed_power();
            } else {
                return value;
            }
        }
    }
    double signed_power() { return accept("-") ? -signed_power() : power(); }
    double power() {
        const double base = primary();
        return accept("^") ? std::pow(base, signed_power()) : base;
    }
    double primary() {
        if (accept("(")) {
            const double value = choice();
            expect(")");
            return value;
        }
        if (!rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_.front())) != 0) {
            char* end = nullptr;
            const std::string copy(rest_);
            const double value = std::strtod(copy.c_str(), &end);
            rest_.remove_prefix(static_cast<std::size_t>(end - copy.c_str()));
            return value;
        }
        std::size_t length = 0;
        while (length < rest_.size() &&
               (std::isalnum(static_cast<unsigned char>(rest_[length])) != 0 ||
                rest_[length] == '[' || rest_[length] == ']' || rest_[length] == '\'')) {
            ++length;
        }
        const std::string name(rest_.substr(0, length));
        rest_.remove_prefix(length);
        return accept("(") ? call(name) : name == "pi" ? std::acos(-1.0) : values_.at(name);
    }
    double call(const std::string& name) {
        Graph graph;
        const Expr a = graph.symbol(SymbolKind::kParameter, "a");
        const Expr b = graph.symbol(SymbolKind::kParameter, "b");
        Values<double> arguments{{a, choice()}};
        if (accept(",")) {
            arguments[b] = choice();
        }
        expect(")");
        for (int i = 0; i <= static_cast<int>(Op::kSelect); ++i) {
            const Op op = static_cast<Op>(i);
            if (function_name(op) == name) {
                EXPECT_EQ(static_cast<std::size_t>(arity(op)), arguments.size());
                const Expr f = arity(op) == 1 ? graph.apply(op, a) : graph.apply(op, a, b);
                return evaluate<double>(graph, f, arguments);
            }
        }
        ADD_FAILURE() << "unknown function " << name;
        return 0.0;
    }

    std::string_view rest_;
    const std::unordered_map<std::string, double>& values_;
};

TEST(RoundTrip, TextReadsBackAsTheSameFunction) {
    for (unsigned seed = 0; seed < 3000; ++seed) {
        SCOPED_TRACE(seed);
        Graph g;
        RandomExpressions random(g, seed);
        Expr f = random.expression(10, true);
        if (seed % 4 == 0) {
            f = derivative(g, f, random.symbols()[0]);
        }
        const Values<double> at = random.point<double>();
        std::unordered_map<std::string, double> by_name;
        for (const auto& [symbol, value] : at) {
            by_name[text_name(g.symbol_record(symbol))] = value;
        }
        const std::string text = print(g, f);
        SCOPED_TRACE(text);
        const double expected = evaluate<double>(g, f, at);
        EXPECT_TRUE(is_near(TextEvaluator(text, by_name).read(), expected, 1e-12L));
    }
}

/// Compiles a C program with the system's compiler and returns what it prints, one number a line.
std::vector<double> run_c(const std::string& program) {
    const std::string path =
        fmt::format("{}ananke_printed_expressions_{}", ::testing::TempDir(), getpid());
    std::ofstream(path + ".c") << program;
    const std::string compile =
        fmt::format("cc -std=c99 -pedantic -Wall -Werror -O0 -o '{0}' '{0}.c' -lm", path);
    std::vector<double> values;
    if (std::system(compile.c_str()) != 0) {
        ADD_FAILURE() << "cannot be compiled: " << compile;
        return values;
    }
    std::FILE* output = popen(fmt::format("'{}'", path).c_str(), "r");
    double value = 0.0;
    while (output != nullptr && std::fscanf(output, "%lf", &value) == 1) {
        values.push_back(value);
    }
    EXPECT_TRUE(output != nullptr && pclose(output) == 0);
    std::remove(path.c_str());
    std::remove((path + ".c").c_str());
    return values;
}

TEST(RoundTrip, CCompilesAndAgrees) {
    Graph g;
    RandomExpressions random(g, 1);
    const Values<double> at = random.point<double>();
    std::string functions = "#include <math.h>\n#include <stdio.h>\n";
    for (const auto& [symbol, value] : at) {
        functions +=
            fmt::format("static const double {} = {};\n", c_name(g.symbol_record(symbol)), value);
    }
    std::string calls;
    std::vector<double> expected;
    const auto add = [&](const std::string& body, Expr f) {
        functions += fmt::format("static double f{}(void) {{\n{}}}\n", expected.size(), body);
        calls += fmt::format("    printf(\"%.17g\\n\", f{}());\n", expected.size());
        expected.push_back(evaluate<double>(g, f, at));
    };
    for (int i = 0; i < 400; ++i) {
        const Expr f = random.expression(10, true);
        add(fmt::format("    return {};\n", print(g, f, Notation::kC)), f);

        const Expr df = derivative(g, f, random.symbols()[0]);
        const std::vector<Named> names = common_subexpressions(g, std::span<const Expr>(&df, 1));
        const Printer printer(g, Notation::kC, names);
        add(fmt::format("{}    return {};\n", printer.print_definitions(), printer.print(df)), df);
    }
    const std::vector<double> found =
        run_c(functions + "int main(void) {\n" + calls + "    return 0;\n}\n");
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_TRUE(is_near(found[i], expected[i], 1e-12L)) << "f" << i;
    }
}

}  // namespace
}  // namespace ananke::sym
