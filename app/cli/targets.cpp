#include "targets.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace ananke::cli {

bool is_same_file(const std::string& a, const std::string& b) {
    namespace fs = std::filesystem;
    if (a.empty() || b.empty() || a == "-" || b == "-") {
        return false;
    }
    std::error_code unknown;
    if (a == b || fs::equivalent(a, b, unknown)) {
        return true;
    }
    std::error_code no_path;
    const fs::path real_a = fs::weakly_canonical(fs::absolute(a, no_path), no_path);
    const fs::path real_b = fs::weakly_canonical(fs::absolute(b, no_path), no_path);
    return !no_path && !real_a.empty() && real_a == real_b;
}

Result<void> check_targets(const std::string& what, std::span<const Target> targets,
                           std::span<const std::string> read) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const auto& [option, path] = targets[i];
        for (const std::string& source : read) {
            if (is_same_file(path, source)) {
                return Error{
                    ErrorCode::kInvalidInput,
                    fmt::format("{}: {} would overwrite {}, which is read", option, what, source)};
            }
        }
        for (std::size_t j = i + 1; j < targets.size(); ++j) {
            if (is_same_file(path, targets[j].second)) {
                return Error{ErrorCode::kInvalidInput, fmt::format("{} and {} both ask for {}",
                                                                   option, targets[j].first, path)};
            }
        }
    }
    return {};
}

}  // namespace ananke::cli
