#include "page.h"

#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ananke::cli {
namespace {

std::string shown_name(const ModelArguments& arguments) {
    return arguments.path == "-" ? "standard input"
                                 : std::filesystem::path(arguments.path).filename().string();
}

}  // namespace

Result<void> write_run_page(const std::string& path, const ModelArguments& arguments,
                            const RunOptions& options, const Model& model, Trajectory trajectory,
                            const RunSummary& summary) {
    PageOptions page;
    page.file = shown_name(arguments);
    if (arguments.without.empty()) {
        page.summary = summary;
        return write_page(path, model, trajectory, page);
    }
    const Loaded whole = load_model_text(arguments.path, model.text(),
                                         {arguments.settings, arguments.scales, {}, ""});
    if (!whole.model) {
        return Error{ErrorCode::kInvalidInput,
                     "the whole model, to compare with, cannot be read:\n" + whole.report()};
    }
    const Result<Plan> planned = plan(*whole.model, options);
    if (!planned) {
        return planned.error();
    }
    Trajectory whole_run;
    const std::unique_ptr<Recorder> recorder =
        record_in_memory(whole_run, page_row_limit(planned.value().header()));
    Result<RunSummary> done = run(planned.value(), *recorder);
    if (!done) {
        return done.error();
    }
    page.summary = std::move(done).value();
    page.compare = ComparedRun{std::move(trajectory),
                               fmt::format("without {}", fmt::join(arguments.without, ", "))};
    return write_page(path, *whole.model, whole_run, page);
}

}  // namespace ananke::cli
