#include "typeset/closed_form.h"

#include <algorithm>
#include <array>

#include "typeset/form_writer.h"

namespace ananke::typeset {
namespace {

struct NamedForm {
    WrittenForm form;
    std::string_view name;
};
constexpr std::array kForms{
    NamedForm{WrittenForm::kFundamental, "fundamental"},
    NamedForm{WrittenForm::kPhohomsiri, "phohomsiri"},
    NamedForm{WrittenForm::kSchutte, "schutte"},
    NamedForm{WrittenForm::kWanichanon, "wanichanon"},
    NamedForm{WrittenForm::kMultipliers, "multipliers"},
};

}  // namespace

std::string_view written_form_name(WrittenForm form) {
    return std::find_if(kForms.begin(), kForms.end(),
                        [&](const NamedForm& f) { return f.form == form; })
        ->name;
}

std::optional<WrittenForm> parse_written_form(std::string_view name) {
    for (const NamedForm& f : kForms) {
        if (f.name == name) {
            return f.form;
        }
    }
    return std::nullopt;
}

const std::vector<WrittenForm>& all_written_forms() {
    static const std::vector<WrittenForm> kAll = [] {
        std::vector<WrittenForm> forms(kForms.size());
        std::transform(kForms.begin(), kForms.end(), forms.begin(),
                       [](const NamedForm& f) { return f.form; });
        return forms;
    }();
    return kAll;
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
    all.insert(all.end(), form.stages.begin(), form.stages.end());
    return written_out(graph, all, roots);
}

}  // namespace ananke::typeset
