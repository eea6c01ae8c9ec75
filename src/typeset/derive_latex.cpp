#include <fmt/format.h>
#include <fmt/ranges.h>

#include "typeset/derive_report.h"
#include "typeset/report_lines.h"

namespace ananke::typeset {
namespace {

/// A matrix with more columns than this does not fit a page: its entries are listed.
constexpr int kWidestMatrix = 6;

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '\\':
                out += "\\textbackslash{}";
                break;
            case '^':
                out += "\\textasciicircum{}";
                break;
            case '~':
                out += "\\textasciitilde{}";
                break;
            case '#':
            case '$':
            case '%':
            case '&':
            case '_':
            case '{':
            case '}':
                out += '\\';
                out += c;
                break;
            default:
                out += c;
        }
    }
    return out;
}

void append_align(std::string& out, const std::vector<PrintedLine>& lines) {
    if (lines.empty()) {
        return;
    }
    out += "\\begin{align*}\n";
    for (std::size_t i = 0; i < lines.size(); ++i) {
        out += fmt::format("  {} &= {}{}\n", lines[i].left, lines[i].right,
                           i + 1 < lines.size() ? " \\\\" : "");
    }
    out += "\\end{align*}\n";
}

std::string matrix(std::string_view name, const Cells& rows) {
    std::string out = fmt::format("\\[\n  {} = \\begin{{pmatrix}}\n", name);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        out += fmt::format("    {}{}\n", fmt::join(rows[i], " & "),
                           i + 1 < rows.size() ? " \\\\" : "");
    }
    return out + "  \\end{pmatrix}\n\\]\n";
}

/// M and A as matrices, where they fit a page.
std::string matrices(const Model& model, const Equations& equations) {
    if (equations.n > kWidestMatrix || equations.rows.size() > std::size_t{2 * kWidestMatrix}) {
        return "";
    }
    const sym::Printer printer(model.graph, sym::Notation::kLatex);
    std::string out = "\\paragraph{The matrices.}\n" + matrix("M", mass_cells(equations, printer));
    const Cells A = constraint_cells(equations, printer);
    return A.empty() ? out : out + matrix("A", A);
}

/// Without the entries of M and A that the matrices show and no later line refers to.
std::vector<PrintedLine> beyond_matrices(std::vector<PrintedLine> lines) {
    std::erase_if(lines, [](const PrintedLine& line) {
        return !line.used && (line.left.starts_with("M_") || line.left.starts_with("A_"));
    });
    return lines;
}

}  // namespace

std::string derive_latex(const Model& model, const Equations& equations, const ClosedForm& form,
                         const ReportOptions& options) {
    std::string out = "% Needs \\usepackage{amsmath}.\n\\allowdisplaybreaks\n";
    if (!model.title.empty()) {
        out += fmt::format("\\subsection*{{{}}}\n", escaped(model.title));
    }
    for (const std::vector<std::string>* lines : {&options.facts, &options.notes}) {
        for (const std::string& line : *lines) {
            out += escaped(line) + "\n\n";
        }
    }
    const std::string shown = matrices(model, equations);
    out += shown;
    const std::vector<PrintedLine> directions =
        print_directions(model, equations, sym::Notation::kLatex);
    std::size_t number = 0;
    for (const PrintedStage& printed :
         print_stages(model, form, sym::Notation::kLatex, options.full)) {
        const Stage& stage = *printed.stage;
        const std::string source = stage.source.empty() ? "" : fmt::format(" [{}]", stage.source);
        out += fmt::format("\\paragraph{{{}{}.}}", stage.title, source);
        out += stage.latex.empty() ? "\n" : fmt::format(" ${}$\n", stage.latex);
        append_align(out, printed.parts);
        append_align(out, number < form.given.size() && !shown.empty()
                              ? beyond_matrices(printed.lines)
                              : printed.lines);
        if (printed.lines.empty()) {
            out += "All entries are zero.\n";
        }
        if (printed.cut > 0) {
            out += fmt::format("{} more lines are left out.\n", printed.cut);
        }
        if (++number == form.given.size() && !directions.empty()) {
            out += "\\paragraph{Directions of the constraint forces [RH (5)].}\n";
            append_align(out, directions);
        }
    }
    return out;
}

}  // namespace ananke::typeset
