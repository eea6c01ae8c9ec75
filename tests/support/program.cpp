#include "program.h"
#include "places.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

namespace ananke::tests {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

Scratch::Scratch() {
    std::string pattern = (fs::temp_directory_path() / "ananke-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
    fs::create_directory_symlink(fs::path(places::source_dir()) / "models", path_ / "models");
    fs::create_directory(path_ / "bin");
    fs::create_symlink(places::program(), path_ / "bin" / "ananke");
}

Scratch::~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

void Scratch::write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
}

std::string Scratch::read(const std::string& name) const {
    return read_text(path_ / name);
}

Outcome Scratch::run(const std::string& line) const {
    const std::string command = "cd '" + path_.string() +
                                "' && export PATH=\"$PWD/bin:$PATH\" && { " + line +
                                "\n} >'.out' 2>'.err'";
    const int status = std::system(command.c_str());
    Outcome outcome;
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.out = read(".out");
    outcome.err = read(".err");
    return outcome;
}

}  // namespace ananke::tests
