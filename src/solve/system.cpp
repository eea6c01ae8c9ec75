#include "solve/system.h"

#include <array>
#include <utility>

namespace ananke::solve {
namespace {

constexpr std::array<std::pair<Form, std::string_view>, 8> kNames{{
    {Form::kAuto, "auto"},
    {Form::kFundamental, "fundamental"},
    {Form::kPhohomsiri, "phohomsiri"},
    {Form::kSchutte, "schutte"},
    {Form::kWanichanon, "wanichanon"},
    {Form::kMultipliers, "multipliers"},
    {Form::kMinimal, "minimal"},
    {Form::kGauss, "gauss"},
}};

}  // namespace

std::string_view form_name(Form form) {
    for (const auto& [known, name] : kNames) {
        if (known == form) {
            return name;
        }
    }
    return "";
}

std::optional<Form> parse_form(std::string_view name) {
    for (const auto& [form, known] : kNames) {
        if (known == name) {
            return form;
        }
    }
    return std::nullopt;
}

const std::vector<Form>& all_forms() {
    static const std::vector<Form> forms = [] {
        std::vector<Form> list;
        for (const auto& [form, name] : kNames) {
            list.push_back(form);
        }
        return list;
    }();
    return forms;
}

}  // namespace ananke::solve
