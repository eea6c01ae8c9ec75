#include "typeset/closed_form.h"

#include <algorithm>
#include <array>

#include "base/ranges.h"
#include "typeset/form_writer.h"

namespace ananke::typeset {
std::string_view written_form_name(WrittenForm form) {
    constexpr std::array<std::string_view, kWrittenForms.size()> kNames{
        "fundamental", "phohomsiri", "schutte", "wanichanon", "multipliers"};
    return kNames.at(static_cast<std::size_t>(form));
}

std::optional<WrittenForm> parse_written_form(std::string_view name) {
    const auto found = std::ranges::find(kWrittenForms, name, written_form_name);
    return found != kWrittenForms.end() ? std::optional(*found) : std::nullopt;
}

std::size_t ClosedForm::line_count() const {
    std::size_t count = 0;
    for (const std::vector<Stage>* part : {&given, &stages}) {
        for (const Stage& stage : *part) {
            count += stage.lines.size();
        }
    }
    return count;
}

ClosedForm given_equations(Model& model, const Equations& equations, sym::Values<double> at) {
    const sym::Graph::Formal formal(model.graph);
    FormWriter writer(model, equations, {}, std::move(at));
    writer.write_given();
    ClosedForm result = writer.finish(WrittenForm::kMultipliers);
    result.a.clear();
    result.lambda.clear();
    return result;
}

Result<ClosedForm> closed_form(Model& model, const Equations& equations, WrittenForm form,
                               std::span<const int> rows, const sym::Values<double>& at) {
    const sym::Graph::Formal formal(model.graph);
    FormWriter writer(model, equations, rows, at);
    writer.write_given();
    const std::optional<Error> error = writer.write(form);
    if (writer.is_full()) {
        return too_long();
    }
    if (error) {
        return *error;
    }
    return writer.finish(form);
}

std::vector<Expr> written_out(sym::Graph& graph, const ClosedForm& form,
                              std::span<const Expr> roots) {
    std::vector<Stage> all = form.given;
    append(all, form.stages);
    return written_out(graph, all, roots);
}

}  // namespace ananke::typeset
