#include "page.h"

#include <ctime>
#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "code/cpu.h"

namespace ananke::bench {
namespace {

/// The value of the first line "key : value" of a file of the system.
std::string first_value(const char* path, const std::string& key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(':');
        if (line.rfind(key, 0) == 0 && colon != std::string::npos && colon + 2 <= line.size()) {
            return line.substr(colon + 2);
        }
    }
    return "unknown";
}

std::string vector_units() {
    const code::CpuFeatures cpu = code::cpu_features();
    return cpu.avx512 ? "AVX-512" : cpu.avx2 ? "AVX2" : "no AVX2";
}

}  // namespace

std::string machine() {
    const std::time_t now = std::time(nullptr);
    return fmt::format("Machine: {} ({}), {} cores; g++ {}; {:%Y-%m-%d}.",
                       first_value("/proc/cpuinfo", "model name"), vector_units(),
                       std::thread::hardware_concurrency(), __VERSION__, fmt::gmtime(now));
}

Result<void> write_file(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) {
        return Error{ErrorCode::kIo, fmt::format("{} could not be written", path)};
    }
    return {};
}

Result<void> replace_part(const std::string& page, const std::string& part,
                          const std::string& text) {
    std::ifstream file(page, std::ios::binary);
    std::ostringstream all;
    all << file.rdbuf();
    std::string content = all.str();
    const std::string begin = fmt::format("<!-- begin: {} -->\n", part);
    const std::string end = fmt::format("<!-- end: {} -->\n", part);
    const std::size_t from = content.find(begin);
    const std::size_t to = content.find(end);
    if (from == std::string::npos || to == std::string::npos || to < from) {
        return Error{ErrorCode::kIo, fmt::format("{} has no part '{}'", page, part)};
    }
    content.replace(from + begin.size(), to - from - begin.size(), text);
    return write_file(page, content);
}

}  // namespace ananke::bench
