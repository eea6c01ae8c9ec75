#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "interrupt.h"
#include "io/csv.h"
#include "io/filter.h"
#include "io/hdf5.h"
#include "io/memory.h"
#include "io/plot.h"
#include "io/table.h"
#include "io/tee.h"
#include "progress.h"
#include "sim/check.h"
#include "sim/row_writer.h"
#include "sim/run.h"
#include "summary.h"
#include "verbs.h"

namespace ananke::cli {
namespace {

/// Rows kept for the printed table and the curves; longer runs are thinned.
constexpr std::size_t kRowsInMemory = 4096;
constexpr double kDefaultIntervals = 500.0;

struct RunArguments {
    ModelArguments model;
    std::optional<double> until;
    std::optional<double> every;
    std::vector<double> at;
    double tolerance = 1e-9;
    std::string form = "auto";
    std::string drift = "project";
    double baumgarte_rate = 10.0;
    std::size_t max_steps = 10'000'000;
    std::vector<std::string> only;
    std::string csv;
    std::string hdf5;
    std::vector<std::string> plot;
    bool quiet = false;
};

int complain(const Error& error) {
    fmt::print(stderr, "ananke: {}\n", error.message);
    return kWrongInput;
}

/// When to write rows: --at, --every, or what the model says.
Result<void> choose_times(const RunArguments& arguments, const sim::Prepared& prepared,
                          sim::RunOptions& options) {
    const std::optional<mech::Simulate>& statement = prepared.model.simulate;
    if (!arguments.at.empty()) {
        options.output_times = arguments.at;
        if (!std::is_sorted(options.output_times.begin(), options.output_times.end()) ||
            options.output_times.front() < 0.0) {
            return Error{ErrorCode::kInvalidInput,
                         "--at needs times in ascending order, none before 0"};
        }
    }
    if (arguments.until) {
        options.until = *arguments.until;
    } else if (!arguments.at.empty()) {
        options.until = options.output_times.back();
    } else if (statement) {
        options.until = sim::parameter_expression(prepared, statement->until);
    } else {
        return Error{ErrorCode::kInvalidInput,
                     "the model does not say how long to simulate; add `simulate until 10` to it "
                     "or give --until 10"};
    }
    if (!std::isfinite(options.until) || options.until < 0.0) {
        return Error{ErrorCode::kInvalidInput,
                     fmt::format("the run cannot end at t = {}", to_text(options.until))};
    }
    if (!arguments.at.empty()) {
        if (options.output_times.back() > options.until) {
            return Error{ErrorCode::kInvalidInput,
                         fmt::format("--at asks for t = {}, after the end at {}",
                                     to_text(options.output_times.back()), to_text(options.until))};
        }
        return {};
    }
    double every = options.until / kDefaultIntervals;
    if (arguments.every) {
        every = *arguments.every;
    } else if (statement && statement->every) {
        every = sim::parameter_expression(prepared, *statement->every);
    }
    if (options.until == 0.0) {
        options.output_times = {0.0};
        return {};
    }
    Result<std::vector<double>> times = sim::regular_times(options.until, every);
    if (!times) {
        return times.error();
    }
    options.output_times = std::move(times).value();
    return {};
}

/// Files, and memory for what is printed; all see the columns that --only keeps.
Result<std::unique_ptr<sim::Recorder>> open_recorders(const RunArguments& arguments,
                                                      io::Trajectory& trajectory) {
    std::vector<std::unique_ptr<sim::Recorder>> recorders;
    if (!arguments.csv.empty()) {
        Result<std::unique_ptr<sim::Recorder>> csv = io::open_csv(arguments.csv);
        if (!csv) {
            return csv.error();
        }
        recorders.push_back(std::move(csv).value());
    }
    if (!arguments.hdf5.empty()) {
        Result<std::unique_ptr<sim::Recorder>> hdf5 = io::open_hdf5(arguments.hdf5);
        if (!hdf5) {
            return hdf5.error();
        }
        recorders.push_back(std::move(hdf5).value());
    }
    recorders.push_back(io::record_in_memory(trajectory, kRowsInMemory));
    std::unique_ptr<sim::Recorder> all = io::tee(std::move(recorders));
    return arguments.only.empty() ? std::move(all) : io::only(std::move(all), arguments.only);
}

Result<void> print_curves(const RunArguments& arguments, const io::Trajectory& trajectory) {
    if (arguments.plot.empty()) {
        return {};
    }
    std::vector<std::string> names;
    for (const sim::Column& column : trajectory.header.columns) {
        names.push_back(column.name);
    }
    std::vector<io::Series> series;
    for (const std::string& wanted : arguments.plot) {
        if (!trajectory.find(wanted)) {
            const std::string near = nearest_name(wanted, names);
            return Error{ErrorCode::kInvalidInput,
                         fmt::format("--plot: there is no column '{}'{}", wanted,
                                     near.empty() ? "; see `ananke check` for the list"
                                                  : fmt::format("; did you mean '{}'?", near))};
        }
        series.push_back({wanted, trajectory.column("t"), trajectory.column(wanted)});
    }
    io::PlotOptions options;
    options.unicode = io::terminal_reads_utf8();
    fmt::print("\n{}", io::plot(series, options));
    return {};
}

sim::Header header_of(const LoadedModel& loaded, const sim::CheckReport& report) {
    sim::Header header;
    header.title = loaded.prepared->model.title;
    header.model_text = loaded.text;
    header.version = ANANKE_VERSION;
    for (std::size_t i = 0; i < loaded.prepared->parameters.size(); ++i) {
        header.parameters.emplace_back(loaded.prepared->model.parameters[i].name,
                                       loaded.prepared->parameters[i]);
    }
    header.check = sim::to_text(report, *loaded.prepared);
    header.columns = sim::columns_of(*loaded.prepared->compiled);
    return header;
}

Result<sim::RunOptions> run_options(const RunArguments& arguments, const sim::Prepared& prepared) {
    sim::RunOptions options;
    const Result<void> times = choose_times(arguments, prepared, options);
    if (!times) {
        return times.error();
    }
    constexpr double kLeastTolerance = 1e-14;
    if (!(arguments.tolerance >= kLeastTolerance && arguments.tolerance < 1.0)) {
        return Error{ErrorCode::kInvalidInput,
                     fmt::format("--tolerance must lie between 1e-14 and 1, not {}",
                                 to_text(arguments.tolerance))};
    }
    options.tolerance = arguments.tolerance;
    options.max_steps = arguments.max_steps;
    options.dynamics.form = *solve::parse_form(arguments.form);
    options.dynamics.drift = arguments.drift == "project"     ? sim::Drift::kProject
                             : arguments.drift == "baumgarte" ? sim::Drift::kBaumgarte
                                                              : sim::Drift::kNone;
    options.dynamics.baumgarte_rate = arguments.baumgarte_rate;
    options.stop_requested = interrupted;
    return options;
}

int run_model(const RunArguments& arguments) {
    const std::optional<LoadedModel> loaded = load(arguments.model);
    if (!loaded) {
        return kWrongInput;
    }
    const sim::Prepared& prepared = *loaded->prepared;
    Result<sim::RunOptions> options = run_options(arguments, prepared);
    if (!options) {
        return complain(options.error());
    }
    const Result<sim::CheckReport> report = sim::check(prepared);
    if (!report) {
        return complain(report.error());
    }
    const sim::StartState& start = report.value().start;

    io::Trajectory trajectory;
    Result<std::unique_ptr<sim::Recorder>> recorder = open_recorders(arguments, trajectory);
    if (!recorder) {
        return complain(recorder.error());
    }
    const Result<void> began = recorder.value()->begin(header_of(*loaded, report.value()));
    if (!began) {
        return complain(began.error());
    }
    Progress progress(options.value().until, !arguments.quiet);
    options.value().progress = [&progress](double t) { progress.update(t); };
    const sim::RunSummary summary =
        sim::run(prepared.compiled, prepared.parameters, start, options.value(), *recorder.value());
    progress.clear();

    // Rows on standard output are for another program: everything else goes to standard error.
    const bool piped = arguments.csv == "-";
    if (!arguments.quiet) {
        if (arguments.csv.empty()) {
            fmt::print("{}\n", io::table(trajectory));
        }
        fmt::print(piped ? stderr : stdout, "{}", summary_text(summary, start));
    }
    const Result<void> curves = print_curves(arguments, trajectory);
    if (!curves) {
        return complain(curves.error());
    }
    if (summary.error) {
        const bool stopped = summary.error->code == ErrorCode::kInterrupted;
        fmt::print(stderr, "ananke: {} ({} rows up to t = {} are kept)\n", summary.error->message,
                   summary.rows, to_short_text(summary.reached, 9));
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
    verb.add_option("--form", arguments.form,
                    "auto, fundamental, phohomsiri, schutte, wanichanon, multipliers, minimal")
        ->check(CLI::IsMember({"auto", "fundamental", "phohomsiri", "schutte", "wanichanon",
                               "multipliers", "minimal"},
                              CLI::ignore_case))
        ->type_name("FORM");
    verb.add_option("--drift", arguments.drift,
                    "What keeps the state on the constraints: project, baumgarte, none")
        ->check(CLI::IsMember({"project", "baumgarte", "none"}))
        ->type_name("HOW");
    verb.add_option("--baumgarte-rate", arguments.baumgarte_rate, "g of --drift baumgarte, 1/s")
        ->check(CLI::PositiveNumber)
        ->type_name("G");
    verb.add_option("--max-steps", arguments.max_steps, "Give up after so many steps")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    verb.add_option("--only", arguments.only, "Keep only the columns that match; * is any text")
        ->type_name("PATTERN,...")
        ->delimiter(',')
        ->allow_extra_args(false);
    verb.add_option("--csv", arguments.csv, "Write rows to this file, or - for standard output")
        ->type_name("FILE");
    verb.add_option("--hdf5", arguments.hdf5, "Write rows to this file as the run goes")
        ->type_name("FILE");
    verb.add_option("--plot", arguments.plot, "Draw these columns over time in the terminal")
        ->type_name("NAME,...")
        ->delimiter(',')
        ->allow_extra_args(false);
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
        "  ananke run models/duffing.ank --set A0=0.5 --set \"x2'=1\" --only \"x*,Qc[*\" --csv -\n"
        "  ananke run models/duffing.ank --without guide --until 2\n"
        "  ananke run models/free_top.ank --form wanichanon --tolerance 1e-12 --at 1,5,10\n"
        "  cat my_model.ank | ananke run - --csv results.csv\n"
        "Exit codes: 0 done; 1 the model or the command line is wrong; 2 the simulation failed\n"
        "(results so far are kept); 130 interrupted (results so far are kept).");
    verb->callback([arguments, &exit_code] { exit_code = run_model(*arguments); });
}

}  // namespace ananke::cli
