// A file being written: whole blocks or an error that names the file and the reason.
//
// A regular file is written beside its place, under a name of its own, and takes that place in one
// instant (put_in_place). Until then whatever stands there is untouched, and a failure leaves
// nothing behind. The file is locked to its end: another run of this program that is given the same
// path gets an error and does not replace it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace ananke::io {

/// Owns one descriptor.
class File {
  public:
    /// "-" is standard output. It, devices and pipes are written as they are. Fails where the path
    /// cannot be written, or another run is writing there.
    static Result<std::unique_ptr<File>> open(const std::string& path);
    /// Removes a file that has not been put in place.
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    /// At the current end. A closed pipe is an error, not a signal.
    Result<void> append(std::string_view bytes);
    Result<void> write_at(std::uint64_t offset, std::span<const std::byte> bytes);
    /// Makes the file `size` bytes long; new bytes are zero.
    Result<void> resize(std::uint64_t size);
    /// Bytes in the file.
    std::uint64_t size() const;
    /// Reports write errors that the system delayed (quotas, network disks), and releases the lock.
    Result<void> close();
    /// Nothing to do for a device, a pipe, or a file that is in its place.
    Result<void> put_in_place();

    /// False for standard output, devices and pipes.
    bool is_regular() const { return kind_ == Kind::kRegular; }
    bool is_in_place() const { return beside_.empty(); }

  private:
    enum class Kind : std::uint8_t { kStandardOutput, kDevice, kRegular };
    File(std::string shown, int descriptor, Kind kind)
        : shown_(std::move(shown)), descriptor_(descriptor), kind_(kind) {}
    static Result<std::unique_ptr<File>> open_beside(const std::string& path);
    Error failure() const;

    std::string shown_;   ///< as the user wrote it, for messages
    std::string target_;  ///< links followed
    std::string beside_;  ///< where it is until it is in its place
    int descriptor_;
    Kind kind_;
};

/// The whole contents of a file. SIGINT and SIGTERM wait until a regular file is complete.
Result<void> write_whole(const std::string& path, std::string_view bytes);

/// "cannot write PATH: REASON", the reason an errno.
Error write_error(const std::string& path, int reason);

/// `error`, and how many rows of a run its file holds all the same.
Error with_rows_kept(const Error& error, std::size_t rows);

/// Removes the file if it is there.
Result<void> remove_if_present(const std::string& path);

}  // namespace ananke::io
