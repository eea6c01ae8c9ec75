// Any bytes as a file of results: read, tabulated, drawn and turned into a page, as `ananke plot`
// and `ananke report` do. An input that begins as HDF5 files do is one, one that begins with 000000
// is what `od -A x -t x1` prints of one (files of results are mostly zeros), any other is CSV.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "ananke/ananke.h"

namespace ananke::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 200'000;
constexpr std::size_t kMostNumbers = 10'000;
constexpr std::size_t kMostModelBytes = 1'000;

/// A folder of this process, removed at its end.
class Folder {
  public:
    Folder() {
        std::error_code unknown;
        std::string path = (fs::temp_directory_path(unknown) / "ananke-fuzz-XXXXXX").string();
        path_ = ::mkdtemp(path.data()) == nullptr ? "." : path;
    }
    ~Folder() {
        std::error_code unknown;
        if (path_ != ".") {
            fs::remove_all(path_, unknown);
        }
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string file(const std::string& name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

/// The bytes of a dump: lines of an address and what stands there; after `*` the line before is
/// repeated up to the next address. The last address is the size.
std::string undumped(std::string_view dump) {
    constexpr std::size_t kLine = 16;
    std::string bytes;
    bool repeats = false;
    while (!dump.empty()) {
        const std::string_view line = take_line(dump);
        const char* const end = line.data() + line.size();
        std::size_t address = 0;
        const std::from_chars_result placed = std::from_chars(line.data(), end, address, 16);
        if (placed.ec != std::errc() || address > kMostBytes) {
            repeats = line.starts_with('*');
            continue;
        }
        while (repeats && bytes.size() >= kLine && bytes.size() < address) {
            bytes += bytes[bytes.size() - kLine];
        }
        repeats = false;
        bytes.resize(address);
        for (const char* at = placed.ptr; at < end;) {
            std::uint8_t byte = 0;
            at += *at == ' ' ? 1 : 0;
            const std::from_chars_result read =
                std::from_chars(at, std::min(at + 2, end), byte, 16);
            if (read.ec != std::errc()) {
                break;
            }
            bytes += static_cast<char>(byte);
            at = read.ptr;
        }
    }
    return bytes;
}

void use(std::string_view input) {
    static const Folder folder;
    const bool dumped = input.starts_with("000000 ");
    const bool is_csv = !dumped && !input.starts_with("\x89HDF");
    const std::string path = folder.file(is_csv ? "results.csv" : "results.h5");
    const std::string bytes = dumped ? undumped(input) : std::string(input);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;

    const Result<Trajectory> read = read_results(path);
    if (!read || read.value().columns() == 0 || read.value().values.size() > kMostNumbers) {
        return;
    }
    const Trajectory& results = read.value();
    const std::string& last = results.header.columns.back().name;
    static_cast<void>(table(results));
    static_cast<void>(plot_columns(results, {last}));
    static_cast<void>(draw_columns(results, {last}, folder.file("picture.svg")));
    // The page reads the model again, with all that the language allows: loops may be long.
    const std::string& model = results.header.model_text;
    if (model.size() <= kMostModelBytes && model.find("for") == std::string::npos) {
        static_cast<void>(write_results_page(folder.file("page.html"), results, "results"));
    }
}

}  // namespace
}  // namespace ananke::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size <= ananke::fuzz::kMostBytes) {
        ananke::fuzz::use({reinterpret_cast<const char*>(data), size});
    }
    return 0;
}
