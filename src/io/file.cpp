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

/// While one lives, writing to a closed pipe (SIGPIPE) or beyond a limit of the size of files
/// (SIGXFSZ) is an error of the call instead of the end of the process.
class WriteSignalsHeld {
  public:
    WriteSignalsHeld() {
        sigset_t pending;
        sigemptyset(&held_);
        sigpending(&pending);
        for (const int signal : {SIGPIPE, SIGXFSZ}) {
            if (sigismember(&pending, signal) ==
                0) {  // a signal that was pending before is left to its owner
                sigaddset(&held_, signal);
            }
        }
        pthread_sigmask(SIG_BLOCK, &held_, &before_);
    }
    ~WriteSignalsHeld() {
        const int reason = errno;
        const timespec now{};
        while (sigtimedwait(&held_, nullptr, &now) > 0) {
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = reason;
    }
    WriteSignalsHeld(const WriteSignalsHeld&) = delete;
    WriteSignalsHeld& operator=(const WriteSignalsHeld&) = delete;

  private:
    sigset_t held_{};
    sigset_t before_{};
};

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

class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return number_; }
    bool is_open() const { return number_ >= 0; }

  private:
    int number_;
};

/// The answer of a system call, which is repeated where a signal interrupts it.
template <class Call>
auto uninterrupted(const Call& call) {
    auto answer = call();
    while (answer < 0 && errno == EINTR) {
        answer = call();
    }
    return answer;
}

