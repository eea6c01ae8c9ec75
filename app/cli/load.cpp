#include "load.h"

#include <cstdio>
#include <iterator>

#include <fmt/format.h>

#include "lang/parse_model.h"

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

std::optional<LoadedModel> load(const ModelArguments& arguments) {
    lang::Options options;
    options.settings = arguments.settings;

    Sources sources;
    lang::ParseResult parsed;
    if (arguments.path == "-") {
        Result<std::string> text = read_standard_input();
        if (!text) {
            fmt::print(stderr, "ananke: {}\n", text.error().message);
            return std::nullopt;
        }
        parsed = lang::parse_model_text(sources, "<stdin>", std::move(text).value(), options);
    } else {
        parsed = lang::parse_model_file(sources, arguments.path, options);
    }
    if (!parsed.diagnostics.empty()) {
        fmt::print(stderr, "{}", render(parsed.diagnostics, sources));
    }
    if (!parsed.model) {
        return std::nullopt;
    }

    sim::PrepareOptions prepare_options;
    prepare_options.without = arguments.without;
    sim::Preparation preparation = sim::prepare(std::move(*parsed.model), prepare_options);
    if (!preparation.diagnostics.empty()) {
        fmt::print(stderr, "{}", render(preparation.diagnostics, sources));
    }
    for (const Error& error : preparation.errors) {
        fmt::print(stderr, "ananke: {}\n", error.message);
    }
    if (!preparation.prepared) {
        return std::nullopt;
    }
    return LoadedModel{sources.size() > 0 ? sources.text(0) : "", std::move(preparation.prepared)};
}

}  // namespace ananke::cli
