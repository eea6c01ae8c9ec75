#include "report/equations.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ranges.h"
#include "typeset/report_lines.h"

namespace ananke::report {
namespace {

constexpr std::size_t kWidestMatrix = 6;
constexpr std::size_t kLongestMatrix = 1500;  ///< characters of all entries
constexpr std::size_t kLongestLine = 1200;
constexpr std::size_t kMostLines = 40;
constexpr std::size_t kLongestFact = 200;

/// A line that fits the page, or how long it is.
std::string line_text(const typeset::PrintedLine& line) {
    const std::size_t size = line.left.size() + line.right.size();
    return size <= kLongestLine
               ? fmt::format("{} &= {}", line.left, line.right)
               : fmt::format("{} &= \\text{{({} characters)}}",
                             line.left.size() <= kLongestLine ? line.left : "\\ldots",
                             line.right.size());
}

/// `formula`, then the lines below each other.
EquationBlock aligned(std::string title, const std::string& formula,
                      const std::vector<typeset::PrintedLine>& lines, std::size_t left_out) {
    EquationBlock block{std::move(title), "\\begin{aligned}\n", ""};
    if (!formula.empty()) {
        block.latex += fmt::format("& {} {}\n", formula, lines.empty() ? "" : "\\\\[0.4em]");
    }
    bool cut = false;
    for (std::size_t i = 0; i < lines.size() && i < kMostLines; ++i) {
        cut = cut || lines[i].left.size() + lines[i].right.size() > kLongestLine;
        block.latex += line_text(lines[i]);
        block.latex += i + 1 < std::min(lines.size(), kMostLines) ? " \\\\\n" : "\n";
    }
    block.latex += "\\end{aligned}";
    left_out += lines.size() > kMostLines ? lines.size() - kMostLines : 0;
    if (left_out > 0) {
        block.note = fmt::format("{} more line{}: see ananke derive --as latex --full.", left_out,
                                 left_out == 1 ? "" : "s");
    } else if (cut) {
        block.note = "Long lines are left out: see ananke derive --as latex.";
    }
    return block;
}

using typeset::Cells;

/// Nothing if it is too large for a page.
std::optional<EquationBlock> matrix(std::string title, const char* name, const Cells& rows) {
    std::size_t size = 0;
    std::vector<std::string> lines;
    for (const std::vector<std::string>& row : rows) {
        for (const std::string& cell : row) {
            size += cell.size();
        }
        lines.push_back(fmt::format("{}", fmt::join(row, " & ")));
    }
    if (rows.empty() || rows.size() > 2 * kWidestMatrix || rows.front().size() > kWidestMatrix ||
        size > kLongestMatrix) {
        return std::nullopt;
    }
    return EquationBlock{std::move(title),
                         fmt::format("{} = \\begin{{pmatrix}} {} \\end{{pmatrix}}", name,
                                     fmt::join(lines, " \\\\ ")),
                         ""};
}

/// A column of printed expressions.
Cells column(const std::vector<mech::Expr>& values, const sym::Printer& printer) {
    return transformed(values, [&](mech::Expr e) { return std::vector{printer.print(e)}; });
}

/// Whether matrices with these entries can be short enough: known before they are written, because
/// an expression of n nodes can be 2^n characters long.
bool is_short(const mech::Model& model, const mech::Equations& equations) {
    const auto fits = [&](mech::Expr e) {
        return sym::written_size(model.graph, e) <= static_cast<double>(kLongestMatrix);
    };
    const auto entry_fits = [&](const auto& entry) { return fits(entry.value); };
    return std::ranges::all_of(equations.M, entry_fits) && std::ranges::all_of(equations.Q, fits) &&
           std::ranges::all_of(equations.C, fits) &&
           std::ranges::all_of(equations.rows, [&](const mech::Row& row) {
               return fits(row.b) && std::ranges::all_of(row.A, entry_fits);
           });
}

/// M, A and b as matrices, where they are small and have something in them.
std::vector<EquationBlock> matrices(const mech::Model& model, const mech::Equations& equations) {
    const sym::Printer printer(model.graph, sym::Notation::kLatex);
    const auto n = static_cast<std::size_t>(equations.n);
    if (n > kWidestMatrix || equations.rows.size() > 2 * kWidestMatrix ||
        !is_short(model, equations)) {
        return {};
    }
    const Cells A = typeset::constraint_cells(equations, printer);
    std::vector<EquationBlock> blocks;
    const auto add = [&](std::optional<EquationBlock> block) {
        if (!block) {
            return false;
        }
        blocks.push_back(*std::move(block));
        return true;
    };
    const auto q = transformed(model.coordinates, &mech::Coordinate::q);
    const auto b = transformed(equations.rows, &mech::Row::b);
    const bool whole =
        add(matrix("Coordinates", "q", column(q, printer))) &&
        add(matrix("Mass matrix", "M", typeset::mass_cells(equations, printer))) &&
        add(matrix("Given force", "Q", column(equations.Q, printer))) &&
        (A.empty() || (add(matrix("Constraint matrix", "A", A)) &&
                       add(matrix("Right side of A a = b", "b", column(b, printer)))));
    return whole ? blocks : std::vector<EquationBlock>{};
}

void append_stage(std::vector<EquationBlock>& blocks, const typeset::PrintedStage& printed) {
    std::vector<typeset::PrintedLine> lines = printed.parts;
    append(lines, printed.lines);
    if (lines.empty()) {
        return;
    }
    EquationBlock block = aligned(printed.stage->title, printed.stage->latex, lines, printed.cut);
    if (!printed.stage->source.empty()) {
        block.title += fmt::format(" [{}]", printed.stage->source);
    }
    blocks.push_back(std::move(block));
}

}  // namespace

std::vector<EquationBlock> given_blocks(const mech::Model& model, const mech::Equations& equations,
                                        const typeset::ClosedForm& given) {
    std::vector<EquationBlock> blocks = matrices(model, equations);
    if (blocks.empty()) {
        for (const typeset::PrintedStage& printed :
             typeset::print_stages(model, given, sym::Notation::kLatex, false)) {
            append_stage(blocks, printed);
        }
    } else if (equations.has_nonideal) {
        const sym::Printer printer(model.graph, sym::Notation::kLatex);
        if (std::optional<EquationBlock> block =
                matrix("Non-ideal force", "C", column(equations.C, printer))) {
            blocks.push_back(*std::move(block));
        }
    }
    const std::vector<typeset::PrintedLine> directions =
        typeset::print_directions(model, equations, sym::Notation::kLatex);
    if (!directions.empty()) {
        blocks.push_back(
            aligned("Directions of the forces of constraint [RH (5)]", "", directions, 0));
    }
    return blocks;
}

std::vector<EquationBlock> minimal_blocks(const mech::Model& model,
                                          const typeset::MinimalForm& form) {
    std::vector<EquationBlock> blocks;
    const std::size_t given = form.lines.given.size();
    std::size_t number = 0;
    for (const typeset::PrintedStage& printed :
         typeset::print_stages(model, form.lines, sym::Notation::kLatex, false)) {
        if (++number <= given) {
            continue;  // the given equations have blocks of their own
        }
        append_stage(blocks, printed);
        if (printed.stage->title.starts_with("Equations ")) {
            break;  // the stages after it only solve these equations
        }
    }
    for (EquationBlock& block : blocks) {
        block.title = "Minimal equations: " + block.title;
    }
    for (const std::string& fact : form.facts) {
        if (!blocks.empty() && fact.size() <= kLongestFact) {
            std::string& note = blocks.front().note;
            note += fmt::format("{}{}.", note.empty() ? "" : " ", fact);
        }
    }
    return blocks;
}

}  // namespace ananke::report
