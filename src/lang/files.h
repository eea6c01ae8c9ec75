// The files of a model: their trees, and imports that wait for others.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lang/ast.h"
#include "lang/parse_model.h"

namespace ananke::lang {

/// The name under which an import declares what it brings; `alias` is empty if none is given.
std::string import_name(const Import& node, std::string_view alias);

class Files {
  public:
    Files(Sources& sources, const Options& options, std::vector<Diagnostic>& diagnostics)
        : sources_(sources), options_(options), diagnostics_(diagnostics) {}

    struct File {
        std::uint32_t file = 0;
        std::string path;
    };
    /// Reads a file unless it has been read, beside `importer` or else in the prelude directory.
    Result<File> find(const std::string& relative, const std::string& importer);
    void add(const std::string& path, std::uint32_t file) { by_path_[path] = file; }

    /// The tree of a file, read at the first call.
    const Tree& tree(std::uint32_t file);
    /// The tree of a text `name = value`; null after a mistake, which is reported.
    const Tree* setting_tree(std::uint32_t file, Binding& setting);

    /// Paths of the files that imports have read.
    const std::vector<std::string>& imported() const { return imported_; }

    // Between the two a file with this path cannot be imported.
    void begin_file(const std::string& path) { waiting_.push_back(path); }
    void end_file() { waiting_.pop_back(); }
    /// "a.ank -> b.ank -> a.ank" if a file with this path waits for the present one, else "".
    std::string circle(const std::string& path) const;

  private:
    Sources& sources_;
    const Options& options_;
    std::vector<Diagnostic>& diagnostics_;
    std::unordered_map<std::uint32_t, Tree> trees_;
    std::unordered_map<std::string, std::uint32_t> by_path_;
    std::vector<std::string> waiting_;  ///< the outermost first
    std::vector<std::string> imported_;
};

}  // namespace ananke::lang
