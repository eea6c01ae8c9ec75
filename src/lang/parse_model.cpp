#include "lang/parse_model.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "base/text.h"
#include "lang/lowering.h"

namespace ananke::lang {
namespace {

constexpr std::uintmax_t kLargestFile = 64U << 20U;  // nothing larger is even read
constexpr std::size_t kMostNames = 10'000;           // of a folder that are compared

// True if `file`, links followed, lies in `directory` or below it.
bool lies_inside(const std::filesystem::path& file, const std::filesystem::path& directory) {
    std::error_code failed;
    const auto real_file = std::filesystem::weakly_canonical(file, failed);
    const auto real_directory = std::filesystem::weakly_canonical(directory, failed);
    if (failed) {
        return false;
    }
    auto part = real_file.begin();
    for (const auto& wanted : real_directory) {
        if (wanted.empty()) {
            continue;  // a trailing slash
        }
        if (part == real_file.end() || *part != wanted) {
            return false;
        }
        ++part;
    }
    return true;
}

// "; did you mean 'pendulum.ank'?" where a file beside `path` has such a name.
std::string near_file(const std::filesystem::path& path) {
    std::error_code failed;
    const std::filesystem::path folder = path.parent_path();
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, failed), end;
         !failed && entry != end && names.size() < kMostNames; entry.increment(failed)) {
        std::error_code unknown;
        if (entry->is_regular_file(unknown)) {
            names.push_back(entry->path().filename().string());
        }
    }
    std::sort(names.begin(), names.end());  // a folder has no order
    const std::string wanted = path.filename().string();
    const std::string with_ending = wanted + ".ank";
    const std::string near = std::binary_search(names.begin(), names.end(), with_ending)
                                 ? with_ending
                                 : nearest_name(wanted, names);
    return near.empty() ? "" : fmt::format("; did you mean '{}'?", (folder / near).string());
}

}  // namespace

Result<std::string> read_file(const std::string& path, const std::string& directory) {
    std::error_code failed;
    const auto status = std::filesystem::status(path, failed);
    const bool inside = directory.empty() || lies_inside(path, directory);
    if (!std::filesystem::exists(status)) {
        if (failed && failed != std::errc::no_such_file_or_directory) {
            return Error{ErrorCode::kIo,
                         fmt::format("{} cannot be read: {}", path, failed.message())};
        }
        return Error{ErrorCode::kIo,
                     fmt::format("there is no file {}{}", path, inside ? near_file(path) : "")};
    }
    if (!std::filesystem::is_regular_file(status)) {
        return Error{ErrorCode::kIo, fmt::format("{} is not a file", path)};
    }
    if (!inside) {
        return Error{ErrorCode::kIo, fmt::format("{} leads out of its directory", path)};
    }
    const std::uintmax_t size = std::filesystem::file_size(path, failed);
    if (failed || size > kLargestFile) {
        return Error{ErrorCode::kIo, fmt::format("{} is too large", path)};
    }
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        return Error{ErrorCode::kIo, fmt::format("{} cannot be read: {}", path,
                                                 std::generic_category().message(errno))};
    }
    std::string text(static_cast<std::size_t>(size), '\0');
    in.read(text.data(), static_cast<std::streamsize>(size));
    if (!in && size > 0) {
        return Error{ErrorCode::kIo, fmt::format("{} cannot be read", path)};
    }
    return text;
}

ParseResult parse_model_file(Sources& sources, const std::string& path, const Options& options) {
    Result<std::string> text = options.read(path, "");
    if (!text) {
        ParseResult result;
        const auto nowhere = static_cast<std::uint32_t>(sources.size());
        result.diagnostics.push_back({{nowhere, 0, 0}, Severity::kError, text.error().message, {}});
        return result;
    }
    ParseResult result = parse_model_text(sources, path, std::move(text).value(), options);
    result.files.insert(result.files.begin(), path);
    return result;
}

ParseResult parse_model_text(Sources& sources, std::string name, std::string text,
                             const Options& options) {
    const std::uint32_t root = sources.add(std::move(name), std::move(text));
    ParseResult result;
    Lowering lowering(sources, options, result.diagnostics);
    result.model = lower_file(lowering, root, result.diagnostics);
    result.files = lowering.files.imported();
    return result;
}

Result<double> parse_number(const std::string& what, const std::string& text,
                            std::span<const NamedNumber> names) {
    Sources sources;
    const Options options;
    std::vector<Diagnostic> diagnostics;
    const std::uint32_t file = sources.add(what, "value = " + text);
    Lowering lowering(sources, options, diagnostics);
    const std::optional<double> number = lower_number(lowering, file, names);
    if (number && !has_errors(diagnostics)) {
        return *number;
    }
    std::string message = fmt::format("{} {}", what, text);
    if (!diagnostics.empty()) {
        message += ": " + diagnostics.front().message;
        for (const std::string& note : diagnostics.front().notes) {
            message += "; " + note;
        }
    }
    return Error{ErrorCode::kInvalidInput, message};
}

}  // namespace ananke::lang
