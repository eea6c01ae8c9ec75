#include "mech/report_lines.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

#include "sym/walk.h"

namespace ananke::mech {
namespace {

constexpr std::size_t kLongReport = 200;  ///< lines
constexpr std::size_t kCutStage = 12;     ///< lines shown of a stage of a long report
constexpr int kSharedUses = 2;
constexpr std::size_t kSharedSize = 10;

std::vector<const Stage*> all_stages(const ClosedForm& form) {
    std::vector<const Stage*> stages;
    for (const Stage& stage : form.given) {
        stages.push_back(&stage);
    }
    for (const Stage& stage : form.stages) {
        stages.push_back(&stage);
    }
    return stages;
}

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

std::string latex_word(const std::string& name) {
    return sym::latex_name({sym::SymbolKind::kParameter, name});
}

/// "velocity(P2)" if W is just that vector, or its opposite.
std::optional<std::string> whole_vector(const Model& model, const Vec3& W, bool latex) {
    const auto negated = [&](Expr e) {
        const sym::Node& node = model.graph.node(e);
        return node.op == sym::Op::kNeg ? std::optional<Expr>(Expr{node.a}) : std::nullopt;
    };
    for (const Point& point : model.points) {
        for (const bool velocity : {false, true}) {
            const Vec3& u = velocity ? point.v : point.r;
            bool same = true;
            bool opposite = true;
            for (std::size_t k = 0; k < 3; ++k) {
                same = same && W[k] == u[k];
                opposite = opposite && negated(W[k]) == std::optional<Expr>(u[k]);
            }
            if (!same && !opposite) {
                continue;
            }
            const std::string sign = same ? "" : "-";
            if (latex) {
                return fmt::format("{}\\mathbf{{{}}}^{{{}}}", sign, velocity ? "v" : "r",
                                   latex_word(point.name));
            }
            return fmt::format("{}{}({})", sign, velocity ? "velocity" : "position", point.name);
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<PrintedStage> print_stages(const Model& model, const ClosedForm& form,
                                       sym::Notation notation, bool full) {
    const std::vector<const Stage*> stages = all_stages(form);
    std::vector<Expr> roots;
    for (const Stage* stage : stages) {
        for (const Line& line : stage->lines) {
            roots.push_back(line.right);
        }
    }
    const std::vector<sym::Named> shared =
        sym::common_subexpressions(model.graph, roots, kSharedUses, kSharedSize);
    std::vector<sym::Named> names = names_of(form, notation);
    names.insert(names.end(), shared.begin(), shared.end());
    const sym::Printer printer(model.graph, notation, names);

    const bool cut = !full && roots.size() + shared.size() > kLongReport;
    std::unordered_set<Expr> shown;
    std::vector<PrintedStage> result;
    for (const Stage* stage : stages) {
        PrintedStage printed{stage, {}, {}, 0};
        std::vector<Expr> values;
        for (const Line& line : stage->lines) {
            if (cut && values.size() >= kCutStage) {
                ++printed.cut;
                continue;
            }
            values.push_back(line.right);
            printed.lines.push_back(
                {printer.print(line.left), printer.print(line.right), line.used});
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

std::vector<PrintedLine> print_directions(const Model& model, const Equations& equations,
                                          sym::Notation notation) {
    const bool latex = notation == sym::Notation::kLatex;
    const sym::Printer printer(model.graph, notation);
    std::vector<PrintedLine> lines;
    for (const Row& row : equations.rows) {
        const std::string lambda = latex ? fmt::format("\\lambda_{{{}}}", latex_word(row.name))
                                         : fmt::format("lambda[{}]", row.name);
        for (const Direction& direction : row.directions) {
            const Point& point = model.points[static_cast<std::size_t>(direction.point)];
            std::optional<std::string> vector = whole_vector(model, direction.W_symbolic, latex);
            if (!vector) {
                std::array<std::string, 3> e;
                for (std::size_t k = 0; k < 3; ++k) {
                    e.at(k) = printer.print(direction.W_symbolic[k]);
                }
                vector = latex ? fmt::format("\\left({},\\ {},\\ {}\\right)", e[0], e[1], e[2])
                               : fmt::format("({}, {}, {})", e[0], e[1], e[2]);
            }
            const std::string left = latex
                                         ? fmt::format("\\mathbf{{F}}^{{{}}}_{{{}}}",
                                                       latex_word(row.name), latex_word(point.name))
                                         : fmt::format("force[{}:{}]", row.name, point.name);
            lines.push_back({left, latex ? lambda + "\\," + *vector : lambda + "*" + *vector});
        }
    }
    return lines;
}

}  // namespace ananke::mech
