#include "lang/parse_model.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "lang/lowering.h"

namespace ananke::lang {
namespace {

constexpr std::uintmax_t kLargestFile = 64U << 20U;  // nothing larger is even read

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

ParseResult lower(Sources& sources, std::uint32_t root, const Options& options) {
    ParseResult result;
    Lowering lowering(sources, options, result.diagnostics);
    result.model = lowering.run(root);
    return result;
}

}  // namespace

Result<std::string> read_file(const std::string& path, const std::string& directory) {
    std::error_code failed;
    const auto status = std::filesystem::status(path, failed);
    if (failed || !std::filesystem::exists(status)) {
        return Error{ErrorCode::kIo, fmt::format("there is no file {}", path)};
    }
    if (!std::filesystem::is_regular_file(status)) {
        return Error{ErrorCode::kIo, fmt::format("{} is not a file", path)};
    }
    if (!directory.empty() && !lies_inside(path, directory)) {
        return Error{ErrorCode::kIo, fmt::format("{} leads out of its directory", path)};
    }
    const std::uintmax_t size = std::filesystem::file_size(path, failed);
    if (failed || size > kLargestFile) {
        return Error{ErrorCode::kIo, fmt::format("{} is too large", path)};
    }
    std::ifstream in(path, std::ios::binary);
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
        const std::uint32_t file = sources.add(path, "");
        result.diagnostics.push_back({{file, 0, 0}, Severity::kError, text.error().message, {}});
        return result;
    }
    return parse_model_text(sources, path, std::move(text).value(), options);
}

ParseResult parse_model_text(Sources& sources, std::string name, std::string text,
                             const Options& options) {
    const std::uint32_t root = sources.add(std::move(name), std::move(text));
    return lower(sources, root, options);
}

Result<double> parse_number(const std::string& what, const std::string& text,
                            std::span<const NamedNumber> names) {
    Sources sources;
    const Options options;
    std::vector<Diagnostic> diagnostics;
    const std::uint32_t file = sources.add(what, "value = " + text);
    const std::optional<double> number =
        Lowering(sources, options, diagnostics).number(file, names);
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
