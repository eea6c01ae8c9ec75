#include "io/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace ananke::io {

Input::Input(std::string path, int descriptor, std::uint64_t size)
    : path_(std::move(path)), descriptor_(descriptor), size_(size) {}

Input::~Input() {
    ::close(descriptor_);
}

Result<std::unique_ptr<Input>> Input::open(const std::string& path) {
    // O_NONBLOCK: a pipe, which is refused below, must not block.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        const int reason = errno;
        return Error{ErrorCode::kIo, reason == ENOENT
                                         ? fmt::format("there is no file {}", path)
                                         : fmt::format("{} cannot be read: {}", path,
                                                       std::generic_category().message(reason))};
    }
    struct stat status {};
    const bool known = ::fstat(descriptor, &status) == 0;
    std::unique_ptr<Input> input(
        new Input(path, descriptor, known ? static_cast<std::uint64_t>(status.st_size) : 0));
    if (!known || !S_ISREG(status.st_mode)) {
        return Error{ErrorCode::kIo, fmt::format("{} is not a file", path)};
    }
    return input;
}

bool Input::read(std::uint64_t offset, std::span<std::byte> to) const {
    if (offset > size_ || to.size() > size_ - offset) {
        return false;
    }
    while (!to.empty()) {
        const ssize_t count =
            ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {  // shorter than it was, or a failing disk
            return false;
        }
        to = to.subspan(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
    return true;
}

Result<std::string> read_whole(const std::string& path) {
    const Result<std::unique_ptr<Input>> input = Input::open(path);
    if (!input) {
        return input.error();
    }
    std::string text(static_cast<std::size_t>(input.value()->size()), '\0');
    if (!input.value()->read(0, std::as_writable_bytes(std::span(text)))) {
        return Error{ErrorCode::kIo, fmt::format("{} cannot be read", path)};
    }
    return text;
}

}  // namespace ananke::io
