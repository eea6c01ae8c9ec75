#include "load.h"

#include <cstdio>

#include "say.h"

namespace ananke::cli {
namespace {

Result<std::string> read_standard_input() {
    std::string text;
    char buffer[65536];
    std::size_t count = 0;
    while ((count = std::fread(buffer, 1, sizeof buffer, stdin)) > 0) {
        text.append(buffer, count);
    }
    if (std::ferror(stdin) != 0) {
        return Error{ErrorCode::kIo, "standard input could not be read"};
    }
    return text;
}

}  // namespace

std::optional<Model> load(const ModelArguments& arguments) {
    const LoadOptions options{arguments.settings, arguments.scales, arguments.without, ""};
    Loaded loaded;
    if (arguments.path == "-") {
        Result<std::string> text = read_standard_input();
        if (!text) {
            say(stderr, "ananke: {}\n", text.error().message);
            return std::nullopt;
        }
        loaded = load_model_text("<stdin>", std::move(text).value(), options);
    } else {
        loaded = load_model(arguments.path, options);
    }
    say(stderr, "{}", loaded.report());
    return std::move(loaded.model);
}

void warn_of_ending(const std::string& path, const Trajectory& results) {
    const std::string& ending = results.ending;
    if (ending == "done" || ending.starts_with("stopped at t = ")) {
        return;
    }
    say(stderr, "ananke: warning: {}: {}\n", path,
        ending == "running" ? "its run goes on, or was killed" : ending);
}

}  // namespace ananke::cli
