#include <memory>

#include <fmt/format.h>

#include "ananke/check.h"
#include "say.h"
#include "verbs.h"

namespace ananke::cli {
namespace {

int run_check(const ModelArguments& arguments) {
    const std::optional<Model> model = load(arguments);
    if (!model) {
        return kWrongInput;
    }
    const Result<CheckReport> report = check(*model);
    if (!report) {
        return complain(report.error().message);
    }
    say(stdout, "{}", report.value().text);
    return kDone;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
    CLI::App* verb = app.add_subcommand(
        "check", "Say what the model is: freedom, constraints, rank, redundancy, agreement");
    const auto arguments = std::make_shared<ModelArguments>();
    add_model_arguments(*verb, *arguments);
    verb->footer(
        "Examples:\n"
        "  ananke check models/two_link_pendulum.ank\n"
        "  ananke check models/chain.ank --set N=5\n"
        "  ananke check models/two_link_pendulum.ank --without rod2");
    verb->callback([arguments, &exit_code] { exit_code = run_check(*arguments); });
}

}  // namespace ananke::cli
