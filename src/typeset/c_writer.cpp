#include "typeset/c_writer.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

#include "base/ranges.h"
#include "sym/print.h"
#include "sym/walk.h"

namespace ananke::typeset {

using mech::Parameter;

namespace {

/// Words that the functions use themselves.
constexpr std::array<std::string_view, 43> kTaken{
    "t",    "q",      "v",    "p",    "M",     "Q",     "A",      "b",        "C",
    "a",    "n",      "m",    "i",    "j",     "k",     "lambda", "sin",      "cos",
    "tan",  "asin",   "acos", "atan", "atan2", "sinh",  "cosh",   "tanh",     "exp",
    "log",  "sqrt",   "fabs", "fmin", "fmax",  "pow",   "fma",    "isfinite", "malloc",
    "free", "memset", "main", "NULL", "u",     "q_dot", "u_dot"};

/// One identifier per symbol, all different.
class Identifiers {
  public:
    std::string fresh(std::string name) {
        while (!taken_.insert(name).second) {
            name += '_';
        }
        return name;
    }

  private:
    std::set<std::string> taken_{kTaken.begin(), kTaken.end()};
};

std::vector<Input> inputs_from(std::string_view array, const std::vector<Expr>& symbols) {
    std::vector<Input> result;
    result.reserve(symbols.size());
    for (const Expr symbol : symbols) {
        result.push_back({symbol, fmt::format("{}[{}]", array, result.size())});
    }
    return result;
}

}  // namespace

std::vector<Input> coordinate_inputs(const Model& model) {
    return inputs_from("q", transformed(model.coordinates, &Coordinate::q));
}

std::vector<Input> velocity_inputs(const Model& model) {
    return inputs_from("v", transformed(model.coordinates, &Coordinate::v));
}

std::vector<Input> parameter_inputs(const Model& model) {
    return inputs_from("p", transformed(model.parameters, &Parameter::symbol));
}

std::string c_body(const Model& model, const std::vector<Input>& inputs,
                   const std::vector<Statement>& statements,
                   const std::unordered_map<Expr, Label>& labels) {
    const sym::Graph& graph = model.graph;
    const std::vector<Expr> roots = transformed(statements, &Statement::value);
    Identifiers identifiers;
    std::vector<sym::Named> names{{"t", model.time}};
    std::string out;
    const std::vector<Expr> nodes = sym::reachable(graph, roots);
    const std::unordered_set<Expr> reached(nodes.begin(), nodes.end());
    for (const Input& input : inputs) {
        if (reached.contains(input.symbol)) {
            const auto label = labels.find(input.symbol);
            const std::string name = identifiers.fresh(
                label == labels.end() ? sym::c_name(graph.symbol_record(input.symbol))
                                      : label->second.c);
            names.push_back({name, input.symbol});
            out += fmt::format("    const double {} = {};\n", name, input.from);
        }
    }
    std::vector<Statement> named = statements;
    for (Statement& s : named) {
        if (s.symbol) {
            s.target = identifiers.fresh(labels.at(*s.symbol).c);
            names.push_back({s.target, *s.symbol});
        }
    }
    std::vector<sym::Named> shared = sym::common_subexpressions(graph, roots);
    for (sym::Named& part : shared) {
        part.name = identifiers.fresh(part.name);
        names.push_back(part);
    }
    const sym::Printer printer(graph, sym::Notation::kC, names);
    std::unordered_set<Expr> written;
    for (const Statement& s : named) {
        const std::vector<Expr> parts = sym::reachable(graph, s.value);
        const std::unordered_set<Expr> needed(parts.begin(), parts.end());
        for (const sym::Named& part : shared) {
            if (needed.contains(part.value) && written.insert(part.value).second) {
                out += fmt::format("    const double {} = {};\n", part.name,
                                   printer.print_value(part.value));
            }
        }
        out += fmt::format("    {}{} = {};\n", s.symbol ? "const double " : "", s.target,
                           printer.print(s.value));
    }
    return out;
}

void append_statements(std::vector<Statement>& statements, std::string_view array,
                       std::span<const Expr> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        statements.push_back({fmt::format("{}[{}]", array, i), values[i]});
    }
}

std::string parameter_lines(const Model& model, std::span<const double> values) {
    std::string out;
    for (std::size_t i = 0; i < values.size(); ++i) {
        out += fmt::format(" * p[{}]: {} = {}\n", i, comment_text(model.parameters[i].name),
                           values[i]);
    }
    return out;
}

std::string comment_text(std::string text) {
    for (std::size_t at = text.find("*/"); at != std::string::npos; at = text.find("*/", at)) {
        text.replace(at, 2, "* /");
    }
    std::ranges::replace(text, '\n', ' ');
    return text;
}

std::vector<Statement> c_program(const Model& model, const ClosedForm& form,
                                 const std::vector<Statement>& results) {
    std::unordered_set<Expr> needed;
    const auto need = [&](Expr e) {
        for (const Expr part : sym::reachable(model.graph, e)) {
            needed.insert(part);
        }
    };
    for (const Statement& result : results) {
        need(result.value);
    }
    std::vector<Statement> lines;
    for (const std::vector<Stage>* part : {&form.stages, &form.given}) {
        for (auto stage = part->rbegin(); stage != part->rend(); ++stage) {
            for (auto line = stage->lines.rbegin(); line != stage->lines.rend(); ++line) {
                if (line->definition && line->used && needed.contains(line->left)) {
                    need(line->right);
                    lines.push_back({"", line->right, line->left});
                }
            }
        }
    }
    std::ranges::reverse(lines);
    append(lines, results);
    return lines;
}

std::string c_array(std::string_view type, std::string_view name, std::size_t size) {
    return size > 0 ? fmt::format("{} {}[{}]", type, name, size)
                    : fmt::format("{} *{}", type, name);
}

}  // namespace ananke::typeset
