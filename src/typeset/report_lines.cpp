#include "typeset/report_lines.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

#include "base/ranges.h"
#include "sym/walk.h"

namespace ananke::typeset {

using mech::Body, mech::Direction, mech::Point, mech::Twist;

namespace {

constexpr std::size_t kLongReport = 200;  ///< lines
constexpr std::size_t kCutStage = 12;     ///< lines shown of a stage of a long report
constexpr int kSharedUses = 2;
constexpr std::size_t kSharedSize = 10;

std::string in(const Label& label, sym::Notation notation) {
    if (notation != sym::Notation::kLatex) {
        return label.text;
    }
    // Braces, so that a power does not become a second superscript.
    const bool raised = label.latex.find_first_of("^ ") != std::string::npos;
    return raised ? "{" + label.latex + "}" : label.latex;
}

std::vector<sym::Named> names_of(const ClosedForm& form, sym::Notation notation) {
    std::vector<sym::Named> names;
    for (const auto& [symbol, label] : form.labels) {
        names.push_back({in(label, notation), symbol});
    }
    return names;
}

void append_values(std::vector<Expr>& values, const Line& line) {
    if (line.vector) {
        values.insert(values.end(), line.vector->begin(), line.vector->end());
    } else {
        values.push_back(line.right);
    }
}

std::string print_vector(const sym::Printer& printer, const Vec3& v, sym::Notation notation) {
    std::array<std::string, 3> e;
    for (std::size_t k = 0; k < 3; ++k) {
        e.at(k) = printer.print(v[k]);
    }
    return notation == sym::Notation::kLatex
               ? fmt::format("\\left({},\\ {},\\ {}\\right)", e[0], e[1], e[2])
               : fmt::format("({}, {}, {})", e[0], e[1], e[2]);
}

std::string latex_word(const std::string& name) {
    return sym::latex_name({sym::SymbolKind::kParameter, name});
}

/// Vectors that a person wrote as one: position(P), velocity(P), omega(B), axis(B, e_k).
struct Known {
    const Vec3* vector;
    const std::string* of;  ///< the point or body
    const char* text;
    const char* latex;