/// Locks the file while its descriptor is open. False only if somebody else has: where the file
/// system knows no locks, nobody does. The lock is not that of flock(), which the HDF5 library asks
/// for before it reads.
bool try_lock(int descriptor) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return ::fcntl(descriptor, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

Error busy_error(const std::string& path) {
    return {ErrorCode::kIo,
            fmt::format("cannot write {}: another run of ananke is writing it", path)};
}

bool is_same_file(int descriptor, const std::string& path) {
    struct stat a {};
    struct stat b {};
    return ::fstat(descriptor, &a) == 0 && ::stat(path.c_str(), &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/// rename() that fails with EEXIST where the new name is taken, on file systems that know how.
int rename_to_free(const std::string& from, const std::string& to) {
    const int answer = ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE);
    return answer < 0 && (errno == EINVAL || errno == ENOSYS)
               ? std::rename(from.c_str(), to.c_str())
               : answer;
}

/// A new file in the folder of `target`; its name, or "" with errno.
std::string create_beside(const std::string& target, int& descriptor) {
    const std::string folder = target.substr(0, target.rfind('/') + 1);
    constexpr int kTries = 100;
    for (int attempt = 0; attempt < kTries; ++attempt) {
        timespec now{};
        ::clock_gettime(CLOCK_REALTIME, &now);
        std::string name =
            fmt::format("{}.ananke-{}-{}", folder, ::getpid(), now.tv_nsec + attempt);
        descriptor = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) {
            return name;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    return "";
}

}  // namespace

Error write_error(const std::string& path, int reason) {
    return {ErrorCode::kIo,
            fmt::format("cannot write {}: {}", path, std::generic_category().message(reason))};
}

Error with_rows_kept(const Error& error, std::size_t rows) {
    return {error.code, rows == 0 ? error.message + "; no row of this run is in it"
                                  : fmt::format("{}; it holds the first {} row{} of this run",
                                                error.message, rows, rows == 1 ? "" : "s")};
}

Result<std::unique_ptr<File>> File::open(const std::string& path) {
    if (path == "-") {
        return std::unique_ptr<File>(
            new File("standard output", STDOUT_FILENO, Kind::kStandardOutput));
    }
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (!exists && errno != ENOENT) {
        return write_error(path, errno);
    }
    if (!exists || S_ISREG(status.st_mode)) {
        return open_beside(path);
    }
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) {
        return write_error(path, errno);
    }
    return std::unique_ptr<File>(new File(path, descriptor, Kind::kDevice));
}

Result<std::unique_ptr<File>> File::open_beside(const std::string& path) {
    std::error_code failed;
    const std::string target = std::filesystem::weakly_canonical(path, failed).string();
    if (failed) {
        return write_error(path, failed.value());
    }
    struct stat old {};
    const bool exists = ::stat(target.c_str(), &old) == 0;
    if (exists && ::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0) {
        return write_error(path, errno);
    }
    if (exists) {
        const Descriptor there(::open(target.c_str(), O_RDWR | O_CLOEXEC));
        if (there.is_open() && !try_lock(there.get())) {
            return busy_error(path);
        }
    }
    int descriptor = -1;
    std::string beside = create_beside(target, descriptor);
    if (beside.empty()) {
        return write_error(path, errno);
    }
    std::unique_ptr<File> file(new File(path, descriptor, Kind::kRegular));
    file->target_ = target;
    file->beside_ = std::move(beside);
    try_lock(descriptor);
    if (exists) {
        constexpr mode_t kRights = 07777;
        static_cast<void>(::fchmod(descriptor, old.st_mode & kRights));
    }
    return file;
}

File::~File() {
    if (!beside_.empty()) {
        ::unlink(beside_.c_str());
    }
    static_cast<void>(close());
}

Error File::failure() const {
    return write_error(shown_, errno);
}

Result<void> File::append(std::string_view bytes) {
    const WriteSignalsHeld held;
    while (!bytes.empty()) {
        const ssize_t written =
            uninterrupted([&] { return ::write(descriptor_, bytes.data(), bytes.size()); });
        if (written < 0) {
            return failure();
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

Result<void> File::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
    const WriteSignalsHeld held;
    while (!bytes.empty()) {
        const ssize_t written = uninterrupted([&] {
            return ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        });
        if (written < 0) {
            return failure();
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        offset += static_cast<std::uint64_t>(written);
    }
    return {};
}

Result<void> File::resize(std::uint64_t size) {
    const WriteSignalsHeld held;
    const int answer =
        uninterrupted([&] { return ::ftruncate(descriptor_, static_cast<off_t>(size)); });
    return answer < 0 ? failure() : Result<void>();
}

std::uint64_t File::size() const {
    struct stat status {};
    return ::fstat(descriptor_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

Result<void> File::put_in_place() {
    constexpr int kTries = 10;  // the file may be replaced between open and rename
    for (int attempt = 0; attempt < kTries && !is_in_place(); ++attempt) {
        // Whoever replaces a file holds its lock meanwhile: of two only one can.
        const Descriptor old(::open(target_.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
        int answer = -1;
        if (!old.is_open() && errno == ENOENT) {
            answer = rename_to_free(beside_, target_);
        } else {
            if (old.is_open() && !try_lock(old.get())) {
                return busy_error(shown_);
            }
            if (old.is_open() && !is_same_file(old.get(), target_)) {
                continue;
            }
            answer = std::rename(beside_.c_str(), target_.c_str());
        }
        if (answer == 0) {
            beside_.clear();
        } else if (errno != EEXIST) {
            return failure();
        }
    }
    return is_in_place() ? Result<void>{} : busy_error(shown_);
}

Result<void> File::close() {
    if (descriptor_ < 0 || kind_ == Kind::kStandardOutput) {
        return {};
    }
    const int descriptor = descriptor_;
    descriptor_ = -1;
    return ::close(descriptor) < 0 && errno != EINTR ? failure() : Result<void>();
}

Result<void> write_whole(const std::string& path, std::string_view bytes) {
    std::optional<InterruptsHeld> held(std::in_place);
    Result<std::unique_ptr<File>> opened = File::open(path);
    if (!opened) {
        return opened.error();
    }
    File& file = *opened.value();
    if (!file.is_regular()) {  // a pipe may take its bytes when it likes: a signal ends the wait
        held.reset();
    }
    if (Result<void> written = file.append(bytes); !written) {
        return written;
    }
    if (Result<void> closed = file.close(); !closed) {
        return closed;
    }
    return file.put_in_place();
}

Result<void> remove_if_present(const std::string& path) {
    if (::unlink(path.c_str()) < 0 && errno != ENOENT) {
        return Error{ErrorCode::kIo, fmt::format("cannot remove {}: {}", path,
                                                 std::generic_category().message(errno))};
    }
    return {};
}

}  // namespace ananke::io
