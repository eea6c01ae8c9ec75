#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "ananke/record.h"
#include "ananke/report.h"
#include "ananke/run.h"
#include "ananke/show.h"
#include "interrupt.h"
#include "page.h"
#include "progress.h"
#include "say.h"
#include "targets.h"
#include "verbs.h"

namespace ananke::cli {
namespace {

/// Rows kept for the printed table and the curves; longer runs are thinned.
constexpr std::size_t kRowsInMemory = 4096;

/// A check of CLI11: empty, or what is wrong.
std::string positive(const std::string& text) {
    double value = 0.0;
    return CLI::detail::lexical_cast(text, value) && value > 0.0 && std::isfinite(value)
               ? std::string()
               : fmt::format("must be a number above 0, not {}", text);
}

struct RunArguments {
    ModelArguments model;
    std::string until;  ///< an expression; empty: not given
    std::string every;
    std::string max_step;
    std::vector<double> at;
    double tolerance = 1e-9;
    bool stiff = false;
    std::string form = "auto";
    std::string drift = "project";
    double baumgarte_rate = 10.0;
    std::size_t max_steps = 10'000'000;
    bool principle = false;
    std::vector<std::string> only;
    std::string csv;
    std::string hdf5;
    std::string report;
    std::vector<std::string> plot;
    bool quiet = false;
};

/// Files, and memory for what is printed, see the columns that --only keeps; the page needs all.
Result<std::unique_ptr<Recorder>> open_recorders(const RunArguments& arguments,
                                                 const Header& header, Trajectory& trajectory,
                                                 Trajectory& for_page) {
    std::vector<std::unique_ptr<Recorder>> recorders;
    if (!arguments.csv.empty()) {
        Result<std::unique_ptr<Recorder>> csv = open_csv(arguments.csv);
        if (!csv) {
            return csv.error();
        }
        recorders.push_back(std::move(csv).value());
    }
    if (!arguments.hdf5.empty()) {
        Result<std::unique_ptr<Recorder>> hdf5 = open_hdf5(arguments.hdf5);
        if (!hdf5) {
            return hdf5.error();
        }
        recorders.push_back(std::move(hdf5).value());
    }
    recorders.push_back(record_in_memory(trajectory, kRowsInMemory));
    std::unique_ptr<Recorder> all = tee(std::move(recorders));
    if (!arguments.only.empty()) {
        all = only(std::move(all), arguments.only);
    }
    if (arguments.report.empty()) {
        return all;
    }
    recorders.clear();
    recorders.push_back(std::move(all));
    recorders.push_back(record_in_memory(for_page, page_row_limit(header)));
    return tee(std::move(recorders));
}

Result<void> print_curves(const RunArguments& arguments, const Trajectory& trajectory) {
    if (arguments.plot.empty()) {
        return {};
    }
    PlotOptions options;
    options.unicode = terminal_reads_utf8();
    const Result<std::string> curves = plot_columns(trajectory, arguments.plot, options);
    if (!curves) {
        return Error{curves.error().code, "--plot: " + curves.error().message};
    }
    say(stdout, "\n{}", curves.value());
    return {};
}

Result<void> read_time(const Model& model, const std::string& what, const std::string& expression,
                       std::optional<double>& time) {
    if (expression.empty()) {
        return {};
    }
    const Result<double> value = model.value_of(what, expression);
    if (!value) {
        return value.error();
    }
    time = value.value();
    return {};
}

RunOptions run_options(const RunArguments& arguments, Progress& progress) {
    RunOptions options;
    options.at = arguments.at;
    options.tolerance = arguments.tolerance;
    options.stiff = arguments.stiff;
    options.form = parse_form(arguments.form).value_or(Form::kAuto);
    options.drift = arguments.drift == "project"     ? Drift::kProject
                    : arguments.drift == "energy"    ? Drift::kEnergy
                    : arguments.drift == "baumgarte" ? Drift::kBaumgarte
                                                     : Drift::kNone;
    options.baumgarte_rate = arguments.baumgarte_rate;
    options.max_steps = arguments.max_steps;
    options.principle = arguments.principle;
    options.full_check = !arguments.hdf5.empty();  // the file keeps it
    options.stop_requested = interrupted;
    options.progress = [&progress](double t, double until) { progress.update(t, until); };
    return options;
}

/// The first events of a run, one per line.
std::string events_text(const Trajectory& trajectory) {
    constexpr std::size_t kMost = 10;
    std::string text = trajectory.events.empty() ? "" : "events\n";
    for (std::size_t i = 0; i < trajectory.events.size() && i < kMost; ++i) {
        const Event& event = trajectory.events[i];
        text += fmt::format("  t = {:<14.9g}{} ({}){}{}\n", event.t, event.name, event.kind,
                            event.detail.empty() ? "" : ": ", event.detail);
    }
    if (trajectory.events.size() > kMost) {
        text += fmt::format("  and {} more; --csv FILE lists all in FILE.events.csv\n",
                            trajectory.events.size() - kMost);
    }
    return text;
}

/// The table, the summary and the curves of a run.
Result<void> print_results(const RunArguments& arguments, const Trajectory& trajectory,
                           const RunSummary& summary) {
    // Rows on standard output are for another program: everything else goes to standard error.
    const bool piped = arguments.csv == "-" || arguments.report == "-";
    if (!arguments.quiet) {
        if (arguments.csv.empty()) {
            say(piped ? stderr : stdout, "{}\n", table(trajectory));
        }
        say(piped ? stderr : stdout, "{}{}", to_text(summary), events_text(trajectory));
        if (!arguments.report.empty() && !piped) {
            say(stdout, "report      {}\n", arguments.report);
        }
    }
    return print_curves(arguments, trajectory);
}

/// What can be known to be wrong before the first row: files in each other's way or out of reach,
/// columns to plot.
Result<void> check_before_run(const RunArguments& arguments, const Model& model, const Plan& plan) {
    const std::string events =
        arguments.csv.empty() || arguments.csv == "-" ? "" : arguments.csv + ".events.csv";
    const std::array<Target, 4> targets{{{"--csv", arguments.csv},
                                         {"--hdf5", arguments.hdf5},
                                         {"--report", arguments.report},
                                         {"the events of --csv", events}}};
    if (Result<void> apart = check_targets("the results", targets, model.files()); !apart) {
        return apart;
    }
    if (!arguments.report.empty()) {
        const Result<void> page = page_available();
        if (!page) {
            return Error{page.error().code, "--report: " + page.error().message};
        }
        if (arguments.csv == "-" && arguments.report == "-") {
            return Error{ErrorCode::kInvalidInput, "--csv and --report both ask for -"};
        }
    }
    Trajectory empty;
    empty.header = plan.header();
    const Result<std::string> curves = plot_columns(empty, arguments.plot);
    return curves || arguments.plot.empty() ? Result<void>() : Result<void>(curves.error());
}

int run_model(const RunArguments& arguments) {
    end_on_interrupts("ananke: interrupted before the first step; nothing was written\n");
    const std::optional<Model> model = load(arguments.model);
    if (!model) {
        return kWrongInput;
    }
    Progress progress(!arguments.quiet);
    RunOptions options = run_options(arguments, progress);
    for (const Result<void>& read :
         {read_time(*model, "--until", arguments.until, options.until),
          read_time(*model, "--every", arguments.every, options.every),
          read_time(*model, "--max-step", arguments.max_step, options.max_step)}) {
        if (!read) {
            return complain(read.error().message);
        }
    }
    const Result<Plan> planned = plan(*model, options);
    if (!planned) {
        return complain(planned.error().message);
    }
    const Result<void> checked = check_before_run(arguments, *model, planned.value());
    if (!checked) {
        return complain(checked.error().message);
    }
    catch_interrupts();  // from here on there are results to keep
    Trajectory trajectory;
    Trajectory for_page;
    const Result<std::unique_ptr<Recorder>> recorder =
        open_recorders(arguments, planned.value().header(), trajectory, for_page);
    if (!recorder) {
        return complain(recorder.error().message);
    }
    const Result<RunSummary> done = run(planned.value(), *recorder.value());
    progress.clear();
    if (!done) {
        return complain(done.error().message);
    }
    const RunSummary& summary = done.value();
    end_on_interrupts(arguments.report.empty()
                          ? "ananke: interrupted after the run; its rows are kept\n"
                          : "ananke: interrupted before the page was written; rows in other files "
                            "are kept\n");
    if (!arguments.report.empty()) {
        const Result<void> written = write_run_page(arguments.report, arguments.model, options,
                                                    *model, std::move(for_page), summary);
        if (!written) {
            return complain(written.error().message);
        }
    }
    const Result<void> printed = print_results(arguments, trajectory, summary);
    if (!printed) {
        return complain(printed.error().message);
    }
    if (summary.error) {
        const bool stopped = summary.error->code == ErrorCode::kInterrupted;
        if (summary.error->code == ErrorCode::kIo) {
            return complain(summary.error->message);
        }
        say(stderr, "ananke: {} ({} row{} up to t = {:.9g} {} kept)\n", summary.error->message,
            summary.rows, summary.rows == 1 ? "" : "s", summary.reached,
            summary.rows == 1 ? "is" : "are");
        return stopped ? kInterrupted : kRunFailed;
    }
    return kDone;
}

void add_options(CLI::App& verb, RunArguments& arguments) {
    add_model_arguments(verb, arguments.model);
    verb.add_option("--until", arguments.until, "End of the run, instead of the model's")
        ->type_name("T");
    auto* every =
        verb.add_option("--every", arguments.every, "Interval between rows")->type_name("DT");
    verb.add_option("--at", arguments.at, "Rows at these times exactly")
        ->type_name("T1,T2,...")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->excludes(every);
    verb.add_option("--tolerance", arguments.tolerance, "Relative tolerance of a step")
        ->type_name("R")
        ->capture_default_str();
    verb.add_option("--max-step", arguments.max_step,
                    "Longest step: so that nothing shorter than the steps is passed over")
        ->type_name("H");
    verb.add_flag("--stiff", arguments.stiff,
                  "Integrate implicitly, for models in which something decays or vibrates fast");
    verb.add_option("--form", arguments.form,
                    "auto, fundamental, phohomsiri, schutte, wanichanon, multipliers, minimal")
        ->check(CLI::IsMember({"auto", "fundamental", "phohomsiri", "schutte", "wanichanon",
                               "multipliers", "minimal"},
                              CLI::ignore_case))
        ->type_name("FORM");
    verb.add_option(
            "--drift", arguments.drift,
            "What keeps the state on the constraints: project, energy (project, and hold the "
            "energy too), baumgarte, none")
        ->check(CLI::IsMember({"project", "energy", "baumgarte", "none"}))
        ->type_name("HOW");
    verb.add_option("--baumgarte-rate", arguments.baumgarte_rate, "g of --drift baumgarte, 1/s")
        ->check(positive)
        ->type_name("G");
    verb.add_option("--max-steps", arguments.max_steps, "Give up after so many steps")
        ->check(positive)
        ->type_name("N");
    add_list(verb, "--only", arguments.only, "Keep only the columns that match; * is any text",
             "PATTERN,...");
    verb.add_option("--csv", arguments.csv, "Write rows to this file, or - for standard output")
        ->type_name("FILE");
    verb.add_option("--hdf5", arguments.hdf5, "Write rows to this file as the run goes")
        ->type_name("FILE");
    verb.add_option("--report", arguments.report,
                    "Write one page to look at: animation, curves, equations, tables")
        ->type_name("FILE.html");
    add_list(verb, "--plot", arguments.plot, "Draw these columns over time in the terminal");
    verb.add_flag("--principle", arguments.principle,
                  "Also a0[x] (acceleration without constraints), deviation[x] from it, and e[c] "
                  "(how far a0 violates each constraint)");
    verb.add_flag("--quiet,-q", arguments.quiet, "No table, no summary, no progress bar");
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
    CLI::App* verb = app.add_subcommand("run", "Simulate the model");
    const auto arguments = std::make_shared<RunArguments>();
    add_options(*verb, *arguments);
    verb->footer(
        "Examples:\n"
        "  ananke run models/two_link_pendulum.ank --plot y,z\n"
        "  ananke run models/duffing.ank --csv duffing.csv --every 0.01\n"
        "  ananke run models/duffing.ank --without guide --report duffing.html\n"
        "  ananke run models/duffing.ank --set A0=0.5 --set \"x2'=1\" --only \"x*,Qc[*\" --csv -\n"
        "  ananke run models/duffing.ank --without guide --until 2\n"
        "  ananke run models/free_top.ank --form wanichanon --tolerance 1e-12 --at 1,5,10\n"
        "  cat my_model.ank | ananke run - --csv results.csv\n"
        "Exit codes: 0 done; 1 the model or the command line is wrong; 2 the simulation failed\n"
        "(results so far are kept); 130 interrupted (rows so far are kept).");
    verb->callback([arguments, &exit_code] { exit_code = run_model(*arguments); });
}

}  // namespace ananke::cli
