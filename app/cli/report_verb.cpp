#include <filesystem>
#include <memory>

#include "ananke/record.h"
#include "ananke/report.h"
#include "say.h"
#include "targets.h"
#include "verbs.h"

namespace ananke::cli {
namespace {

struct ReportArguments {
    std::string results;
    std::string out;
};

int write_report(const ReportArguments& arguments) {
    if (const Result<void> available = page_available(); !available) {
        return complain(available.error().message);
    }
    const std::filesystem::path results(arguments.results);
    const std::string out = arguments.out.empty()
                                ? std::filesystem::path(results).replace_extension(".html").string()
                                : arguments.out;
    const Target page{"-o", out};
    if (const Result<void> apart = check_targets("the page", {&page, 1}, {&arguments.results, 1});
        !apart) {
        return complain(apart.error().message);
    }
    const Result<Trajectory> read = read_results(arguments.results);
    if (!read) {
        return complain(read.error().message);
    }
    warn_of_ending(arguments.results, read.value());
    const Result<void> written = write_results_page(out, read.value(), results.filename().string());
    if (!written) {
        return complain(written.error().message);
    }
    if (out != "-") {
        say(stdout, "report      {}\n", out);
    }
    return kDone;
}

}  // namespace

void add_report(CLI::App& app, int& exit_code) {
    CLI::App* verb = app.add_subcommand(
        "report", "Write one page to look at from results: animation, curves, equations");
    const auto arguments = std::make_shared<ReportArguments>();
    verb->add_option("results", arguments->results, "What `ananke run --hdf5` wrote")
        ->required()
        ->type_name("RESULTS");
    verb->add_option("-o,--output", arguments->out, "The page; RESULTS.html beside the results")
        ->type_name("FILE.html");
    verb->footer(
        "Examples:\n"
        "  ananke run models/bicycle.ank --hdf5 bicycle.h5\n"
        "  ananke report bicycle.h5\n"
        "  ananke report bicycle.h5 -o ride.html");
    verb->callback([arguments, &exit_code] { exit_code = write_report(*arguments); });
}

}  // namespace ananke::cli
