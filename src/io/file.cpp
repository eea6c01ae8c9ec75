#include "io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <optional>
#include <system_error>

namespace ananke::io {
namespace {

/// write() that answers EPIPE instead of ending the process by SIGPIPE.
ssize_t write_without_signal(int descriptor, const char* data, std::size_t size) {
    sigset_t pipe_signal;
    sigset_t before;
    sigset_t pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&pending);
    const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    const ssize_t written = ::write(descriptor, data, size);
    const int reason = errno;
    if (written < 0 && reason == EPIPE && !was_pending) {
        const timespec now{};
        sigtimedwait(&pipe_signal, nullptr, &now);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = reason;
    return written;
}

/// While one lives, SIGINT and SIGTERM wait.
class InterruptsHeld {
  public:
    InterruptsHeld() {
        sigset_t interrupts;
        sigemptyset(&interrupts);
        sigaddset(&interrupts, SIGINT);
        sigaddset(&interrupts, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &interrupts, &before_);
    }
    ~InterruptsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    InterruptsHeld(const InterruptsHeld&) = delete;
    InterruptsHeld& operator=(const InterruptsHeld&) = delete;

  private:
    sigset_t before_{};
};

}  // namespace

Error write_error(const std::string& path, int reason) {
    return {ErrorCode::kIo,
            fmt::format("cannot write {}: {}", path, std::generic_category().message(reason))};
}

Result<std::unique_ptr<File>> File::open(const std::string& path, std::string shown) {
    if (path == "-") {
        return std::unique_ptr<File>(
            new File(path, "standard output", STDOUT_FILENO, false, false));
    }
    if (shown.empty()) {
        shown = path;
    }
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        return write_error(shown, errno);
    }
    struct stat status {};
    const bool regular = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    return std::unique_ptr<File>(new File(path, std::move(shown), descriptor, true, regular));
}

File::~File() {
    if (owned_ && descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

Error File::failure() const {
    return write_error(shown_, errno);
}

Result<void> File::clear() {
    return regular_ ? resize(0) : Result<void>{};
}

Result<void> File::append(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = write_without_signal(descriptor_, bytes.data(), bytes.size());
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            return failure();
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

Result<void> File::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written =
            ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            return failure();
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        offset += static_cast<std::uint64_t>(written);
    }
    return {};
}

Result<void> File::resize(std::uint64_t size) {
    int answer = 0;
    do {
        answer = ::ftruncate(descriptor_, static_cast<off_t>(size));
    } while (answer < 0 && errno == EINTR);
    if (answer < 0) {
        return failure();
    }
    return {};
}

Result<void> File::rename(const std::string& path) {
    if (std::rename(path_.c_str(), path.c_str()) < 0) {
        return write_error(path, errno);
    }
    path_ = path;
    return {};
}

Result<void> File::close() {
    if (!owned_ || descriptor_ < 0) {
        return {};
    }
    const int descriptor = descriptor_;
    descriptor_ = -1;
    if (::close(descriptor) < 0 && errno != EINTR) {
        return failure();
    }
    return {};
}

Result<void> write_whole(const std::string& path, std::string_view bytes) {
    // A pipe may take its bytes when it likes: there the wait must end by a signal.
    std::error_code none;
    const std::filesystem::file_status status = std::filesystem::status(path, none);
    const bool short_work = path != "-" && (!std::filesystem::exists(status) ||
                                            std::filesystem::is_regular_file(status));
    std::optional<InterruptsHeld> held;
    if (short_work) {
        held.emplace();
    }
    Result<std::unique_ptr<File>> file = File::open(path);
    if (!file) {
        return file.error();
    }
    if (Result<void> cleared = file.value()->clear(); !cleared) {
        return cleared;
    }
    if (Result<void> written = file.value()->append(bytes); !written) {
        return written;
    }
    return file.value()->close();
}

Result<void> remove_if_present(const std::string& path) {
    if (::unlink(path.c_str()) < 0 && errno != ENOENT) {
        return Error{ErrorCode::kIo, fmt::format("cannot remove {}: {}", path,
                                                 std::generic_category().message(errno))};
    }
    return {};
}

}  // namespace ananke::io
