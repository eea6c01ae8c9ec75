#include "lang/files.h"

#include <algorithm>
#include <utility>

#include "lang/parser.h"

namespace ananke::lang {
namespace {

std::string directory_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

}  // namespace

std::string import_name(const Import& node, std::string_view alias) {
    if (!alias.empty()) {
        return std::string(alias);
    }
    const std::string name = node.path.substr(node.path.rfind('/') + 1);
    return name.substr(0, name.rfind(".ank"));
}

Result<Files::File> Files::find(const std::string& relative, const std::string& importer) {
    std::vector<std::string> directories{directory_of(importer)};
    if (!options_.prelude_directory.empty()) {
        directories.push_back(options_.prelude_directory + "/");
    }
    std::string reasons;
    for (const std::string& directory : directories) {
        const std::string path = directory + relative;
        if (const auto found = by_path_.find(path); found != by_path_.end()) {
            return File{found->second, path};
        }
        Result<std::string> text = options_.read(path, directory.empty() ? "." : directory);
        if (text) {
            const std::uint32_t file = sources_.add(path, std::move(text).value());
            add(path, file);
            imported_.push_back(path);
            return File{file, path};
        }
        reasons += (reasons.empty() ? "" : "; ") + text.error().message;
    }
    return Error{ErrorCode::kIo, reasons};
}

const Tree& Files::tree(std::uint32_t file) {
    const auto [found, is_new] = trees_.try_emplace(file);
    if (is_new) {
        found->second = parse_file(sources_, file, options_.limits, diagnostics_);
    }
    return found->second;
}

const Tree* Files::setting_tree(std::uint32_t file, Binding& setting) {
    Tree& tree = trees_[file];
    const bool good = parse_setting(sources_, file, options_.limits, tree, setting, diagnostics_);
    return good ? &tree : nullptr;
}

std::string Files::circle(const std::string& path) const {
    std::string chain;
    for (auto i = std::find(waiting_.begin(), waiting_.end(), path); i != waiting_.end(); ++i) {
        chain += *i + " -> ";
    }
    return chain.empty() ? chain : chain + path;
}

}  // namespace ananke::lang
