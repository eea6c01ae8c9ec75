// A file being written: whole blocks or an error that names the file and the reason.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace ananke::io {

/// Owns one descriptor. Opening keeps what the file holds until clear(), so that a run that never
/// starts destroys no earlier result.
class File {
  public:
    /// "-" is standard output. Messages speak of `shown` if it is given.
    static Result<std::unique_ptr<File>> open(const std::string& path, std::string shown = "");
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    /// Empties a regular file; leaves devices and pipes alone.
    Result<void> clear();
    /// At the current end. A closed pipe is an error, not a signal.
    Result<void> append(std::string_view bytes);
    Result<void> write_at(std::uint64_t offset, std::span<const std::byte> bytes);
    /// Makes the file `size` bytes long; new bytes are zero.
    Result<void> resize(std::uint64_t size);
    /// Takes the place of whatever `path` was, in one instant.
    Result<void> rename(const std::string& path);
    /// Reports what the system kept back until now (quotas, network disks).
    Result<void> close();

  private:
    File(std::string path, std::string shown, int descriptor, bool owned, bool regular)
        : path_(std::move(path)),
          shown_(std::move(shown)),
          descriptor_(descriptor),
          owned_(owned),
          regular_(regular) {}
    Error failure() const;

    std::string path_;
    std::string shown_;
    int descriptor_;
    bool owned_;
    bool regular_;
};

/// The whole contents of a file. SIGINT and SIGTERM wait until a regular file is complete, so that
/// none is left half written.
Result<void> write_whole(const std::string& path, std::string_view bytes);

/// "cannot write PATH: REASON", the reason an errno.
Error write_error(const std::string& path, int reason);

/// Removes the file if it is there.
Result<void> remove_if_present(const std::string& path);

}  // namespace ananke::io
