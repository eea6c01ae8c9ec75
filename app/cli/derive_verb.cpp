#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ananke/derive.h"
#include "say.h"
#include "verbs.h"

namespace ananke::cli {
namespace {

struct DeriveArguments {
    ModelArguments model;
    std::string notation = "text";
    std::string form = "auto";
    bool full = false;
};

int wrong(const std::string& message) {
    say(stderr, "ananke: {}\n", message);
    return kWrongInput;
}

std::optional<Notation> parse_notation(const std::string& name) {
    return name == "text"    ? std::optional(Notation::kText)
           : name == "latex" ? std::optional(Notation::kLatex)
           : name == "c"     ? std::optional(Notation::kC)
                             : std::nullopt;
}

int run_derive(const DeriveArguments& arguments) {
    std::optional<Form> form;
    std::vector<std::string_view> names;
    for (const Form known : written_forms()) {
        names.push_back(form_name(known));
        if (arguments.form == names.back()) {
            form = known;
        }
    }
    if (!form) {
        return wrong(fmt::format("unknown form \"{}\"; the forms are {}", arguments.form,
                                 fmt::join(names, ", ")));
    }
    const std::optional<Notation> notation = parse_notation(arguments.notation);
    if (!notation) {
        return wrong(fmt::format("unknown notation \"{}\"; the notations are text, latex, c",
                                 arguments.notation));
    }
    const std::optional<Model> model = load(arguments.model);
    if (!model) {
        return kWrongInput;
    }
    const Derived derived = derive(*model, {*form, *notation, arguments.full});
    say(stdout, "{}", derived.text);
    return derived.failure ? wrong(derived.failure->message) : kDone;
}

}  // namespace

void add_derive(CLI::App& app, int& exit_code) {
    CLI::App* verb = app.add_subcommand(
        "derive", "Print the equations: M, Q, A, b, force directions and the closed acceleration");
    const auto arguments = std::make_shared<DeriveArguments>();
    add_model_arguments(*verb, arguments->model);
    verb->add_option("--as", arguments->notation, "text, latex, or c (a file that compiles alone)")
        ->type_name("NOTATION")
        ->capture_default_str();
    verb->add_option("--form", arguments->form,
                     "auto, fundamental, phohomsiri, schutte, wanichanon, multipliers or minimal: "
                     "how the acceleration is written")
        ->type_name("FORM")
        ->capture_default_str();
    verb->add_flag("--full", arguments->full, "Print every line of a long report");
    verb->footer(
        "Examples:\n"
        "  ananke derive models/two_link_pendulum.ank\n"
        "  ananke derive models/free_top.ank --form wanichanon     Table 1 of the paper\n"
        "  ananke derive models/duffing.ank --form minimal\n"
        "  ananke derive models/duffing.ank --as latex > duffing.tex\n"
        "  ananke derive models/andrews.ank --as c > andrews.c && cc -c andrews.c");
    verb->callback([arguments, &exit_code] { exit_code = run_derive(*arguments); });
}

}  // namespace ananke::cli