    std::string written(bool as_latex) const {
        return as_latex ? fmt::format(fmt::runtime(latex), latex_word(*of))
                        : fmt::format(fmt::runtime(text), *of);
    }
};

std::vector<Known> known_vectors(const Model& model) {
    constexpr std::array<const char*, 3> kAxis{"axis({}, (1, 0, 0))", "axis({}, (0, 1, 0))",
                                               "axis({}, (0, 0, 1))"};
    constexpr std::array<const char*, 3> kLatexAxis{
        "\\mathbf{{e}}^{{{}}}_{{1}}", "\\mathbf{{e}}^{{{}}}_{{2}}", "\\mathbf{{e}}^{{{}}}_{{3}}"};
    std::vector<Known> known;
    for (const Point& point : model.points) {
        known.push_back({&point.r, &point.name, "position({})", "\\mathbf{{r}}^{{{}}}"});
        known.push_back({&point.v, &point.name, "velocity({})", "\\mathbf{{v}}^{{{}}}"});
    }
    for (const Body& body : model.bodies) {
        known.push_back({&body.omega, &body.name, "omega({})", "\\boldsymbol{{\\omega}}^{{{}}}"});
        for (std::size_t k = 0; k < 3; ++k) {
            known.push_back({&body.axes[k], &body.name, kAxis.at(k), kLatexAxis.at(k)});
        }
    }
    return known;
}

/// e = a*b, in whatever order.
bool is_product(const sym::Graph& graph, Expr e, Expr a, Expr b) {
    const sym::Node& node = graph.node(e);
    return node.op == sym::Op::kMul &&
           ((Expr{node.a} == a && Expr{node.b} == b) || (Expr{node.a} == b && Expr{node.b} == a));
}

/// W = u x v, component by component as a difference of products.
bool is_cross(const sym::Graph& graph, const Vec3& W, const Vec3& u, const Vec3& v) {
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3;
        const std::size_t k = (i + 2) % 3;
        const sym::Node& node = graph.node(W[i]);
        if (node.op != sym::Op::kSub || !is_product(graph, Expr{node.a}, u[j], v[k]) ||
            !is_product(graph, Expr{node.b}, u[k], v[j])) {
            return false;
        }
    }
    return true;
}

std::optional<std::string> cross_product(const Model& model, const Vec3& W, bool latex) {
    if (model.graph.node(W[0]).op != sym::Op::kSub) {
        return std::nullopt;
    }
    std::vector<Known> inside;
    const std::vector<Expr> symbols = sym::symbols_of(model.graph, W[0]);
    for (const Known& known : known_vectors(model)) {
        if (contains(symbols, (*known.vector)[1])) {
            inside.push_back(known);
        }
    }
    for (const Known& u : inside) {
        for (const Known& v : inside) {
            if (is_cross(model.graph, W, *u.vector, *v.vector)) {
                return latex ? fmt::format("{}\\times {}", u.written(true), v.written(true))
                             : fmt::format("cross({}, {})", u.written(false), v.written(false));
            }
        }
    }
    return std::nullopt;
}

/// "velocity(P2)" if W is just that vector, or its opposite.
std::optional<std::string> whole_vector(const Model& model, const Vec3& W, bool latex) {
    const auto negated = [&](Expr e) {
        const sym::Node& node = model.graph.node(e);
        return node.op == sym::Op::kNeg ? std::optional<Expr>(Expr{node.a}) : std::nullopt;
    };
    for (const Known& known : known_vectors(model)) {
        bool same = true;
        bool opposite = true;
        for (std::size_t k = 0; k < 3; ++k) {
            same = same && W[k] == (*known.vector)[k];
            opposite = opposite && negated(W[k]) == std::optional<Expr>((*known.vector)[k]);
        }
        if (same || opposite) {
            return (same ? "" : "-") + known.written(latex);
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<PrintedStage> print_stages(const Model& model, const ClosedForm& form,
                                       sym::Notation notation, bool full) {
    std::vector<const Stage*> stages;
    for (const std::vector<Stage>* part : {&form.given, &form.stages}) {
        append(stages, transformed(*part, [](const Stage& stage) { return &stage; }));
    }
    std::vector<Expr> roots;
    for (const Stage* stage : stages) {
        for (const Line& line : stage->lines) {
            if (line.definition || line.vector) {
                append_values(roots, line);
            }
        }
    }
    const std::vector<sym::Named> shared =
        sym::common_subexpressions(model.graph, roots, kSharedUses, kSharedSize);
    std::vector<sym::Named> names = names_of(form, notation);
    append(names, shared);
    const sym::Printer printer(model.graph, notation, names);

    const bool cut = !full && roots.size() + shared.size() > kLongReport;
    std::unordered_set<Expr> shown;
    std::vector<PrintedStage> result;
    for (const Stage* stage : stages) {
        PrintedStage printed{stage, {}, {}, 0};
        std::vector<Expr> values;
        std::size_t lines = 0;
        for (const Line& line : stage->lines) {
            if (cut && lines >= kCutStage) {
                ++printed.cut;
                continue;
            }
            ++lines;
            append_values(values, line);
            printed.lines.push_back({printer.print(line.left),
                                     line.vector ? print_vector(printer, *line.vector, notation)
                                                 : printer.print(line.right),
                                     line.used});
        }
        const std::vector<Expr> reached = sym::reachable(model.graph, values);
        const std::unordered_set<Expr> needed(reached.begin(), reached.end());
        for (const sym::Named& part : shared) {
            if (needed.contains(part.value) && shown.insert(part.value).second) {
                printed.parts.push_back(
                    {printer.print(part.value), printer.print_value(part.value)});
            }
        }
        result.push_back(std::move(printed));
    }
    return result;
}

Cells mass_cells(const Equations& equations, const sym::Printer& printer) {
    Cells M(equations.n, std::vector<std::string>(equations.n, "0"));
    for (const MassEntry& entry : equations.M) {
        M[entry.row][entry.column] = M[entry.column][entry.row] = printer.print(entry.value);
    }
    return M;
}

Cells constraint_cells(const Equations& equations, const sym::Printer& printer) {
    Cells A(equations.rows.size(), std::vector<std::string>(equations.n, "0"));
    for (std::size_t k = 0; k < A.size(); ++k) {
        for (const Entry& entry : equations.rows[k].A) {
            A[k][entry.column] = printer.print(entry.value);
        }
    }
    return A;
}

std::string vector_text(const Model& model, const Vec3& vector, sym::Notation notation) {
    const bool latex = notation == sym::Notation::kLatex;
    if (const std::optional<std::string> whole = whole_vector(model, vector, latex)) {
        return *whole;
    }
    if (const std::optional<std::string> cross = cross_product(model, vector, latex)) {
        return *cross;
    }
    constexpr double kLongest = 20'000.0;  // operations of all components
    double size = 0.0;
    for (const Expr component : vector) {
        size += sym::written_size(model.graph, component);
    }
    if (size > kLongest) {
        const std::string text = fmt::format("a vector of {:.3g} operations", size);
        return latex ? fmt::format("\\text{{({})}}", text) : fmt::format("({})", text);
    }
    return print_vector(sym::Printer(model.graph, notation), vector, notation);
}

std::vector<PrintedLine> print_directions(const Model& model, const Equations& equations,
                                          sym::Notation notation) {
    const bool latex = notation == sym::Notation::kLatex;
    std::vector<PrintedLine> lines;
    const auto add = [&](const Row& row, const char* what, const char* symbol,
                         const std::string& on, const Vec3& vector) {
        const std::string text = vector_text(model, vector, notation);
        if (latex) {
            lines.push_back({fmt::format("\\mathbf{{{}}}^{{{}}}_{{{}}}", symbol,
                                         latex_word(row.name), latex_word(on)),
                             fmt::format("\\lambda_{{{}}}\\,{}", latex_word(row.name), text)});
        } else {
            lines.push_back({fmt::format("{}[{}:{}]", what, row.name, on),
                             fmt::format("lambda[{}]*{}", row.name, text)});
        }
    };
    for (const Row& row : equations.rows) {
        for (const Direction& direction : row.directions) {
            add(row, "force", "F", model.points[direction.point].name, direction.W_symbolic);
        }
        for (const Twist& twist : row.twists) {
            add(row, "torque", "T", model.bodies[twist.body].name, twist.tau_symbolic);
        }
    }
    return lines;
}

}  // namespace ananke::typeset
