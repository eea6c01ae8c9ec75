// Imported files: a name that is the prefix of what they declare.
#include <algorithm>

#include <fmt/format.h>

#include "lang/statements.h"

namespace ananke::lang {
namespace {

bool is_name(std::string_view text) {
    if (text.empty() || (text[0] >= '0' && text[0] <= '9')) {
        return false;
    }
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || static_cast<unsigned char>(c) >= 0x80;
    });
}

/// Relative, with forward slashes, inside its directory.
std::optional<std::string> clean_path(Lowering& in, const Import& node) {
    const std::string& path = node.path;
    const auto refuse = [&](std::string message, std::string note) {
        return in.fail(node.path_span, std::move(message), {std::move(note)});
    };
    if (path.empty()) {
        return refuse("the file name is empty", "write: import \"springs.ank\"");
    }
    if (path.find('\0') != std::string::npos) {
        return refuse("the file name holds a null character", "write: import \"springs.ank\"");
    }
    if (path.find('\\') != std::string::npos) {
        return refuse("a file name is written with '/', not with '\\'",
                      "import \"parts/springs.ank\"");
    }
    if (path[0] == '/' || (path.size() > 1 && path[1] == ':')) {
        return refuse("an import cannot have an absolute path",
                      "files are looked up beside the importing file, then in the prelude");
    }
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (begin <= path.size()) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string part = path.substr(begin, end - begin);
        begin = end + 1;
        if (part.empty() || part == ".") {
            continue;
        }
        if (part != "..") {
            parts.push_back(part);
        } else if (parts.empty()) {
            return refuse("an import cannot leave the directory of its file",
                          "put the file beside the importing one or below it");
        } else {
            parts.pop_back();
        }
    }
    if (parts.empty()) {
        return refuse("this names a directory, not a file", "write: import \"springs.ank\"");
    }
    std::string clean = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) {
        clean += "/" + parts[i];
    }
    return clean;
}

/// The file, read unless it waits for the present one. Nothing after a mistake, which is reported.
std::optional<Files::File> find_file(Lowering& in, const Import& node,
                                     const std::string& relative) {
    Result<Files::File> found = in.files.find(relative, in.scope.file().path);
    if (!found) {
        return in.fail(node.path_span, fmt::format("cannot import '{}'", node.path),
                       {found.error().message});
    }
    if (const std::string circle = in.files.circle(found.value().path); !circle.empty()) {
        return in.fail(node.path_span, "the imports go round in a circle", {circle});
    }
    return std::move(found).value();
}

}  // namespace

void lower(Lowering& in, const Statement&, const Import& node) {
    const std::string name = import_name(node, in.reports.text(node.alias));
    const std::optional<std::string> relative = clean_path(in, node);
    if (!relative) {
        in.scope.doubt(name);
        return;
    }
    if (!is_name(name) || is_reserved(name)) {
        in.fail(node.path_span, fmt::format("'{}' cannot be the name of the imported file", name),
                {fmt::format("give it one: import \"{}\" as parts", node.path)});
        return;
    }
    if (++in.given.imports > in.options.limits.files) {
        in.reports.stop(node.path_span,
                        fmt::format("more than {} imports", in.options.limits.files),
                        {"an imported file that imports others counts each time it is imported"});
        return;
    }
    const std::optional<Files::File> found = find_file(in, node, *relative);
    if (!found) {
        in.scope.doubt(name);
        return;
    }
    const Span span = node.alias.end > node.alias.begin ? node.alias : node.path_span;
    if (!in.scope.declare(name, {EntityKind::kFile, -1, Value::none(), span})) {
        return;
    }
    FileScope& file = in.scope.add_file();
    file.file = found->file;
    file.path = found->path;
    file.prefix = in.scope.full(name) + ".";
    carry_out(in, file);
}

}  // namespace ananke::lang
