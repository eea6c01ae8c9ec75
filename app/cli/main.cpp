// The command line of Ananke: run, check, derive, report, plot.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "interrupt.h"
#include "say.h"
#include "verbs.h"

namespace ananke::cli {

void add_model_arguments(CLI::App& verb, ModelArguments& arguments) {
    verb.add_option("model", arguments.path, "The model: a file, or - for standard input")
        ->required()
        ->type_name("MODEL");
    verb.add_option("--set", arguments.settings,
                    "Set a parameter or an initial value: --set L=2 --set \"x'=0.5\"")
        ->type_name("NAME=VALUE")
        ->take_all()
        ->allow_extra_args(false);
    verb.add_option("--scale", arguments.scales,
                    "Typical size of a coordinate or velocity, where it cannot be seen: "
                    "--scale x=1e-6")
        ->type_name("NAME=SIZE")
        ->take_all()
        ->allow_extra_args(false);
    add_list(verb, "--without", arguments.without, "Leave these constraints out");
}

CLI::Option* add_list(CLI::App& verb, const std::string& option, std::vector<std::string>& list,
                      const std::string& help, const std::string& type) {
    return verb.add_option(option, list, help)
        ->type_name(type)
        ->delimiter(',')
        ->allow_extra_args(false);
}

int complain(std::string_view message) {
    say(stderr, "ananke: {}\n", message);
    return kWrongInput;
}

/// A full disk shows only when the last text leaves the buffer.
int finish_output(int exit_code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
        return exit_code;
    }
    if (errno != EPIPE) {
        say(stderr, "ananke: cannot write standard output: {}\n", std::strerror(errno));
    }
    return exit_code == kDone ? kWrongInput : exit_code;
}

/// "; did you mean 'run'?" or nothing.
std::string hint(const std::string& wanted, const std::vector<std::string>& known) {
    const std::string near = nearest_name(wanted, known);
    return near.empty() ? "" : fmt::format("; did you mean {}?", near);
}

/// The first argument of a verb that looks like an option and is none, with what it may have meant.
std::optional<std::string> unknown_option(const CLI::App& app) {
    for (const CLI::App* verb : app.get_subcommands()) {
        std::vector<std::string> known{"--help"};
        for (const CLI::Option* option : verb->get_options()) {
            for (const std::string& name : option->get_lnames()) {
                known.push_back("--" + name);
            }
        }
        for (const std::string& argument : verb->remaining()) {
            const std::string name = argument.substr(0, argument.find('='));
            if (name.size() > 1 && name.front() == '-') {
                return fmt::format("{} has no option {}{}", verb->get_name(), name,
                                   hint(name, known));
            }
        }
    }
    return std::nullopt;
}

/// An unknown verb, if the first argument is one.
std::optional<std::string> unknown_verb(const CLI::App& app, const std::string& first) {
    std::vector<std::string> known;
    for (const CLI::App* verb : app.get_subcommands(nullptr)) {
        known.push_back(verb->get_name());
    }
    if (first.starts_with('-') || std::ranges::find(known, first) != known.end()) {
        return std::nullopt;
    }
    return fmt::format(
        "there is no verb '{}'{}\n"
        "the verbs are run, check, derive, report and plot, as in\n"
        "    ananke run models/duffing.ank",
        first, hint(first, known));
}

int run_program(int argc, char** argv) {
    CLI::App app(
        "Ananke turns a mechanical system written as on paper into its motion and its forces of "
        "constraint.",
        "ananke");
    app.set_version_flag("--version", fmt::format("ananke {}", ananke::version()));
    app.require_subcommand(1);
    app.get_formatter()->column_width(34);
    app.footer(
        "Examples:\n"
        "  ananke run models/duffing.ank                    run and print a short table\n"
        "  ananke run models/duffing.ank --csv duffing.csv  write every quantity over time\n"
        "  ananke check models/two_link_pendulum.ank        what the model is, without running it\n"
        "  ananke derive models/two_link_pendulum.ank       its equations\n"
        "  ananke run models/bicycle.ank --report ride.html one page: animation, curves, "
        "equations\n"
        "  ananke plot results.h5 \"x, y\" -o xy.svg         a picture for a paper\n"
        "  ananke run --help                                all options of a verb");

    int exit_code = kDone;
    add_run(app, exit_code);
    add_check(app, exit_code);
    add_derive(app, exit_code);
    add_report(app, exit_code);
    add_plot(app, exit_code);
    ignore_write_signals();
    end_on_interrupts("ananke: interrupted; nothing was written\n");
    if (const std::optional<std::string> verb = unknown_verb(app, argc > 1 ? argv[1] : "-")) {
        return complain(*verb);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (const std::optional<std::string> option = unknown_option(app);
            option && error.get_exit_code() != 0) {
            return complain(*option);
        }
        std::ostringstream out;
        std::ostringstream err;
        const int code = app.exit(error, out, err);
        say(stdout, "{}", out.str());
        say(stderr, "{}", err.str());
        exit_code = code == 0 ? kDone : kWrongInput;
    }
    return finish_output(exit_code);
}

}  // namespace ananke::cli

int main(int argc, char** argv) {
    using namespace ananke::cli;
    // The last resort: nothing that is thrown ends the program without a word.
    try {
        return run_program(argc, argv);
    } catch (const std::bad_alloc&) {
        std::fputs("ananke: out of memory\n", stderr);  // say() would ask for more
    } catch (const std::exception& error) {
        say(stderr, "ananke: {}\n", error.what());
    } catch (...) {
        say(stderr, "ananke: an unknown failure\n");
    }
    return kWrongInput;
}
