#include "ananke/report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "api/model_data.h"
#include "api/page_equations.h"
#include "api/summary.h"
#include "base/ranges.h"
#include "base/text.h"
#include "inspect/check.h"
#include "report/html.h"
#include "report/make_report.h"

namespace ananke {
namespace {

/// Numbers of a page: 32 MB of them, 43 MB of text.
constexpr std::size_t kMostNumbers = 8'000'000;
constexpr std::size_t kFewestRows = 2'000;

Result<report::Report> page_of(const Model& model, const Trajectory& trajectory,
                               const std::string& file, const report::Compared& compared) {
    const compile::Prepared& prepared = *model.data().prepared;
    const Result<inspect::CheckReport> check = inspect::check(prepared, inspect::Agreement::kSkip);
    Result<report::Report> page =
        report::make_report(prepared, check ? &check.value() : nullptr, trajectory, file, compared);
    if (page) {
        page.value().equations = page_equations(prepared);
    }
    return page;
}

/// Every n-th row, and the last, so that the page opens quickly.
Trajectory thinned(const Trajectory& all) {
    const std::size_t limit = page_row_limit(all.header);
    if (limit == 0 || all.rows() <= limit) {
        return all;
    }
    Trajectory some{all.header, {}, all.events, all.ending};
    const std::size_t step = 1 + (all.rows() - 1) / limit;
    for (std::size_t i = 0; i < all.rows(); i += step) {
        append(some.values, all.row(i));
    }
    if ((all.rows() - 1) % step != 0) {
        append(some.values, all.row(all.rows() - 1));
    }
    return some;
}

/// Constraints of the model of which the results have no residual: they were left out of the run.
std::vector<std::string> left_out(const Model& model, const Trajectory& results) {
    std::vector<std::string> names;
    for (const mech::Constraint& constraint : model.data().prepared->model.constraints) {
        if (!results.find(fmt::format("residual[{}]", constraint.name)) &&
            !results.find(fmt::format("residual[{}[1]]", constraint.name))) {
            names.push_back(constraint.name);
        }
    }
    return names;
}

Loaded load_again(const Trajectory& results, bool with_start) {
    LoadOptions options;
    const auto set = [&](const std::string& name, double value) {
        options.settings.push_back(fmt::format("{}={}", name, to_text(value)));
    };
    for (const auto& [name, value] : results.header.parameters) {
        set(name, value);
    }
    for (std::size_t i = 0; with_start && i < results.columns() && results.rows() > 0; ++i) {
        const Column& column = results.header.columns[i];
        if (column.kind == ColumnKind::kPosition || column.kind == ColumnKind::kVelocity) {
            set(column.name, results.row(0)[i]);
        }
    }
    Loaded loaded = load_model_text("results", results.header.model_text, options);
    if (loaded.model) {
        options.without = left_out(*loaded.model, results);
        if (!options.without.empty()) {
            loaded = load_model_text("results", results.header.model_text, options);
        }
    }
    return loaded;
}

/// The largest of |values| of the columns whose names begin so; negative if there are none.
double largest(const Trajectory& results, std::string_view beginning) {
    double size = -1.0;
    for (std::size_t i = 0; i < results.columns(); ++i) {
        if (!results.header.columns[i].name.starts_with(beginning)) {
            continue;
        }
        for (std::size_t k = i; k < results.values.size(); k += results.columns()) {
            size = std::max(size, std::abs(results.values[k]));
        }
    }
    return size;
}

/// What the rows alone tell of the run.
std::vector<std::pair<std::string, std::string>> facts_of(const Trajectory& results) {
    std::vector<std::pair<std::string, std::string>> facts;
    facts.emplace_back(
        "run",
        fmt::format("{} rows{}", results.rows(),
                    results.rows() == 0
                        ? ""
                        : fmt::format(" to t = {}", to_short_text(results.column("t").back(), 9))));
    if (const double residual = largest(results, "residual["); residual >= 0.0) {
        facts.emplace_back("constraints", "largest scaled violation " + to_short_text(residual));
    }
    if (const double balance = largest(results, "energy_balance"); balance >= 0.0) {
        facts.emplace_back("energy", "balance within " + to_short_text(balance));
    }
    return facts;
}

}  // namespace

Result<void> page_available() {
    return report::require_viewer();
}

std::size_t page_row_limit(const Header& header) {
    return std::max(kFewestRows, kMostNumbers / std::max<std::size_t>(1, header.columns.size()));
}

Result<void> write_page(const std::string& path, const Model& model, const Trajectory& trajectory,
                        const PageOptions& options) {
    report::Compared compared;
    if (options.compare) {
        compared = {&options.compare->trajectory, options.compare->label};
    }
    Result<report::Report> page = page_of(model, trajectory, options.file, compared);
    if (!page) {
        return page.error();
    }
    if (options.summary) {
        page.value().summary = summary_facts(*options.summary);
    }
    return report::write_html(path, page.value());
}

Result<void> write_results_page(const std::string& path, const Trajectory& results,
                                const std::string& file) {
    if (!results.find("t")) {
        return Error{ErrorCode::kInvalidInput,
                     fmt::format("{} has no column t: it holds no run", file)};
    }
    const Trajectory rows = thinned(results);
    Loaded loaded = load_again(results, true);
    if (!loaded.model) {
        loaded = load_again(results, false);
    }
    report::Report page;
    std::string missing;
    if (loaded.model) {
        for (const std::string& source : loaded.model->files()) {
            std::error_code unknown;
            if (std::filesystem::equivalent(path, source, unknown)) {
                return Error{ErrorCode::kInvalidInput,
                             fmt::format("the page would overwrite {}, which is read", source)};
            }
        }
        Result<report::Report> made = page_of(*loaded.model, rows, file, {});
        if (made) {
            page = std::move(made).value();
        } else {
            missing = made.error().message;
        }
    } else {
        missing = loaded.messages.empty()
                      ? (loaded.errors.empty() ? "it has no text" : loaded.errors.front().message)
                      : loaded.messages.front().text;
    }
    if (!missing.empty()) {
        page = report::plain_report(rows, file);
    }
    page.summary = facts_of(results);
    if (!missing.empty()) {
        page.summary.emplace_back(
            "note",
            "no animation and no equations, because the model could not be read: " + missing);
    }
    return report::write_html(path, page);
}

}  // namespace ananke
