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
    bool minimal = false;
    std::vector<std::string> independent;
    std::vector<std::string> evidence;
};

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
        return complain(fmt::format("unknown form \"{}\"; the forms are {}", arguments.form,
                                    fmt::join(names, ", ")));
    }
    const bool chosen = !arguments.independent.empty() || !arguments.evidence.empty();
    if (arguments.minimal && arguments.form != "auto" && *form != Form::kMinimal) {
        return complain("--minimal and --form " + arguments.form + " ask for different forms");
    }
    if (arguments.minimal) {
        form = Form::kMinimal;
    }
    if (chosen && *form != Form::kMinimal) {
        return complain("--independent and --evidence belong to --minimal");
    }
    const std::optional<Notation> notation = parse_notation(arguments.notation);
    if (!notation) {
        return complain(fmt::format("unknown notation \"{}\"; the notations are text, latex, c",
                                    arguments.notation));
    }
    const std::optional<Model> model = load(arguments.model);
    if (!model) {
        return kWrongInput;
    }
    const Derived derived = derive(
        *model, {*form, *notation, arguments.full, arguments.independent, arguments.evidence});
    say(stdout, "{}", derived.text);
    if (!derived.without_friction_on.empty()) {
        say(stderr,
            "ananke: warning: these equations leave out the friction on {}; `ananke run` has it\n",
            fmt::join(derived.without_friction_on, ", "));
    }
    return derived.failure ? complain(derived.failure->message) : kDone;
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
    verb->add_flag(
        "--minimal", arguments->minimal,
        "As many equations as degrees of freedom, without constraint forces (the same as "
        "--form minimal)");
    add_list(*verb, "--independent", arguments->independent,
             "With --minimal: the independent velocities or speeds, x or x' or u");
    add_list(*verb, "--evidence", arguments->evidence,
             "With --minimal: constraints whose forces stay in the equations as unknowns");
    verb->add_flag("--full", arguments->full, "Print every line of a long report");
    verb->footer(
        "Examples:\n"
        "  ananke derive models/two_link_pendulum.ank\n"
        "  ananke derive models/free_top.ank --form wanichanon     Table 1 of the paper\n"
        "  ananke derive models/perpendicular.ank --minimal --independent p1x,p1y,p2x\n"
        "  ananke derive models/perpendicular.ank --minimal --evidence perpendicular\n"
        "  ananke derive models/duffing.ank --as latex > duffing.tex\n"
        "  ananke derive models/andrews.ank --as c > andrews.c && cc -c andrews.c");
    verb->callback([arguments, &exit_code] { exit_code = run_derive(*arguments); });
}

}  // namespace ananke::cli
