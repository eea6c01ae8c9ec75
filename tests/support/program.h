// Runs the program as a person does: a shell line in a scratch folder.
#pragma once

#include <filesystem>
#include <string>

namespace ananke::tests {

struct Outcome {
    int exit_code = 0;
    std::string out;
    std::string err;
    std::string all() const { return out + err; }
};

/// A folder of its own, removed at the end, in which `models` leads to the gallery.
class Scratch {
  public:
    Scratch();
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    const std::filesystem::path& path() const { return path_; }
    void write(const std::string& name, const std::string& text) const;
    std::string read(const std::string& name) const;
    /// A line for sh, with `ananke` standing for the program under test.
    Outcome run(const std::string& line) const;

  private:
    std::filesystem::path path_;
};

std::string read_text(const std::filesystem::path& path);

}  // namespace ananke::tests
