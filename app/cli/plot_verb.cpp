#include <memory>

#include "ananke/record.h"
#include "ananke/show.h"
#include "say.h"
#include "targets.h"
#include "verbs.h"

namespace ananke::cli {
namespace {

struct PlotArguments {
    std::string results;
    std::vector<std::string> names;
    std::string out;
    std::string against = "t";
    bool log = false;
    std::string title;
};

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    const std::size_t end = text.find_last_not_of(" \t");
    return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// Commas inside brackets belong to a name, as in force[rod:(x, y)].x.
std::vector<std::string> split_names(const std::vector<std::string>& texts) {
    std::vector<std::string> names;
    for (const std::string& text : texts) {
        int depth = 0;
        std::string name;
        for (const char c : text) {
            depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
            if (c == ',' && depth <= 0) {
                names.push_back(trimmed(name));
                name.clear();
            } else {
                name += c;
            }
        }
        names.push_back(trimmed(name));
    }
    std::erase(names, "");
    return names;
}

int draw_results(const PlotArguments& arguments) {
    const Target picture{"-o", arguments.out};
    if (const Result<void> apart =
            check_targets("the picture", {&picture, 1}, {&arguments.results, 1});
        !apart) {
        return complain(apart.error().message);
    }
    const Result<Trajectory> results = read_results(arguments.results);
    if (!results) {
        return complain(results.error().message);
    }
    warn_of_ending(arguments.results, results.value());
    FigureOptions options;
    options.title = arguments.title;
    options.x_name = arguments.against;
    options.log = arguments.log;
    const Result<void> drawn =
        draw_columns(results.value(), split_names(arguments.names), arguments.out, options);
    if (!drawn) {
        return complain(drawn.error().message);
    }
    return kDone;
}

}  // namespace

void add_plot(CLI::App& app, int& exit_code) {
    CLI::App* verb = app.add_subcommand("plot", "Draw columns of results as a picture");
    const auto arguments = std::make_shared<PlotArguments>();
    verb->add_option("results", arguments->results, "What `ananke run` wrote: .h5 or .csv")
        ->required()
        ->type_name("RESULTS");
    verb->add_option("names", arguments->names, "The columns, as in \"x, y\"")
        ->required()
        ->type_name("NAMES");
    verb->add_option("-o,--output", arguments->out, "The picture: .svg or .png")
        ->required()
        ->type_name("FILE");
    verb->add_option("--against", arguments->against, "The column along the horizontal axis")
        ->type_name("NAME")
        ->capture_default_str();
    verb->add_flag("--log", arguments->log, "Sizes in decades: for residuals and errors");
    verb->add_option("--title", arguments->title, "A line above the picture")->type_name("TEXT");
    verb->footer(
        "Examples:\n"
        "  ananke run models/duffing.ank --hdf5 duffing.h5\n"
        "  ananke plot duffing.h5 \"x1, x2\" -o response.svg\n"
        "  ananke plot duffing.h5 x2 --against x1 -o path.png\n"
        "  ananke plot duffing.h5 \"residual[guide]\" --log -o residual.svg");
    verb->callback([arguments, &exit_code] { exit_code = draw_results(*arguments); });
}

}  // namespace ananke::cli
