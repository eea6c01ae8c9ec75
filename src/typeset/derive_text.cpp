#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ranges.h"
#include "base/text.h"
#include "typeset/derive_report.h"
#include "typeset/report_lines.h"

namespace ananke::typeset {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kWidestName = 24;
constexpr std::size_t kDirectionsShown = 24;

/// The place to break a line: the last " + " or " - " before `limit` that is least deep in
/// parentheses, or npos.
std::size_t break_place(std::string_view text, std::size_t limit) {
    std::size_t best = std::string_view::npos;
    int best_depth = 1 << 20;
    int depth = 0;
    for (std::size_t i = 0; i + 2 < text.size() && i < limit; ++i) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        const bool operation =
            text[i] == ' ' && (text[i + 1] == '+' || text[i + 1] == '-') && text[i + 2] == ' ';
        if (operation && i > limit / 3 && depth <= best_depth) {
            best = i;
            best_depth = depth;
        }
    }
    return best;
}

std::string wrapped(const std::string& head, std::string text) {
    const std::size_t indent = std::min<std::size_t>(display_width(head), 4 + kWidestName + 3);
    std::string result = head;
    std::size_t used = display_width(head);
    while (display_width(text) + used > kWidth) {
        const std::size_t at = break_place(text, kWidth - used);
        if (at == std::string::npos) {
            break;
        }
        result += text.substr(0, at) + "\n";
        text = text.substr(at + 1);
        used = indent;
        result += std::string(indent, ' ');
    }
    return result + text + "\n";
}

void append_lines(std::string& out, std::string_view lead, const std::vector<PrintedLine>& lines) {
    std::size_t width = 0;
    for (const PrintedLine& line : lines) {
        width = std::max(width, std::min(display_width(line.left), kWidestName));
    }
    for (const PrintedLine& line : lines) {
        const std::size_t used = display_width(line.left);
        const std::string pad(used < width ? width - used : 0, ' ');
        out += wrapped(fmt::format("    {}{}{} = ", lead, line.left, pad), line.right);
    }
}

std::string cut_note(std::size_t count) {
    return count > 0 ? fmt::format("    ... and {} more lines\n", count) : "";
}

std::string plural(std::size_t count, std::string_view word) {
    return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

/// "head: a, b, c" over as many lines as it takes.
std::string list(const std::string& head, const std::vector<std::string>& items) {
    std::string out = head;
    std::size_t used = display_width(head);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string item = items[i] + (i + 1 < items.size() ? "," : "");
        if (used + 1 + display_width(item) > kWidth) {
            out += "\n   ";
            used = 3;
        }
        out += " " + item;
        used += 1 + display_width(item);
    }
    return out + "\n";
}

std::string heading(const Model& model, const Equations& equations, const ClosedForm& form,
                    const ReportOptions& options) {
    std::string out = model.title.empty() ? "" : model.title + "\n\n";
    const std::vector<std::string> coordinates = transformed(model.coordinates, &Coordinate::name);
    const std::vector<std::string> rows = transformed(equations.rows, &Row::name);
    out += list(plural(coordinates.size(), "coordinate") + ":", coordinates);
    out +=
        rows.empty() ? "no constraints\n" : list(plural(rows.size(), "constraint row") + ":", rows);
    if (!form.a.empty()) {
        const std::size_t freedom = coordinates.size() - options.rows.size();
        out += fmt::format("{} of freedom\n", plural(freedom, "degree"));
    }
    std::vector<std::string> values;
    for (std::size_t i = 0; i < model.parameters.size(); ++i) {
        values.push_back(fmt::format("{} = {}", model.parameters[i].name, options.parameters[i]));
    }
    if (!values.empty()) {
        out += list("parameters:", values);
    }
    for (const std::string& fact : options.facts) {
        out += fact + "\n";
    }
    for (const std::string& note : options.notes) {
        out += "note: " + note + "\n";
    }
    return out;
}

}  // namespace

std::string derive_text(const Model& model, const Equations& equations, const ClosedForm& form,
                        const ReportOptions& options) {
    std::string out = heading(model, equations, form, options);
    std::vector<PrintedLine> directions = print_directions(model, equations, sym::Notation::kText);
    const std::size_t directions_shown =
        options.full ? directions.size() : std::min(directions.size(), kDirectionsShown);
    const std::size_t directions_cut = directions.size() - directions_shown;
    directions.resize(directions_shown);
    std::size_t number = 0;
    bool cut = directions_cut > 0;
    for (const PrintedStage& printed :
         print_stages(model, form, sym::Notation::kText, options.full)) {
        const Stage& stage = *printed.stage;
        const std::string source = stage.source.empty() ? "" : fmt::format("   [{}]", stage.source);
        out += fmt::format("\n{}: {}{}\n", stage.title, stage.formula, source);
        append_lines(out, "where ", printed.parts);
        append_lines(out, "", printed.lines);
        if (printed.lines.empty()) {
            out += "    all entries are 0\n";
        }
        out += cut_note(printed.cut);
        cut = cut || printed.cut > 0;
        if (++number == form.given.size() && !directions.empty()) {
            out += "\nDirections of the constraint forces, world axes   [RH (5)]\n";
            append_lines(out, "", directions);
            out += cut_note(directions_cut);
        }
    }
    if (cut) {
        out += "\nLong lists are cut; --full prints every line.\n";
    }
    return out;
}

}  // namespace ananke::typeset
